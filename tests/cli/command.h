// A command of the program, run in a folder of its own, for tests that see it as its users do.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
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
