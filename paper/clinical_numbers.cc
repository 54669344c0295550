#include "paper/clinical_numbers.h"

#include <algorithm>
#include <numeric>

#include "ration/base/people.h"
#include "ration/model/metrics.h"

namespace ration::paper {
namespace {

using Times = std::vector<std::uint32_t>;

// Calls value(r) for each resample, on all cores.
template <class Value, class OfResample>
Resampled<Value> resampled(Value observed, std::size_t resamples, const OfResample& value) {
  Resampled<Value> result = {.observed = std::move(observed),
                             .resamples = std::vector<Value>(resamples)};
  in_parallel(resamples, [&](std::size_t r) { result.resamples[r] = value(r); });
  return result;
}

template <class Value>
std::vector<double> of_members(std::span<const Value> values,
                               const std::vector<std::uint32_t>& members) {
  std::vector<double> result;
  result.reserve(members.size());
  for (const std::uint32_t i : members) result.push_back(static_cast<double>(values[i]));
  return result;
}

// The people of one group at one moment.
struct GroupValues {
  std::vector<double> epsilon, train_loss, test_loss;
};
GroupValues values_of(const ClinicalMoment& moment, const std::vector<std::uint32_t>& train,
                      const std::vector<std::uint32_t>& test) {
  return {.epsilon = of_members(std::span<const double>(moment.epsilons), train),
          .train_loss = of_members(std::span<const float>(moment.train_losses), train),
          .test_loss = of_members(std::span<const float>(moment.test.losses), test)};
}

void set_means(GroupMeans& means, std::size_t group, const GroupValues& values, const Times& train,
               const Times& test) {
  means.epsilon[group] = mean(values.epsilon, train);
  means.train_loss[group] = mean(values.train_loss, train);
  means.test_loss[group] = mean(values.test_loss, test);
}

std::size_t least(const PerGroup& values) {
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
}
double range(const PerGroup& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

LossChanges::Side changes_of(const Resampled<GroupMoments>& moments, PerGroup GroupMeans::*loss) {
  LossChanges::Side side = {.changes = {}, .best = least(moments.observed.before.*loss)};
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    side.changes[g] = estimate(moments, [&](const GroupMoments& one) {
      return (one.after.*loss)[g] - (one.before.*loss)[g];
    });
  }
  return side;
}

Spread spread_of(const Resampled<GroupMoments>& moments, PerGroup GroupMeans::*what) {
  return {.before = range(moments.observed.before.*what),
          .after = range(moments.observed.after.*what),
          .change = estimate(moments, [&](const GroupMoments& one) {
            return range(one.after.*what) - range(one.before.*what);
          })};
}

// All labels' scores, sorted once.
class MacroAuc {
 public:
  MacroAuc(const Predictions& predictions, const Labels& labels) {
    const std::size_t people = labels.records(), width = labels.count();
    std::vector<float> scores(people);
    std::vector<std::uint16_t> has(people);
    for (std::size_t label = 0; label < width; ++label) {
      for (std::size_t i = 0; i < people; ++i) {
        scores[i] = predictions.outputs[i * width + label];
        has[i] = labels.of(i)[label];
      }
      labels_.emplace_back(scores, has);
    }
  }

  // The mean over the labels that have an AUC, as in evaluate(); 0.5, which tells nobody apart, if
  // none has.
  double of(const Times& times) const {
    double sum = 0, count = 0;
    for (const SortedScores& label : labels_) {
      const std::optional<double> area = label.auc(times);
      if (!area) continue;
      sum += *area;
      count += 1;
    }
    return count == 0 ? 0.5 : sum / count;
  }

 private:
  std::vector<SortedScores> labels_;
};

}  // namespace

Resampled<GroupMoments> group_moments(const ClinicalRun& run, const ClinicalGroups& groups,
                                      std::size_t resamples) {
  const GroupMembers train = members_of(groups.train), test = members_of(groups.test);
  std::array<GroupValues, kPaperGroups> before, after;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    before[g] = values_of(run.before, train[g], test[g]);
    after[g] = values_of(run.after, train[g], test[g]);
  }
  const auto moments_of = [&](const auto& train_times, const auto& test_times) {
    GroupMoments moments;
    for (std::size_t g = 0; g < kPaperGroups; ++g) {
      const Times of_train = train_times(g), of_test = test_times(g);
      set_means(moments.before, g, before[g], of_train, of_test);
      set_means(moments.after, g, after[g], of_train, of_test);
    }
    return moments;
  };
  const auto once = [](const GroupMembers& members) {
    return [&members](std::size_t g) { return Times(members[g].size(), 1); };
  };
  return resampled(moments_of(once(train), once(test)), resamples, [&](std::size_t r) {
    const auto drawn = [r](const GroupMembers& members, ClinicalStream stream) {
      return [&members, stream, r](std::size_t g) {
        return resample(members[g].size(),
                        PublicRandom(kClinicalSeed, stream, r * kPaperGroups + g));
      };
    };
    return moments_of(drawn(train, train_resamples), drawn(test, test_resamples));
  });
}

