#include "ration/dataset/split.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/dataset/selection.h"

namespace ration {
namespace {

// Rows of `width` values: those of `who` go to the result, the others move up.
template <class Value>
std::vector<Value> take_rows(std::vector<Value>& values, std::size_t width,
                             const std::vector<std::size_t>& who) {
  std::vector<Value> taken;
  taken.reserve(who.size() * width);
  const auto row = [&](std::size_t i) { return values.begin() + std::ptrdiff_t(i * width); };
  auto kept = who.empty() ? values.end() : row(who[0]);
  for (std::size_t i = 0; i < who.size(); ++i) {
    taken.insert(taken.end(), row(who[i]), row(who[i] + 1));
    const auto end = i + 1 < who.size() ? row(who[i + 1]) : values.end();
    kept = std::move(row(who[i] + 1), end, kept);
  }
  values.erase(kept, values.end());
  return taken;
}

}  // namespace

std::vector<std::size_t> test_people(std::size_t people, const Split& split) {
  if (!(split.test_fraction > 0 && split.test_fraction < 1))
    refuse("test fraction", split.test_fraction, "a number above 0 and below 1");
  if (people < 2) refuse("people to split", std::to_string(people), "at least 2");
  const auto wanted =
      static_cast<std::size_t>(std::llround(split.test_fraction * static_cast<double>(people)));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, people - 1);
  return selection(count, people, PublicRandom(split.seed, /*stream=*/4));
}

People take_out(People& from, const std::vector<std::size_t>& who) {
  const std::size_t labels = from.labels.kind == LabelKind::one ? 1 : from.labels.count();
  People taken{
      .features = {.rows = who.size(), .columns = from.features.columns},
      .labels = {.kind = from.labels.kind, .names = from.labels.names},
      .groups = {.of_person = {}, .labels = from.groups.labels},
  };
  taken.features.values = take_rows(from.features.values, from.features.columns, who);
  from.features.rows -= who.size();
  taken.labels.values = take_rows(from.labels.values, labels, who);
  if (!from.groups.of_person.empty())
    taken.groups.of_person = take_rows(from.groups.of_person, 1, who);
  return taken;
}

}  // namespace ration
