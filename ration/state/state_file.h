// State on disk: the one format of saved accounts, filters and odometers. A file has a kind, such
// as gdp-filter, and named sections, each an array of numbers or a text. It is written whole or not
// at all, mode 0600 (atomic_file.h), and believed only after its length and checksum were found
// right. Names and kinds are lower-case letters, digits and hyphens. docs/state.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/file/open_file.h"
#include "ration/state/state_format.h"

namespace ration {

class StateWriter {
 public:
  explicit StateWriter(std::string_view kind);
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  // Not copied: what is added must stay as it is until write() has returned.
  template <state::Element Value>
  void add(std::string_view name, std::span<const Value> values) {
    add(name, state::kTypeOf<Value>, {std::as_bytes(values)});
  }
  template <state::Element Value>
  void add(std::string_view name, const std::vector<Value>& values) {
    add(name, std::span<const Value>(values));
  }
  template <state::Element Value>
  void add(std::string_view name, std::vector<Value>&& values) = delete;  // would be gone by then
  // One section, row after row.
  template <state::Element Value>
  void add_rows(std::string_view name, const std::vector<std::vector<Value>>& rows) {
    std::vector<std::span<const std::byte>> parts;
    parts.reserve(rows.size());
    for (const auto& row : rows) parts.push_back(std::as_bytes(std::span(row)));
    add(name, state::kTypeOf<Value>, std::move(parts));
  }

  // Copied: a short array, an array of one, and a text.
  template <state::Element Value>
  void add_copy(std::string_view name, std::span<const Value> values) {
    const std::string& kept =
        kept_.emplace_back(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    add(name, state::kTypeOf<Value>, {std::as_bytes(std::span(kept))});
  }
  template <state::Element Value>
  void add_value(std::string_view name, Value value) {
    add_copy(name, std::span<const Value>(&value, 1));
  }
  void add_text(std::string_view name, std::string_view text);

  void write(const std::filesystem::path& file) const;
  // What write() would put into a file.
  std::vector<std::byte> bytes() const;

 private:
  using Parts = std::vector<std::span<const std::byte>>;
  // Of the whole file: use(parts) while all of them are there.
  template <class Use>
  void with_parts(const Use& use) const;
  void add(std::string_view name, state::Type type, Parts parts);

  state::FileHeader header_{};
  std::vector<state::SectionHeader> sections_;
  std::vector<Parts> contents_;   // of each section
  std::deque<std::string> kept_;  // whose elements do not move
};

// What a section holds is checked by its reader: a checksum cannot know that a budget is no NaN.
class StateReader {
 public:
  // Refuses a file that is damaged, of another version of the format, or of another kind.
  explicit StateReader(const std::filesystem::path& file);
  StateReader(const std::filesystem::path& file, std::string_view kind) : StateReader(file) {
    expect_kind(kind);
  }
  // The same from memory, which must stay as it is as long as the reader and its views. Its bytes
  // begin where a double may.
  explicit StateReader(std::span<const std::byte> bytes);

  std::string_view kind() const { return header_.kind; }
  void expect_kind(std::string_view kind) const;         // refuses another
  const std::string& source() const { return source_; }  // the file's name, or what stands for it
  bool has(std::string_view name) const;

  // A view into the file, valid as long as the reader. Refuses a section that is missing, or has
  // another type or length.
  template <state::Element Value>
  std::span<const Value> array(std::string_view name) {
    const auto bytes = section(name, state::kTypeOf<Value>);
    return {reinterpret_cast<const Value*>(bytes.data()), bytes.size() / sizeof(Value)};
  }
  template <state::Element Value>
  std::span<const Value> array(std::string_view name, std::size_t length) {
    const auto values = array<Value>(name);
    if (values.size() != length) refuse_length(name, values.size(), length);
    return values;
  }
  template <state::Element Value>
  Value value(std::string_view name) {
    return array<Value>(name, 1)[0];
  }
  std::string_view text(std::string_view name);

  // After everything was read: refuses sections that nobody asked for. A program that does not know
  // a part of the state must not go on without it.
  void finish() const;

 private:
  struct Section {
    std::string name;
    state::Type type;
    std::span<const std::byte> bytes;
    bool read = false;
  };
  void check_whole(std::span<const std::byte> bytes);
  void read_sections(std::span<const std::byte> bytes);
  std::span<const std::byte> section(std::string_view name, state::Type type);
  [[noreturn]] void refuse_length(std::string_view name, std::size_t found,
                                  std::size_t expected) const;
  [[noreturn]] void refuse_inconsistent() const;

  std::string source_;
  std::optional<MappedFile> file_;
  state::FileHeader header_{};
  std::vector<Section> sections_;
};

}  // namespace ration
