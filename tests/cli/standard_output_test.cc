// What is printed arrives, or the program ends with status 1 and says so: on a full disk, with a
// reader who has left, with no standard output at all.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "tests/cli/small_config.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

class StandardOutput : public testing::Test {
 protected:
  StandardOutput() {
    // Without test people there is nothing to warn of.
    files_.put("small.toml", small_config({.test_people = 0}));
    system("train small.toml --out run --epochs 1 >/dev/null");
  }

  int system(const std::string& line) {
    const std::string shell =
        "cd " + files_.file("") + " && " RATION_PROGRAM " " + line + " 2>err </dev/null";
    const int status = std::system(shell.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }
  std::string error() { return contents(files_.file("err")); }

  void expect_told(int status, const std::string& why) {
    EXPECT_EQ(status, 1);
    EXPECT_EQ(error(), "ration: cannot write to standard output: " + why + "\n");
  }

  // Into a pipe that nobody reads from any more.
  int run_into_nothing(const std::string& line, void (*pipe_signal)(int)) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    close(ends[0]);
    const std::string shell =
        "cd " + files_.file("") + " && exec " RATION_PROGRAM " " + line + " 2>err </dev/null";
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGPIPE, pipe_signal);
      dup2(ends[1], STDOUT_FILENO);
      execl("/bin/sh", "sh", "-c", shell.c_str(), static_cast<char*>(nullptr));
      _exit(99);
    }
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }

  const std::vector<std::string> all_ = {
      "--help",
      "--version",
      "account --help",
      "convert --mu 1 --delta 1e-5",
      "compose --noise 2 --steps 10 --delta 1e-5",
      "compose --noise 2 --steps 10 --delta 1e-5 --json",
      "calibrate --solve steps --noise 100 --epsilon 0.8 --delta 1e-5",
      "train small.toml --dry-run",
      "train --resume --out run",
      "train --resume --out run --json",
      "report run --out page.html",
      "reproduce gdp-vs-rdp --quick --out paper",
      "completion bash",
      "completion zsh",
      "completion fish",
      "manual"};
  Scratch files_;
};

TEST_F(StandardOutput, ThatIsFullIsTold) {
  for (const std::string& line : all_) {
    SCOPED_TRACE(line);
    expect_told(system(line + " >/dev/full"), "No space left on device");
  }
  EXPECT_EQ(system("report run --out page.html >/dev/full"), 1);
  EXPECT_NE(contents(files_.file("page.html")), "") << "what could be written is there";
}

TEST_F(StandardOutput, ThatNobodyReadsIsTold) {
  for (const std::string& line : all_) {
    for (const auto pipe_signal : {SIG_DFL, SIG_IGN}) {
      SCOPED_TRACE(line);
      expect_told(run_into_nothing(line, pipe_signal), "Broken pipe");
    }
  }
}

TEST_F(StandardOutput, ThatIsClosedIsToldAndTakesNoFilesPlace) {
  for (const std::string& line : all_) {
    SCOPED_TRACE(line);
    expect_told(system(line + " >&-"), "Bad file descriptor");
  }
  const std::string curve = "compose --noise 2 --steps 10 --delta 1e-5 --curve ";
  ASSERT_EQ(system(curve + "a.csv >/dev/null"), 0);
  EXPECT_EQ(system(curve + "b.csv <&- >&-"), 1);
  EXPECT_EQ(contents(files_.file("b.csv")), contents(files_.file("a.csv")));
}

TEST_F(StandardOutput, OfAWrongInputIsNotMissed) {
  for (const char* out : {" >/dev/full", " >&-"}) {
    EXPECT_EQ(system(std::string("convert --mu 1") + out), 2);
    EXPECT_EQ(error().find("standard output"), std::string::npos);
  }
}

// A sentence that nobody can see is no reason to crash.
TEST_F(StandardOutput, WithoutStandardErrorTheStatusIsTheSame) {
  const auto status = [&](const std::string& line) {
    const int ended = std::system((RATION_PROGRAM " " + line).c_str());
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 255;
  };
  for (const char* err : {" 2>/dev/full", " 2>&-"}) {
    EXPECT_EQ(status(std::string("convert --mu 1") + err), 2);
    EXPECT_EQ(status(std::string("convert --wrong") + err), 2);
    EXPECT_EQ(status(std::string("manual >/dev/full") + err), 1);
  }
}

}  // namespace
}  // namespace ration
