// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/control/tight_kernel.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include "ration/control/admit-inl.h"
#include "ration/control/tight_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {

using Places = hn::Rebind<std::int32_t, Counts>;

struct CellCosts {
  explicit HWY_INLINE CellCosts(const CellPrices& cells)
      : scalar(cells),
        prices(cells.prices.data()),
        of_clip(hn::Set(Places(), cells.of_clip)),
        of_float_clip(hn::Set(Places(), cells.of_clip - kToDouble)),
        free(hn::Set(Places(), static_cast<std::int32_t>(cells.prices.size()) - 1)),
        near(hn::Set(Counts(), cells.near_the_end)),
        whole(hn::Set(Counts(), PriceList::kWholeStep)) {}

  template <class Real>
  HWY_INLINE hn::Mask<Counts> cost(const Real* norms, hn::Vec<Counts> left,
                                   hn::Vec<Counts>& paid) const {
    const Counts counts;
    const auto price = look_up(places_of(norms));
    const auto ends = hn::Lt(left, near);
    if (HWY_LIKELY(hn::AllFalse(counts, ends))) {
      paid = price;
      return ends;
    }
    // A price is at most a whole step, and the end is near where fewer than two are left.
    const auto none = hn::Eq(price, hn::Zero(counts));
    const auto halted = hn::AndNot(none, hn::Lt(left, whole));
    const auto due = hn::IfThenElse(ends, whole, price);
    paid = hn::IfThenZeroElse(hn::Or(none, halted), due);
    return halted;
  }
  HWY_INLINE bool cost_of(double norm, Units left, Units& paid) const {
    paid = scalar.cost(scalar.prices[scalar.place_of(norm)], left);
    return paid <= left;
  }

 private:
  // Bits of a float below its cell, and what its cell is less than that of the same double.
  static constexpr int kBelowFloats = kBelowCells - 29;
  static constexpr std::int32_t kToDouble = (1023 - 127) << (52 - kBelowCells);

  // Places in the list of prices, as CellPrices::place_of gives them. Of a cell only the sign of a
  // zero is left where a norm is none.
  HWY_INLINE hn::Vec<Places> places_of(const float* norms) const {
    const hn::Rebind<std::uint32_t, Counts> words;
    const auto bits = hn::BitCast(words, hn::LoadU(hn::Rebind<float, Counts>(), norms));
    const auto up = hn::Add(bits, hn::Set(words, (1U << kBelowFloats) - 1));
    const auto cell = hn::BitCast(Places(), hn::ShiftRight<kBelowFloats>(up));
    return places(hn::Sub(of_float_clip, cell), hn::ShiftLeft<kBelowFloats + 1>(cell));
  }
  HWY_INLINE hn::Vec<Places> places_of(const double* norms) const {
    const Counts counts;
    const auto bits = hn::BitCast(counts, hn::LoadU(hn::Rebind<double, Counts>(), norms));
    constexpr auto kUp = (std::uint64_t{1} << kBelowCells) - 1;
    const auto up = hn::ShiftRight<kBelowCells>(hn::Add(bits, hn::Set(counts, kUp)));
    const auto cell = hn::BitCast(Places(), hn::TruncateTo(hn::RebindToUnsigned<Places>(), up));
    return places(hn::Sub(of_clip, cell), hn::ShiftLeft<kBelowCells + 1 - 32>(cell));
  }
  HWY_INLINE hn::Vec<Places> places(hn::Vec<Places> below, hn::Vec<Places> unsigned_cell) const {
    const Places d;
    const auto zero = hn::Zero(d), last = hn::Sub(free, hn::Set(d, 1));
    const auto place = hn::Max(hn::Min(below, last), zero);
    return hn::IfThenElse(hn::Eq(unsigned_cell, zero), free, place);
  }
  // One by one, which is faster than a gather.
  HWY_INLINE hn::Vec<Counts> look_up(hn::Vec<Places> places) const {
    HWY_ALIGN std::int32_t at[hn::MaxLanes(Places())];
    HWY_ALIGN Units found[hn::MaxLanes(Counts())];
    hn::Store(places, Places(), at);
    for (size_t k = 0; k < hn::Lanes(Counts()); ++k) found[k] = prices[at[k]];
    return hn::Load(Counts(), found);
  }

  const CellPrices& scalar;
  const std::uint32_t* prices;
  hn::Vec<Places> of_clip, of_float_clip, free;
  hn::Vec<Counts> near, whole;
};

void AdmitFloats(const CellPrices& cells, const float* norms, const Purses& purses,
                 std::uint8_t* mask, size_t count) {
  admit_all(CellCosts(cells), norms, purses, mask, count);
}
void AdmitDoubles(const CellPrices& cells, const double* norms, const Purses& purses,
                  std::uint8_t* mask, size_t count) {
  admit_all(CellCosts(cells), norms, purses, mask, count);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(AdmitFloats);
HWY_EXPORT(AdmitDoubles);

void admit_batch(const CellPrices& cells, const float* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AdmitFloats)(cells, norms, purses, mask, count);
}
void admit_batch(const CellPrices& cells, const double* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AdmitDoubles)(cells, norms, purses, mask, count);
}

}  // namespace ration
#endif  // HWY_ONCE
