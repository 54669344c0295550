#include "ration/file/csv_rows.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "ration/base/error.h"

namespace ration::csv {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostColumns = 1'000'000;
constexpr std::size_t kLongestRecord = std::size_t{1} << 26;
constexpr std::size_t kLongestText = std::size_t{1} << 30;

[[noreturn]] void refuse_no_text(const std::string& source) {
  refuse(source, "no text", "CSV in UTF-8, plain or gzip");
}

void check_text(std::string_view text, const std::string& source) {
  if (text.find('\0') != std::string_view::npos) refuse_no_text(source);
}

// Of the first bytes of a file. Some programs write UTF-16 and call it text.
void check_start(std::string_view text, const std::string& source) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    refuse(source, "in UTF-16", "the same file saved as UTF-8");
}

// Rows up to the last that is not blank.
std::size_t rows_in(Records records) {
  std::size_t count = 0;
  records.next();  // the header
  for (std::size_t row = 1; records.next(); ++row)
    if (!records.blank()) count = row;
  return count;
}

}  // namespace

std::ifstream open(std::string_view what, const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    refuse(what, file.string(), "the name of a CSV file that can be read");
  }
  return in;
}

std::string text_of(std::istream& in, const std::string& source) {
  std::string text;
  std::array<char, 1 << 16> block;
  do {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (!starts_gzip(std::as_bytes(std::span(text)))) {
      const auto got = static_cast<std::size_t>(in.gcount());
      check_start(text, source);
      check_text({block.data(), got}, source);
    }
    if (text.size() > kLongestText) refuse(source, "longer than 2^30 bytes", "a shorter file");
  } while (in);
  if (in.bad()) refuse(source, "unreadable to its end", "a file that can be read");
  return text;
}

Records::Records(std::span<const std::byte> file, std::string source,
                 std::optional<Dialect> dialect, std::size_t block)
    : source_(std::move(source)), size_(file.size()), bytes_(file, source_), block_(block) {
  while (filled_ < kByteOrderMark.size() && fill()) {
  }
  if (rest().starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  if (dialect) {
    dialect_ = *dialect;
    return;
  }
  while (!holds_header(rest()) && fill()) {
  }
  dialect_.separator = separator_in(rest(), source_);
}

// What was not dealt with moves to the front. A record that is longer than the buffer doubles it,
// so that going over it again and again takes no more than twice its length.
bool Records::fill() {
  if (at_ != 0) std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  if (filled_ > kLongestRecord) {
    refuse(fmt::format("{} line {}", source_, next_line_), "longer than 2^26 bytes",
           "shorter lines, and an end to every quote");
  }
  if (filled_ == buffer_.size()) buffer_.resize(std::max(block_, 2 * filled_));
  const std::size_t before = filled_;
  while (filled_ < buffer_.size()) {
    const auto room = std::span(buffer_).subspan(filled_);
    const std::size_t got = bytes_.read_some(std::as_writable_bytes(room));
    if (got == 0) break;
    filled_ += got;
  }
  if (line_ == 0) check_start(rest(), source_);
  check_text({buffer_.data() + before, filled_ - before}, source_);
  return filled_ > before;
}

bool Records::next() {
  line_ = next_line_;
  auto end = end_of_record(rest(), dialect_);
  while (!end && fill()) end = end_of_record(rest(), dialect_);
  if (!end && rest().empty()) return false;
  record_ = rest().substr(0, end.value_or(rest().size()));
  at_ = std::min(at_ + record_.size() + 1, filled_);
  ++next_line_;
  if (record_.find('\n') != std::string_view::npos) {
    const auto within = std::count(record_.begin(), record_.end(), '\n');
    next_line_ += static_cast<std::size_t>(within);
  }
  return true;
}

bool Records::blank() const {
  const bool tabs = dialect_.separator == '\t';
  return record_.find_first_not_of(tabs ? " \r" : " \t\r") == std::string_view::npos;
}

std::span<const std::string_view> Records::cells(std::size_t most) {
  cells_.clear();
  undoubled_.clear();
  Cells found(record_, dialect_);
  while (found.more() && cells_.size() <= most) {
    cells_.push_back(found.next());
    if (found.doubled()) cells_.back() = undoubled_.emplace_back(single_quotes(cells_.back()));
  }
  if (const auto& fault = found.fault()) refuse(where(), fault->found, fault->accepted);
  return cells_;
}

std::string Records::where() const { return fmt::format("{} line {}", source_, line_); }

Rows::Rows(std::span<const std::byte> file, std::string source, std::optional<char> separator)
    : records_(file, source,
               separator ? std::optional(Dialect{.separator = *separator}) : std::nullopt) {
  if (!records_.next()) return;
  const auto cells = records_.cells(kMostColumns);
  if (cells.size() > kMostColumns)
    refuse(source, "more than 10^6 columns wide", "a CSV file of fewer");
  header_.assign(cells.begin(), cells.end());
  count_ = rows_in({file, source, records_.dialect()});
}

std::size_t Rows::column(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found == header_.end()) {
    throw Error(fmt::format("{} has no column '{}': give one that its header has",
                            records_.source(), name));
  }
  if (std::find(found + 1, header_.end(), name) != header_.end()) {
    throw Error(fmt::format("{} has the column '{}' twice: give each a name of its own",
                            records_.source(), name));
  }
  return static_cast<std::size_t>(found - header_.begin());
}

std::string Rows::where(std::size_t column) const {
  return fmt::format("{} column '{}'", where(), header_[column]);
}

bool Rows::next() {
  if (!records_.next()) return false;
  if (records_.blank()) {
    const std::string blank = where();
    while (records_.blank())
      if (!records_.next()) return false;
    refuse(blank, "empty", "a row on every line up to the last");
  }
  cells_ = records_.cells(header_.size());
  if (cells_.size() != header_.size()) {
    const bool more = cells_.size() > header_.size();
    refuse(where(), more ? "longer than the header" : fmt::format("{} values long", cells_.size()),
           fmt::format("{} values, as many as the header has", header_.size()));
  }
  return true;
}

}  // namespace ration::csv
