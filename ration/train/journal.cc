#include "ration/train/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"

namespace ration::train {
Journal::Journal(const std::filesystem::path& file, std::uint64_t generation, std::size_t people)
    : file_(file), people_(people) {
  journal::FileHeader header = {.magic = {},
                                .version = journal::kVersion,
                                .zero = 0,
                                .generation = generation,
                                .people = people,
                                .checksum = {}};
  std::copy(journal::kMagic.begin(), journal::kMagic.end(), header.magic);
  const Bytes bytes = std::as_bytes(std::span(&header, 1));
  const Bytes covered = bytes.first(offsetof(journal::FileHeader, checksum));
  header.checksum = ration::checksum_of({&covered, 1});
  last_ = header.checksum;
  PrivateFile fresh(file);
  fresh.write(bytes);
  fresh.commit();
  bytes_ = bytes.size();
  descriptor_ = Descriptor(open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!descriptor_.is_open()) fail(errno);
}

void Journal::charge(std::span<const float> norms) {
  check_people(people_, norms.size(), "norms");
  const Bytes floats = std::as_bytes(norms);
  const journal::RecordHeader header = journal::header_after(last_, journal::Kind::norms);
  const Checksum checksum = journal::link(header.checksum, floats);
  append(std::array{std::as_bytes(std::span(&header, 1)), floats, Bytes(checksum)});
  last_ = checksum;
  has_norms_ = true;
}

void Journal::charge_again() {
  if (!has_norms_) throw Error("journal has no step to repeat: give the norms");
  const journal::RecordHeader header = journal::header_after(last_, journal::Kind::again);
  append(std::array{std::as_bytes(std::span(&header, 1))});
  last_ = header.checksum;
}

void Journal::progress(Bytes state) {
  const auto header = journal::header_after(last_, journal::progress_of(state.size()));
  const Checksum checksum = journal::link(header.checksum, state);
  append(std::array{std::as_bytes(std::span(&header, 1)), state, Bytes(checksum)});
  last_ = checksum;
}

// In one call, so that what a kill leaves behind is a beginning of the record.
void Journal::append(std::span<const Bytes> parts) {
  if (failed_) throw WriteFailure("cannot write " + file_.string() + ": it failed before");
  std::array<iovec, 3> vectors{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    vectors[i] = {.iov_base = const_cast<std::byte*>(parts[i].data()), .iov_len = parts[i].size()};
    size += parts[i].size();
  }
  ssize_t written = 0;
  do {
    written = writev(descriptor_.number(), vectors.data(), static_cast<int>(parts.size()));
  } while (written < 0 && errno == EINTR);
  if (written < 0) fail(errno);
  if (static_cast<std::size_t>(written) != size) fail(ENOSPC);
  bytes_ += size;
  // Who resumes reads the file of this name: if that is another one by now, the step is not in it.
  struct stat status {};
  if (fstat(descriptor_.number(), &status) != 0) fail(errno);
  if (status.st_nlink == 0) {
    failed_ = true;
    throw WriteFailure("cannot write " + file_.string() +
                       ": it was removed or replaced meanwhile; is another training using it?");
  }
}

void Journal::sync() {
  if (failed_) throw WriteFailure("cannot write " + file_.string() + ": it failed before");
  if (fdatasync(descriptor_.number()) != 0) fail(errno);
}

void Journal::fail(int error) {
  failed_ = true;
  throw WriteFailure("cannot write " + file_.string() + ": " +
                     std::generic_category().message(error));
}

namespace {

using Charge = std::function<void(std::span<const float>, std::uint64_t)>;
using Progress = std::function<void(Bytes)>;

constexpr std::string_view kAJournal = "a journal that Ration wrote";
constexpr std::string_view kWhole = "the file as Ration wrote it last";

// The header is there in one piece or not at all: a shorter one is damage.
journal::FileHeader read_header(const std::string& source, Bytes bytes) {
  const Bytes magic = std::as_bytes(std::span(journal::kMagic));
  const std::size_t common = std::min(bytes.size(), magic.size());
  if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(common),
                  bytes.begin())) {
    refuse(source, "of another format", kAJournal);
  }
  journal::FileHeader header{};
  if (bytes.size() < sizeof header) {
    refuse(source, fmt::format("cut short, {} bytes long", bytes.size()), kWhole);
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != journal::kVersion) {
    refuse(source, fmt::format("of version {} of the journal's format", header.version),
           "one of version 1, or use the release of Ration that wrote it");
  }
  const Bytes covered = bytes.first(offsetof(journal::FileHeader, checksum));
  if (header.checksum != ration::checksum_of({&covered, 1})) {
    refuse(source, "damaged: the checksum of its beginning is not right", kWhole);
  }
  return header;
}

