#include "ration/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ration/base/error.h"
#include "ration/individual/buckets.h"
#include "ration/model/blocks.h"
#include "ration/model/full_batch.h"
#include "ration/model/network.h"
#include "ration/noise/noise.h"
#include "ration/train/block_sums.h"
#include "ration/train/clipping.h"

namespace ration::train {
namespace {

// Of a Poisson sample, on average: they are summed together.
constexpr std::size_t kDrawnInRange = 48, kDrawnTogether = 16;

// People are dealt with in ranges of like size, fixed in advance, so that who is drawn or left out
// in one range changes nothing in the others. At rate 1 a range is a block.
std::size_t range_of(const TrainingPlan& plan, const People& people) {
  if (!plan.sampled() && !people.together()) return kBlockPeople;
  if (!plan.sampled()) return std::min(people.count(), kRangeTogether);
  const std::size_t drawn = people.together() ? kDrawnTogether : kDrawnInRange;
  const double range = static_cast<double>(drawn) / plan.step.rate;
  return std::min(people.count(), static_cast<std::size_t>(std::min(range, 0x1p52)));
}

// Where records are taken together, each person of a range may be in a block of their own: more
// sums are rounded to the lattice, which is finer for that.
double lattice_of(const TrainingPlan& plan, const Architecture& architecture,
                  const People& people) {
  const double step = lattice_step(plan.step.clip, architecture.parameters());
  return people.together() ? step / 8 : step;
}

Clipping clipping_of(const TrainingPlan& plan, const Architecture& architecture,
                     const People& people, double lattice) {
  const SumShape shape = {.people = people.count(),
                          .range = range_of(plan, people),
                          .rate = plan.step.rate,
                          .block = kBlockPeople,
                          .entries = architecture.parameters(),
                          .together = people.together()};
  return {plan.step.clip, rounding_slack(shape, lattice, plan.step.clip)};
}

// What the error of computed noise was worked out for: docs/math/noise.md, "Exact draws".
void check_noise_of(const TrainingPlan& plan, const Architecture& architecture, double lattice) {
  const double deviation = plan.step.noise * plan.step.clip / lattice;
  const auto entries = static_cast<double>(architecture.parameters());
  const double draws = entries * static_cast<double>(plan.steps());
  const double most = std::min(0x1p45, 0x1p70 / draws);
  if (!(deviation >= 0x1p10 && deviation <= most)) {
    const double unit = lattice / plan.step.clip;
    refuse(
        "noise", plan.step.noise,
        fmt::format("{} to {} for a model of {} parameters", 0x1p10 * unit, most * unit, entries));
  }
  if (draws > 0x1p40) {
    refuse("epochs", static_cast<double>(plan.epochs),
           fmt::format("fewer for a model of {} parameters: at most 2^40 draws of noise", entries));
  }
}

std::optional<Filter> filter_of(const TrainingPlan& plan, std::size_t people) {
  if (!plan.filter) return std::nullopt;
  return Filter(people, plan.filter->currency, plan.filter->budget);
}

}  // namespace

Trainer::Trainer(const Architecture& architecture, const OptimiserRule& optimiser,
                 const TrainingPlan& plan, const People& people, const SecretStream& stream)
    : Trainer(
          architecture, optimiser, plan, people, stream,
          {.parameters = initial_parameters(architecture, stream)},
          Books(people.count(), Buckets::from(plan.step.noise), filter_of(plan, people.count()))) {}

Trainer::Trainer(const Architecture& architecture, const OptimiserRule& optimiser,
                 const TrainingPlan& plan, const People& people, const SecretStream& stream,
                 TrainingState state, Books books)
    : plan_(plan),
      people_(people),
      stream_(stream),
      lattice_(lattice_of(plan, architecture, people)),
      clipping_(clipping_of(plan, architecture, people, lattice_)),
      step_(state.step),
      parameters_(std::move(state.parameters)),
      network_(architecture, parameters_),
      optimiser_(optimiser, parameters_.size()),
      books_(std::move(books)),
      sums_(architecture, kBlockPeople, lattice_),
      norms_(std::move(state.held_norms)),
      charges_(people.count()),
      losses_(std::move(state.losses)),
      mask_(people.count(), 1),
      everybody_(people.together() ? people.count() : 0) {
  std::iota(everybody_.begin(), everybody_.end(), 0U);
  check(plan);
  check(architecture, people);
  check_noise_of(plan, architecture, lattice_);
  // Until they are computed, if ever, all norms count as at the clip bound.
  norms_.resize(people.count(), static_cast<float>(plan.step.clip));
  set_charges();
  // Where norms are held, so are losses; checkpoints of before did not have them.
  if (plan.sampled() && plan.refresh && step_ > 0 && losses_.empty()) {
    losses_ = gradient_norms(network_, people).losses;
  }
  losses_.resize(plan.refresh ? people.count() : 0);
  if (!state.optimiser.empty())
    optimiser_.restore(std::move(state.optimiser), state.optimiser_steps);
}

void Trainer::step(const OnCharge& on_charge) {
  sums_.clear();  // of a step that was broken off
  plan_.sampled() ? sum_over_sample(on_charge) : sum_over_everybody(on_charge);
  add_noise_and_descend();
  ++step_;
}

// DP-GD (algorithm 1 of the paper). One pass does it all: whom the filter admits follows from their
// own norm and account alone, so that it is known before everybody's norms are.
void Trainer::sum_over_everybody(const OnCharge& on_charge) {
  const std::size_t people = people_.count(), range = range_of(plan_, people_);
  const Books::Settled& books = books_.settle();
  sums_.each((people + range - 1) / range, [&](BlockSums::Worker& worker, std::size_t r) {
    const std::size_t end = std::min(people, (r + 1) * range);
    for (std::size_t first = r * range, count = 0; first < end; first += count) {
      count = people_in_block(people_, first, end, sums_.block());
      add_people(worker, books, first, count);
    }
    // Where people have several records, who is left out would move the others to other blocks:
    // only now, when it is decided, are those who take part packed and summed.
    if (!people_.together()) return;
    const auto to = everybody_.cbegin() + static_cast<std::ptrdiff_t>(end);
    auto next = everybody_.cbegin() + static_cast<std::ptrdiff_t>(r * range);
    while (next != to) next = add_block(worker, next, to);
  });
  books_.charge(plan_.step, charges_, mask_);
  if (on_charge) on_charge(charges_, false);
}

namespace {

// A person's weight is that of each of their records.
void set_weights(std::span<const std::size_t> begins, std::size_t person, float weight,
                 std::span<float> weights) {
  const std::size_t from = begins[person] - begins[0], to = begins[person + 1] - begins[0];
  std::fill(weights.begin() + std::ptrdiff_t(from), weights.begin() + std::ptrdiff_t(to), weight);
}

}  // namespace

void Trainer::add_people(BlockSums::Worker& worker, const Books::Settled& books, std::size_t first,
                         std::size_t count) {
  const auto norms = std::span(norms_).subspan(first, count);
  const auto charges = std::span(charges_).subspan(first, count);
  const auto mask = std::span(mask_).subspan(first, count);
  const auto losses = std::span(losses_).subspan(first, count);
  const bool together = people_.together();
  const std::size_t begin = people_.first_record(first);
  const std::size_t records = people_.first_record(first + count) - begin;
  const auto begins = together ? std::span(people_.begins).subspan(first, count + 1)
                               : std::span<const std::size_t>();

  worker.pass.gradients(network_, block_of(people_, begin, records),
                        together ? std::span(worker.losses).first(records) : losses);
  if (together) {
    worker.pass.norms_of_people(begins, norms);
    means_of_records(people_, first, worker.losses, losses);
  } else {
    worker.pass.norms(norms);
  }
  std::transform(norms.begin(), norms.end(), charges.begin(),
                 [&](float norm) { return clipping_.charge(norm); });
  books.would_admit(plan_.step, first, charges, mask);
  if (together) return;
  const auto weights = std::span(worker.weights).first(records);
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = mask[i] != 0 ? Clipping::weight(norms[i], clipping_.bound(norms[i])) : 0.0F;
  }
  worker.pass.weighted_sum(weights, worker.block);
  worker.sum.add(worker.block);
}

