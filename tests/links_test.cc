// Every file that a page links to is there.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What a page in `folder` links to and is not there; links into the web are left alone.
std::vector<std::string> broken_links(const fs::path& folder, const std::string& text) {
  static const std::regex kLink(R"re(\]\(([^)#\s]+)(#[^)\s]*)?\))re");
  static const std::regex kWeb("[a-z]+:.*");
  std::vector<std::string> broken;
  for (std::sregex_iterator i(text.begin(), text.end(), kLink), end; i != end; ++i) {
    const std::string target = (*i)[1];
    if (!std::regex_match(target, kWeb) && !fs::exists(folder / target)) broken.push_back(target);
  }
  return broken;
}

TEST(Links, OfEveryPageLeadToAFile) {
  const fs::path source = RATION_SOURCE_DIR;
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(source)) pages.push_back(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(source / "docs")) {
    pages.push_back(entry.path());
  }
  int read = 0;
  for (const fs::path& page : pages) {
    if (page.extension() != ".md") continue;
    ++read;
    std::ifstream in(page);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    for (const std::string& target : broken_links(page.parent_path(), text)) {
      ADD_FAILURE() << page << " links to " << target;
    }
  }
  EXPECT_GT(read, 15);
}

TEST(Links, TheCheckSeesABrokenOne) {
  EXPECT_EQ(broken_links(RATION_SOURCE_DIR, "[a](README.md), [b](no/such.md#part)").size(), 1u);
  EXPECT_TRUE(broken_links(RATION_SOURCE_DIR, "[a](https://example.org) [b](#part)").empty());
}

}  // namespace
