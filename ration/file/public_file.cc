#include "ration/file/public_file.h"

#include "ration/file/whole_file.h"

namespace ration {

void write_public(const std::filesystem::path& file, std::string_view text) {
  WholeFile out(file, WholeFile::Readers::everybody);
  out.write(text);
  out.commit();
}

}  // namespace ration
