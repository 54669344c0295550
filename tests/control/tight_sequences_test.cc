// Sequences of steps under the tight filter against a model in exact numbers: a price, by the list
// and by what is left, and whole units taken off.

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ration/control/filter.h"
#include "ration/control/tight_currency.h"
#include "ration/state/saved.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rational.h"
#include "tests/refusal.h"

namespace ration {
namespace {

using oracle::Rational;
using Mask = std::vector<std::uint8_t>;

constexpr Units kWhole = PriceList::kWholeStep;
constexpr double kDelta = 1e-5;

// Any list will do: what it is worth is not asked here.
CurrencyPtr priced(const PriceList& list) {
  return tight_currency(list, kDelta, {{.units = 1000 * kWhole, .epsilon = 1}});
}
PriceList random_list(oracle::Random& random) {
  const double noise = random.log_uniform(0.5, 5), rate = random.log_uniform(1e-3, 1);
  std::vector<PricedStep> entries = {{{.noise = noise, .rate = rate}, kWhole}};
  const int more = static_cast<int>(random.uniform(0, 7));
  double ratio = 1, price = kWhole;
  for (int i = 0; i < more; ++i) {
    ratio *= random.uniform(1.01, 2);
    price = std::max(32.0, std::floor(price * random.uniform(0.1, 1)));
    entries.push_back({{.noise = noise * ratio, .rate = rate}, static_cast<Units>(price)});
  }
  return {entries, static_cast<std::uint32_t>(random.uniform(1, 5))};
}
Step clip_step(const PriceList& list, double clip) {
  return {.noise = list.worst().noise, .clip = clip, .rate = list.worst().rate};
}
double random_norm(oracle::Random& random, const PriceList& list, const Step& step) {
  if (random.coin(0.1)) return 0;
  if (random.coin(0.1)) return 3 * step.clip;
  const auto at =
      static_cast<std::size_t>(random.uniform(0, static_cast<double>(list.entries().size())));
  const double of_entry = step.clip * step.noise / list.entries()[at].step.noise;
  if (random.coin(0.3)) return of_entry;
  if (random.coin(0.3)) return of_entry * (1 + random.uniform(-4, 4) * 0x1p-52);
  if (random.coin(0.3)) return std::round(of_entry * 1024) / 1024;  // on an edge, or near it
  return step.clip * random.log_uniform(1e-3, 1);
}

// What the currency asks of somebody who is not near the end.
Units asked(const Price& price, double norm) {
  Units units = 0;
  price.charges(std::span<const double>(&norm, 1), &units);
  return units;
}
// The rule: near the end a whole step, if it is a step at all.
Units cost(const PriceList& list, Units charge, Units left) {
  return charge != 0 && left < list.near_the_end() ? kWhole : charge;
}

// The upper edge of a norm's cell: 1024 cells an octave, each with its upper edge.
double edge_above(double norm) {
  int exponent = 0;
  const double part = std::frexp(norm, &exponent);
  return std::ldexp(std::ceil(part * 2048), exponent - 11);
}

// What a norm costs is what the upper edge of its cell does, or the clip bound if that is less.
// This lies on or above the chord between the entries on either side, or between the last one and
// no norm at all, in exact fractions; it is at most what the dearer entry costs.
TEST(TightFilterSequences, PriceOfANormIsNotBelowTheChordAndNotAboveTheDearerEntry) {
  oracle::Random random(61);
  for (int i = 0; i < oracle::cases(); ++i) {
    const PriceList list = random_list(random);
    const Step step = clip_step(list, random.log_uniform(0.1, 10));
    const auto price = priced(list)->price(step);
    const double norm = random_norm(random, list, step);
    const Units charge = asked(*price, norm);
    if (norm == 0) {
      EXPECT_EQ(charge, 0u);
      continue;
    }
    const double edge = std::min(edge_above(norm), double{step.clip});
    EXPECT_GE(edge, std::min(norm, double{step.clip}));
    EXPECT_LE(edge, norm * (1 + 0x1p-10));
    EXPECT_EQ(charge, asked(*price, edge));
    // In terms of 1 / noise, of which a norm is a multiple.
    const Rational at =
        Rational(edge) / (Rational(double{step.clip}) * Rational(double{step.noise}));
    const std::size_t entries = list.entries().size();
    const auto inverse = [&](std::size_t entry) {
      return entry == entries
                 ? Rational(std::uint64_t{0})
                 : Rational(std::uint64_t{1}) / Rational(double{list.entries()[entry].step.noise});
    };
    const auto units = [&](std::size_t entry) {
      return entry == entries ? Units{0} : list.entries()[entry].price;
    };
    std::size_t dearer = 0;
    while (dearer + 1 < entries && at <= inverse(dearer + 1)) ++dearer;
    const Rational share = (at - inverse(dearer + 1)) / (inverse(dearer) - inverse(dearer + 1));
    const Rational chord = Rational(units(dearer + 1)) +
                           share * (Rational(units(dearer)) - Rational(units(dearer + 1)));
    EXPECT_TRUE(chord <= Rational(charge)) << norm << " " << charge;
    EXPECT_LE(charge, units(dearer)) << norm;
    EXPECT_TRUE(edge != step.clip || charge == kWhole) << norm;
  }
}

// Norms that answer to who was admitted before, as an adaptive analyst's would. As many sequences
// as there are cases.
TEST(TightFilterSequences, AdaptiveSequencesAgreeWithExactNumbers) {
  oracle::Random random(62);
  constexpr int kPeople = 50, kSteps = 25;
  for (int done = 0; done < oracle::cases(); done += kPeople) {
    const PriceList list = random_list(random);
    const CurrencyPtr currency = priced(list);
    std::vector<Units> budgets(kPeople), left;
    for (Units& budget : budgets) {
      const double steps = random.uniform(0, 12);
      const bool whole = random.coin(0.3);  // so that some end up exactly where the end begins
      budget =
          static_cast<Units>((whole ? std::floor(steps) : steps) * static_cast<double>(kWhole));
    }
    left = budgets;
    Filter filter({.currency = currency, .spent = std::vector<Units>(kPeople), .budgets = budgets});
    std::vector<double> greed(kPeople, 1), norms(kPeople);
    for (int j = 0; j < kSteps; ++j) {
      // Some steps have more noise than the list was made for, or a smaller rate.
      Step step = clip_step(list, random.log_uniform(0.1, 10));
      if (random.coin(0.3)) step.noise = step.noise * random.uniform(1, 3);
      if (random.coin(0.3)) step.rate = step.rate * random.uniform(0.1, 1);
      const auto price = currency->price(step);
      for (std::size_t i = 0; i < kPeople; ++i) {
        norms[i] = greed[i] * random_norm(random, list, step);
      }
      Mask mask(kPeople);
      filter.admit(step, norms, mask);
      for (std::size_t i = 0; i < kPeople; ++i) {
        const Units due = cost(list, asked(*price, norms[i]), left[i]);
        const bool fits = due <= left[i];
        ASSERT_EQ(mask[i] != 0, fits) << norms[i] << " with " << left[i];
        if (fits) left[i] -= due;
        ASSERT_LE(filter.state().spent[i], budgets[i]);
        ASSERT_EQ(filter.state().spent[i], budgets[i] - left[i]);
        greed[i] *= fits ? random.uniform(1, 1.5) : random.uniform(0.2, 1);
      }
    }
  }
}

// Every instruction set, both precisions of norms, one budget or one each, near the end and far
// from it, and numbers of people that are not multiples of a vector's length.
template <class Real>
void expect_admitted_one_by_one(oracle::Random& random) {
  const PriceList list = random_list(random);
  const Step step = clip_step(list, random.coin(0.3) ? 1 : random.log_uniform(1e-30, 1e30));
  const auto price = priced(list)->price(step);
  const auto people = static_cast<std::size_t>(random.uniform(0, 70));
  std::vector<Real> norms(people);
  std::vector<Units> spent(people), budgets(random.coin(0.5) ? people : 1);
  for (Units& budget : budgets) {
    budget = static_cast<Units>(random.uniform(0, 9) * static_cast<double>(kWhole));
  }
  const Purses purses = {.places = 1,
                         .spent = spent.data(),
                         .budgets = budgets.data(),
                         .stride = budgets.size() == people ? std::size_t{1} : 0,
                         .kind_of = nullptr};
  for (std::size_t i = 0; i < people; ++i) {
    norms[i] = static_cast<Real>(random_norm(random, list, step));
    if (random.coin(0.1)) norms[i] = -Real{0};
    if (random.coin(0.1)) norms[i] = std::numeric_limits<Real>::denorm_min();
    if (random.coin(0.1)) norms[i] = std::numeric_limits<Real>::max();
    if (random.coin(0.5)) spent[i] = *purses.budget_of(i) - *purses.budget_of(i) / 7;
  }
  const std::vector<Units> before = spent;
  Mask mask(people);
  price->admit(std::span<const Real>(norms), purses, mask.data());
  for (std::size_t i = 0; i < people; ++i) {
    const Units left = *purses.budget_of(i) - before[i];
    const Units due = cost(list, asked(*price, norms[i]), left);
    ASSERT_EQ(mask[i] != 0, due <= left) << norms[i] << " with " << left;
    ASSERT_EQ(spent[i] - before[i], due <= left ? due : 0) << norms[i] << " with " << left;
  }
}

TEST(TightFilterSequences, EveryInstructionSetAdmitsAsOneByOne) {
  oracle::Random random(66);
  const auto supported = hwy::SupportedTargets();
  for (auto rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (int i = 0; i < oracle::cases() / 20; ++i) {
      expect_admitted_one_by_one<float>(random);
      expect_admitted_one_by_one<double>(random);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// A filter of many people, most of whom come to their end.
struct Outcome {
  std::vector<Mask> masks;
  Filter::State state;
};
PriceList long_list() {
  std::vector<PricedStep> entries;
  for (int i = 0; i < 40; ++i) {
    const double ratio = std::exp2(i / 10.0);
    entries.push_back({{.noise = 1.1 * ratio, .rate = 0.02},
                       static_cast<Units>(std::ceil(kWhole / (ratio * ratio)))});
  }
  return {entries, 3};
}
Filter fresh(const std::vector<Units>& budgets) {
  return Filter({.currency = priced(long_list()),
                 .spent = std::vector<Units>(budgets.size()),
                 .budgets = budgets});
}
std::vector<Units> random_budgets(std::size_t people) {
  oracle::Random random(63);
  std::vector<Units> budgets(people);
  for (Units& budget : budgets) {
    budget = static_cast<Units>(random.uniform(0, 9) * static_cast<double>(kWhole));
  }
  return budgets;
}
std::vector<std::vector<double>> random_rows(std::size_t people, int steps) {
  oracle::Random random(64);
  const PriceList list = long_list();
  const Step step = clip_step(list, 2);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(steps),
                                        std::vector<double>(people));
  for (auto& row : rows) {
    for (double& norm : row) norm = random_norm(random, list, step);
  }
  return rows;
}
Outcome run(Filter filter, const std::vector<std::vector<double>>& rows, std::size_t from = 0) {
  std::vector<Mask> masks;
  for (std::size_t j = from; j < rows.size(); ++j) {
    filter.admit(clip_step(long_list(), 2), rows[j], masks.emplace_back(rows[j].size()));
  }
  return {std::move(masks), filter.state()};
}

TEST(TightFilterSequences, ThreadsAndTheOrderOfPeopleChangeNothing) {
  constexpr std::size_t kPeople = 100'003;
  auto rows = random_rows(kPeople, 12);
  auto budgets = random_budgets(kPeople);
  omp_set_num_threads(1);
  const Outcome alone = run(fresh(budgets), rows);
  std::size_t left_out = 0;
  for (const Mask& mask : alone.masks) {
    left_out += static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 0));
  }
  EXPECT_GT(left_out, kPeople);
  for (const int threads : {2, 3, 7}) {
    omp_set_num_threads(threads);
    const Outcome many = run(fresh(budgets), rows);
    EXPECT_EQ(many.masks, alone.masks);
    EXPECT_TRUE(many.state == alone.state);
  }
  omp_set_num_threads(omp_get_num_procs());
  for (auto& row : rows) std::reverse(row.begin(), row.end());
  std::reverse(budgets.begin(), budgets.end());
  Outcome backward = run(fresh(budgets), rows);
  for (Mask& mask : backward.masks) std::reverse(mask.begin(), mask.end());
  std::reverse(backward.state.spent.begin(), backward.state.spent.end());
  EXPECT_EQ(backward.masks, alone.masks);
  EXPECT_EQ(backward.state.spent, alone.state.spent);
}

TEST(TightFilterSequences, GoesOnBitForBitWhenSavedAndLoaded) {
  const auto rows = random_rows(500, 16);
  const Outcome whole = run(fresh(random_budgets(500)), rows);
  for (const std::size_t stop : {std::size_t{0}, std::size_t{5}, std::size_t{15}}) {
    const Outcome first = run(fresh(random_budgets(500)),
                              {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(stop)});
    const std::vector<std::byte> bytes = saved(Filter(first.state));
    const Filter loaded = restored<Filter>(bytes);
    EXPECT_TRUE(loaded.state() == first.state);
    EXPECT_EQ(saved(loaded), bytes);
    const Outcome rest = run(loaded, rows, stop);
    EXPECT_TRUE(rest.state == whole.state);
    EXPECT_TRUE(std::equal(rest.masks.begin(), rest.masks.end(),
                           whole.masks.begin() + static_cast<std::ptrdiff_t>(stop)));
  }
}

TEST(TightFilterSequences, LikeStepsInARowAreAdmittedAsOneByOne) {
  oracle::Random random(65);
  constexpr int kPeople = 50;
  for (int done = 0; done < oracle::cases() / 10; done += kPeople) {
    const PriceList list = random_list(random);
    const CurrencyPtr currency = priced(list);
    std::vector<Units> budgets(kPeople);
    for (Units& budget : budgets) {
      budget = static_cast<Units>(random.uniform(0, 9) * static_cast<double>(kWhole));
    }
    Filter at_once(
        {.currency = currency, .spent = std::vector<Units>(kPeople), .budgets = budgets});
    Filter one_by_one = at_once;
    const Step step = clip_step(list, 2);
    for (int block = 0; block < 3; ++block) {
      std::vector<double> norms(kPeople);
      for (double& norm : norms) norm = random_norm(random, list, step);
      const auto steps = static_cast<std::uint32_t>(random.uniform(0, 30));
      std::vector<std::uint32_t> could(kPeople), times(kPeople), counted(kPeople);
      at_once.could_admit(step, norms, steps, could);
      at_once.admit_repeatedly(step, norms, steps, times);
      Mask mask(kPeople);
      for (std::uint32_t j = 0; j < steps; ++j) {
        one_by_one.admit(step, norms, mask);
        for (std::size_t i = 0; i < kPeople; ++i) {
          // In the first times[i] of them, and in none later.
          ASSERT_EQ(mask[i] != 0, j < times[i]) << norms[i];
          counted[i] += mask[i];
        }
      }
      EXPECT_EQ(times, counted);
      EXPECT_EQ(could, counted);
      EXPECT_TRUE(at_once.state() == one_by_one.state());
    }
  }
}

// The step is refused for one person's sake, and everybody else's charge is taken back.
TEST(TightFilterSequences, AStepWithANormThatIsNoneLeavesNoTrace) {
  constexpr std::size_t kPeople = 20'011;
  const auto rows = random_rows(kPeople, 10);
  Filter filter = fresh(random_budgets(kPeople));
  Mask mask(kPeople);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const Filter::State before = filter.state();
    const std::size_t whose[] = {0, kPeople / 2, kPeople - 1};
    for (const std::size_t person : whose) {
      auto wrong = rows[j];
      wrong[person] = std::numeric_limits<double>::quiet_NaN();
      expect_refusal([&] { filter.admit(clip_step(long_list(), 2), wrong, mask); }, {"norm"});
      EXPECT_TRUE(filter.state() == before);
    }
    filter.admit(clip_step(long_list(), 2), rows[j], mask);
  }
  EXPECT_EQ(filter.steps(), rows.size());
}

}  // namespace
}  // namespace ration
