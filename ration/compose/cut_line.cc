#include "ration/compose/cut_line.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "ration/compose/contour_line.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/near_one.h"

namespace ration::contour {
namespace {

constexpr double kDigits = 28;

[[noreturn]] void too_slow() {
  throw OutOfReach("contour cannot certify this plan: the integral converges too slowly");
}

bool has_base(Part part) { return part == Part::middle || part == Part::large; }

std::vector<CutLaw> laws_of(const Plan& plan, const Cuts& cuts, Part part, double tilt,
                            double reach) {
  std::vector<CutLaw> laws;
  laws.reserve(plan.size());
  for (const PlanEntry& entry : plan) {
    const double digits = kDigits + 8 + std::log(double{entry.steps});
    laws.push_back(law_of(entry, cuts, part, tilt, reach, digits));
  }
  return laws;
}

// log of a bound of |Prod (base + extra) - Prod base| beyond t: each factor is at most 1, so it is
// at most the sum of the extra parts; without a base the product itself.
//
// With a stride only every so many laws are asked, for the others: to search by.
double total_decay(const Plan& plan, const std::vector<CutLaw>& laws, double t,
                   std::size_t stride = 1) {
  double exponent = 0, sum = 0;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (j % stride != 0) continue;
    const double decay = log_decay(laws[j], t);
    exponent += plan[j].steps * std::min(0.0, decay);
    sum += plan[j].steps * std::exp(decay);
  }
  const auto weight = static_cast<double>(stride);
  return laws.front().has_base ? std::log(sum * weight) : exponent * weight;
}

// A sum of logarithms with the bound of its error.
struct Sum {
  std::complex<double> value = 0;
  double error = 0;
  bool lost = false;  // only the real part means something, as an upper bound

  // Adds count * log(1 + d), d known up to `absolute`.
  void add(const std::complex<double>& d, double absolute, double count) {
    const double size = std::abs(1.0 + d), unknown = absolute + 4 * kRoundoff;
    if (!(size > 2 * unknown)) {  // |1 + d| is at most three times `unknown`, and 1
      value += count * (std::isnan(size) ? 0.0 : std::log(std::min(1.0, 3.1 * unknown)));
      lost = true;
      return;
    }
    const std::complex<double> log = log1p(d);
    const double cancelled = d.real() < -0.5 ? unknown : absolute;
    value += count * log;
    error += count * 1.01 * (-std::log1p(-cancelled / size) + 8 * kRoundoff * std::abs(log)) +
             kRoundoff * std::abs(value);
  }
};

struct Term {
  std::complex<double> value;
  double error;
};
Term exp_of(const Sum& sum) {
  const double size = std::exp(sum.value.real());
  const double relative =
      sum.error + kRoundoff * (8 + 4 * std::abs(sum.value.imag()) + 2 * std::abs(sum.value.real()));
  if (sum.lost) return {0, size * std::exp(1.01 * relative)};
  return {std::polar(size, sum.value.imag()), size * std::expm1(1.01 * relative)};
}

// exp(base) (exp(ratio) - 1) where the ratio is small, or exp(whole) - exp(base).
Term difference(const Sum& whole, const Sum& base, const Sum& ratio) {
  const Term low = exp_of(base);
  if (ratio.error < 0.5 && std::abs(ratio.value) < 2 && !ratio.lost && !base.lost) {
    const std::complex<double> rest = expm1(ratio.value);
    const double grown = std::exp(ratio.value.real());
    const double rest_error =
        grown * std::expm1(ratio.error) + 16 * kRoundoff * std::abs(ratio.value) * (1 + grown);
    const double size = std::abs(low.value);
    return {low.value * rest, 1.01 * (low.error * (std::abs(rest) + rest_error) +
                                      size * rest_error + 8 * kRoundoff * size * std::abs(rest))};
  }
  const Term high = exp_of(whole);
  return {high.value - low.value,
          high.error + low.error + 4 * kRoundoff * (std::abs(high.value) + std::abs(low.value))};
}

}  // namespace

double Chernoff::at(double epsilon) const {
  const double z = tilt > 0 ? tilt : -1 - tilt;
  const double constant = renyi::conversion(z);
  const double size = std::abs(log_moment) + std::abs(tilt * epsilon) + std::abs(constant);
  return log_moment - tilt * epsilon + constant + 1e-12 * size;
}

