// Accounts of people who have ids, saved with them.

#include <gtest/gtest.h>

#include "ration/individual/step.h"
#include "ration/state/saved.h"
#include "ration/state/state_file.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

Accounts some_accounts() {
  Accounts accounts(3, Buckets::from(2, 8));
  const std::vector<double> norms = {1, 0.5, 0};
  accounts.record({.noise = 2, .rate = 0.1}, std::span<const double>(norms));
  return accounts;
}

TEST(AccountsWithIds, AreLoadedAsTheyWereSaved) {
  const Scratch files;
  const Ids ids({"P-17", "a,\"b\"", "Zo\xC3\xAB"});
  save(files.file("s"), some_accounts(), ids);
  const auto both = load<AccountsWithIds>(files.file("s"));
  EXPECT_TRUE(std::equal(ids.all().begin(), ids.all().end(), both.ids.all().begin()));
  EXPECT_EQ(both.accounts.state(), some_accounts().state());
  EXPECT_EQ(load<Accounts>(files.file("s")).state(), some_accounts().state());
  const auto bytes = saved(some_accounts(), ids);
  EXPECT_EQ(contents(files.file("s")),
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(restored<AccountsWithIds>(bytes).ids.find("P-17"), 0u);
}

TEST(AccountsWithIds, WithoutIdsAreTheFileOfBefore) {
  const Scratch files;
  save(files.file("plain"), some_accounts());
  save(files.file("none"), some_accounts(), Ids());
  EXPECT_EQ(contents(files.file("plain")), contents(files.file("none")));
  EXPECT_TRUE(load<AccountsWithIds>(files.file("plain")).ids.empty());
}

TEST(AccountsWithIds, OfAnotherNumberOfPeopleAreRefused) {
  const Scratch files;
  EXPECT_EQ(refusal([&] { save(files.file("s"), some_accounts(), Ids({"a"})); }),
            "number of ids is 1: give one for each person");
  const auto damaged = [&](std::string_view text) {
    const std::vector<std::byte> bytes = saved(some_accounts());
    StateReader whole{std::span<const std::byte>(bytes)};
    StateWriter writer("accounts");
    for (const char* name : {"edges", "rates"}) writer.add(name, whole.array<double>(name));
    writer.add("steps", whole.array<std::uint64_t>("steps"));
    writer.add("counts", whole.array<std::uint32_t>("counts"));
    writer.add("unsampled", whole.array<std::uint64_t>("unsampled"));
    writer.add_text("ids", text);
    writer.write(files.file("d"));
    return refusal(files, [&] { load<Accounts>(files.file("d")); });
  };
  const std::string holds = "d holds what no steps lead to: ";
  EXPECT_EQ(damaged("a\nb\nc\n"), "accepted");
  EXPECT_EQ(damaged("a\nb\n"), holds + "number of ids is 2: give one for each person");
  EXPECT_EQ(damaged("a\nb\nc"), holds + "the last id has no end");
  EXPECT_EQ(damaged("a\na\nc\n"),
            holds + "ids at positions 0 and 1 (from 0) are the same: give each person once");
}

}  // namespace
}  // namespace ration
