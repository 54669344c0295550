#include "ration/ledger/blocks.h"

#include <algorithm>
#include <functional>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"

namespace ration::ledger {
namespace {

bool all_equal(const std::vector<std::uint32_t>& kinds) {
  return std::adjacent_find(kinds.begin(), kinds.end(), std::not_equal_to<>()) == kinds.end();
}

[[noreturn]] void damaged(const char* what) {
  throw Error(std::string("ledger is damaged: ") + what);
}

// Of all that follows the digest in its record.
Checksum digest_of_block(std::uint64_t block, Bytes record) {
  return digest_of(Writer()
                       .text("ration ledger block 1")
                       .whole(block)
                       .bytes(record.subspan(sizeof(Checksum)))
                       .blob());
}

}  // namespace

// Kinds are one number if all are equal.
Blob sealed(std::uint64_t block, Account& account) {
  const std::size_t kinds =
      all_equal(account.kinds) ? std::min<std::size_t>(1, account.count()) : account.count();
  Writer out;
  out.checksum({}).checksum(account.people).whole(account.count()).whole(kinds);
  for (std::size_t i = 0; i < kinds; ++i) out.whole(account.kinds[i]);
  out.raw(std::as_bytes(std::span(account.spent)));
  out.raw(std::as_bytes(std::span(account.reserved)));
  Blob record = out.blob();
  account.digest = digest_of_block(block, record);
  std::copy(account.digest->begin(), account.digest->end(), record.begin());
  return record;
}

Account unsealed(std::uint64_t block, Bytes record, std::size_t places) {
  Reader in(record);
  Account account;
  account.digest = in.checksum();
  if (*account.digest != digest_of_block(block, record)) {
    damaged("accounts are not what their digest says");
  }
  account.people = in.checksum();
  const std::uint64_t count = in.whole(), kinds = in.whole();
  if (count > kBlock || (kinds != count && kinds != 1)) damaged("a block has no people");
  account.kinds.resize(count);
  for (std::uint64_t i = 0; i < kinds && i < count; ++i) {
    account.kinds[i] = static_cast<std::uint32_t>(in.whole());
  }
  if (kinds == 1) std::fill(account.kinds.begin(), account.kinds.end(), account.kinds.at(0));
  account.spent = Reader::units(in.raw(count * places * sizeof(Units)));
  account.reserved = Reader::units(in.raw(count * places * sizeof(Units)));
  if (in.more()) damaged("a block is too long");
  return account;
}

Blob record_of(std::span<const std::string> ids) {
  Writer out;
  for (const std::string& id : ids) out.text(id);
  return out.blob();
}

std::vector<std::string> ids_in(Bytes record) {
  std::vector<std::string> ids;
  for (Reader in(record); in.more();) ids.push_back(in.text());
  return ids;
}

Row left_of(const Account& account, std::size_t person, const Rows& budgets) {
  Row left = budgets.at(account.kinds[person]);
  const std::size_t from = person * left.size();
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k] == kMostUnits) continue;
    const Units used = add_saturated(account.spent[from + k], account.reserved[from + k]);
    if (used > left[k]) damaged("somebody has spent more than their budget");
    left[k] -= used;
  }
  return left;
}

Row shown(std::span<const Units> counted, const Row& budget) {
  Row row(counted.begin(), counted.end());
  bool nothing = true;
  for (std::size_t k = 0; k < row.size(); ++k) nothing &= row[k] == 0 || budget[k] == kMostUnits;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (budget[k] == kMostUnits) row[k] = nothing ? 0 : kMostUnits;
  }
  return row;
}

Row reserve(Account& account, std::size_t person, const Rows& budgets, const Row& limit) {
  Row taken = left_of(account, person, budgets);
  bool some = true;
  for (std::size_t k = 0; k < taken.size(); ++k) {
    taken[k] = std::min(taken[k], limit[k]);
    some &= taken[k] != 0;
  }
  if (!some) return Row(taken.size());
  const Row& budget = budgets[account.kinds[person]];
  for (std::size_t k = 0; k < taken.size(); ++k) {
    if (budget[k] != kMostUnits) account.reserved[person * taken.size() + k] += taken[k];
  }
  return taken;
}

bool settle(Account& account, std::size_t person, const Rows& budgets,
            std::span<const Units> reserved, std::span<const Units> charge) {
  if (!is_total(charge)) return false;
  const Row& budget = budgets.at(account.kinds[person]);
  const std::size_t from = person * budget.size();
  for (std::size_t k = 0; k < charge.size(); ++k) {
    if (charge[k] > reserved[k]) return false;
    if (budget[k] != kMostUnits && reserved[k] > account.reserved[from + k]) {
      damaged("less is reserved than a grant has taken");
    }
  }
  for (std::size_t k = 0; k < charge.size(); ++k) {
    if (budget[k] == kMostUnits) continue;
    account.reserved[from + k] -= reserved[k];
    account.spent[from + k] += charge[k];
  }
  return true;
}

// A purse that holds what is spent and what is reserved; afterwards it is taken apart again.
void admit(Account& account, std::span<const std::size_t> who, const Rows& budgets,
           const Price& price, std::span<const double> norms, std::uint8_t* mask) {
  const std::size_t places = budgets.at(0).size();
  std::vector<Units> used, budget;
  for (const std::size_t person : who) {
    const Row& own = budgets.at(account.kinds[person]);
    left_of(account, person, budgets);  // checks that there is no less than nothing
    for (std::size_t k = 0; k < places; ++k) {
      const std::size_t at = person * places + k;
      used.push_back(account.spent[at] + account.reserved[at]);
      budget.push_back(own[k]);
    }
  }
  const DefaultFloatEnvironment environment;
  price.admit(norms,
              {.places = places,
               .spent = used.data(),
               .budgets = budget.data(),
               .stride = places,
               .kind_of = nullptr},
              mask);
  for (std::size_t i = 0; i < who.size(); ++i) {
    for (std::size_t k = 0; k < places; ++k) {
      const std::size_t at = who[i] * places + k;
      if (budget[i * places + k] != kMostUnits) {
        account.spent[at] = used[i * places + k] - account.reserved[at];
      }
    }
  }
}

Blob record_of_reserves(std::span<const Units> rows, std::size_t places) {
  const auto first = rows.first(std::min(places, rows.size()));
  bool equal = true;
  for (std::size_t i = 0; i < rows.size(); ++i) equal &= rows[i] == first[i % places];
  return Writer().whole(rows.size() / places).row(equal ? first : rows).blob();
}

std::vector<Units> reserves_in(Bytes record, std::size_t places) {
  Reader in(record);
  const std::uint64_t people = in.whole();
  std::vector<Units> rows = in.row();
  if (people > kBlock) damaged("reserves do not fit their block");
  if (rows.size() == places) {
    for (std::size_t i = 1; i < people; ++i) {
      for (std::size_t k = 0; k < places; ++k) rows.push_back(rows[k]);
    }
  }
  if (rows.size() != people * places) damaged("reserves do not fit their block");
  return rows;
}

}  // namespace ration::ledger
