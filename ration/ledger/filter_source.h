// What a filter's budgets come from, as its state keeps it: a grant of a ledger; for some of the
// grant's people, or for all in another order, a digest of who they are; and the run that made the
// filter, if it has a name. `GRANT[ people DIGEST][ run NAME]`. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace ration::ledger {

struct FilterSource {
  std::string grant = {};   // as Ledger::source_of
  std::string people = {};  // none: all of the grant's, in their order
  std::string run = {};

  std::string text() const {
    return grant + (people.empty() ? "" : " people " + people) + (run.empty() ? "" : " run " + run);
  }
  // Was the grant started by this run, if it says which? Whoever starts may have put words before.
  bool is_run(std::string_view started_by) const {
    return run.empty() || started_by == run || started_by.ends_with(" " + run);
  }
};

inline FilterSource filter_source_in(std::string_view text) {
  FilterSource source;
  const auto cut_off = [&](std::string_view word) {
    const std::size_t at = text.find(word);
    const std::string rest(at == text.npos ? "" : text.substr(at + word.size()));
    text = text.substr(0, at);
    return rest;
  };
  source.run = cut_off(" run ");
  source.people = cut_off(" people ");
  source.grant = text;
  return source;
}

}  // namespace ration::ledger
