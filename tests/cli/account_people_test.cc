// `ration account` with people who have ids, and with norms as a long table.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "ration/file/npy.h"
#include "ration/train/read_results.h"
#include "tests/cli/command.h"
#include "tests/file/gzipped.h"

namespace ration {
namespace {

using nlohmann::json;

class AccountOfPeople : public CommandTest {
 protected:
  AccountOfPeople() : CommandTest("account") {}

  // Norms of these people over some steps, most of them absent at each: as a matrix, in the order
  // of the ids, and as lines of a table.
  void some_norms(const std::vector<std::string>& ids, std::size_t steps) {
    std::mt19937 random(5);
    std::vector<double> all;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const bool present = i == step % ids.size() || random() % 3 == 0;
        all.push_back(present ? static_cast<double>(random() % 100 + 1) / 64 : 0);
        if (present) {
          rows_.push_back(ids[i] + "," + std::to_string(step) + "," + std::to_string(all.back()));
        }
      }
    }
    write_npy<double>(files_.file("n.npy"), {steps, ids.size()}, all);
    std::string text;
    for (const std::string& id : ids) text += id + "\n";
    files_.put("ids.txt", text);
  }
  std::string table() const {
    std::string text = "person,step,norm\n";
    for (const std::string& row : rows_) text += row + "\n";
    return text;
  }
  void shuffle() {
    std::mt19937 random(6);
    std::shuffle(rows_.begin(), rows_.end(), random);
  }
  std::string out(const std::string& arguments) {
    answer(arguments + " --out o.csv");
    EXPECT_EQ(mode("o.csv"), 0600u);
    return contents(files_.file("o.csv"));
  }

  std::vector<std::string> rows_;
};

const std::string kGaussian = " --noise 10 --delta 1e-5";

TEST_F(AccountOfPeople, AGapBetweenStepsIsWarnedOfUnlessTheirNumberIsGiven) {
  const auto told = [&](const std::string& steps, const std::string& more = "") {
    std::string table = "person,step,norm\n";
    for (const char step : steps) table += std::string("P-1,") + step + ",1\nP-2," + step + ",1\n";
    files_.put("n.csv", table);
    const Ended o = run("n.csv" + kGaussian + more);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.err;
  };
  const std::string warning =
      "ration: warning: n.csv has no row for some step between its first and its last: if rows "
      "were "
      "lost, what they cost is missing; if nobody took part, give --steps\n";
  EXPECT_EQ(told("124"), warning);
  EXPECT_EQ(told("421"), warning);  // in any order
  EXPECT_EQ(told("0125"), warning);
  EXPECT_EQ(told("123"), "");  // counted from 1
  EXPECT_EQ(told("3210"), "");
  EXPECT_EQ(told("7"), "");
  EXPECT_EQ(told("124", " --steps 5"), "");
}

TEST_F(AccountOfPeople, IdsTravelIntoEveryFile) {
  some_norms({"P-17", "\"a,b\"", "Zo\xC3\xAB"}, 30);
  files_.put("g.csv", "person,group\nZo\xC3\xAB,x\nP-17,y\n\"a,b\",x\n");
  const std::string plain = out("n.npy" + kGaussian);
  const std::string named =
      out("n.npy" + kGaussian + " --ids ids.txt --groups g.csv --results r --follow 'a,b'");
  EXPECT_EQ(lines("o.csv")[0], "person,id,epsilon_lower,epsilon_upper");
  EXPECT_TRUE(lines("o.csv")[2].starts_with("1,\"a,b\","));
  // But for the ids it is what it was.
  std::string without = named;
  for (const std::string id : {",id", ",P-17", ",\"a,b\"", ",Zo\xC3\xAB"})
    without.erase(without.find(id), id.size());
  EXPECT_EQ(without, plain);

  const auto results = train::read_results(files_.file("r"), results::Sight::everything);
  EXPECT_EQ(results.individual->ids[1], "a,b");
  EXPECT_EQ(results.individual->groups[1].people, 1u);  // y
  EXPECT_EQ(results.individual->followed[0].person, 1u);
  const std::string report = "cd " + files_.file("") + " && " RATION_PROGRAM " report r --out ";
  ASSERT_EQ(std::system((report + "p.html --person 'a,b' >out 2>err").c_str()), 0);
  EXPECT_NE(contents(files_.file("p.html")).find("Person <b>a,b</b> has spent"), std::string::npos);
  EXPECT_NE(std::system((report + "q.html --person secret >out 2>err").c_str()), 0);
  EXPECT_EQ(contents(files_.file("err")),
            "ration: --person is nobody's id: give an id that the data have\n");
  ASSERT_EQ(std::system((report + "q.html --public >out 2>err").c_str()), 0);
  for (const std::string id : {"P-17", "Zo\xC3\xAB", "\"a,b\""}) {
    EXPECT_EQ(contents(files_.file("q.html")).find(id), std::string::npos);
  }

  answer("n.npy" + kGaussian + " --ids ids.txt --curve c.csv --person P-17");
  const std::string curve = contents(files_.file("c.csv"));
  answer("n.npy" + kGaussian + " --curve c.csv --person 0");
  EXPECT_EQ(contents(files_.file("c.csv")), curve);
}

