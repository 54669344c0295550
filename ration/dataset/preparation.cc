#include "ration/dataset/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ration/base/error.h"
#include "ration/dataset/public_random.h"

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

void check_list(std::string_view name, const std::vector<double>& list, std::size_t columns) {
  if (list.size() != 1 && list.size() != columns) {
    refuse(name, fmt::format("{} numbers long", list.size()),
           fmt::format("one number, or one for each of the {} columns", columns));
  }
  for (const double number : list)
    if (!std::isfinite(number)) refuse(name, number, "finite numbers");
}

}  // namespace

std::vector<std::size_t> test_people(std::size_t people, const Split& split) {
  if (!(split.test_fraction > 0 && split.test_fraction < 1))
    refuse("test fraction", split.test_fraction, "a number above 0 and below 1");
  if (people < 2) refuse("people to split", std::to_string(people), "at least 2");
  const auto wanted =
      static_cast<std::size_t>(std::llround(split.test_fraction * static_cast<double>(people)));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, people - 1);
  return random_subset(count, people, PublicRandom(split.seed, /*stream=*/4));
}

namespace {

std::vector<std::size_t> records_of(const People& people, const std::vector<std::size_t>& who) {
  if (!people.together()) return who;
  std::vector<std::size_t> records;
  for (const std::size_t person : who) {
    for (std::size_t r = people.first_record(person); r < people.first_record(person + 1); ++r)
      records.push_back(r);
  }
  return records;
}

// Where the records of people begin who have as many as these.
std::vector<std::size_t> begins_of(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> begins = {0};
  for (const std::size_t count : counts) begins.push_back(begins.back() + count);
  return begins;
}

void take_begins(People& from, const std::vector<std::size_t>& who, People& taken) {
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < from.count(); ++i) counts.push_back(from.records_of(i));
  taken.begins = begins_of(take_rows(counts, 1, who));
  from.begins = begins_of(counts);
}

}  // namespace

People take_out(People& from, const std::vector<std::size_t>& who) {
  const std::vector<std::size_t> records = records_of(from, who);
  const std::size_t labels = from.labels.kind == LabelKind::one ? 1 : from.labels.count();
  People taken{
      .features = {.rows = records.size(), .columns = from.features.columns},
      .labels = {.kind = from.labels.kind, .names = from.labels.names},
      .groups = {.of_person = {}, .labels = from.groups.labels},
  };
  taken.features.values = take_rows(from.features.values, from.features.columns, records);
  taken.labels.values = take_rows(from.labels.values, labels, records);
  if (!from.groups.of_person.empty())
    taken.groups.of_person = take_rows(from.groups.of_person, 1, who);
  if (!from.ids.empty()) taken.ids = take_rows(from.ids, 1, who);
  if (from.together()) take_begins(from, who, taken);
  from.features.rows -= records.size();
  return taken;
}

void standardise(Table& table, const Standardisation& by, const std::string& source) {
  check_list("mean", by.mean, table.columns);
  check_list("scale", by.scale, table.columns);
  for (const double scale : by.scale)
    if (!(scale > 0)) refuse("scale", scale, "numbers above 0");
  const std::size_t mean_step = by.mean.size() == 1 ? 0 : 1;
  const std::size_t scale_step = by.scale.size() == 1 ? 0 : 1;
  for (std::size_t i = 0; i < table.rows; ++i) {
    const auto row = table.row(i);
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = static_cast<float>((row[k] - by.mean[k * mean_step]) / by.scale[k * scale_step]);
  }
  check_finite(table, source + ", standardised,");
}

}  // namespace ration
