#include "ration/control/gdp_currency.h"

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/control/admit_kernel.h"
#include "ration/individual/spend.h"
#include "ration/loss/gdp.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr double kLargestMu = 127.9;

struct GdpUnits {
  Units operator()(const MuBudget& b) const {
    if (b.mu > kLargestMu) refuse("budget mu", b.mu, "at most 127.9");
    return square_down(b.mu);
  }
  Units operator()(const EpsilonBudget& b) const {
    const Bound mu = gdp::mu({.epsilon = b.epsilon, .delta = b.delta});
    if (!(mu.lower <= kLargestMu)) {
      throw Error(
          fmt::format("budget epsilon = {} at delta = {} is more than a mu of 127.9: give less",
                      double{b.epsilon}, double{b.delta}));
    }
    return square_down(mu.lower);
  }
  Units operator()(const StepsBudget& b) const {
    refuse_rate_below_one(b.step);
    const auto steps = static_cast<Units>(b.steps);
    const Units units = multiply_saturated(SpendRule(b.step).worst_case(), steps);
    if (units > kLargestBudget) {
      throw Error(
          fmt::format("a budget of {} steps at noise {} is more than a mu of 127.9: give fewer",
                      steps, double{b.step.noise}));
    }
    return units;
  }
};

class GdpPrice final : public Price {
 public:
  explicit GdpPrice(const Step& step) : Price(1), rule_(step) {}

  void charges(const Norms& norms, Units* out) const override {
    std::visit([&](auto all) { ration::charges(rule_, all, {out, all.size()}); }, norms);
  }
  Row worst_case() const override { return {rule_.worst_case()}; }
  void admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const override {
    std::visit([&](auto all) { admit_batch(rule_, all.data(), purses, mask, all.size()); }, norms);
  }
  const SpendRule* square_rule() const override { return &rule_; }

 private:
  SpendRule rule_;
};

class GdpCurrency final : public Currency {
 public:
  std::string_view name() const override { return "gdp"; }
  std::size_t places() const override { return 1; }
  bool takes_sampling() const override { return false; }
  bool has_kinds() const override { return false; }

  Row units_of(const Budget& budget) const override { return {gdp_units(budget)}; }
  std::unique_ptr<Price> price(const Step& step) const override {
    refuse_rate_below_one(step);
    return std::make_unique<GdpPrice>(step);
  }
  Row charge(Mu mu) const override { return {square_up(mu)}; }

  Bound epsilon(std::span<const Units> row, Delta delta) const override {
    const Bound mu = mu_of(row[0], 0);
    return {.lower = gdp::epsilon({.mu = mu.lower, .delta = delta}).lower,
            .upper = row[0] == kMostUnits ? kInfinity
                                          : gdp::epsilon({.mu = mu.upper, .delta = delta}).upper};
  }
  std::vector<Bound> epsilons(std::span<const Units> rows, Delta delta) const override {
    std::vector<Bound> mus(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      mus[i] = mu_of(rows[i], 0);
      if (rows[i] == kMostUnits) mus[i].upper = mus[i].lower;
    }
    std::vector<Bound> all = gdp::epsilons(mus, delta);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == kMostUnits) all[i].upper = kInfinity;
    }
    return all;
  }
  std::optional<Bound> mu(std::span<const Units> row) const override { return mu_of(row[0], 0); }

  Guarantee filter_guarantee(Scope scope) const override {
    return {.theorem =
                scope == Scope::each_person
                    ? "Individual Gaussian DP filter (Koskela, Tobaben, Honkela 2023): every "
                      "person's sum of mu^2, steps chosen adaptively, stays within their budget"
                    : "Gaussian DP filter (Koskela, Tobaben, Honkela 2023): the sum of mu^2, steps "
                      "chosen adaptively, stays within the budget",
            .adaptive = true,
            .certified = true};
  }
  Guarantee odometer_guarantee() const override {
    return {.theorem =
                "Gaussian DP odometer: for each fixed level the outputs up to the last step "
                "within it are those of a Gaussian DP filter (Koskela, Tobaben, Honkela "
                "2023)",
            .adaptive = true,
            .certified = true};
  }
};

}  // namespace

CurrencyPtr gdp_currency() {
  static const auto only = std::make_shared<const GdpCurrency>();
  return only;
}

Units gdp_units(const Budget& budget) { return std::visit(GdpUnits{}, budget); }

void refuse_rate_below_one(const Step& step) {
  if (step.rate == 1.0) return;
  throw Error(fmt::format(
      "rate is {}: give 1, or use a Renyi filter; Gaussian DP gives a person nothing for being "
      "sampled (a subsampled Gaussian is below no useful mu-GDP curve at every epsilon)",
      double{step.rate}));
}

}  // namespace ration
