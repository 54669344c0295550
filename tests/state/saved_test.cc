// Every kind of state: what was loaded goes on as what was saved, and nothing else is loaded.

#include "ration/state/saved.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ration/state/state_format.h"
#include "tests/file/scratch.h"
#include "tests/state/damage.h"
#include "tests/state/documented_sections.h"
#include "tests/state/saved_kinds.h"

namespace ration {
namespace {

template <class Kind>
class SavedState : public testing::Test {};
using Kinds =
    testing::Types<AccountsKind, GdpFilter, IndividualGdpFilter, RenyiFilter, IndividualRenyiFilter,
                   GdpOdometer, IndividualGdpOdometer, RenyiOdometer, IndividualRenyiOdometer>;
struct KindName {
  template <class Kind>
  static std::string GetName(int) {
    std::string name = Kind::name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
};
TYPED_TEST_SUITE(SavedState, Kinds, KindName);

// A random adaptive sequence; returns what was decided, and leaves the last sum in `earlier`.
template <class Kind>
std::vector<std::vector<std::uint64_t>> run(typename Kind::Saved& saved, unsigned seed, int steps,
                                            std::uint64_t& earlier) {
  oracle::Random random(seed);
  std::vector<std::vector<std::uint64_t>> decided;
  for (int k = 0; k < steps; ++k) {
    decided.push_back(Kind::go_on(saved, next_move(random, Kind::sampling, earlier)));
    earlier = std::accumulate(decided.back().begin(), decided.back().end(), std::uint64_t{0});
  }
  return decided;
}

template <class Kind>
typename Kind::Saved after_some_steps(unsigned seed) {
  oracle::Random random(seed);
  auto saved = Kind::fresh(random);
  std::uint64_t earlier = 0;
  run<Kind>(saved, seed, static_cast<int>(random.uniform(0, 12)), earlier);
  return saved;
}

TYPED_TEST(SavedState, GoesOnAsIfItHadNeverStopped) {
  const Scratch scratch;
  for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::cases()) / 500 + 1; ++seed) {
    auto saved = after_some_steps<TypeParam>(seed);
    save(scratch.file("s"), saved);
    auto loaded = load<typename TypeParam::Saved>(scratch.file("s"), TypeParam::name);
    ASSERT_TRUE(loaded.state() == saved.state());
    std::uint64_t earlier = 0, same_earlier = 0;
    ASSERT_EQ(run<TypeParam>(loaded, seed + 1, 12, same_earlier),
              run<TypeParam>(saved, seed + 1, 12, earlier));
    ASSERT_TRUE(loaded.state() == saved.state());
  }
}

TYPED_TEST(SavedState, TheSameStateIsTheSamePrivateFile) {
  const Scratch scratch;
  const auto saved = after_some_steps<TypeParam>(7);
  save(scratch.file("a"), saved);
  save(scratch.file("b"), load<typename TypeParam::Saved>(scratch.file("a"), TypeParam::name));
  EXPECT_EQ(contents(scratch.file("a")), contents(scratch.file("b")));
  EXPECT_EQ(std::filesystem::status(scratch.file("a")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TYPED_TEST(SavedState, AlteredAndTruncatedFilesAreRefused) {
  const Scratch scratch;
  save(scratch.file("s"), after_some_steps<TypeParam>(3));
  const std::string good = contents(scratch.file("s"));
  expect_damage_is_refused(good, 500, [&](const std::string& bytes) {
    load<typename TypeParam::Saved>(scratch.put("s", bytes), TypeParam::name);
  });
}

TYPED_TEST(SavedState, ANewerVersionIsRefused) {
  const Scratch scratch;
  save(scratch.file("s"), after_some_steps<TypeParam>(3));
  std::string bytes = contents(scratch.file("s"));
  bytes[8] = 2;
  EXPECT_EQ(
      refusal(scratch,
              [&] { load<typename TypeParam::Saved>(scratch.put("s", bytes), TypeParam::name); }),
      "s is of version 2 of the state format: give one of version 1, or use the release of "
      "Ration that wrote it");
}

template <class Other>
void expect_refusal_as(const Scratch& scratch, const std::string& kind) {
  if (kind == Other::name) return;
  const auto refused_as = [&](std::string_view asked) {
    return refusal(scratch, [&] { load<typename Other::Saved>(scratch.file("s"), asked); });
  };
  EXPECT_EQ(refused_as(Other::name), "s is a saved " + kind + ": give a saved " + Other::name);
  const std::string noun = std::string(Other::name).substr(std::string(Other::name).rfind('-') + 1);
  if (!kind.ends_with(noun)) {
    EXPECT_EQ(refused_as(""), "s is a saved " + kind + ": give a saved " + noun);
  }
}
template <class... Others>
void expect_refusal_as_others(testing::Types<Others...>, const Scratch& scratch,
                              const std::string& kind) {
  (expect_refusal_as<Others>(scratch, kind), ...);
}
TYPED_TEST(SavedState, IsNotLoadedAsAnotherKind) {
  const Scratch scratch;
  save(scratch.file("s"), after_some_steps<TypeParam>(3));
  expect_refusal_as_others(Kinds{}, scratch, TypeParam::name);
  const auto any = load<typename TypeParam::Saved>(scratch.file("s"));
  EXPECT_EQ(kind_of(any), TypeParam::name);
}

TYPED_TEST(SavedState, SectionsAreThoseOfTheDocumentation) {
  const Scratch scratch;
  save(scratch.file("s"), after_some_steps<TypeParam>(3));
  const std::string row = documented_row(TypeParam::name);
  const std::size_t sections = expect_documented(contents(scratch.file("s")), row, entry_of);
  EXPECT_EQ(static_cast<std::size_t>(std::count(row.begin(), row.end(), '`')), 2 * (sections + 1));
}

template <class Kind>
class StateInMemory : public testing::Test {};
TYPED_TEST_SUITE(StateInMemory, Kinds, KindName);

TYPED_TEST(StateInMemory, IsTheFileByteForByte) {
  const Scratch scratch;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto state = after_some_steps<TypeParam>(seed);
    save(scratch.file("s"), state);
    const std::vector<std::byte> bytes = saved(state);
    ASSERT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
              contents(scratch.file("s")));
    ASSERT_TRUE(restored<typename TypeParam::Saved>(bytes).state() == state.state());
  }
}

TYPED_TEST(StateInMemory, AlteredTruncatedAndForeignBytesAreRefused) {
  using Saved = typename TypeParam::Saved;
  std::vector<std::byte> bytes = saved(after_some_steps<TypeParam>(3));
  for (std::size_t kept = 0; kept < bytes.size(); kept += 7) {
    EXPECT_THROW(restored<Saved>(std::span(bytes).first(kept)), Error);
  }
  using Other = std::conditional_t<std::is_same_v<Saved, Accounts>, Filter, Accounts>;
  EXPECT_THROW(restored<Other>(bytes), Error);
  EXPECT_THROW(restored<Saved>(bytes, "foreign"), Error);
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_THROW(restored<Saved>(bytes), Error);
}

}  // namespace
}  // namespace ration
