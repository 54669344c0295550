// Ids from a CSV file to the results and back, and where they must not show.

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "ration/dataset/load_dataset.h"
#include "ration/report/page.h"
#include "ration/train/logbook.h"
#include "ration/train/read_results.h"
#include "ration/train/run.h"
#include "ration/train/warnings.h"
#include "tests/file/scratch.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

constexpr const char* kSettings = R"([data]
source = "csv"
labels = ["outcome"]
id = "patient"
test_fraction = 0.2
[groups]
by = "column"
column = "ward"
[optimiser]
rate = 0.1
[privacy]
mode = "gd"
noise = 10
clip = 0.5
delta = 1e-5
[filter]
after_epochs = 2
[run]
epochs = 4
checkpoint_seconds = 0
)";

// Ids that CSV has to quote, and HTML to escape; `rows` of each person.
std::string id_of(int person) {
  return person % 3 == 0 ? "<b>\"" + std::to_string(person) + "\", x"
                         : "secret-" + std::to_string(person);
}
std::string quoted(const std::string& id) {
  std::string text = "\"";
  for (const char c : id) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}
std::string patients(int people, int rows) {
  std::string text = "patient,x,z,outcome,ward\n";
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < people; ++i) {
      const int ill = (i * 7 + row) % 3 == 0 ? 1 : 0;
      text += quoted(id_of(i)) + "," + std::to_string(i % 10 + 3 * ill) + "." +
              std::to_string(row) + "," + std::to_string(i % 4) + (ill == 1 ? ",ill" : ",well") +
              (i % 2 == 0 ? ",east\n" : ",west\n");
    }
  }
  return text;
}

class IdsOfARun : public testing::Test {
 protected:
  static constexpr int kPeople = 60;

  Settings settings(const std::string& out, std::vector<std::string> overrides = {}) const {
    overrides.push_back("data.train=\"" + files_.file("p.csv") + "\"");
    Settings all = parse_settings(kSettings, "test", overrides);
    all.out = files_.file(out);
    return all;
  }
  static Dataset data_of(const Settings& settings) {
    return load_dataset(settings.data.source, settings.data.options);
  }
  results::Results read(const std::string& out) const {
    return train::read_results(files_.file(out), results::Sight::everything);
  }

  Scratch files_;
};

TEST_F(IdsOfARun, ComeBackFromItsResultsInTheOrderOfAccounts) {
  files_.put("p.csv", patients(kPeople, 1));
  const Settings all = settings("r", {"run.follow=[\"" + std::string("secret-5") + "\"]"});
  const Dataset data = data_of(all);
  train(all, data, Start::fresh);
  const results::Results read_back = read("r");
  ASSERT_EQ(read_back.individual->ids, data.train.ids);
  EXPECT_EQ(read_back.people, 48u);
  const std::string file = contents(files_.file("r/epsilons.csv"));
  EXPECT_EQ(file.substr(0, file.find('\n')),
            "person,id,epsilon_lower,epsilon_upper,admitted,left_out,first_left_out");
  // Who is followed is found by their id.
  ASSERT_EQ(read_back.individual->followed.size(), 1u);
  EXPECT_EQ(data.train.ids[read_back.individual->followed[0].person], "secret-5");
  EXPECT_EQ(read_back.individual->followed[0].points.size(), 4u);
}

TEST_F(IdsOfARun, ShowOnNoPageAndInNoFileForEverybody) {
  files_.put("p.csv", patients(kPeople, 1));
  const Settings all = settings("r");
  train(all, data_of(all), Start::fresh);
  const results::Results all_of_it = read("r");
  const std::string shown =
      report::report_page(train::read_results(files_.file("r"), results::Sight::public_only),
                          {.for_the_public = true, .date = "2025-01-01"});
  for (const std::string& text :
       {shown, contents(files_.file("r/epochs.csv")), contents(files_.file("r/settings.toml")),
        contents(files_.file("r/summary.json")), contents(files_.file("r/private.csv"))}) {
    EXPECT_EQ(text.find("secret-"), std::string::npos);
    EXPECT_EQ(text.find("\", x"), std::string::npos);
  }
  // The owner's page names the person it was asked for, as text and not as markup.
  for (std::size_t i = 0; i < all_of_it.people; ++i) {
    if (all_of_it.individual->ids[i] != id_of(3)) continue;
    const std::string page = report::report_page(all_of_it, {.person = i, .date = "2025-01-01"});
    EXPECT_NE(page.find("Person <b>&lt;b&gt;&quot;3&quot;, x</b> has spent"), std::string::npos);
  }
}

TEST_F(IdsOfARun, WhoIsNotTrainedOnCannotBeFollowed) {
  files_.put("p.csv", patients(kPeople, 1));
  const Settings all = settings("r", {"run.follow=[\"secret-5\", \"nobody\"]"});
  EXPECT_EQ(refusal([&] { train(all, data_of(all), Start::fresh); }),
            "run.follow is at entry 1 (from 0) nobody's id: give ids of people who are trained on");
}

