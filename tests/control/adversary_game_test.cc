// The promise of a price list against a plain model of the game that it is made for
// (paper/adaptive_game.h): never below what the best adversary reaches, near it where nothing is
// lost, and never reached by anybody who plays the filter itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/adaptive_game.h"
#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "ration/control/filter.h"
#include "ration/control/tight_currency.h"
#include "ration/loss/gdp.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using paper::AdaptiveGame, paper::moves_of, paper::steps_of;

constexpr Units kWhole = PriceList::kWholeStep, kEighth = kWhole / 8;

struct Entry {
  double ratio;
  Units eighths;
};
PriceList list_of(const SubsampledGaussian& step, const std::vector<Entry>& entries,
                  std::uint32_t last_steps) {
  std::vector<PricedStep> priced;
  for (const auto& [ratio, eighths] : entries) {
    SubsampledGaussian less = step;
    less.noise = step.noise * ratio;
    priced.push_back({less, eighths * kEighth});
  }
  return {std::move(priced), last_steps};
}
Units unit_of(const PriceList& list) {
  Units unit = kWhole;
  for (const PricedStep& entry : list.entries()) unit = std::gcd(unit, entry.price);
  return unit;
}

// What the best adversary reaches, in either direction.
struct BothGames {
  BothGames(const PriceList& list, Units budget, double epsilon)
      : unit(unit_of(list)),
        remove(steps_of(list), moves_of(list, unit, budget), Direction::remove, epsilon),
        add(steps_of(list), moves_of(list, unit, budget), Direction::add, epsilon) {}

  double delta(Units units, double epsilon) const {
    return std::max(remove.value(units / unit, epsilon), add.value(units / unit, epsilon));
  }

  Units unit;
  AdaptiveGame remove, add;
};

// The game's own grid: by how much it may lie above the truth.
constexpr double kOfTheGrid = 5e-4;

struct SmallList {
  const char* name;
  SubsampledGaussian step;
  std::vector<Entry> entries;
  std::uint32_t last_steps;
  std::uint64_t steps;
  double delta;
  double within = 1.25;  // of the best adversary
};
const std::vector<SmallList> kSmallLists = {
    {"of two entries", {.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}}, 1, 4, 0.05},
    {"of three entries", {.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}, {3, 1}}, 2, 8, 0.02},
    {"at a small rate", {.noise = 1, .rate = 0.01}, {{1, 8}, {2, 4}}, 2, 4, 1e-2},
    {"of much noise", {.noise = 3, .rate = 0.5}, {{1, 8}, {2, 2}}, 4, 20, 1e-3},
    {"of little noise", {.noise = 0.5, .rate = 0.1}, {{1, 8}, {2, 4}}, 3, 6, 0.1},
    {"underpriced", {.noise = 1, .rate = 0.3}, {{1, 8}, {1.25, 2}}, 1, 6, 0.1, 3},
    {"underpriced by little", {.noise = 2, .rate = 0.1}, {{1, 8}, {1.5, 3}}, 4, 12, 1e-3},
    {"overpriced", {.noise = 1, .rate = 0.3}, {{1, 8}, {4, 8}}, 4, 12, 1e-2}};

TEST(WorstAdversaryGame, IsNeverBelowTheBestAdversaryOfAPlainGame) {
  std::size_t shown = 0;
  for (const SmallList& small : kSmallLists) {
    const PriceList list = list_of(small.step, small.entries, small.last_steps);
    std::optional<WorstAdversary> adversary;
    try {
      adversary.emplace(list, small.steps, small.delta);
    } catch (const Error&) {
      continue;  // nothing can be shown, and nothing is promised
    } catch (const OutOfReach&) {
      continue;
    }
    const double epsilon = adversary->epsilon(small.delta, adversary->budget()).upper;
    const BothGames games(list, adversary->budget(), 1.5 * epsilon);
    for (Units units = kWhole; units <= adversary->budget(); units += games.unit) {
      for (const double at : {0.5 * epsilon, epsilon, 1.5 * epsilon}) {
        double promised = 1;
        try {
          promised = adversary->delta(at, units).upper;
        } catch (const Error&) {
          continue;  // too far from what the grid was laid out for
        }
        ++shown;
        EXPECT_GE(promised, games.delta(units, at) * (1 - kOfTheGrid))
            << small.name << " " << units << " " << at;
      }
    }
    // Not far above it either, at what it was made for.
    EXPECT_LE(small.delta, small.within * games.delta(adversary->budget(), epsilon)) << small.name;
  }
  EXPECT_GT(shown, 200u);
}

