// A folder includes only itself and the folders before it: ARCHITECTURE.md, "Layout".

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kLayers = {
    "base",    "file",  "numeric", "mechanism", "loss",  "compose", "individual",
    "control", "state", "dataset", "results",   "train", "report"};

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

TEST(Layers, FoldersIncludeOnlyWhatTheyMay) {
  int files = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(RATION_SOURCE_DIR) / "ration")) {
    const bool source = entry.path().extension() == ".h" || entry.path().extension() == ".cc";
    if (!entry.is_regular_file() || !source) continue;
    const std::string folder = entry.path().parent_path().filename();
    ASSERT_LT(layer_of(folder), kLayers.size()) << folder << " is not a layer";
    std::ifstream in(entry.path());
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    for (const std::string& line : violations(folder, text)) {
      ADD_FAILURE() << entry.path() << ": " << line;
    }
    ++files;
  }
  EXPECT_GT(files, 20);
}

TEST(Layers, TheCheckSeesAViolation) {
  EXPECT_EQ(violations("loss", "#include \"ration/compose/renyi.h\"\n").size(), 1u);
  EXPECT_EQ(violations("loss", "#include \"cli/sub/print.h\"\n").size(), 1u);
  EXPECT_TRUE(violations("loss", "#include \"ration/numeric/root.h\"\n").empty());
}

TEST(Layers, FilesKnowBaseAlone) {
  for (const std::string& folder : kLayers) {
    const bool may = folder == "base" || folder == "file";
    EXPECT_EQ(violations("file", "#include \"ration/" + folder + "/x.h\"\n").empty(), may)
        << folder;
  }
}

}  // namespace
