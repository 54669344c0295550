// What a result is worth: by which theorem, against which neighbours, and whether it is proved.
#pragma once

#include <string>

namespace ration {

struct Guarantee {
  std::string theorem = {};
  // Holds for steps chosen in view of earlier outputs, as long as together they cannot come to
  // more; else they are fixed in advance.
  bool adaptive = false;
  bool certified = false;  // the Bound includes every numerical error; else it is an approximation
  std::string neighbours = "add or remove one person";

  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

}  // namespace ration