// Only one thing can be bought, so that nothing can be chosen: the tight accountant's number.
TEST(WorstAdversaryGame, OfASingleEntryIsTheTightComposition) {
  const double delta = 1e-5;
  const SubsampledGaussian step = {.noise = 1, .rate = 0.01};
  const WorstAdversary adversary(list_of(step, {{1, 8}}, 16), 500, delta);
  for (const double steps : {10.0, 300.0, 500.0}) {
    const Plan plan = {entry({.noise = step.noise, .rate = step.rate, .steps = steps})};
    const Bound truth = compose(plan, delta).epsilon;
    const Bound found = adversary.epsilon(delta, static_cast<Units>(steps) * kWhole);
    EXPECT_LE(found.lower, truth.upper);
    EXPECT_GE(found.upper, truth.lower);
    EXPECT_LE(found.upper, truth.upper * 1.003) << steps;
  }
}

// Gaussians without sampling, priced by mu^2: whatever is chosen comes to the same mu, up to 1.
TEST(WorstAdversaryGame, OfTheGdpPriceListIsTheGaussianClosedForm) {
  const double steps = 1000, delta = 1e-3;
  const PriceList list = list_of({.noise = std::sqrt(steps), .rate = 1},
                                 {{1, 8}, {std::sqrt(2), 4}, {2, 2}, {std::sqrt(8), 1}}, 64);
  const WorstAdversary adversary(list, static_cast<std::uint64_t>(steps), delta);
  for (const double share : {0.5, 1.0}) {
    const double truth = gdp::epsilon({.mu = std::sqrt(share), .delta = delta}).upper;
    const Bound found = adversary.epsilon(delta, static_cast<Units>(share * steps) * kWhole);
    EXPECT_LE(found.lower, truth * (1 + 1e-9));
    EXPECT_GE(found.upper, truth * (1 - 1e-9));
    EXPECT_LE(found.upper, truth * (share == 1 ? 1.003 : 1.004));
  }
}

