// Who takes part in a step, and what it costs everybody, within one run: a filter, if there is one,
// everybody's accounts behind it, and attendance. Who takes part is decided once, and people are
// charged for exactly that decision, before the step's sum is used: filter and accounts book the
// same reading of the same norm, whatever other threads do to it, or neither books anything.
// `ration account`, training and ration.opacus all keep their books here. For one caller at a time;
// OpenMP inside. Private, all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ration/control/filter.h"
#include "ration/individual/accounts.h"

namespace ration {

// Who took part in how many steps, counted while a filter decides. Private.
struct Attendance {
  struct Person {
    std::uint32_t admitted = 0, left_out = 0;
    std::uint32_t first_left_out = kNever;  // counted from 0

    friend bool operator==(const Person&, const Person&) = default;
  };
  static constexpr std::uint32_t kNever = 0xffffffff;  // Accounts::kMostSteps: no step's number
  std::vector<Person> people;

  // One step, by its number and by who was admitted to it: mask[i] is not 0 for person i.
  void count(std::uint32_t step, std::span<const std::uint8_t> mask);
  // Like steps in a row, the first of which has this number: person i was admitted to the first
  // times[i] of them.
  void count_repeated(std::uint32_t first, std::uint32_t steps,
                      std::span<const std::uint32_t> times);

  friend bool operator==(const Attendance&, const Attendance&) = default;
};

// Refuses what these steps cannot have led to. Without a filter nobody is ever left out.
void check_attendance(const Attendance& attendance, std::uint64_t steps, bool filtered);

// Told after each step (from 1) who was admitted to it: mask[i] is 1 for person i. Private.
using OnAdmitted = std::function<void(std::uint64_t step, std::span<const std::uint8_t> mask)>;

// What a decision needs, all of it the caller's own: nobody else changes it meanwhile. The mask
// becomes that of the last step. Norms are what people would pay for, step by step, and become what
// they do pay for: zero for anyone who is left out.
template <class Real>
struct Deciding {
  std::span<std::uint8_t> mask;  // one for each person
  std::span<Real> norms;         // steps x people
};

// The heart of all books: before each of these like steps the filter says who takes part, and they
// are charged for it, in the filter and in the accounts: all that can fail is done before either.
// Refuses as the filter's admit and Accounts::record do. After a refusal the steps before the one
// that was refused are charged, and no other.
template <class Real>
void admit_and_charge(const Step& step, const Deciding<Real>& deciding, Filter& filter,
                      Accounts& accounts, const OnAdmitted& on_admitted = {});

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
  // The same of norms that are the caller's own, as Deciding's: rows of all people.
  template <class Real>
  void charge_in_place(const Step& step, std::span<Real> norms, const OnAdmitted& on_admitted = {});

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
  std::span<Real> copy_of(const NormTable<Real>& norms);
  template <class Real>
  void charge_rows(const Step& step, std::span<Real> norms, std::span<std::uint8_t> mask,
                   const OnAdmitted& on_admitted);

  Settled books_;                 // but for the last step's repeats
  std::uint32_t repeats_ = 0;     // counted, and not yet entered
  std::uint32_t one_by_one_ = 0;  // like steps that were charged since norms changed
  std::optional<Last> last_;
  std::vector<float> given_;  // room for the norms of a step
  std::vector<std::uint8_t> mask_;
  std::tuple<std::vector<float>, std::vector<double>> paid_;  // room, as Deciding's
};

}  // namespace ration
