#include "ration/control/price_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr Units kLeastPrice = PriceList::kWholeStep >> 16;

void check_entries(const std::vector<PricedStep>& entries) {
  if (entries.empty() || entries.size() > PriceList::kMostEntries) {
    refuse("price list", fmt::format("{} entries", entries.size()), "from 1 to 512");
  }
  if (entries.front().price != PriceList::kWholeStep) {
    refuse("price at the clip bound", static_cast<double>(entries.front().price),
           fmt::format("{} units", PriceList::kWholeStep));
  }
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const PricedStep &entry = entries[i], &before = entries[i - 1];
    if (entry.price < kLeastPrice) {
      refuse("price", static_cast<double>(entry.price), fmt::format("at least {}", kLeastPrice));
    }
    const bool in_order = entry.step.noise > before.step.noise &&
                          entry.step.rate <= before.step.rate && entry.price <= before.price;
    if (!in_order) {
      refuse("entry", fmt::format("{} at noise {}", i, static_cast<double>(entry.step.noise)),
             "more noise than the entry before, and no larger rate or price");
    }
  }
}

}  // namespace

PriceList::PriceList(std::vector<PricedStep> entries, std::uint32_t last_steps, bool lines)
    : entries_(std::move(entries)), last_steps_(last_steps), lines_(lines) {
  check_entries(entries_);
  if (last_steps_ < 1 || last_steps_ > kMostLastSteps) {
    refuse("last steps", last_steps_, "a whole number from 1 to 1000000");
  }
}

bool operator==(const PriceList& a, const PriceList& b) {
  return a.last_steps_ == b.last_steps_ && a.lines_ == b.lines_ &&
         std::equal(a.entries_.begin(), a.entries_.end(), b.entries_.begin(), b.entries_.end(),
                    [](const PricedStep& x, const PricedStep& y) {
                      return x.step.noise == y.step.noise && x.step.rate == y.step.rate &&
                             x.price == y.price;
                    });
}

std::size_t PriceList::entry_for(const SubsampledGaussian& step) const {
  if (step.noise < worst().noise) {
    refuse("noise", step.noise, fmt::format("at least {}", static_cast<double>(worst().noise)));
  }
  if (step.rate > worst().rate) {
    refuse("rate", step.rate, fmt::format("at most {}", static_cast<double>(worst().rate)));
  }
  // Along the list noise increases and rates do not, so that those that pay come first.
  const auto after =
      std::partition_point(entries_.begin(), entries_.end(), [&](const PricedStep& entry) {
        return entry.step.noise <= step.noise && entry.step.rate >= step.rate;
      });
  return static_cast<std::size_t>(after - entries_.begin()) - 1;
}

bool PriceList::in_between(std::size_t entry) const {
  return lines_ && (entry + 1 == entries_.size() ||
                    entries_[entry + 1].step.rate == entries_[entry].step.rate);
}

// With t(mu) = 2 Phi(mu / 2) - 1 the price grows by (price - least) (t(mu) - t(from)) / (t(own) -
// t(from)). t is concave, its slope at mu proportional to exp(-mu^2 / 8).
PriceList::Line PriceList::line_below(std::size_t entry) const {
  const Units own = entries_[entry].price;
  if (!in_between(entry)) return {.least = own, .from = 0, .slope = 0};
  const bool last = entry + 1 == entries_.size();
  const Units least = last ? 0 : entries_[entry + 1].price;
  const double from = last ? 0 : div_down(1, entries_[entry + 1].step.noise);
  const double mu = div_up(1, entries_[entry].step.noise);
  const double bend = library_up(std::exp(div_up(sub_up(mul_up(mu, mu), mul_down(from, from)), 8)));
  const double width = sub_down(div_down(1, entries_[entry].step.noise), next_up(next_up(from)));
  const auto height = static_cast<double>(own - least);
  return {.least = least,
          .from = from,
          .slope = width > 0 ? mul_up(bend, div_up(height, width)) : kInfinity};
}

Units PriceList::price(const SubsampledGaussian& step) const {
  const std::size_t entry = entry_for(step);
  const auto [least, from, slope] = line_below(entry);
  const double above = slope == 0 ? 0 : mul_up(slope, sub_up(div_up(1, step.noise), from));
  const Units own = entries_[entry].price;
  if (!(above < static_cast<double>(own))) return own;
  return std::min(own, least + 1 + static_cast<Units>(above));
}

std::uint64_t PriceList::steps_for(const SubsampledGaussian& step, Units units) const {
  const Units each = price(step);
  std::uint64_t steps = 0;
  if (units >= near_the_end()) {
    steps = (units - near_the_end()) / each + 1;
    units -= steps * each;
  }
  return steps + units / kWholeStep;
}

namespace {

// E exp(tilt L) - 1.
double moment_above_one(const SubsampledGaussian& step, double tilt) {
  return std::expm1(rdp::log_moment_estimate(step, tilt, Direction::remove));
}

}  // namespace

PriceList price_list(const PriceRule& rule) {
  const DefaultFloatEnvironment environment;
  if (!(rule.tilt >= 0.01 && rule.tilt <= 1000)) {
    refuse("tilt", rule.tilt, "a number from 0.01 to 1000");
  }
  if (!(rule.largest_ratio >= 1 && rule.largest_ratio <= 1e6)) {
    refuse("largest ratio", rule.largest_ratio, "a number from 1 to 1e6");
  }
  if (rule.per_doubling < 1 || rule.per_doubling > 32) {
    refuse("entries per doubling", rule.per_doubling, "a whole number from 1 to 32");
  }
  const double worst = moment_above_one(rule.step, rule.tilt);
  if (!(worst < 1e300)) {
    refuse("tilt", rule.tilt, "less: the moment of the worst step is too large for a double");
  }
  std::vector<PricedStep> entries = {{.step = rule.step, .price = PriceList::kWholeStep}};
  const double doublings = std::log2(rule.largest_ratio), per = rule.per_doubling;
  const double close = std::log2(PriceRule::kClose);
  for (double d = 1 / per; d <= doublings * (1 + 1e-12); d += (d < close - 1e-9 ? 1 : 2) / per) {
    const double noise = rule.step.noise * std::exp2(d);
    if (!NoiseRule::allows(noise)) break;
    const SubsampledGaussian step = {.noise = noise, .rate = rule.step.rate};
    const double share = moment_above_one(step, rule.tilt) / worst;
    const auto price =
        static_cast<Units>(std::ceil(share * static_cast<double>(PriceList::kWholeStep)));
    entries.push_back({step, std::clamp(price, kLeastPrice, entries.back().price)});
  }
  return {std::move(entries), rule.last_steps, true};
}

}  // namespace ration
