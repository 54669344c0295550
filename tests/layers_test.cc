// A folder includes only itself and the folders before it: ARCHITECTURE.md, "Layout".

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kLayers = {
    "base",  "file",   "numeric", "mechanism", "loss",  "compose", "individual", "control",
    "state", "ledger", "dataset", "results",   "noise", "model",   "train",      "report"};

std::size_t layer_of(const std::string& folder) {
  const auto found = std::find(kLayers.begin(), kLayers.end(), folder);
  return static_cast<std::size_t>(found - kLayers.begin());
}

std::vector<std::string> violations(const std::string& folder, const std::string& text) {
  static const std::regex kInclude(R"re(#include "([^"/]+)/([^"/]+)/)re");
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), kInclude), end; i != end; ++i) {
    const bool ours = (*i)[1] == "ration";
    if (!ours || layer_of((*i)[2]) > layer_of(folder)) found.push_back(i->str());
  }
  return found;
}

// Of the sources below a folder: the file, and what it holds.
std::vector<std::pair<fs::path, std::string>> sources_below(const std::string& folder) {
  std::vector<std::pair<fs::path, std::string>> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RATION_SOURCE_DIR) / folder)) {
    const bool source = entry.path().extension() == ".h" || entry.path().extension() == ".cc";
    if (!entry.is_regular_file() || !source) continue;
    std::ifstream in(entry.path());
    found.emplace_back(entry.path(), std::string((std::istreambuf_iterator<char>(in)), {}));
  }
  return found;
}

TEST(Layers, FoldersIncludeOnlyWhatTheyMay) {
  const auto sources = sources_below("ration");
  for (const auto& [path, text] : sources) {
    const std::string folder = path.parent_path().filename();
    if (path.filename() == "ration.h") continue;  // the front door: tests/front_door_test.cc
    ASSERT_LT(layer_of(folder), kLayers.size()) << folder << " is not a layer";
    for (const std::string& line : violations(folder, text)) ADD_FAILURE() << path << ": " << line;
  }
  EXPECT_GT(sources.size(), 20u);
}

// What a text includes below a folder, such as "paper/".
std::vector<std::string> included_from(const std::string& folder, const std::string& text) {
  const std::regex include("#include \"(" + folder + "[^\"]*)\"");
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}

TEST(Layers, ThePaperIsAboveTheLibraryAndHasOneDoor) {
  for (const std::string folder : {"ration", "python"}) {
    for (const auto& [path, text] : sources_below(folder)) {
      EXPECT_EQ(included_from("paper/", text), std::vector<std::string>{}) << path;
    }
  }
  for (const auto& [path, text] : sources_below("cli")) {
    for (const std::string& file : included_from("paper/", text)) {
      EXPECT_EQ(file, "paper/reproduce.h") << path;
    }
  }
  for (const auto& [path, text] : sources_below("paper")) {
    for (const std::string folder : {"cli/", "python/", "tests/"}) {
      EXPECT_EQ(included_from(folder, text), std::vector<std::string>{}) << path;
    }
  }
  EXPECT_EQ(included_from("paper/", "#include \"paper/reproduce.h\"\n").size(), 1u);
}

TEST(Layers, TheCheckSeesAViolation) {
  EXPECT_EQ(violations("loss", "#include \"ration/compose/renyi.h\"\n").size(), 1u);
  EXPECT_EQ(violations("loss", "#include \"cli/sub/print.h\"\n").size(), 1u);
  EXPECT_TRUE(violations("loss", "#include \"ration/numeric/search.h\"\n").empty());
}

TEST(Layers, FilesKnowBaseAlone) {
  for (const std::string& folder : kLayers) {
    const bool may = folder == "base" || folder == "file";
    EXPECT_EQ(violations("file", "#include \"ration/" + folder + "/x.h\"\n").empty(), may)
        << folder;
  }
}

// What is written, is written whole: nobody opens a file for writing but AtomicFile, the journal to
// add to what AtomicFile has made, and TemporaryFile, whose files have no name.
TEST(Layers, FilesAreWrittenInOnePlace) {
  static const std::regex kWriter(R"re(ofstream|fopen|freopen|\bcreat\(|O_TRUNC|O_CREAT|O_RDWR)re");
  for (const char* folder : {"ration", "paper", "cli", "python"}) {
    for (const auto& [path, text] : sources_below(folder)) {
      if (path.filename() == "atomic_file.cc" || path.filename() == "temporary_file.cc") continue;
      EXPECT_FALSE(std::regex_search(text, kWriter)) << path;
    }
  }
}

}  // namespace
