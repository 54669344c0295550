// Settings of a training run from any text: what is wrong is refused, and nothing else happens.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ration/base/error.h"
#include "ration/train/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  try {
    ration::train::parse_settings({reinterpret_cast<const char*>(data), size}, "settings");
  } catch (const ration::Error&) {
  }
  return 0;
}
