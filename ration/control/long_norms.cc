#include "ration/control/long_norms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/csv_rows.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr std::uint64_t kMostStep = (std::uint64_t{1} << 63) - 1;

struct HashOfId {
  using is_transparent = void;
  std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>{}(id); }
};

// People as they come, and who is already known.
class Numbered {
 public:
  explicit Numbered(const std::optional<Ids>& known) : closed_(known.has_value()) {
    if (!known) return;
    for (const std::string& id : known->all()) number_of_.emplace(id, number_of_.size());
  }

  std::uint64_t number(const csv::Rows& rows, std::size_t column) {
    const std::string_view id = rows.cells()[column];
    const auto found = number_of_.find(id);
    if (found != number_of_.end()) return found->second;
    if (const auto fault = fault_of_id(id)) {
      throw Error(fmt::format("{} {}", rows.where(column), *fault));
    }
    if (closed_) refuse(rows.where(column), "an id that is not among those given", "one of them");
    return number_of_.emplace(id, number_of_.size()).first->second;
  }

  std::vector<std::string> ids() && {
    std::vector<std::string> all(number_of_.size());
    while (!number_of_.empty()) {
      auto one = number_of_.extract(number_of_.begin());
      all[one.mapped()] = std::move(one.key());
    }
    return all;
  }

 private:
  bool closed_;
  std::unordered_map<std::string, std::uint64_t, HashOfId, std::equal_to<>> number_of_;
};

// In an order that follows from the ids alone: as numbers if all are, else as text.
std::vector<std::size_t> order_for_reading(const std::vector<std::string>& ids) {
  std::vector<std::size_t> order = order_of_ids(ids);
  std::vector<std::int64_t> numbers;
  for (const std::string& id : ids) {
    const auto number = csv::number_in<std::int64_t>(id);
    if (!number) return order;
    numbers.push_back(*number);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  return order;
}

std::uint64_t step_in(const csv::Rows& rows, std::size_t column,
                      const std::optional<std::uint64_t>& steps) {
  const auto step = csv::number_in<std::uint64_t>(rows.cells()[column]);
  if (!step || *step > kMostStep) {
    refuse(rows.where(column), "no number of a step", "a whole number from 0 on");
  }
  if (steps && *step >= *steps) {
    refuse(rows.where(column), "a step beyond the last",
           fmt::format("numbers from 0 to {}, for there are {} steps", *steps - 1, *steps));
  }
  return *step;
}

double norm_in(const csv::Rows& rows, std::size_t column) {
  const auto norm = csv::number_in<double>(rows.cells()[column]);
  if (!norm || !std::isfinite(*norm) || *norm < 0) {
    refuse(rows.where(column), "not a norm", "a finite number that is not negative");
  }
  return *norm;
}

}  // namespace

LongNorms::LongNorms(std::span<const std::byte> file, std::string source, Options options)
    : steps_(options.steps), entries_(options.rows_held) {
  read(file, source, options);
  entries_.finish();
  if (steps_) {
    rows_ = *steps_;
  } else {
    count_steps();
  }
}

void LongNorms::read(std::span<const std::byte> file, const std::string& source,
                     const Options& options) {
  csv::Rows rows(file, source);
  const std::size_t person = rows.column(options.person), step = rows.column("step"),
                    norm = rows.column("norm");
  Numbered numbered(options.ids);
  bool any = false;
  for (; rows.next(); any = true) {
    entries_.add({.step = step_in(rows, step, steps_),
                  .norm = norm_in(rows, norm),
                  .person = numbered.number(rows, person)});
  }
  if (!any) refuse(source, "a table without rows", "a row for each person and step");
  if (options.ids) {
    ids_ = *options.ids;
    return;  // everybody was numbered by their place
  }
  std::vector<std::string> ids = std::move(numbered).ids(), ordered;
  const std::vector<std::size_t> order = order_for_reading(ids);
  place_.resize(ids.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place_[order[i]] = i;
    ordered.push_back(std::move(ids[order[i]]));
  }
  ids_ = Ids(std::move(ordered));
}

void LongNorms::count_steps() {
  std::optional<std::uint64_t> last;
  for (ExternalSort<Entry>::Cursor cursor(entries_); const Entry* entry = cursor.get();
       cursor.advance()) {
    if (last == entry->step) continue;
    gaps_ |= last && entry->step != *last + 1;
    ++rows_;
    last = entry->step;
  }
}

void LongNorms::read_rows(std::size_t, std::span<float>) {
  throw std::logic_error("a table of norms is of float64");
}

void LongNorms::read_rows(std::size_t first, std::span<double> to) {
  if (first == 0) {
    cursor_.emplace(entries_);
    next_row_ = 0;
  }
  const std::size_t count = to.size() / people();
  if (!cursor_ || first != next_row_ || count > rows_ - first) {
    throw std::logic_error("rows of a table of norms are read in order");
  }
  std::fill(to.begin(), to.end(), 0.0);
  for (; next_row_ < first + count; ++next_row_) {
    const Entry* entry = cursor_->get();
    if (entry == nullptr || (steps_ && entry->step != next_row_)) continue;  // nobody's step
    const std::span<double> row = to.subspan((next_row_ - first) * people(), people());
    for (const std::uint64_t step = entry->step; entry != nullptr && entry->step == step;
         entry = cursor_->get()) {
      double& norm = row[place_.empty() ? entry->person : place_[entry->person]];
      // The sum of two finite numbers may not be one.
      if (norm == 0) {
        norm = entry->norm;
      } else if (entry->norm > 0) {
        norm = std::min(add_up(norm, entry->norm), std::numeric_limits<double>::max());
      }
      cursor_->advance();
    }
  }
}

}  // namespace ration