// docs/math/tight_filter.md, "Natural filters", without an end: 0.1155, and 0.1125 without choice.
TEST(AdaptiveGame, IsTheOneOfTheExample) {
  const paper::GameMoves moves = {{}, {{1, 0}}, {{0, 0}, {1, 1}}, {{0, 1}, {1, 2}}};
  const AdaptiveGame game({{.noise = 1, .rate = 0.3}, {.noise = 1.4, .rate = 0.3}}, moves,
                          Direction::remove, 1);
  EXPECT_NEAR(game.value(3, 0.11), 0.1155, 5e-5);
  double fixed = 0;
  for (const std::vector<std::size_t>& sequence :
       {std::vector<std::size_t>{0, 1}, {1, 0}, {1, 1, 1}, {0}, {1, 1}}) {
    const AdaptiveGame::Policy policy = [&](std::size_t state, double, std::span<double> shares) {
      std::size_t left = 3, done = 0;
      while (left != state && done < sequence.size()) left -= sequence[done++] == 0 ? 2 : 1;
      if (left != state || done == sequence.size()) return;
      for (std::size_t j = 0; j < shares.size(); ++j) {
        if (moves[state][j].step == sequence[done]) shares[j] = 1;
      }
    };
    fixed = std::max(fixed, game.delta_of(policy, 3, 0.11));
  }
  EXPECT_NEAR(fixed, 0.1125, 5e-5);
  const paper::Estimate played = game.play(game.best(), 3, 0.11, 200'000, 1);
  EXPECT_LT(std::abs(played.value - game.value(3, 0.11)), 3 * (played.high - played.value));
}

// The largest norm that an entry pays for: at most clip noise / noise of the entry, rounded down.
double norm_of(const PricedStep& entry, const Step& step, const Currency& currency) {
  const auto price = currency.price(step);
  double norm = step.clip * step.noise / entry.step.noise;
  for (int i = 0; i < 8; ++i, norm = std::nextafter(norm, 0)) {
    Units charge = 0;
    price->charges(std::span<const double>(&norm, 1), &charge);
    if (charge == entry.price) return norm;
  }
  ADD_FAILURE() << "no norm costs what the entry at noise " << double{entry.step.noise} << " does";
  return norm;
}

struct Played {
  double mean, error;  // and its standard deviation
};

// Paths are people of one filter, each of whom an adversary plays against: they see their own
// likelihood ratio and what is left, and choose a norm, until nothing is left that fits.
class FilterGame {
 public:
  FilterGame(const PriceList& list, std::uint64_t steps, double delta)
      : list_(list), steps_(steps), delta_(delta), adversary_(list, steps, delta) {
    currency_ = tight_currency(list, delta, adversary_.worth(delta));
    clip_step_ = {.noise = list.worst().noise, .clip = 4, .rate = list.worst().rate};
    for (const PricedStep& entry : list.entries()) {
      norms_.push_back(norm_of(entry, clip_step_, *currency_));
    }
    epsilon_ = filter(1).budget(0, delta).upper;
    for (const Direction direction : {Direction::remove, Direction::add}) {
      games_.emplace_back(steps_of(list), moves_of(list, unit(), adversary_.budget()), direction,
                          1.1 * epsilon_);
    }
  }

  const PriceList& list() const { return list_; }
  Units unit() const { return unit_of(list_); }
  std::size_t start() const { return games_[0].last_state(); }
  const std::vector<AdaptiveGame>& games() const { return games_; }
  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }  // what is promised at epsilon

  Played play(const AdaptiveGame& game, const AdaptiveGame::Policy& policy, std::size_t paths,
              std::uint64_t seed) const {
    constexpr std::size_t kTogether = 50'000;
    paper::GameRandom random(seed);
    double sum = 0, squares = 0;
    for (std::size_t done = 0; done < paths; done += kTogether) {
      for (const double y : block(game, policy, std::min(kTogether, paths - done), random)) {
        const double reached = std::max(0.0, -std::expm1(y));
        sum += reached;
        squares += reached * reached;
      }
    }
    const auto n = static_cast<double>(paths);
    const double mean = sum / n;
    return {.mean = mean, .error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
  }

 private:
  Filter filter(std::size_t people) const {
    return {people, currency_,
            StepsBudget{.step = clip_step_, .steps = static_cast<double>(steps_)}};
  }
  // y at the end, of each path.
  std::vector<double> block(const AdaptiveGame& game, const AdaptiveGame::Policy& policy,
                            std::size_t paths, paper::GameRandom& random) const {
    Filter filter = this->filter(paths);
    const Units budget = filter.state().budgets[0];
    std::vector<double> y(paths, epsilon_), norms(paths), shares;
    std::vector<std::size_t> moves(paths);
    std::vector<std::uint8_t> mask(paths), stopped(paths);
    bool some_play = true;
    while (some_play) {
      some_play = false;
      for (std::size_t i = 0; i < paths; ++i) {
        norms[i] = 0;
        if (stopped[i] != 0) continue;
        const std::size_t state = (budget - filter.state().spent[i]) / unit();
        const auto open = game.moves(state);
        shares.assign(open.size(), 0);
        policy(state, y[i], shares);
        double coin = random.uniform();
        std::size_t move = 0;
        for (; move < shares.size() && coin >= shares[move]; ++move) coin -= shares[move];
        stopped[i] = move == shares.size();
        moves[i] = move;
        // Nothing fits: even the smallest norm on the list must be refused.
        norms[i] = open.empty() ? norms_.back() : stopped[i] ? 0 : norms_[open[move].step];
        some_play |= stopped[i] == 0;
      }
      const std::vector<Units> before = filter.state().spent;
      filter.admit(clip_step_, norms, mask);
      for (std::size_t i = 0; i < paths; ++i) {
        const std::size_t state = (budget - before[i]) / unit();
        const bool expected = stopped[i] == 0;
        if (norms[i] != 0 && (mask[i] != 0) != expected) ADD_FAILURE() << "person " << i;
        if (!expected || mask[i] == 0) continue;
        const paper::GameMove& move = game.moves(state)[moves[i]];
        if ((budget - filter.state().spent[i]) / unit() != move.to) ADD_FAILURE() << "price";
        y[i] -= game.loss(move.step, random);
      }
    }
    return y;
  }

  PriceList list_;
  std::uint64_t steps_;
  double delta_, epsilon_ = 0;
  WorstAdversary adversary_;
  CurrencyPtr currency_;
  Step clip_step_{.noise = 1, .clip = 1};
  std::vector<double> norms_;
  std::vector<AdaptiveGame> games_;
};

std::size_t paths() { return static_cast<std::size_t>(oracle::cases()) * 10; }

struct Adversary {
  std::string name;
  AdaptiveGame::Policy policy;
};

// Moves are in the order of the list: from the largest step to the smallest.
std::vector<Adversary> heuristics(const FilterGame& of, const AdaptiveGame& game) {
  using Shares = std::span<double>;
  const auto largest = [](Shares s) {
    if (!s.empty()) s.front() = 1;
  };
  const auto smallest = [](Shares s) {
    if (!s.empty()) s.back() = 1;
  };
  const auto near = static_cast<std::size_t>(of.list().near_the_end() / of.unit());
  const std::size_t half = of.start() / 2;
  std::vector<Adversary> all = {
      {"largest", [=](std::size_t, double, Shares s) { largest(s); }},
      {"smallest", [=](std::size_t, double, Shares s) { smallest(s); }},
      {"middle",
       [](std::size_t, double, Shares s) {
         if (!s.empty()) s[s.size() / 2] = 1;
       }},
      {"alternating by what is left",
       [=](std::size_t left, double, Shares s) { left % 2 == 0 ? largest(s) : smallest(s); }},
      {"large, then small",
       [=](std::size_t left, double, Shares s) { left > half ? largest(s) : smallest(s); }},
      {"small, then large",
       [=](std::size_t left, double, Shares s) { left > half ? smallest(s) : largest(s); }},
      {"never near the end",
       [=](std::size_t left, double, Shares s) {
         if (left >= near) smallest(s);
       }},
      {"down to the brink of the end, then large",
       [=](std::size_t left, double, Shares s) { left > near ? smallest(s) : largest(s); }},
      {"large unless it leads to the end",
       [=, &game](std::size_t left, double, Shares s) {
         if (s.empty()) return;
         game.moves(left).front().to >= near ? largest(s) : smallest(s);
       }},
      {"stops when it has gained",
       [=](std::size_t, double y, Shares s) {
         if (y > -0.7) largest(s);
       }},
      {"stops when it has lost",
       [=, &of](std::size_t, double y, Shares s) {
         if (y < of.epsilon() + 0.5) smallest(s);
       }},
      {"at random",
       [](std::size_t, double, Shares s) {
         std::fill(s.begin(), s.end(), 1.0 / static_cast<double>(s.size() + 1));
       }},
      {"at random, and never stops",
       [](std::size_t, double, Shares s) {
         std::fill(s.begin(), s.end(), 1.0 / static_cast<double>(s.size()));
       }},
      {"at random by the likelihood ratio", [](std::size_t, double y, Shares s) {
         if (s.empty()) return;
         s.front() = 1 / (1 + std::exp(4 * y));
         s.back() += 1 - s.front();
       }}};
  for (const double at : {-0.5, -0.1, 0.1, 0.4}) {
    all.push_back({"large below a threshold",
                   [=](std::size_t, double y, Shares s) { y < at ? largest(s) : smallest(s); }});
    all.push_back({"small below a threshold",
                   [=](std::size_t, double y, Shares s) { y < at ? smallest(s) : largest(s); }});
  }
  all.push_back({"best for another eps", [=, &game](std::size_t left, double y, Shares s) {
                   game.best()(left, y + 0.3, s);
                 }});
  return all;
}

// 10^5 paths each in `make test`, 10^7 in `make soak`. delta of each policy is computed as well.
TEST(TightFilterGame, NoAdversaryReachesMoreThanWasPromised) {
  const FilterGame of(list_of({.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}, {3, 1}}, 2), 5, 0.05);
  for (const AdaptiveGame& game : of.games()) {
    std::vector<Adversary> all = heuristics(of, game);
    EXPECT_GE(all.size(), 20u);
    all.push_back({"best", game.best()});
    double most = 0;
    for (const auto& [name, policy] : all) {
      const double exact = game.delta_of(policy, of.start(), of.epsilon());
      EXPECT_LE(exact, of.delta() * (1 + kOfTheGrid)) << name;
      const Played played = of.play(game, policy, paths(), 7);
      const double few = 10 / static_cast<double>(paths());  // of what hardly ever happens
      EXPECT_LE(played.mean - 4.5 * played.error, of.delta()) << name;
      EXPECT_LE(std::abs(played.mean - exact), 4.5 * played.error + 2e-3 * exact + few) << name;
      most = std::max(most, exact);
    }
    EXPECT_NEAR(most, game.value(of.start(), of.epsilon()), 1e-12);
    RecordProperty("least_ratio", std::to_string(of.delta() / most));
  }
}

// What is promised is nearly reached: nobody could promise 1% less of delta against this list.
TEST(TightFilterGame, TheBestAdversaryComesWithinAPercentOfThePromise) {
  const FilterGame of(list_of({.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}}, 8), 40, 1e-2);
  const AdaptiveGame& game = of.games()[0];  // in the direction remove
  const double best = game.value(of.start(), of.epsilon());
  EXPECT_LE(best, of.delta() * (1 + kOfTheGrid));
  EXPECT_GE(best, 0.99 * of.delta());
  const Played played = of.play(game, game.best(), paths(), 8);
  EXPECT_LE(played.mean - 4.5 * played.error, of.delta());
  EXPECT_LE(std::abs(played.mean - best), 4.5 * played.error + 2e-3 * best);
}

}  // namespace
}  // namespace ration