TEST_F(AccountOfPeople, IdsThatDoNotFitAreRefused) {
  some_norms({"a", "b", "c"}, 5);
  const std::string account = "n.npy" + kGaussian;
  files_.put("twice.txt", "secret\nb\nsecret\n");
  expect_refused(account + " --ids twice.txt", "twice.txt has the same id in lines 1 and 3");
  files_.put("few.txt", "a\nb\n");
  expect_refused(account + " --ids few.txt",
                 "--ids is a file of 2 ids: give one for each of the 3");
  expect_refused(account + " --ids ids.txt --id x", "ids.txt has no column 'x'");
  expect_refused(account + " --id x", "--id belongs to --ids");
  expect_refused(account + " --ids ids.txt --out o.npy", "NPY has no place for ids");
  expect_refused(account + " --ids ids.txt --out ids.txt", "--ids");
  expect_refused(account + " --steps 5", "--steps belongs to norms as a table");
  files_.put("g.csv", "id,group\na,x\na,y\nc,x\n");
  expect_refused(account + " --ids ids.txt --groups g.csv", "g.csv line 3 is of somebody who had");
  files_.put("g.csv", "id,group\na,x\nsecret,y\nc,x\n");
  expect_refused(account + " --ids ids.txt --groups g.csv", "g.csv line 3 is of an id that nobody");
}

TEST_F(AccountOfPeople, ATableSaysWhatTheMatrixSays) {
  some_norms({"1", "2", "10", "11"}, 40);
  files_.put("g.txt", "x\ny\nx\ny\n");
  files_.put("g.csv", "person,group\n11,y\n10,x\n2,y\n1,x\n");
  for (const std::string how :
       {" --noise 10 --delta 1e-5", " --noise 10 --delta 1e-5 --filter gdp --budget-steps 9",
        " --noise 2 --rate 0.1 --delta 1e-5",
        " --noise 2 --rate 0.1 --delta 1e-5 --filter rdp --budget-steps 9"}) {
    const json expected = answer("n.npy" + how + " --groups g.txt");
    const std::string matrix = out("n.npy" + how + " --ids ids.txt");
    for (int order = 0; order < 2; ++order) {
      files_.put("n.csv", table());
      files_.put("n.csv.gz", gzipped(table()));
      EXPECT_EQ(out("n.csv" + how), matrix) << how;
      EXPECT_EQ(out("n.csv.gz" + how), matrix) << how;
      EXPECT_EQ(out("n.csv --steps 40 --ids ids.txt" + how), matrix) << how;
      EXPECT_EQ(answer("n.csv --groups g.csv" + how), expected) << how;
      shuffle();
    }
  }
}

