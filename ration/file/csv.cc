#include "ration/file/csv.h"

#include "ration/base/error.h"

namespace ration::csv {
namespace {

constexpr std::string_view kDetected = ",;\t";

// Where the quote stands that closes the one before `from`; npos if there is none.
std::size_t closing_quote(std::string_view text, std::size_t from) {
  std::size_t close = text.find('"', from);
  while (close != std::string_view::npos && close + 1 < text.size() && text[close + 1] == '"')
    close = text.find('"', close + 2);
  return close;
}

// Where the first character of a cell stands that starts here: behind blanks, unless they part
// cells.
std::size_t behind_blanks(std::string_view text, std::size_t at, std::string_view separators) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t') &&
         separators.find(text[at]) == std::string_view::npos) {
    ++at;
  }
  return at;
}

// Goes over a record that has quotes, up to the line break that ends it; `found` is told each
// separator.
template <class Found>
std::optional<std::size_t> walk(std::string_view text, std::string_view separators,
                                const Found& found) {
  const auto parts = [&](char c) { return separators.find(c) != std::string_view::npos; };
  for (std::size_t at = 0;;) {
    at = behind_blanks(text, at, separators);
    if (at < text.size() && text[at] == '"') {
      at = closing_quote(text, at + 1);
      if (at == std::string_view::npos) return {};
      ++at;
    }
    while (at < text.size() && text[at] != '\n' && !parts(text[at])) ++at;
    if (at >= text.size()) return {};
    if (text[at] == '\n') return at;
    found(text[at++]);
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::size_t Cells::first_of_cell() const {
  return behind_blanks(record_, at_, {&dialect_.separator, 1});
}

// The cell whose first quote stands at `from`.
std::string_view Cells::quoted(std::size_t from) {
  const std::size_t close = closing_quote(record_, from + 1);
  if (close == std::string_view::npos)
    return faulty(
        {"a line with a quote that does not end", "a quote at the end of each such cell"});
  const std::size_t end = std::min(record_.find(dialect_.separator, close), record_.size());
  if (!trimmed(record_.substr(close + 1, end - close - 1)).empty())
    return faulty({"a line with text behind a quote", "cells that are in quotes as a whole"});
  at_ = end + 1;
  const std::string_view cell = record_.substr(from + 1, close - from - 1);
  doubled_ = cell.find('"') != std::string_view::npos;
  return cell;
}

std::string_view Cells::faulty(Fault fault) {
  fault_ = fault;
  at_ = record_.size() + 1;
  return {};
}

std::vector<std::string_view> cells_of(std::string_view record, const Dialect& dialect) {
  std::vector<std::string_view> found;
  for (Cells cells(record, dialect); cells.more();) found.push_back(cells.next());
  return found;
}

std::string cell_of(std::string_view text) {
  if (text.find_first_of(",;\t\"\r\n") == std::string_view::npos && trimmed(text) == text) {
    return std::string(text);
  }
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

std::string single_quotes(std::string_view doubled) {
  std::string text;
  for (std::size_t i = 0; i < doubled.size(); ++i) {
    text += doubled[i];
    if (doubled[i] == '"') ++i;
  }
  return text;
}

std::optional<std::size_t> end_of_record(std::string_view text, const Dialect& dialect) {
  const std::size_t line = text.find('\n');
  const bool has_quotes =
      dialect.quotes && text.substr(0, line).find('"') != std::string_view::npos;
  if (has_quotes) return walk(text, {&dialect.separator, 1}, [](char) {});
  return line == std::string_view::npos ? std::nullopt : std::optional(line);
}

bool holds_header(std::string_view text) {
  return walk(text, kDetected, [](char) {}).has_value();
}

char separator_in(std::string_view text, const std::string& source) {
  std::optional<char> separator;
  walk(text, kDetected, [&](char found) {
    if (separator.value_or(found) != found) {
      refuse("header of " + source, "with several of comma, semicolon and tab",
             "names in quotes, or say by data.separator what parts columns");
    }
    separator = found;
  });
  return separator.value_or(',');
}

double number_in(std::string_view cell, const std::string& where) {
  const auto value = number_in<double>(cell);
  if (!value) {
    refuse(where, "'" + std::string(cell.substr(0, 40)) + "'",
           has_decimal_comma(cell) ? kDecimalPoint : "a number");
  }
  return *value;
}

bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  return comma != std::string_view::npos && comma + 1 < cell.size() &&
         cell.find_first_of("0123456789") != std::string_view::npos &&
         cell.find_first_not_of("0123456789+-.,eE") == std::string_view::npos;
}

}  // namespace ration::csv
