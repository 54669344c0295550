// Whose row is whose: ids of rows, and rows into people. An id is any text (base/ids.h). Ids are
// private: refusals name lines, and never an id. Pure functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

// What several rows with one id are: a slip, or one person's records.
enum class Records { one, together };

// What a person may have where records are taken together: they are summed in one piece
// (docs/math/training.md). Public, and the same for all data.
inline constexpr std::size_t kMostRecords = 128;

// The id of each row of a file, and the line that it stands on.
struct IdColumn {
  std::string source = {};
  std::vector<std::string> ids = {};
  std::vector<std::size_t> lines = {};

  bool empty() const { return ids.empty(); }
  // The next row's. Refuses an id with a fault (fault_of_id).
  void add(std::string_view id, std::size_t line);
};

// From a file with one id on each line, in the order of the rows, plain or gzip; an id may stand in
// double quotes. Refuses any other number of lines than `rows`.
IdColumn read_id_lines(const std::filesystem::path& file, std::size_t rows);

// Rows, each of which is a person so far, become people with these ids, in the order in which they
// appear. Refuses, with its lines, an id that is there twice. Together, a person's records are
// those rows, which are moved next to each other in the order they had; refuses, with its lines, a
// person of more than kMostRecords, and one whose rows are of several groups.
void make_people(People& rows, const IdColumn& ids, Records records);

// Refuses, with its lines, a person who is in both: what is said of test people is in no account.
void check_apart(const IdColumn& train, const IdColumn& test);

}  // namespace ration
