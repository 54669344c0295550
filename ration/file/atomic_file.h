// Files that are written whole or not at all, for their owner alone or for everybody. The bytes go
// into a temporary file beside the target, under a name that nobody can have prepared; commit()
// brings them to the disk and puts them in the target's place in one move. Until then, and whenever
// anything fails, the target is what it was and nothing is left beside it. Not for two threads at
// once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/open_file.h"

namespace ration {

// The file cannot be written, and what was given need not be to blame: the program ends with status
// 1 instead of 2.
class WriteFailure : public Error {
 public:
  explicit WriteFailure(const std::string& sentence, int error = 0)
      : Error(sentence), error_(error) {}
  int error() const { return error_; }  // of the operating system, as errno has it; 0: not known

 private:
  int error_;
};

class AtomicFile {
 public:
  // Only its owner may read it, from its first byte on (mode 0600, whatever the umask and whatever
  // stood there before); or everybody whom the umask does not keep out.
  enum class Readers { owner, everybody };
  // An unnamed temporary file vanishes even when the process is killed. Where the file system has
  // none, the file gets a hidden name, which then only a kill leaves behind.
  enum class Temporary { unnamed_if_possible, named };

  // A symbolic link is followed, so that the link stays and the file it leads to is replaced; but
  // not one that belongs to another user. Refuses a target that exists and is not a regular file.
  AtomicFile(std::filesystem::path target, Readers readers,
             Temporary temporary = Temporary::unnamed_if_possible);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  // Once, at the end. When it throws, the target is the old file or, if only the folder could not
  // be brought to the disk, the new one; never a part of either.
  void commit();

 private:
  void open_temporary(Temporary temporary);
  void name_temporary();
  void flush();
  void write_out(std::span<const std::byte> bytes);

  std::filesystem::path shown_;  // as the user gave it
  Readers readers_;
  std::string name_, temporary_name_;  // in the folder; the latter empty while there is none
  Descriptor folder_, file_;
  std::vector<std::byte> buffer_;
};

// A file that holds people's data: only its owner may read it.
class PrivateFile : public AtomicFile {
 public:
  explicit PrivateFile(std::filesystem::path target,
                       Temporary temporary = Temporary::unnamed_if_possible)
      : AtomicFile(std::move(target), Readers::owner, temporary) {}
};

// Makes an empty file of that kind where nothing stands; false if something does, also if another
// process was quicker.
bool make_private_file(const std::filesystem::path& file);

// A text that anybody may read.
void write_public(const std::filesystem::path& file, std::string_view text);

// A directory for results that are still to come: made if it is missing, with the folders above it,
// and all of them gone again if nothing was written into it. For one caller at a time.
class NewDirectory {
 public:
  // Throws WriteFailure if it cannot be made, or its name cannot be brought to the disk.
  explicit NewDirectory(std::filesystem::path path);
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  ~NewDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  void remove_made() noexcept;

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // the outermost first
};

}  // namespace ration
