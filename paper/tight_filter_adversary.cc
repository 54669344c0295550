#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paper/adaptive_game.h"
#include "paper/tight_filter.h"
#include "ration/compose/compose.h"
#include "ration/control/tight_currency.h"

namespace ration::paper {
namespace {

// Two kinds of steps: at the clip bound, and at twice its noise.
const SubsampledGaussian kLarge = {.noise = 1, .rate = 0.1};
const SubsampledGaussian kSmall = {.noise = 2, .rate = 0.1};
constexpr double kEpsilonPerStep = 0.06;
constexpr Units kSmallPrice = PriceList::kWholeStep / 4;

double delta_of(int large, int small, double epsilon) {
  Plan plan;
  const auto add = [&](const SubsampledGaussian& step, double steps) {
    if (steps > 0) plan.push_back(entry({.noise = step.noise, .rate = step.rate, .steps = steps}));
  };
  add(kLarge, large);
  add(kSmall, small);
  return plan.empty() ? 0 : delta_at(plan, epsilon).delta.upper;
}

// Natural accounting composes the steps so far and admits the next one while their delta is within
// the target: a state is how many of each kind there were, and what can follow comes before it.
GameMoves natural_moves(double epsilon, double target) {
  std::vector<std::pair<int, int>> states;
  for (int large = 0; delta_of(large, 0, epsilon) <= target; ++large) {
    for (int small = 0; delta_of(large, small, epsilon) <= target; ++small) {
      states.emplace_back(large, small);
    }
  }
  std::sort(states.begin(), states.end(),
            [](const auto& a, const auto& b) { return a.first + a.second > b.first + b.second; });
  std::map<std::pair<int, int>, std::size_t> places;
  for (std::size_t i = 0; i < states.size(); ++i) places[states[i]] = i;
  GameMoves moves(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& [large, small] = states[i];
    const std::pair<int, int> after[] = {{large + 1, small}, {large, small + 1}};
    for (std::size_t step = 0; step < 2; ++step) {
      const auto found = places.find(after[step]);
      if (found != places.end()) moves[i].push_back({.step = step, .to = found->second});
    }
  }
  return moves;
}

// The list of the two kinds, and what it admits within the target.
GameMoves tight_moves(int steps, double epsilon, double target) {
  const PriceList list({{kLarge, PriceList::kWholeStep}, {kSmall, kSmallPrice}}, 1);
  const auto most = static_cast<std::uint64_t>(steps) + 2;
  const CurrencyPtr currency =
      tight_currency(list, target, WorstAdversary(list, most, target).worth(target));
  const Units budget = currency->units_of(EpsilonBudget{.epsilon = epsilon, .delta = target})[0];
  return moves_of(list, kSmallPrice, budget / kSmallPrice * kSmallPrice);
}

// As shares of the target.
struct Reached {
  double exact;
  Estimate played;
};
Reached reached(GameMoves moves, double epsilon, double target, std::uint64_t paths) {
  Reached most{.exact = 0, .played = known(0)};
  for (const Direction direction : {Direction::remove, Direction::add}) {
    const AdaptiveGame game({kLarge, kSmall}, moves, direction, epsilon + 0.1);
    const std::size_t start = game.last_state();
    const double exact = game.value(start, epsilon) / target;
    if (exact <= most.exact) continue;
    const Estimate played = game.play(game.best(), start, epsilon, paths, 1);
    most = {.exact = exact,
            .played = {.value = played.value / target,
                       .low = played.low / target,
                       .high = played.high / target}};
  }
  return most;
}

struct Game {
  int steps;
  double epsilon, target;
  Reached natural, tight;
};

std::vector<Evidence> evidence(const Reached& found, std::optional<double> above,
                               std::optional<double> below) {
  return {{.what = "delta by playing, as a share of the target",
           .number = found.played,
           .above = above,
           .below = below},
          {.what = "delta by integration, as a share of the target",
           .number = known(found.exact),
           .above = above,
           .below = below}};
}

void add_claims(Figure& figure, const Game& game, std::uint64_t paths) {
  const auto finding = [&](const Reached& found) {
    return fmt::format(
        "It reaches {} times {:.4g} by playing {} paths, and {:.4f} times by integration.",
        text_of(found.played), game.target, paths, found.exact);
  };
  figure.claims.push_back(judged(
      fmt::format("Natural accounting at eps = {}, with the delta of {} steps at the clip bound as "
                  "its target, is exceeded by an adversary who chooses steps in view of outputs.",
                  game.epsilon, game.steps),
      finding(game.natural), evidence(game.natural, 1.0, {})));
  figure.claims.push_back(
      judged(fmt::format("The best adversary against the tight filter stays below the same target "
                         "(eps = {}).",
                         game.epsilon),
             finding(game.tight), evidence(game.tight, {}, 1.0)));
}

}  // namespace

Figure tight_filter_adversary_figure(const TightFilterSettings& settings,
                                     const OnFraction& on_fraction) {
  Figure figure{
      .name = "tight-filter-adversary",
      .title = "An adversary against natural accounting, and against the tight filter",
      .paper =
          "No figure. Its filter for any dominating pairs is approximative (section "
          "\"Approximative "
          "Filter via Blackwell's Theorem\"): later work shows that composing what was done and "
          "stopping at a target is not valid in general.",
      .here = fmt::format(
          "Steps at rate 0.1 and noise 1 or 2. A target is the delta of some steps at noise 1, at "
          "eps = {} a step. Natural accounting composes the steps that were taken and stops at the "
          "target; the tight filter has prices for both kinds and a budget that promises the "
          "target. Against each, the best adversary is found by plain integration, in the "
          "direction in which it reaches more, and plays {} paths; intervals are of 95%. The "
          "paths follow from a fixed seed.",
          kEpsilonPerStep, settings.paths),
      .claims = {},
      .charts = {},
      .data = {.columns = {"steps_of_target", "epsilon", "target_delta", "against", "integrated",
                           "played", "lower", "upper"},
               .rows = {}},
      .about_people = false};
  report::BarChart chart{
      .frame = {.title = "What the best adversary reaches",
                .x = {.title = "target: the δ of so many steps at the clip bound"},
                .y = {.title = "δ as a share of the target", .from = 0.0}},
      .categories = {},
      .series = {{.name = "promised", .bars = {}},
                 {.name = "natural accounting", .bars = {}},
                 {.name = "tight filter", .bars = {}}}};
  for (const int steps : settings.game_steps) {
    const double epsilon = kEpsilonPerStep * steps, target = delta_of(steps, 0, epsilon);
    const Game game = {
        .steps = steps,
        .epsilon = epsilon,
        .target = target,
        .natural = reached(natural_moves(epsilon, target), epsilon, target, settings.paths),
        .tight = reached(tight_moves(steps, epsilon, target), epsilon, target, settings.paths)};
    add_claims(figure, game, settings.paths);
    chart.categories.push_back(fmt::format("{}", steps));
    chart.series[0].bars.push_back({.value = 1});
    for (const auto& [series, name, found] :
         {std::tuple{1, "natural accounting", game.natural}, {2, "tight filter", game.tight}}) {
      const auto& [value, low, high] = found.played;
      chart.series[static_cast<std::size_t>(series)].bars.push_back(
          {.value = value, .low = low, .high = high});
      figure.data.rows.push_back({std::int64_t{steps}, epsilon, target, std::string(name),
                                  found.exact * target, value * target, low * target,
                                  high * target});
    }
    if (on_fraction) {
      on_fraction(static_cast<double>(chart.categories.size()) /
                  static_cast<double>(settings.game_steps.size()));
    }
  }
  figure.charts.emplace_back(chart);
  return figure;
}

}  // namespace ration::paper
