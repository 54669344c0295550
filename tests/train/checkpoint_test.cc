#include "ration/train/checkpoint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/control/tight_currency.h"
#include "ration/state/state_file.h"
#include "tests/file/scratch.h"
#include "tests/oracle/random.h"
#include "tests/state/damage.h"
#include "tests/state/documented_sections.h"

namespace ration::train {
namespace {

constexpr std::size_t kPeople = 11;
const Buckets kBuckets = Buckets::from(1, 8);

enum class With { none, gdp, rdp, tight };
const std::vector<With> kAll = {With::none, With::gdp, With::rdp, With::tight};

Books books_with(With with) {
  if (with == With::none) return {kPeople, kBuckets, {}};
  if (with == With::tight) {  // prices as a file may hold them, made by no search
    const PriceList list = price_list({.step = {.noise = 2, .rate = 1}, .tilt = 1});
    const CurrencyPtr prices =
        tight_currency(list, 1e-5, {{.units = 40 * PriceList::kWholeStep, .epsilon = 3}});
    return {kPeople, kBuckets, Filter(kPeople, prices, EpsilonBudget{.epsilon = 3, .delta = 1e-5})};
  }
  if (with == With::rdp) {
    return {kPeople, kBuckets, Filter(kPeople, renyi_currency({1.5, 4, 16}), MuBudget{2})};
  }
  return {kPeople, kBuckets, Filter(kPeople, gdp_currency(), MuBudget{2})};
}

// Who took part in each of some random steps.
std::vector<std::vector<std::uint8_t>> go_on(Books& books, unsigned seed, int steps) {
  oracle::Random random(seed);
  const bool sampling =
      !books.settle().filter || books.settle().filter->currency().takes_sampling();
  std::vector<std::vector<std::uint8_t>> masks;
  for (int k = 0; k < steps; ++k) {
    std::vector<float> norms(kPeople);
    for (float& x : norms) x = 0.25F * static_cast<float>(static_cast<int>(random.uniform(0, 6)));
    masks.emplace_back(kPeople);
    books.charge({.noise = 2, .rate = sampling && k % 3 != 0 ? 0.1 : 1.0}, norms, masks.back());
  }
  return masks;
}

TrainingState some_training() {
  return {.generation = 3,
          .step = 20,
          .parameters = {1, -2, std::numeric_limits<float>::denorm_min()},
          .optimiser = {{4, 5, 6}, {7, 8, 9}},
          .optimiser_steps = 19,
          .held_norms = std::vector<float>(kPeople, 0.5F),
          .settings = "noise = 2\n# \"any\" text",
          .people = "0f",
          .shown_rows = "1,1,0.5\n",
          .private_rows = "1,1,0.7,99\n",
          .followed_rows = "1,1,0.1,0.2,1\n"};
}

// The bytes of a checkpoint say all that is in it.
std::string bytes_of(const Scratch& scratch, const TrainingState& training, Books& books) {
  save_checkpoint(scratch.file("bytes"), training, books.settle());
  return contents(scratch.file("bytes"));
}

TEST(Checkpoint, GoesOnAsIfItHadNeverStopped) {
  const Scratch scratch;
  for (const With with : kAll) {
    for (const bool held : {false, true}) {
      Books books = books_with(with);
      go_on(books, 1, 25);
      TrainingState training = some_training();
      if (!held) training.held_norms.clear();
      if (!held) training.optimiser.clear();
      if (!held) training.followed_rows.clear();
      save_checkpoint(scratch.file("c"), training, books.settle());
      auto [same_training, same_books] = load_checkpoint(scratch.file("c"));
      EXPECT_EQ(same_training, training);
      EXPECT_EQ(same_books.charged_steps(), 25u);
      EXPECT_EQ(same_books.settle().accounts.state(), books.settle().accounts.state());
      EXPECT_EQ(same_books.settle().attendance, books.settle().attendance);
      EXPECT_EQ(bytes_of(scratch, same_training, same_books), contents(scratch.file("c")));
      EXPECT_EQ(go_on(same_books, 2, 25), go_on(books, 2, 25));
      EXPECT_EQ(bytes_of(scratch, training, same_books), bytes_of(scratch, training, books));
    }
  }
}

TEST(Checkpoint, IsPrivateAndReplacedWhole) {
  const Scratch scratch;
  scratch.put("c", "public");
  std::filesystem::permissions(scratch.file("c"), std::filesystem::perms::all);
  Books books = books_with(With::gdp);
  go_on(books, 1, 20);
  save_checkpoint(scratch.file("c"), some_training(), books.settle());
  EXPECT_EQ(std::filesystem::status(scratch.file("c")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(scratch.files(), 1u);
}

// Written before filters became one class, with a filter of either currency.
TEST(Checkpoint, OfEarlierDaysIsLoadedAndSavedAgainByteForByte) {
  const Scratch scratch;
  for (const std::string filter : {"gdp", "rdp"}) {
    const std::string before =
        RATION_SOURCE_DIR "/tests/train/before/training-" + filter + ".state";
    auto [training, books] = load_checkpoint(before);
    EXPECT_TRUE(books.settle().filter.has_value());
    EXPECT_GT(books.charged_steps(), 0u);
    EXPECT_EQ(bytes_of(scratch, training, books), contents(before)) << filter;
  }
}

TEST(Checkpoint, AlteredAndTruncatedFilesAreRefused) {
  const Scratch scratch;
  for (const With with : kAll) {
    Books books = books_with(with);
    go_on(books, 1, 20);
    const std::string good = bytes_of(scratch, some_training(), books);
    expect_damage_is_refused(
        good, 300, [&](const std::string& bytes) { load_checkpoint(scratch.put("c", bytes)); });
  }
}

TEST(Checkpoint, RefusesToSaveWhatDoesNotFit) {
  const Scratch scratch;
  const auto refused = [&](const std::function<void(TrainingState&)>& change) {
    Books books = books_with(With::gdp);
    go_on(books, 1, 20);
    TrainingState training = some_training();
    change(training);
    return refusal([&] { save_checkpoint(scratch.file("c"), training, books.settle()); });
  };
  EXPECT_EQ(refused([](TrainingState& t) { t.step = 21; }),
            "training is at step 21 and only 20 steps were charged");
  EXPECT_EQ(refused([](TrainingState& t) { t.parameters.clear(); }),
            "parameters are missing: give at least one");
  EXPECT_EQ(refused([](TrainingState& t) { t.optimiser[1].pop_back(); }),
            "moments of the optimiser are 2: give one for each of 3 parameters");
  EXPECT_EQ(refused([](TrainingState& t) { t.held_norms.pop_back(); }),
            "held norms cover 10 people: give those of all 11");
  EXPECT_NE(refused([](TrainingState& t) { t.held_norms[2] = -1; }), "accepted");
  EXPECT_EQ(scratch.files(), 0u);
  EXPECT_EQ(refused([](TrainingState&) {}), "accepted");
}

// A right checksum does not make values possible.
struct Values {
  std::uint64_t step = 1;
  std::vector<float> moments = {1, 2, 3, 4}, held_norms = {0.5, 1};
  std::vector<std::uint32_t> attendance = {1, 0, Attendance::kNever, 0, 1, 0};
  std::string filter = "gdp";
  std::vector<Units> budgets = {9}, spent = {9, 1};
  bool more = false;
};
std::string refused(const Values& v) {
  const Scratch scratch;
  const std::vector<float> parameters = {1, 2};
  const std::vector<double> edges = {1, 2}, rates;
  const std::vector<std::uint32_t> counts;
  const std::vector<std::uint64_t> unsampled = {9, 1, 0, 0};
  StateWriter w("training");
  w.add_value("generation", std::uint64_t{0});
  w.add_value("step", v.step);
  w.add("parameters", parameters);
  w.add("moments", v.moments);
  w.add_value("optimiser-steps", std::uint64_t{1});
  w.add("held-norms", v.held_norms);
  w.add_text("settings", "");
  w.add_text("people", "");
  w.add_text("shown-rows", "");
  w.add_text("private-rows", "");
  w.add("accounts-edges", edges);
  w.add_value("accounts-steps", std::uint64_t{1});
  w.add("accounts-rates", rates);
  w.add("accounts-counts", counts);
  w.add("accounts-unsampled", unsampled);
  w.add("attendance", v.attendance);
  w.add_text("filter", v.filter);
  w.add("filter-budgets", v.budgets);
  w.add("filter-spent", v.spent);
  w.add_value("filter-steps", std::uint64_t{1});
  if (v.more) w.add_value("reserve", std::uint64_t{1});
  w.write(scratch.file("c"));
  return refusal(scratch, [&] { load_checkpoint(scratch.file("c")); });
}
TEST(Checkpoint, ValuesThatNoStepsLeadToAreRefused) {
  const std::string holds = "c holds what no steps lead to: ";
  EXPECT_EQ(refused({}), "accepted");
  EXPECT_EQ(refused({.step = 2}), holds + "training is at step 2 and only 1 steps were charged");
  EXPECT_EQ(refused({.moments = {1}}),
            holds + "moments of the optimiser are not one for each parameter");
  EXPECT_EQ(refused({.held_norms = {1}}), holds + "held norms cover 1 people: give those of all 2");
  EXPECT_NE(refused({.held_norms = {1, -1}}), "accepted");
  EXPECT_EQ(refused({.attendance = {1, 0, Attendance::kNever, 1, 1, 0}}),
            holds + "books are wrong: an attendance does not fit the number of steps");
  EXPECT_EQ(refused({.attendance = {1, 0}}),
            holds + "attendance is not three counts for each person");
  EXPECT_EQ(refused({.filter = "pdl"}), holds + "filter is pdl: give gdp, rdp or tight");
  EXPECT_EQ(refused({.filter = "rdp"}),
            "c is a training without filter-orders: give one that holds it");
  EXPECT_NE(refused({.filter = "none"}), "accepted") << "a filter that would be forgotten";
  EXPECT_EQ(refused({.spent = {10, 1}}),
            holds + "state of a filter is wrong: person 0 has spent more than their budget allows");
  EXPECT_EQ(refused({.spent = {1, 1, 1}}),
            holds + "budgets of the filter cover 3 people: give those of all 2");
  EXPECT_EQ(refused({.more = true}),
            "c is a training with reserve, which is unknown here: give a file of this release, or "
            "use the release of Ration that wrote it");
}

// Accounts and filter are documented by their own rows: here stand their prefixes alone.
TEST(Checkpoint, SectionsAreThoseOfTheDocumentation) {
  const Scratch scratch;
  Books books = books_with(With::rdp);
  go_on(books, 1, 20);
  const std::string bytes = bytes_of(scratch, some_training(), books);
  expect_documented(bytes, documented_row("training"), [](const state::SectionHeader& section) {
    const std::string name = section.name;
    const bool part = name.starts_with("accounts-") || name.starts_with("filter-");
    return part ? "`" + name.substr(0, name.find('-') + 1) + "`" : entry_of(section);
  });
}

}  // namespace
}  // namespace ration::train
