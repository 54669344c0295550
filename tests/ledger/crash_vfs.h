// A disk in memory that loses power: a file system for SQLite which remembers what was synced and
// what was not. At a chosen operation it dies; after restart() each file holds what was synced and,
// of everything since, any part, in pieces of sectors that may be torn. Also a disk that is full.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ration::ledger {

class CrashDisk {
 public:
  explicit CrashDisk(unsigned seed);
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;
  ~CrashDisk();

  const char* name() const { return name_.c_str(); }

  // The operation with this number from now on, counted from 1, is the last one, and does not end.
  void crash_at(std::uint64_t operation) { left_ = operation; }
  bool crashed() const { return dead_; }
  // After everybody has closed their files.
  void restart();
  // Writes that would take more than these bytes in all fail.
  void limit_size(std::size_t bytes) { size_limit_ = bytes; }
  std::uint64_t operations() const { return operations_; }

  // For the file system's functions.
  struct Change {
    bool truncates;
    std::size_t at;
    std::string bytes;
  };
  struct File {
    std::string now = {}, synced = {};
    std::vector<Change> since = {};  // the last sync
    bool is_there = true, surely_there = false;
  };
  int operation();  // SQLITE_OK, or the disk is dead
  std::shared_ptr<File> find(const std::string& path);
  std::shared_ptr<File> make(const std::string& path);
  void remove(const std::string& path, bool synced);
  int write(File& file, std::size_t at, std::string bytes);
  void truncate(File& file, std::size_t size);

 private:
  std::string survivor(const File& file);

  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::string name_;
  sqlite3_vfs vfs_ = {};
  std::map<std::string, std::shared_ptr<File>> files_;
  std::uint64_t left_ = kNever, operations_ = 0;
  bool dead_ = false;
  std::size_t size_limit_ = std::numeric_limits<std::size_t>::max();
  std::mt19937 random_;
};

}  // namespace ration::ledger
