// The manual as a man page, in roff.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ration::cli {

// All commands that were added before.
std::string man_page(const CLI::App& app);

}  // namespace ration::cli
