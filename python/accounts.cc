#include <exception>
#include <optional>
#include <string>

#include "python/arrays.h"
#include "python/state.h"
#include "ration/individual/accounts.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/used_mechanisms.h"

namespace ration::python {
namespace {

using Held = Guarded<Accounts>;

template <class Real>
void record(Held& held, double noise, double clip, double rate, const Array<Real>& norms) {
  const Step step = {.noise = noise, .clip = clip, .rate = rate};
  const auto columns = static_cast<std::size_t>(norms.shape(norms.ndim() - 1));
  const auto rows = static_cast<std::size_t>(norms.ndim() == 1 ? 1 : norms.shape(0));
  const NormTable<Real> table = {
      .data = norms.data(), .steps = rows, .people = columns, .stride = columns};
  held.use([&](Accounts& accounts) { accounts.record(step, table); });
}

template <class Real>
void record_some(Held& held, double noise, double clip, double rate,
                 const Array<std::uint64_t>& who, const Array<Real>& norms) {
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  const std::span<const std::size_t> people(reinterpret_cast<const std::size_t*>(who.data()),
                                            span_of(who).size());
  const auto given = span_of(norms);
  held.use([&](Accounts& accounts) {
    accounts.record({.noise = noise, .clip = clip, .rate = rate}, people, given);
  });
}

// Calls Python from whichever thread reports. What Python raises there is raised at the end.
class ProgressCall {
 public:
  explicit ProgressCall(const py::object& call) : call_(call) {}

  Progress progress() {
    if (call_.is_none()) return {};
    return [this](std::size_t people) {
      if (failure_) return;
      const py::gil_scoped_acquire interpreter;
      tells_progress = true;
      try {
        call_(people);
      } catch (const py::error_already_set&) {
        failure_ = std::current_exception();
      }
      tells_progress = false;
    };
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const py::object& call_;
  std::exception_ptr failure_;
};

py::tuple everybody(Held& held, double delta, const std::optional<std::string>& method,
                    const std::vector<double>& orders, const py::object& told) {
  IndividualAccounting how = {.orders = {orders.begin(), orders.end()}};
  if (method) how.method = named("method", *method, kIndividualMethods);
  ProgressCall call(told);
  IndividualPrivacy found = held.use(
      [&](const Accounts& accounts) { return accounts.epsilon(delta, how, call.progress()); });
  call.rethrow();
  return py::make_tuple(array_of(std::move(found.epsilon)), name(found.method),
                        tuple_of(found.guarantee));
}

// As (noise, rate, steps): accounts hold nothing but noisy sums.
struct AsTuple {
  double steps;
  py::tuple operator()(const Gaussian& step) const {
    return py::make_tuple(double{step.noise}, 1.0, steps);
  }
  py::tuple operator()(const SubsampledGaussian& step) const {
    return py::make_tuple(double{step.noise}, double{step.rate}, steps);
  }
  template <WithoutNormalNoise M>
  py::tuple operator()(const M&) const {
    refuse_without_normal_noise("an account");
  }
};

std::vector<py::tuple> plan_of_person(Held& held, std::size_t person) {
  const Plan plan = held.use([&](const Accounts& accounts) {
    if (person >= accounts.people()) {
      refuse("person", std::to_string(person),
             "a number below the " + std::to_string(accounts.people()) + " people");
    }
    return plan_of(accounts, person, Rounding::up);
  });
  std::vector<py::tuple> entries;
  for (const PlanEntry& entry : plan) {
    entries.push_back(std::visit(AsTuple{entry.steps}, entry.mechanism));
  }
  return entries;
}

// The accounts, and everybody's id if the file has them.
py::tuple load_with(const std::string& file, const std::string& kind) {
  AccountsWithIds both = [&] {
    const py::gil_scoped_release others_may_run;
    return load<AccountsWithIds>(file, kind);
  }();
  std::vector<std::string> ids(both.ids.all().begin(), both.ids.all().end());
  return py::make_tuple(py::cast(std::make_unique<Held>(std::move(both.accounts))), std::move(ids));
}

}  // namespace

void bind_accounts(py::module_& module) {
  py::class_<Held, std::unique_ptr<Held>> bound(module, "Accounts");
  bound.def(py::init([](std::size_t people, double noise, int buckets) {
    return std::make_unique<Held>(Accounts(people, Buckets::from(noise, buckets)));
  }));
  bound.def("record", &record<float>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("record", &record<double>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("record_some", &record_some<float>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg().noconvert());
  bound.def("record_some", &record_some<double>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg().noconvert());
  bound.def("epsilons", &everybody);
  bound.def_property_readonly("people", &Held::people);
  bound.def_property_readonly("steps", [](Held& held) {
    return held.use([](const Accounts& accounts) { return accounts.steps(); });
  });
  bound.def("person", &plan_of_person);
  bind_saving<Accounts>(bound);
  bound.def("save_with", [](Held& held, const std::string& file, std::vector<std::string> listed) {
    const Ids ids(std::move(listed));
    held.use([&](const Accounts& accounts) { save(file, accounts, ids); });
  });
  bound.def_static("load_with", &load_with);
  module.def("check_ids", [](std::vector<std::string> listed) { Ids(std::move(listed)); });
}

}  // namespace ration::python
