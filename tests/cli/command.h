// A command of the program, run in a folder of its own, for tests that see it as its users do.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ration/base/bound.h"
#include "tests/file/scratch.h"

namespace ration {

class CommandTest : public testing::Test {
 protected:
  struct Ended {
    int status;
    std::string out, err;
  };

  explicit CommandTest(std::string command) : command_(std::move(command)) {}

  Ended run(const std::string& arguments) {
    const std::string line = "cd " + files_.file("") + " && " + RATION_PROGRAM + " " + command_ +
                             " " + arguments + " >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), contents(files_.file("out")), contents(files_.file("err"))};
  }

  // A process of its own, which signals reach: a line of a shell that becomes the program.
  pid_t start_line(const std::string& line) {
    const std::string all = "cd " + files_.file("") + " && exec " + line + " >out 2>err </dev/null";
    const pid_t child = fork();
    if (child != 0) return child;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    execl("/bin/sh", "sh", "-c", all.c_str(), static_cast<char*>(nullptr));
    _exit(98);
  }
  pid_t start(const std::string& arguments) {
    return start_line(std::string(RATION_PROGRAM) + " " + command_ + " " + arguments);
  }
  static int ended(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
  static bool goes_on(pid_t child) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != child;
  }
  bool is_there(const std::string& name) { return std::filesystem::exists(files_.file(name)); }
  // A program that ends before it has written the file would be waited for in vain.
  void wait_until_there(const std::string& name, pid_t child) {
    while (!is_there(name)) {
      ASSERT_TRUE(goes_on(child)) << contents(files_.file("err"));
      usleep(1000);
    }
  }

  nlohmann::json answer(const std::string& arguments) {
    const Ended o = run(arguments + " --json");
    EXPECT_EQ(o.status, 0) << o.err;
    for (const std::string& line : lines("err")) {
      EXPECT_TRUE(line.starts_with("ration: warning: ")) << line;
    }
    return nlohmann::json::parse(o.out);
  }
  void expect_refused(const std::string& arguments, const std::string& words, int status = 2) {
    const Ended o = run(arguments);
    EXPECT_EQ(o.status, status) << arguments;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  }
  mode_t mode(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(stat(files_.file(file).c_str(), &status), 0) << file;
    return status.st_mode & 0777;
  }
  std::vector<std::string> lines(const std::string& file) {
    std::istringstream in(contents(files_.file(file)));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

  const std::string command_;
  Scratch files_;
};

inline Bound bound(const nlohmann::json& j) { return {.lower = j["lower"], .upper = j["upper"]}; }

}  // namespace ration
