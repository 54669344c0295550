// A small run as the program writes it, for tests that read its directory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ration/train/read_results.h"
#include "tests/cli/command.h"
#include "tests/cli/small_config.h"

namespace ration::results {

using json = nlohmann::ordered_json;

inline constexpr const char* kFiltered = " --clip 0.05 --set filter.after_epochs=2";
inline constexpr const char* kSampled =
    " --set privacy.mode=sgd --set privacy.rate=0.25 --set privacy.refresh=3";

inline constexpr const char* kFollow = " --set run.follow=[3,17]";

inline const std::vector<std::string> kFiles = {"summary.json", "settings.toml", "epochs.csv",
                                                "private.csv",  "epsilons.csv",  "followed.csv"};

class ResultsOfRuns : public CommandTest {
 protected:
  ResultsOfRuns() : CommandTest("train") { files_.put("small.toml", small_config()); }

  std::string trained(const std::string& options) {
    const Ended o = run("small.toml --out r" + options);
    EXPECT_EQ(o.status, 0) << o.err;
    return files_.file("r");
  }
  json summary() { return json::parse(contents(files_.file("r/summary.json"))); }
  std::string read_refusal(Sight sight = Sight::everything) {
    return refusal(files_, [&] { train::read_results(files_.file("r"), sight); });
  }
  void expect_read_refused(const std::string& words) {
    EXPECT_NE(read_refusal().find(words), std::string::npos) << read_refusal();
  }
};

}  // namespace ration::results
