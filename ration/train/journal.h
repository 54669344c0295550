// What was charged since the last checkpoint, on disk: a private file (mode 0600 from its first
// byte) that is only ever appended to, each step before its sum is used. With it a training that is
// killed at any moment has forgotten no charge: load the checkpoint, replay the journal, go on. Now
// and then it also says how far training had come, without the charges, which it has already: the
// steps after that are lost, not what they cost. Whoever does them again pays again.
//
// A journal belongs to one generation of checkpoints. In this order, nothing is ever lost:
//   start:   Journal(file, 0, people), then checkpoint 0
//   each step:  charge, then use the sum; sync before anything made from it is shown
//   now and then:  progress, after a step's sum was used
//   checkpoint: checkpoint g + 1, then Journal(file, g + 1, people)
//   resume:  load checkpoint g, replay(file, g, ...), then as after a checkpoint
// So whatever is killed when, beside checkpoint g lies its journal or, if the new one was not
// started, an older one, all of whose charges the checkpoint holds. There is no moment without any
// journal: a missing one has been lost, and with it charges.
//
// For one caller at a time. A journal holds norms and is private. docs/state.md
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "ration/file/checksum.h"
#include "ration/file/open_file.h"

namespace ration::train {

class Journal {
 public:
  // Starts anew, in one move: an empty journal of this generation; what stood there is gone.
  Journal(const std::filesystem::path& file, std::uint64_t generation, std::size_t people);

  // One step at which everybody pays for these norms, or for the same as at the step before. Throws
  // WriteFailure if it cannot be written whole; then the step must not be used, and nothing more is
  // written to this journal. After a return it outlives the process, but perhaps not the machine.
  void charge(std::span<const float> norms);
  void charge_again();  // 40 bytes. Refuses when there was no step before in this journal

  // How far training has come: with what all charges so far have led to. Throws as charge() does.
  void progress(Bytes state);

  // To the disk: before anything made from these steps is shown to anybody.
  void sync();

  std::uint64_t bytes() const { return bytes_; }  // of the whole file

 private:
  void append(std::span<const Bytes> parts);
  [[noreturn]] void fail(int error);

  std::filesystem::path file_;
  std::size_t people_;
  Descriptor descriptor_;
  std::uint64_t bytes_ = 0;
  Checksum last_{};  // of what was written last
  bool has_norms_ = false, failed_ = false;
};

// What a journal says, in order: norms, and how many steps in a row had them. A record that the end
// of the file cuts off was never used and does not count. A journal of an older generation holds
// nothing new and is not looked into. Refuses a missing one, one of a newer generation or of other
// people, and any damage; perhaps after some calls, whose charges are of no use then. The norms are
// a view into the file, valid during the call; so is the state of a progress, which comes after the
// charges that stand before it.
void replay(const std::filesystem::path& file, std::uint64_t generation, std::size_t people,
            const std::function<void(std::span<const float> norms, std::uint64_t steps)>& charge,
            const std::function<void(Bytes state)>& progress = {});

}  // namespace ration::train

namespace ration::train::journal {

// How a journal is laid out: docs/state.md. Shared by its writer, its reader and their tests.
static_assert(std::endian::native == std::endian::little,
              "norms are written as they lie in memory");

inline constexpr std::string_view kMagic = "\x89RATJNL\n";  // 8 bytes
inline constexpr std::uint32_t kVersion = 1;

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t generation;
  std::uint64_t people;
  Checksum checksum;  // of the 32 bytes before
};
static_assert(sizeof(FileHeader) == 64);

// A record's length follows from its kind. norms: this header, a float for each person, and the
// checksum of (header's checksum, floats). again: this header alone. progress: as norms, but with
// any bytes; how many stands in the upper seven bytes of the kind.
enum class Kind : std::uint64_t { norms = 1, again = 2, progress = 3 };
inline Kind progress_of(std::size_t bytes) {
  return static_cast<Kind>(static_cast<std::uint64_t>(Kind::progress) | std::uint64_t{bytes} << 8);
}
inline bool is_progress(Kind kind) {
  return (static_cast<std::uint64_t>(kind) & 0xff) == static_cast<std::uint64_t>(Kind::progress);
}
inline std::uint64_t bytes_of_progress(Kind kind) { return static_cast<std::uint64_t>(kind) >> 8; }
struct RecordHeader {
  Kind kind;
  Checksum checksum;  // of (last checksum before this record, kind)
};
static_assert(sizeof(RecordHeader) == 40);

// Each checksum covers the one before, so that a record is right only where it was written: after
// all the others of this journal.
inline Checksum link(const Checksum& before, Bytes bytes) {
  const std::array<Bytes, 2> parts = {Bytes(before), bytes};
  return checksum_of(parts);
}
inline RecordHeader header_after(const Checksum& before, Kind kind) {
  return {.kind = kind, .checksum = link(before, std::as_bytes(std::span(&kind, 1)))};
}

}  // namespace ration::train::journal
