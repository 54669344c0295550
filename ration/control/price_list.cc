#include "ration/control/price_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/loss/rdp.h"

namespace ration {
namespace {

// a.units / a.steps <= b.units / b.steps
bool costs_no_more(const Ticket& a, const Ticket& b) {
  return static_cast<std::uint64_t>(a.units) * b.steps <=
         static_cast<std::uint64_t>(b.units) * a.steps;
}

void check_tickets(const std::vector<Ticket>& tickets) {
  if (tickets.empty() || tickets.size() > PriceList::kMostTickets) {
    refuse("price list", fmt::format("{} tickets", tickets.size()), "from 1 to 512");
  }
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    const Ticket& ticket = tickets[i];
    if (ticket.units < 1 || ticket.units > PriceList::kMostUnits) {
      refuse("units of a ticket", ticket.units, "a whole number from 1 to 256");
    }
    if (ticket.steps < 1 || ticket.steps > PriceList::kMostSteps) {
      refuse("steps of a ticket", ticket.steps, "a whole number from 1 to 1048576");
    }
    if (i == 0) continue;
    const Ticket& before = tickets[i - 1];
    const bool in_order = ticket.step.noise > before.step.noise &&
                          ticket.step.rate <= before.step.rate && costs_no_more(ticket, before);
    if (!in_order) {
      refuse("ticket", fmt::format("{} at noise {}", i, static_cast<double>(ticket.step.noise)),
             "more noise than the ticket before, and no larger rate or price a step");
    }
  }
}

}  // namespace

PriceList::PriceList(std::vector<Ticket> tickets, std::uint32_t last_lots)
    : tickets_(std::move(tickets)), last_lots_(last_lots) {
  check_tickets(tickets_);
  if (last_lots_ > 1'000'000) refuse("last lots", last_lots_, "a whole number up to 1000000");
  if (last_lots_ > 0 && near_the_end() < dearest()) {
    refuse("last lots", last_lots_, "0, or enough to pay for every ticket");
  }
}

std::uint32_t PriceList::dearest() const {
  std::uint32_t most = 0;
  for (const Ticket& ticket : tickets_) most = std::max(most, ticket.units);
  return most;
}
std::uint32_t PriceList::cheapest() const {
  std::uint32_t least = lot().units;
  for (const Ticket& ticket : tickets_) least = std::min(least, ticket.units);
  return least;
}

std::size_t PriceList::ticket_for(const SubsampledGaussian& step) const {
  if (step.noise < lot().step.noise) {
    refuse("noise", step.noise, fmt::format("at least {}", static_cast<double>(lot().step.noise)));
  }
  if (step.rate > lot().step.rate) {
    refuse("rate", step.rate, fmt::format("at most {}", static_cast<double>(lot().step.rate)));
  }
  // Along the list noise increases and rates do not, so that those that pay come first.
  const auto after =
      std::partition_point(tickets_.begin(), tickets_.end(), [&](const Ticket& ticket) {
        return ticket.step.noise <= step.noise && ticket.step.rate >= step.rate;
      });
  return static_cast<std::size_t>(after - tickets_.begin()) - 1;
}

std::uint64_t PriceList::steps_for(const SubsampledGaussian& step, std::uint64_t units) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (units > kMost) refuse("units", static_cast<double>(units), "at most 2^40");
  const Ticket& ticket = tickets_[ticket_for(step)];
  std::uint64_t steps = 0;
  // A ticket may be bought with near_the_end() left or more, if it can be paid.
  const std::uint64_t least = std::max<std::uint64_t>(near_the_end(), ticket.units);
  if (units >= least) {
    const std::uint64_t bought = (units - least) / ticket.units + 1;
    steps = bought * ticket.steps;
    units -= bought * ticket.units;
  }
  return last_lots_ == 0 ? steps : steps + units / lot().units * lot().steps;
}

namespace {

// E exp(tilt L) - 1.
double moment_above_one(const SubsampledGaussian& step, double tilt) {
  return std::expm1(rdp::log_moment_estimate(step, tilt, Direction::remove));
}

// The best price over tickets of up to kMostLotsHeld lots. What is bought is held until it is used,
// so that a ticket twice as large must gain something.
constexpr std::uint32_t kMostLotsHeld = 16;
constexpr double kGainForOneLotHeld = 0.0002;

Ticket rounded_up_ticket(const SubsampledGaussian& step, double units_a_step,
                         std::uint32_t lot_units, std::uint32_t most_lots) {
  Ticket best{.step = step};
  double least = 1e300;
  for (std::uint32_t units = 1; units <= most_lots * lot_units; ++units) {
    const double affordable = std::floor(units / units_a_step * (1 + 1e-12));
    if (affordable < 1) continue;
    const double steps = std::min<double>(affordable, PriceList::kMostSteps);
    const double loss = units / steps / units_a_step + kGainForOneLotHeld * units / lot_units;
    if (loss >= least) continue;
    least = loss;
    best.units = units;
    best.steps = static_cast<std::uint32_t>(steps);
  }
  return best;
}

}  // namespace

PriceList price_list(const PriceRule& rule) {
  const DefaultFloatEnvironment environment;
  if (!(rule.tilt >= 0.01 && rule.tilt <= 1000)) {
    refuse("tilt", rule.tilt, "a number from 0.01 to 1000");
  }
  if (rule.lot_units < 1 || rule.lot_units > 16) {
    refuse("units of a lot", rule.lot_units, "a whole number from 1 to 16");
  }
  if (rule.lot_steps < 1 || rule.lot_steps > 1000) {
    refuse("steps of a lot", rule.lot_steps, "a whole number from 1 to 1000");
  }
  if (!(rule.largest_ratio >= 1 && rule.largest_ratio <= 1e6)) {
    refuse("largest ratio", rule.largest_ratio, "a number from 1 to 1e6");
  }
  if (rule.tickets_per_doubling < 1 || rule.tickets_per_doubling > 32) {
    refuse("tickets per doubling", rule.tickets_per_doubling, "a whole number from 1 to 32");
  }
  const std::uint32_t most_lots =
      rule.last_lots == 0 ? kMostLotsHeld : std::min(kMostLotsHeld, rule.last_lots);
  const double worst = moment_above_one(rule.step, rule.tilt);
  if (!(worst < 1e300)) {
    refuse("tilt", rule.tilt, "less: the moment of the worst step is too large for a double");
  }
  std::vector<Ticket> tickets = {
      {.step = rule.step, .units = rule.lot_units, .steps = rule.lot_steps}};
  const double doublings = std::log2(rule.largest_ratio), per = rule.tickets_per_doubling;
  for (int i = 1; i <= doublings * per * (1 + 1e-12); ++i) {
    SubsampledGaussian step = rule.step;
    step.noise = rule.step.noise * std::exp2(i / per);
    const double price =
        moment_above_one(step, rule.tilt) / worst * rule.lot_units / rule.lot_steps;
    const Ticket ticket = rounded_up_ticket(step, price, rule.lot_units, most_lots);
    if (costs_no_more(ticket, tickets.back())) tickets.push_back(ticket);
  }
  return {std::move(tickets), rule.last_lots};
}

}  // namespace ration
