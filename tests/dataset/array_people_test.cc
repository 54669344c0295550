#include "ration/dataset/array_people.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/file/npy.h"
#include "ration/numeric/directed.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

// An array of one dimension, or of rows of two, whose values are given as they lie in memory.
template <class Value>
std::string npy(const std::string& descr, const std::vector<Value>& values,
                std::size_t columns = 0) {
  const auto shape =
      columns == 0 ? std::vector{values.size()} : std::vector{values.size() / columns, columns};
  return npy::header_text(descr, shape) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}
template <class Value>
Labels labels_in(const std::string& descr, const std::vector<Value>& values,
                 std::size_t columns = 0) {
  const Scratch scratch;
  return read_npy_labels(scratch.put("y.npy", npy(descr, values, columns)));
}
std::string refused_labels(const std::string& bytes) {
  const Scratch scratch;
  const std::string file = scratch.put("y.npy", bytes);
  return refusal(scratch, [&] { read_npy_labels(file); });
}
std::string refused_rows(const std::string& bytes) {
  const Scratch scratch;
  const std::string file = scratch.put("x.npy", bytes);
  return refusal(scratch, [&] { read_npy_rows(file); });
}

TEST(NpyPeople, FeaturesOfBothFloatsAreTheSameRows) {
  const Scratch scratch;
  const Table expected{.rows = 2, .columns = 3, .values = {1, 2.5f, -3, 4, 5, 6}};
  EXPECT_EQ(read_npy_rows(scratch.put("f", npy<float>("<f4", {1, 2.5f, -3, 4, 5, 6}, 3))),
            expected);
  EXPECT_EQ(read_npy_rows(scratch.put("d", npy<double>("<f8", {1, 2.5, -3, 4, 5, 6}, 3))),
            expected);
}

TEST(NpyPeople, RefusesFeaturesThatAreNoFiniteRows) {
  EXPECT_EQ(refused_rows(npy<float>("<f4", {1, 2})),
            "x.npy is 1-dimensional: give two dimensions: a row for each person");
  EXPECT_EQ(refused_rows(npy<std::int64_t>("<i8", {1, 2}, 2)),
            "x.npy is an array of <i8: give little-endian float32 or float64, as "
            "array.astype('<f8') makes");
  const std::string sentence =
      "x.npy row 1 column 0 (from 0) is infinite, no number or beyond float32: give finite numbers";
  for (const double bad : {std::nan(""), kInfinity, -kInfinity, 1e39}) {
    EXPECT_EQ(refused_rows(npy<double>("<f8", {1, 2, bad, 3}, 2)), sentence);
  }
}

TEST(NpyPeople, ClassesMayBeOfAnyTypeOfNumbers) {
  const Labels expected{.kind = LabelKind::one, .names = {"0", "1", "2"}, .values = {2, 0, 1, 0}};
  EXPECT_EQ(labels_in<float>("<f4", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<double>("<f8", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::int8_t>("|i1", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::int16_t>("<i2", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::int32_t>("<i4", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::int64_t>("<i8", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::uint8_t>("|u1", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::uint16_t>("<u2", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::uint32_t>("<u4", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::uint64_t>("<u8", {2, 0, 1, 0}), expected);
  EXPECT_EQ(labels_in<std::uint8_t>("|b1", {1, 0, 1, 0}).names.size(), 2u);
}

TEST(NpyPeople, ColumnsOf0And1AreSeveralLabels) {
  const Labels expected{.kind = LabelKind::many, .names = {"0", "1"}, .values = {1, 0, 1, 1, 0, 0}};
  EXPECT_EQ(labels_in<std::uint8_t>("|b1", {1, 0, 1, 1, 0, 0}, 2), expected);
  EXPECT_EQ(labels_in<float>("<f4", {1, 0, 1, 1, 0, 0}, 2), expected);
  EXPECT_EQ(expected.records(), 3u);
}

TEST(NpyPeople, RefusesWhatIsNoLabelWithItsRow) {
  const std::string sentence =
      "y.npy row 1 (from 0) is no class: give whole numbers from 0 to 9999";
  for (const double bad : {0.5, -1.0, 1e4, 1e300, std::nan("")})
    EXPECT_EQ(refused_labels(npy<double>("<f8", {0, bad})), sentence);
  for (const std::int64_t bad : {INT64_MIN, INT64_MAX, std::int64_t{-1}})
    EXPECT_EQ(refused_labels(npy<std::int64_t>("<i8", {0, bad})), sentence);
  EXPECT_EQ(refused_labels(npy<std::uint8_t>("|u1", {0, 1, 2, 0}, 2)),
            "y.npy row 1 column 0 (from 0) is no label: give 0 or 1");
  EXPECT_EQ(refused_labels(npy<std::uint8_t>("|u1", {0, 0, 0})),
            "y.npy is of one class: give labels of at least two classes");
  EXPECT_EQ(refused_labels(npy<std::int64_t>(">i8", {0, 1})),
            "y.npy is big-endian, >i8: give little-endian numbers or booleans, as "
            "array.astype('<i8') makes");
  EXPECT_EQ(refused_labels(npy<std::uint32_t>("<U1", {'a', 'b'})),
            "y.npy is an array of <U1: give little-endian numbers or booleans, as "
            "array.astype('<i8') makes");
}

TEST(NpyPeople, TestLabelsAreThoseOfTraining) {
  const Scratch scratch;
  const auto refused = [&](const std::string& bytes, const Labels& train) {
    const std::string file = scratch.put("y.npy", bytes);
    return refusal(scratch, [&] { read_npy_labels(file, train); });
  };
  const Labels classes = labels_in<std::uint8_t>("|u1", {0, 1, 2});
  EXPECT_EQ(refused(npy<std::uint8_t>("|u1", {1, 1}), classes), "accepted");
  EXPECT_EQ(refused(npy<std::uint8_t>("|u1", {1, 3}), classes),
            "y.npy row 1 (from 0) is a class beyond those in training: give classes from 0 to 2");
  EXPECT_EQ(refused(npy<std::uint8_t>("|u1", {1, 0}, 2), classes),
            "y.npy is 2-dimensional: give as many dimensions as the training labels have");
  const Labels several = labels_in<std::uint8_t>("|u1", {0, 1, 1}, 3);
  EXPECT_EQ(refused(npy<std::uint8_t>("|u1", {1, 0}, 2), several),
            "y.npy is 2 columns wide: give the 3 labels of training");
}

TEST(Npy, FilesOfOtherNumbersHaveNoFloats) {
  const Scratch scratch;
  const std::string path = scratch.put("y.npy", npy<std::uint8_t>("|u1", {7}));
  const NpyFile file(path, npy::Accepted::numbers);
  EXPECT_EQ(file.numbers()[0], 7);
  EXPECT_EQ(refusal(scratch, [&] { file.values<float>(); }),
            "y.npy is an array of no floats: give float32");
}

}  // namespace
}  // namespace ration
