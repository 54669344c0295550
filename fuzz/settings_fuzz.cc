// Settings of a training run from any text, as a file, as the data of a file that is right
// otherwise, and as an override: what is wrong is refused, and nothing else happens.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/train/settings.h"

namespace {

constexpr const char* kTail =
    "\n[optimiser]\nrate = 0.1\n[privacy]\nmode = \"gd\"\nnoise = 2\nclip = 1\ndelta = 1e-5\n"
    "[run]\nepochs = 3\n";
constexpr const char* kCsv = "[data]\nsource = \"csv\"\ntrain = \"t\"\nlabels = [\"y\"]\n";

void read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    ration::train::parse_settings(text, "settings", overrides);
  } catch (const ration::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string text(data, data + size);
  read(text);
  read(kCsv + text + kTail);
  read(std::string(kCsv) + "[data.categories]\n" + text + kTail);
  for (const char* path : {"", "data.", "data.categories.", "data.standardise."})
    read(std::string(kCsv) + kTail, {path + text});
  return 0;
}