// DP-SGD. Everybody is charged at every step, drawn or not, for the bound that they hold since the
// last refresh (the clip bound, if there is none), and clipped to it: what a person pays follows
// from their own data and from what was released, never from a draw.
void Trainer::sum_over_sample(const OnCharge& on_charge) {
  const bool fresh = plan_.refresh && step_ % *plan_.refresh == 0;
  if (fresh) refresh_norms();
  books_.charge(plan_.step, charges_, mask_);
  if (on_charge) on_charge(charges_, !fresh && step_ > 0);

  const std::size_t range = range_of(plan_, people_);
  const std::vector<std::uint32_t> drawn =
      poisson_sample(people_.count(), plan_.step.rate, stream_, step_);
  sums_.each((people_.count() + range - 1) / range, [&](BlockSums::Worker& worker, std::size_t r) {
    const auto from = std::lower_bound(drawn.begin(), drawn.end(), r * range);
    const auto to = std::lower_bound(from, drawn.end(), (r + 1) * range);
    for (auto next = from; next != to;) next = add_block(worker, next, to);
  });
}

// The next people who take part, as many as fit into a block with all of their records.
Trainer::Drawn Trainer::add_block(BlockSums::Worker& worker, Drawn next, Drawn end) {
  worker.gathered.clear();
  worker.begins.assign(1, 0);
  worker.features.clear();
  worker.labels.clear();
  for (; next != end; ++next) {
    if (mask_[*next] == 0 || !(clipping_.bound(norms_[*next]) > 0)) continue;
    const std::size_t behind = worker.begins.back() + people_.records_of(*next);
    if (behind > sums_.block()) break;
    worker.gathered.push_back(*next);
    worker.begins.push_back(behind);
    for (std::size_t r = people_.first_record(*next); r < people_.first_record(*next + 1); ++r) {
      const auto features = people_.features.row(r);
      const auto labels = people_.labels.of(r);
      worker.features.insert(worker.features.end(), features.begin(), features.end());
      worker.labels.insert(worker.labels.end(), labels.begin(), labels.end());
    }
  }
  const std::size_t count = worker.gathered.size(), records = worker.begins.back();
  if (count == 0) return next;
  const auto norms = std::span(worker.norms).first(count);
  const auto weights = std::span(worker.weights).first(records);
  worker.pass.gradients(
      network_,
      {.people = records, .features = worker.features.data(), .labels = worker.labels.data()},
      std::span(worker.losses).first(records));
  worker.pass.norms_of_people(worker.begins, norms);
  for (std::size_t i = 0; i < count; ++i) {
    const float bound = clipping_.bound(norms_[worker.gathered[i]]);
    set_weights(worker.begins, i, Clipping::weight(norms[i], bound), weights);
  }
  worker.pass.weighted_sum(weights, worker.block);
  worker.sum.add(worker.block);
  return next;
}

