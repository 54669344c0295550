// What a page is made of, as it lies in ration/report/assets, and Chart.js (MIT, its notice
// included): part of the library, so that a page needs nothing else. Pure functions.
#pragma once

#include <string_view>

namespace ration::report::assets {

std::string_view skeleton();  // report.html
std::string_view style();     // report.css
std::string_view program();   // report.js
std::string_view chart_js();

}  // namespace ration::report::assets
