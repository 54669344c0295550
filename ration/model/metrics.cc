#include "ration/model/metrics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "ration/base/people.h"
#include "ration/model/blocks.h"
#include "ration/model/full_batch.h"

namespace ration {
namespace {

class Scorer {
 public:
  Scorer(const People& people, const Predictions& predictions)
      : people_(people), predictions_(predictions) {}

  Quality quality(const std::vector<std::uint32_t>& members) const {
    Quality quality{.people = members.size(), .loss = {}, .score = {}, .label_auc = {}};
    if (members.empty()) return quality;
    quality.loss = mean_over(members, [&](std::size_t record) {
      return static_cast<double>(predictions_.losses[record]);
    });
    if (people_.labels.kind == LabelKind::one) {
      quality.score = accuracy(members);
      quality.majority = majority(members);
    } else {
      quality.label_auc = label_aucs(members);
      quality.score = mean(quality.label_auc);
    }
    return quality;
  }

 private:
  // Over people, of the mean over each one's records.
  template <class Value>
  double mean_over(const std::vector<std::uint32_t>& members, const Value& value) const {
    double sum = 0;
    for (const std::uint32_t i : members) {
      double own = 0;
      for (std::size_t r = people_.first_record(i); r < people_.first_record(i + 1); ++r)
        own += value(r);
      sum += own / static_cast<double>(people_.records_of(i));
    }
    return sum / static_cast<double>(members.size());
  }

  double accuracy(const std::vector<std::uint32_t>& members) const {
    const std::size_t width = people_.labels.count();
    return mean_over(members, [&](std::size_t record) {
      const float* row = predictions_.outputs.data() + record * width;
      const auto is_none = [](float x) { return std::isnan(x); };
      if (std::any_of(row, row + width, is_none)) return 0.0;
      const auto best = static_cast<std::size_t>(std::max_element(row, row + width) - row);
      return best == people_.labels.of(record)[0] ? 1.0 : 0.0;
    });
  }

  double majority(const std::vector<std::uint32_t>& members) const {
    std::vector<double> shares(people_.labels.count());
    for (const std::uint32_t i : members) {
      const double share = 1 / static_cast<double>(people_.records_of(i));
      for (std::size_t r = people_.first_record(i); r < people_.first_record(i + 1); ++r)
        shares[people_.labels.of(r)[0]] += share;
    }
    return *std::max_element(shares.begin(), shares.end()) / static_cast<double>(members.size());
  }

  std::vector<std::size_t> records_of(const std::vector<std::uint32_t>& members) const {
    std::vector<std::size_t> records;
    for (const std::uint32_t i : members) {
      for (std::size_t r = people_.first_record(i); r < people_.first_record(i + 1); ++r)
        records.push_back(r);
    }
    return records;
  }

  std::vector<std::optional<double>> label_aucs(const std::vector<std::uint32_t>& members) const {
    const std::size_t width = people_.labels.count();
    const std::vector<std::size_t> records = records_of(members);
    std::vector<std::optional<double>> aucs(width);
    in_parallel(width, [&](std::size_t label) {
      std::vector<float> scores(records.size());
      std::vector<std::uint16_t> labels(records.size());
      for (std::size_t k = 0; k < records.size(); ++k) {
        scores[k] = predictions_.outputs[records[k] * width + label];
        labels[k] = people_.labels.of(records[k])[label];
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
  Predictions result{std::vector<float>(people.records() * width),
                     std::vector<float>(people.records())};
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

namespace {

// Integers in the order of the numbers; what is no number comes first, -0 is 0.
std::uint32_t order_of(float score) {
  if (std::isnan(score)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

}  // namespace

SortedScores::SortedScores(std::span<const float> scores, std::span<const std::uint16_t> labels) {
  std::vector<std::uint64_t> keys(scores.size());
  // Score and person in one number, so that sorting moves one word.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = std::uint64_t{order_of(scores[i])} << 32 | i;
  }
  std::sort(keys.begin(), keys.end());
  places_.reserve(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto person = static_cast<std::uint32_t>(keys[k]);
    places_.push_back({.person = person,
                       .with = labels[person] != 0,
                       .first = k == 0 || keys[k] >> 32 != keys[k - 1] >> 32});
  }
}

std::optional<double> SortedScores::auc(std::span<const std::uint32_t> times) const {
  // Of smaller scores; of this one; and twice the pairs won, of which equal scores are half.
  std::uint64_t with = 0, without = 0, with_here = 0, without_here = 0, twice_won = 0;
  const auto leave_score = [&] {
    twice_won += with_here * (2 * without + without_here);
    with += with_here;
    without += without_here;
    with_here = without_here = 0;
  };
  for (const Place& place : places_) {
    if (place.first) leave_score();
    // No branch on who has the label: nobody could foretell it.
    const std::uint64_t count = times[place.person], has = place.with ? 1 : 0;
    with_here += count * has;
    without_here += count * (1 - has);
  }
  leave_score();
  if (with == 0 || without == 0) return std::nullopt;
  return static_cast<double>(twice_won) / static_cast<double>(2 * with * without);
}

std::optional<double> auc(std::span<const float> scores, std::span<const std::uint16_t> labels) {
  return SortedScores(scores, labels).auc(std::vector<std::uint32_t>(scores.size(), 1));
}

}  // namespace ration
