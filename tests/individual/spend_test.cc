#include "ration/individual/spend.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cfenv>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/individual/norms.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rational.h"

namespace ration {
namespace {

using oracle::Rational;

Rational exact_units(const Step& step, double norm) {
  const Rational ratio = Rational(std::min(norm, double{step.clip})) /
                         (Rational(double{step.clip}) * Rational(double{step.noise}));
  return (ratio * ratio).scaled(50);
}

struct Case {
  Step step;
  double norm;
};
// Noise and norms of every size, with round numbers among them.
Case random_case(oracle::Random& random) {
  const double clip = random.coin(0.5) ? 1 : random.log_uniform(1e-30, 1e30);
  const double noise = random.coin(0.2)   ? std::ldexp(1, static_cast<int>(random.uniform(-10, 20)))
                       : random.coin(0.5) ? random.log_uniform(1e-4, 1e8)
                                          : random.log_uniform(0.3, 300);
  const double relative = random.coin(0.1) ? 1.5
                          : random.coin(0.2)
                              ? std::ldexp(1, static_cast<int>(random.uniform(-30, 1)))
                          : random.coin(0.5) ? random.log_uniform(1e-12, 1)
                                             : random.uniform(0, 1);
  return {.step = {.noise = noise, .clip = clip}, .norm = relative * clip};
}

TEST(Spend, NeverBelowTheExactValueAndAtMostOneUnitAboveItsCeiling) {
  oracle::Random random(31);
  const Rational one(std::uint64_t{1}), most(kMostUnits);
  for (int i = 0; i < oracle::cases(); ++i) {
    const Case c = random_case(random);
    const Rational exact = exact_units(c.step, c.norm).ceiling();
    const Units charge = SpendRule(c.step).charge(c.norm);
    if (most <= exact) {
      EXPECT_EQ(charge, kMostUnits);
      continue;
    }
    EXPECT_TRUE(exact <= Rational(charge)) << double{c.step.noise} << " " << c.norm;
    EXPECT_TRUE(Rational(charge) <= exact + one) << double{c.step.noise} << " " << c.norm;
  }
}

TEST(Spend, TheWorstCaseIsTheExactCeilingAndNoChargeIsAboveIt) {
  oracle::Random random(32);
  const Rational most(kMostUnits);
  for (int i = 0; i < oracle::cases(); ++i) {
    const Case c = random_case(random);
    const SpendRule rule(c.step);
    const Rational exact = exact_units(c.step, c.step.clip).ceiling();
    EXPECT_TRUE(exact == Rational(rule.worst_case()) || most <= exact);
    EXPECT_EQ(rule.charge(2 * c.step.clip), rule.worst_case());
    EXPECT_LE(rule.charge(std::nextafter(double{c.step.clip}, 0)), rule.worst_case());
    EXPECT_LE(rule.charge(c.norm), rule.worst_case());
  }
  EXPECT_EQ(SpendRule({.noise = 1}).worst_case(), Units{1} << 50);
  EXPECT_EQ(SpendRule({.noise = 1e-4}).worst_case(), kMostUnits);
}

TEST(Spend, ZeroIsFreeAndAnythingElseCostsAUnit) {
  for (const double clip : {1e-30, 1.0, 1e30}) {
    for (const double noise : {1e-4, 1.0, 1e8}) {
      const SpendRule rule({.noise = noise, .clip = clip});
      EXPECT_EQ(rule.charge(0.0), 0u);
      EXPECT_EQ(rule.charge(-0.0), 0u);
      const double least = std::numeric_limits<double>::denorm_min();
      for (const double norm : {least, 1e-300, 1e-200}) EXPECT_EQ(rule.charge(norm), 1u);
    }
  }
}

template <class Real>
void expect_bulk_equals_one_by_one(const SpendRule& rule, const std::vector<Real>& norms) {
  std::vector<Units> out(norms.size());
  charges(rule, std::span<const Real>(norms), out);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    ASSERT_EQ(out[i], rule.charge(norms[i])) << i << " of " << norms.size();
  }
}

TEST(Spend, EveryInstructionSetGivesTheSameCharges) {
  oracle::Random random(33);
  const auto supported = hwy::SupportedTargets();
  for (auto rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (int i = 0; i < oracle::cases() / 50; ++i) {
      const Step step = random_case(random).step;
      const auto size = static_cast<std::size_t>(random.uniform(0, 70));
      std::vector<double> norms(size);
      std::vector<float> narrow(size);
      for (std::size_t j = 0; j < size; ++j) {
        norms[j] = random.coin(0.1) ? 0 : random_case(random).norm * step.clip;
        narrow[j] = static_cast<float>(random.coin(0.1) ? 0 : random.log_uniform(1e-44, 1e38));
      }
      expect_bulk_equals_one_by_one(SpendRule(step), norms);
      expect_bulk_equals_one_by_one(SpendRule(step), narrow);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Spend, TheCallersRoundingModeDoesNotMatter) {
  const SpendRule rule({.noise = 3});
  const std::vector<double> norms = {0.1, 0.3, 1e-9, 0.77, 1.0};
  std::vector<Units> nearest(norms.size()), downward(norms.size());
  charges(rule, norms, nearest);
  std::fesetround(FE_DOWNWARD);
  const SpendRule built_downward({.noise = 3});
  charges(built_downward, norms, downward);
  const Units one = built_downward.charge(0.3);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(nearest, downward);
  EXPECT_EQ(one, nearest[1]);
}

TEST(Spend, MuOfATotalIsAnEnclosure) {
  EXPECT_EQ(mu_of(Units{1} << 50, 0), exactly(1));
  EXPECT_EQ(mu_of(0, 10), exactly(0));
  EXPECT_EQ(mu_of(kMostUnits, 1).upper, std::numeric_limits<double>::infinity());
  oracle::Random random(34);
  for (int i = 0; i < oracle::cases(); ++i) {
    const auto total = static_cast<Units>(random.log_uniform(1, 1e19));
    const auto count = static_cast<std::uint64_t>(random.uniform(0, 100));
    const Bound mu = mu_of(total, count);
    const Rational upper(mu.upper), lower(mu.lower);
    EXPECT_TRUE(Rational(total).scaled(-50) <= upper * upper);
    const Rational least(total > 2 * count ? total - 2 * count : 0);
    EXPECT_TRUE(lower * lower <= least.scaled(-50));
  }
}

TEST(Spend, ABudgetOfMuIsItsSquareRoundedDown) {
  EXPECT_EQ(square_down(1), Units{1} << 50);
  EXPECT_EQ(square_down(0), 0u);
  EXPECT_EQ(square_down(1e-300), 0u);
  EXPECT_EQ(square_down(128), kMostUnits);
  oracle::Random random(35);
  for (int i = 0; i < oracle::cases(); ++i) {
    const double mu = random.log_uniform(1e-9, 127.9);
    const Rational exact = (Rational(mu) * Rational(mu)).scaled(50);
    const Units units = square_down(mu);
    EXPECT_TRUE(Rational(units) <= exact && exact < Rational(units + 1)) << mu;
  }
}

TEST(Norms, ARefusalNamesPersonAndStepAndNotTheValue) {
  std::vector<float> norms(100'000, 0.5F);
  check_norms(norms, 3);
  const auto message = [&] {
    try {
      check_norms(norms, 3);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  norms[70'000] = -1;
  EXPECT_EQ(
      message(),
      "norm of person 70000 at step 3 is negative: give a finite number that is not negative");
  norms[18] = std::numeric_limits<float>::infinity();
  EXPECT_NE(message().find("person 18 at step 3 is infinite"), std::string::npos);
  norms[17] = std::nanf("");
  EXPECT_NE(message().find("person 17 at step 3 is not a number"), std::string::npos);
  EXPECT_THROW(SpendRule({.noise = 1}).charge(std::nan("")), Error);
}

}  // namespace
}  // namespace ration
