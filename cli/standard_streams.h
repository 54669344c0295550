// Standard output and standard error: what is printed arrives, or the program says that it did not.
#pragma once

#include <optional>
#include <string>

namespace ration::cli {

// First of all. A stream that is closed stays unusable, so that no file that is opened later takes
// its place and gets what is printed; and what cannot be written fails instead of ending the
// program without a word.
void prepare_standard_streams();

// A line on standard error, all the same whether anybody sees it.
void tell(const std::string& line);

// Last of all, once: why something of what was printed did not arrive, if so.
std::optional<std::string> printing_failure();

}  // namespace ration::cli
