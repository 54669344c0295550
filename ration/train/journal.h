// What was charged since the last checkpoint, on disk: a private file (mode 0600 from its first
// byte) that is only ever appended to, each step before its sum is used. With it a training that is
// killed at any moment has forgotten no charge: load the checkpoint, replay the journal, go on. The
// steps in the journal are lost, not what they cost: who redoes them pays again.
//
// A journal belongs to one generation of checkpoints. In this order, nothing is ever lost:
//   start:   Journal(file, 0, people), then checkpoint 0
//   each step:  charge, then use the sum; sync before anything made from it is shown
//   checkpoint: checkpoint g + 1, then Journal(file, g + 1, people)
//   resume:  load checkpoint g, replay(file, g, ...), then as after a checkpoint
// So whatever is killed when, beside checkpoint g lies its journal or, if the new one was not
// started, an older one, all of whose charges the checkpoint holds. There is no moment without any
// journal: a missing one has been lost, and with it charges.
//
// For one caller at a time. A journal holds norms and is private. docs/state.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "ration/file/checksum.h"
#include "ration/file/descriptor.h"

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

  // To the disk: before anything made from these steps is shown to anybody.
  void sync();

 private:
  void append(std::span<const Bytes> parts);
  [[noreturn]] void fail(int error);

  std::filesystem::path file_;
  std::size_t people_;
  Descriptor descriptor_;
  Checksum last_{};  // of what was written last
  bool has_norms_ = false, failed_ = false;
};

// What a journal says, in order: norms, and how many steps in a row had them. A record that the end
// of the file cuts off was never used and does not count. A journal of an older generation holds
// nothing new and is not looked into. Refuses a missing one, one of a newer generation or of other
// people, and any damage; perhaps after some calls, whose charges are of no use then. The norms are
// a view into the file, valid during the call.
void replay(const std::filesystem::path& file, std::uint64_t generation, std::size_t people,
            const std::function<void(std::span<const float> norms, std::uint64_t steps)>& charge);

}  // namespace ration::train
