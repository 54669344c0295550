#include "ration/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ration/base/error.h"
#include "ration/individual/buckets.h"
#include "ration/train/block_sums.h"
#include "ration/train/blocks.h"
#include "ration/train/clipping.h"
#include "ration/train/full_batch.h"
#include "ration/train/network.h"
#include "ration/train/noise.h"

namespace ration::train {
namespace {

// Of a Poisson sample, on average: they are summed together.
constexpr std::size_t kDrawnInRange = 48;

// People are dealt with in ranges of like size, fixed in advance, so that who is drawn or left out
// in one range changes nothing in the others. At rate 1 a range is a block.
std::size_t range_of(const TrainingPlan& plan, std::size_t people) {
  if (!plan.sampled()) return kBlockPeople;
  const double range = static_cast<double>(kDrawnInRange) / plan.step.rate;
  return std::min(people, static_cast<std::size_t>(std::min(range, 0x1p52)));
}

Clipping clipping_of(const TrainingPlan& plan, const Architecture& architecture, std::size_t people,
                     double lattice) {
  const SumShape shape = {.people = people,
                          .range = range_of(plan, people),
                          .rate = plan.step.rate,
                          .block = kBlockPeople,
                          .entries = architecture.parameters()};
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
      lattice_(lattice_step(plan.step.clip, architecture.parameters())),
      clipping_(clipping_of(plan, architecture, people.count(), lattice_)),
      step_(state.step),
      parameters_(std::move(state.parameters)),
      network_(architecture, parameters_),
      optimiser_(optimiser, parameters_.size()),
      books_(std::move(books)),
      sums_(architecture, kBlockPeople, lattice_),
      norms_(std::move(state.held_norms)),
      charges_(people.count()),
      losses_(plan.refresh ? people.count() : 0),
      mask_(people.count(), 1) {
  check(plan);
  check(architecture, people);
  check_noise_of(plan, architecture, lattice_);
  // Until they are computed, if ever, all norms count as at the clip bound.
  norms_.resize(people.count(), static_cast<float>(plan.step.clip));
  set_charges();
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
  const std::size_t people = people_.count(), block = sums_.block();
  const Books::Settled& books = books_.settle();
  sums_.each((people + block - 1) / block, [&](BlockSums::Worker& worker, std::size_t b) {
    const std::size_t first = b * block, count = std::min(block, people - first);
    const auto norms = std::span(norms_).subspan(first, count);
    const auto charges = std::span(charges_).subspan(first, count);
    const auto mask = std::span(mask_).subspan(first, count);
    const auto weights = std::span(worker.weights).first(count);

    worker.pass.gradients(network_, block_of(people_, first, count),
                          std::span(losses_).subspan(first, count));
    worker.pass.norms(norms);
    std::transform(norms.begin(), norms.end(), charges.begin(),
                   [&](float norm) { return clipping_.charge(norm); });
    books.would_admit(plan_.step, first, charges, mask);
    for (std::size_t i = 0; i < count; ++i) {
      weights[i] = mask[i] != 0 ? Clipping::weight(norms[i], clipping_.bound(norms[i])) : 0.0F;
    }
    worker.pass.weighted_sum(weights, worker.block);
    worker.sum.add(worker.block);
  });
  charge(on_charge, false);
}

// DP-SGD. Everybody is charged at every step, drawn or not, for the bound that they hold since the
// last refresh (the clip bound, if there is none), and clipped to it: what a person pays follows
// from their own data and from what was released, never from a draw.
void Trainer::sum_over_sample(const OnCharge& on_charge) {
  const bool fresh = plan_.refresh && step_ % *plan_.refresh == 0;
  if (fresh) refresh_norms();
  charge(on_charge, !fresh && step_ > 0);

  const std::size_t range = range_of(plan_, people_.count());
  const std::vector<std::uint32_t> drawn =
      poisson_sample(people_.count(), plan_.step.rate, stream_, step_);
  sums_.each((people_.count() + range - 1) / range, [&](BlockSums::Worker& worker, std::size_t r) {
    const auto from = std::lower_bound(drawn.begin(), drawn.end(), r * range);
    const auto to = std::lower_bound(from, drawn.end(), (r + 1) * range);
    for (auto next = from; next != to;) next = add_block(worker, next, to);
  });
}

// The next people who take part, as many as fit into a block.
Trainer::Drawn Trainer::add_block(BlockSums::Worker& worker, Drawn next, Drawn end) {
  worker.gathered.clear();
  for (; next != end && worker.gathered.size() < sums_.block(); ++next) {
    if (mask_[*next] != 0 && clipping_.bound(norms_[*next]) > 0) worker.gathered.push_back(*next);
  }
  const std::size_t count = worker.gathered.size();
  if (count == 0) return next;
  worker.features.clear();
  worker.labels.clear();
  for (const std::uint32_t person : worker.gathered) {
    const auto features = people_.features.row(person);
    const auto labels = people_.labels.of(person);
    worker.features.insert(worker.features.end(), features.begin(), features.end());
    worker.labels.insert(worker.labels.end(), labels.begin(), labels.end());
  }
  const auto norms = std::span(worker.norms).first(count);
  const auto weights = std::span(worker.weights).first(count);
  worker.pass.gradients(
      network_,
      {.people = count, .features = worker.features.data(), .labels = worker.labels.data()},
      std::span(worker.losses).first(count));
  worker.pass.norms(norms);
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = Clipping::weight(norms[i], clipping_.bound(norms_[worker.gathered[i]]));
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

void Trainer::charge(const OnCharge& on_charge, bool same) {
  books_.charge(plan_.step, charges_, mask_);
  if (on_charge) on_charge(charges_, same);
}

TrainingState Trainer::state() const {
  return {.generation = 0,
          .step = step_,
          .parameters = parameters_,
          .optimiser = optimiser_.moments(),
          .optimiser_steps = optimiser_.steps(),
          .held_norms = plan_.sampled() ? norms_ : std::vector<float>{},
          .settings = {}};
}

void Trainer::charge_lost_step(std::span<const float> charges) {
  books_.charge(plan_.step, charges, mask_);
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
