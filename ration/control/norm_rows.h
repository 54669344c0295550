// Everybody's norms one step after the other, wherever they come from: a matrix in an NPY file
// here, a long table in long_norms.h. For one caller at a time. Private.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "ration/file/npy.h"

namespace ration {

class NormRows {
 public:
  virtual ~NormRows() = default;

  virtual std::size_t rows() const = 0;  // steps
  virtual std::size_t people() const = 0;
  virtual bool is_float32() const = 0;  // or of float64: they are read as what they are
  // The rows from `first` on, as many as `to` holds whole. Rows are read in order: `first` is where
  // the last reading ended, or 0 to start again.
  virtual void read_rows(std::size_t first, std::span<float> to) = 0;
  virtual void read_rows(std::size_t first, std::span<double> to) = 0;
};

// One row for each step, one column for each person. Refuses what is no such matrix.
class NormMatrix : public NormRows {
 public:
  explicit NormMatrix(const std::filesystem::path& file);

  std::size_t rows() const override { return file_.rows(); }
  std::size_t people() const override { return file_.columns(); }
  bool is_float32() const override { return file_.type() == npy::Type::float32; }
  void read_rows(std::size_t first, std::span<float> to) override { file_.read_rows(first, to); }
  void read_rows(std::size_t first, std::span<double> to) override { file_.read_rows(first, to); }

 private:
  NpyFile file_;
};

}  // namespace ration