TEST_F(AccountOfPeople, ATableComesThroughAPipe) {
  some_norms({"a", "b"}, 20);
  const std::string matrix = out("n.npy --ids ids.txt" + kGaussian);
  files_.put("n.csv", table());
  files_.put("n.gz", gzipped(table()));
  for (const std::string file : {"n.csv", "n.gz"}) {
    const std::string line = "cd " + files_.file("") + " && cat " + file +
                             " | " RATION_PROGRAM " account -" + kGaussian +
                             " --out p.csv >out 2>err";
    ASSERT_EQ(std::system(line.c_str()), 0) << contents(files_.file("err"));
    EXPECT_EQ(contents(files_.file("p.csv")), matrix);
  }
  expect_refused("-" + kGaussian, "standard input is empty: give a CSV table with the columns");
}

TEST_F(AccountOfPeople, FollowsPeopleOfATable) {
  some_norms({"a", "b", "c"}, 30);
  files_.put("n.csv", table());
  const std::string how = kGaussian + " --filter gdp --budget-steps 7 --follow c";
  answer("n.npy --ids ids.txt --results m" + how);
  answer("n.csv --results t" + how);
  for (const std::string file : {"epsilons.csv", "private.csv", "followed.csv"}) {
    EXPECT_EQ(contents(files_.file("m/" + file)), contents(files_.file("t/" + file))) << file;
  }
}

// Two records of half the clip bound at one step are one contribution of at most the clip bound:
// dearer than two steps of half.
TEST_F(AccountOfPeople, RecordsOfOneStepCountTogether) {
  files_.put("together.csv", "person,step,norm\na,0,0.5\na,0,0.5\n");
  files_.put("once.csv", "person,step,norm\na,0,1\n");
  files_.put("apart.csv", "person,step,norm\na,0,0.5\na,1,0.5\n");
  const auto most = [&](const std::string& file) {
    return bound(answer(file + kGaussian)["quantiles"]["1"]).upper;
  };
  EXPECT_GE(most("together.csv"), most("once.csv"));
  EXPECT_LT(most("together.csv"), 1.000001 * most("once.csv"));
  EXPECT_LT(most("apart.csv"), 0.9 * most("together.csv"));
}

TEST_F(AccountOfPeople, ThePlanSaysHowManyStepsATableHas) {
  files_.put("n.csv", "person,step,norm\na,0,1\nb,9,1\n");
  files_.put("plan.csv", "noise,rate,steps\n5,1,5\n10,1,5\n");
  EXPECT_EQ(answer("n.csv --noise 5 --delta 1e-5")["steps"], 2);
  EXPECT_EQ(answer("n.csv --noise 5 --delta 1e-5 --steps 10")["steps"], 10);
  answer("n.csv --plan plan.csv --delta 1e-5 --out o.csv");
  // The last step is one of those with twice the noise.
  const std::string dear = lines("o.csv")[1], cheap = lines("o.csv")[2];
  EXPECT_GT(std::stod(dear.substr(dear.rfind(',') + 1)),
            1.9 * std::stod(cheap.substr(cheap.rfind(',') + 1)));
  expect_refused("n.csv --noise 5 --delta 1e-5 --steps 9",
                 "n.csv line 3 column 'step' is a step beyond the last: give numbers from 0 to 8");
  expect_refused("n.csv --plan plan.csv --delta 1e-5 --steps 10", "--plan is given together with");
}

TEST_F(AccountOfPeople, ATableThatIsNoneIsRefused) {
  files_.put("n.csv", "a,b\n1,2\n");
  expect_refused("n.csv" + kGaussian, "n.csv has no column 'person'");
  files_.put("n.csv", "patient,step,norm\nsecret,0,-1\n");
  expect_refused("n.csv --id patient" + kGaussian,
                 "n.csv line 2 column 'norm' is not a norm: give a finite number");
  files_.put("n.csv", "person,step,norm\na,0,1\n");
  files_.put("g.txt", "x\n");
  expect_refused("n.csv --groups g.txt" + kGaussian, "g.txt is without ids: give a CSV file with");
  expect_refused("n.csv --out o.npy" + kGaussian, "NPY has no place for ids");
}

}  // namespace
}  // namespace ration
