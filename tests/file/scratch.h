// A folder of one test alone, gone when it ends; and what was refused there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "ration/base/error.h"
#include "tests/refusal.h"

namespace ration {

class Scratch {
 public:
  Scratch() : path_(testing::TempDir() + "ration.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string put(const std::string& name, const std::string& bytes) const {
    std::filesystem::remove(file(name));  // ext4 waits for the disk when a file is emptied
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::string path_;
};

inline std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What an action was refused with, without the folder's name.
template <class Action>
std::string refusal(const Scratch& scratch, const Action& action) {
  std::string text = refusal(action);
  const std::string folder = scratch.file("");
  for (std::size_t at; (at = text.find(folder)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

}  // namespace ration
