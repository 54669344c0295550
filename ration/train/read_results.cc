#include "ration/train/read_results.h"

#include <optional>

#include "ration/base/error.h"
#include "ration/train/settings.h"
#include "ration/train/training_plan.h"

namespace ration::train {
namespace {

// Results may have been made on another processor, whose vector instructions round otherwise. What
// that changes is inside the Bounds, which are narrower than this; any setting changes more.
constexpr double kOtherRounding = 1e-7;

// Prices of a tight filter come out of a search, which may end elsewhere on another processor or in
// another version, and a run that was resumed has kept its own: what they promise is near.
constexpr double kOtherPrices = 0.02;

bool agree(const std::optional<Bound>& a, const std::optional<Bound>& b, double within) {
  if (!a || !b) return a.has_value() == b.has_value();
  return results::agree(a->lower, b->lower, within) && results::agree(a->upper, b->upper, within);
}

bool agree(const TrainingPlan& plan, const results::Results& results) {
  if (!results.epsilon || double{plan.delta} != *results.delta || plan.steps() != results.steps) {
    return false;
  }
  const Promise promise = promise_of(plan, results.charged_steps);
  const bool priced = plan.filter && !plan.filter->currency->has_fixed_prices();
  const double within = priced ? kOtherPrices : kOtherRounding;
  return agree(promise.epsilon, results.epsilon, within) &&
         agree(promise.worst_case, results.worst_case, kOtherRounding) &&
         agree(promise.budget, results.budget, within) && promise.guarantee == results.guarantee;
}

bool agree(const Settings::Plain& plain, const results::Results& results) {
  return !results.epsilon && plain.epochs * steps_per_epoch(plain.rate) == results.steps;
}

// They are written in one form, so that a line that was cut off or changed shows. Before, they had
// no record.
bool as_written(const Settings& settings, std::string_view text) {
  if (!settings.record) return text == settings.identity_before;
  return text == settings.given + text_of(*settings.record);
}

bool agree(const std::optional<RunRecord>& record, const results::Results& results) {
  return !record || (record->people == results.people && record->steps == results.steps);
}

Settings settings_as_written(std::string_view text, const std::string& source) {
  std::optional<Settings> parsed;
  try {
    parsed = parse_settings(text, source, {}, kKindBefore);
  } catch (const Error&) {  // in words for those who wrote them by hand
  }
  if (!parsed || !as_written(*parsed, text)) {
    refuse(source, "cut off or changed", "the file as it was written");
  }
  return *std::move(parsed);
}

results::SettingsOfRun read_settings_of_run(std::string_view text, const std::string& source,
                                            const results::Results& results) {
  const Settings settings = settings_as_written(text, source);
  if (settings.test_seed.has_value() != results.test_run ||
      (settings.data.options.records == Records::together) != results.together ||
      settings.epochs() != results.moments.size() || !agree(settings.record, results) ||
      !(settings.plan ? agree(*settings.plan, results) : agree(*settings.plain, results))) {
    refuse(source, "of another run than the summary", "the files of one run");
  }
  const std::string record = settings.record ? text_of(*settings.record) : "";
  return {.text = settings.text + record,
          .shown_text = settings.shown_text + record,
          .gaussian = settings.plan && !settings.plan->sampled(),
          .follow = settings.follow};
}

}  // namespace

results::Results read_results(const std::filesystem::path& directory, results::Sight sight) {
  return results::read_results(directory, sight, read_settings_of_run);
}

}  // namespace ration::train