Association association(const Resampled<GroupMoments>& moments) {
  const GroupMeans& before = moments.observed.before;
  const auto correlation = [&](PerGroup GroupMeans::*loss) {
    return estimate(moments, [&](const GroupMoments& one) {
      return rank_correlation(one.before.epsilon, one.before.*loss);
    });
  };
  return {.train = correlation(&GroupMeans::train_loss),
          .test = correlation(&GroupMeans::test_loss),
          .least_epsilon = least(before.epsilon),
          .least_train_loss = least(before.train_loss),
          .least_test_loss = least(before.test_loss)};
}

LossChanges loss_changes(const Resampled<GroupMoments>& moments) {
  return {.train = changes_of(moments, &GroupMeans::train_loss),
          .test = changes_of(moments, &GroupMeans::test_loss)};
}

Spreads spreads(const Resampled<GroupMoments>& moments) {
  return {.epsilon = spread_of(moments, &GroupMeans::epsilon),
          .train_loss = spread_of(moments, &GroupMeans::train_loss),
          .test_loss = spread_of(moments, &GroupMeans::test_loss)};
}

ClipGains clip_gains(std::span<const ClinicalRun> runs, const People& test, std::size_t resamples) {
  std::vector<double> multiples;
  std::vector<MacroAuc> before, after;
  for (const ClinicalRun& run : runs) {
    multiples.push_back(run.clip_multiple);
    before.emplace_back(run.before.test, test.labels);
    after.emplace_back(run.after.test, test.labels);
  }
  const auto gains = [&](const Times& times) {
    std::vector<double> result(before.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = after[i].of(times) - before[i].of(times);
    }
    return result;
  };
  return {.multiples = std::move(multiples),
          .gains = resampled(gains(Times(test.count(), 1)), resamples, [&](std::size_t r) {
            return gains(resample(test.count(), PublicRandom(kClinicalSeed, auc_resamples, r)));
          })};
}

std::vector<Estimate> gains_at(const ClipGains& gains, double clip_multiple) {
  std::vector<Estimate> found;
  for (std::size_t i = 0; i < gains.multiples.size(); ++i) {
    if (gains.multiples[i] != clip_multiple) continue;
    found.push_back(estimate(gains.gains, [&](const std::vector<double>& one) { return one[i]; }));
  }
  return found;
}

Estimate overall_gain(const ClipGains& gains) {
  const auto first = gains.multiples.begin(), last = gains.multiples.end();
  // `times` is called with the number of runs of a clip bound: how often each of them counts.
  const auto overall = [&](std::span<const double> of_runs, const auto& times) {
    double sum = 0, count = 0;
    for (auto from = first; from != last; ++count) {
      const auto to = std::find_if(from, last, [&](double other) { return other != *from; });
      const auto runs = static_cast<std::size_t>(to - from);
      sum += mean(of_runs.subspan(static_cast<std::size_t>(from - first), runs), times(runs));
      from = to;
    }
    return sum / count;
  };
  std::vector<double> resamples;
  for (std::size_t r = 0; r < gains.gains.resamples.size(); ++r) {
    std::uint64_t place = r * kClipMultiples.size();
    resamples.push_back(overall(gains.gains.resamples[r], [&](std::size_t runs) {
      return resample(runs, PublicRandom(kClinicalSeed, run_resamples, place++));
    }));
  }
  return estimate_of(overall(gains.gains.observed, [](std::size_t runs) { return Times(runs, 1); }),
                     std::move(resamples));
}

Estimate share_above(double part_of_budget, const ClinicalRun& run, std::size_t resamples) {
  std::vector<double> above;
  above.reserve(run.before.epsilons.size());
  for (const double epsilon : run.before.epsilons) {
    above.push_back(epsilon > part_of_budget * run.budget ? 1 : 0);
  }
  const auto share = [&](const Times& times) { return mean(above, times); };
  const auto shares = resampled(share(Times(above.size(), 1)), resamples, [&](std::size_t r) {
    return share(resample(above.size(), PublicRandom(kClinicalSeed, share_resamples, r)));
  });
  return estimate(shares, [](double one) { return one; });
}

}  // namespace ration::paper