// Aliases towards zero are at most exp(near - |tilt| period) (for tilts below -1, |1 + tilt|),
// those away from it at most exp(K(further) - further eps - |further - tilt| period).
void choose_tilts(const std::vector<Chernoff>& moments, double near, CutLineOptions& options) {
  constexpr double kMostLoss = 35;  // nats by which the integrand may exceed the error
  const auto size = [&](const Chernoff& at) {
    return at.log_moment - at.tilt * options.near_epsilon - options.log_error;
  };
  double least = kInfinity;
  for (const Chernoff& at : moments) least = std::min(least, size(at));
  options.period = kInfinity;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (size(moments[i]) > std::max(kMostLoss, least + 1e-9)) continue;
    const double z = moments[i].tilt > 0 ? moments[i].tilt : -1 - moments[i].tilt;
    for (std::size_t j = i + 1; j < moments.size(); ++j) {
      const double away = size(moments[j]) / std::abs(moments[j].tilt - moments[i].tilt);
      const double period = 1.02 * std::max((near - options.log_error) / z, away);
      if (!(period < options.period)) continue;
      options.period = period;
      options.tilt = moments[i].tilt;
      options.further_tilt = moments[j].tilt;
    }
  }
  if (!(options.period > 0 && options.period < kInfinity)) too_slow();
}

Bands bands_of(const Cuts& cuts, Part part) {
  switch (part) {
    case Part::small:
      return {.whole = {.below = cuts.high}, .extra = {.below = cuts.high}};
    case Part::middle:
      return {.whole = {.below = cuts.high}, .extra = {.above = cuts.low, .below = cuts.high}};
    case Part::large:
      return {.whole = {}, .extra = {.above = cuts.high}};
    case Part::all:
      return {};
  }
  throw std::logic_error("no such part");
}

CutLaw law_of(const PlanEntry& entry, const Cuts& cuts, Part part, double tilt, double reach,
              double digits) {
  const Bands bands = bands_of(cuts, part);
  return cut_law(std::get<SubsampledGaussian>(entry.mechanism), {.tilt = tilt,
                                                                 .reach = reach,
                                                                 .digits = digits,
                                                                 .whole = bands.whole,
                                                                 .extra = bands.extra,
                                                                 .has_base = has_base(part)});
}

double rough_part_moment(const Plan& plan, const Cuts& cuts, Part part, double tilt) {
  const Bands bands = bands_of(cuts, part);
  double moment = 0, extra = 0;
  for (const PlanEntry& entry : plan) {
    const RoughMoments at = rough_moments(std::get<SubsampledGaussian>(entry.mechanism), tilt,
                                          bands.whole, bands.extra);
    moment += entry.steps * at.k;
    extra += entry.steps * at.extra;
  }
  return has_base(part) ? moment + std::log(std::min(1.0, extra)) : moment;
}

double log_part_moment(const Plan& plan, const Cuts& cuts, Part part, double tilt) {
  double moment = 0, extra = 0;
  for (const PlanEntry& entry : plan) {
    const double count = entry.steps;
    const CutLaw law = law_of(entry, cuts, part, tilt, 0, 12 + std::log(count));
    moment = add_up(moment, mul_up(count, law.log_moment.upper));
    extra += count * law.extra_weight * (1 + law.scale_error);
  }
  if (has_base(part)) moment += std::log(std::min(1.0, extra)) + 1e-9;
  return moment + 1e-12 * std::abs(moment);
}

