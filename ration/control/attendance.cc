#include "ration/control/attendance.h"

#include <algorithm>
#include <cstddef>

namespace ration {
namespace {

template <class Real>
void keep(std::span<const Real> norms, std::span<const std::uint8_t> mask, std::uint32_t step,
          std::span<Real> kept, Attendance& attendance) {
#pragma omp parallel for schedule(static) if (norms.size() > 65536)
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const bool admitted = mask[i] != 0;
    kept[i] = admitted ? norms[i] : Real{0};
    Attendance::Person& person = attendance.people[i];
    person.admitted += admitted ? 1 : 0;
    person.left_out += admitted ? 0 : 1;
    if (!admitted) person.first_left_out = std::min(person.first_left_out, step);
  }
}

}  // namespace

void keep_admitted(std::span<const float> norms, std::span<const std::uint8_t> mask,
                   std::uint32_t step, std::span<float> kept, Attendance& attendance) {
  keep(norms, mask, step, kept, attendance);
}
void keep_admitted(std::span<const double> norms, std::span<const std::uint8_t> mask,
                   std::uint32_t step, std::span<double> kept, Attendance& attendance) {
  keep(norms, mask, step, kept, attendance);
}

void count_repeated(std::span<const std::uint32_t> times, std::uint32_t first, std::uint32_t steps,
                    Attendance& attendance) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    Attendance::Person& person = attendance.people[i];
    person.admitted += times[i];
    person.left_out += steps - times[i];
    if (times[i] < steps) person.first_left_out = std::min(person.first_left_out, first + times[i]);
  }
}

}  // namespace ration
