// What the paper says about its clinical experiment, beside what came out here, in words. Whether a
// claim held is up to clinical_numbers.h alone. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ration/report/clinical_numbers.h"
#include "ration/report/figure.h"

namespace ration {

// Runs alike but for their noise and where they start: numbers are of the first, a claim held if it
// held in most of them, and the finding says in how many.
std::vector<Claim> group_claims(std::span<const Resampled<GroupMoments>> runs,
                                const std::vector<std::string>& groups);

// With the paper's noise: at the best clip bound (in all of its runs, the first of which `gains`
// has too) and away from it. Gains are in the order of kClipMultiples.
std::vector<Claim> best_clip_claims(const Resampled<AucGains>& gains,
                                    const Resampled<AucGains>& best_clip_gains);
// With more noise or less.
Claim other_noise_claim(const Resampled<AucGains>& gains);

// Where people's epsilons are when filtering starts: at the best clip bound, and far above it.
Claim near_budget_claim(const ClinicalRun& run, std::size_t resamples);
Claim far_from_budget_claim(const ClinicalRun& run, std::size_t resamples);

}  // namespace ration
