// A command of the program, run with one call of the operating system made to fail (shim.cc) or
// with none, and what it left behind. Everything that it writes is below one folder, `written`.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/file/scratch.h"

namespace ration {

struct Fault {
  long at = 0;  // none
  std::string kind = "io";
};

class FaultyCommand : public testing::Test {
 protected:
  struct Ended {
    int status;
    bool crashed;
    std::string out, err;
    std::vector<std::string> calls;  // "write PATH"
  };
  using Snapshot = std::map<std::string, std::string>;  // contents by path; a folder has none

  FaultyCommand() { std::filesystem::create_directory(written()); }

  std::string written() const {
    return std::filesystem::canonical(files_.file("")).string() + "/written";
  }

  // As the shell takes it, in the folder that `written` is in.
  Ended run(const std::string& line, const Fault& fault = {}) {
    std::filesystem::remove(files_.file("calls"));
    const std::string shell =
        "cd " + files_.file("") + " && OMP_NUM_THREADS=1 LD_PRELOAD=" RATION_FAULTS_SHIM +
        " RATION_FAULT_BELOW=" + written() + " RATION_FAULT_AT=" + std::to_string(fault.at) +
        " RATION_FAULT_KIND=" + fault.kind + " RATION_FAULT_LOG=" + files_.file("calls") + " " +
        line + " >out 2>err </dev/null";
    const int status = std::system(shell.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
    Ended ended = {code, code > 2, contents(files_.file("out")), contents(files_.file("err")), {}};
    std::istringstream calls(contents(files_.file("calls")));
    for (std::string call; std::getline(calls, call);) ended.calls.push_back(call);
    return ended;
  }
  Ended ration(const std::string& arguments, const Fault& fault = {}) {
    return run(RATION_PROGRAM " " + arguments, fault);
  }

  Snapshot snapshot() const {
    Snapshot all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(written())) {
      const std::string name = entry.path().lexically_relative(written());
      all[name] = entry.is_directory() ? "" : contents(entry.path());
    }
    return all;
  }
  // `written` as it was when it was kept under this name.
  void keep(const std::string& name) {
    std::filesystem::copy(written(), files_.file(name), std::filesystem::copy_options::recursive);
  }
  void bring_back(const std::string& name) {
    std::filesystem::remove_all(written());
    std::filesystem::copy(files_.file(name), written(), std::filesystem::copy_options::recursive);
  }

  // All faults of these calls if RATION_FAULTS is all; else some of each kind, evenly spaced.
  static std::vector<Fault> faults(const std::vector<std::string>& calls, std::size_t some) {
    const char* const asked = std::getenv("RATION_FAULTS");
    const bool all = asked != nullptr && std::string(asked) == "all";
    std::vector<Fault> list;
    std::size_t kinds = 0;
    for (const std::string kind : {"io", "full", "cut"}) {
      std::vector<std::size_t> fitting;
      for (std::size_t i = 0; i < calls.size(); ++i) {
        if (kind != "cut" || calls[i].starts_with("write")) fitting.push_back(i + 1);
      }
      const std::size_t count = all ? fitting.size() : std::min(fitting.size(), some);
      for (std::size_t i = 0; i < count; ++i) {
        // Each kind meets other calls.
        const std::size_t at = (i * fitting.size() + kinds * fitting.size() / 3) / count;
        list.push_back({static_cast<long>(fitting[at % fitting.size()]), kind});
      }
      ++kinds;
    }
    return list;
  }

  static std::string in_words(const Fault& fault, const Ended& ended) {
    const auto at = static_cast<std::size_t>(fault.at);
    return fault.kind + " at call " + std::to_string(fault.at) + ", " +
           (at <= ended.calls.size() ? ended.calls[at - 1] : "never made") + "\nexit " +
           std::to_string(ended.status) + "\n" + ended.err;
  }
  // Failed with one sentence, which it says to whom it may concern.
  static void expect_one_sentence(const Ended& ended) {
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
    EXPECT_NE(ended.err.find(": "), std::string::npos);
    EXPECT_EQ(ended.out, "");
  }

  Scratch files_;
};

}  // namespace ration
