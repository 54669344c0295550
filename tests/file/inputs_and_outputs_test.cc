#include "ration/file/inputs_and_outputs.h"

#include <gtest/gtest.h>

#include "tests/file/scratch.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

class InputsAndOutputs : public testing::Test {
 protected:
  InputsAndOutputs() {
    files_.put("in", "x");
    fs::create_directory(files_.file("folder"));
    fs::create_symlink("in", files_.file("symbolic"));
    fs::create_hard_link(files_.file("in"), files_.file("hard"));
    fs::create_symlink("new", files_.file("dangling"));
    fs::create_directory_symlink("folder", files_.file("other"));
  }
  NamedFiles named(const std::string& option, const std::string& file) const {
    return {{option, files_.file(file)}};
  }
  std::string clash(const NamedFiles& inputs, const NamedFiles& outputs) {
    return refusal(files_, [&] { check_apart(inputs, outputs); });
  }
  Scratch files_;
};

TEST_F(InputsAndOutputs, AreToldApartByWhatPathsLeadTo) {
  for (const char* same : {"in", "symbolic", "hard", "./in", "folder/../in", "other/../in"}) {
    EXPECT_EQ(clash(named("norms", "in"), named("--out", same)),
              "--out would overwrite in, a file of norms: give another name")
        << same;
  }
  check_apart(named("norms", "in"), named("--out", "folder/in"));
  check_apart(named("norms", "in"), named("--out", "in2"));
}

TEST_F(InputsAndOutputs, OutputsThatAreNotThereYetAreComparedByName) {
  const auto two = [&](const std::string& a, const std::string& b) {
    return NamedFiles{{"--out", files_.file(a)}, {"--curve", files_.file(b)}};
  };
  const std::pair<const char*, const char*> kSame[] = {{"new", "new"},
                                                       {"new", "folder/../new"},
                                                       {"new", "dangling"},
                                                       {"folder/new", "other/new"},
                                                       {"to/come/new", "to/./come/new"},
                                                       {"in", "hard"}};
  for (const auto& [a, b] : kSame) {
    EXPECT_NE(clash({}, two(a, b)).find("--curve would overwrite"), std::string::npos)
        << a << " " << b;
  }
  check_apart({}, two("new", "folder/new"));
  check_apart({}, two("in", "new"));
  check_apart({}, {{"--out", files_.file("new")}, {"--out", files_.file("new")}});
}

TEST_F(InputsAndOutputs, OfAFolderAreItsFilesOrItsLinks) {
  files_.put("folder/data", "x");
  fs::create_symlink("../in", files_.file("folder/link"));
  NamedFiles files, links, none;
  add_files_in(files, "--mnist", files_.file("other"));
  add_links_in(links, "--out", files_.file("folder"));
  add_files_in(none, "--mnist", files_.file("nowhere"));
  EXPECT_EQ(files.size(), 2u);
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].file.filename(), "link");
  EXPECT_TRUE(none.empty());
}

// Nothing can be lost in a device.
TEST_F(InputsAndOutputs, DevicesAreNoFiles) {
  check_apart({{"--plan", "/dev/null"}}, {{"--out", "/dev/null"}, {"--curve", "/dev/null"}});
}

// What a writer would refuse at the end is refused at the door, before anybody is charged for it.
TEST_F(InputsAndOutputs, WhatNoFileCanTakeTheNameOfIsRefusedAtOnce) {
  fs::create_symlink("nowhere/new", files_.file("astray"));
  fs::create_symlink("in/new", files_.file("below"));
  const auto refused = [&](const std::string& file) {
    return refusal(files_, [&] { check_can_write("--out", file); });
  };
  EXPECT_EQ(refused("/dev/full"), "/dev/full is no regular file: give the name of a file to write");
  for (const char* name : {"astray", "below"}) {
    EXPECT_EQ(refused(files_.file(name)), "--out is '" + std::string(name) +
                                              "': give a name in a folder that you may write to");
  }
  const std::size_t before = files_.files();
  for (const char* name : {"in", "symbolic", "hard", "folder/new"}) {
    check_can_write("--out", files_.file(name));
  }
  EXPECT_EQ(files_.files(), before);
  EXPECT_EQ(contents(files_.file("in")), "x");
}

}  // namespace
}  // namespace ration