void Trainer::refresh_norms() {
  auto [losses, norms] = gradient_norms(network_, people_);
  losses_ = std::move(losses);
  std::transform(norms.begin(), norms.end(), norms_.begin(), Clipping::held);
  set_charges();
}

void Trainer::set_charges() {
  std::transform(norms_.begin(), norms_.end(), charges_.begin(),
                 [&](float norm) { return clipping_.charge(norm); });
}

TrainingState Trainer::state() const {
  return {.generation = 0,
          .step = step_,
          .parameters = parameters_,
          .optimiser = optimiser_.moments(),
          .optimiser_steps = optimiser_.steps(),
          .held_norms = plan_.sampled() ? norms_ : std::vector<float>{},
          .losses = plan_.sampled() ? losses_ : std::vector<float>{},
          .settings = {}};
}

// The sum is divided by how many people there are or are drawn on average, never by how many there
// were: their number is private.
void Trainer::add_noise_and_descend() {
  LatticeSum& sum = sums_.total();
  sum.check_range();
  add_noise(sum, plan_.step.noise * plan_.step.clip, stream_, step_);
  const double scale = sum.step() / (plan_.step.rate * static_cast<double>(people_.count()));
  std::vector<float> gradient(sum.entries());
  std::transform(sum.multiples().begin(), sum.multiples().end(), gradient.begin(),
                 [&](double multiple) { return static_cast<float>(multiple * scale); });
  optimiser_.step(parameters_, gradient);
  network_.set(parameters_);
}

}  // namespace ration::train
