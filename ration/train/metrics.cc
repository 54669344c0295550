#include "ration/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ration/base/people.h"
#include "ration/train/auc.h"
#include "ration/train/blocks.h"
#include "ration/train/full_batch.h"

namespace ration::train {
namespace {

class Scorer {
 public:
  Scorer(const People& people, const Predictions& predictions)
      : people_(people), predictions_(predictions) {}

  Quality quality(const std::vector<std::uint32_t>& members) const {
    Quality quality{.people = members.size(), .loss = {}, .score = {}, .label_auc = {}};
    if (members.empty()) return quality;
    double loss = 0;
    for (const std::uint32_t i : members) loss += static_cast<double>(predictions_.losses[i]);
    quality.loss = loss / static_cast<double>(members.size());
    if (people_.labels.kind == LabelKind::one) {
      quality.score = accuracy(members);
    } else {
      quality.label_auc = label_aucs(members);
      quality.score = mean(quality.label_auc);
    }
    return quality;
  }

 private:
  double accuracy(const std::vector<std::uint32_t>& members) const {
    const std::size_t width = people_.labels.count();
    std::size_t right = 0;
    for (const std::uint32_t i : members) {
      const float* row = predictions_.outputs.data() + i * width;
      const auto is_none = [](float x) { return std::isnan(x); };
      if (std::any_of(row, row + width, is_none)) continue;
      const auto best = static_cast<std::size_t>(std::max_element(row, row + width) - row);
      right += best == people_.labels.of(i)[0] ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(members.size());
  }

  std::vector<std::optional<double>> label_aucs(const std::vector<std::uint32_t>& members) const {
    const std::size_t width = people_.labels.count();
    std::vector<std::optional<double>> aucs(width);
    in_parallel(width, [&](std::size_t label) {
      std::vector<float> scores(members.size());
      std::vector<std::uint16_t> labels(members.size());
      for (std::size_t k = 0; k < members.size(); ++k) {
        scores[k] = predictions_.outputs[members[k] * width + label];
        labels[k] = people_.labels.of(members[k])[label];
      }
      aucs[label] = auc(scores, labels);
    });
    return aucs;
  }

  static std::optional<double> mean(const std::vector<std::optional<double>>& aucs) {
    double sum = 0, count = 0;
    for (const std::optional<double>& one : aucs) {
      if (!one) continue;
      sum += *one;
      count += 1;
    }
    if (count == 0) return std::nullopt;
    return sum / count;
  }

  const People& people_;
  const Predictions& predictions_;
};

}  // namespace

Predictions predictions(const Network& network, const People& people) {
  check(network.architecture(), people);
  const std::size_t width = network.architecture().outputs;
  Predictions result{std::vector<float>(people.count() * width),
                     std::vector<float>(people.count())};
  in_blocks(network.architecture(), people, kBlockPeople,
            [&](Pass& pass, const Pass::Block& block, std::size_t first) {
              const std::span<const float> outputs = pass.outputs(network, block);
              std::copy(outputs.begin(), outputs.end(), result.outputs.data() + first * width);
              pass.losses_of_outputs(block, {result.losses.data() + first, block.people});
            });
  return result;
}

Evaluation evaluate(const Predictions& predictions, const People& people) {
  const Scorer scorer(people, predictions);
  std::vector<std::uint32_t> everybody(people.count());
  std::iota(everybody.begin(), everybody.end(), 0U);
  Evaluation evaluation{.everybody = scorer.quality(everybody), .groups = {}};
  std::vector<std::vector<std::uint32_t>> groups(people.groups.labels.size());
  if (!groups.empty()) {
    for (const std::uint32_t i : everybody) groups[people.groups.of_person[i]].push_back(i);
  }
  for (const auto& members : groups) evaluation.groups.push_back(scorer.quality(members));
  return evaluation;
}

Evaluation evaluate(const Network& network, const People& people) {
  return evaluate(predictions(network, people), people);
}
Evaluation evaluate(const Architecture& architecture, std::span<const float> parameters,
                    const People& people) {
  return evaluate(Network(architecture, parameters), people);
}

}  // namespace ration::train
