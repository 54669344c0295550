#include "ration/file/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <cstring>

#include "ration/file/npy_header.h"
#include "tests/file/gzipped.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

std::string literal(const std::string& descr, const std::string& shape,
                    const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

// A file as the description of the format says: magic, version, length, dict, values.
std::string npy(const std::string& dict, const std::string& values, char version = 1,
                std::size_t alignment = 64) {
  const std::size_t before = version == 1 ? 10 : 12;
  std::string text = dict;
  while ((before + text.size() + 1) % alignment != 0) text += ' ';
  text += '\n';
  std::string length;
  for (std::size_t i = 8; i < before; ++i)
    length += static_cast<char>(text.size() >> (8 * (i - 8)) & 255);
  return std::string("\x93NUMPY") + version + '\0' + length + text + values;
}

template <class Real>
std::string bytes_of(const std::vector<Real>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Real)};
}
template <class Real>
std::vector<Real> values_in(const NpyFile& file) {
  const auto values = file.values<Real>();
  return {values.begin(), values.end()};
}

TEST(Npy, ReadsGzipWhateverTheFileIsCalled) {
  const Scratch scratch;
  const std::vector<float> values(1 << 16, 2.5f);
  const std::string plain = npy(literal("<f4", "(64, 1024)"), bytes_of(values));
  const NpyFile file(scratch.put("norms.npy", gzipped(plain)));
  EXPECT_EQ(values_in<float>(file), values);
  const auto refused = [&](const std::string& bytes) {
    const std::string bad = scratch.put("bad.npy", bytes);
    return refusal(scratch, [&] { NpyFile{std::filesystem::path(bad)}; });
  };
  EXPECT_EQ(refused(gzipped("")),
            "bad.npy is a gzip file of nothing: give one that holds something");
  EXPECT_EQ(refused(gzipped(plain).substr(0, 60)), "bad.npy is cut short: give the whole file");
  EXPECT_NE(refused(gzipped(plain.substr(0, 4096))), "accepted");
}

TEST(Npy, ReadsEveryVersionTypeAndAlignment) {
  const Scratch scratch;
  const std::vector<float> singles = {1, 2.5f, -3, 4, 5, 6};
  const std::vector<double> doubles = {1, 2.5, -3, 4, 5, 1e300};
  for (const char version : {'\1', '\2', '\3'}) {
    for (const std::size_t alignment : {8u, 16u, 64u}) {
      const NpyFile f4(
          scratch.put("f4", npy(literal("<f4", "(2, 3)"), bytes_of(singles), version, alignment)));
      EXPECT_EQ(f4.type(), npy::Type::float32);
      EXPECT_EQ(f4.dimensions(), 2u);
      EXPECT_EQ(f4.rows(), 2u);
      EXPECT_EQ(f4.columns(), 3u);
      EXPECT_EQ(values_in<float>(f4), singles);
      const NpyFile f8(
          scratch.put("f8", npy(literal("<f8", "(6,)"), bytes_of(doubles), version, alignment)));
      EXPECT_EQ(f8.type(), npy::Type::float64);
      EXPECT_EQ(f8.dimensions(), 1u);
      EXPECT_EQ(f8.rows(), 1u);
      EXPECT_EQ(f8.columns(), 6u);
      EXPECT_EQ(values_in<double>(f8), doubles);
    }
  }
}

// The 136 bytes that NumPy 2.4.6 wrote for numpy.array([[1, 2]], dtype='<f4').
TEST(Npy, ReadsWhatNumpyWrote) {
  const Scratch scratch;
  const std::string file = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }" +
                           std::string(58, ' ') + "\n" + std::string("\0\0\x80\x3f\0\0\0\x40", 8);
  EXPECT_EQ(file.size(), 136u);
  EXPECT_EQ(values_in<float>(NpyFile(scratch.put("f", file))), (std::vector<float>{1, 2}));
}

std::string refused(const std::string& bytes) {
  const Scratch scratch;
  const std::string file = scratch.put("norms.npy", bytes);
  return refusal(scratch, [&] { const NpyFile npy(file); });
}

