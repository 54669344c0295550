// What `ration account` was asked for, and what it means to the library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "ration/control/file_account.h"

namespace ration::cli {

struct AccountOptions {
  std::string norms;
  Text noise, clip, rate, plan, delta;
  Text method, buckets, linear, range;
  Text filter, budget_epsilon, budget_mu, budget_steps, order;
  Text groups, out, curve, person, results;
  std::vector<std::string> follow;
  bool json = false;
};
void add_to(CLI::App& command, AccountOptions& options);

// What was run, like steps or the plan of a file, and how it is accounted for. Refuses norms that
// are not of it.
FileRun run_of(const AccountOptions& options, const NpyFile& norms);
std::optional<Filter> filter_of(const AccountOptions& options, std::span<const RepeatedStep> steps,
                                std::size_t people);
// Whose curve is to be written.
std::optional<std::size_t> person_of(const AccountOptions& options, std::size_t people);
// Who is to be followed over time.
std::vector<std::size_t> followed_of(const AccountOptions& options, std::size_t people);

}  // namespace ration::cli
