#include "ration/train/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/file/private_file.h"
#include "ration/train/journal_format.h"

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
  header.checksum = checksum_of({&covered, 1});
  last_ = header.checksum;
  PrivateFile fresh(file);
  fresh.write(bytes);
  fresh.commit();
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

}  // namespace ration::train
