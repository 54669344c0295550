// The ledger as ration.Ledger and ration.Grant call it. The interpreter is released around all that
// the database does. A connection belongs to the process that opened it: a forked child is refused.

#include "ration/ledger/ledger.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "python/arrays.h"
#include "python/budgets.h"
#include "python/held_filter.h"
#include "ration/file/checksum.h"
#include "ration/ledger/filter_source.h"

namespace ration::python {
namespace {

using ledger::FilterSource;
using ledger::Grant;
using ledger::GrantStatus;
using Ids = std::vector<std::string>;
using Chosen = std::vector<std::uint64_t>;  // positions among the people of a grant; empty: all

class HeldLedger {
 public:
  explicit HeldLedger(Ledger ledger) : guarded_(std::move(ledger)) {}

  template <class Use>
  auto use(const Use& work) {
    check_process();
    return guarded_.use(work);
  }
  template <class Use>
  auto use_with(HeldFilter& filter, const Use& work) {
    check_process();
    filter.check_process();
    return guarded_.use_with(filter, work);
  }

 private:
  void check_process() const {
    if (getpid() == opened_by_) return;
    throw Error("ledger was opened by another process, before a fork: open it again in this one");
  }

  Guarded<Ledger> guarded_;
  const pid_t opened_by_ = getpid();
};

std::optional<Budget> budget_of(const OneBudget* given) {
  return given == nullptr ? std::nullopt : std::optional(given->budget);
}
ledger::NewPeople people_of(Ids&& ids, const std::vector<OneBudget>& kinds,
                            const std::vector<std::uint32_t>& kind_of) {
  return {.ids = std::move(ids), .budgets = {.kinds = budgets_of(kinds), .kind_of = kind_of}};
}

std::unique_ptr<HeldLedger> create(const std::string& location, const std::string& currency,
                                   const std::vector<double>& orders, double delta, Ids ids,
                                   const std::vector<OneBudget>& kinds,
                                   const std::vector<std::uint32_t>& kind_of) {
  const py::gil_scoped_release others_may_run;
  return std::make_unique<HeldLedger>(Ledger::create(location, currency_of(currency, orders), delta,
                                                     people_of(std::move(ids), kinds, kind_of)));
}

// The part of a grant that is about these people, in their order.
Grant part_of(const Grant& grant, const Chosen& chosen) {
  if (chosen.empty() || grant.places.empty()) return grant;
  const std::size_t units = grant.reserves.size() / grant.places.size();
  Grant part = {.token = grant.token, .status = grant.status};
  for (const std::uint64_t i : chosen) {
    part.places.push_back(grant.places.at(i));
    const auto row = grant.reserves.begin() + static_cast<std::ptrdiff_t>(i * units);
    part.reserves.insert(part.reserves.end(), row, row + static_cast<std::ptrdiff_t>(units));
  }
  return part;
}

// Who these people are, in their order; nothing: all of the grant.
std::string digest_of_people(const Grant& grant, const Chosen& chosen) {
  if (chosen.empty()) return {};
  std::vector<std::uint64_t> places;
  for (const std::uint64_t i : chosen) places.push_back(grant.places.at(i));
  const Bytes bytes = std::as_bytes(std::span(places));
  return hexadecimal(checksum_of(std::span(&bytes, 1)));
}

[[noreturn]] void refuse_filter(const Grant& grant) {
  throw Error("filter was not made from grant '" + grant.token +
              "' for these people in this order: give the one that was");
}

// What a filter of these people says that it comes from. Of states that were saved before filters
// said whose they are, `older` takes their number and budgets for it.
FilterSource checked_source(const Ledger& ledger, const Grant& grant, const Filter& ran,
                            const Chosen& chosen, bool older = false) {
  FilterSource source = ledger::filter_source_in(ran.state().source);
  const std::string people = digest_of_people(grant, chosen);
  const bool same_people = source.people == people || (older && source.people.empty());
  if (source.grant != ledger.source_of(grant.token) || !same_people) refuse_filter(grant);
  source.people = people;
  return source;
}

std::unique_ptr<HeldFilter> with_source(const Filter& filter, const FilterSource& source) {
  Filter::State state = filter.state();
  state.source = source.text();
  return std::make_unique<HeldFilter>(Filter(std::move(state)));
}

// The filter of a run for these people.
std::unique_ptr<HeldFilter> make_filter(HeldLedger& held, const Grant& grant, const Chosen& chosen,
                                        const std::string& run) {
  return held.use([&](const Ledger& ledger) {
    return with_source(ledger.filter(part_of(grant, chosen)),
                       {.grant = ledger.source_of(grant.token),
                        .people = digest_of_people(grant, chosen),
                        .run = run});
  });
}

// The run that has made a filter of these people; nothing if it did not say. Refuses one that was
// made from another grant, or for other people.
std::string run_of(HeldLedger& held, const Grant& grant, HeldFilter& filter, const Chosen& chosen,
                   bool older) {
  return held.use_with(filter, [&](const Ledger& ledger, const Filter& ran) {
    const FilterSource source = checked_source(ledger, grant, ran, chosen, older);
    const bool same = ran.currency() == *ledger.currency() &&
                      ran.state().budgets == part_of(grant, chosen).reserves;
    if (!same) refuse_filter(grant);
    return source.run;
  });
}

// The same filter, which says from now on whose it is and which run's.
std::unique_ptr<HeldFilter> named(HeldLedger& held, const Grant& grant, HeldFilter& filter,
                                  const Chosen& chosen, const std::string& run) {
  return held.use_with(filter, [&](const Ledger& ledger, const Filter& ran) {
    FilterSource source = checked_source(ledger, grant, ran, chosen, true);
    source.run = run;
    return with_source(ran, source);
  });
}

// A filter of some people as one of the whole grant, whose other people were charged nothing.
Filter over_all(const Ledger& ledger, const Grant& grant, const Filter& ran, const Chosen& chosen) {
  const Filter::State& own = ran.state();
  const std::size_t units = ran.currency().places();
  FilterSource source = checked_source(ledger, grant, ran, chosen);
  if (own.spent.size() != chosen.size() * units || own.budgets.size() != own.spent.size()) {
    refuse_filter(grant);
  }
  source.people.clear();
  Filter::State all = {.currency = own.currency, .source = source.text()};
  all.steps = own.steps;
  all.spent.resize(grant.places.size() * units);
  all.budgets = grant.reserves.empty() ? std::vector<Units>(all.spent.size(), kLargestBudget)
                                       : grant.reserves;
  if (own.currency->has_kinds()) {
    all.kind_of.resize(grant.places.size());
    std::iota(all.kind_of.begin(), all.kind_of.end(), 0U);
  }
  if (all.budgets.size() != all.spent.size()) return ran;  // of another currency: refused as such
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::size_t from = i * units, to = chosen[i] * units;
    std::copy_n(own.spent.data() + from, units, all.spent.data() + to);
    std::copy_n(own.budgets.data() + from, units, all.budgets.data() + to);
  }
  return Filter(std::move(all));
}

// Ends a grant by work(its tally), and lets no filter of it charge a step meanwhile or afterwards.
template <class Work>
void end_grant(Ledger& ledger, const std::string& token, const Work& work) {
  const std::shared_ptr<Tally> tally = Tally::of(ledger.source_of(token));
  const auto is_open = [&] {
    try {
      for (const auto& one : ledger.grants()) {
        if (one.token != token) continue;
        return one.status == GrantStatus::reserved || one.status == GrantStatus::started;
      }
      return true;  // there is no such grant
    } catch (const std::exception&) {
      return false;  // nobody knows
    }
  };
  tally->end([&] { work(*tally); }, is_open);
}

void settle(HeldLedger& held, Grant& grant, HeldFilter& filter, const Chosen& chosen) {
  held.use_with(filter, [&](Ledger& ledger, const Filter& ran) {
    end_grant(ledger, grant.token, [&](const Tally& tally) {
      if (!filter.holds_all_of(tally)) {
        throw Error("another filter of grant '" + grant.token +
                    "', or a copy or a later state of this one, has charged steps here, which "
                    "would be forgotten: give the filter with all steps, or settle everything");
      }
      ledger.settle(grant, chosen.empty() ? ran : over_all(ledger, grant, ran, chosen));
    });
  });
  grant.status = GrantStatus::settled;
}

// Of a run that has released nothing, as its caller says.
void settle_nothing(HeldLedger& held, Grant& grant) {
  held.use([&](Ledger& ledger) {
    end_grant(ledger, grant.token, [&](const Tally& tally) {
      if (tally.steps() > 0) {
        throw Error("filters of grant '" + grant.token +
                    "' have charged steps here: settle with the filter that has all of them");
      }
      ledger.settle(grant, std::vector<Units>(grant.reserves.size()));
    });
  });
  grant.status = GrantStatus::settled;
}

void settle_everything(HeldLedger& held, const std::string& token) {
  held.use([&](Ledger& ledger) {
    end_grant(ledger, token, [&](const Tally&) { ledger.settle_everything(token); });
  });
}

void give_back(HeldLedger& held, const std::string& token) {
  held.use([&](Ledger& ledger) {
    end_grant(ledger, token, [&](const Tally& tally) {
      if (tally.steps() > 0) {
        throw Error(
            "filters of grant '" + token +
            "' have charged steps here: something may have been released; settle it instead");
      }
      ledger.void_grant(token);
    });
  });
}

template <class Real>
py::array_t<bool> admit(HeldLedger& held, const std::string& token, const std::string& team,
                        const std::string& purpose, double noise, double clip, double rate,
                        const Ids& ids, const Array<Real>& norms) {
  const auto given = span_of(norms);
  const std::vector<std::uint8_t> mask = held.use([&](Ledger& ledger) {
    return ledger.admit({.token = token,
                         .purpose = purpose,
                         .team = team,
                         .step = {.noise = noise, .clip = clip, .rate = rate},
                         .ids = ids,
                         .norms = given});
  });
  py::array_t<bool> answer(static_cast<py::ssize_t>(mask.size()));
  std::copy(mask.begin(), mask.end(), answer.mutable_data());
  return answer;
}

using LedgerClass = py::class_<HeldLedger, std::unique_ptr<HeldLedger>>;

template <class Real>
void bind_admit(LedgerClass& bound) {
  bound.def("admit", &admit<Real>, py::arg(), py::arg(), py::arg(), py::arg(), py::arg(), py::arg(),
            py::arg(), py::arg().noconvert());
}

std::vector<py::tuple> grants(HeldLedger& held) {
  std::vector<py::tuple> rows;
  for (const auto& one : held.use([](Ledger& ledger) { return ledger.grants(); })) {
    const py::object limit = one.limit ? py::object(tuple_of(*one.limit)) : py::none();
    rows.push_back(py::make_tuple(one.token, one.team, one.purpose, one.one_off,
                                  std::string(name(one.status)), one.time, limit));
  }
  return rows;
}

std::vector<py::tuple> history(HeldLedger& held) {
  std::vector<py::tuple> rows;
  for (const auto& one : held.use([](Ledger& ledger) { return ledger.history(); })) {
    rows.push_back(py::make_tuple(one.number, one.kind, one.time, one.token, one.hash));
  }
  return rows;
}

void bind_grant(py::module_& module, LedgerClass& bound) {
  py::class_<Grant>(module, "Grant")
      .def_property_readonly("status", [](const Grant& g) { return std::string(name(g.status)); })
      .def_property_readonly("people", [](const Grant& grant) { return grant.places.size(); })
      .def_property_readonly("run", [](const Grant& grant) { return grant.run; });
  bound.def("grant", [](HeldLedger& held, const std::string& token, const std::string& team,
                        const std::string& purpose, const OneBudget* limit, const Ids& ids) {
    return held.use([&](Ledger& ledger) {
      Grant grant = ledger.grant({.token = token,
                                  .purpose = purpose,
                                  .team = team,
                                  .limit = budget_of(limit),
                                  .ids = ids});
      Tally::of(ledger.source_of(token))->note(grant.status);
      return grant;
    });
  });
  bound.def("filter", &make_filter);
  // What is public of everybody's budget within a grant: nobody has more than its limit.
  bound.def("limit", [](HeldLedger& held, const OneBudget& limit) {
    return held.use([&](const Ledger& ledger) {
      return std::make_unique<HeldFilter>(Filter(1, ledger.currency(), limit.budget));
    });
  });
  bound.def("run_of", &run_of);
  bound.def("named", &named);
  // `run` is a name that no other Grant of Python's has given: if the grant was started under it
  // before, then by this one, and the answer was lost.
  bound.def("start", [](HeldLedger& held, Grant& grant, const std::string& run) {
    held.use([&](Ledger& ledger) {
      ledger.start(grant.token, run);
      Tally::of(ledger.source_of(grant.token))->note(GrantStatus::started);
    });
    grant.status = GrantStatus::started;
    grant.run = run;
  });
  bound.def("give_back", [](HeldLedger& held, Grant& grant) {
    give_back(held, grant.token);
    grant.status = GrantStatus::voided;
  });
  bound.def("settle", &settle);
  bound.def("settle_nothing", &settle_nothing);
  bound.def("settle_everything", &settle_everything);
  bound.def("void", &give_back);
}

}  // namespace

