// `ration account --results DIR`: a directory that a page can be made from
// (ration/report/results.h).
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

#include "cli/print.h"
#include "ration/control/charge_file.h"
#include "ration/dataset/groups.h"
#include "ration/file/new_directory.h"
#include "ration/file/private_file.h"
#include "ration/results/epsilon_file.h"

namespace ration::cli {

class AccountResults {
 public:
  struct Of {
    std::size_t people;
    std::uint64_t steps;
    const Groups& groups;
    bool filtered;
    std::vector<std::size_t> followed;
  };
  // Opens all files, so that what cannot be written is told before the work is done. Refuses a
  // directory that holds results. Until commit() there are none.
  AccountResults(const std::filesystem::path& directory, const Of& of);

  // To be told of every step: it counts who takes part. Valid as long as this object.
  OnAdmitted on_admitted();

  void add(std::span<const Bound> epsilons, const std::optional<Attendance>& attendance);
  // After add(), whose values stand at the end. The filter is one of the people who are followed;
  // `spent` says what people with these accounts have spent.
  using Spent = std::function<std::vector<Bound>(const Accounts& accounts)>;
  void follow(const NpyFile& norms, std::span<const RepeatedStep> steps,
              std::optional<IndividualFilter> filter, const Buckets& buckets, const Spent& spent);
  void commit(const Json& summary);

 private:
  const Of of_;
  NewDirectory directory_;
  results::EpsilonFile epsilon_file_;
  PrivateFile summary_;
  std::optional<PrivateFile> private_, followed_;
  std::vector<std::uint64_t> moments_;
  std::size_t counted_ = 0;  // moments
  std::string active_rows_;
  std::vector<Bound> last_;  // epsilons of those who are followed
};

}  // namespace ration::cli
