// Lesson 5: a filter that survives its process.
//
// What a filter remembers is saved in a file that only its owner can read, replaced in one move,
// and believed only when its checksum is right. What was loaded decides as what was saved would
// have, bit for bit.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/control/gdp_currency.h"
#include "ration/state/saved.h"

namespace {

using namespace ration;
namespace fs = std::filesystem;

constexpr std::size_t kPeople = 10'000;

// A folder for this lesson, gone when it ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "ration.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw Error("no temporary folder: set TMPDIR");
    fs::current_path(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::current_path("/", ignored);
    fs::remove_all(path_, ignored);
  }

 private:
  std::string path_;
};

// One step, with norms that are drawn at random from the number of the step.
std::vector<std::uint8_t> admit_next(Filter& filter) {
  std::mt19937_64 random(filter.steps());
  std::uniform_real_distribution<float> norm(0, 1);
  std::vector<float> norms(kPeople);
  for (float& x : norms) x = norm(random);
  std::vector<std::uint8_t> takes_part(kPeople);
  filter.admit({.noise = 8}, norms, takes_part);
  return takes_part;
}

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

void flip_a_bit(const fs::path& file) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(1000);
  const int byte = bytes.get();
  bytes.seekp(1000);
  bytes.put(static_cast<char>(byte ^ 1));
}

// Did everything go as it should?
bool lesson() {
  const Folder folder;
  const fs::path file = "filter.state";

  // The order matters: admit, save, release. If the process is killed before the release, people
  // have paid for a step that nobody saw. Were it saved after the release, a kill in between would
  // make the filter forget a step that everybody saw.
  Filter filter(kPeople, gdp_currency(), EpsilonBudget{.epsilon = 1, .delta = 1e-5});
  for (int k = 0; k < 15; ++k) {
    admit_next(filter);
    save(file, filter);
  }
  const bool is_private =
      fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write);
  fmt::print("{} people, 15 steps, saved after each. The file has {} bytes;\n{}.\n", kPeople,
             fs::file_size(file), is_private ? "only the owner can read it" : "READABLE BY OTHERS");

  // Another process would start here.
  auto resumed = load<Filter>(file);
  fmt::print("Loaded: it has seen {} steps. Both filters go on:\n\n", resumed.steps());
  bool agree = true;
  for (int k = 0; k < 5; ++k) {
    const auto of_filter = admit_next(filter), of_resumed = admit_next(resumed);
    agree = agree && of_filter == of_resumed;
    long left_out = 0;  // a count of people is private too; these are invented
    for (const std::uint8_t takes_part : of_resumed) left_out += 1 - takes_part;
    fmt::print("  step {}: {:>5} people left out, {}\n", resumed.steps(), left_out,
               of_filter == of_resumed ? "the same in both" : "NOT THE SAME");
  }
  agree = agree && filter.state() == resumed.state();
  fmt::print("\nWhat both remember is {}.\n\n", agree ? "equal to the last unit" : "NOT EQUAL");

  // A state of another kind, and one that is damaged, are refused with a sentence.
  fmt::print("Loaded as a global filter:\n  {}\n",
             refusal([&] { load<Filter>(file, "gdp-filter"); }));
  flip_a_bit(file);
  const std::string damaged = refusal([&] { load<Filter>(file); });
  fmt::print("With one bit flipped:\n  {}\n", damaged.substr(0, damaged.find(": give")));
  return agree && is_private && damaged != "accepted";
}

}  // namespace

int main() {
  try {
    return lesson() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& e) {  // the text of an Error is a sentence for the user
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
