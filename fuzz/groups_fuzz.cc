// Whatever bytes come in, groups come out or an Error: nothing else. Groups that come out have a
// label for everybody.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "ration/base/error.h"
#include "ration/dataset/groups.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  // As many people as lines, with a header and without, so that the count does not refuse it all.
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  for (const std::size_t people : {lines, lines + 1, lines - (lines > 0 ? 1 : 0)}) {
    for (const std::string& input :
         {text, "person,group\n" + text, "person;group\n" + text, "person\tgroup\n" + text}) {
      std::istringstream in(input);
      try {
        const ration::Groups groups = ration::read_groups(in, "fuzz", people);
        if (groups.of_person.size() != people) std::abort();
        for (const std::uint32_t group : groups.of_person)
          if (groups.labels.at(group).empty()) std::abort();
      } catch (const ration::Error&) {
      }
    }
  }
  return 0;
}
