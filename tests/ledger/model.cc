#include "tests/ledger/model.h"

#include <algorithm>
#include <numeric>

#include "ration/ledger/session.h"

namespace ration::ledger {
namespace {

using Kind = Change::Kind;

std::vector<std::string> ids_of(const Model& model, const Change& change) {
  std::vector<std::string> ids;
  if (change.everybody) return ids;
  for (const std::size_t i : change.who) ids.push_back(model.ids[i]);
  return ids;
}

Units charge_of(double norm, double noise) {
  Units units = 0;
  gdp_currency()->price({.noise = noise})->charges(std::span<const double>(&norm, 1), &units);
  return units;
}

}  // namespace

NewPeople some_people(std::size_t first, std::size_t count) {
  NewPeople people;
  people.budgets.kinds = {MuBudget{1}, MuBudget{0.25}, EpsilonBudget{.epsilon = 3, .delta = 1e-6}};
  for (std::size_t i = first; i < first + count; ++i) {
    people.ids.push_back("person " + std::to_string(i * 7919 % 100'003));
    people.budgets.kind_of.push_back(static_cast<std::uint32_t>(i % 3));
  }
  return people;
}

Model model_of(const NewPeople& people) {
  Model model;
  for (std::size_t i = 0; i < people.ids.size(); ++i) {
    model.ids.push_back(people.ids[i]);
    model.budgets.push_back(gdp_units(people.budgets.kinds[people.budgets.kind_of[i]]));
  }
  model.spent.resize(model.ids.size());
  model.reserved.resize(model.ids.size());
  return model;
}

Change random_change(const Model& model, std::uint64_t number, unsigned seed) {
  std::mt19937_64 random(number * 1'000'003 + seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  Change change = {.kind = Kind::admit, .token = "t" + std::to_string(number), .who = {}};
  const std::uint64_t dice = below(20);
  if (dice >= 8 && !model.open.empty()) {
    const auto& [token, open] =
        *std::next(model.open.begin(), static_cast<std::ptrdiff_t>(below(model.open.size())));
    change.token = token;
    change.who = open.who;
    change.everybody = open.everybody;
    change.limit = open.limit;
    change.kind = dice < 11   ? open.started ? Kind::settle : Kind::start
                  : dice < 13 ? open.started ? Kind::settle : Kind::give_up
                  : dice < 14 ? Kind::settle_everything
                              : Kind::settle;
    for (const Units most : open.units)
      change.charges.push_back(below(3) == 0 ? most : below(most + 1));
    return change;
  }
  change.kind = dice == 0 ? Kind::add : dice < 8 ? Kind::grant : Kind::admit;
  if (change.kind == Kind::add) {
    change.who.resize(1 + below(90));
    return change;
  }
  change.everybody = below(2) == 0;
  change.who.resize(model.ids.size());
  std::iota(change.who.begin(), change.who.end(), 0);
  if (!change.everybody) {
    std::shuffle(change.who.begin(), change.who.end(), random);
    change.who.resize(1 + below(30));
  }
  change.noise = 2 + static_cast<double>(below(20));
  if (below(4) != 0) change.limit = 0.01 * static_cast<double>(1 + below(60));
  for (std::size_t i = 0; i < change.who.size(); ++i) {
    change.norms.push_back(0.01 * static_cast<double>(below(150)));
  }
  return change;
}

Answer apply(Model& model, const Change& change) {
  Answer answer;
  if (change.kind == Kind::add) {
    const Model more = model_of(some_people(model.ids.size(), change.who.size()));
    model.ids.insert(model.ids.end(), more.ids.begin(), more.ids.end());
    model.budgets.insert(model.budgets.end(), more.budgets.begin(), more.budgets.end());
    model.spent.resize(model.ids.size());
    model.reserved.resize(model.ids.size());
  } else if (change.kind == Kind::grant) {
    const Units most = change.limit ? gdp_units(MuBudget{*change.limit}) : kMostUnits;
    for (const std::size_t i : change.who) {
      answer.push_back(std::min(most, model.left(i)));
      model.reserved[i] += answer.back();
    }
    model.open[change.token] = {change.who, answer, change.everybody, false, change.limit};
  } else if (change.kind == Kind::admit) {
    for (std::size_t j = 0; j < change.who.size(); ++j) {
      const std::size_t i = change.who[j];
      const Units charge = charge_of(change.norms[j], change.noise);
      answer.push_back(charge <= model.left(i) ? 1 : 0);
      if (answer.back() != 0) model.spent[i] += charge;
    }
  } else if (change.kind == Kind::start) {
    model.open.at(change.token).started = true;
  } else {
    const auto& open = model.open.at(change.token);
    for (std::size_t j = 0; j < open.who.size(); ++j) {
      model.reserved[open.who[j]] -= open.units[j];
      model.spent[open.who[j]] += change.kind == Kind::settle              ? change.charges[j]
                                  : change.kind == Kind::settle_everything ? open.units[j]
                                                                           : 0;
    }
    model.open.erase(change.token);
  }
  return answer;
}

Answer apply(Ledger& ledger, const Model& before, const Change& change) {
  const auto grant = [&] {
    GrantRequest request = {.token = change.token, .ids = ids_of(before, change)};
    if (change.limit) request.limit = MuBudget{*change.limit};
    return ledger.grant(request);
  };
  switch (change.kind) {
    case Kind::add: {
      if (ledger.people() != before.ids.size()) return {};  // it happened before a crash
      ledger.add(some_people(before.ids.size(), change.who.size()));
      return {};
    }
    case Kind::grant:
      return grant().reserves;
    case Kind::start:
      ledger.start(change.token, "run");
      return {};
    case Kind::settle:
      ledger.settle(grant(), change.charges);
      return {};
    case Kind::settle_everything:
      ledger.settle_everything(change.token);
      return {};
    case Kind::give_up:
      ledger.void_grant(change.token);
      return {};
    case Kind::admit: {
      const auto mask = ledger.admit({.token = change.token,
                                      .step = {.noise = change.noise},
                                      .ids = ids_of(before, change),
                                      .norms = change.norms});
      return {mask.begin(), mask.end()};
    }
  }
  return {};
}

Model model_in(Storage& storage) {
  Session session(storage, *gdp_currency(), Access::read);
  Model model;
  for (std::uint64_t block = 0; block < session.blocks(); ++block) {
    for (std::string& id : session.ids(block)) model.ids.push_back(std::move(id));
    const Account account = session.account(block);
    model.spent.insert(model.spent.end(), account.spent.begin(), account.spent.end());
    model.reserved.insert(model.reserved.end(), account.reserved.begin(), account.reserved.end());
  }
  return model;
}

}  // namespace ration::ledger
