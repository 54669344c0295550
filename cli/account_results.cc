#include "cli/account_results.h"

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/file/looked_at.h"
#include "ration/results/followed_csv.h"
#include "ration/results/group_columns.h"
#include "ration/train/records.h"

namespace ration::cli {
namespace {

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

AccountResults::AccountResults(const std::filesystem::path& directory, const Of& of)
    : of_(of),
      directory_(free_directory(directory)),
      epsilon_file_(directory / "epsilons.csv", of.people, of.filtered),
      summary_(directory / "summary.json"),
      moments_(spaced_steps(of.steps, kMostMoments)) {
  if (of.filtered) private_.emplace(directory / "private.csv");
  if (!of.followed.empty()) followed_.emplace(directory / "followed.csv");
}

OnAdmitted AccountResults::on_admitted() {
  return [this](std::uint64_t step, std::span<const std::uint8_t> mask) {
    if (step != moments_[counted_]) return;
    ++counted_;
    active_rows_ += fmt::format("{}", step);
    for (const std::uint64_t active : train::sums_of(mask, of_.groups)) {
      active_rows_ += fmt::format(",{}", active);
    }
    active_rows_ += '\n';
  };
}

void AccountResults::add(std::span<const Bound> epsilons,
                         const std::optional<Attendance>& attendance) {
  epsilon_file_.write(epsilons, attendance);
  for (const std::size_t person : of_.followed) last_.push_back(epsilons[person]);
  if (!private_) return;
  private_->write("steps" + results::group_columns("active", of_.groups.labels) + "\n" +
                  active_rows_);
  private_->commit();
}

void AccountResults::follow(const NpyFile& norms, std::span<const RepeatedStep> steps,
                            std::optional<IndividualFilter> filter, const Buckets& buckets,
                            const Spent& spent) {
  bool sampled = false;
  for (const auto& [step, count] : steps) sampled |= step.rate < 1.0;
  const auto moments = spaced_steps(of_.steps, sampled ? kMostSampledMoments : kMostMoments);
  const bool filtered = filter.has_value();
  followed_->write("steps" + results::followed_columns(of_.followed) + "\n");
  follow_file(norms, steps, {.who = of_.followed, .moments = moments}, std::move(filter), buckets,
              [&](std::uint64_t done, const Accounts& accounts, const Attendance& admitted) {
                const std::vector<Bound> epsilons = done == of_.steps ? last_ : spent(accounts);
                std::vector<results::Followed> row;
                for (std::size_t i = 0; i < epsilons.size(); ++i) {
                  row.push_back({.epsilon = epsilons[i],
                                 .admitted = filtered ? admitted.people[i].admitted : done});
                }
                followed_->write(fmt::format("{}{}\n", done, results::followed_cells(row)));
              });
  followed_->commit();
}

void AccountResults::commit(const Json& summary) {
  summary_.write(text_of(summary));
  summary_.commit();
}

}  // namespace ration::cli
