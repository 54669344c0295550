#include "ration/control/file_account.h"

#include <cstddef>
#include <utility>

namespace ration {
namespace {

std::size_t passes_of(const Accounts& accounts, const std::optional<IndividualMethod>& method) {
  const bool pld = method.value_or(IndividualMethod::pld) == IndividualMethod::pld;
  if (pld && !accounts.rates().empty()) return 4;
  return method == IndividualMethod::blackwell ? 2 : 1;
}

}  // namespace

FilePromise promise_of(const FileRun& run, const std::optional<Filter>& filter) {
  const WorstCase worst = worst_case(run.plan, run.buckets, run.delta, run.how);
  std::optional<WholeBudget> budget;
  if (filter) budget = whole_budget(*filter, run.delta);
  return {.worst_case = worst, .promise = promise_of(worst, budget)};
}

Books books_of(const NpyFile& norms, const FileRun& run, std::optional<Filter> filter,
               const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  check_norms_file(norms, run.steps);
  Books books(norms.columns(), run.buckets, std::move(filter));
  charge_file(norms, run.steps, books, progress, on_admitted);
  return books;
}

IndividualPrivacy epsilons_of(const Accounts& accounts, const FileRun& run, const Promise& promise,
                              const std::function<void(double fraction)>& progress) {
  const std::size_t people = accounts.people(), passes = passes_of(accounts, run.how.method);
  std::size_t done = 0;
  Progress told;
  if (progress) {
    told = [&](std::size_t more) {
      done += more;
      progress(static_cast<double>(done / people) / static_cast<double>(passes));
    };
  }
  IndividualPrivacy everybody = accounts.epsilon(run.delta, run.how, told);
  cap(everybody, promise.smaller());
  return everybody;
}

}  // namespace ration
