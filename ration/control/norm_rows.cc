#include "ration/control/norm_rows.h"

#include <fmt/format.h>

#include "ration/base/error.h"

namespace ration {

NormMatrix::NormMatrix(const std::filesystem::path& file) : file_(file) {
  if (file_.dimensions() == 2) return;
  refuse("shape of the norms", fmt::format("({},)", file_.columns()),
         "two dimensions, steps x people");
}

}  // namespace ration
