#include "ration/state/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/checksum.h"

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

constexpr std::string_view kAccepted = "a state file that Ration wrote";
// Not "or an older copy": that one has forgotten what was charged since.
constexpr std::string_view kWhole = "the file as Ration wrote it last";

// A name that is padded with zeros up to the end of its field, or nothing.
template <std::size_t size>
std::string_view name_in(const char (&field)[size]) {
  const std::string_view whole(field, size);
  const std::string_view name = whole.substr(0, whole.find('\0'));
  const bool padded = whole.find_first_not_of('\0', name.size()) == std::string_view::npos;
  return padded && name.size() < size && state::is_name(name) ? name : std::string_view();
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

StateReader::StateReader(const std::filesystem::path& file)
    : source_(file.string()), file_(std::in_place, file, kAccepted) {
  check_whole(file_->bytes());
  read_sections(file_->bytes());
}

StateReader::StateReader(Bytes bytes) : source_("the state given") {
  check_whole(bytes);
  read_sections(bytes);
}

void StateReader::expect_kind(std::string_view kind) const {
  if (kind != this->kind()) {
    refuse(source_, fmt::format("a saved {}", this->kind()), fmt::format("a saved {}", kind));
  }
}

// Length and checksum, before anything else is believed. A version is the exception: another one
// may keep length and checksum elsewhere.
void StateReader::check_whole(Bytes bytes) {
  const Bytes magic = std::as_bytes(std::span(state::kMagic));
  const std::size_t common = std::min(bytes.size(), magic.size());
  if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(common),
                  bytes.begin())) {
    refuse(source_, "of another format", kAccepted);
  }
  if (bytes.size() < sizeof header_ + sizeof(Checksum)) {
    refuse(source_, fmt::format("cut short, {} bytes long", bytes.size()), kWhole);
  }
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (header_.version != state::kVersion) {
    refuse(source_, fmt::format("of version {} of the state format", header_.version),
           "one of version 1, or use the release of Ration that wrote it");
  }
  if (bytes.size() < header_.length) {
    refuse(source_, fmt::format("cut short, {} of {} bytes", bytes.size(), header_.length), kWhole);
  }
  if (bytes.size() > header_.length) {
    refuse(source_,
           fmt::format("{} bytes longer than what was written", bytes.size() - header_.length),
           kWhole);
  }
  const Bytes covered = bytes.first(bytes.size() - sizeof(Checksum));
  const Checksum checksum = checksum_of({&covered, 1});
  if (!std::equal(checksum.begin(), checksum.end(), bytes.last(sizeof(Checksum)).begin())) {
    refuse(source_, "damaged: its checksum is not that of its contents", kWhole);
  }
}

// From here on only a foreign writer can have made a mistake; it is refused all the same.
void StateReader::read_sections(Bytes bytes) {
  Bytes rest = bytes.first(bytes.size() - sizeof(Checksum)).subspan(sizeof header_);
  if (name_in(header_.kind).empty() || header_.sections > state::kMostSections ||
      rest.size() / sizeof(state::SectionHeader) < header_.sections) {
    refuse_inconsistent();
  }
  Bytes contents = rest.subspan(header_.sections * sizeof(state::SectionHeader));
  for (std::uint32_t i = 0; i < header_.sections; ++i) {
    state::SectionHeader section{};
    std::memcpy(&section, rest.data(), sizeof section);
    rest = rest.subspan(sizeof section);
    const std::string_view name = name_in(section.name);
    const std::size_t element = state::size_of(section.type);
    if (name.empty() || has(name) || element == 0 || section.zero != 0 ||
        section.count > contents.size() / element) {
      refuse_inconsistent();
    }
    const std::size_t size = section.count * element, padding = state::padding(size);
    if (padding > contents.size() - size) refuse_inconsistent();
    const Bytes zeros = contents.subspan(size, padding);
    if (std::any_of(zeros.begin(), zeros.end(), [](std::byte b) { return b != std::byte{0}; }))
      refuse_inconsistent();
    sections_.push_back({std::string(name), section.type, contents.first(size)});
    contents = contents.subspan(size + padding);
  }
  if (!contents.empty()) refuse_inconsistent();
}

bool StateReader::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [&](const Section& section) { return section.name == name; });
}

std::span<const std::byte> StateReader::section(std::string_view name, state::Type type) {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const Section& section) { return section.name == name; });
  if (found == sections_.end()) {
    refuse(source_, fmt::format("a {} without {}", kind(), name), "one that holds it");
  }
  if (found->type != type) {
    refuse(fmt::format("{} in {}", name, source_), state::name_of(found->type),
           state::name_of(type));
  }
  found->read = true;
  return found->bytes;
}

std::string_view StateReader::text(std::string_view name) {
  const auto characters = array<char>(name);
  return {characters.data(), characters.size()};
}

void StateReader::finish() const {
  const auto unread = std::find_if(sections_.begin(), sections_.end(),
                                   [](const Section& section) { return !section.read; });
  if (unread == sections_.end()) return;
  refuse(source_, fmt::format("a {} with {}, which is unknown here", kind(), unread->name),
         "a file of this release, or use the release of Ration that wrote it");
}

void StateReader::refuse_length(std::string_view name, std::size_t found,
                                std::size_t expected) const {
  refuse(fmt::format("{} in {}", name, source_), fmt::format("{} long", found),
         fmt::format("{}", expected));
}

void StateReader::refuse_inconsistent() const {
  refuse(source_, "inconsistent: its sections do not add up, though its checksum is right",
         kAccepted);
}

}  // namespace ration
