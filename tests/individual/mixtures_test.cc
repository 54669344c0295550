#include "ration/individual/mixtures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "ration/numeric/directed.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

// H_a of a step, from that of the pair without sampling: docs/math/tight_filter.md, lemma 3.
Arb hockey_stick(const Arb& noise, const Arb& rate, const Arb& a, Direction direction) {
  const Arb mu = Arb(1) / noise, rest = Arb(1) - a * (Arb(1) - rate);
  if (direction == Direction::remove) {
    const Arb b = Arb(1) + (a - 1) / rate;
    return b > 0 ? rate * oracle::gdp_delta(oracle::log(b), mu) : Arb(1) - a;
  }
  return rest > 0 ? rest * oracle::gdp_delta(oracle::log(a * rate / rest), mu) : Arb(0);
}

// Steps of one person in the first of some buckets, and their mixtures.
class OneBucket {
 public:
  OneBucket(const std::vector<Noise>& edges, Rate rate, const std::vector<double>& norms)
      : edges_(edges), rate_(rate), norms_(norms), accounts_(1, Buckets(edges)) {
    for (const double norm : norms) {
      accounts_.record({.noise = edges.front(), .rate = rate}, std::vector<double>{norm});
    }
    used_.emplace(accounts_);
    mixtures_.emplace(accounts_, *used_, Places::known);
    mixtures_->mixture(0, Rounding::up, {}, up);
    mixtures_->mixture(0, Rounding::down, {}, down);
  }

  // The sum over all steps; and over the laws that they are mixed of.
  Arb truth(const Arb& a, Direction direction) const {
    Arb sum = 0;
    for (const double x : norms_) {
      sum = sum + hockey_stick(Arb(edges_[0]) / Arb(x), Arb(rate_), a, direction);
    }
    return sum;
  }
  Arb of(const Mixture& mixture, const Arb& a, Direction direction) const {
    Arb sum = 0;
    for (std::size_t i = 0; i < mixture.law.size(); ++i) {
      sum = sum + Arb(mixture.weight[i]) * of_law(mixture.law[i], a, direction);
    }
    return sum;
  }

  // exp(L) somewhere in the bulk of the loss, or beyond.
  Arb likelihood_ratio(oracle::Random& random) const {
    const double mu = 1 / edges_[0];
    const double v = mu * (mu * (random.coin(0.5) ? 0.5 : -0.5) + random.uniform(-6, 6));
    return Arb(1) + Arb(rate_) * oracle::expm1(Arb(v));
  }

  // The sum of lambda: shares of total variation.
  Arb lambda() const {
    const auto variation = [](const Arb& noise) {
      return Arb(1) - Arb(2) * oracle::normal_tail(Arb(0.5) / noise);
    };
    const Arb near = variation(Arb(edges_[0])), far = variation(Arb(edges_[1]));
    Arb sum = 0;
    for (const double x : norms_) {
      sum = sum + (variation(Arb(edges_[0]) / Arb(x)) - far) / (near - far);
    }
    return sum;
  }
  static double weight_of(const Mixture& mixture, std::size_t law) {
    const auto at = std::find(mixture.law.begin(), mixture.law.end(), law);
    if (at == mixture.law.end()) return 0;
    return mixture.weight[static_cast<std::size_t>(at - mixture.law.begin())];
  }
  double count() const { return static_cast<double>(norms_.size()); }
  bool extrapolates() const { return !mixtures_->laws().extrapolated.empty(); }
  std::size_t extrapolated() const { return mixtures_->laws().mechanisms.size(); }

  Mixture up, down;

 private:
  Arb of_law(std::size_t law, const Arb& a, Direction direction) const {
    const auto laws = mixtures_->laws();
    if (law < laws.mechanisms.size()) {
      return hockey_stick(Arb(laws.mechanisms[law].noise), Arb(rate_), a, direction);
    }
    const Arb c = laws.extrapolated[law - laws.mechanisms.size()].times();
    return (Arb(1) + c) * hockey_stick(Arb(edges_[1]), Arb(rate_), a, direction) -
           c * hockey_stick(Arb(edges_[2]), Arb(rate_), a, direction);
  }