TEST(Npy, RefusesOtherArraysWithTheWayToConvertThem) {
  const std::string six = bytes_of(std::vector<float>(6));
  EXPECT_EQ(refused(npy(literal("<f4", "(2, 3)", "True"), six)),
            "norms.npy is in Fortran order: give C order, as numpy.ascontiguousarray(array) makes");
  const std::string types = ": give little-endian float32 or float64, as array.astype('<f8') makes";
  EXPECT_EQ(refused(npy(literal(">f4", "(2, 3)"), six)), "norms.npy is big-endian, >f4" + types);
  EXPECT_EQ(refused(npy(literal("<i8", "(2, 3)"), six)), "norms.npy is an array of <i8" + types);
  EXPECT_EQ(refused(npy(literal("|O", "(2, 3)"), six)), "norms.npy is an array of |O" + types);
  EXPECT_EQ(refused(npy(literal("\x1b[2J", "(2, 3)"), six)),
            "norms.npy is an array of another type" + types);
  EXPECT_EQ(refused(npy("{'descr': [('x', '<f4'), ('y', '<f4', (2,))], 'fortran_order': False, "
                        "'shape': (2,), }",
                        six)),
            "norms.npy is a structured array" + types);
  for (const auto& [shape, count] : {std::pair{"(1, 2, 3)", "3"}, {"()", "0"}}) {
    EXPECT_EQ(
        refused(npy(literal("<f4", shape), six)),
        "norms.npy is " + std::string(count) +
            "-dimensional: give one or two dimensions, as array.reshape(rows, columns) makes");
  }
  for (const std::string shape : {"0", "0, 3", "3, 0"}) {
    EXPECT_EQ(
        refused(npy(literal("<f4", "(" + shape + ",)"), "")),
        "norms.npy is without values, shape (" + shape + "): give at least one row and one column");
  }
}

