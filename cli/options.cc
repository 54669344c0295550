#include "cli/options.h"

#include <fmt/format.h>

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

}  // namespace

double number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && std::isnan(value)) ||
      error != std::errc{} || end != text.data() + text.size()) {
    refuse(option, "'" + text + "'", "a number, such as 0.5 or 1e-5");
  }
  return value;
}

double whole(const std::string& option, const std::string& text, double least, double most) {
  const double value = number(option, text);
  if (!(value >= least && value <= most && std::floor(value) == value)) {
    refuse(option, "'" + text + "'", fmt::format("a whole number from {} to {}", least, most));
  }
  return value;
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