void bind_ledger(py::module_& module) {
  LedgerClass bound(module, "Ledger");
  bound.def_static("create", &create);
  bound.def_static("open", [](const std::string& location) {
    const py::gil_scoped_release others_may_run;
    return std::make_unique<HeldLedger>(Ledger::open(location));
  });
  bound.def_property_readonly("currency", [](HeldLedger& held) {
    return held.use([](const Ledger& ledger) { return std::string(ledger.currency()->name()); });
  });
  bound.def_property_readonly("delta", [](HeldLedger& held) {
    return held.use([](const Ledger& ledger) { return double{ledger.delta()}; });
  });
  bound.def("add", [](HeldLedger& held, Ids ids, const std::vector<OneBudget>& kinds,
                      const std::vector<std::uint32_t>& kind_of) {
    held.use([&](Ledger& ledger) { ledger.add(people_of(std::move(ids), kinds, kind_of)); });
  });
  bound.def("set_quota", [](HeldLedger& held, const std::string& team, const OneBudget& quota) {
    held.use([&](Ledger& ledger) { ledger.set_quota(team, quota.budget); });
  });
  bound.def_property_readonly(
      "people", [](HeldLedger& held) { return held.use([](Ledger& l) { return l.people(); }); });
  bound.def("ids", [](HeldLedger& held) { return held.use([](Ledger& l) { return l.ids(); }); });
  bound.def_property_readonly(
      "head", [](HeldLedger& held) { return held.use([](Ledger& l) { return l.head(); }); });
  bound.def("contains", [](HeldLedger& held, const std::string& head) {
    return held.use([&](Ledger& ledger) { return ledger.contains(head); });
  });
  bound.def("person", [](HeldLedger& held, const std::string& id) {
    const auto found = held.use([&](Ledger& ledger) { return ledger.person(id); });
    return py::make_tuple(tuple_of(found.budget), tuple_of(found.spent), tuple_of(found.reserved),
                          tuple_of(found.left));
  });
  bound.def("grants", &grants);
  bound.def("history", &history);
  bound.def("verify", [](HeldLedger& held) { held.use([](Ledger& l) { l.verify(); }); });
  bind_grant(module, bound);
  bind_admit<float>(bound);
  bind_admit<double>(bound);
}

}  // namespace ration::python
