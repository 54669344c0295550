#include "ration/report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "ration/base/error.h"

namespace ration::report::drawing {
namespace {

constexpr double kMostIntervals = 8;
// A multiple that misses an end of the range by rounding alone is still inside.
constexpr double kNearly = 1e-9;

std::string power_of_ten(int exponent) {
  constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = "10";
  if (exponent < 0) out += "⁻";
  for (const char digit : fmt::format("{}", std::abs(exponent))) {
    out += kDigits[static_cast<std::size_t>(digit - '0')];
  }
  return out;
}

std::string with_commas(const std::string& digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && i < whole && (whole - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// The least step of 1, 2 or 5 times a power of ten that makes few enough intervals.
double tick_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / kMostIntervals)));
  for (const double multiple : {1.0, 2.0, 5.0}) {
    if (length / (multiple * power) <= kMostIntervals * (1 + kNearly)) return multiple * power;
  }
  return 10 * power;
}

std::vector<Tick> linear_ticks(const Range& range, double step) {
  std::vector<Tick> ticks;
  const int decimals = static_cast<int>(std::max(0.0, -std::floor(std::log10(step) + kNearly)));
  const double last = std::floor(range.to / step + kNearly);
  for (double n = std::ceil(range.from / step - kNearly); n <= last; ++n) {
    ticks.push_back({n * step, number_text(n * step, decimals)});
  }
  return ticks;
}

// Powers of ten; with their multiples 2 and 5 where there are few of them. All of them are written
// alike: as powers if the numbers become long.
std::vector<Tick> logarithmic_ticks(const Range& range) {
  const double first = std::floor(std::log10(range.from) + kNearly);
  const double last = std::ceil(std::log10(range.to) - kNearly);
  const double every = std::ceil((last - first) / kMostIntervals);
  const bool few = last - first <= 2;
  const bool plain = few || (first >= -2 && last <= 4);
  std::vector<Tick> ticks;
  for (double n = first; n <= last; n += every) {
    for (const double multiple : {1.0, 2.0, 5.0}) {
      if (multiple > 1 && !few) break;
      const double value = multiple * std::pow(10, n);
      if (value < range.from * (1 - kNearly) || value > range.to * (1 + kNearly)) continue;
      ticks.push_back({value, plain ? number_text(value) : power_of_ten(static_cast<int>(n))});
    }
  }
  return ticks;
}

Range of_values(std::span<const double> values, bool logarithmic) {
  std::optional<Range> range;
  for (const double x : values) {
    if (!std::isfinite(x) || (logarithmic && x <= 0)) continue;
    range = range ? Range{std::min(range->from, x), std::max(range->to, x)} : Range{x, x};
  }
  if (!range) return logarithmic ? Range{1, 10} : Range{0, 1};
  if (range->from < range->to) return *range;
  // A single value is shown amid what is near it.
  if (logarithmic) return {range->from / 2, range->to * 2};
  const double margin = range->from == 0 ? 1 : std::abs(range->from) / 10;
  return {range->from - margin, range->to + margin};
}

// Less than a decade is rounded to its first digit, more to powers of ten.
double outward(double value, bool up, const Range& range) {
  const double decade = std::pow(10, std::floor(std::log10(value) + kNearly));
  const bool fine = range.to / range.from < 100;
  const double n = fine ? value / decade : (up && value > decade * (1 + kNearly) ? 10 : 1);
  return (up ? std::ceil(n - kNearly) : std::floor(n + kNearly)) * decade;
}

}  // namespace

std::string number_text(double value, int decimals) {
  if (value == 0) return "0";
  if (std::abs(value) < 1e7 && (decimals <= 4 || std::abs(value) >= 1e-4)) {
    return with_commas(fmt::format("{:.{}f}", value, decimals));
  }
  return number_text(value);
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "no number" : "infinite";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 0.01 && size < 1e7) {
    return with_commas(size >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value));
  }
  const std::string text = fmt::format("{:.3e}", value);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  const int exponent = std::stoi(text.substr(e + 1));
  return digits == "1" ? power_of_ten(exponent)
                       : fmt::format("{}×{}", digits, power_of_ten(exponent));
}

Scale::Scale(const Axis& axis, std::span<const double> values, Range places)
    : logarithmic_(axis.logarithmic), values_(of_values(values, logarithmic_)), places_(places) {
  const Range data = {axis.from.value_or(values_.from), axis.to.value_or(values_.to)};
  if (!(data.from < data.to) || !std::isfinite(data.to - data.from) ||
      (logarithmic_ && data.from <= 0)) {
    refuse(fmt::format("range of the axis '{}'", axis.title),
           fmt::format("{} to {}", data.from, data.to),
           logarithmic_ ? "two rising numbers above 0" : "two rising numbers");
  }
  const double step = logarithmic_ ? 0 : tick_step(data.to - data.from);
  const auto rounded = [&](double value, bool up) {
    if (logarithmic_) return outward(value, up, data);
    return (up ? std::ceil(value / step - kNearly) : std::floor(value / step + kNearly)) * step;
  };
  values_ = {axis.from ? *axis.from : rounded(data.from, false),
             axis.to ? *axis.to : rounded(data.to, true)};
  ticks_ = logarithmic_ ? logarithmic_ticks(values_) : linear_ticks(values_, step);
}

bool Scale::can_show(double value) const {
  return std::isfinite(value) && (!logarithmic_ || value > 0);
}

double Scale::place(double value) const {
  const auto height = [&](double x) { return logarithmic_ ? std::log10(x) : x; };
  const double share =
      (height(value) - height(values_.from)) / (height(values_.to) - height(values_.from));
  return places_.from + share * (places_.to - places_.from);
}

double Scale::base() const {
  return logarithmic_ ? values_.from : std::clamp(0.0, values_.from, values_.to);
}

}  // namespace ration::report::drawing