TEST_F(IdsOfARun, DamagedOnesAreRefused) {
  files_.put("p.csv", patients(kPeople, 1));
  const Settings all = settings("r");
  train(all, data_of(all), Start::fresh);
  const std::string whole = contents(files_.file("r/epsilons.csv"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    files_.put("r/epsilons.csv", text);
    return refusal([&] { read("r"); });
  };
  EXPECT_NE(with("secret-5,", "secret-7,").find("or several people"), std::string::npos);
  EXPECT_NE(with("secret-5,", ",").find("of ids that nobody has"), std::string::npos);
  EXPECT_NE(with("secret-5,", "\"secret-5\",").find("without a text"), std::string::npos);
  EXPECT_NE(with("secret-5,", "\"secret-5,").find("without a text"), std::string::npos);
  EXPECT_EQ(with("secret-5,", "secret-5,"), "accepted");
}

TEST_F(IdsOfARun, OtherIdsAreOtherPeople) {
  files_.put("p.csv", patients(kPeople, 1));
  const Settings all = settings("r");
  const Dataset data = data_of(all);
  Dataset exchanged = data;
  std::swap(exchanged.train.ids[0], exchanged.train.ids[1]);
  EXPECT_NE(checksum_of(data.train), checksum_of(exchanged.train));
  Dataset none = data;
  none.train.ids.clear();
  EXPECT_NE(checksum_of(data.train), checksum_of(none.train));
  EXPECT_THROW(train(all, data, Start::fresh,
                     {.on_progress = [](const RunProgress&) { throw std::runtime_error("x"); }}),
               std::runtime_error);
  EXPECT_NE(refusal([&] { train(all, exchanged, Start::resumed); }).find("is of other people"),
            std::string::npos);
}

// Killed after a step whose checkpoint is on the disk, and resumed: nothing was lost, and nothing
// is paid for twice. Noise follows from the seed of a test run.
TEST_F(IdsOfARun, AndRecordsAreTheSameBytesAfterAKill) {
  files_.put("p.csv", patients(kPeople, 3));
  for (const bool sampled : {false, true}) {
    std::vector<std::string> overrides = {"data.records=together", "run.test_seed=3",
                                          "run.follow=[\"secret-5\"]"};
    if (sampled) {
      overrides.insert(overrides.end(), {"privacy.mode=sgd", "privacy.rate=0.25",
                                         "privacy.refresh=3", "filter.after_epochs=2"});
    }
    const std::string whole = sampled ? "sw" : "w", killed = sampled ? "sk" : "k";
    train(settings(whole, overrides), data_of(settings(whole, overrides)), Start::fresh);
    const Settings all = settings(killed, overrides);
    const Dataset data = data_of(all);
    ASSERT_EQ(data.train.count(), 48u);
    ASSERT_EQ(data.train.records(), 144u);
    EXPECT_THROW(train(all, data, Start::fresh,
                       {.on_progress =
                            [](const RunProgress& at) {
                              if (at.step == 2) throw std::runtime_error("killed");
                            }}),
                 std::runtime_error);
    train(all, data, Start::resumed);
    for (const char* file : {"epsilons.not-private.csv", "model.not-private.npz",
                             "followed.not-private.csv", "private.not-private.csv"}) {
      EXPECT_EQ(contents(files_.file(whole + "/" + file)),
                contents(files_.file(killed + "/" + file)))
          << file;
    }
    const results::Results read_back = read(killed);
    EXPECT_EQ(read_back.individual->ids, data.train.ids);
    EXPECT_EQ(read_back.people, 48u);
    EXPECT_TRUE(read_back.together);
  }
}

TEST_F(IdsOfARun, RecordsThatCountTogetherAreSaidOnThePageAndInTheSummary) {
  files_.put("p.csv", patients(kPeople, 2));
  const Settings all = settings("r", {"data.records=together"});
  train(all, data_of(all), Start::fresh);
  const std::string page =
      report::report_page(train::read_results(files_.file("r"), results::Sight::public_only),
                          {.for_the_public = true, .date = "2025-01-01"});
  EXPECT_NE(page.find("all records of a person count together"), std::string::npos);
  EXPECT_NE(contents(files_.file("r/summary.json")).find("\"records\": \"together\""),
            std::string::npos);
  EXPECT_EQ(refusal([&] { settings("r", {"data.records=apart"}); }),
            "data.records is 'apart': give one or together");
}

TEST_F(IdsOfARun, WithThemNoRowIsTakenForAPersonUnasked) {
  files_.put("p.csv", patients(kPeople, 2));
  const Settings all = settings("r");
  EXPECT_NE(refusal([&] { data_of(all); }).find(" are of one person: give each person one row"),
            std::string::npos);
  files_.put("p.csv", patients(kPeople, 1));
  for (const std::string& warning : warnings_before(all, data_of(all).train))
    EXPECT_EQ(warning.find("one row per person"), std::string::npos);
}

}  // namespace
}  // namespace ration::train
