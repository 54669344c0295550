// The CSV files of a directory of results that say how things went over time: epochs.csv of a run,
// private.csv and followed.csv. Headers and cells stand here once, for those who write and for
// those who read. Pure functions; safe from any thread. What private.csv and followed.csv hold is
// private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/base/bound.h"
#include "ration/results/checked_rows.h"
#include "ration/results/results.h"

namespace ration::results {

// What one person has spent by a time, and to how many steps they were admitted until then.
struct Followed {
  Bound epsilon;
  std::uint64_t admitted;
};

// Accounts over time are looked at one by one, and each takes its time: refuses more than 100
// people, and anybody twice. `what` is the argument that a refusal names.
void check_followed(std::span<const std::size_t> who, std::string_view what);
// Before it is known where they stand: ids or numbers.
void check_followed(std::span<const std::string> who, std::string_view what);

// Where somebody stands among people: by their id or, if people have none, by the number of their
// place from 0 on. Nothing if they are not there.
std::optional<std::size_t> place_of(std::string_view who, std::span<const std::string> ids,
                                    std::size_t people);
// All of them. Refuses somebody who is not there, by their place in the list if people have ids,
// which no text shows.
std::vector<std::size_t> places_of(std::span<const std::string> who,
                                   std::span<const std::string> ids, std::size_t people,
                                   std::string_view what);

// Headers, without an end of line. A value of everybody is followed by one of each group, ",name"
// and ",name:label": labels hold no commas (label_names.h). Of each person who is followed there
// are epsilon_lower:17,epsilon_upper:17,admitted:17.
std::string epochs_header(std::span<const std::string> groups, bool by_accuracy);
std::string private_header(Results::Kind kind, std::span<const std::string> groups);
std::string followed_header(Results::Kind kind, std::span<const std::size_t> who);

// Rows, with an end of line; numbers read back equal. A list of a moment that is empty was not
// recorded: its cells are blank, and so is the mean of a group without people.
std::string epochs_row(const ResultsMoment& moment, std::size_t groups);
std::string private_row(Results::Kind kind, const ResultsMoment& moment, std::size_t groups);
std::string followed_row(Results::Kind kind, const ResultsMoment& moment,
                         std::span<const Followed> people);

// Each function adds what its file says to results whose summary has been read, and refuses a file
// that does not belong to them.
// epochs.csv of a run: moments, labels of groups, and what the score is called.
void read_epochs(ResultsRows rows, Results& results);
// private.csv, after epochs.csv of a run; of an account it has the moments.
void read_private(ResultsRows rows, Results& results);
// followed.csv, after epsilons.csv, of those people who are in `followed` by now.
void read_followed(ResultsRows rows, Results& results);

}  // namespace ration::results
