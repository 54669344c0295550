// A filter as Python holds it. Those of one grant share a tally of the steps that they have charged
// in this process, all together. A filter that lacks some of them, because another one was used
// too, or a copy, or because it was loaded from an older state, charges no step and may not settle:
// the reserve would be spent twice, and what it lacks be forgotten. Before the grant is started,
// and once it has ended, none of its filters charges a step; nor in a forked child.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "python/arrays.h"
#include "ration/control/filter.h"
#include "ration/file/atomic_file.h"
#include "ration/file/checksum.h"
#include "ration/ledger/ledger.h"

namespace ration::python {

class Tally {
 public:
  // That of a grant, by its part of a filter's source; the same until the process ends.
  static std::shared_ptr<Tally> of(const std::string& grant);

  // Work that ends the grant, while none of its filters can charge a step. It may have ended all
  // the same if that fails: a change whose answer is lost may come into force later than anybody
  // looks, and after a refusal is_open() tells.
  template <class Work, class IsOpen>
  void end(const Work& work, const IsOpen& is_open) {
    const std::scoped_lock alone(mutex_);
    const bool before = std::exchange(ended_, true);
    try {
      work();
    } catch (const WriteFailure&) {
      throw;
    } catch (...) {
      ended_ = before || !is_open();
      throw;
    }
  }

  std::uint64_t steps() const { return steps_; }  // within work()

  // What this process has seen of the grant. Of one that it has never seen, a run may have saved
  // the filter and started it: then the filter has the run's name. One without a name waits.
  void note(ledger::GrantStatus status) {
    using enum ledger::GrantStatus;
    const std::scoped_lock alone(mutex_);
    noted_ = true;
    waits_ = status == reserved;
    ended_ = ended_ || status == settled || status == voided;
  }

 private:
  friend class HeldFilter;

  std::mutex mutex_;
  std::uint64_t steps_ = 0;      // charged by all filters of the grant in this process
  std::vector<Checksum> saved_;  // states with all of them
  bool noted_ = false, waits_ = false, ended_ = false;
};

class HeldFilter : public Guarded<Filter> {
 public:
  explicit HeldFilter(Filter filter);

  // Before the filter is locked, which in a forked child may be for ever.
  void check_process() const;

  // work() charges a step with this filter, which the caller uses alone, or throws.
  template <class Work>
  void charge(const Filter& filter, const Work& work) {
    if (tally_ == nullptr) return work();
    const std::scoped_lock alone(tally_->mutex_);
    if (tally_->ended_) {
      throw Error("grant of this filter has ended, or may have: no step can follow");
    }
    if (tally_->waits_) {
      throw Error(
          "grant of this filter was not started, as far as is known here: take it from its ledger, "
          "resume() with this filter, and start() before the first step");
    }
    if (seen_ != tally_->steps_) {
      throw Error(
          "another filter of the same grant, or a copy or a later state of this one, has charged "
          "steps here: a grant has one reserve, go on with the filter that has all of them");
    }
    const Counted counted{*this, filter, filter.steps()};
    work();
  }

  // To be called when a state was saved, by whoever uses the filter alone.
  void note_saved(const Filter& filter);

  // Has it all steps that filters of its grant have charged in this process?
  bool holds_all() {
    if (tally_ == nullptr) return true;
    const std::scoped_lock alone(tally_->mutex_);
    return seen_ == tally_->steps_;
  }
  bool holds_all_of(const Tally& tally) const {  // within Tally::end
    return tally_.get() != &tally || seen_ == tally.steps_;
  }

 private:
  // Counts also what was charged before an error.
  struct Counted {
    HeldFilter& held;
    const Filter& filter;
    const std::uint64_t before;
    ~Counted() { held.count(filter.steps() - before); }
  };

  void count(std::uint64_t steps);

  const std::shared_ptr<Tally> tally_;  // of filters with a grant
  std::uint64_t seen_ = 0;              // steps of the tally, if they are all that there are
  const int made_by_;                   // process
};

}  // namespace ration::python
