#include "ration/results/account_writer.h"

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/file/open_file.h"
#include "ration/individual/quantiles.h"
#include "ration/results/moments_csv.h"
#include "ration/results/run_records.h"
#include "ration/results/summary_json.h"

namespace ration::results {
namespace {

constexpr auto kAccount = Results::Kind::account;

// Enough for a curve; with sampling an epsilon takes its time.
constexpr std::uint64_t kMostMoments = 200, kMostSampledMoments = 50;

std::filesystem::path free_directory(const std::filesystem::path& directory) {
  for (const char* name : {"summary.json", "settings.toml", "settings.not-private.toml"}) {
    if (is_there(directory / name)) {
      refuse("--results", directory.string() + ", which holds results already",
             "another directory");
    }
  }
  return directory;
}

}  // namespace

AccountWriter::AccountWriter(const std::filesystem::path& directory, const Of& of)
    : of_(of),
      directory_(free_directory(directory)),
      epsilon_file_(directory / "epsilons.csv", of.people, of.filtered),
      summary_(directory / "summary.json"),
      moments_(spaced_steps(of.steps, kMostMoments)) {
  if (of.filtered) private_.emplace(directory / "private.csv");
  if (!of.followed.empty()) followed_.emplace(directory / "followed.csv");
}

OnAdmitted AccountWriter::on_admitted() {
  return [this](std::uint64_t step, std::span<const std::uint8_t> mask) {
    if (step != moments_[counted_]) return;
    ++counted_;
    const ResultsMoment moment = {.epoch = 0, .steps = step, .active = sums_of(mask, of_.groups)};
    active_rows_ += private_row(kAccount, moment, of_.groups.labels.size());
  };
}

void AccountWriter::add(std::span<const Bound> epsilons,
                        const std::optional<Attendance>& attendance) {
  epsilon_file_.write(epsilons, attendance, of_.ids.all());
  for (const std::size_t person : of_.followed) last_.push_back(epsilons[person]);
  if (!private_) return;
  private_->write(private_header(kAccount, of_.groups.labels) + "\n" + active_rows_);
  private_->commit();
}

void AccountWriter::follow(NormRows& norms, std::span<const RepeatedStep> steps, Books books,
                           const Spent& spent) {
  bool sampled = false;
  for (const auto& [step, count] : steps) sampled |= step.rate < 1.0;
  const auto moments = spaced_steps(of_.steps, sampled ? kMostSampledMoments : kMostMoments);
  followed_->write(followed_header(kAccount, of_.followed) + "\n");
  follow_file(
      norms, steps, {.who = of_.followed, .moments = moments}, std::move(books),
      [&](std::uint64_t done, const Books::Settled& own) {
        const std::vector<Bound> epsilons = done == of_.steps ? last_ : spent(own.accounts);
        std::vector<Followed> row;
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
          row.push_back({.epsilon = epsilons[i], .admitted = own.attendance.people[i].admitted});
        }
        followed_->write(followed_row(kAccount, {.epoch = 0, .steps = done}, row));
      });
  followed_->commit();
}

void AccountWriter::commit(const Results& results) {
  summary_.write(summary_text(results));
  summary_.commit();
}

Results results_of(const Accounted& accounted, const IndividualPrivacy& everybody,
                   const Groups& groups) {
  const Promise& promise = accounted.promise;
  std::uint64_t steps = 0;
  AccountedPlan plan = {.clip = accounted.steps.front().step.clip, .entries = {}};
  for (const auto& [step, count] : accounted.steps) {
    plan.entries.push_back({.noise = step.noise, .rate = step.rate, .steps = count});
    steps += count;
  }
  Results results = {.kind = kAccount,
                     .data = accounted.norms,
                     .people = accounted.people,
                     .steps = steps,
                     .charged_steps = steps,
                     .delta = accounted.delta,
                     .epsilon = promise.by_filter ? promise.epsilon : promise.smaller(),
                     .worst_case = accounted.unfiltered_worst_case.epsilon,
                     .budget = promise.budget,
                     .guarantee = promise.guarantee,
                     .filter = accounted.filter,
                     .worst_case_proved = accounted.unfiltered_worst_case.guarantee.certified,
                     .score_name = {},
                     .groups = groups.labels,
                     .moments = {},
                     .settings = {},
                     .plan = std::move(plan)};
  results.individual = {
      .method = std::string(name(everybody.method)),
      .guarantee = everybody.guarantee,
      .epsilons = {},
      .attendance = {},
      .quantiles = quantiles_of(everybody.epsilon),
      .groups = quantiles_of(everybody.epsilon, groups.of_person, groups.labels.size()),
      .followed = {},
      .wide = everybody.wide};
  for (const std::size_t person : accounted.followed) {
    results.individual->followed.push_back({.person = person, .points = {}});
  }
  return results;
}

}  // namespace ration::results
