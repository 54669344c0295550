// NPY files, NumPy's format of one array. Reading maps the file: values are looked at where they
// lie, and a file larger than memory is no trouble. Writing is private and atomic
// (atomic_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "ration/file/atomic_file.h"
#include "ration/file/npy_header.h"
#include "ration/file/open_file.h"

namespace ration {

// A file of float32 or float64, or of any numbers, in C order; refuses anything else
// (npy_header.h). The file must not change while it is open. May be read from many threads.
class NpyFile {
 public:
  explicit NpyFile(const std::filesystem::path& file,
                   npy::Accepted accepted = npy::Accepted::floats);

  npy::Type type() const { return header_.type; }
  std::size_t dimensions() const { return header_.shape.size(); }
  std::size_t rows() const;  // an array of one dimension is one row
  std::size_t columns() const { return header_.shape.back(); }

  // All values, row after row; float or double, as the file's type says, or it is refused.
  template <class Real>
  std::span<const Real> values() const;
  // The i-th value, of whatever type; beyond 2^53 it is rounded.
  double number(std::size_t i) const;

  // The rows from `first` on have been dealt with: their memory may go. Keeps a walk over a file
  // larger than memory within a few rows.
  void release_rows(std::size_t first, std::size_t count) const;

 private:
  template <class Value>
  const Value* first_value() const;

  std::filesystem::path path_;
  MappedFile file_;
  npy::Header header_;
};

// Value is double, float or std::int64_t. Shape is {length} or {rows, columns}.
template <class Value>
class NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& file, const std::vector<std::size_t>& shape);

  void append(std::span<const Value> values);  // refuses more than the shape holds
  void commit();                               // refuses fewer; until then no file is there

 private:
  PrivateFile file_;
  std::size_t left_;
};

template <class Value>
void write_npy(const std::filesystem::path& file, const std::vector<std::size_t>& shape,
               std::span<const Value> values) {
  NpyWriter<Value> writer(file, shape);
  writer.append(values);
  writer.commit();
}

extern template class NpyWriter<double>;
extern template class NpyWriter<float>;
extern template class NpyWriter<std::int64_t>;

}  // namespace ration
