// The directory of `ration account --results`, which a page can be made from.
//   summary.json   what was promised, and quantiles
//   epsilons.csv   everybody's epsilon
//   private.csv    with a filter: how many took part in some of the steps, by group
//   followed.csv   epsilon of people who are followed, after some of the steps, if anybody is
// All of them are for the owner's eyes only (mode 0600). The summary comes last: without it there
// are no results.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/base/ids.h"
#include "ration/control/norms_file.h"
#include "ration/control/promise.h"
#include "ration/dataset/groups.h"
#include "ration/file/atomic_file.h"
#include "ration/individual/epsilons.h"
#include "ration/results/epsilon_file.h"
#include "ration/results/results.h"

namespace ration::results {

class AccountWriter {
 public:
  struct Of {
    std::size_t people;
    std::uint64_t steps;
    const Groups& groups;
    bool filtered;
    std::vector<std::size_t> followed;
    const Ids& ids;
  };
  // Opens all files, so that what cannot be written is told before the work is done. Refuses a
  // directory that holds results. Until commit() there are none.
  AccountWriter(const std::filesystem::path& directory, const Of& of);

  // To be told of every step: it counts who takes part. Valid as long as this object.
  OnAdmitted on_admitted();

  void add(std::span<const Bound> epsilons, const std::optional<Attendance>& attendance);
  // After add(), whose values stand at the end. The books are those of the people who are followed,
  // with nothing in them yet; `spent` says what people with these accounts have spent.
  using Spent = std::function<std::vector<Bound>(const Accounts& accounts)>;
  void follow(NormRows& norms, std::span<const RepeatedStep> steps, Books books,
              const Spent& spent);
  // Last: the summary of these results.
  void commit(const Results& results);

 private:
  const Of of_;
  NewDirectory directory_;
  EpsilonFile epsilon_file_;
  PrivateFile summary_;
  std::optional<PrivateFile> private_, followed_;
  std::vector<std::uint64_t> moments_;
  std::size_t counted_ = 0;  // moments
  std::string active_rows_ = {};
  std::vector<Bound> last_ = {};  // epsilons of those who are followed
};

// What was accounted for, beside everybody's values.
struct Accounted {
  std::string norms;  // the name of their file
  std::size_t people;
  Delta delta;
  std::vector<RepeatedStep> steps;
  WorstCase unfiltered_worst_case;
  Promise promise;
  std::string filter = {};  // its kind, if there is one
  std::vector<std::size_t> followed = {};
};
// Its results without moments and the values of single people.
Results results_of(const Accounted& accounted, const IndividualPrivacy& everybody,
                   const Groups& groups);

}  // namespace ration::results
