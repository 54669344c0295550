#include "ration/results/run_records.h"

#include <utility>

#include "ration/file/atomic_file.h"

namespace ration::results {
namespace {

constexpr auto kRun = Results::Kind::run;

void write_private(const std::filesystem::path& file, const std::string& text) {
  PrivateFile out(file);
  out.write(text);
  out.commit();
}

}  // namespace

RunRecords::RunRecords(const RunDirectory& directory, Of of, RunRows rows)
    : shown_file_(directory.file("epochs", ".csv")),
      private_file_(directory.file("private", ".csv")),
      followed_file_(directory.file("followed", ".csv")),
      of_(std::move(of)),
      rows_(std::move(rows)) {}

void RunRecords::add_shown(const ResultsMoment& moment) {
  rows_.shown += epochs_row(moment, of_.groups.size());
}

void RunRecords::add_private(const ResultsMoment& moment) {
  rows_.hidden += private_row(kRun, moment, of_.groups.size());
}

void RunRecords::add_followed(const ResultsMoment& moment, std::span<const Followed> people) {
  if (!of_.follow.empty()) rows_.followed += followed_row(kRun, moment, people);
}

void RunRecords::write() const {
  write_public(shown_file_, epochs_header(of_.groups, of_.by_accuracy) + "\n" + rows_.shown);
  write_private(private_file_, private_header(kRun, of_.groups) + "\n" + rows_.hidden);
  if (of_.follow.empty()) return;
  write_private(followed_file_, followed_header(kRun, of_.follow) + "\n" + rows_.followed);
}

}  // namespace ration::results
