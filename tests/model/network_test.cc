#include "ration/model/network.h"

#include <gtest/gtest.h>

#include "tests/refusal.h"

namespace ration {
namespace {

TEST(Architecture, TheClinicalNetworkHas273085Parameters) {
  const Architecture clinical{.inputs = 714, .outputs = 25, .hidden = {369}};
  EXPECT_EQ(clinical.parameters(), 273'085U);
  EXPECT_EQ(clinical.offset(1), 715U * 369);
  EXPECT_EQ((Architecture{.inputs = 784, .outputs = 10}.parameters()), 7850U);
}

TEST(Architecture, RefusesWhatHasNoWidthOrTooMuch) {
  const auto refused = [](const Architecture& a) { return refusal([&] { check(a); }); };
  EXPECT_EQ(refused({.inputs = 714, .outputs = 25, .hidden = {369}}), "accepted");
  EXPECT_EQ(refused({.inputs = 0, .outputs = 25}),
            "inputs is 0: give a whole number from 1 to 1e9");
  EXPECT_EQ(refused({.inputs = 1, .outputs = 0}),
            "outputs is 0: give a whole number from 1 to 1e9");
  EXPECT_EQ(refused({.inputs = 1, .outputs = 1, .hidden = {3, 0}}),
            "width of hidden layer 2 is 0: give a whole number from 1 to 1e9");
  EXPECT_EQ(refused({.inputs = 100'000, .outputs = 1, .hidden = {100'000}}),
            "number of parameters is more than 1e9: give narrower or fewer layers");
  EXPECT_NE(refused({.inputs = 1, .outputs = 1, .hidden = {~std::size_t{0}}}), "accepted");
}

TEST(Architecture, NamesWhatItIsMadeOf) {
  EXPECT_EQ(name(Activation::relu), "relu");
  EXPECT_EQ(name(Activation::tanh), "tanh");
  EXPECT_EQ(name(Loss::softmax), "softmax");
  EXPECT_EQ(name(Loss::binary), "binary");
}

}  // namespace
}  // namespace ration
