#include "paper/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ration::paper {

bool agrees(const Evidence& evidence) {
  return (!evidence.above || is_above(evidence.number, *evidence.above)) &&
         (!evidence.below || is_below(evidence.number, *evidence.below));
}

bool contradicts(const Evidence& evidence) {
  return (evidence.above && evidence.number.high <= *evidence.above) ||
         (evidence.below && evidence.number.low >= *evidence.below);
}

Tally tally(std::span<const Evidence> evidence) {
  Tally found;
  for (const Evidence& one : evidence) found.runs = std::max(found.runs, one.run);
  for (std::size_t run = 1; run <= found.runs; ++run) {
    bool all_agree = true, some_contradicts = false;
    for (const Evidence& one : evidence) {
      if (one.run != run) continue;
      all_agree = all_agree && agrees(one);
      some_contradicts = some_contradicts || contradicts(one);
    }
    found.agreeing += all_agree ? 1 : 0;
    found.contradicting += some_contradicts ? 1 : 0;
  }
  return found;
}

bool is_held(const Tally& tally) { return 2 * tally.agreeing > tally.runs; }
bool is_unresolved(const Tally& tally) {
  return !is_held(tally) && 2 * tally.contradicting <= tally.runs;
}

Claim judged(std::string statement, std::string finding, std::vector<Evidence> evidence) {
  const Tally found = tally(evidence);
  if (found.runs > 1) {
    finding += fmt::format(
        " The claim held in {} of {} runs with fresh noise and was contradicted in {}; a majority "
        "decides.",
        found.agreeing, found.runs, found.contradicting);
  }
  if (is_unresolved(found)) {
    finding += " Not resolved: intervals reach over the limits, or runs disagree.";
  }
  return {.statement = std::move(statement),
          .finding = std::move(finding),
          .held = is_held(found),
          .evidence = std::move(evidence)};
}

}  // namespace ration::paper
