#include "ration/file/public_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/file/scratch.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const std::string& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0);
  return status.st_mode & 07777u;
}

TEST(PublicFile, IsForWhomTheUmaskLets) {
  for (const mode_t mask : {0u, 022u, 027u}) {
    const Scratch scratch;
    scratch.put("old", "old");
    const mode_t before = umask(mask);
    write_public(scratch.file("new"), "new");
    write_public(scratch.file("old"), "new");
    umask(before);
    EXPECT_EQ(mode_of(scratch.file("new")), 0666u & ~mask);
    EXPECT_EQ(mode_of(scratch.file("old")), 0666u & ~mask);
    EXPECT_EQ(contents(scratch.file("old")), "new");
    EXPECT_EQ(scratch.files(), 2u);
  }
}

TEST(PublicFile, RefusesWhatIsNoFileAndLeavesNothingBeside) {
  const Scratch scratch;
  const auto refused = [&](const std::string& name) {
    return refusal(scratch, [&] { write_public(scratch.file(name), "new"); });
  };
  fs::create_directory(scratch.file("sub"));
  EXPECT_EQ(refused("sub"), "sub is a folder: give the name of a file to write");
  ASSERT_EQ(mkfifo(scratch.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused("pipe"), "pipe is no regular file: give the name of a file to write");
  EXPECT_TRUE(fs::is_fifo(scratch.file("pipe")));
  EXPECT_EQ(refused("no/folder"), "cannot write no/folder: No such file or directory");
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(PublicFile, FollowsOnlyLinksThatWereMeant) {
  const Scratch scratch;
  scratch.put("precious", "old");
  fs::create_symlink("precious", scratch.file(".page.html.part"));
  write_public(scratch.file("page.html"), "new");
  EXPECT_EQ(contents(scratch.file("precious")), "old");
  EXPECT_TRUE(fs::is_symlink(scratch.file(".page.html.part")));

  fs::create_symlink("page.html", scratch.file("link.html"));
  write_public(scratch.file("link.html"), "newer");
  EXPECT_TRUE(fs::is_symlink(scratch.file("link.html")));
  EXPECT_EQ(contents(scratch.file("page.html")), "newer");
}

}  // namespace
}  // namespace ration
