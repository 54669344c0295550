#include "ration/file/external_sort.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ration/file/atomic_file.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

std::vector<int> sorted_by(const std::vector<int>& values, std::size_t held) {
  ExternalSort<int> sort(held);
  for (const int value : values) sort.add(value);
  sort.finish();
  std::vector<int> all;
  for (int pass = 0; pass < 2; ++pass) {  // a cursor starts again from the least
    all.clear();
    ExternalSort<int>::Cursor cursor(sort);
    for (; cursor.get() != nullptr; cursor.advance()) all.push_back(*cursor.get());
  }
  return all;
}

RC_GTEST_PROP(ExternalSort, SortsWhateverItHolds, (const std::vector<int>& values)) {
  std::vector<int> expected = values;
  std::sort(expected.begin(), expected.end());
  for (const std::size_t held : {1U, 2U, 7U, 1000U}) RC_ASSERT(sorted_by(values, held) == expected);
}

TEST(ExternalSort, MergesRunsThatAreReadInParts) {
  std::vector<int> values(10'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919 % 10'007);
  std::vector<int> expected = values;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_by(values, 1000), expected);
}

class TemporaryFolder : public testing::Test {
 protected:
  TemporaryFolder() { set(files_.file("")); }
  ~TemporaryFolder() override { before_ ? set(*before_) : void(unsetenv("TMPDIR")); }
  static void set(const std::string& folder) { setenv("TMPDIR", folder.c_str(), 1); }

  const char* const given_ = std::getenv("TMPDIR");
  const std::optional<std::string> before_ =
      given_ == nullptr ? std::nullopt : std::optional<std::string>(given_);
  Scratch files_;
};

TEST_F(TemporaryFolder, HoldsNothingThatHasAName) {
  TemporaryFile file;
  file.append(std::as_bytes(std::span("secret")));
  EXPECT_EQ(files_.files(), 0u);
  const MappedFile mapped = file.mapped("bytes");
  EXPECT_EQ(std::memcmp(mapped.bytes().data(), "secret", 6), 0);
}

TEST_F(TemporaryFolder, ThatIsNotThereIsAFailureToWrite) {
  set(files_.file("nowhere"));
  ExternalSort<int> sort(2);
  sort.add(1);
  sort.add(2);
  EXPECT_THROW(sort.add(3), WriteFailure);
}

}  // namespace
}  // namespace ration
