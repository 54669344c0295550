// A figure of the paper, made anew: its data, its pictures, and what came out beside what the paper
// says. Values. docs/reproduce.md
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "paper/evidence.h"
#include "ration/report/chart.h"

namespace ration {

// What becomes a CSV file. Numbers read back equal.
struct DataTable {
  using Cell = std::variant<double, std::int64_t, std::string>;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

struct Figure {
  std::string name;   // "gdp-vs-rdp-largest-k"; its files are called so
  std::string title;  // "How many steps fit into a budget"
  std::string paper;  // what the paper shows, and where: a sentence or two
  std::string here;   // what was done here: data, settings, sizes; a sentence or two
  std::vector<Claim> claims;
  std::vector<std::string> corrections = {};  // of the paper, where they matter; a sentence each
  std::vector<Chart> charts;
  DataTable data;
  bool about_people;    // holds values that depend on people's data: its files are private
  std::string on = {};  // which data: a few words, such as whether they stand in for the paper's
};

// Told how much of an experiment is done, from 0 to 1: follows from the sizes of the work alone.
using OnFraction = std::function<void(double)>;

}  // namespace ration
