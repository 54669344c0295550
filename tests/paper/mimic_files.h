// Files as users of the MIMIC-III benchmark have them, of people who do not exist.
#pragma once

#include <filesystem>
#include <string>

#include "ration/dataset/dataset.h"
#include "ration/file/npy_header.h"
#include "tests/file/scratch.h"

namespace ration::paper {

inline void put_mimic_part(const Scratch& files, const std::string& part, const People& people) {
  const auto put = [&](const char* name, std::size_t columns, const auto& values) {
    std::string text = npy::header_text("<f4", {people.count(), columns});
    for (const float value : values) text.append(reinterpret_cast<const char*>(&value), 4);
    files.put("mimic/" + part + name, text);
  };
  put("_X.npy", people.features.columns, people.features.values);
  put("_y.npy", people.labels.count(), people.labels.values);
}

// Into the folder mimic.
inline void put_mimic(const Scratch& files, const Dataset& data) {
  std::filesystem::create_directories(files.file("mimic"));
  put_mimic_part(files, "train", data.train);
  put_mimic_part(files, "test", data.test);
}

}  // namespace ration::paper
