// Whatever bytes come in, a plan comes out or an Error: nothing else.

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "ration/base/error.h"
#include "ration/mechanism/mechanism_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  // Half of the inputs get past the header.
  for (const std::string& input : {text, "noise,rate,steps\n" + text}) {
    std::istringstream in(input);
    try {
      ration::read_plan(in, "fuzz");
    } catch (const ration::Error&) {
    }
  }
  return 0;
}
