#include "ration/data/public_file.h"

#include <fmt/format.h>

#include <fstream>

#include "ration/data/private_file.h"

namespace ration {

void write_public(const std::filesystem::path& file, std::string_view text) {
  const auto part = file.parent_path() / fmt::format(".{}.part", file.filename().string());
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(part, file, failed);
  if (!out || failed) throw WriteFailure(fmt::format("{} cannot be written", file.string()));
}

}  // namespace ration
