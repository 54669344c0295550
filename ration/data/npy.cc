#include "ration/data/npy.h"

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "ration/base/error.h"

namespace ration {
namespace {

template <class Value>
constexpr const char* kDescr = nullptr;
template <>
constexpr const char* kDescr<double> = "<f8";
template <>
constexpr const char* kDescr<float> = "<f4";
template <>
constexpr const char* kDescr<std::int64_t> = "<i8";

// Magic, version 1.0, length, and the dict, padded so that the values start at a multiple of 64.
std::string header(const char* descr, const std::vector<std::size_t>& shape) {
  const std::string lengths =
      shape.size() == 1 ? fmt::format("{},", shape[0]) : fmt::format("{}, {}", shape[0], shape[1]);
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, lengths);
  constexpr std::size_t kBefore = 10, kAlignment = 64;
  text.append(kAlignment - 1 - (kBefore + text.size()) % kAlignment, ' ');
  text += '\n';
  const char length[] = {static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + text;
}

std::size_t checked_size(const std::vector<std::size_t>& shape) {
  if (shape.empty() || shape.size() > 2) {
    refuse("shape of an NPY file", fmt::format("{}-dimensional", shape.size()),
           "one or two dimensions");
  }
  std::size_t size = 1;
  for (const std::size_t length : shape) {
    if (length == 0 || __builtin_mul_overflow(size, length, &size) || size > SIZE_MAX / 16)
      refuse("shape of an NPY file", "empty or beyond 2^60 values", "what memory can hold");
  }
  return size;
}

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& file)
    : path_(file),
      file_(file, "an NPY file, as numpy.save(file, array) writes it"),
      header_(npy::header_of(file_.bytes(), file.string())) {}

std::size_t NpyFile::rows() const { return dimensions() == 1 ? 1 : header_.shape[0]; }

template <class Real>
std::span<const Real> NpyFile::values() const {
  constexpr bool is_float = std::is_same_v<Real, float>;
  if ((type() == npy::Type::float32) != is_float) {
    refuse(path_.string(), is_float ? "an array of float64" : "an array of float32",
           is_float ? "float32" : "float64");
  }
  // The header was refused unless this is aligned and the file ends with the last value.
  const auto* first = reinterpret_cast<const Real*>(file_.bytes().data() + header_.offset);
  return {first, header_.values};
}
template std::span<const float> NpyFile::values() const;
template std::span<const double> NpyFile::values() const;

void NpyFile::release_rows(std::size_t first, std::size_t count) const {
  const std::size_t row = (file_.bytes().size() - header_.offset) / rows();
  if (first > rows() || count > rows() - first)
    refuse("rows to release", fmt::format("{} from {} on", count, first), "rows of the file");
  file_.release(file_.bytes().subspan(header_.offset + first * row, count * row));
}

template <class Value>
NpyWriter<Value>::NpyWriter(const std::filesystem::path& file,
                            const std::vector<std::size_t>& shape)
    : file_(file), left_(checked_size(shape)) {
  file_.write(header(kDescr<Value>, shape));
}

template <class Value>
void NpyWriter<Value>::append(std::span<const Value> values) {
  if (values.size() > left_) {
    refuse("number of values to write",
           fmt::format("{} more than the shape holds", values.size() - left_),
           "as many as the shape holds");
  }
  left_ -= values.size();
  file_.write(std::as_bytes(values));
}

template <class Value>
void NpyWriter<Value>::commit() {
  if (left_ != 0) {
    refuse("number of values to write", fmt::format("{} fewer than the shape holds", left_),
           "as many as the shape holds");
  }
  file_.commit();
}

template class NpyWriter<double>;
template class NpyWriter<float>;
template class NpyWriter<std::int64_t>;

}  // namespace ration
