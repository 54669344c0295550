#include <algorithm>
#include <array>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/checksum.h"
#include "ration/state/state_file.h"

namespace ration {
namespace {

constexpr std::array<std::byte, state::kAlignment> kZeros{};

template <std::size_t size>
void set_name(char (&field)[size], std::string_view what, std::string_view name) {
  if (!state::is_name(name) || name.size() >= size) {
    refuse(what, "'" + std::string(name) + "'",
           "at most " + std::to_string(size - 1) + " lower-case letters, digits and hyphens");
  }
  std::copy(name.begin(), name.end(), field);
}

std::size_t total(const std::vector<Bytes>& parts) {
  std::size_t bytes = 0;
  for (const Bytes part : parts) bytes += part.size();
  return bytes;
}

}  // namespace

StateWriter::StateWriter(std::string_view kind) {
  std::copy(state::kMagic.begin(), state::kMagic.end(), header_.magic);
  header_.version = state::kVersion;
  set_name(header_.kind, "kind of a state file", kind);
}

void StateWriter::add(std::string_view name, state::Type type, Parts parts) {
  const std::size_t count = total(parts) / state::size_of(type);
  state::SectionHeader section{.name = {}, .type = type, .zero = 0, .count = count};
  set_name(section.name, "name of a section", name);
  const bool taken = std::any_of(sections_.begin(), sections_.end(),
                                 [&](const auto& other) { return other.name == name; });
  if (taken) refuse("name of a section", "'" + std::string(name) + "' twice", "each name once");
  if (sections_.size() == state::kMostSections)
    refuse("number of sections", "more than 1000", "at most 1000");
  sections_.push_back(section);
  contents_.push_back(std::move(parts));
}

void StateWriter::add_text(std::string_view name, std::string_view text) {
  const std::string& kept = kept_.emplace_back(text);
  add(name, state::Type::text, {std::as_bytes(std::span(kept))});
}

template <class Use>
void StateWriter::with_parts(const Use& use) const {
  state::FileHeader header = header_;
  header.sections = static_cast<std::uint32_t>(sections_.size());
  Parts parts = {std::as_bytes(std::span(&header, 1)), std::as_bytes(std::span(sections_))};
  for (const auto& content : contents_) {
    parts.insert(parts.end(), content.begin(), content.end());
    parts.push_back(Bytes(kZeros).first(state::padding(total(content))));
  }
  header.length = sizeof(Checksum) + total(parts);
  const Checksum checksum = checksum_of(parts);
  parts.emplace_back(checksum);
  use(parts);
}

void StateWriter::write(const std::filesystem::path& file) const {
  with_parts([&](const Parts& parts) {
    PrivateFile out(file);
    for (const Bytes part : parts) out.write(part);
    out.commit();
  });
}

std::vector<std::byte> StateWriter::bytes() const {
  std::vector<std::byte> all;
  with_parts([&](const Parts& parts) {
    all.reserve(total(parts));
    for (const Bytes part : parts) all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

}  // namespace ration