// Takes records off the front of `rest`. A record's own header is checked before the record's
// length is believed: what looks cut off is, and no changed byte can hide the records behind it.
void read_records(const std::string& source, const MappedFile& file,
                  const journal::FileHeader& header, const Charge& charge,
                  const Progress& progress) {
  const auto damaged = [&](std::uint64_t step) {
    refuse(source, fmt::format("damaged: the checksum of step {} is not right", step), kWhole);
  };
  Bytes rest = file.bytes().subspan(sizeof header);
  const std::size_t row = header.people * sizeof(float);  // of that many people there are accounts
  Checksum last = header.checksum;
  Bytes norms;
  std::uint64_t steps = 0, before = 0;  // with these norms and not yet given, and before them
  const auto give = [&] {
    if (steps == 0) return;
    charge({reinterpret_cast<const float*>(norms.data()), header.people}, steps);
    file.release(norms);
    before += std::exchange(steps, 0);
  };
  // What follows a record's header; nothing if it is cut off.
  const auto take = [&](std::uint64_t size) -> std::optional<Bytes> {
    if (rest.size() < size || rest.size() - size < sizeof(Checksum)) return std::nullopt;
    const Bytes taken = rest.first(size), checksum = rest.subspan(size, sizeof(Checksum));
    last = journal::link(last, taken);
    if (!std::equal(last.begin(), last.end(), checksum.begin())) damaged(before + steps);
    rest = rest.subspan(size + sizeof(Checksum));
    return taken;
  };
  while (rest.size() >= sizeof(journal::RecordHeader)) {
    journal::RecordHeader record{};
    std::memcpy(&record, rest.data(), sizeof record);
    rest = rest.subspan(sizeof record);
    if (record.checksum != journal::header_after(last, record.kind).checksum) {
      damaged(before + steps);
    }
    last = record.checksum;
    if (record.kind == journal::Kind::again && !norms.empty()) {
      ++steps;
    } else if (record.kind == journal::Kind::norms) {
      const auto taken = take(row);
      if (!taken) break;
      give();
      norms = *taken;
      steps = 1;
    } else if (journal::is_progress(record.kind)) {
      const auto taken = take(journal::bytes_of_progress(record.kind));
      if (!taken) break;
      give();
      if (progress) progress(*taken);
    } else {
      refuse(source, "inconsistent: it repeats a step that is not there", kAJournal);
    }
  }
  give();
}

}  // namespace

void replay(const std::filesystem::path& file, std::uint64_t generation, std::size_t people,
            const std::function<void(std::span<const float> norms, std::uint64_t steps)>& charge,
            const std::function<void(Bytes state)>& progress) {
  const std::string source = file.string();
  std::error_code error;
  if (std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found) {
    refuse(source, "missing",
           "the journal that lay beside the checkpoint: it holds what was charged since");
  }
  const MappedFile mapped(file, kAJournal);
  const journal::FileHeader header = read_header(source, mapped.bytes());
  if (header.people != people) {
    refuse(source, fmt::format("a journal of {} people", header.people),
           fmt::format("one of {}", people));
  }
  if (header.generation > generation) {
    refuse(source,
           fmt::format("the journal of checkpoint {}, not of {}", header.generation, generation),
           "the checkpoint that was written last");
  }
  if (header.generation == generation) read_records(source, mapped, header, charge, progress);
}

}  // namespace ration::train
