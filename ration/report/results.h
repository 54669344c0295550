// What a directory of results says: of `ration train`, or of `ration account --results`. Read whole
// and checked, so that a page is made from all of it or not at all. docs/report.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/base/values.h"
#include "ration/control/attendance.h"
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
  std::vector<Bound> epsilons;                 // per person
  std::vector<Attendance::Person> attendance;  // per person; empty without a filter
  Quantiles quantiles;
  std::vector<GroupQuantiles> groups = {};
  std::vector<FollowedPerson> followed = {};
};

struct Results {
  enum class Kind { run, account };
  Kind kind;
  bool test_run = false;  // made with a seed: not private at all
  bool gaussian = false;  // everybody took part in every step: the guarantee is one of Gaussian DP
  std::string data;       // what it was made from, in words
  std::size_t people;
  std::uint64_t steps, charged_steps;
  std::optional<Delta> delta = {};  // none of these without privacy
  std::optional<Bound> epsilon = {}, worst_case = {}, budget = {};
  std::optional<Guarantee> guarantee = {};  // of epsilon
  bool worst_case_proved = true;            // else it is an approximation
  std::string score_name;                   // "accuracy", "macro AUC"; empty if nothing was tested
  std::vector<std::string> groups;          // labels
  struct Test {
    std::optional<double> loss, score;  // none: no finite number
  };
  Test test = {};  // of everybody who was tested with, at the end, as the summary says
  // Of groups, by label: how many were tested with, as far as that was recorded.
  std::map<std::string, std::uint64_t> test_people = {};
  std::vector<ResultsMoment> moments;
  std::string settings;             // TOML; of a run as they were used. May say who was followed
  std::string shown_settings = {};  // the same without that

  std::optional<IndividualResults> individual = {};
};

// Private results are read only if they are wanted. Refuses, with a sentence that names the file, a
// directory without results, a file that is missing, cut off or damaged, and files that do not
// belong together. No text of a refusal holds anything that the files say.
enum class Sight { everything, public_only };
Results read_results(const std::filesystem::path& directory, Sight sight);

// Refuses to write where one of the results' own files is, by whatever name or link, or belongs.
void check_spares_results(const std::filesystem::path& directory,
                          const std::filesystem::path& target);

}  // namespace ration::results
