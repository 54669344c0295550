// Settings in TOML, read strictly: what is not in the list of settings (setting_list.h) is refused
// by name, and so is what nobody asks for or what has another type, with the section and the key.
// Overrides, "section.key=value", are applied first, and what they say takes the place of what the
// file says of the same, also under another key.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/dataset/preparation.h"
#include "ration/train/setting_list.h"

namespace ration::train {

// Keys that say the same in other ways, each as "section.key": one of them is enough.
using Alternatives = std::vector<std::string_view>;

class TomlReader {
 public:
  // Refuses what is no TOML, with its line; keys outside a section; overrides without "=" or ".";
  // and what is no setting, with the one that is most like it.
  TomlReader(std::string_view text, const std::string& source,
             std::span<const std::string> overrides = {},
             std::span<const Alternatives> alternatives = {});
  ~TomlReader();

  // What is given; nothing if it is not. Refuses another type.
  std::optional<std::string> text(Key<Kind::text> key);
  std::optional<double> number(Key<Kind::number> key);
  std::optional<std::uint64_t> whole(Key<Kind::whole> key);
  std::optional<std::vector<std::string>> texts(Key<Kind::texts> key);
  std::optional<std::vector<double>> numbers(Key<Kind::numbers> key);
  std::map<std::string, std::vector<std::string>> texts_by_column(Key<Kind::texts_by_column> key);
  std::map<std::string, Scale> scales_by_column(Key<Kind::scales_by_column> key);

  // What is in force: given, or else the default in the list.
  std::string text_or_default(DefaultKey<Kind::text> key);
  double number_or_default(DefaultKey<Kind::number> key);
  std::uint64_t whole_or_default(DefaultKey<Kind::whole> key);
  std::vector<std::string> texts_or_default(DefaultKey<Kind::texts> key);
  std::vector<std::uint64_t> wholes_or_default(DefaultKey<Kind::wholes> key);
  std::vector<std::string> people_or_default(DefaultKey<Kind::people> key);  // numbers as text

  // As if all settings of a section had been asked for.
  void look_past(std::string_view section);

  // After everything was asked for: refuses the first key that nobody asked for, and says what it
  // belongs to.
  void finish() const;

  // What a run has written below its settings, in a section [record]: no settings (run_record.h).
  // Nothing if it is not there, or of another type.
  std::optional<std::string> recorded_text(std::string_view key) const;
  std::optional<double> recorded_number(std::string_view key) const;
  std::optional<std::uint64_t> recorded_whole(std::string_view key) const;

  // What is in force and was not given: the defaults that were asked for, and these values, each as
  // an override says it. And what takes the place of another key.
  void fill_in(std::span<const std::string> values);
  void replace(std::string_view path, const std::string& value);

  // All settings with the overrides in them, in one order and form: equal for equal settings.
  // Without the keys of `left_out`, each as "section.key". Numbers are as short as they can be:
  // 1e-05.
  std::string canonical(std::span<const std::string_view> left_out = {}) const;
  // The same in the form that runs were written in before. It is read, and not written any more.
  std::string canonical_before(std::span<const std::string_view> left_out) const;
  std::string json(std::span<const std::string_view> left_out) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace ration::train
