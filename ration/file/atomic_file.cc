#include "ration/file/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>
#include <utility>

#include "ration/base/error.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = 1 << 18;
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
// Of which the umask takes some away, as of every file.
constexpr mode_t kEverybody = kOwnerOnly | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;

[[noreturn]] void cannot_write(const fs::path& file, int error = errno) {
  throw WriteFailure(
      "cannot write " + file.string() + ": " + std::generic_category().message(error), error);
}

// What `target` means: links are followed one by one, to look at the owner of each. A link that
// somebody else put into a shared folder would choose which of our files is replaced.
fs::path followed(const fs::path& target) {
  constexpr int kMostLinks = 40;  // as in the kernel
  fs::path file = target;
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat status {};
    if (lstat(file.c_str(), &status) != 0) {
      if (errno == ENOENT) return file;
      cannot_write(target);
    }
    if (S_ISREG(status.st_mode)) return file;
    if (!S_ISLNK(status.st_mode)) {
      refuse(target.string(), S_ISDIR(status.st_mode) ? "a folder" : "no regular file",
             "the name of a file to write");
    }
    if (status.st_uid != geteuid() && status.st_uid != 0) {
      refuse(target.string(), "another user's symbolic link", "the name of a file of your own");
    }
    std::error_code error;
    const fs::path link = fs::read_symlink(file, error);
    if (error) cannot_write(target, error.value());
    file = file.parent_path() / link;  // which is `link` alone if it is absolute
  }
  cannot_write(target, ELOOP);
}

// Brings a folder's entries to the disk. EINVAL: a file system whose folders cannot be
// synchronised, and need not be.
bool synchronised(int folder) { return fsync(folder) == 0 || errno == EINVAL; }

std::string random_name() {
  std::random_device random;
  return fmt::format(".ration-{:08x}{:08x}", random(), random());
}

}  // namespace

AtomicFile::AtomicFile(fs::path target, Readers readers, Temporary temporary)
    : shown_(std::move(target)), readers_(readers) {
  const fs::path file = followed(shown_);
  name_ = file.filename().string();
  if (name_.empty()) refuse("file to write", "'" + shown_.string() + "'", "the name of a file");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) cannot_write(shown_);
  buffer_.reserve(kBuffer);
  open_temporary(temporary);
}

AtomicFile::~AtomicFile() {
  if (!temporary_name_.empty()) unlinkat(folder_.number(), temporary_name_.c_str(), 0);
}

void AtomicFile::open_temporary(Temporary temporary) {
  const mode_t mode = readers_ == Readers::owner ? kOwnerOnly : kEverybody;
  if (temporary == Temporary::unnamed_if_possible && access("/proc/self/fd", X_OK) == 0) {
    file_ = Descriptor(openat(folder_.number(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  }
  // What forbids any file here (no space, no permission) forbids the named one too, and is told.
  std::string name;
  if (!file_.is_open()) {
    name = random_name();
    file_ = Descriptor(
        openat(folder_.number(), name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
    if (!file_.is_open()) cannot_write(shown_);
  }
  // A umask takes bits away, an access list of the folder's adds some.
  if (readers_ == Readers::owner && fchmod(file_.number(), kOwnerOnly) != 0) {
    const int error = errno;
    if (!name.empty()) unlinkat(folder_.number(), name.c_str(), 0);
    cannot_write(shown_, error);
  }
  temporary_name_ = std::move(name);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) {
    write_out(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void AtomicFile::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void AtomicFile::write_out(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) cannot_write(shown_);
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// A link never replaces a file, so an unnamed file is linked to a name of its own and moved then.
void AtomicFile::name_temporary() {
  if (!temporary_name_.empty()) return;
  const std::string source = fmt::format("/proc/self/fd/{}", file_.number());
  std::string name = random_name();
  if (linkat(AT_FDCWD, source.c_str(), folder_.number(), name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    cannot_write(shown_);
  }
  temporary_name_ = std::move(name);
}

void AtomicFile::commit() {
  flush();
  if (fsync(file_.number()) != 0) cannot_write(shown_);
  name_temporary();
  const int folder = folder_.number();
  if (renameat(folder, temporary_name_.c_str(), folder, name_.c_str()) != 0) cannot_write(shown_);
  temporary_name_.clear();
  if (!synchronised(folder)) cannot_write(shown_);
}

bool make_private_file(const fs::path& file) {
  const Descriptor made(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (!made.is_open() && errno != EEXIST) cannot_write(file);
  return made.is_open();
}

void write_public(const fs::path& file, std::string_view text) {
  AtomicFile out(file, AtomicFile::Readers::everybody);
  out.write(text);
  out.commit();
}

NewDirectory::NewDirectory(fs::path path) : path_(std::move(path)) {
  std::error_code failed;
  fs::path at;
  for (const fs::path& part : path_) {
    at /= part;
    if (fs::create_directory(at, failed)) made_.push_back(at);
    if (failed) break;
  }
  // Else a power failure could take the directory away, and with it what was synchronised inside.
  for (const fs::path& made : made_) {
    const fs::path parent = made.has_parent_path() ? made.parent_path() : fs::path(".");
    const Descriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open() || !synchronised(folder.number())) {
      failed = std::error_code(errno, std::generic_category());
      break;
    }
  }
  if (!failed && fs::is_directory(path_, failed)) return;
  remove_made();
  throw WriteFailure(
      fmt::format("{} cannot be made a directory: {}", path_.string(), failed.message()),
      failed.value());
}

NewDirectory::~NewDirectory() { remove_made(); }

void NewDirectory::remove_made() noexcept {
  std::error_code not_empty;  // and then it stays
  for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), not_empty);
}

}  // namespace ration
