#include "ration/results/epsilon_file.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "ration/base/error.h"

namespace ration::results {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

void write_csv(PrivateFile& file, std::span<const Bound> epsilons, const Attendance* attendance) {
  std::string text = "person,epsilon_lower,epsilon_upper";
  text += attendance != nullptr ? ",admitted,left_out,first_left_out\n" : "\n";
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},{},{}", i, epsilons[i].lower, epsilons[i].upper);
    if (attendance != nullptr) {
      const auto& [admitted, left_out, first] = attendance->people[i];
      fmt::format_to(std::back_inserter(text), ",{},{},", admitted, left_out);
      if (first != Attendance::kNever) text += fmt::format("{}", first);
    }
    text += '\n';
    if (text.size() > kBuffer) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
  file.commit();
}

void write_npy(NpyWriter<double>& file, std::span<const Bound> epsilons,
               const Attendance* attendance) {
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    file.append(std::array{epsilons[i].lower, epsilons[i].upper});
    if (attendance == nullptr) continue;
    const auto& [admitted, left_out, first] = attendance->people[i];
    file.append(std::array{static_cast<double>(admitted), static_cast<double>(left_out),
                           first == Attendance::kNever ? -1.0 : static_cast<double>(first)});
  }
  file.commit();
}

}  // namespace

EpsilonFile::EpsilonFile(const std::filesystem::path& file, std::size_t people, bool filtered) {
  if (file.extension() == ".csv") {
    file_.emplace<PrivateFile>(file);
  } else if (file.extension() == ".npy") {
    const std::size_t columns = filtered ? 5 : 2;
    file_.emplace<NpyWriter<double>>(file, std::vector<std::size_t>{people, columns});
  } else {
    refuse("file to write", "'" + file.string() + "'", "a name that ends in .csv or .npy");
  }
}

void EpsilonFile::write(std::span<const Bound> epsilons,
                        const std::optional<Attendance>& attendance) {
  const Attendance* const filtered = attendance ? &*attendance : nullptr;
  if (auto* csv = std::get_if<PrivateFile>(&file_)) write_csv(*csv, epsilons, filtered);
  if (auto* npy = std::get_if<NpyWriter<double>>(&file_)) write_npy(*npy, epsilons, filtered);
}

}  // namespace ration::results
