#include "ration/control/filter_kind.h"

#include "ration/base/error.h"

namespace ration {

std::string_view name(FilterKind kind) { return kind == FilterKind::gdp ? "gdp" : "rdp"; }

FilterKind filter_kind(std::string_view text) {
  if (text == "gdp") return FilterKind::gdp;
  if (text == "rdp") return FilterKind::rdp;
  if (text == "pld") {
    throw Error(
        "filter is pld: give gdp or rdp. Privacy-loss distributions that are chosen adaptively may "
        "not be composed in general, only within families that are totally ordered and closed "
        "under composition, as the Gaussians are; they serve for reporting and for plans fixed in "
        "advance");
  }
  refuse("filter", text, "gdp or rdp");
}

}  // namespace ration
