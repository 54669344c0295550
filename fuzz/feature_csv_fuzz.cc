// Whatever bytes come in, people come out or an Error: nothing else. Their features are finite,
// their labels and groups are named.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/dataset/feature_csv.h"

namespace {

void check(const ration::FeatureCsv& csv) {
  const ration::People& people = csv.people;
  if (people.count() == 0 || people.features.columns != csv.features.size()) std::abort();
  if (people.labels.people() != people.count()) std::abort();
  for (const float value : people.features.values)
    if (!std::isfinite(value)) std::abort();
  const bool one = people.labels.kind == ration::LabelKind::one;
  for (const std::uint16_t label : people.labels.values)
    if (label >= (one ? people.labels.count() : 2)) std::abort();
  for (const std::uint32_t group : people.groups.of_person)
    if (people.groups.labels.at(group).empty()) std::abort();
}

void read(const std::string& text, const ration::CsvColumns& columns) {
  const ration::fuzz::MemoryFile memory(text);
  try {
    const ration::FeatureCsv csv = ration::read_feature_csv(memory.path(), columns);
    check(csv);
    // What was accepted in training is accepted as a test, and is the same.
    const ration::FeatureCsv test = ration::read_feature_csv(memory.path(), columns, csv);
    if (test.people.features != csv.people.features || test.people.labels != csv.people.labels)
      std::abort();
  } catch (const ration::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(text, {.labels = {"y"}});
  read("x,y,g\n" + text, {.labels = {"y"}, .group = "g"});
  read("x,y,z\n" + text, {.labels = {"y", "z"}});
  read("x,y,z\n" + text, {.labels = {"y"}, .leave_out = {"z"}});
  return 0;
}
