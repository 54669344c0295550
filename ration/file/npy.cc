#include "ration/file/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/file/gzip.h"

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

// What a gzip file holds; nothing if it is none.
std::optional<MappedFile> if_gzip(const RegularFile& file, const std::string& source) {
  std::array<std::byte, 2> start{};
  if (file.size() < start.size()) return std::nullopt;
  file.read(0, start);
  if (!starts_gzip(start)) return std::nullopt;
  return inflated(
      MappedFile::in_memory(file.size(), [&](std::span<std::byte> all) { file.read(0, all); }),
      source);
}

template <class Real>
constexpr npy::Type kTypeOf = std::is_same_v<Real, float> ? npy::Type::float32 : npy::Type::float64;

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& file, npy::Accepted accepted)
    : path_(file),
      file_(file, "an NPY file, as numpy.save(file, array) writes it"),
      inflated_(if_gzip(file_, file.string())),
      header_(header_in(accepted)) {}

npy::Header NpyFile::header_in(npy::Accepted accepted) const {
  const std::size_t size = inflated_ ? inflated_->bytes().size() : file_.size();
  std::vector<std::byte> start(std::min(size, npy::kMostHeader));
  read(0, start);
  return npy::header_of(start, size, path_.string(), accepted);
}

void NpyFile::read(std::size_t from, std::span<std::byte> to) const {
  if (!inflated_) return file_.read(from, to);
  const auto bytes = inflated_->bytes().subspan(from, to.size());
  std::copy(bytes.begin(), bytes.end(), to.begin());
}

std::size_t NpyFile::rows() const { return dimensions() == 1 ? 1 : header_.shape[0]; }

void NpyFile::check_type(npy::Type asked) const {
  if (type() == asked) return;
  const bool is_float = asked == npy::Type::float32;
  const bool other_float = type() == (is_float ? npy::Type::float64 : npy::Type::float32);
  refuse(path_.string(),
         !other_float ? "an array of no floats"
         : is_float   ? "an array of float64"
                      : "an array of float32",
         is_float ? "float32" : "float64");
}

// Copying takes as long as looking at what is copied: all cores do it.
template <class Real>
void NpyFile::read_rows(std::size_t first, std::span<Real> to) const {
  check_type(kTypeOf<Real>);
  const std::size_t count = to.size() / columns();
  if (first > rows() || count > rows() - first) {
    refuse("rows to read", fmt::format("{} from {} on", count, first), "rows of the file");
  }
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto bytes = std::as_writable_bytes(to.first(count * columns()));
  const std::size_t from = header_.offset + first * columns() * sizeof(Real);
  in_parallel((bytes.size() + kPart - 1) / kPart, [&](std::size_t part) {
    read(from + part * kPart,
         bytes.subspan(part * kPart, std::min(kPart, bytes.size() - part * kPart)));
  });
}
template void NpyFile::read_rows(std::size_t, std::span<float>) const;
template void NpyFile::read_rows(std::size_t, std::span<double>) const;

template <class Real>
std::vector<Real> NpyFile::values() const {
  std::vector<Real> all(header_.values);
  read_rows(0, std::span(all));
  return all;
}
template std::vector<float> NpyFile::values() const;
template std::vector<double> NpyFile::values() const;

template <class Value>
std::vector<double> NpyFile::numbers_of() const {
  std::vector<Value> all(header_.values);
  read(header_.offset, std::as_writable_bytes(std::span(all)));
  std::vector<double> numbers(all.size());
  std::transform(all.begin(), all.end(), numbers.begin(),
                 [](Value value) { return static_cast<double>(value); });
  return numbers;
}

std::vector<double> NpyFile::numbers() const {
  switch (type()) {
    case npy::Type::float32:
      return numbers_of<float>();
    case npy::Type::float64:
      return numbers_of<double>();
    case npy::Type::int8:
      return numbers_of<std::int8_t>();
    case npy::Type::int16:
      return numbers_of<std::int16_t>();
    case npy::Type::int32:
      return numbers_of<std::int32_t>();
    case npy::Type::int64:
      return numbers_of<std::int64_t>();
    case npy::Type::boolean:
    case npy::Type::uint8:
      return numbers_of<std::uint8_t>();
    case npy::Type::uint16:
      return numbers_of<std::uint16_t>();
    case npy::Type::uint32:
      return numbers_of<std::uint32_t>();
    case npy::Type::uint64:
      return numbers_of<std::uint64_t>();
  }
  return {};  // no type
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
