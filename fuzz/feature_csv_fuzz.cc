// Whatever bytes come in, people come out or an Error: nothing else. Their features are finite,
// their labels and groups are named, and each has one category of a column. Plain and gzip are the
// same people.

#include <zlib.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/dataset/feature_csv.h"

namespace {

// A member of blocks that are stored as they are (RFC 1951, 1952).
std::string gzipped(const std::string& text) {
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  const auto little = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i));
  };
  const auto size = static_cast<std::uint32_t>(text.size());
  file += '\1';  // the last block, stored
  little(size, 2);
  little(~size, 2);
  file += text;
  little(static_cast<std::uint32_t>(
             crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(size))),
         4);
  little(size, 4);
  return file;
}

void check(const ration::FeatureCsv& csv, const ration::CsvColumns& columns) {
  const ration::People& people = csv.people;
  std::size_t width = csv.features.size();
  for (const auto& [name, categories] : columns.categories) width += categories.size() - 1;
  if (people.count() == 0 || people.features.columns != width) std::abort();
  if (people.labels.records() != people.count()) std::abort();
  for (const float value : people.features.values)
    if (!std::isfinite(value)) std::abort();
  const bool one = people.labels.kind == ration::LabelKind::one;
  for (const std::uint16_t label : people.labels.values)
    if (label >= (one ? people.labels.count() : 2)) std::abort();
  for (const std::uint32_t group : people.groups.of_person)
    if (people.groups.labels.at(group).empty()) std::abort();
}

// Rows become people, and none is lost.
void check_people(const ration::FeatureCsv& csv) {
  ration::People people = csv.people;
  make_people(people, csv.ids, ration::Records::together);
  if (people.records() != csv.people.records() || people.ids.size() != people.count()) std::abort();
  if (people.begins.front() != 0 || people.begins.back() != people.records()) std::abort();
  for (std::size_t i = 0; i < people.count(); ++i)
    if (people.records_of(i) == 0 || people.ids[i].empty()) std::abort();
}

void read(const std::string& text, const ration::CsvColumns& columns) {
  const ration::fuzz::MemoryFile memory(text);
  try {
    const ration::FeatureCsv csv = ration::read_feature_csv(memory.path(), columns);
    check(csv, columns);
    // What was accepted in training is accepted as a test, and is the same.
    const ration::FeatureCsv test = ration::read_feature_csv(memory.path(), columns, csv);
    if (test.people.features != csv.people.features || test.people.labels != csv.people.labels)
      std::abort();
    if (!columns.id.empty()) check_people(csv);
    if (text.size() < 1 << 16) {
      const ration::fuzz::MemoryFile packed(gzipped(text));
      if (ration::read_feature_csv(packed.path(), columns).people.features != csv.people.features)
        std::abort();
    }
  } catch (const ration::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(text, {.labels = {"y"}});
  read("x,y,g\n" + text, {.labels = {"y"}, .group = "g"});
  read("x,y,g,i\n" + text, {.labels = {"y"}, .group = "g", .id = "i"});
  read("x,y,z\n" + text, {.labels = {"y", "z"}});
  read("x,y,z\n" + text, {.labels = {"y"}, .leave_out = {"z"}});
  read("x;y;c\n" + text, {.labels = {"y"},
                          .categories = {{"c", {"", "a", "b;\"\n"}}},
                          .standardise = {{"x", {.mean = 3, .scale = 1e-3}}}});
  read("x\ty\n" + text, {.labels = {"y"}});
  read(text, {.labels = {"y"}, .separator = '|'});
  return 0;
}
