// The front door is a list (cmake/public_headers.cmake): ration/ration.h includes all of it, and
// what is on it needs nothing that is not installed. tests/consumer compiles against it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

Names matches(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern, std::regex::ECMAScript | std::regex::multiline);
  Names found;
  for (std::sregex_iterator i(text.begin(), text.end(), wanted), end; i != end; ++i) {
    found.insert((*i)[1]);
  }
  return found;
}

const fs::path kRoot = RATION_SOURCE_DIR;

Names public_headers() {
  return matches(text_of(kRoot / "cmake/public_headers.cmake"), R"(^\s+(ration/[\w/]+\.h))");
}
Names included(const std::string& text) { return matches(text, R"(^#include "([^"]+)\")"); }
// The standard library's headers are single words; others have a folder or an ending.
Names foreign(const std::string& text) { return matches(text, R"(^#include <(\w*[^\w>][^>]*)>)"); }

TEST(FrontDoor, TheUmbrellaIncludesExactlyWhatIsInstalled) {
  Names installed = public_headers();
  ASSERT_EQ(installed.erase("ration/ration.h"), 1u);
  EXPECT_EQ(included(text_of(kRoot / "ration/ration.h")), installed);
  EXPECT_LE(installed.size(), 40u) << "a front door, not a wall of doors";
}

TEST(FrontDoor, PublicHeadersNeedOnlyPublicHeadersAndTheStandardLibrary) {
  const Names installed = public_headers();
  for (const std::string& header : installed) {
    ASSERT_TRUE(fs::exists(kRoot / header)) << header;
    const std::string text = text_of(kRoot / header);
    for (const std::string& other : included(text)) {
      EXPECT_TRUE(installed.contains(other)) << header << " includes " << other;
    }
    EXPECT_EQ(foreign(text), Names{}) << header;
  }
}

TEST(FrontDoor, TheCheckSeesAForeignHeader) {
  const std::string text = "#include <fmt/format.h>\n#include <vector>\n#include <toml.hpp>\n";
  EXPECT_EQ(foreign(text), (Names{"fmt/format.h", "toml.hpp"}));
}

// Types defined in a header, by namespace: what begins at the beginning of a line.
using Definitions = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;
void add_definitions(const std::string& file, const std::string& text, Definitions& found) {
  static const std::regex kOpens(R"(^namespace ([\w:]+) \{)"), kCloses(R"(^\}  // namespace)"),
      kDefines(R"(^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*)? \{)");
  std::vector<std::string> spaces;
  std::smatch match;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    from = end + 1;
    if (std::regex_search(line, match, kOpens)) {
      spaces.push_back(match[1]);
    } else if (std::regex_search(line, kCloses)) {
      if (!spaces.empty()) spaces.pop_back();
    } else if (std::regex_search(line, match, kDefines)) {
      found[{spaces.empty() ? "" : spaces.back(), match[1]}].push_back(file);
    }
  }
}

TEST(FrontDoor, NoNameIsDefinedTwice) {
  Definitions found;
  for (const std::string folder : {"ration", "paper", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string file = fs::relative(entry.path(), kRoot);
      const bool kernel = file.ends_with("-inl.h");  // compiled once per instruction set
      if (entry.path().extension() == ".h" && !kernel) {
        add_definitions(file, text_of(entry.path()), found);
      }
    }
  }
  EXPECT_GT(found.size(), 50u);
  for (const auto& [name, files] : found) {
    EXPECT_EQ(files.size(), 1u) << name.first << "::" << name.second << " in " << files.front()
                                << " and " << files.back();
  }
}

TEST(FrontDoor, TheCheckSeesANameThatIsDefinedTwice) {
  Definitions found;
  add_definitions("a.h", "namespace ration {\nstruct Outcome {\n};\n}  // namespace ration\n",
                  found);
  add_definitions("b.h", "namespace ration {\nclass Outcome;\nclass Outcome : Base {\n", found);
  EXPECT_EQ((found[{"ration", "Outcome"}]), (std::vector<std::string>{"a.h", "b.h"}));
}

}  // namespace
