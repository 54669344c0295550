// Sorts more records than memory holds: sorted runs go into a temporary file (temporary_file.h),
// and a cursor merges them. While they fit into memory there is no file. Records are plain bytes
// with operator<. Adding is for one thread; several cursors may go through what was added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <queue>
#include <span>
#include <type_traits>
#include <vector>

#include "ration/file/temporary_file.h"

namespace ration {

template <class Record>
class ExternalSort {
  static_assert(std::is_trivially_copyable_v<Record>);
  struct Run {
    std::size_t from, count;  // a byte of the file; records
  };

 public:
  // At most this many are held in memory while they are added, and as many while they are merged.
  explicit ExternalSort(std::size_t most_held) : most_held_(std::max<std::size_t>(most_held, 1)) {}

  void add(const Record& record) {
    if (held_.size() == most_held_) spill();
    held_.push_back(record);
  }
  // After the last.
  void finish() {
    if (runs_.empty()) {
      std::sort(held_.begin(), held_.end());
    } else {
      spill();
      held_ = {};
    }
  }

  // From the least to the greatest. The sort outlives it, and is finished.
  class Cursor {
   public:
    explicit Cursor(const ExternalSort& of)
        : of_(&of), parts_(of.runs_.size()), at_once_(of.records_at_once()) {
      for (std::size_t run = 0; run < parts_.size(); ++run) {
        parts_[run].left = of.runs_[run];
        if (fill(run)) heads_.push({parts_[run].held[0], run});
      }
    }

    // Nothing behind the last. What it points to is gone with the next move.
    const Record* get() const {
      if (of_->runs_.empty()) return at_ < of_->held_.size() ? &of_->held_[at_] : nullptr;
      return heads_.empty() ? nullptr : &heads_.top().record;
    }
    void advance() {
      if (of_->runs_.empty()) {
        ++at_;
        return;
      }
      const std::size_t run = heads_.top().run;
      heads_.pop();
      Part& part = parts_[run];
      if (++part.at < part.held.size() || fill(run)) heads_.push({part.held[part.at], run});
    }

   private:
    struct Head {
      Record record;
      std::size_t run;
      bool operator<(const Head& other) const { return other.record < record; }  // least on top
    };
    struct Part {
      Run left = {};  // in the file
      std::vector<Record> held = {};
      std::size_t at = 0;
    };

    bool fill(std::size_t run) {
      Part& part = parts_[run];
      part.at = 0;
      part.held.resize(std::min(part.left.count, at_once_));
      if (part.held.empty()) return false;
      of_->file_->read(part.left.from, std::as_writable_bytes(std::span(part.held)));
      part.left.from += part.held.size() * sizeof(Record);
      part.left.count -= part.held.size();
      return true;
    }

    const ExternalSort* of_;
    std::size_t at_ = 0;
    std::vector<Part> parts_;
    std::size_t at_once_;
    std::priority_queue<Head> heads_;
  };

 private:
  void spill() {
    if (!file_) file_.emplace();
    std::sort(held_.begin(), held_.end());
    runs_.push_back({.from = file_->size(), .count = held_.size()});
    file_->append(std::as_bytes(std::span(held_)));
    held_.clear();
  }
  std::size_t records_at_once() const {
    constexpr std::size_t kLeast = 64;
    return std::max(kLeast, most_held_ / std::max<std::size_t>(runs_.size(), 1));
  }

  std::size_t most_held_;
  std::vector<Record> held_;
  std::optional<TemporaryFile> file_;
  std::vector<Run> runs_;
};

}  // namespace ration
