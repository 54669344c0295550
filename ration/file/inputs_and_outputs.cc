#include "ration/file/inputs_and_outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

// What is there is told by device and inode, what is not by its path without links.
struct Identity {
  bool there = false;
  dev_t device = 0;
  ino_t inode = 0;
  fs::path path = {};

  friend bool operator==(const Identity&, const Identity&) = default;
};

// Devices and pipes keep nothing that could be lost.
bool keeps(const struct stat& status) { return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode); }

Identity identity_of(const struct stat& status) {
  return {.there = true, .device = status.st_dev, .inode = status.st_ino};
}

// A link to what is not there is followed as a writer follows it.
fs::path without_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as in the kernel
  std::error_code failed;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, failed); ++links) {
    const fs::path target = fs::read_symlink(path, failed);
    if (failed) break;
    path = path.parent_path() / target;
  }
  const fs::path absolute = fs::absolute(path, failed);
  const fs::path resolved = fs::weakly_canonical(absolute, failed);
  return failed ? absolute.lexically_normal() : resolved;
}

struct Known {
  const NamedFile* named;
  Identity identity;
};
std::vector<Known> identified(const NamedFiles& files) {
  std::vector<Known> all;
  for (const NamedFile& each : files) {
    struct stat status {};
    if (stat(each.file.c_str(), &status) != 0) {
      all.push_back({&each, {.path = without_links(each.file)}});
    } else if (keeps(status)) {
      all.push_back({&each, identity_of(status)});
    }
  }
  return all;
}

void check_apart(const Known& output, std::span<const Known> others) {
  for (const auto& [other, identity] : others) {
    if (identity != output.identity) continue;
    throw Error(fmt::format("{} would overwrite {}, a file of {}: give another name",
                            output.named->option, other->file.string(), other->option));
  }
}

// A folder that cannot be looked at is refused by whoever uses it.
template <class Wanted>
void add_if(NamedFiles& all, const std::string& option, const fs::path& folder,
            const Wanted& wanted) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; entry != end; entry.increment(failed)) {
    if (entry->is_regular_file(failed) && wanted(*entry)) all.push_back({option, entry->path()});
  }
}

}  // namespace

void add(NamedFiles& all, const std::string& option, std::span<const fs::path> files) {
  for (const fs::path& file : files) all.push_back({option, file});
}

void add_files_in(NamedFiles& all, const std::string& option, const fs::path& folder) {
  add_if(all, option, folder, [](const fs::directory_entry&) { return true; });
}

void add_links_in(NamedFiles& all, const std::string& option, const fs::path& folder) {
  add_if(all, option, folder, [](const fs::directory_entry& entry) {
    std::error_code failed;
    return entry.is_symlink(failed) || entry.hard_link_count(failed) > 1;
  });
}

void check_apart(const NamedFiles& inputs, const NamedFiles& outputs) {
  const std::vector<Known> read = identified(inputs);
  std::vector<Known> written;
  for (const Known& output : identified(outputs)) {
    check_apart(output, read);
    for (const Known& before : written) {
      if (before.named->option != output.named->option) check_apart(output, {&before, 1});
    }
    written.push_back(output);
  }
  struct stat status {};
  if (fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const NamedFile name = {"standard output", {}};
  check_apart({&name, identity_of(status)}, read);
  check_apart({&name, identity_of(status)}, written);
}

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// An open temporary file beside what `file` leads to shows it, whatever the file system thinks of
// permissions.
void try_at(std::string_view option, const fs::path& asked, const fs::path& file) {
  try {
    const PrivateFile probe(file);
  } catch (const WriteFailure& failure) {
    switch (failure.error()) {
      case EACCES:
      case EPERM:
      case EROFS:
      case ENOENT:   // as in /proc, where no file can be made
      case ENOTDIR:  // a link that leads below a file
      case ENAMETOOLONG:
        refuse(option, "'" + asked.string() + "'", "a name in a folder that you may write to");
      default:
        throw;
    }
  }
}

}  // namespace

void check_can_write(std::string_view option, const fs::path& file) {
  const fs::path folder = folder_of(file);
  if (!is_folder(folder)) {
    refuse(option, "'" + file.string() + "'",
           "a file in a folder that is there, which " + folder.string() + " is not");
  }
  if (is_folder(file))
    refuse(option, "'" + file.string() + "'", "the name of a file: it is a folder");
  try_at(option, file, file);
}

void check_can_make(std::string_view option, const fs::path& directory) {
  fs::path there = directory;
  while (!is_there(there) && folder_of(there) != there) there = folder_of(there);
  if (!is_folder(there)) {
    refuse(option, "'" + directory.string() + "'",
           "the name of a directory: " + there.string() + " is a file");
  }
  try_at(option, directory, there / ".ration");
}

}  // namespace ration
