#include "tests/ledger/crash_vfs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ration::ledger {
namespace {

constexpr std::size_t kPiece = 512;  // what a disk writes at once, if it is not torn
constexpr int kSector = 4096;

struct Open {
  sqlite3_file base;
  CrashDisk* disk;
  std::shared_ptr<CrashDisk::File>* file;
};
Open& open_of(sqlite3_file* file) { return *reinterpret_cast<Open*>(file); }

int x_close(sqlite3_file* file) {
  delete open_of(file).file;
  return SQLITE_OK;
}
int x_read(sqlite3_file* file, void* to, int count, sqlite3_int64 from) {
  Open& open = open_of(file);
  if (open.disk->crashed()) return SQLITE_IOERR_READ;
  const std::string& bytes = (*open.file)->now;
  const auto at = static_cast<std::size_t>(from), wanted = static_cast<std::size_t>(count);
  const std::size_t there = at < bytes.size() ? std::min(wanted, bytes.size() - at) : 0;
  if (there > 0) std::memcpy(to, bytes.data() + at, there);
  std::memset(static_cast<char*>(to) + there, 0, wanted - there);
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}
int x_write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  Open& open = open_of(file);
  if (open.disk->crashed()) return SQLITE_IOERR_WRITE;
  const int code = open.disk->write(
      **open.file, static_cast<std::size_t>(at),
      std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(count)));
  return code == SQLITE_OK ? open.disk->operation() : code;
}
int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  Open& open = open_of(file);
  if (open.disk->crashed()) return SQLITE_IOERR_TRUNCATE;
  open.disk->truncate(**open.file, static_cast<std::size_t>(size));
  return open.disk->operation();
}
int x_sync(sqlite3_file* file, int /*flags*/) {
  Open& open = open_of(file);
  if (open.disk->operation() != SQLITE_OK) return SQLITE_IOERR_FSYNC;
  CrashDisk::File& one = **open.file;
  one.synced = one.now;
  one.since.clear();
  one.surely_there = true;  // with the first sync of a file goes one of its folder
  return SQLITE_OK;
}
int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>((*open_of(file).file)->now.size());
  return SQLITE_OK;
}
int x_lock(sqlite3_file* /*file*/, int /*kind*/) { return SQLITE_OK; }
int x_check_lock(sqlite3_file* /*file*/, int* held) {
  *held = 0;
  return SQLITE_OK;
}
int x_control(sqlite3_file* /*file*/, int /*what*/, void* /*value*/) { return SQLITE_NOTFOUND; }
int x_sector(sqlite3_file* /*file*/) { return kSector; }
int x_device(sqlite3_file* /*file*/) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

const sqlite3_io_methods kMethods = {1,         x_close,     x_read,   x_write, x_truncate,
                                     x_sync,    x_file_size, x_lock,   x_lock,  x_check_lock,
                                     x_control, x_sector,    x_device, nullptr, nullptr,
                                     nullptr,   nullptr,     nullptr,  nullptr};

CrashDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<CrashDisk*>(vfs->pAppData); }

int x_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
  file->pMethods = nullptr;
  CrashDisk& disk = disk_of(vfs);
  if (path == nullptr || disk.crashed()) return SQLITE_CANTOPEN;
  std::shared_ptr<CrashDisk::File> found = disk.find(path);
  if (found == nullptr) {
    if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    found = disk.make(path);
  }
  Open& open = open_of(file);
  open.disk = &disk;
  open.file = new std::shared_ptr<CrashDisk::File>(std::move(found));
  file->pMethods = &kMethods;
  if (out != nullptr) *out = flags;
  return SQLITE_OK;
}
int x_delete(sqlite3_vfs* vfs, const char* path, int synced) {
  CrashDisk& disk = disk_of(vfs);
  if (disk.crashed()) return SQLITE_IOERR_DELETE;
  if (disk.find(path) == nullptr) return SQLITE_IOERR_DELETE_NOENT;
  disk.remove(path, false);
  if (const int code = disk.operation(); code != SQLITE_OK)
    return code;  // before its folder's sync
  if (synced != 0) disk.remove(path, true);
  return SQLITE_OK;
}
int x_access(sqlite3_vfs* vfs, const char* path, int /*flags*/, int* there) {
  CrashDisk& disk = disk_of(vfs);
  if (disk.crashed()) return SQLITE_IOERR_ACCESS;
  *there = disk.find(path) != nullptr ? 1 : 0;
  return SQLITE_OK;
}
int x_full_name(sqlite3_vfs* /*vfs*/, const char* path, int room, char* out) {
  sqlite3_snprintf(room, out, "%s", path);
  return SQLITE_OK;
}

}  // namespace

