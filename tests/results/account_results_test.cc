// Directories of `ration account --results`, read back; and damaged ones, refused.

#include <gtest/gtest.h>

#include <filesystem>

#include "ration/file/npy.h"
#include "ration/train/read_results.h"
#include "tests/cli/command.h"

namespace ration::results {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

class ResultsOfAccounts : public CommandTest {
 protected:
  // Norms of 12 people over 40 steps, the first of whom have the largest.
  ResultsOfAccounts() : CommandTest("account") {
    std::vector<float> norms;
    for (std::size_t i = 0; i < 40 * 12; ++i) {
      norms.push_back(2.0F / static_cast<float>(1 + i % 12) + 0.01F * static_cast<float>(i % 7));
    }
    write_npy<float>(files_.file("n.npy"), {40, 12}, norms);
    files_.put("g.csv", "group\na\nb\nb\na\nb\nb\na\nb\nb\na\nb\nb\n");
  }

  Results accounted(const std::string& options) {
    fs::remove_all(files_.file("a"));
    const Ended o = run("n.npy --noise 20 --delta 1e-5 --results a" + options);
    EXPECT_EQ(o.status, 0) << o.err;
    return train::read_results(files_.file("a"), Sight::everything);
  }
};

TEST_F(ResultsOfAccounts, HoldWhatTheCommandPrints) {
  const json j = json::parse(
      run("n.npy --noise 20 --delta 1e-5 --filter gdp --budget-steps 30 --groups g.csv --json")
          .out);
  const Results results =
      accounted(" --filter gdp --budget-steps 30 --groups g.csv --follow 0 --follow 5");
  EXPECT_EQ(results.kind, Results::Kind::account);
  EXPECT_TRUE(results.gaussian);
  EXPECT_EQ(results.data, "n.npy");
  EXPECT_EQ(results.people, 12u);
  EXPECT_EQ(results.steps, 40u);
  EXPECT_EQ(*results.epsilon, bound(j["worst_case"]));
  EXPECT_EQ(*results.budget, bound(j["filter"]["budget"]["epsilon"]));
  EXPECT_GT(results.worst_case->lower, results.budget->upper);
  EXPECT_EQ(results.guarantee->theorem, j["filter"]["guarantee"]["theorem"]);
  EXPECT_EQ(results.groups, (std::vector<std::string>{"a", "b"}));
  const IndividualResults& individual = *results.individual;
  EXPECT_EQ(individual.quantiles[3], bound(j["quantiles"]["0.5"]));
  EXPECT_EQ(individual.groups[0].people, 4u);
  ASSERT_EQ(individual.followed.size(), 2u);
  for (const FollowedPerson& followed : individual.followed) {
    ASSERT_EQ(followed.points.size(), 40u);
    EXPECT_EQ(followed.points.back().epsilon, individual.epsilons[followed.person]);
    EXPECT_EQ(followed.points.back().admitted, individual.attendance[followed.person].admitted);
  }
  EXPECT_EQ(individual.attendance[0].admitted, 30u);
  EXPECT_EQ(results.settings,
            "norms = \"n.npy\"\nclip = 1\ndelta = 1e-05\nfilter = \"gdp\"\n\n"
            "[[plan]]\nnoise = 20\nrate = 1\nsteps = 40\n");
}

TEST_F(ResultsOfAccounts, CountWhoTakesPartAtEachStepAsTheirOwnCountsSay) {
  const Results results = accounted(" --filter gdp --budget-steps 20 --groups g.csv");
  ASSERT_EQ(results.moments.size(), 40u);
  std::vector<std::uint64_t> active(3);
  for (const ResultsMoment& moment : results.moments) {
    for (std::size_t g = 0; g < 3; ++g) active[g] += moment.active[g];
  }
  std::vector<std::uint64_t> admitted(3);
  for (std::size_t i = 0; i < 12; ++i) {
    admitted[0] += results.individual->attendance[i].admitted;
    admitted[i % 3 == 0 ? 1 : 2] += results.individual->attendance[i].admitted;
  }
  EXPECT_EQ(active, admitted);
  EXPECT_LT(admitted[0], 12u * 40);
}

TEST_F(ResultsOfAccounts, WithoutAFilterOrWithSamplingAreWholeAsWell) {
  const Results plain = accounted(" --follow 3");
  EXPECT_FALSE(plain.budget);
  EXPECT_TRUE(plain.moments.empty());
  EXPECT_EQ(plain.individual->followed[0].points.back().admitted, 40u);
  for (const std::string method : {"pld", "rdp", "blackwell"}) {
    const Results sampled = accounted(" --rate 0.5 --follow 3 --method " + method);
    EXPECT_FALSE(sampled.gaussian);
    EXPECT_EQ(sampled.individual->method, method);
    EXPECT_EQ(sampled.individual->followed[0].points.size(), 40u);
  }
  files_.put("p.csv", "noise,rate,steps\n20,1,10\n20,0.5,30\n");
  EXPECT_EQ(run("n.npy --plan p.csv --delta 1e-5 --results m --follow 1").status, 0);
  EXPECT_FALSE(train::read_results(files_.file("m"), Sight::everything).gaussian);
}

TEST_F(ResultsOfAccounts, ByAnApproximationPromiseWhatAFilterProvesOrNothing) {
  const Results alone = accounted(" --rate 0.5 --method blackwell");
  EXPECT_FALSE(alone.guarantee->certified);
  EXPECT_FALSE(alone.worst_case_proved);
  // A budget for more than all steps: the approximated worst case is below it, and proves nothing.
  const Results filtered =
      accounted(" --rate 0.5 --method blackwell --filter rdp --budget-steps 80");
  EXPECT_TRUE(filtered.guarantee->certified);
  EXPECT_FALSE(filtered.worst_case_proved);
  EXPECT_GT(filtered.budget->upper, filtered.worst_case->upper);
  EXPECT_EQ(*filtered.epsilon, *filtered.budget);
  EXPECT_TRUE(accounted(" --rate 0.5 --method pld").worst_case_proved);
}

TEST_F(ResultsOfAccounts, ThePublicPartHasNoGroupsAndNeedsNoOtherFile) {
  const Results all = accounted(" --filter gdp --budget-steps 30 --groups g.csv");
  for (const char* name : {"private.csv", "epsilons.csv"}) fs::remove(files_.file("a/") + name);
  const Results shown = train::read_results(files_.file("a"), Sight::public_only);
  EXPECT_FALSE(shown.individual);
  EXPECT_TRUE(shown.groups.empty() && shown.moments.empty());
  EXPECT_EQ(*shown.epsilon, *all.epsilon);
}

TEST_F(ResultsOfAccounts, CutOffAnywhereAreRefusedByTheNameOfTheFile) {
  accounted(" --filter gdp --budget-steps 30 --groups g.csv --follow 0 --follow 5");
  for (const std::string name : {"summary.json", "private.csv", "epsilons.csv", "followed.csv"}) {
    const std::string text = contents(files_.file("a/" + name));
    for (std::size_t k = 1; k < text.size(); k += 1 + text.size() / 97) {
      files_.put("a/" + name, text.substr(0, text.size() - k));
      const std::string refused =
          refusal(files_, [&] { train::read_results(files_.file("a"), Sight::everything); });
      EXPECT_EQ(refused.find("a/" + name), 0u) << k << " " << refused;
    }
    files_.put("a/" + name, text);
  }
}

}  // namespace
}  // namespace ration::results
