#include "ration/file/npz.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "tests/file/scratch.h"

namespace ration {
namespace {

const std::vector<float> kWeights = {1, 2, 3, 4, 5, -6.5f}, kBias = {0.25f, 1e-30f};
const std::vector<NpzEntry> kModel = {
    {.name = "layer0.weight", .shape = {2, 3}, .values = kWeights},
    {.name = "layer0.bias", .shape = {2}, .values = kBias}};

std::string written(const std::vector<NpzEntry>& entries) {
  const Scratch scratch;
  write_npz(scratch.file("m.npz"), entries);
  return contents(scratch.file("m.npz"));
}
std::string refused(const std::string& bytes) {
  static const Scratch scratch;  // one for all: many bytes are refused one after the other
  const std::string file = scratch.put("m.npz", bytes);
  return refusal(scratch, [&] { read_npz(file); });
}
// A number of the format in place of what stands there.
std::string with(std::string bytes, std::size_t at, std::uint16_t value) {
  bytes[at] = static_cast<char>(value & 255);
  bytes[at + 1] = static_cast<char>(value >> 8);
  return bytes;
}

TEST(Npz, WhatIsWrittenIsReadBack) {
  const Scratch scratch;
  write_npz(scratch.file("m.npz"), kModel);
  const auto arrays = read_npz(scratch.file("m.npz"));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("layer0.weight"), (NpzArray{.shape = {2, 3}, .values = kWeights}));
  EXPECT_EQ(arrays.at("layer0.bias"), (NpzArray{.shape = {2}, .values = kBias}));
  EXPECT_EQ(std::filesystem::status(scratch.file("m.npz")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

bool numpy_is_there() { return std::system("python3 -c 'import numpy' 2>/dev/null") == 0; }

TEST(Npz, NumpyReadsWhatWeWriteAndWeReadWhatNumpyWrites) {
  if (!numpy_is_there()) GTEST_SKIP() << "needs Python with NumPy";
  const Scratch scratch;
  write_npz(scratch.file("m.npz"), kModel);
  const std::string script = R"(
import numpy, sys, zipfile
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
arrays = numpy.load(sys.argv[1], allow_pickle=False)
assert sorted(arrays) == ['layer0.bias', 'layer0.weight'], sorted(arrays)
assert arrays['layer0.weight'].dtype == numpy.float32
assert arrays['layer0.weight'].tolist() == [[1, 2, 3], [4, 5, -6.5]]
assert arrays['layer0.bias'][0] == 0.25
numpy.savez(sys.argv[2], **arrays)
numpy.savez_compressed(sys.argv[3], **arrays)
)";
  const std::string command = "python3 " + scratch.put("check.py", script) + " " +
                              scratch.file("m.npz") + " " + scratch.file("n.npz") + " " +
                              scratch.file("c.npz");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_npz(scratch.file("n.npz")), read_npz(scratch.file("m.npz")));
  EXPECT_EQ(refusal(scratch, [&] { read_npz(scratch.file("c.npz")); }),
            "c.npz is compressed or encrypted: give an NPZ file, as numpy.savez(file, ...) writes "
            "it");
}

TEST(Npz, AnyCutOrChangedBitOfTheArraysIsRefused) {
  const std::string good = written(kModel);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refused(good.substr(0, length)), "accepted") << length;
  EXPECT_NE(refused(good + "x"), "accepted");
  // From the first array's header, behind 30 bytes and its name, to its last value.
  const std::size_t first = 30 + std::string("layer0.weight.npy").size();
  for (std::size_t at = first; at < first + 128 + 24; ++at) {
    std::string bad = good;
    bad[at] ^= 4;
    EXPECT_EQ(refused(bad),
              "m.npz is damaged or cut short: give an NPZ file, as "
              "numpy.savez(file, ...) writes it")
        << at;
  }
}

TEST(Npz, AnyChangedByteIsReadOrRefused) {
  const std::string good = written(kModel);
  EXPECT_TRUE(rc::check("changed bytes", [&] {
    std::string bad = good;
    for (int i = 0; i < 3; ++i)
      bad[*rc::gen::inRange<std::size_t>(0, bad.size())] = *rc::gen::arbitrary<char>();
    refused(bad);
    refused("PK" + *rc::gen::arbitrary<std::string>());
  }));
}

TEST(Npz, RefusesArraysThatOverlapOrHaveOneName) {
  const std::string good = written(
      {{.name = "a", .shape = {2}, .values = kBias}, {.name = "b", .shape = {2}, .values = kBias}});
  const std::size_t each = 30 + 5 + 128 + 8;  // local header, name, NPY header, values
  const std::size_t second = 2 * each + 46 + 5;
  ASSERT_EQ(good.substr(second, 4), "PK\x01\x02");
  // The second entry leads to the first one's bytes, under the first one's name.
  std::string bad = with(with(good, second + 42, 0), second + 44, 0);
  bad[second + 46] = 'a';
  EXPECT_EQ(refused(bad).substr(0, 32), "m.npz is damaged or cut short: g");
  // Both are called a.
  bad = good;
  bad[second + 46] = bad[each + 30] = 'a';
  EXPECT_EQ(refused(bad).substr(0, 36), "m.npz is with two arrays of one name");
}

TEST(Npz, RefusesOtherFiles) {
  const std::string accepted = ": give an NPZ file, as numpy.savez(file, ...) writes it";
  EXPECT_EQ(refused(""), "m.npz is empty" + accepted);
  EXPECT_EQ(refused("\x93NUMPY"), "m.npz is of another format" + accepted);
  const std::string good = written(kModel);
  EXPECT_EQ(refused(with(with(good, good.size() - 12, 0), good.size() - 14, 0)),
            "m.npz is of 0 arrays: give an archive of 1 to 1000");
}

TEST(NpzWriter, RefusesNamesAndShapesThatDoNotFit) {
  const Scratch scratch;
  const auto write = [&](const std::vector<NpzEntry>& entries) {
    return refusal(scratch, [&] { write_npz(scratch.file("m.npz"), entries); });
  };
  const std::string names =
      ": give another one for each array, of at most 100 letters, digits, '.', '_' and '-'";
  EXPECT_EQ(write({{.name = "a/b", .shape = {2}, .values = kBias}}),
            "name of an array is 'a/b'" + names);
  EXPECT_EQ(write({{.name = "a", .shape = {2}, .values = kBias},
                   {.name = "a", .shape = {2}, .values = kBias}}),
            "name of an array is 'a'" + names);
  for (const auto& shape : std::vector<std::vector<std::size_t>>{
           {}, {3}, {0}, {1, 1, 2}, {std::size_t{1} << 63, 4}, {2, 2}}) {
    EXPECT_EQ(write({{.name = "a", .shape = shape, .values = kBias}}),
              "shape of a is another than its values fill: give one or two dimensions, filled "
              "with values");
  }
  EXPECT_EQ(write({}), "number of arrays is 0: give 1 to 1000");
  EXPECT_EQ(scratch.files(), 0u);
}

}  // namespace
}  // namespace ration
