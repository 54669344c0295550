#include "ration/model/product.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "tests/model/plain_network.h"

namespace ration {
namespace {

// |computed - exact| <= bound: a chain of `depth` multiply-adds errs by at most 2 depth roundings.
void expect_near(double computed, double exact, double size, std::size_t depth) {
  RC_ASSERT(std::abs(computed - exact) <= 2 * static_cast<double>(depth + 1) * 0x1p-24 * size);
}

std::size_t up_to(std::size_t most) { return *rc::gen::inRange<std::size_t>(1, most + 1); }

TEST(Product, IsTheProductForAnyShape) {
  EXPECT_TRUE(rc::check("a product of any shape", [] {
    const std::size_t rows = up_to(20), depth = up_to(600), columns = up_to(70);
    const auto seed = *rc::gen::inRange(0U, 1000U);
    const auto left = random_floats(rows * depth, seed), right = random_floats(depth * columns, 7);
    const auto start = random_floats(columns, 8);
    std::vector<float> transposed(right.size());
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t c = 0; c < columns; ++c) transposed[c * depth + k] = right[k * columns + c];
    }
    std::vector<float> a(rows * columns), b(a.size());
    Panels panels;
    panels.lay_out(right.data(), depth, columns);
    multiply(left.data(), rows, panels, start.data(), a.data());
    panels.lay_out_transpose(transposed.data(), columns, depth);
    multiply(left.data(), rows, panels, start.data(), b.data());
    RC_ASSERT(a == b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      double exact = start[i % columns], size = std::abs(exact);
      for (std::size_t k = 0; k < depth; ++k) {
        const double term = static_cast<double>(left[i / columns * depth + k]) *
                            static_cast<double>(right[k * columns + i % columns]);
        exact += term;
        size += std::abs(term);
      }
      expect_near(a[i], exact, size, depth);
    }
  }));
}

TEST(OuterProducts, AreTheWeightedSumForAnyShape) {
  EXPECT_TRUE(rc::check("a weighted sum of any shape", [] {
    const std::size_t people = up_to(600), left_columns = up_to(20), right_columns = up_to(50);
    const auto left = random_floats(people * left_columns, 1);
    const auto right = random_floats(people * right_columns, *rc::gen::inRange(0U, 1000U));
    auto weights = random_floats(people, 3);
    for (std::size_t i = 0; i < people; i += 3) weights[i] = 0;
    OuterProducts products;
    std::vector<float> sum(left_columns * right_columns, 99), more;
    const OuterProducts::Task task = {people,       left.data(),   right.data(),
                                      left_columns, right_columns, weights.data()};
    products.sum(task, sum.data());
    more = sum;
    products.add(task, more.data());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      double exact = 0, size = 0;
      for (std::size_t k = 0; k < people; ++k) {
        const double term = static_cast<double>(weights[k]) *
                            static_cast<double>(left[k * left_columns + i / right_columns]) *
                            static_cast<double>(right[k * right_columns + i % right_columns]);
        exact += term;
        size += std::abs(term);
      }
      expect_near(sum[i], exact, size, people);
      expect_near(more[i], 2 * exact, 2 * size, 2 * people);
    }
  }));
}

TEST(OuterProducts, LeaveOutWhoHasWeightZeroWhateverTheirNumbersAre) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float left[] = {1, NAN, 2}, right[] = {3, kInfinity, 5}, weights[] = {1, 0, 1};
  OuterProducts products;
  float sum = 0;
  products.sum({3, left, right, 1, 1, weights}, &sum);
  EXPECT_EQ(sum, 13);
}

}  // namespace
}  // namespace ration
