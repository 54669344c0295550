#include "ration/file/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/file/scratch.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

using Temporary = PrivateFile::Temporary;
constexpr Temporary kBoth[] = {Temporary::unnamed_if_possible, Temporary::named};

void save(const std::string& file, const std::string& text,
          Temporary temporary = Temporary::unnamed_if_possible) {
  PrivateFile out(file, temporary);
  out.write(text);
  out.commit();
}

unsigned mode_of(const std::string& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0);
  return status.st_mode & 07777u;
}

TEST(PrivateFile, IsForItsOwnerOnlyWhateverTheUmaskAndWhateverStoodThere) {
  for (const Temporary temporary : kBoth) {
    for (const mode_t mask : {0u, 022u, 0777u}) {
      const Scratch scratch;
      const std::string wide = scratch.put("wide", "old");
      chmod(wide.c_str(), 0666);
      const mode_t before = umask(mask);
      save(scratch.file("new"), "new", temporary);
      save(wide, "new", temporary);
      umask(before);
      EXPECT_EQ(mode_of(scratch.file("new")), 0600u);
      EXPECT_EQ(mode_of(wide), 0600u);
      EXPECT_EQ(contents(wide), "new");
      EXPECT_EQ(scratch.files(), 2u);
    }
  }
}

TEST(PrivateFile, IsPrivateBeforeItsFirstByte) {
  const Scratch scratch;
  const mode_t before = umask(0);
  const PrivateFile out(scratch.file("f"), Temporary::named);
  umask(before);
  ASSERT_EQ(scratch.files(), 1u);
  for (const auto& entry : std::filesystem::directory_iterator(scratch.file("")))
    EXPECT_EQ(mode_of(entry.path()), 0600u);
}

TEST(PrivateFile, WithoutCommitTheOldFileStaysAndNothingElse) {
  for (const Temporary temporary : kBoth) {
    const Scratch scratch;
    const std::string file = scratch.put("f", "old");
    {
      PrivateFile out(file, temporary);
      out.write(std::string(1 << 20, 'x'));
      EXPECT_EQ(contents(file), "old");
    }
    EXPECT_EQ(contents(file), "old");
    EXPECT_EQ(scratch.files(), 1u);
  }
}

TEST(PrivateFile, AnUnnamedOneIsNowhereToBeSeenUntilItIsCommitted) {
  const Scratch scratch;
  PrivateFile out(scratch.file("f"));
  out.write(std::string(1 << 20, 'x'));
  EXPECT_EQ(scratch.files(), 0u);
  out.commit();
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(PrivateFile, PiecesOfAnySizeComeOutInOrder) {
  const Scratch scratch;
  std::string expected;
  PrivateFile out(scratch.file("f"));
  for (const std::size_t size :
       {1u, 100'000u, 200'000u, 0u, 262'144u, 7u, 262'143u, 1u, 3'000'000u}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    out.write(piece);
    expected += piece;
  }
  out.commit();
  EXPECT_EQ(contents(scratch.file("f")), expected);
}

TEST(PrivateFile, ALinkStaysAndTheFileItMeansIsReplaced) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.file("folder"));
  scratch.put("folder/real", "old");
  std::filesystem::create_symlink("folder/real", scratch.file("second"));
  std::filesystem::create_symlink(scratch.file("second"), scratch.file("first"));
  save(scratch.file("first"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.file("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.file("second")));
  EXPECT_EQ(contents(scratch.file("folder/real")), "new");

  std::filesystem::create_symlink("folder/fresh", scratch.file("dangling"));
  save(scratch.file("dangling"), "new");
  EXPECT_EQ(contents(scratch.file("folder/fresh")), "new");
}

TEST(PrivateFile, RefusesWhatCannotBeReplaced) {
  const Scratch scratch;
  const auto open = [&](const std::string& file) {
    return refusal(scratch, [&] { const PrivateFile out(file); });
  };
  EXPECT_EQ(open(scratch.file("no/such/folder")),
            "cannot write no/such/folder: No such file or directory");
  scratch.put("file", "");
  EXPECT_EQ(open(scratch.file("file/below")), "cannot write file/below: Not a directory");
  std::filesystem::create_directory(scratch.file("sub"));
  EXPECT_EQ(open(scratch.file("sub")), "sub is a folder: give the name of a file to write");
  EXPECT_EQ(open(scratch.file("new/")), "file to write is 'new/': give the name of a file");
  EXPECT_EQ(open(""), "file to write is '': give the name of a file");
  EXPECT_EQ(open("/dev/null"), "/dev/null is no regular file: give the name of a file to write");
  std::filesystem::create_symlink("round", scratch.file("round"));
  EXPECT_EQ(open(scratch.file("round")), "cannot write round: Too many levels of symbolic links");
}

TEST(PrivateFile, RefusesAnotherUsersLink) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  const Scratch scratch;
  scratch.put("mine", "old");
  std::filesystem::create_symlink("mine", scratch.file("theirs"));
  ASSERT_EQ(lchown(scratch.file("theirs").c_str(), 12345, 12345), 0);
  EXPECT_EQ(refusal(scratch, [&] { save(scratch.file("theirs"), "new"); }),
            "theirs is another user's symbolic link: give the name of a file of your own");
  EXPECT_EQ(contents(scratch.file("mine")), "old");
}

TEST(PrivateFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  for (const Temporary temporary : kBoth) {
    const Scratch scratch;
    const std::string file = scratch.put("f", "old");
    const pid_t child = fork();
    if (child == 0) {
      // The limit of a process stands in for a full disk.
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1 << 20, 1 << 20};
      setrlimit(RLIMIT_FSIZE, &limit);
      const std::string text =
          refusal(scratch, [&] { save(file, std::string(2 << 20, 'x'), temporary); });
      _exit(text == "cannot write f: File too large" ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(contents(file), "old");
    EXPECT_EQ(scratch.files(), 1u);
  }
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
