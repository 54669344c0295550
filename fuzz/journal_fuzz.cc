// Whatever bytes come in, a journal's charges come out or an Error: nothing else. Of a journal that
// was written, cut off and changed, only a beginning comes out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/train/journal.h"

namespace {

using namespace ration;
using namespace ration::train;

constexpr std::size_t kPeople = 2;
using Steps = std::vector<std::vector<float>>;

Steps read(const std::string& bytes) {
  const fuzz::MemoryFile memory(bytes);
  Steps all;
  try {
    replay(memory.path(), 1, kPeople, [&](std::span<const float> norms, std::uint64_t steps) {
      if (norms.size() != kPeople || steps == 0) std::abort();
      all.insert(all.end(), steps, {norms.begin(), norms.end()});
    });
  } catch (const Error&) {
  }
  return all;
}

template <class Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A record for each byte, under right checksums, but of any kind; and its steps up to the first
// record that makes no sense.
struct Sealed {
  std::string bytes;
  Steps steps;
};
Sealed sealed(std::span<const std::uint8_t> kinds) {
  journal::FileHeader header = {
      .magic = {}, .version = 1, .zero = 0, .generation = 1, .people = kPeople, .checksum = {}};
  std::copy(journal::kMagic.begin(), journal::kMagic.end(), header.magic);
  const Bytes covered = std::as_bytes(std::span(&header, 1)).first(32);
  Checksum last = header.checksum = checksum_of({&covered, 1});
  Sealed result = {.bytes = bytes_of(header), .steps = {}};
  bool sense = true;
  for (const std::uint8_t byte : kinds) {
    const auto record = journal::header_after(last, static_cast<journal::Kind>(byte % 4));
    result.bytes += bytes_of(record);
    last = record.checksum;
    if (record.kind == journal::Kind::progress) {  // of no bytes
      last = journal::link(last, {});
      result.bytes += bytes_of(last);
      continue;
    }
    if (record.kind != journal::Kind::norms) {
      sense = sense && record.kind == journal::Kind::again && !result.steps.empty();
      if (sense) result.steps.push_back(result.steps.back());
      continue;
    }
    const float norms[kPeople] = {static_cast<float>(byte), 1};
    last = journal::link(last, std::as_bytes(std::span(norms)));
    result.bytes += bytes_of(norms) + bytes_of(last);
    if (sense) result.steps.emplace_back(norms, norms + kPeople);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(std::string(data, data + size));
  if (size < 8) return 0;
  const auto [whole, all] = sealed({data + 4, std::min<std::size_t>(size - 4, 20)});
  read(whole);
  std::string altered =
      whole.substr(0, (data[0] + std::size_t{256} * data[1]) % (whole.size() + 1));
  if (!altered.empty()) altered[data[2] * 7U % altered.size()] ^= static_cast<char>(data[3]);
  const Steps some = read(altered);
  if (some.size() > all.size() || !std::equal(some.begin(), some.end(), all.begin())) std::abort();
  return 0;
}
