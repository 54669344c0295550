// Loaded before everything else (LD_PRELOAD), makes one call of the operating system fail. Calls
// are counted that change what is below a folder: opening for writing, writing, bringing to the
// disk, moving, linking, cutting, making folders, and closing what was written.
//   RATION_FAULT_BELOW  the folder, as an absolute path without links
//   RATION_FAULT_AT     which call fails, counted from 1; 0 or nothing: none
//   RATION_FAULT_KIND   io: this call alone fails with EIO
//                       full: this call fails with ENOSPC, and all later ones that need room
//                       cut: a write writes half of what it should, anything else fails as with io
//   RATION_FAULT_NAMED  if set, there are no unnamed files below the folder
//   RATION_CLOCK_JUMP   seconds that the clock is ahead, or behind if negative
//   RATION_FAULT_LOG    a file that gets a line for each call: its name and its path
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

enum class Fate { real, io, full, cut };

struct Plan {
  std::string below;
  long at = 0;
  Fate kind = Fate::io;
  bool named = false;
  int log = -1;
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const Plan& plan() {
  static const Plan only = [] {
    Plan made;
    made.below = variable("RATION_FAULT_BELOW");
    made.at = std::atol(variable("RATION_FAULT_AT").c_str());
    made.named = !variable("RATION_FAULT_NAMED").empty();
    const std::string kind = variable("RATION_FAULT_KIND"), log = variable("RATION_FAULT_LOG");
    made.kind = kind == "full" ? Fate::full : kind == "cut" ? Fate::cut : Fate::io;
    if (!log.empty()) {
      const long low =
          syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      made.log = fcntl(static_cast<int>(low), F_DUPFD_CLOEXEC, 500);  // out of the program's way
      syscall(SYS_close, low);
    }
    return made;
  }();
  return only;
}

std::string link_at(const std::string& path) {
  char text[PATH_MAX];
  const long length = syscall(SYS_readlinkat, AT_FDCWD, path.c_str(), text, sizeof text);
  return length < 0 ? "" : std::string(text, static_cast<std::size_t>(length));
}
std::string path_of(int descriptor) {
  return link_at("/proc/self/fd/" + std::to_string(descriptor));
}
std::string path_of(int folder, const char* name) {
  if (name[0] == '/') return name;
  return (folder == AT_FDCWD ? link_at("/proc/self/cwd") : path_of(folder)) + "/" + name;
}

bool is_below(const std::string& path) {
  const std::string& folder = plan().below;
  return !folder.empty() && path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

Fate fate_of(const char* call, const std::string& path, bool needs_room) {
  const int before = errno;
  if (!is_below(path)) return Fate::real;
  static std::atomic<long> calls = 0;
  const long number = ++calls;
  if (plan().log >= 0) {
    const std::string line = std::string(call) + " " + path + "\n";
    syscall(SYS_write, plan().log, line.data(), line.size());
  }
  errno = before;
  if (plan().at == 0 || number < plan().at) return Fate::real;
  if (number == plan().at) return plan().kind;
  return plan().kind == Fate::full && needs_room ? Fate::full : Fate::real;
}

int failed(Fate fate) {
  errno = fate == Fate::full ? ENOSPC : EIO;
  return -1;
}

template <class... Arguments>
long call_or_fail(Fate fate, long number, Arguments... arguments) {
  return fate == Fate::real ? syscall(number, arguments...) : failed(fate);
}

int open_at(int folder, const char* name, int flags, mode_t mode) {
  // Folders are opened to write into them.
  const bool written =
      (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TMPFILE | O_DIRECTORY)) != 0;
  const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  const bool creates = (flags & O_CREAT) != 0 || unnamed;
  if (unnamed && plan().named && is_below(path_of(folder, name))) {
    errno = EOPNOTSUPP;
    return -1;
  }
  const Fate fate = written ? fate_of("open", path_of(folder, name), creates) : Fate::real;
  return static_cast<int>(call_or_fail(fate, SYS_openat, folder, name, flags, mode));
}

mode_t mode_of(int flags, va_list rest) {
  const bool given = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return given ? va_arg(rest, mode_t) : 0;
}

}  // namespace