CutLine::CutLine(const Plan& plan, const Cuts& cuts, const CutLineOptions& options)
    : tilt_(options.tilt),
      further_tilt_(options.further_tilt),
      log_mass_(options.log_mass),
      step_(2 * std::numbers::pi / options.period) {
  const auto coarse = laws_of(plan, cuts, options.part, tilt_, 0);
  double moment = -tilt_ * options.near_epsilon, nodes = 0;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    moment += plan[j].steps * midpoint(coarse[j].log_moment);
    nodes += static_cast<double>(coarse[j].loss.size());
  }
  // How far: what is cut off is at most exp(moment) phi* / (pi t).
  const auto excess = [&](double t, std::size_t stride) {
    return moment + total_decay(plan, coarse, t, stride) - std::log(std::numbers::pi * t) -
           options.log_error;
  };
  double reach = 4 * step_;
  for (const std::size_t stride : {plan.size() / 6 + 1, std::size_t{1}}) {
    while (excess(reach, stride) >= 0) {
      reach *= 1.2;
      if (reach / step_ * nodes > options.most_work) too_slow();
    }
  }
  log_tail_ = total_decay(plan, coarse, reach) - std::log(std::numbers::pi * reach);
  const auto points = static_cast<std::size_t>(std::ceil(reach / step_)) + 1;

  const double last = step_ * static_cast<double>(points);
  const auto laws = laws_of(plan, cuts, options.part, tilt_, last);
  nodes = 0;
  for (const CutLaw& law : laws) nodes += static_cast<double>(law.loss.size());
  if (static_cast<double>(points) * nodes > options.most_work) too_slow();
  double steps = 0;
  for (const PlanEntry& entry : plan) steps += entry.steps;
  const double allowance = kFastError / steps;
  std::vector<Sum> whole(points), base(points), ratio(points);
  for (std::size_t j = 0; j < plan.size(); ++j) {
    const double count = plan[j].steps;
    const CutLaw& law = laws[j];
    CutRotation rotation(law, step_, points, allowance);
    for (std::size_t m = 0; m < points; ++m) {
      const double t = step_ * static_cast<double>(m);
      const CutRotation::Parts part = rotation.at(m);
      const double whole_error = law.whole_fixed + law.whole_linear * t + rotation.error();
      whole[m].add(part.surplus, whole_error, count);
      if (!law.has_base) continue;
      const double extra_error =
          law.extra_fixed + law.extra_linear * t + rotation.error() * law.extra_weight;
      const std::complex<double> below = part.surplus - part.extra;  // base - 1
      const double below_error = whole_error + extra_error + 4 * kRoundoff;
      base[m].add(below, below_error, count);
      const std::complex<double> share = part.extra / (1.0 + below);
      const double known = std::abs(1.0 + below) - below_error;
      const double share_error = known > 0 ? (extra_error + std::abs(share) * below_error) / known +
                                                 8 * kRoundoff * std::abs(share)
                                           : kInfinity;
      ratio[m].add(share, share_error, count);
    }
    log_moment_ = log_moment_ + law.log_moment * count;
    centre_ = centre_ + exactly(law.centre) * count;
  }
  for (std::size_t m = 0; m < points; ++m) {
    const Term term =
        laws.front().has_base ? difference(whole[m], base[m], ratio[m]) : exp_of(whole[m]);
    value_.push_back(term.value);
    error_.push_back(term.error);
  }
  further_moment_ = log_part_moment(plan, cuts, options.part, further_tilt_);
}

// log of a bound of the sum over n != 0 of exp(tilt x_n) integral(eps + x_n), x_n = 2 pi n / step.
double CutLine::log_alias(double epsilon) const {
  const double period = 2 * std::numbers::pi / step_ * (1 - 1e-14);
  // Towards 0: at most the mass, for tilt < -1 at most exp(eps + x) times the mass under exp(-x).
  const double back = (tilt_ > 0 ? tilt_ : -1 - tilt_) * period;
  const double near = log_mass_ + (tilt_ > 0 ? 0 : epsilon) - back - std::log1p(-std::exp(-back));
  // Away from it: Chernoff.
  const double on = std::abs(further_tilt_ - tilt_) * period;
  const double size = std::abs(further_moment_) + std::abs(further_tilt_ * epsilon);
  const double far =
      further_moment_ - further_tilt_ * epsilon - on - std::log1p(-std::exp(-on)) + 1e-14 * size;
  return std::max(near, far) + std::log1p(std::exp(-std::abs(near - far)));
}

Bound CutLine::integral(double epsilon) const {
  // Terms Re[value exp(i t (centre - eps)) / (z (z+1))]; the one at t = 0 counts half.
  const Bound offset = centre_ - epsilon;
  const double middle = midpoint(offset), offset_error = width(offset);
  double sum = 0, error = 0, size_sum = 0;
  for (std::size_t m = 0; m < value_.size(); ++m) {
    const double t = step_ * static_cast<double>(m), half = m == 0 ? 0.5 : 1;
    const std::complex<double> z(tilt_, t);
    const std::complex<double> kernel = half * std::polar(1.0, t * middle) / (z * (z + 1.0));
    const double term = (value_[m] * kernel).real(), size = std::abs(kernel);
    const double phase = t * offset_error + kRoundoff * (24 + 4 * std::abs(t * middle));
    sum += term;
    error += size * (error_[m] + std::abs(value_[m]) * std::expm1(1.01 * phase));
    size_sum += size * std::abs(value_[m]);
  }
  error = 1.01 * (error + (static_cast<double>(value_.size()) + 4) * kRoundoff * size_sum);
  const Bound scale = log_moment_ - exactly(tilt_) * epsilon;
  const Bound rule =
      exactly(step_) / Bound{.lower = std::numbers::pi, .upper = next_up(std::numbers::pi)};
  const Bound main = exp(scale) * rule * widen(exactly(sum), error);
  const Bound tail = exp(scale + widen(exactly(log_tail_), 1e-9));
  const double alias = library_up(std::exp(log_alias(epsilon)) * (1 + 1e-9));
  const Bound found = {.lower = std::max(0.0, sub_down(sub_down(main.lower, tail.upper), alias)),
                       .upper = add_up(main.upper, tail.upper)};
  // The sum over all points is the integral plus the aliases, which are not negative.
  if (!(std::isfinite(found.lower) && std::isfinite(found.upper))) too_slow();
  return found;
}

}  // namespace ration::contour
