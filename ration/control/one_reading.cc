#include "ration/control/one_reading.h"

namespace ration {
namespace {

template <class Real>
std::vector<Real> copy_of(std::span<const Real> norms, std::uint64_t step) {
  std::vector<Real> own(norms.size());
  const PrintKey& key = print_key();
  std::atomic<bool> all = true;
  for_blocks_of_people(norms.size(), [&](std::size_t begin, std::size_t count) {
    for (std::size_t from = begin; from < begin + count; from += kMostCopied) {
      const auto tile = norms.subspan(from, std::min(kMostCopied, begin + count - from));
      if (!copy_norms(key, tile, own.data() + from).are_norms) all = false;
    }
  });
  if (!all) check_norms(std::span<const Real>(own), step);  // refuses: nobody else changes it
  return own;
}

}  // namespace

OwnNorms::OwnNorms(const Norms& norms, std::uint64_t step)
    : own_(std::visit([&](auto all) -> decltype(own_) { return copy_of(all, step); }, norms)) {}

}  // namespace ration
