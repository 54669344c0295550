// What was typed and cannot be understood: a sentence that names it, and what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ration::cli {

// The one of these that is most like what was typed, if any is much like it: a beginning of it, or
// the same but for a few letters.
std::optional<std::string> nearest(const std::string& typed, const std::vector<std::string>& known);

// Refuses a command that there is not.
const CLI::App& command_named(const CLI::App& app, const std::string& name);

// After the parser has failed: what is wrong, in our words. An option that the command does not
// take is told before anything that is missing, for that may be what was meant.
std::string refusal_of(const CLI::App& app, const CLI::ParseError& failure);

}  // namespace ration::cli
