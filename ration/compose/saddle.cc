#include "ration/compose/saddle.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <variant>

#include "ration/base/error.h"

namespace ration {

double tilt_for_delta(const LogMomentFunction& k, double log_delta, double most) {
  const double variance = k(1e-3).second;
  const auto condition = [&](double z) {
    const LogMoment m = k(z);
    return Condition{z * m.first - m.value + std::log1p(z) + log_delta, z * m.second + 1 / (1 + z)};
  };
  return find_tilt(condition, std::sqrt(2 * std::max(-log_delta, 0.1) / variance), most);
}

double tilt_for_epsilon(const LogMomentFunction& k, double epsilon, double most) {
  const auto condition = [&](double z) {
    const LogMoment m = k(z);
    const double gap = m.first - epsilon - std::log1p(1 / z);
    return Condition{z * gap, gap + z * m.second + 1 / (1 + z)};  // times z, to be an exponent
  };
  return find_tilt(condition, 1, most);
}

// Newton in log z, guarded by the bracket seen so far, which is halved where Newton's steps do not
// halve the condition: near a tilt at which large losses take over it has a bend.
double find_tilt(const std::function<Condition(double)>& condition, double guess, double most,
                 double close) {
  double low = 1e-7, high = most, z = std::clamp(guess, 1e-6, 0.1 * most), last = 0;
  bool above = false, below = false;
  for (int i = 0; i < 60; ++i) {
    const std::optional<Condition> g = if_in_reach([&] { return condition(z); });
    if (!g) {  // no moments that far out
      high = z;
      z = std::sqrt(low * high);
      continue;
    }
    if (std::abs(g->value) < close) break;
    (g->value > 0 ? high : low) = z;
    (g->value > 0 ? above : below) = true;
    const bool slow = above && below && std::abs(g->value) > 0.5 * std::abs(last);
    last = g->value;
    double next = z * std::exp(std::clamp(-g->value / (g->slope * z), -2.0, 2.0));
    if (slow || !(next > low && next < high)) next = std::sqrt(low * high);
    if (std::abs(next / z - 1) < 1e-9) break;
    z = next;
  }
  return z;
}

}  // namespace ration

namespace ration::contour {
namespace {

struct Kind {
  double noise, rate;
};
struct KindOf {
  Kind operator()(const Gaussian& m) const { return {m.noise, 1}; }
  Kind operator()(const SubsampledGaussian& m) const { return {m.noise, m.rate}; }
  Kind operator()(const WithoutNormalNoise auto&) const { refuse_without_normal_noise("contour"); }
};
struct Row {
  const PlanEntry* entry;
  Kind kind;
};

// Throws together rows of about one rate, sorted by noise.
void add_fewer(const std::span<const Row> rows, Plan& few) {
  for (std::size_t i = 0; i < rows.size();) {
    const std::size_t end = std::min(rows.size(), i + 1 + i / 2);
    const Row& middle = rows[i + (end - i) / 2];
    double steps = 0;
    for (std::size_t j = i; j < end; ++j) {
      steps += rows[j].entry->steps * (rows[j].kind.rate / middle.kind.rate);
    }
    few.push_back({middle.entry->mechanism, std::clamp(std::round(steps), 1.0, 1e15)});
    i = end;
  }
}

}  // namespace

Plan with_fewer_noises(const Plan& plan) {
  constexpr std::size_t kFew = 8;
  constexpr double kAlike = 1.2;  // rates
  if (plan.size() <= kFew) return plan;
  std::vector<Row> rows;
  for (const PlanEntry& e : plan) rows.push_back({&e, std::visit(KindOf{}, e.mechanism)});
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.kind.rate < b.kind.rate; });
  Plan few;
  for (auto from = rows.begin(); from != rows.end();) {
    const auto to = std::find_if(
        from, rows.end(), [&](const Row& r) { return r.kind.rate > kAlike * from->kind.rate; });
    std::sort(from, to, [](const Row& a, const Row& b) { return a.kind.noise < b.kind.noise; });
    add_fewer({from, to}, few);
    from = to;
  }
  return few;
}

}  // namespace ration::contour
