// How a state file is laid out: docs/state.md. Shared by its writer and its reader.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ration::state {

static_assert(std::endian::native == std::endian::little,
              "arrays are written and used as they lie in memory");

inline constexpr std::string_view kMagic = "\x89RATION\n";  // 8 bytes
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kAlignment = 8;
inline constexpr std::size_t kMostSections = 1000;

enum class Type : std::uint32_t { u8 = 1, u32 = 2, u64 = 3, f64 = 4, text = 5, f32 = 6 };

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t sections;
  std::uint64_t length;  // of the whole file
  char kind[40];         // padded with zeros, at least one
};
static_assert(sizeof(FileHeader) == 64);

struct SectionHeader {
  char name[48];  // padded with zeros, at least one
  Type type;
  std::uint32_t zero;
  std::uint64_t count;  // of elements
};
static_assert(sizeof(SectionHeader) == 64);

// Lower-case letters, digits and hyphens, at least one.
constexpr bool is_name(std::string_view name) {
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
  return !name.empty();
}

constexpr std::size_t size_of(Type type) {
  switch (type) {
    case Type::u8:
    case Type::text:
      return 1;
    case Type::u32:
    case Type::f32:
      return 4;
    case Type::u64:
    case Type::f64:
      return 8;
  }
  return 0;  // no type
}

constexpr std::string_view name_of(Type type) {
  switch (type) {
    case Type::u8:
      return "u8";
    case Type::u32:
      return "u32";
    case Type::u64:
      return "u64";
    case Type::f64:
      return "f64";
    case Type::text:
      return "text";
    case Type::f32:
      return "f32";
  }
  return "no type";
}

template <class Value>
inline constexpr Type kTypeOf = Type{};
template <>
inline constexpr Type kTypeOf<std::uint8_t> = Type::u8;
template <>
inline constexpr Type kTypeOf<std::uint32_t> = Type::u32;
template <>
inline constexpr Type kTypeOf<std::uint64_t> = Type::u64;
template <>
inline constexpr Type kTypeOf<double> = Type::f64;
template <>
inline constexpr Type kTypeOf<float> = Type::f32;
template <>
inline constexpr Type kTypeOf<char> = Type::text;

template <class Value>
concept Element = kTypeOf<Value>
!= Type{};

// Bytes of zeros after `bytes` bytes of a section.
constexpr std::size_t padding(std::size_t bytes) {
  return (kAlignment - bytes % kAlignment) % kAlignment;
}

}  // namespace ration::state
