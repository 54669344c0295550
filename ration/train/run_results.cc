#include "ration/train/run_results.h"

#include <fmt/format.h>

#include <utility>

#include "ration/file/atomic_file.h"
#include "ration/file/checksum.h"
#include "ration/file/npz.h"
#include "ration/file/open_file.h"
#include "ration/results/summary_json.h"
#include "ration/train/run_record.h"
#include "ration/train/warnings.h"

namespace ration::train {

using results::Results;
using results::ResultsMoment;
using results::RunDirectory;
using results::RunRecords;

namespace {

bool by_accuracy(const Dataset& data) { return data.train.labels.kind == LabelKind::one; }

}  // namespace

std::optional<Evaluation> test_of(const Architecture& architecture,
                                  std::span<const float> parameters, const Dataset& data) {
  if (data.test.count() == 0) return std::nullopt;
  return evaluate(architecture, parameters, data.test);
}

RunRecords::Of records_of(const Dataset& data, const std::vector<std::size_t>& follow) {
  return {.groups = data.train.groups.labels, .by_accuracy = by_accuracy(data), .follow = follow};
}

ResultsMoment moment_of(std::uint64_t epoch, std::uint64_t steps, double epsilon,
                        const std::optional<Evaluation>& test) {
  ResultsMoment moment = {.epoch = epoch, .steps = steps, .epsilon = epsilon};
  if (!test) return moment;
  moment.test_loss.push_back(test->everybody.loss);
  moment.test_score.push_back(test->everybody.score);
  for (const Quality& group : test->groups) {
    moment.test_loss.push_back(group.loss);
    moment.test_score.push_back(group.score);
  }
  return moment;
}

Results results_of(const Settings& settings, const KeptSettings& kept, const Dataset& data,
                   const RunDirectory& directory, std::uint64_t steps,
                   const std::optional<Evaluation>& test) {
  Results results = {.kind = Results::Kind::run,
                     .test_run = settings.test_seed.has_value(),
                     .gaussian = settings.plan && !settings.plan->sampled(),
                     .data = data.description,
                     .people = data.train.count(),
                     .together = data.train.together(),
                     .steps = steps,
                     .charged_steps = 0,
                     .score_name = {},
                     .groups = data.train.groups.labels,
                     .moments = {},
                     .settings = kept.text,
                     .shown_settings = kept.shown_text,
                     .settings_json = settings.json,
                     .made = {.version = version_of_ration(), .started = kept.started},
                     .warnings = warnings_before(settings, data.train),
                     .directory = directory.path().string()};
  if (!test) return results;
  results.test = {.loss = test->everybody.loss,
                  .score = test->everybody.score,
                  .by_accuracy = by_accuracy(data),
                  .majority = test->everybody.majority};
  for (std::string& warning : warnings_of_test(*results.test)) {
    results.warnings.push_back(std::move(warning));
  }
  for (std::size_t g = 0; g < test->groups.size(); ++g) {
    results.test_people[results.groups[g]] = test->groups[g].people;
  }
  return results;
}

void warn(const Watch& watch, const Settings& settings, const Dataset& data) {
  if (!watch.on_warning) return;
  for (const std::string& warning : warnings_before(settings, data.train)) {
    watch.on_warning(warning);
  }
}

void write_summary(const RunDirectory& directory, const Results& results) {
  PrivateFile file(directory.file("summary", ".json"));
  file.write(results::summary_text(results));
  file.commit();
}

std::string write_model(const RunDirectory& directory, const Architecture& architecture,
                        std::span<const float> parameters) {
  std::vector<NpzEntry> model;
  for (std::size_t l = 0; l < architecture.layers(); ++l) {
    const std::size_t in = architecture.width_in(l), out = architecture.width_out(l);
    const auto layer = parameters.subspan(architecture.offset(l), out * in + out);
    model.push_back({fmt::format("layer{}.weight", l), {out, in}, layer.first(out * in)});
    model.push_back({fmt::format("layer{}.bias", l), {out}, layer.last(out)});
  }
  const std::filesystem::path file = directory.file("model", ".npz");
  write_npz(file, model);
  const MappedFile written(file, "the model");
  const Bytes bytes = written.bytes();
  return hexadecimal(ration::checksum_of({&bytes, 1}));
}

}  // namespace ration::train