TEST(Npy, RefusesFilesOfAnotherLengthThanTheirShape) {
  EXPECT_EQ(refused(npy(literal("<f4", "(2, 3)"), std::string(23, 'x'))),
            "norms.npy is cut short, 23 of the 24 bytes of its shape (2, 3): give the whole file");
  EXPECT_EQ(refused(npy(literal("<f8", "(3,)"), std::string(32, 'x'))),
            "norms.npy is 8 bytes longer than its shape (3): give a file that holds one array and "
            "nothing else");
  for (const std::string shape :
       {"(4611686018427387904,)", "(4294967296, 4294967296)", "(18446744073709551616, 1)",
        "(99999999999999999999999999, 2)", "(2305843009213693952,)"}) {
    EXPECT_EQ(refused(npy(literal("<f4", shape), "")),
              "norms.npy is of a shape beyond 2^63 bytes: give a smaller one");
  }
  EXPECT_EQ(refused(npy(literal("<f4", "(2000000000000000000,)"), "1234")),
            "norms.npy is cut short, 4 of the 8000000000000000000 bytes of its shape "
            "(2000000000000000000): give the whole file");
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  const std::string accepted = ": give an NPY file, as numpy.save(file, array) writes it";
  EXPECT_EQ(refused(""), "norms.npy is empty" + accepted);
  EXPECT_EQ(refused("1,2,3\n"), "norms.npy is of another format" + accepted);
  EXPECT_EQ(refused("PK\x03\x04"), "norms.npy is an archive (NPZ)" + accepted);
  const std::string good = npy(literal("<f4", "(1,)"), "1234");
  EXPECT_EQ(refused(good), "accepted");
  for (const std::size_t length : {6u, 7u, 8u, 9u}) {
    EXPECT_EQ(refused(good.substr(0, length)),
              "norms.npy is cut short within its header: give the whole file");
  }
  EXPECT_EQ(refused(good.substr(0, 50)),
            "norms.npy is cut short within its header, 50 of 128 bytes: give the whole file");
  EXPECT_EQ(
      refused(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
      "norms.npy is cut short within its header, 12 of 4294967307 bytes: give the whole file");
  EXPECT_EQ(refused(npy(literal("<f4", "(1,)"), "1234", 4)),
            "norms.npy is of NPY version 4.0: give version 1.0, 2.0 or 3.0");
  EXPECT_EQ(refused(npy(literal("<f8", "(1,)"), "12345678", 1, 1)).substr(0, 24),
            "norms.npy is not aligned");
  EXPECT_EQ(refused(npy("{}", "1234")),
            "norms.npy is an NPY file whose header does not say descr, fortran_order and shape" +
                accepted);
}

TEST(Npy, RefusesFoldersPipesAndMissingFiles) {
  const Scratch scratch;
  const auto open = [&](const std::string& file) {
    return refusal(scratch, [&] { const NpyFile npy(file); });
  };
  EXPECT_EQ(open(scratch.file("none.npy")), "cannot read none.npy: No such file or directory");
  std::filesystem::create_directory(scratch.file("sub"));
  EXPECT_EQ(open(scratch.file("sub")),
            "sub is a folder: give an NPY file, as numpy.save(file, array) writes it");
  ASSERT_EQ(mkfifo(scratch.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(open(scratch.file("pipe")),
            "pipe is no regular file: give an NPY file, as numpy.save(file, array) writes it");
}

TEST(NpyLiteral, ReadsWhatPythonReadsAndNothingElse) {
  for (const char* good :
       {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n",
        "{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f8\"}",
        " {\n'fortran_order' :\tFalse , 'descr':'<f8','shape': ( 3 , 4 , ) } "}) {
    const auto read = npy::parsed(good);
    ASSERT_TRUE(read) << good;
    EXPECT_EQ(read->descr, "<f8");
    EXPECT_FALSE(read->fortran_order);
    EXPECT_EQ(read->shape, (std::vector<std::uint64_t>{3, 4}));
  }
  for (const std::string shape : {"(3)", "3", "(03,)", "(-3,)", "(3.0,)", "(,)", "(3,,)", "(3 4)",
                                  "(3,4", "[3,4]", "(3L,)", "(3,) (4,)", "None", ""}) {
    EXPECT_FALSE(npy::parsed(literal("<f8", shape))) << shape;
  }
  for (const std::string bad :
       {"", "{", "{}", "{,}", "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (3,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [[, 'fortran_order': False, 'shape': (3,)}",
        "{'descr' '<f8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} {"}) {
    EXPECT_FALSE(npy::parsed(bad)) << bad;
  }
}

TEST(Npy, WhatIsWrittenIsReadBackBitForBit) {
  const Scratch scratch;
  EXPECT_TRUE(rc::check("round trip", [&](const std::vector<std::uint64_t>& bits) {
    RC_PRE(!bits.empty());
    std::vector<double> values(bits.size());  // any bits, NaNs among them
    std::memcpy(values.data(), bits.data(), 8 * bits.size());
    const bool flat = *rc::gen::arbitrary<bool>();
    const auto rows = *rc::gen::elementOf(std::vector<std::size_t>{1, values.size()});
    const std::vector<std::size_t> shape =
        flat ? std::vector{values.size()} : std::vector{rows, values.size() / rows};
    write_npy<double>(scratch.file("f.npy"), shape, values);
    const NpyFile file(scratch.file("f.npy"));
    RC_ASSERT(file.dimensions() == shape.size());
    RC_ASSERT(file.rows() == (flat ? 1 : rows));
    RC_ASSERT(file.columns() == shape.back());
    const auto read = file.values<double>();
    RC_ASSERT(read.size() == values.size());
    RC_ASSERT(std::memcmp(read.data(), values.data(), 8 * values.size()) == 0);
  }));
}

TEST(Npy, AnySuffixOrCutIsRefused) {
  const Scratch scratch;
  const std::string good = npy(literal("<f4", "(2, 3)"), std::string(24, 'x'));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refused(good.substr(0, length)), "accepted") << length;
  EXPECT_NE(refused(good + "x"), "accepted");
}

TEST(Npy, AnyHeaderIsReadOrRefused) {
  EXPECT_TRUE(rc::check("any text as a dict", [](const std::string& text) {
    refused(npy(text, "1234"));
    refused(npy("{'descr': '<f4', " + text, "1234"));
    refused(npy(literal("<f4", text), "1234"));
  }));
}

TEST(NpyWriter, WritesTheBytesOfTheFormatAligned) {
  const Scratch scratch;
  const std::vector<std::int64_t> counts = {1, -2};
  write_npy<std::int64_t>(scratch.file("i.npy"), {2}, counts);
  EXPECT_EQ(contents(scratch.file("i.npy")),
            npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", bytes_of(counts)));
  const std::vector<float> singles = {1, 2, 3, 4};
  NpyWriter<float> writer(scratch.file("f.npy"), {2, 2});
  writer.append(std::span(singles).first(1));
  writer.append(std::span(singles).subspan(1));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("f.npy")));
  writer.commit();
  EXPECT_EQ(contents(scratch.file("f.npy")),
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", bytes_of(singles)));
  EXPECT_EQ(std::filesystem::status(scratch.file("f.npy")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(NpyWriter, RefusesAnotherNumberOfValuesThanTheShape) {
  const Scratch scratch;
  const std::vector<double> three(3);
  EXPECT_EQ(refusal(scratch, [&] { write_npy<double>(scratch.file("f"), {2}, three); }),
            "number of values to write is 1 more than the shape holds: give as many as the shape "
            "holds");
  EXPECT_EQ(refusal(scratch,
                    [&] {
                      write_npy<double>(scratch.file("f"), {2, 2}, three);
                    }),
            "number of values to write is 1 fewer than the shape holds: give as many as the shape "
            "holds");
  for (const auto& shape : std::vector<std::vector<std::size_t>>{
           {}, {0}, {3, 0}, {1, 1, 1}, {std::size_t{1} << 40, std::size_t{1} << 40}}) {
    EXPECT_NE(refusal(scratch, [&] { write_npy<double>(scratch.file("f"), shape, three); }),
              "accepted");
  }
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(Npy, ValuesComeInTheFilesOwnTypeOnly) {
  const Scratch scratch;
  const NpyFile file(scratch.put("f.npy", npy(literal("<f4", "(1,)"), "1234")));
  EXPECT_EQ(refusal(scratch, [&] { file.values<double>(); }),
            "f.npy is an array of float32: give float64");
}

TEST(Npy, RowsAreReadFromAnywhere) {
  const Scratch scratch;
  const std::size_t rows = 100, columns = 7001;  // several parts
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  write_npy<double>(scratch.file("f.npy"), {rows, columns}, values);
  const NpyFile file(scratch.file("f.npy"));
  for (const auto& [first, count] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 100}, {0, 1}, {99, 1}, {17, 40}}) {
    std::vector<double> read(count * columns);
    file.read_rows(first, std::span(read));
    EXPECT_TRUE(std::equal(read.begin(), read.end(),
                           values.begin() + static_cast<std::ptrdiff_t>(first * columns)));
  }
  std::vector<double> two(2 * columns);
  EXPECT_THROW(file.read_rows(99, std::span(two)), Error);
  EXPECT_THROW(file.read_rows(SIZE_MAX, std::span(two)), Error);
}

// Mapped, it would end the program.
TEST(Npy, AFileThatIsCutShortMeanwhileIsAnError) {
  const Scratch scratch;
  write_npy<double>(scratch.file("f.npy"), {1000, 1000}, std::vector<double>(1'000'000));
  const NpyFile file(scratch.file("f.npy"));
  std::filesystem::resize_file(scratch.file("f.npy"), 4096);
  EXPECT_EQ(refusal(scratch, [&] { file.values<double>(); }),
            "cannot read f.npy: it was cut short meanwhile");
  EXPECT_EQ(refusal(scratch, [&] { file.numbers(); }),
            "cannot read f.npy: it was cut short meanwhile");
}

TEST(Npy, AHeaderOfAMegabyteIsRefused) {
  EXPECT_EQ(refused(npy(literal("<f4", "(1,)") + std::string(1 << 20, ' '), "1234", '\2')),
            "norms.npy is an NPY file with a header of 1048692 bytes: give an NPY file, as "
            "numpy.save(file, array) writes it");
}

}  // namespace
}  // namespace ration
