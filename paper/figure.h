// A figure of the paper, made anew: its data, its pictures, and what came out beside what the paper
// says. Values, and pure functions. docs/reproduce.md
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "paper/evidence.h"
#include "ration/base/bound.h"
#include "ration/report/chart.h"
#include "ration/report/distribution.h"

namespace ration::paper {

// What becomes a CSV file: a header, then a line for each row. Numbers read back equal; texts are
// quoted where they must be (RFC 4180).
struct DataTable {
  using Cell = std::variant<double, std::int64_t, std::string>;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

// Refuses rows that have more or fewer cells than there are columns.
std::string csv_of(const DataTable& table);
// A cell as it stands in the file, without quotes.
std::string text_of(const DataTable::Cell& cell);

struct Figure {
  std::string name;   // "gdp-vs-rdp-largest-k"; its files are called so
  std::string title;  // "How many steps fit into a budget"
  std::string paper;  // what the paper shows, and where: a sentence or two
  std::string here;   // what was done here: data, settings, sizes; a sentence or two
  std::vector<Claim> claims;
  std::vector<std::string> corrections = {};  // of the paper, where they matter; a sentence each
  std::vector<report::Chart> charts;
  DataTable data;
  bool about_people;    // holds values that depend on people's data: its files are private
  std::string on = {};  // which data: a few words, such as whether they stand in for the paper's
};

// Told how much of an experiment is done, from 0 to 1: follows from the sizes of the work alone.
using OnFraction = std::function<void(double)>;

std::string_view verdict(bool held);  // "held", "did not hold"

// How many of its claims held, and whether all of them did.
std::size_t held_claims(const Figure& figure);
bool held(const Figure& figure);

// The finding, if it may be printed: what was found about people is private, and belongs in files
// that only their owner may read.
std::optional<std::string> printable_finding(const Figure& figure, const Claim& claim);

std::string markdown_of(const Figure& figure);

// The paper's histograms of individual eps have 40 bins from 0 to `most`, which is the last edge
// exactly.
report::BinRange bins_up_to(double most);
std::vector<double> edges_of(const report::BinRange& range);
// Of upper ends, none of which is above the last bin.
report::Histogram epsilon_histogram(std::string name, std::span<const Bound> epsilons,
                                    const report::BinRange& range);

}  // namespace ration::paper