extern "C" {

#define OPEN(name)                               \
  int name(const char* path, int flags, ...) {   \
    va_list rest;                                \
    va_start(rest, flags);                       \
    const mode_t mode = mode_of(flags, rest);    \
    va_end(rest);                                \
    return open_at(AT_FDCWD, path, flags, mode); \
  }
#define OPENAT(name)                                       \
  int name(int folder, const char* path, int flags, ...) { \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    const mode_t mode = mode_of(flags, rest);              \
    va_end(rest);                                          \
    return open_at(folder, path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int __open_2(const char* path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) { return open_at(folder, path, flags, 0); }
int __openat64_2(int folder, const char* path, int flags) {
  return open_at(folder, path, flags, 0);
}
int creat(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) { return creat(path, mode); }

ssize_t write(int descriptor, const void* bytes, size_t size) {
  const Fate fate = fate_of("write", path_of(descriptor), true);
  const bool cut = fate == Fate::cut && size > 1;
  return call_or_fail(cut ? Fate::real : fate, SYS_write, descriptor, bytes, cut ? size / 2 : size);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  const Fate fate = fate_of("pwrite", path_of(descriptor), true);
  const bool cut = fate == Fate::cut && size > 1;
  return call_or_fail(cut ? Fate::real : fate, SYS_pwrite64, descriptor, bytes,
                      cut ? size / 2 : size, at);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off_t at) {
  return pwrite(descriptor, bytes, size, at);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  const Fate fate = fate_of("writev", path_of(descriptor), true);
  if (fate != Fate::cut) return call_or_fail(fate, SYS_writev, descriptor, parts, count);
  return syscall(SYS_write, descriptor, parts[0].iov_base, parts[0].iov_len / 2);
}

int fsync(int descriptor) {
  const Fate fate = fate_of("fsync", path_of(descriptor), false);
  return static_cast<int>(call_or_fail(fate, SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  const Fate fate = fate_of("fdatasync", path_of(descriptor), false);
  return static_cast<int>(call_or_fail(fate, SYS_fdatasync, descriptor));
}
int ftruncate(int descriptor, off_t size) {
  const Fate fate = fate_of("ftruncate", path_of(descriptor), true);
  return static_cast<int>(call_or_fail(fate, SYS_ftruncate, descriptor, size));
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

int renameat2(int from, const char* old, int to, const char* name, unsigned flags) {
  const Fate fate = fate_of("rename", path_of(to, name), false);
  return static_cast<int>(call_or_fail(fate, SYS_renameat2, from, old, to, name, flags));
}
int renameat(int from, const char* old, int to, const char* name) {
  return renameat2(from, old, to, name, 0);
}
int rename(const char* old, const char* name) {
  return renameat2(AT_FDCWD, old, AT_FDCWD, name, 0);
}
int linkat(int from, const char* old, int to, const char* name, int flags) {
  const Fate fate = fate_of("link", path_of(to, name), true);
  return static_cast<int>(call_or_fail(fate, SYS_linkat, from, old, to, name, flags));
}
int link(const char* old, const char* name) { return linkat(AT_FDCWD, old, AT_FDCWD, name, 0); }
int mkdirat(int folder, const char* name, mode_t mode) {
  const Fate fate = fate_of("mkdir", path_of(folder, name), true);
  return static_cast<int>(call_or_fail(fate, SYS_mkdirat, folder, name, mode));
}
int mkdir(const char* name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

// A file is closed even if that fails.
int close(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  const bool written = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  const Fate fate = written ? fate_of("close", path_of(descriptor), false) : Fate::real;
  const int closed = static_cast<int>(syscall(SYS_close, descriptor));
  return fate == Fate::real ? closed : failed(fate);
}

}  // extern "C"

extern "C" time_t time(time_t* to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const time_t told = now.tv_sec + std::atol(variable("RATION_CLOCK_JUMP").c_str());
  if (to != nullptr) *to = told;
  return told;
}
