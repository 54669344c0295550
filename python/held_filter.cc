#include "python/held_filter.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <span>

#include "ration/ledger/filter_source.h"

namespace ration::python {
namespace {

// What two filters of one grant differ by.
Checksum checksum_of_charges(const Filter& filter) {
  const std::array<std::uint64_t, 1> steps = {filter.steps()};
  const std::string people = ledger::filter_source_in(filter.state().source).people;
  const std::array<Bytes, 3> parts = {std::as_bytes(std::span(steps)),
                                      std::as_bytes(std::span(filter.state().spent)),
                                      std::as_bytes(std::span(people))};
  return checksum_of(parts);
}

bool is_among(const std::vector<Checksum>& all, const Checksum& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::shared_ptr<Tally> tally_of(const Filter& filter) {
  const std::string& source = filter.state().source;
  return source.empty() ? nullptr : Tally::of(ledger::filter_source_in(source).grant);
}

}  // namespace

// A forked child starts anew: what it has of its parent's may be locked for ever.
std::shared_ptr<Tally> Tally::of(const std::string& grant) {
  struct All {
    const pid_t process = getpid();
    std::mutex mutex = {};
    std::map<std::string, std::shared_ptr<Tally>> tallies = {};
  };
  static std::atomic<All*> current = new All;
  All* all = current;
  if (all->process != getpid()) {
    auto fresh = std::make_unique<All>();
    if (current.compare_exchange_strong(all, fresh.get())) all = fresh.release();
  }
  const std::scoped_lock alone(all->mutex);
  std::shared_ptr<Tally>& found = all->tallies[grant];
  if (found == nullptr) found = std::make_shared<Tally>();
  return found;
}

// What comes from elsewhere holds everything if nothing was charged here.
HeldFilter::HeldFilter(Filter filter)
    : Guarded(std::move(filter)), tally_(tally_of(state_)), made_by_(getpid()) {
  if (tally_ == nullptr) return;
  const std::scoped_lock alone(tally_->mutex_);
  const bool has_name = !ledger::filter_source_in(state_.state().source).run.empty();
  if (!tally_->noted_ && !has_name) tally_->waits_ = true;
  if (!tally_->saved_.empty() && is_among(tally_->saved_, checksum_of_charges(state_))) {
    seen_ = tally_->steps_;
  }
}

void HeldFilter::count(std::uint64_t steps) {
  if (steps == 0) return;
  const bool held_all = seen_ == tally_->steps_;
  tally_->steps_ += steps;
  tally_->saved_.clear();
  if (held_all) seen_ = tally_->steps_;
}

void HeldFilter::note_saved(const Filter& filter) {
  if (tally_ == nullptr) return;
  const std::scoped_lock alone(tally_->mutex_);
  if (tally_->steps_ == 0 || seen_ != tally_->steps_) return;
  const Checksum state = checksum_of_charges(filter);
  if (!is_among(tally_->saved_, state)) tally_->saved_.push_back(state);
}

void HeldFilter::check_process() const {
  if (tally_ == nullptr || getpid() == made_by_) return;
  throw Error(
      "filter of a grant was made by another process, before a fork: save it, and load it in this "
      "one");
}

}  // namespace ration::python
