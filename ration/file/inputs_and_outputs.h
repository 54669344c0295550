// What a command reads and what it writes, by the options that name it: the one place that decides
// whether writing would destroy what is read, or what is written beside it, and whether it can be
// written at all. Links of both kinds and all spellings of a path are seen through. Safe from any
// thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ration {

struct NamedFile {
  std::string option;
  std::filesystem::path file;
};
using NamedFiles = std::vector<NamedFile>;

// These files under one option; those that are in a folder now, none if there is no folder; and
// only the links among them, for a folder whose new files have names that nothing else there has.
void add(NamedFiles& all, const std::string& option, std::span<const std::filesystem::path> files);
void add_files_in(NamedFiles& all, const std::string& option, const std::filesystem::path& folder);
void add_links_in(NamedFiles& all, const std::string& option, const std::filesystem::path& folder);

// Refuses an output that is an input or an output of another option. Standard output counts among
// the outputs if it goes into a file. Neither files nor folders need be there: what is not is
// compared by its name in the folder that it would be in.
void check_apart(const NamedFiles& inputs, const NamedFiles& outputs);

// Whether what is asked for can be written, found out before any work is done or anybody charged.
// What the user gave is to blame if not: a folder that is not there, or that they may not write to,
// a device, a link that leads nowhere or is another user's. Other failures,
// such as a full disk, are what they are anywhere (WriteFailure). Nothing is left behind.
// `option` is the argument that a refusal names.
void check_can_write(std::string_view option, const std::filesystem::path& file);
// A directory that is there, or can be made together with the folders above it.
void check_can_make(std::string_view option, const std::filesystem::path& directory);

}  // namespace ration
