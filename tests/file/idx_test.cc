#include "ration/file/idx.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ration/file/gzip.h"
#include "tests/file/gzipped.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

// A file as the format's description says: magic, lengths (big-endian), bytes.
std::string idx(const std::vector<std::uint32_t>& lengths, const std::string& bytes,
                char type = 8) {
  std::string file = {0, 0, type, static_cast<char>(lengths.size())};
  for (const std::uint32_t length : lengths)
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(length >> shift & 255);
  return file + bytes;
}
const std::string kImages = idx({2, 1, 3}, std::string("\x00\x33\xff\x01\x02\x03", 6));

std::string refused_images(const std::string& bytes) {
  static const Scratch scratch;  // one for all: many bytes are refused one after the other
  const std::string file = scratch.put("images", bytes);
  return refusal(scratch, [&] { read_idx_rows(file); });
}

TEST(Idx, ReadsImagesAsRowsOfByte255ths) {
  const Scratch scratch;
  const Table expected{
      .rows = 2, .columns = 3, .values = {0, 0.2f, 1, 1 / 255.0f, 2 / 255.0f, 3 / 255.0f}};
  EXPECT_EQ(read_idx_rows(scratch.put("plain", kImages)), expected);
  EXPECT_EQ(read_idx_rows(scratch.put("gzip", gzipped(kImages))), expected);
  for (const auto& lengths : std::vector<std::vector<std::uint32_t>>{{2, 3}, {2, 1, 3, 1}}) {
    EXPECT_EQ(read_idx_rows(scratch.put("f", idx(lengths, kImages.substr(16)))), expected);
  }
}

TEST(Idx, ReadsLabels) {
  const Scratch scratch;
  const std::string labels = idx({4}, std::string("\x09\x00\xff\x01", 4));
  const std::vector<std::uint8_t> expected = {9, 0, 255, 1};
  EXPECT_EQ(read_idx_bytes(scratch.put("plain", labels)), expected);
  EXPECT_EQ(read_idx_bytes(scratch.put("gzip", gzipped(labels))), expected);
}

TEST(Idx, RefusesOtherFormatsTypesAndDimensions) {
  const std::string accepted = ": give an IDX file of unsigned bytes, as MNIST comes in";
  EXPECT_EQ(refused_images(""), "images is empty" + accepted);
  EXPECT_EQ(refused_images("P6 28 28"), "images is of another format" + accepted);
  EXPECT_EQ(refused_images(idx({1, 1}, "abcd", 0x0D)),
            "images is an IDX file of type 0x0d: give type 0x08, unsigned bytes");
  EXPECT_EQ(refused_images(idx({}, "a")), "images is 0-dimensional: give one to four dimensions");
  EXPECT_EQ(refused_images(idx({1, 1, 1, 1, 1}, "a")),
            "images is 5-dimensional: give one to four dimensions");
  EXPECT_EQ(refused_images(idx({1}, "a")),
            "images is 1-dimensional, as labels are: give two to four dimensions: a row a person");
  EXPECT_EQ(refused_images(idx({2, 0}, "")),
            "images is an IDX file without values: give at least one in every dimension");
  const Scratch scratch;
  const std::string file = scratch.put("labels", kImages);
  EXPECT_EQ(refusal(scratch, [&] { read_idx_bytes(file); }),
            "labels is 3-dimensional: give one dimension: a label for each person");
}

TEST(Idx, RefusesSizesThatTheFileDoesNotHoldWithoutTakingMemory) {
  EXPECT_EQ(refused_images(idx({0xffffffff, 0xffffffff, 0xffffffff}, "a")),
            "images is of sizes beyond 2^63: give smaller ones");
  EXPECT_EQ(refused_images(idx({1, 0xffffffff, 0xffffffff, 0xffffffff}, "a")),
            "images is of sizes beyond 2^64: give smaller ones");
  // 2^62 bytes: nobody has the memory.
  const std::string huge = idx({1u << 31, 1u << 31}, "a");
  EXPECT_EQ(refused_images(huge), "images is cut short: give the whole file");
  EXPECT_EQ(refused_images(gzipped(huge)), "images is cut short: give the whole file");
  const std::string longer =
      "images is longer than it says: give a file that holds what its "
      "header says, and no more";
  EXPECT_EQ(refused_images(kImages + "x"), longer);
  EXPECT_EQ(refused_images(gzipped(kImages + "x")), longer);
}

