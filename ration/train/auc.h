// The area under the ROC curve. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ration::train {

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

}  // namespace ration::train