  std::vector<Noise> edges_;
  Rate rate_;
  std::vector<double> norms_;
  Accounts accounts_;
  std::optional<UsedMechanisms> used_;
  std::optional<Mixtures> mixtures_;
};

// From edges that are almost the same to edges that are far apart.
std::vector<Noise> random_edges(oracle::Random& random) {
  std::vector<Noise> edges = {random.log_uniform(0.1, 30)};
  for (int j = 0; j < 2; ++j) {
    const double wider = random.coin(0.1)
                             ? random.log_uniform(1.4, 20)
                             : 1 + random.log_uniform(random.coin(0.2) ? 1e-13 : 1e-4, 0.4);
    edges.push_back(std::max(next_up(edges.back()), edges.back() * wider));
  }
  return edges;
}

OneBucket random_steps(oracle::Random& random) {
  const std::vector<Noise> edges = random_edges(random);
  // The smallest norm of the bucket is not in it, and nor is what its rounding may be.
  const double least = std::min(next_down(1), edges[0] / edges[1] * (1 + 4 * kRoundoff));
  std::vector<double> norms;
  for (int n = static_cast<int>(random.log_uniform(1, 8)); n > 0; --n) {
    norms.push_back(random.coin(0.2)   ? 1
                    : random.coin(0.2) ? std::min(1.0, next_up(least))
                                       : random.uniform(next_up(least), 1));
  }
  const double rate = random.coin(0.5) ? random.log_uniform(1e-6, 1) : random.uniform(0.01, 0.999);
  return {edges, rate, norms};
}

// What is claimed of a step's laws: its hockey-stick lies between those of its mixtures, in both
// directions, wherever it matters. Weights are rounded, each by less than 2 u.
TEST(Mixtures, StepsLieBetweenTheirMixtures) {
  oracle::Random random(71);
  int extrapolated = 0;
  for (int i = 0; i < oracle::cases() / 20; ++i) {
    const OneBucket steps = random_steps(random);
    extrapolated += steps.extrapolates() ? 1 : 0;
    for (const Direction direction : {Direction::remove, Direction::add}) {
      for (int k = 0; k < 3; ++k) {
        const Arb ratio = steps.likelihood_ratio(random);
        const Arb a = direction == Direction::remove ? ratio : Arb(1) / ratio;
        const Arb truth = steps.truth(a, direction);
        const Arb slack = Arb(1) + Arb(4 * kRoundoff);
        EXPECT_FALSE(truth > steps.of(steps.up, a, direction) * slack)
            << i << " at " << a.approximate();
        EXPECT_FALSE(truth * slack < steps.of(steps.down, a, direction))
            << i << " at " << a.approximate();
      }
    }
  }
  EXPECT_GT(extrapolated, oracle::cases() / 40);
}

// What is claimed of many: the sum of lambda, whatever the steps are, lies between the weights of
// the laws with the larger loss, and whatever adds up to it is as settled as is said. All steps are
// accounted for.
TEST(Mixtures, WeightsBoundTheSumOfLambda) {
  oracle::Random random(72);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const OneBucket steps = random_steps(random);
    const double above = OneBucket::weight_of(steps.up, 0);
    EXPECT_FALSE(steps.lambda() > Arb(above) * (Arb(1) + Arb(2 * kRoundoff))) << i;
    const double below =
        steps.extrapolates() ? OneBucket::weight_of(steps.down, steps.extrapolated()) : 0;
    EXPECT_FALSE(steps.lambda() < Arb(below)) << i;
    for (const Mixture* mixture : {&steps.up, &steps.down}) {
      double all = 0;
      for (const double weight : mixture->weight) all += weight;
      EXPECT_NEAR(all / steps.count(), 1, 4 * kRoundoff);
      const double top = mixture == &steps.up ? above : below;
      const Arb unsettled = Arb(top) * (Arb(1) - Arb(top) / Arb(steps.count()));
      const double said = mixture->unsettled.empty() ? 0 : mixture->unsettled[0];
      EXPECT_FALSE(unsettled > Arb(said)) << i;
    }
  }
}

}  // namespace
}  // namespace ration
