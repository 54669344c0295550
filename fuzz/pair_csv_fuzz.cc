// Whatever bytes come in, a pair comes out or an Error: nothing else. A pair that comes out can be
// put on a grid.

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "ration/base/error.h"
#include "ration/loss/pld.h"
#include "ration/mechanism/mechanism_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  // Half of the inputs sum to 1 on both sides more easily.
  for (const std::string& input : {text, "0.5,0.5\n0.5,0.5\n" + text}) {
    std::istringstream in(input);
    try {
      const ration::DiscretePair pair = ration::read_pair(in, "fuzz");
      ration::pld_of(pair, ration::Direction::remove, {.step = 1});
    } catch (const ration::Error&) {
    }
  }
  return 0;
}
