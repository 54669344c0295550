#include "ration/results/curve_csv.h"

#include <fmt/format.h>

namespace ration::results {
namespace {

// As --method of individual accounts calls them.
std::string_view name_for_people(Method method) {
  return method == Method::contour ? "pld" : name(method);
}

}  // namespace

void write_curve(PrivateFile& file, const PersonCurve& curve) {
  file.write("epsilon");
  for (const Method m : curve.methods) {
    file.write(fmt::format(",{0}_lower,{0}_upper", name_for_people(m)));
  }
  file.write(",blackwell\n");
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& [epsilon, deltas] = curve.points[i];
    file.write(fmt::format("{}", epsilon));
    for (const Bound& delta : deltas) file.write(fmt::format(",{},{}", delta.lower, delta.upper));
    file.write(fmt::format(",{}\n", curve.blackwell[i]));
  }
  file.commit();
}

}  // namespace ration::results
