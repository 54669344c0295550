// Who takes part in a step, and what it costs everybody, within one run: a filter, if there is one,
// everybody's accounts behind it, and attendance. Who takes part is decided once, and people are
// charged for exactly that decision, before the step's sum is used. `ration account`, training and
// ration.opacus all keep their books here. For one caller at a time; OpenMP inside. Private, all of
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ration/control/attendance.h"
#include "ration/control/filter.h"
#include "ration/individual/accounts.h"

namespace ration {

// Told after each step (from 1) who was admitted to it: mask[i] is 1 for person i. Private.
using OnAdmitted = std::function<void(std::uint64_t step, std::span<const std::uint8_t> mask)>;

// Room for what was decided: who was admitted to the last step, and the norms that people pay for,
// step by step, which are zero for anyone who is left out.
template <class Real>
struct Admitted {
  std::span<std::uint8_t> mask;  // one for each person
  std::span<Real> paid;          // steps x people
};

// The heart of all books: before each of these like steps the filter says who takes part, and they
// are charged for it. Refuses as the filter's admit and Accounts::record do. After a refusal the
// steps before the one that was refused are charged, and no other.
template <class Real>
void admit_and_charge(const Step& step, const NormTable<Real>& norms, Filter& filter,
                      Accounts& accounts, const Admitted<Real>& admitted,
                      const OnAdmitted& on_admitted = {});

// Where many steps in a row have the same norms, they are only counted after the first few: how
// many more of them each person can afford is worked out once. settle() enters them.
class Books {
 public:
  // With every step entered.
  struct Settled {
    Accounts accounts;
    std::optional<Filter> filter;
    Attendance attendance;

    // What the next charge will decide about the people from `first` on, and nobody is charged: for
    // work that needs the answer before everybody's norms are known. Steps without sampling only.
    // May be asked from many threads at once.
    void would_admit(const Step& step, std::size_t first, std::span<const float> norms,
                     std::span<std::uint8_t> mask) const;
  };

  // Nobody has been charged. A filter may know of earlier steps. Refuses one of other people.
  Books(std::size_t people, const Buckets& buckets, std::optional<Filter> filter = {});
  // What was saved. Refuses parts that are not of the same people and steps.
  explicit Books(Settled saved);

  // Before a step: asks the filter who takes part, and charges them for the norms given. mask[i]
  // becomes 1 where person i takes part; without a filter everybody does. Norms are what people pay
  // for, whatever they then contribute; those above step.clip count as step.clip. After a refusal
  // nobody is charged and the mask says nothing.
  void charge(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask);
  // Like steps in a row. Only a filter has somebody to tell of who was admitted.
  template <class Real>
  void charge(const Step& step, const NormTable<Real>& norms, const OnAdmitted& on_admitted = {});

  std::size_t people() const { return books_.accounts.people(); }
  bool filtered() const { return books_.filter.has_value(); }
  // Every charge, with those that were charged again after a crash.
  std::uint64_t charged_steps() const { return books_.accounts.steps() + repeats_; }

  // To look at the books. Valid until the next charge.
  const Settled& settle();

 private:
  struct Last {
    Step step;
    std::vector<float> norms;
    std::vector<std::uint32_t> affordable;  // repeats, for each person; empty if not worked out
  };

  bool is_repeated(const Step& step, std::span<const float> norms) const;
  void repeat(std::span<std::uint8_t> mask);
  void enter_repeats();
  template <class Real>
  void charge_rows(const Step& step, const NormTable<Real>& norms, std::span<std::uint8_t> mask,
                   const OnAdmitted& on_admitted);

  Settled books_;                 // but for the last step's repeats
  std::uint32_t repeats_ = 0;     // counted, and not yet entered
  std::uint32_t one_by_one_ = 0;  // like steps that were charged since norms changed
  std::optional<Last> last_;
  std::vector<std::uint8_t> mask_;
  std::tuple<std::vector<float>, std::vector<double>> paid_;  // room, as Admitted's
};

}  // namespace ration
