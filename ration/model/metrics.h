// How well a model does: mean loss, and accuracy (one label each) or the area under the ROC curve
// (many labels), for everybody and for each group. Works on all cores; results do not depend on
// their number. What it says about people is private. docs/math/training.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/model/network.h"

namespace ration {

struct Quality {
  std::size_t people = 0;
  // None if there are no people. Infinity once somebody's loss is. Whoever has several records
  // counts once, with their mean.
  std::optional<double> loss;
  // Softmax: the share of people whose own label has the largest output (the first of equal ones);
  // of somebody's several records the share that has. Binary: the mean of label_auc over the labels
  // that have one. None if there are none.
  std::optional<double> score;
  std::vector<std::optional<double>> label_auc;  // binary only; over records
  // Softmax: the score of whoever names the label that most of these people have, always.
  std::optional<double> majority = {};
};

struct Evaluation {
  Quality everybody;
  std::vector<Quality> groups;  // as People::groups has them
};

// What a network makes of people's records, one after the other.
struct Predictions {
  std::vector<float> outputs;  // records x outputs, before the loss
  std::vector<float> losses;
};
Predictions predictions(const Network& network, const People& people);

Evaluation evaluate(const Predictions& predictions, const People& people);
Evaluation evaluate(const Network& network, const People& people);
Evaluation evaluate(const Architecture& architecture, std::span<const float> parameters,
                    const People& people);

// The area under the ROC curve. Pure functions.

// The chance that somebody with the label has a larger score than somebody without; equal scores
// count half. None when everybody has the label, or nobody. A score that is no number counts as
// the smallest. Counted in integers: exact up to one division, for up to 2^31 people.
std::optional<double> auc(std::span<const float> scores, std::span<const std::uint16_t> labels);

// The same where person i counts times[i] times, for who asks with many such numbers: scores are
// sorted once.
class SortedScores {
 public:
  SortedScores(std::span<const float> scores, std::span<const std::uint16_t> labels);

  std::optional<double> auc(std::span<const std::uint32_t> times) const;

 private:
  struct Place {
    std::uint32_t person;
    bool with, first;  // has the label; is the first of equal scores
  };
  std::vector<Place> places_;
};

}  // namespace ration
