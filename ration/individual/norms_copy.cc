// Copies of norms, compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/individual/norms_copy.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>
#include <sodium.h>

#include <cstring>
#include <limits>

#include "ration/base/error.h"
#include "ration/individual/bucket_rule.h"
#include "ration/individual/norms.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The print is NH (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999): with w the numbers as words of
// 32 bits and k the key, the sum of (w_2i + k_2i mod 2^32) (w_2i+1 + k_2i+1 mod 2^32) mod 2^64.
template <class Real>
constexpr size_t kWords = sizeof(Real) / sizeof(uint32_t);

// From our own memory. An odd word has a partner that is zero.
template <class Real>
HWY_INLINE uint64_t print_of_rest(const Real* own, size_t count, const uint32_t* key) {
  uint64_t print = 0;
  for (size_t i = 0; i < count; i += sizeof(uint64_t) / sizeof(Real)) {
    uint32_t w[2] = {0, 0};
    const size_t left = (count - i) * sizeof(Real);
    std::memcpy(w, own + i, left < sizeof(w) ? left : sizeof(w));
    const uint32_t* k = key + i * kWords<Real>;
    print += uint64_t{w[0] + k[0]} * uint64_t{w[1] + k[1]};
  }
  return print;
}

struct CopiedVectors {
  size_t count;  // numbers that were copied
  bool sure;     // that they are norms; otherwise they may be
  uint64_t print;
};

// As many as fill vectors. What may be no norm is seen from sign bits, as in norms.cc.
template <class Real>
HWY_INLINE CopiedVectors copy_vectors(const uint32_t* HWY_RESTRICT key,
                                      const Real* HWY_RESTRICT from, Real* HWY_RESTRICT to,
                                      size_t count) {
#if HWY_TARGET == HWY_SCALAR  // a vector of one has no pairs
  (void)key, (void)from, (void)to, (void)count;
  return {.count = 0, .sure = true, .print = 0};
#else
  using Bits = BitsOf<Real>;
  const hn::ScalableTag<Bits> bits;
  const hn::ScalableTag<uint32_t> words;
  const hn::ScalableTag<uint64_t> wide;
  const auto one_exponent = hn::Set(bits, Bits{1} << (std::numeric_limits<Real>::digits - 1));
  auto seen = hn::Zero(bits);
  auto print = hn::Zero(wide);
  const size_t lanes = hn::Lanes(bits);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto read = hn::LoadU(bits, reinterpret_cast<const Bits*>(from + i));
    hn::StoreU(read, bits, reinterpret_cast<Bits*>(to + i));
    seen = hn::Or(seen, hn::Or(read, hn::Add(read, one_exponent)));
    const auto salted = hn::Add(hn::BitCast(words, read), hn::LoadU(words, key + i * kWords<Real>));
    const auto odd = hn::BitCast(words, hn::ShiftRight<32>(hn::BitCast(wide, salted)));
    print = hn::Add(print, hn::MulEven(salted, odd));
  }
  HWY_ALIGN Bits all[hn::MaxLanes(bits)];
  hn::Store(seen, bits, all);
  Bits any = 0;
  for (size_t k = 0; k < lanes; ++k) any |= all[k];
  return {.count = i,
          .sure = any <= BucketRule<Real>::kMagnitude,
          .print = hn::GetLane(hn::SumOfLanes(wide, print))};
#endif
}

template <class Real>
NormsRead copy_all(const uint32_t* key, const Real* from, Real* to, size_t count) {
  const CopiedVectors vectors = copy_vectors(key, from, to, count);
  const size_t done = vectors.count;
  for (size_t i = done; i < count; ++i) to[i] = read_once(from[i]);
  const size_t sure = vectors.sure ? done : 0;
  return {
      .are_norms = are_norms(std::span<const Real>(to + sure, count - sure)),
      .print = vectors.print + print_of_rest(to + done, count - done, key + done * kWords<Real>)};
}

NormsRead CopyFloats(const uint32_t* key, const float* from, float* to, size_t count) {
  return copy_all(key, from, to, count);
}
NormsRead CopyDoubles(const uint32_t* key, const double* from, double* to, size_t count) {
  return copy_all(key, from, to, count);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(CopyFloats);
HWY_EXPORT(CopyDoubles);

const PrintKey& print_key() {
  static const PrintKey drawn = [] {
    if (sodium_init() < 0)
      throw Error("libsodium cannot start: the system gives no random numbers");
    PrintKey key;
    randombytes_buf(key.data(), sizeof(key));
    return key;
  }();
  return drawn;
}

NormsRead copy_norms(const PrintKey& key, std::span<const float> from, float* to) {
  return HWY_DYNAMIC_DISPATCH(CopyFloats)(key.data(), from.data(), to, from.size());
}
NormsRead copy_norms(const PrintKey& key, std::span<const double> from, double* to) {
  return HWY_DYNAMIC_DISPATCH(CopyDoubles)(key.data(), from.data(), to, from.size());
}

}  // namespace ration
#endif  // HWY_ONCE
