#include "ration/file/npy.h"

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

NpyFile::NpyFile(const std::filesystem::path& file, npy::Accepted accepted)
    : path_(file),
      file_(file, "an NPY file, as numpy.save(file, array) writes it"),
      header_(npy::header_of(file_.bytes(), file.string(), accepted)) {}

std::size_t NpyFile::rows() const { return dimensions() == 1 ? 1 : header_.shape[0]; }

template <class Real>
std::span<const Real> NpyFile::values() const {
  constexpr bool is_float = std::is_same_v<Real, float>;
  if (type() != (is_float ? npy::Type::float32 : npy::Type::float64)) {
    const bool other_float = type() == (is_float ? npy::Type::float64 : npy::Type::float32);
    refuse(path_.string(),
           !other_float ? "an array of no floats"
           : is_float   ? "an array of float64"
                        : "an array of float32",
           is_float ? "float32" : "float64");
  }
  return {first_value<Real>(), header_.values};
}
template std::span<const float> NpyFile::values() const;
template std::span<const double> NpyFile::values() const;

// The header was refused unless this is aligned and the file ends with the last value.
template <class Value>
const Value* NpyFile::first_value() const {
  return reinterpret_cast<const Value*>(file_.bytes().data() + header_.offset);
}

double NpyFile::number(std::size_t i) const {
  switch (type()) {
    case npy::Type::float32:
      return first_value<float>()[i];
    case npy::Type::float64:
      return first_value<double>()[i];
    case npy::Type::int8:
      return first_value<std::int8_t>()[i];
    case npy::Type::int16:
      return first_value<std::int16_t>()[i];
    case npy::Type::int32:
      return first_value<std::int32_t>()[i];
    case npy::Type::int64:
      return static_cast<double>(first_value<std::int64_t>()[i]);
    case npy::Type::boolean:
    case npy::Type::uint8:
      return first_value<std::uint8_t>()[i];
    case npy::Type::uint16:
      return first_value<std::uint16_t>()[i];
    case npy::Type::uint32:
      return first_value<std::uint32_t>()[i];
    case npy::Type::uint64:
      return static_cast<double>(first_value<std::uint64_t>()[i]);
  }
  return 0;  // no type
}

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
  file_.write(npy::header_text(kDescr<Value>, shape));
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
