// Damage for tests of readers: each of `times` flips one bit of a good file somewhere, and cuts
// another copy off somewhere. Whatever `load` makes of the bytes, it must refuse them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "ration/base/error.h"
#include "tests/oracle/random.h"

namespace ration {

template <class Load>
void expect_damage_is_refused(const std::string& good, int times, const Load& load) {
  oracle::Random random(5);
  const auto position = [&] {
    return static_cast<std::size_t>(random.uniform(0, static_cast<double>(good.size())));
  };
  for (int i = 0; i < times; ++i) {
    std::string bytes = good;
    const std::size_t at = position();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << static_cast<int>(random.uniform(0, 8))));
    ASSERT_THROW(load(bytes), Error) << "bit flipped at " << at;
    const std::size_t length = position();
    ASSERT_THROW(load(good.substr(0, length)), Error) << "cut off at " << length;
  }
  EXPECT_NO_THROW(load(good));
}

}  // namespace ration