TEST(Idx, AnyCutIsRefused) {
  for (const std::string& file : {kImages, gzipped(kImages)}) {
    for (std::size_t length = 0; length < file.size(); ++length)
      EXPECT_NE(refused_images(file.substr(0, length)), "accepted") << length;
  }
}

TEST(Idx, AnyBytesAreReadOrRefused) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& bytes) {
    refused_images(bytes);
    refused_images(idx({2, 2}, bytes));
    refused_images("\x1f\x8b\x08" + bytes);
  }));
}

TEST(Gzip, ReadsFilesOfSeveralMembersSomeOfThemEmpty) {
  const std::string file =
      gzipped("") + gzipped("to") + gzipped("") + gzipped("gether") + gzipped("");
  InflatedBytes bytes(std::as_bytes(std::span(file)), "f");
  std::string text(8, '\0');
  bytes.read(std::as_writable_bytes(std::span(text)));
  EXPECT_EQ(text, "together");
  bytes.finish();
}

// What comes out, or the refusal.
std::string inflated(const std::string& file, std::size_t count) {
  std::string text(count, '\0');
  const std::string refused = refusal([&] {
    InflatedBytes bytes(std::as_bytes(std::span(file)), "f");
    bytes.read(std::as_writable_bytes(std::span(text)));
    bytes.finish();
  });
  return refused == "accepted" ? text : refused;
}

TEST(Gzip, AnyChangedBitIsRefusedOrChangesNothing) {
  const std::string text = "forty-two bytes that are nobody's in truth";
  const std::string good = gzipped(text);
  ASSERT_EQ(inflated(good, text.size()), text);
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    if (bad[0] != good[0] || bad[1] != good[1]) continue;  // no gzip any more: read as it is
    const std::string read = inflated(bad, text.size());
    if (read == text) ++harmless;
    EXPECT_TRUE(read == text || read.starts_with("f is ")) << bit;
  }
  EXPECT_LT(harmless, 80u);  // the time, the system, and bits that fill the last byte up
  std::string bad = good;
  bad[good.size() - 8] ^= 1;
  EXPECT_EQ(inflated(bad, text.size()),
            "f is a damaged gzip file: give one that gzip --test finds right");
}

TEST(Gzip, RefusesOtherBytesBehindTheEnd) {
  const std::string sentence =
      "f is a gzip file with other bytes behind its end: give a gzip file and nothing else";
  EXPECT_EQ(inflated(gzipped("abc") + "x", 3), sentence);
  EXPECT_EQ(inflated(gzipped("abc") + std::string(512, '\0'), 3), sentence);
  EXPECT_EQ(inflated(gzipped("abc") + gzipped("").substr(0, 5), 3),
            "f is cut short: give the whole file");
}

TEST(Gzip, InflatesToWhatWasDeflatedInPiecesOfAnySize) {
  EXPECT_TRUE(rc::check("round trip", [](const std::vector<std::string>& members) {
    std::string file, all;
    for (const std::string& member : members) {
      file += gzipped(member);
      all += member;
    }
    RC_PRE(!members.empty());
    InflatedBytes bytes(std::as_bytes(std::span(file)), "f");
    for (std::size_t from = 0; from < all.size();) {
      const auto count = *rc::gen::inRange<std::size_t>(1, all.size() - from + 1);
      std::string piece(count, '\0');
      bytes.read(std::as_writable_bytes(std::span(piece)));
      RC_ASSERT(piece == all.substr(from, count));
      from += count;
    }
    bytes.finish();
  }));
}

}  // namespace
}  // namespace ration
