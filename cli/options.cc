#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ration/base/error.h"

namespace ration::cli {
namespace {

// "2..32" and "1.5,2..64,128": listed orders and runs of whole steps.
std::vector<Order> orders_of(const std::string& text) {
  constexpr std::size_t kMost = 100'000;
  std::vector<Order> orders;
  for (const auto& part : CLI::detail::split(text, ',')) {
    const auto dots = part.find("..");
    const double first = number("--orders", part.substr(0, dots));
    const double last =
        dots == std::string::npos ? first : number("--orders", part.substr(dots + 2));
    for (double order = Order(first); order <= Order(last); ++order) {
      if (orders.size() == kMost) refuse("--orders", text, "at most 100000 orders");
      orders.emplace_back(order);
    }
  }
  if (orders.empty())
    refuse("--orders", "'" + text + "'", "real, or orders such as 2..32 or 1.5,2,4");
  return orders;
}

// The whole text as a number, if it is one.
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || std::isnan(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> whole_in(const std::string& text, double least, double most) {
  const auto value = number_in(text);
  if (!value || !(*value >= least && *value <= most && std::floor(*value) == *value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

double number(const std::string& option, const std::string& text) {
  const auto value = number_in(text);
  if (!value) refuse(option, "'" + text + "'", "a number, such as 0.5 or 1e-5");
  return *value;
}

double whole(const std::string& option, const std::string& text, double least, double most) {
  const auto value = whole_in(text, least, most);
  if (!value) {
    refuse(option, "'" + text + "'", fmt::format("a whole number from {} to {}", least, most));
  }
  return *value;
}

std::size_t person(const std::string& option, const std::string& text, std::size_t people,
                   std::span<const std::string> ids) {
  if (!ids.empty()) {
    const auto found = std::find(ids.begin(), ids.end(), text);
    if (found == ids.end()) refuse(option, "nobody's id", "an id that the data have");
    return static_cast<std::size_t>(found - ids.begin());
  }
  const auto last = static_cast<double>(people) - 1;
  const auto place = whole_in(text, 0, last);
  if (!place) {
    refuse(option, "'" + text + "'",
           fmt::format("somebody's place in the data, counted from 0: a whole number from 0 to {}",
                       last));
  }
  return static_cast<std::size_t>(*place);
}

void add_household(CLI::App& command, Text& household) {
  command
      .add_option("--household", household,
                  "What holds for K people of one household together, all of them in the data or "
                  "none, instead of for one person: 1 to 1000. Exact for normal noise without "
                  "sampling, else an upper bound")
      ->type_name("K");
}
int household_of(const Text& household) {
  return household ? static_cast<int>(whole("--household", *household, 1, 1000)) : 1;
}

double required(const std::string& option, const Text& text) {
  if (!text) throw Error(option + " is missing: give a number");
  return number(option, *text);
}

void add_to(CLI::App& command, MechanismOptions& options) {
  command
      .add_option("--noise", options.noise,
                  "Noise multiplier sigma: standard deviation of the noise divided by the clip "
                  "bound, 0.0001 to 1e8")
      ->type_name("X");
  command
      .add_option("--rate", options.rate,
                  "Poisson sampling rate q, 1e-12 to 1; 1, the default, takes everybody at "
                  "every step")
      ->type_name("X");
  command.add_option("--steps", options.steps, "Number of steps, 1 to 1e15")->type_name("N");
}

double noise_of(const MechanismOptions& options) { return required("--noise", options.noise); }
double rate_of(const MechanismOptions& options) {
  return options.rate ? number("--rate", *options.rate) : 1;
}
double steps_of(const MechanismOptions& options) { return required("--steps", options.steps); }

void add_to(CLI::App& command, AccountingOptions& options) {
  command
      .add_option(
          "--method", options.method,
          "gdp (exact, rate 1 only), contour (tight, normal noise), fourier (on a grid, any "
          "mechanism) or rdp (Renyi, also for adaptive steps within this plan); default: the "
          "tightest certified one")
      ->type_name("NAME");
  command
      .add_option("--orders", options.orders,
                  "Renyi orders: real (all of them, the default) or a list such as 2..32 or "
                  "1.5,2..64, to compare with tools that search a list")
      ->type_name("LIST");
  command
      .add_option("--accuracy", options.accuracy,
                  "For fourier: how far apart the ends of epsilon may be, by default 0.001")
      ->type_name("X");
  command
      .add_option("--grid", options.grid,
                  "For fourier: the distance between two losses, instead of an accuracy")
      ->type_name("X");
}

Accounting accounting_of(const AccountingOptions& options) {
  Accounting how;
  if (options.method) how.method = named("--method", *options.method, kMethods);
  if (options.accuracy && options.grid) {
    throw Error("--accuracy and --grid are both given: one decides the other, give one");
  }
  if (options.accuracy) how.accuracy = number("--accuracy", *options.accuracy);
  if (options.grid) how.grid = number("--grid", *options.grid);
  if (options.orders && options.orders != "real") how.orders = orders_of(*options.orders);
  return how;
}

}  // namespace ration::cli
