// What a ledger promises, one promise at a time.

#include "ration/ledger/ledger.h"

#include <gtest/gtest.h>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/ledger/account_grant.h"
#include "ration/ledger/link.h"
#include "ration/state/saved.h"
#include "tests/ledger/home.h"

namespace ration::ledger {
namespace {

NewPeople three() { return {.ids = {"ann", "bob", "cy"}, .budgets = {.kinds = {MuBudget{1}}}}; }

class LedgerTest : public AnyHome {
 protected:
  Ledger made(const CurrencyPtr& currency = gdp_currency(), const NewPeople& people = three()) {
    location_ = home_.location("ledger");
    return Ledger::create(location_, currency, 1e-5, people);
  }
  std::string location_;
};
RATION_IN_ALL_HOMES(LedgerTest);

constexpr Units kAll = Units{1} << 50;  // mu = 1

TEST_P(LedgerTest, AGrantTakesTheLimitOrWhatIsLeft) {
  Ledger ledger = made();
  EXPECT_EQ(ledger.grant({.token = "a", .limit = MuBudget{0.5}}).reserves,
            (std::vector<Units>(3, kAll / 4)));
  const Grant rest = ledger.grant({.token = "b", .ids = {"cy", "ann"}});
  EXPECT_EQ(rest.reserves, (std::vector<Units>(2, kAll / 4 * 3)));
  EXPECT_EQ(ledger.grant({.token = "c", .limit = MuBudget{1}}).reserves,
            (std::vector<Units>{0, kAll / 4 * 3, 0}));
}

TEST_P(LedgerTest, TheSameTokenGivesTheFirstAnswerAndChargesNothing) {
  Ledger ledger = made();
  const GrantRequest request = {.token = "a", .purpose = "p", .limit = MuBudget{0.5}};
  const Grant first = ledger.grant(request);
  ledger.grant({.token = "b", .limit = MuBudget{0.5}});
  const std::string head = ledger.head();
  EXPECT_EQ(ledger.grant(request).reserves, first.reserves);
  EXPECT_EQ(Ledger::open(location_).grant(request).reserves, first.reserves);
  EXPECT_EQ(ledger.head(), head);
}

TEST_P(LedgerTest, TheSameTokenWithAnotherBodyIsRefused) {
  Ledger ledger = made();
  const std::vector<double> norms = {1, 1, 1}, others = {1, 1, 0.5};
  ledger.grant({.token = "a", .limit = MuBudget{0.5}});
  ledger.admit({.token = "q", .step = {.noise = 5}, .norms = norms});
  const std::string head = ledger.head();
  const std::string words =
      "token 'a' was used before for another request: give a new token; nothing was charged";
  EXPECT_EQ(refusal([&] { ledger.grant({.token = "a", .limit = MuBudget{0.6}}); }), words);
  EXPECT_EQ(refusal([&] { ledger.grant({.token = "a", .team = "t", .limit = MuBudget{0.5}}); }),
            words);
  EXPECT_EQ(refusal([&] {
              ledger.grant({.token = "a", .limit = MuBudget{0.5}, .ids = {"ann", "bob", "cy"}});
            }),
            words);
  EXPECT_EQ(refusal([&] { ledger.admit({.token = "a", .step = {.noise = 5}, .norms = norms}); }),
            words);
  EXPECT_NE(refusal([&] { ledger.admit({.token = "q", .step = {.noise = 5}, .norms = others}); }),
            "accepted");
  EXPECT_NE(refusal([&] { ledger.admit({.token = "q", .step = {.noise = 6}, .norms = norms}); }),
            "accepted");
  EXPECT_EQ(ledger.head(), head);
}

TEST_P(LedgerTest, AGrantMakesTheFilterOfARunAndIsSettledWithItsCharges) {
  for (const CurrencyPtr& currency : {gdp_currency(), renyi_currency(default_orders())}) {
    const std::string location = home_.location(std::string(currency->name()));
    Ledger ledger = Ledger::create(location, currency, 1e-5, three());
    const Grant grant = ledger.grant({.token = "run", .limit = MuBudget{0.5}});
    Filter filter = ledger.filter(grant);
    std::vector<std::uint8_t> mask(3);
    const std::vector<double> norms = {1, 0.5, 0};
    ledger.start("run", "mine");
    for (int k = 0; k < 10; ++k) filter.admit({.noise = 4}, norms, mask);  // 4 of mu = 0.25 fit
    EXPECT_EQ(mask, (std::vector<std::uint8_t>{0, 1, 1}));
    ledger.settle(grant, filter.state().spent);
    EXPECT_NEAR(ledger.person("ann").spent.upper,
                currency->epsilon(currency->units_of(MuBudget{0.5}), 1e-5).upper, 1e-9);
    EXPECT_LT(ledger.person("bob").spent.upper, ledger.person("ann").spent.lower);
    EXPECT_EQ(ledger.person("cy").spent, exactly(0));
    EXPECT_EQ(ledger.person("cy").left, ledger.person("cy").budget);
    EXPECT_EQ(ledger.person("ann").reserved, exactly(0));
    EXPECT_NO_THROW(ledger.verify());
  }
}

TEST_P(LedgerTest, AStartedGrantIsNotSettledWithAFilterThatSawNothing) {
  Ledger ledger = made();
  const Grant grant = ledger.grant({.token = "a", .limit = MuBudget{0.5}});
  const Filter untouched = ledger.filter(grant);
  ledger.start("a", "run");
  EXPECT_EQ(refusal([&] { ledger.settle(ledger.held("a"), untouched); }).substr(0, 49),
            "filter has seen no step, and grant 'a' was starte");
  // Nor by somebody who looked before another run has started it.
  EXPECT_EQ(refusal([&] { ledger.settle(grant, untouched); }).substr(0, 49),
            "filter has seen no step, and grant 'a' was starte");
  EXPECT_GT(ledger.person("ann").reserved.upper, 0);
}

TEST_P(LedgerTest, EverybodyOfAGrantIsSettledOnce) {
  Ledger ledger = made();
  Grant grant = ledger.grant({.token = "a"});
  grant.places = {0, 0, 2};
  EXPECT_EQ(refusal([&] { ledger.settle(grant, std::vector<Units>(3, 1)); }),
            "charges are given twice for one person");
  grant.places = {0, 2};
  EXPECT_EQ(refusal([&] { ledger.settle(grant, std::vector<Units>(2, 1)); }),
            "charges are missing for somebody with a reserve");
  EXPECT_GT(ledger.person("bob").reserved.upper, 0);
}

// Hashes have a key that stays in the file: the same requests at the same time give other heads.
TEST_P(LedgerTest, AHeadTellsNothingWithoutTheFile) {
  const Link link = {.number = 3, .kind = "admit", .token = "q"};
  Checksum key{}, other{};
  other[0] = std::byte{1};
  EXPECT_NE(hash_of(link, key), hash_of(link, other));
}

TEST_P(LedgerTest, TextsThatArePrintedAreOneLine) {
  Ledger ledger = made();
  for (const char* bad : {"a\nb", "\x1b[2J", "a\x7f"}) {
    EXPECT_NE(refusal([&] { ledger.grant({.token = bad}); }), "accepted");
    EXPECT_NE(refusal([&] { ledger.grant({.token = "t", .purpose = bad}); }), "accepted");
    EXPECT_NE(refusal([&] { ledger.grant({.token = "t", .team = bad}); }), "accepted");
  }
  EXPECT_EQ(ledger.count_grants(), 0u);
}

TEST_P(LedgerTest, WhatIsNeverSettledCountsAsSpent) {
  Ledger ledger = made();
  ledger.grant({.token = "a"});
  EXPECT_EQ(ledger.person("ann").left, exactly(0));
  const std::vector<double> norms = {0.001, 0, 0.001};
  EXPECT_EQ(ledger.admit({.token = "q", .step = {.noise = 1e6}, .norms = norms}),
            (std::vector<std::uint8_t>{0, 1, 0}));
}

TEST_P(LedgerTest, ChargesAboveTheReserveAreRefusedAndNothingIsSettled) {
  Ledger ledger = made();
  const Grant grant = ledger.grant({.token = "a", .limit = MuBudget{0.5}});
  const std::string head = ledger.head();
  EXPECT_NE(refusal([&] {
              ledger.settle(grant, std::vector<Units>{0, 0, kAll / 4 + 1});
            }),
            "accepted");
  EXPECT_NE(refusal([&] { ledger.settle(grant, std::vector<Units>{0, 0}); }), "accepted");
  EXPECT_EQ(ledger.head(), head);
  ledger.settle(grant, std::vector<Units>{0, 0, kAll / 4});
  ledger.settle(grant, std::vector<Units>{0, 0, kAll / 4});  // again: nothing happens
  EXPECT_EQ(refusal([&] {
              ledger.settle(grant, std::vector<Units>{0, 0, 0});
            }),
            "grant 'a' is settled: take another one with a new token");
  EXPECT_EQ(ledger.grant({.token = "b"}).reserves, (std::vector<Units>{kAll, kAll, kAll / 4 * 3}));
}

TEST_P(LedgerTest, OnlyWhatWasNotStartedIsVoided) {
  Ledger ledger = made();
  ledger.grant({.token = "a"});
  ledger.void_grant("a");
  ledger.void_grant("a");
  EXPECT_EQ(ledger.person("ann").left, ledger.person("ann").budget);
  EXPECT_NE(refusal([&] { ledger.start("a", "run"); }), "accepted");
  ledger.grant({.token = "b"});
  ledger.start("b", "run");
  EXPECT_EQ(refusal([&] { ledger.void_grant("b"); }),
            "grant 'b' was started: something may have been released; settle it instead");
  ledger.settle_everything("b");
  EXPECT_EQ(ledger.person("ann").left, exactly(0));
  EXPECT_EQ(ledger.history().back().kind, "settle");
}

TEST_P(LedgerTest, AGrantIsStartedByOneRunAndTheFilterIsMadeBefore) {
  Ledger ledger = made();
  const Grant grant = ledger.grant({.token = "a"});
  ledger.start("a", "one");
  ledger.start("a", "one");
  EXPECT_EQ(refusal([&] { ledger.start("a", "two"); }),
            "grant 'a' was started by another run: take one of your own");
  EXPECT_NE(refusal([&] { ledger.filter(ledger.grant({.token = "a"})); }), "accepted");
}

// Two launches of one script: both have seen the grant before either has started.
TEST_P(LedgerTest, TwoHoldersWithOneNameSpendAReserveOnce) {
  made();
  Ledger one = Ledger::open(location_), two = Ledger::open(location_);
  const GrantRequest request = {.token = "a", .limit = MuBudget{0.5}};
  const Grant first = one.grant(request), second = two.grant(request);
  EXPECT_NO_THROW(two.filter(second));
  one.start(first, "train.sh");
  const std::string head = one.head();
  EXPECT_EQ(refusal([&] { two.start(second, "train.sh"); }).substr(0, 69),
            "grant 'a' was started meanwhile, by a run of the same name: if it was");
  EXPECT_EQ(refusal([&] { two.start(second, "other.sh"); }),
            "grant 'a' was started by another run: take one of your own");
  EXPECT_EQ(one.head(), head);
  // Who comes later has seen that it was started: there is no new filter, and its run goes on.
  const Grant later = two.grant(request);
  EXPECT_NE(refusal([&] { two.filter(later); }), "accepted");
  EXPECT_EQ(refusal([&] { two.start(later, "train.sh"); }), "accepted");
  EXPECT_NE(refusal([&] { two.start(later, "other.sh"); }), "accepted");
  EXPECT_EQ(two.head(), head);
}

// Equal norms give equal charges, and so the same name.
TEST_P(LedgerTest, TwoAccountsOfTheSameNormsSpendAReserveOnce) {
  made();
  const auto held = [&] {
    return AccountGrant(Ledger::open(location_), {.token = "a", .limit = MuBudget{0.5}},
                        {.currency = *gdp_currency(), .delta = 1e-5});
  };
  const auto charged = [](const AccountGrant& grant) {
    Filter filter = grant.filter();
    std::vector<std::uint8_t> mask(3);
    filter.admit({.noise = 4}, std::vector<double>{1, 0.5, 0}, mask);
    return filter;
  };
  AccountGrant one = held(), two = held();
  one.start(charged(one));
  EXPECT_EQ(refusal([&] { two.start(charged(two)); }).substr(0, 32),
            "grant 'a' was started meanwhile,");
  // As after a kill.
  AccountGrant resumed = held();
  EXPECT_EQ(refusal([&] { resumed.start(charged(resumed)); }), "accepted");
  resumed.settle(charged(resumed));
  EXPECT_NE(refusal([&] { held(); }), "accepted");
  Ledger ledger = Ledger::open(location_);
  EXPECT_EQ(ledger.history().size(), 5u);
  EXPECT_NO_THROW(ledger.verify());
}

TEST_P(LedgerTest, ATeamStaysWithinItsQuota) {
  Ledger ledger = made();
  ledger.set_quota("red", MuBudget{0.5});
  ledger.grant({.token = "a", .team = "red", .limit = MuBudget{0.4}});
  EXPECT_NE(refusal([&] { ledger.grant({.token = "b", .team = "red", .limit = MuBudget{0.4}}); }),
            "accepted");
  // All that the quota has left: 0.25 - 0.16.
  const Grant rest = ledger.grant({.token = "c", .team = "red"});
  EXPECT_EQ(rest.reserves[0], square_down(0.5) - square_down(0.4));
  const std::vector<double> norms = {0, 0, 0};
  EXPECT_NE(refusal([&] {
              ledger.admit({.token = "q", .team = "red", .step = {.noise = 100}, .norms = norms});
            }),
            "accepted");
  ledger.void_grant("a");
  EXPECT_EQ(ledger.grant({.token = "d", .team = "red"}).reserves[0], square_down(0.4));
  // A quota counts from the first day on.
  ledger.grant({.token = "e", .team = "blue", .limit = MuBudget{0.3}});
  ledger.set_quota("blue", MuBudget{0.3});
  EXPECT_EQ(ledger.grant({.token = "f", .team = "blue"}).reserves, (std::vector<Units>(3)));
  EXPECT_NO_THROW(ledger.verify());
}

TEST_P(LedgerTest, AddedPeopleHaveBudgetsOfTheirOwn) {
  Ledger ledger = made();
  ledger.grant({.token = "a"});
  ledger.add({.ids = {"dee"}, .budgets = {.kinds = {MuBudget{0.5}}}});
  EXPECT_EQ(ledger.grant({.token = "b"}).reserves, (std::vector<Units>{0, 0, 0, kAll / 4}));
  EXPECT_EQ(ledger.grant({.token = "a"}).reserves, (std::vector<Units>(3, kAll)));
  EXPECT_EQ(ledger.ids(), (std::vector<std::string>{"ann", "bob", "cy", "dee"}));
  EXPECT_NE(refusal([&] { ledger.add({.ids = {"ann"}, .budgets = {.kinds = {MuBudget{1}}}}); }),
            "accepted");
  EXPECT_NO_THROW(ledger.verify());
}

// Places of a Renyi budget that limit nothing are not counted, and nothing is claimed by them.
TEST_P(LedgerTest, PlacesWithoutALimitClaimNothing) {
  const CurrencyPtr currency = renyi_currency({2, 100'000});
  Ledger ledger = made(currency, {.ids = {"ann"}, .budgets = {.kinds = {MuBudget{1}}}});
  const Row budget = currency->units_of(MuBudget{1});
  ASSERT_EQ(budget[1], kMostUnits);
  const std::vector<double> norms = {1};
  EXPECT_EQ(ledger.admit({.token = "q", .step = {.noise = 2}, .norms = norms})[0], 1);
  const Row quarter = {kAll / 4, kMostUnits};
  EXPECT_EQ(ledger.person("ann").spent, currency->epsilon(quarter, 1e-5));
  EXPECT_EQ(ledger.grant({.token = "g"}).reserves, (std::vector<Units>{kAll / 4 * 3, kMostUnits}));
  EXPECT_NO_THROW(ledger.verify());
}

TEST_P(LedgerTest, KnowsItsHeadsAndNotThoseOfACopyThatWentOn) {
  const std::string seen = made().head();
  const std::string backup = home_.copy("ledger", "backup");
  Ledger ledger = Ledger::open(location_);
  ledger.grant({.token = "a"});
  EXPECT_TRUE(ledger.contains(seen));
  EXPECT_TRUE(ledger.contains(ledger.head()));
  Ledger restored = Ledger::open(backup);
  EXPECT_NO_THROW(restored.verify());
  EXPECT_TRUE(restored.contains(seen));
  EXPECT_FALSE(restored.contains(ledger.head())) << "it has forgotten a spend";
  EXPECT_NE(refusal([&] { ledger.contains("12"); }), "accepted");
}

// A table is read without them: one person would have two budgets.
TEST_P(LedgerTest, IdsWithBlanksAtTheirEndsAreRefused) {
  Ledger ledger = made();
  const std::string head = ledger.head();
  for (const std::string id : {" dee", "dee ", "dee\n", "\tdee", "d\te"}) {
    const NewPeople people = {.ids = {id}, .budgets = {.kinds = {MuBudget{1}}}};
    EXPECT_EQ(refusal([&] { ledger.add(people); }).find("id at position 0"), 0u) << id;
  }
  EXPECT_EQ(ledger.head(), head);
}

TEST_P(LedgerTest, AnExistingLedgerIsNotReplaced) {
  Ledger ledger = made();
  const std::string head = ledger.head();
  EXPECT_NE(
      refusal([&] { Ledger::create(location_, gdp_currency(), 1e-5, three()); }).find(" already"),
      std::string::npos);
  EXPECT_EQ(ledger.head(), head);
}

TEST_P(LedgerTest, TwoGrantsOfEqualReservesHaveFiltersOfTheirOwn) {
  Ledger ledger = made();
  const Grant one = ledger.grant({.token = "one", .limit = MuBudget{0.5}});
  const Grant two = ledger.grant({.token = "two", .limit = MuBudget{0.5}});
  ASSERT_EQ(one.reserves, two.reserves);
  Filter filter = ledger.filter(one);
  std::vector<std::uint8_t> mask(3);
  filter.admit({.noise = 4}, std::vector<double>{1, 1, 1}, mask);
  EXPECT_EQ(refusal([&] { ledger.settle(two, filter); }),
            "filter was not made from grant 'two': give the one that was");
  const Filter loaded = restored<Filter>(saved(filter));
  EXPECT_NO_THROW(ledger.settle(one, loaded));
  // A filter that was made by hand belongs to no grant, and one of another ledger not to this one.
  Filter::State by_hand = ledger.filter(two).state();
  by_hand.source.clear();
  EXPECT_NE(refusal([&] { ledger.settle(two, Filter(std::move(by_hand))); }), "accepted");
  Ledger other = Ledger::create(home_.location("other"), gdp_currency(), 1e-5, three());
  const Filter elsewhere = other.filter(other.grant({.token = "two", .limit = MuBudget{0.5}}));
  EXPECT_NE(refusal([&] { ledger.settle(two, elsewhere); }), "accepted");
  EXPECT_NO_THROW(ledger.settle(two, ledger.filter(two)));
}

TEST_P(LedgerTest, RefusalsNameNobody) {
  Ledger ledger = made();
  const std::vector<double> one = {1}, two = {1, 1}, wrong = {1, -1, 1};
  const Step step = {.noise = 5};
  const std::string head = ledger.head();
  for (const std::string& text :
       {refusal([&] { ledger.admit({.token = "q", .step = step, .ids = {"zoe"}, .norms = one}); }),
        refusal([&] {
          ledger.admit({.token = "q", .step = step, .ids = {"ann", "ann"}, .norms = two});
        }),
        refusal([&] { ledger.admit({.token = "q", .step = step, .norms = wrong}); }),
        refusal([&] { ledger.admit({.token = "q", .step = step, .norms = two}); }), refusal([&] {
          ledger.grant({.token = "g", .ids = {"ann", "zoe"}});
        }),
        refusal([&] { ledger.grant({.token = ""}); }), refusal([&] { ledger.person("zoe"); }),
        refusal([&] { ledger.settle_everything("g"); }), refusal([&] {
          ledger.admit({.token = "q", .step = {.noise = 5, .rate = 0.5}, .norms = wrong});
        }),
        refusal([&] {
          ledger.add({.ids = {"x", "x"}, .budgets = {.kinds = {MuBudget{1}}}});
        })}) {
    EXPECT_NE(text, "accepted");
    EXPECT_EQ(text.find("ann"), std::string::npos) << text;
    EXPECT_EQ(text.find("zoe"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  EXPECT_EQ(ledger.head(), head);
}

}  // namespace
}  // namespace ration::ledger
