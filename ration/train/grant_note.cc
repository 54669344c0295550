#include "ration/train/grant_note.h"

#include <sodium.h>

#include <array>
#include <cstdint>

#include "ration/base/error.h"
#include "ration/file/open_file.h"
#include "ration/state/sections.h"
#include "ration/state/state_file.h"

namespace ration::train {
namespace {

constexpr std::string_view kGrant = "training-grant";

std::filesystem::path note_file(const results::RunDirectory& directory) {
  return directory.file("ledger", ".state");
}

std::vector<std::string> split(std::string_view text, std::span<const std::uint64_t> lengths) {
  std::vector<std::string> parts;
  for (const std::uint64_t length : lengths) {
    if (length > text.size()) throw Error("ids do not have the lengths that are given");
    parts.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  if (!text.empty()) throw Error("ids do not have the lengths that are given");
  return parts;
}

}  // namespace

bool has_note(const results::RunDirectory& directory) { return is_there(note_file(directory)); }

void save_note(const results::RunDirectory& directory, const GrantNote& note) {
  std::string ids;
  std::vector<std::uint64_t> lengths;
  for (const std::string& id : note.ids) {
    ids += id;
    lengths.push_back(id.size());
  }
  StateWriter writer(kGrant);
  writer.add_text("token", note.token);
  writer.add_text("run", note.run);
  writer.add_text("head", note.head);
  writer.add_text("ids", ids);
  writer.add("id-lengths", lengths);
  writer.write(note_file(directory));
}

GrantNote load_note(const results::RunDirectory& directory) {
  StateReader reader(note_file(directory), kGrant);
  const std::string_view ids = reader.text("ids");
  const auto lengths = reader.array<std::uint64_t>("id-lengths");
  GrantNote note = {.token = std::string(reader.text("token")),
                    .run = std::string(reader.text("run")),
                    .head = std::string(reader.text("head")),
                    .ids = built_from(reader.source(), [&] { return split(ids, lengths); })};
  reader.finish();
  return note;
}

std::string new_run_name() {
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::array<char, 2 * bytes.size() + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), bytes.data(), bytes.size());
  return digits.data();
}

void check_seen(Ledger& ledger, const std::string& head) {
  if (ledger.contains(head)) return;
  throw Error(
      "ledger has never had the head that the run directory has seen: it is another one, or an old "
      "copy that has forgotten spends; give the one that the run was started with");
}

}  // namespace ration::train
