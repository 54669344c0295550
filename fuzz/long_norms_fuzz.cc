// Whatever bytes come in, norms of people come out or an Error: nothing else. What is held in
// memory at once, and what is on the disk, changes nothing.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/control/long_norms.h"

namespace {

std::vector<double> rows_of(const std::string& text, std::size_t held) {
  ration::LongNorms norms(std::as_bytes(std::span(text)), "fuzz", {.rows_held = held});
  if (norms.rows() == 0 || norms.people() == 0) std::abort();
  if (norms.rows() * norms.people() > 1'000'000) return {};
  std::vector<double> all(norms.rows() * norms.people());
  norms.read_rows(0, std::span(all));
  for (const double norm : all) {
    if (!(std::isfinite(norm) && norm >= 0)) std::abort();
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  for (const std::string& input :
       {text, "person,step,norm\n" + text, "norm;step;person\n" + text}) {
    try {
      if (rows_of(input, 2) != rows_of(input, 1000)) std::abort();
    } catch (const ration::Error&) {
    }
  }
  return 0;
}
