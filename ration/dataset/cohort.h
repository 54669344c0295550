// A synthetic clinical cohort in the shape of the MIMIC-III phenotyping benchmark, whose data need
// a licence: 714 features (17 channels x 7 periods x 6 statistics), standardised, and 25 labels
// with the benchmark's prevalences. Nobody real is in it. Person i depends on the seed, on being in
// training or in test, and on i: on nothing else. On all cores; the same people on every machine.
// The model: docs/data.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ration/dataset/dataset.h"

namespace ration {

struct CohortSize {
  std::size_t train = 29'250, test = 6'281;
};

inline constexpr std::size_t kCohortFeatures = std::size_t{17} * 7 * 6;

// The benchmark's phenotypes in its order.
struct Phenotype {
  std::string_view name;
  double prevalence;
  float threshold;  // that a normal number exceeds with this probability
  // What share of the liability's variance comes from how ill somebody is, and from their other
  // states; the rest no feature knows.
  float severity, states;
};
inline constexpr std::size_t kPhenotypes = 25;
extern const std::array<Phenotype, kPhenotypes> kPhenotypeList;

Dataset synthetic_cohort(const CohortSize& size, std::uint64_t seed);

}  // namespace ration
