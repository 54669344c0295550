#include "ration/state/state_file.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <limits>
#include <random>

#include "ration/file/checksum.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

const std::vector<std::uint8_t> kBytes = {1, 2, 3};
const std::vector<std::uint32_t> kCounts = {7, 8, 9, 10, 11};
const std::vector<std::uint64_t> kUnits = {1, std::numeric_limits<std::uint64_t>::max()};
const std::vector<double> kBudgets = {0.5, 1e300, 0};
const std::vector<double> kNothing;

void save_one_of_each(const std::string& file) {
  StateWriter writer("gdp-filter");
  writer.add("bytes", kBytes);
  writer.add("counts", kCounts);
  writer.add("units", std::span(kUnits));
  writer.add("budgets", kBudgets);
  writer.add("nothing", kNothing);
  writer.add_value("step", std::uint64_t{42});
  writer.add_value("delta", 1e-5);
  writer.add_text("note", "any text \0 at all");
  writer.write(file);
}

template <class Value>
std::vector<Value> copy(std::span<const Value> values) {
  return {values.begin(), values.end()};
}

TEST(StateFile, WhatIsSavedIsLoaded) {
  const Scratch scratch;
  save_one_of_each(scratch.file("s"));
  StateReader reader(scratch.file("s"), "gdp-filter");
  EXPECT_EQ(reader.kind(), "gdp-filter");
  EXPECT_EQ(copy(reader.array<std::uint8_t>("bytes")), kBytes);
  EXPECT_EQ(copy(reader.array<std::uint32_t>("counts", 5)), kCounts);
  EXPECT_EQ(copy(reader.array<std::uint64_t>("units")), kUnits);
  EXPECT_EQ(copy(reader.array<double>("budgets")), kBudgets);
  EXPECT_EQ(copy(reader.array<double>("nothing")), kNothing);
  EXPECT_EQ(reader.value<std::uint64_t>("step"), 42u);
  EXPECT_EQ(reader.value<double>("delta"), 1e-5);
  EXPECT_TRUE(reader.has("note"));
  EXPECT_FALSE(reader.has("not"));
  EXPECT_EQ(reader.text("note"), "any text ");
  EXPECT_NO_THROW(reader.finish());
  EXPECT_EQ(std::filesystem::status(scratch.file("s")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// The bytes that docs/state.md promises.
TEST(StateFile, IsLaidOutAsDocumented) {
  const Scratch scratch;
  StateWriter writer("odometer");
  writer.add("counts", kCounts);
  writer.add_value("step", std::uint64_t{258});
  writer.write(scratch.file("s"));
  const auto padded = [](std::string text, std::size_t size) {
    text.resize(size, '\0');
    return text;
  };
  const std::string expected = "\x89RATION\n" + padded("\x01", 4) + padded("\x02", 4) +
                               padded(std::string("\0\1", 2), 8) + padded("odometer", 40) +
                               padded("counts", 48) + padded("\x02", 8) + padded("\x05", 8) +
                               padded("step", 48) + padded("\x03", 8) + padded("\x01", 8) +
                               padded("\x07", 4) + padded("\x08", 4) + padded("\x09", 4) +
                               padded("\x0a", 4) + padded("\x0b", 8) + padded("\x02\x01", 8);
  const std::string bytes = contents(scratch.file("s"));
  EXPECT_EQ(bytes.size(), 256u);
  EXPECT_EQ(bytes.substr(0, expected.size()), expected);
}

std::string refused(const std::string& bytes) {
  static const Scratch scratch;  // one for all: some tests ask ten thousand times
  const std::string file = scratch.put("s", bytes);
  return refusal(scratch, [&] { const StateReader reader(file, "gdp-filter"); });
}
std::string good_bytes() {
  const Scratch scratch;
  save_one_of_each(scratch.file("s"));
  return contents(scratch.file("s"));
}
// With the length and checksum that belong to the bytes.
std::string sealed(std::string bytes) {
  const std::uint64_t length = bytes.size() + sizeof(Checksum);
  std::memcpy(bytes.data() + 16, &length, sizeof length);
  const Bytes covered = std::as_bytes(std::span(bytes));
  const Checksum checksum = checksum_of({&covered, 1});
  return bytes.append(reinterpret_cast<const char*>(checksum.data()), checksum.size());
}

TEST(StateFile, EachDamageHasItsOwnSentence) {
  const std::string good = good_bytes();
  EXPECT_EQ(refused(good), "accepted");
  const std::string whole = ": give the file as Ration wrote it last";
  EXPECT_EQ(refused(""), "s is empty: give a state file that Ration wrote");
  EXPECT_EQ(refused("PK\x03\x04"), "s is of another format: give a state file that Ration wrote");
  EXPECT_EQ(refused(good.substr(0, 5)), "s is cut short, 5 bytes long" + whole);
  EXPECT_EQ(refused(good.substr(0, good.size() - 1)),
            "s is cut short, " + std::to_string(good.size() - 1) + " of " +
                std::to_string(good.size()) + " bytes" + whole);
  EXPECT_EQ(refused(good + "xy"), "s is 2 bytes longer than what was written" + whole);
  std::string altered = good;
  altered[700] ^= 1;
  EXPECT_EQ(refused(altered), "s is damaged: its checksum is not that of its contents" + whole);
  std::string newer = good;
  newer[8] = 7;
  EXPECT_EQ(refused(newer),
            "s is of version 7 of the state format: give one of version 1, or use the release of "
            "Ration that wrote it");
}

TEST(StateFile, RefusesWhatTheReaderDoesNotExpect) {
  const Scratch scratch;
  const std::string file = scratch.file("s");
  save_one_of_each(file);
  EXPECT_EQ(refusal(scratch, [&] { const StateReader reader(file, "odometer"); }),
            "s is a saved gdp-filter: give a saved odometer");
  StateReader reader(file);
  EXPECT_EQ(reader.kind(), "gdp-filter");
  EXPECT_EQ(refusal(scratch, [&] { reader.array<double>("spends"); }),
            "s is a gdp-filter without spends: give one that holds it");
  EXPECT_EQ(refusal(scratch, [&] { reader.array<double>("counts"); }),
            "counts in s is u32: give f64");
  EXPECT_EQ(refusal(scratch, [&] { reader.text("bytes"); }), "bytes in s is u8: give text");
  EXPECT_EQ(refusal(scratch, [&] { reader.array<std::uint32_t>("counts", 6); }),
            "counts in s is 5 long: give 6");
  EXPECT_EQ(refusal(scratch, [&] { reader.value<double>("nothing"); }),
            "nothing in s is 0 long: give 1");
  EXPECT_EQ(refusal(scratch, [&] { reader.finish(); }),
            "s is a gdp-filter with bytes, which is unknown here: give a file of this release, or "
            "use the release of Ration that wrote it");
}

TEST(StateFile, RefusesNamesThatAreNone) {
  const Scratch scratch;
  EXPECT_EQ(refusal(scratch, [] { const StateWriter writer("GDP filter"); }),
            "kind of a state file is 'GDP filter': give at most 39 lower-case letters, digits and "
            "hyphens");
  StateWriter writer("k");
  for (const std::string& name : {std::string(), std::string(48, 'a'), std::string("a\0b", 3)})
    EXPECT_THROW(writer.add_value(name, 1.0), Error) << name;
  writer.add_value(std::string(47, 'a'), 1.0);
  EXPECT_EQ(refusal(scratch, [&] { writer.add_value(std::string(47, 'a'), 2.0); }),
            "name of a section is '" + std::string(47, 'a') + "' twice: give each name once");
  writer.write(scratch.file("s"));
  EXPECT_EQ(StateReader(scratch.file("s"), "k").value<double>(std::string(47, 'a')), 1.0);
}

TEST(StateFile, AFlippedBitAnywhereIsRefused) {
  const std::string good = good_bytes();
  for (std::size_t i = 0; i < 8 * good.size(); ++i) {
    std::string altered = good;
    altered[i / 8] = static_cast<char>(altered[i / 8] ^ (1 << (i % 8)));
    ASSERT_NE(refused(altered), "accepted") << i;
  }
}

TEST(StateFile, AnyOtherLengthIsRefused) {
  const std::string good = good_bytes();
  for (std::size_t length = 0; length < good.size(); ++length)
    ASSERT_NE(refused(good.substr(0, length)), "accepted") << length;
  EXPECT_TRUE(rc::check("appended bytes", [&](const std::string& more) {
    RC_PRE(!more.empty());
    RC_ASSERT(refused(good + more) != "accepted");
  }));
}

// With a checksum that fits, the structure alone decides. Positions as in docs/state.md.
TEST(StateFile, SealedNonsenseIsRefused) {
  const std::string good = good_bytes();
  const std::string open = good.substr(0, good.size() - sizeof(Checksum));
  EXPECT_EQ(refused(sealed(open)), "accepted");
  const std::string inconsistent =
      "s is inconsistent: its sections do not add up, though its checksum is right: give a state "
      "file that Ration wrote";
  const std::vector<std::pair<std::size_t, char>> changes = {
      {12, 9},    {12, 7},   {15, 1},     // number of sections
      {24, '\0'}, {24, 'G'}, {63, 'x'},   // kind
      {64, '\0'}, {64, 'B'}, {111, 'x'},  // name of the first section
      {112, 0},   {112, 7},  {116, 1},    // its type and the zeros after it
      {120, 9},   {127, 1},  {127, -1},   // its count
      {579, 1}};                          // padding after its three bytes
  for (const auto& [position, value] : changes) {
    std::string altered = open;
    altered[position] = value;
    EXPECT_EQ(refused(sealed(altered)), inconsistent) << position;
  }
  EXPECT_EQ(refused(sealed(open + std::string(8, '\0'))), inconsistent);
  EXPECT_EQ(refused(sealed(open.substr(0, open.size() - 8))), inconsistent);
  std::string twice = open;  // the name of the second section is that of the first
  twice.replace(128, 48, open.substr(64, 48));
  EXPECT_EQ(refused(sealed(twice)), inconsistent);
}

TEST(StateFile, AnyArraysComeBackBitForBit) {
  const Scratch scratch;
  EXPECT_TRUE(rc::check(
      "round trip", [&](const std::vector<std::uint8_t>& a, const std::vector<std::uint32_t>& b,
                        const std::vector<std::uint64_t>& bits, const std::string& text) {
        std::vector<double> c(bits.size());  // NaNs among them
        if (!bits.empty()) std::memcpy(c.data(), bits.data(), 8 * bits.size());
        StateWriter writer("k");
        writer.add("a", a);
        writer.add("b", b);
        writer.add("c", c);
        writer.add_text("text", text);
        writer.write(scratch.file("s"));
        StateReader reader(scratch.file("s"), "k");
        RC_ASSERT(copy(reader.array<std::uint8_t>("a")) == a);
        RC_ASSERT(copy(reader.array<std::uint32_t>("b")) == b);
        const auto read = reader.array<double>("c", c.size());
        // Outside of RC_ASSERT, which evaluates both sides of ||.
        const bool same = c.empty() || std::memcmp(read.data(), c.data(), 8 * c.size()) == 0;
        RC_ASSERT(same);
        RC_ASSERT(reader.text("text") == text);
        reader.finish();
      }));
}

// A child saves version after version; whenever it is killed, a whole version is there, and no
// older one than the last that the child knew to be saved.
TEST(StateFile, AKillAtAnyMomentLeavesAWholeVersion) {
  const Scratch scratch;
  const std::string file = scratch.file("s");
  const auto save = [&](std::uint64_t version) {
    const std::vector<std::uint64_t> values(20'000, version);  // 160 kB
    StateWriter writer("counter");
    writer.add("values", values);
    writer.add_value("version", version);
    writer.write(file);
  };
  const auto load = [&] {
    StateReader reader(file, "counter");
    const auto version = reader.value<std::uint64_t>("version");
    for (const std::uint64_t value : reader.array<std::uint64_t>("values", 20'000))
      EXPECT_EQ(value, version);
    reader.finish();
    return version;
  };
  save(0);
  std::mt19937 random(1);
  std::uint64_t last = 0;
  for (int kill_number = 0; kill_number < 100; ++kill_number) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      for (std::uint64_t version = last + 1;; ++version) {
        save(version);
        if (write(pipe_ends[1], &version, sizeof version) != sizeof version) _exit(1);
      }
    }
    close(pipe_ends[1]);
    usleep(std::uniform_int_distribution<useconds_t>(0, 30'000)(random));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    std::uint64_t known = last;
    while (read(pipe_ends[0], &known, sizeof known) == sizeof known) {
    }
    close(pipe_ends[0]);
    last = load();
    ASSERT_TRUE(last == known || last == known + 1) << last << " against " << known;
  }
  EXPECT_GT(last, 50u) << "the kills came before anything was saved";
}

}  // namespace
}  // namespace ration
