// NPY files, NumPy's format of one array. Reading copies what is asked for: a file larger than
// memory is no trouble, and nobody else can change what was read; one that is gzip is inflated into
// memory. Writing is private and atomic (atomic_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "ration/file/atomic_file.h"
#include "ration/file/npy_header.h"
#include "ration/file/open_file.h"

namespace ration {

// A file of float32 or float64, or of any numbers, in C order; refuses anything else
// (npy_header.h). One that is cut short while it is open is an error when it is read. May be read
// from many threads.
class NpyFile {
 public:
  explicit NpyFile(const std::filesystem::path& file,
                   npy::Accepted accepted = npy::Accepted::floats);

  npy::Type type() const { return header_.type; }
  std::size_t dimensions() const { return header_.shape.size(); }
  std::size_t rows() const;  // an array of one dimension is one row
  std::size_t columns() const { return header_.shape.back(); }

  // The rows from `first` on, as many as `to` holds whole. Real is float or double, as the file's
  // type says, or it is refused; so are rows that are not there. OpenMP inside.
  template <class Real>
  void read_rows(std::size_t first, std::span<Real> to) const;
  // All values, row after row; and all of whatever type, beyond 2^53 rounded.
  template <class Real>
  std::vector<Real> values() const;
  std::vector<double> numbers() const;

 private:
  npy::Header header_in(npy::Accepted accepted) const;
  void check_type(npy::Type asked) const;
  void read(std::size_t from, std::span<std::byte> to) const;  // bytes
  template <class Value>
  std::vector<double> numbers_of() const;

  std::filesystem::path path_;
  RegularFile file_;
  std::optional<MappedFile> inflated_;  // what the file holds, if it is gzip
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
