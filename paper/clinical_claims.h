// What the paper says about its clinical experiment, beside what came out here: in words, and as
// the evidence that decides (evidence.h). Numbers given in words are those of the first run. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "paper/clinical_numbers.h"
#include "paper/evidence.h"

namespace ration::paper {

// The runs differ only in their noise and in where they start.
std::vector<Claim> group_claims(std::span<const Resampled<GroupMoments>> runs,
                                const std::vector<std::string>& groups);

// With the paper's noise: next to no change at the paper's clip bound, a gain at the largest
// multiple of it, and none at any multiple nearer to it.
std::vector<Claim> paper_noise_claims(const ClipGains& gains);
// With more noise or less.
Claim other_noise_claim(const ClipGains& gains);

// Where people's epsilons are when filtering starts: near the budget at the paper's clip bound, far
// from it at the largest multiple. The runs are all of one clip bound.
Claim budget_share_claim(std::span<const ClinicalRun> runs, std::size_t resamples);

}  // namespace ration::paper
