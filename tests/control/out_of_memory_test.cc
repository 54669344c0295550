// Memory may run out at any moment: then a call has done nothing at all, or everything. Each
// allocation of a call is made to fail in turn.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <vector>

#include "ration/control/books.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"

namespace {
thread_local std::ptrdiff_t allocations_left = -1;  // any number
}  // namespace

// The sanitizers have allocators of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RATION_KEEPS_NEW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RATION_KEEPS_NEW
#endif
#endif
#ifndef RATION_KEEPS_NEW
void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
#endif

namespace ration {
namespace {

constexpr std::size_t kPeople = 3000;

// Calls work(); whether it ran to its end, with this many allocations.
bool ends_with(std::ptrdiff_t allocations, const std::function<void()>& work) {
  allocations_left = allocations;
  try {
    work();
    allocations_left = -1;
    return true;
  } catch (const std::exception&) {
    allocations_left = -1;
    return false;
  }
}

// Makes books, fails at the first, second, ... allocation of `work`, and tries once more: the books
// are as if nothing had failed.
void expect_all_or_nothing(const CurrencyPtr& currency, const std::function<void(Books&)>& before,
                           const std::function<void(Books&)>& work) {
#ifdef RATION_KEEPS_NEW
  GTEST_SKIP();
#endif
  const auto new_books = [&] {
    Books books(kPeople, Buckets::from(2, 20), Filter(kPeople, currency, MuBudget{2}));
    before(books);
    return books;
  };
  Books expected = new_books();
  work(expected);
  const Books::Settled& all = expected.settle();
  std::ptrdiff_t failures = 0;
  for (bool done = false; !done; ++failures) {
    Books books = new_books();
    done = ends_with(failures, [&] { work(books); });
    if (!done) work(books);
    const Books::Settled& own = books.settle();
    ASSERT_EQ(own.accounts.state(), all.accounts.state()) << failures;
    ASSERT_EQ(own.filter->state(), all.filter->state()) << failures;
    ASSERT_EQ(own.attendance, all.attendance) << failures;
  }
  EXPECT_GT(failures, 1);  // it does ask for memory
}

struct Case {
  CurrencyPtr currency;
  Step step;
};
std::vector<Case> cases() {
  return {{gdp_currency(), {.noise = 2}},
          {renyi_currency({2, 8}), {.noise = 2}},
          {renyi_currency({2, 8}), {.noise = 2, .rate = 0.1}}};
}
std::vector<float> some_norms(float largest) {
  std::vector<float> norms(kPeople);
  for (std::size_t i = 0; i < kPeople; ++i) norms[i] = largest * static_cast<float>(i % 5) / 4;
  return norms;
}

TEST(OutOfMemory, AChargeIsWholeOrNotThere) {
  for (const auto& [currency, step] : cases()) {
    const Step each = step;
    const std::vector<float> norms = some_norms(1), other = some_norms(0.5);
    expect_all_or_nothing(
        currency, [](Books&) {},
        [&](Books& books) {
          std::vector<std::uint8_t> mask(kPeople);
          books.charge(each, norms, mask);
        });
    expect_all_or_nothing(
        currency, [](Books&) {}, [&](Books& books) { books.charge(each, norm_table(norms)); });
    // After repeats, which are entered first.
    const auto repeat = [&](Books& books) {
      std::vector<std::uint8_t> mask(kPeople);
      for (int i = 0; i < 12; ++i) books.charge(each, norms, mask);
    };
    expect_all_or_nothing(currency, repeat, [&](Books& books) {
      std::vector<std::uint8_t> mask(kPeople);
      books.charge(each, other, mask);
    });
  }
}

TEST(OutOfMemory, RepeatsAreEnteredEverywhereOrNowhere) {
  for (const auto& [currency, step] : cases()) {
    const Step each = step;
    const std::vector<float> norms = some_norms(1);
    expect_all_or_nothing(
        currency,
        [&](Books& books) {
          std::vector<std::uint8_t> mask(kPeople);
          for (int i = 0; i < 12; ++i) books.charge(each, norms, mask);
        },
        [](Books& books) { books.settle(); });
  }
}

}  // namespace
}  // namespace ration
