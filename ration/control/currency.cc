#include "ration/control/currency.h"

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/control/tight_currency.h"

namespace ration {

void check_budgets(const Budgets& budgets, std::size_t people) {
  if (budgets.kinds.empty()) throw Error("budgets are missing: give one for all or one per person");
  if (budgets.kind_of.empty()) {
    if (budgets.kinds.size() == 1) return;
    throw Error(
        fmt::format("{} kinds of budget are given and nobody's kind: say which one each person has",
                    budgets.kinds.size()));
  }
  if (budgets.kind_of.size() != people) {
    throw Error(fmt::format("budgets are given for {} people: give one for each of the {}",
                            budgets.kind_of.size(), people));
  }
  for (std::size_t i = 0; i < people; ++i) {
    if (budgets.kind_of[i] < budgets.kinds.size()) continue;
    throw Error(fmt::format("budget kind of person {} is {}: give a number below {}", i,
                            budgets.kind_of[i], budgets.kinds.size()));
  }
}

CurrencyPtr currency_named(std::string_view name, std::vector<Order> orders) {
  if (name == "rdp") return renyi_currency(orders.empty() ? default_orders() : std::move(orders));
  if (name == "gdp") {
    if (!orders.empty()) throw Error("orders belong to filter rdp: leave them out, or choose rdp");
    return gdp_currency();
  }
  if (name == "pld") {
    throw Error(
        "filter is pld: give gdp or rdp. Privacy-loss distributions that are chosen adaptively may "
        "not be composed in general, only within families that are totally ordered and closed "
        "under composition, as the Gaussians are; they serve for reporting and for plans fixed in "
        "advance");
  }
  if (name == "tight") {
    throw Error(
        "filter tight is not known here: its prices are made for one kind of steps and one budget");
  }
  refuse("filter", name, "gdp, rdp or tight");
}

const CurrencyInState* currency_in_state(std::string_view state_name) {
  using Numbers = std::span<const std::vector<double>>;
  static const std::vector<CurrencyInState> known = {
      {"gdp", {}, [](Numbers) { return gdp_currency(); }},
      {"tight", {"terms", "prices", "worth"}, tight_currency_from},
      {"renyi", {"orders"}, [](Numbers numbers) {
         return renyi_currency({numbers[0].begin(), numbers[0].end()});
       }}};
  const auto found = std::find_if(known.begin(), known.end(), [&](const CurrencyInState& one) {
    return one.state_name == state_name;
  });
  return found == known.end() ? nullptr : &*found;
}

bool operator==(const Currency& a, const Currency& b) {
  return a.name() == b.name() && a.numbers() == b.numbers();
}

void Price::admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const {
  each_charge(norms, [&](std::size_t i, std::span<const Units> charge) {
    Units* spent = purses.spent + i * purses.places;
    const bool admitted = fits(charge, spent, purses.budget_of(i));
    mask[i] = static_cast<std::uint8_t>(admitted);
    if (admitted) add_to(spent, charge);
  });
}

std::vector<Bound> Currency::epsilons(std::span<const Units> rows, Delta delta) const {
  std::vector<Bound> all(rows.size() / places());
  in_parallel_by_dozens(all.size(), [&](std::size_t i) {
    all[i] = epsilon(rows.subspan(i * places(), places()), delta);
  });
  return all;
}

Price& Prices::of(const Currency& currency, const Step& step) {
  constexpr std::size_t kKept = 8;
  const auto found = std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) {
    const Step& other = entry.first;
    return step.noise == double{other.noise} && step.clip == double{other.clip} &&
           step.rate == double{other.rate};
  });
  if (found != recent_.end()) {
    std::rotate(found, found + 1, recent_.end());
    return *recent_.back().second;
  }
  auto price = currency.price(step);
  if (recent_.size() == kKept) recent_.erase(recent_.begin());
  return *recent_.emplace_back(step, std::move(price)).second;
}

}  // namespace ration