CrashDisk::CrashDisk(unsigned seed) : random_(seed) {
  static int disks = 0;
  name_ = "crash-" + std::to_string(disks++);
  vfs_ = *sqlite3_vfs_find(nullptr);  // randomness and time
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(Open);
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = x_open;
  vfs_.xDelete = x_delete;
  vfs_.xAccess = x_access;
  vfs_.xFullPathname = x_full_name;
  sqlite3_vfs_register(&vfs_, 0);
}
CrashDisk::~CrashDisk() { sqlite3_vfs_unregister(&vfs_); }

int CrashDisk::operation() {
  if (dead_) return SQLITE_IOERR;
  ++operations_;
  if (left_ != kNever && --left_ == 0) dead_ = true;
  return dead_ ? SQLITE_IOERR : SQLITE_OK;
}

std::shared_ptr<CrashDisk::File> CrashDisk::find(const std::string& path) {
  const auto found = files_.find(path);
  return found == files_.end() || !found->second->is_there ? nullptr : found->second;
}
std::shared_ptr<CrashDisk::File> CrashDisk::make(const std::string& path) {
  return files_[path] = std::make_shared<File>();
}
void CrashDisk::remove(const std::string& path, bool synced) {
  files_.at(path)->is_there = false;
  if (synced) files_.erase(path);
}
int CrashDisk::write(File& file, std::size_t at, std::string bytes) {
  std::size_t all = 0;
  for (const auto& [path, one] : files_) all += one->now.size();
  if (at + bytes.size() > file.now.size()) {
    if (all + at + bytes.size() - file.now.size() > size_limit_) return SQLITE_FULL;
    file.now.resize(at + bytes.size());
  }
  std::copy(bytes.begin(), bytes.end(), file.now.begin() + static_cast<std::ptrdiff_t>(at));
  file.since.push_back({false, at, std::move(bytes)});
  return SQLITE_OK;
}
void CrashDisk::truncate(File& file, std::size_t size) {
  file.now.resize(size);
  file.since.push_back({true, size, {}});
}

// What was synced, and some pieces of what was written since.
std::string CrashDisk::survivor(const File& file) {
  std::string bytes = file.synced;
  const double kept = std::array{0.0, 0.1, 0.5, 0.9, 1.0}[random_() % 5];
  const auto is_kept = [&] { return std::uniform_real_distribution<double>(0, 1)(random_) < kept; };
  for (const Change& change : file.since) {
    if (change.truncates) {
      if (is_kept()) bytes.resize(change.at);
      continue;
    }
    for (std::size_t from = 0; from < change.bytes.size();) {
      const std::size_t to_edge = kPiece - (change.at + from) % kPiece;
      std::size_t count = std::min(to_edge, change.bytes.size() - from);
      if (is_kept()) {
        const bool torn = random_() % 16 == 0;
        const std::size_t written = torn ? random_() % count : count;
        if (change.at + from + written > bytes.size()) bytes.resize(change.at + from + written);
        bytes.replace(change.at + from, written, change.bytes, from, written);
      }
      from += count;
    }
  }
  return bytes;
}

void CrashDisk::restart() {
  std::map<std::string, std::shared_ptr<File>> survivors;
  for (const auto& [path, file] : files_) {
    const bool surely = file->is_there && file->surely_there;
    if (!surely && random_() % 2 == 0) continue;
    auto survivor_file = std::make_shared<File>();
    survivor_file->now = survivor_file->synced = survivor(*file);
    survivor_file->surely_there = true;
    survivors[path] = std::move(survivor_file);
  }
  files_ = std::move(survivors);
  left_ = kNever;
  dead_ = false;
}

}  // namespace ration::ledger
