// What `ration account` was asked for, and what it means to the library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "ration/base/ids.h"
#include "ration/control/norms_file.h"
#include "ration/ledger/account_grant.h"

namespace ration::cli {

constexpr const char* kStandardInput = "-";

struct AccountOptions {
  std::string norms;
  Text noise, clip, rate, plan, steps, delta;
  Text method, buckets, linear, range;
  Text filter, budget_epsilon, budget_mu, budget_steps, order;
  Text ids, id, groups, out, curve, person, results;
  Text ledger, token, team, purpose;
  std::vector<std::string> follow;
  bool json = false;
};
void add_to(CLI::App& command, AccountOptions& options);

// Refuses to write over what is read.
void check_files(const AccountOptions& options);

// The norms that are read, and whose they are: everybody's id, if a file of them is given or the
// norms name people. Refuses ids of another number of people than a matrix has columns.
struct NormsOfPeople {
  std::unique_ptr<NormRows> norms;
  Ids ids;
  bool ordered;        // by a file, not by their ids
  std::string called;  // the file's name
};
NormsOfPeople norms_of(const AccountOptions& options);

// What was run, like steps or the plan of a file, and how it is accounted for. Refuses norms that
// are not of it.
FileRun run_of(const AccountOptions& options, const NormRows& norms);
// What the filter counts in, null without one. That of a tight filter takes up to some seconds.
CurrencyPtr currency_of(const AccountOptions& options, std::span<const RepeatedStep> steps);
std::optional<Filter> filter_of(const AccountOptions& options, std::span<const RepeatedStep> steps,
                                std::size_t people, const CurrencyPtr& currency);
// What is reserved in a ledger for the filter, if there is one. Refuses people without ids.
std::optional<ledger::AccountGrant> grant_of(const AccountOptions& options, const FileRun& run,
                                             const std::optional<Filter>& filter, const Ids& ids);
// Whose curve is to be written.
std::optional<std::size_t> person_of(const AccountOptions& options, std::size_t people,
                                     const Ids& ids);
// Who is to be followed over time.
std::vector<std::size_t> followed_of(const AccountOptions& options, std::size_t people,
                                     const Ids& ids);

}  // namespace ration::cli
