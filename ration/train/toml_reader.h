// Settings in TOML, read strictly: what is not asked for is refused by name, and so is what has
// another type, with the section and the key. Overrides, "section.key=value", are applied first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ration::train {

class TomlReader {
 public:
  // Refuses what is no TOML, with its line; keys outside a section; and overrides without "=" or
  // ".".
  TomlReader(std::string_view text, const std::string& source,
             std::span<const std::string> overrides = {});
  ~TomlReader();

  // Nothing if the section does not have the key. Refuses another type.
  std::optional<std::string> text(std::string_view section, std::string_view key);
  std::optional<double> number(std::string_view section, std::string_view key);
  std::optional<std::uint64_t> whole(std::string_view section, std::string_view key);
  std::optional<std::vector<std::string>> texts(std::string_view section, std::string_view key);
  std::optional<std::vector<std::uint64_t>> wholes(std::string_view section, std::string_view key);
  // A number, or a list of them.
  std::optional<std::vector<double>> numbers(std::string_view section, std::string_view key);

  // After everything was asked for: refuses the first key that nobody asked for, and says which the
  // section has.
  void finish() const;

  // All settings with the overrides in them, in one order and form: equal for equal settings.
  // Without the keys of `left_out`, each as "section.key".
  std::string canonical(std::span<const std::string_view> left_out = {}) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace ration::train
