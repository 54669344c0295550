#include "ration/file/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ration/file/atomic_file.h"

namespace ration {
namespace {

std::filesystem::path temporary_folder() {
  const char* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? "/tmp" : given;
}

[[noreturn]] void cannot_spill(const std::filesystem::path& folder, int error) {
  throw WriteFailure(
      fmt::format("cannot write a temporary file in {}: {}; TMPDIR may name another folder",
                  folder.string(), std::generic_category().message(error)),
      error);
}

// Where the file system has no unnamed files, a named one that loses its name at once.
Descriptor unnamed(const std::filesystem::path& folder) {
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  std::string name = (folder / "ration.XXXXXX").string();
  file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) cannot_spill(folder, errno);
  if (unlink(name.c_str()) != 0) cannot_spill(folder, errno);
  return file;
}

}  // namespace

TemporaryFile::TemporaryFile() : folder_(temporary_folder()), file_(unnamed(folder_)) {
  // A umask takes bits away, an access list of the folder's adds some.
  if (fchmod(file_.number(), 0600) != 0) cannot_spill(folder_, errno);
}

void TemporaryFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file_.number(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) cannot_spill(folder_, wrote < 0 ? errno : EIO);
    size_ += static_cast<std::size_t>(wrote);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void TemporaryFile::append_standard_input() {
  std::vector<std::byte> block(std::size_t{1} << 18);
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error("cannot read standard input: " + std::generic_category().message(errno));
    }
    if (got == 0) return;
    append(std::span(block).first(static_cast<std::size_t>(got)));
  }
}

void TemporaryFile::read(std::size_t from, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = pread(file_.number(), to.data(), to.size(), static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) cannot_spill(folder_, got < 0 ? errno : EIO);
    from += static_cast<std::size_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

// The system has a path for it, though it has no name.
MappedFile TemporaryFile::mapped(std::string_view what) const {
  return MappedFile(fmt::format("/proc/self/fd/{}", file_.number()), what);
}

}  // namespace ration
