// What a directory of results says, as plain data, whoever made it: `ration train`, or
// `ration account --results`. What is written (account_writer.h, run_records.h, summary_json.h) is
// read back equal (reader.h). docs/report.md
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/books.h"
#include "ration/individual/quantiles.h"

namespace ration::results {

// At the end of an epoch of a run, or at some of the steps of an account. The first of each list is
// of everybody, the others are of the groups, in the order of Results::groups. A list is empty
// where its values were not recorded.
struct ResultsMoment {
  std::uint64_t epoch, steps;          // an account counts steps alone: epoch is 0
  std::optional<double> epsilon = {};  // promised by then; infinite without privacy
  std::vector<std::optional<double>> test_loss = {}, test_score = {};  // none: no finite number
  // Private. A group without people has no mean: not a number.
  std::vector<double> train_loss = {}, mean_epsilon = {};
  std::vector<std::uint64_t> active = {};
};

// A person whose account was followed over time, because somebody asked for it. Private.
struct FollowedPerson {
  struct Point {
    std::uint64_t steps;
    Bound epsilon;
    std::uint64_t admitted;  // steps so far in which they were not held back
  };
  std::size_t person;
  std::vector<Point> points;
};

// All that is private in results, about single people or about who took part.
struct IndividualResults {
  std::string method;
  Guarantee guarantee;
  std::vector<std::string> ids = {};           // per person; empty if they have none
  std::vector<Bound> epsilons;                 // per person
  std::vector<Attendance::Person> attendance;  // per person; empty without a filter
  Quantiles quantiles;
  std::vector<GroupQuantiles> groups = {};
  std::vector<FollowedPerson> followed = {};
  std::size_t wide = 0;                    // people whose bounds hold, but are not sharp
  std::vector<std::string> warnings = {};  // that tell of people
};

// How results came about; empty where it was not recorded. Checksums are BLAKE2b of 32 bytes in
// hexadecimal digits.
struct Provenance {
  std::string version = {}, started = {};  // of Ration; when, in UTC
  std::string model = {};                  // checksum of model.npz
  // Of the people trained on. Private: it says whether a guess of all of the data is right.
  std::string data = {};
  // Of what took its budgets from a ledger: the token of its grant, and the ledger's heads when it
  // was taken and when it was settled. Without the last it is not settled, and counts as spent.
  std::string ledger_token = {}, ledger_head_at_grant = {}, ledger_head = {};
};

// What an account was made from; a run has settings instead.
struct AccountedPlan {
  struct Entry {
    Noise noise;
    Rate rate;
    std::uint64_t steps;

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  Clip clip;
  std::vector<Entry> entries;
};

struct Results {
  enum class Kind { run, account };
  Kind kind;
  bool test_run = false;  // made with a seed: not private at all
  bool gaussian = false;  // everybody took part in every step: the guarantee is one of Gaussian DP
  std::string data;       // what it was made from, in words
  std::size_t people;
  bool together = false;  // people may have several records, which count together
  std::uint64_t steps, charged_steps;
  std::optional<Delta> delta = {};  // none of these without privacy
  std::optional<Bound> epsilon = {}, worst_case = {}, budget = {};
  std::optional<Guarantee> guarantee = {};  // of epsilon
  std::string filter = {};          // its kind; empty without one, and where it was not recorded
  bool worst_case_proved = true;    // else it is an approximation
  std::string score_name;           // "accuracy", "macro AUC"; empty if nothing was tested
  std::vector<std::string> groups;  // labels
  struct Test {
    std::optional<double> loss, score;  // none: no finite number
    bool by_accuracy = true;            // else the score is the mean area under the ROC curve
    // How often the label that most of them have would be right, if each has one. Private.
    std::optional<double> majority = {};
  };
  std::optional<Test> test = {};  // of everybody who was tested with, at the end
  // Of groups, by label: how many were tested with, as far as that was recorded.
  std::map<std::string, std::uint64_t> test_people = {};
  std::vector<ResultsMoment> moments;
  std::string settings;             // TOML; of a run as they were used. May say who was followed
  std::string shown_settings = {};  // the same without that
  std::string settings_json = {};   // of a run: all that are in force, as they stand in its summary
  Provenance made = {};
  std::vector<std::string> warnings = {};  // for all to see; others are in the individual part

  std::optional<AccountedPlan> plan = {};  // of an account
  std::string directory = {};              // of a run, as it was called when it was written

  std::optional<IndividualResults> individual = {};
};

}  // namespace ration::results
