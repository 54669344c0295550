// What one step costs under the tight filter: by the norm what the price list says, an entry's
// price or one in between; a whole step for whoever is near the end of their budget.
// docs/math/tight_filter.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/control/currency.h"
#include "ration/control/price_list.h"

namespace ration {

class TightPrice final : public Price {
 public:
  // Refuses less noise, or a larger rate, than the list pays for.
  TightPrice(const Step& step, const PriceList& list);

  // What they cost whoever is not near the end.
  void charges(const Norms& norms, Units* out) const override;
  Row worst_case() const override { return {pieces_.front().price}; }

  void admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const override;
  std::uint32_t times_that_fit(std::span<const Units> charge, const Units* spent,
                               const Units* budget, std::uint32_t most) const override;
  void pay(std::span<const Units> charge, Units* spent, const Units* budget,
           std::uint32_t times) const override;
  void give_back(std::span<const Units> charge, Units* spent, const Units* budget) const override;

 private:
  Units price(double norm) const {
    if (norm == 0) return 0;
    std::size_t entry = cells_[cell_of(norm)];
    while (norm <= pieces_[entry + 1].limit) ++entry;
    const Piece& piece = pieces_[entry];
    const double above = piece.slope * (norm - pieces_[entry + 1].limit);
    return above < piece.room ? piece.least + static_cast<Units>(above) : piece.price;
  }
  std::size_t cell_of(double norm) const;
  // How many of `most` steps at this price come before the end is near.
  std::uint64_t before_the_end(Units price, Units left, std::uint64_t most) const {
    return left < near_the_end_ ? 0
                                : std::min<std::uint64_t>((left - near_the_end_) / price + 1, most);
  }

  // Of an entry that can be asked for, from that at the clip bound.
  struct Piece {
    double limit;  // the largest norm that it pays for
    double slope;  // of prices below it, in units
    double room;   // how far they go up
    Units least, price;
  };
  std::vector<Piece> pieces_;         // and one for no norm at all
  std::vector<std::uint32_t> cells_;  // the entry that pays for all norms that agree in first bits
  std::uint64_t first_cell_ = 0;
  Units near_the_end_;
};

}  // namespace ration
