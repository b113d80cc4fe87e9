#ifndef TENON_IR_DTYPE_H_
#define TENON_IR_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

enum class TypeCode : uint8_t { kInt, kUInt, kFloat, kHandle, kBFloat, kE4M3Float, kE5M2Float };

/// "int", "uint", "bfloat", ...: the beginning of a dtype's text.
std::string_view TypeCodeName(TypeCode code);

/// An element type with lanes, stored in four bytes. bool is a one-bit unsigned integer, as in TIR;
/// void is a handle of no bits. Negative lanes are scalable: -4 is `4 * vscale`.
class DataType {
 public:
  constexpr DataType() = default;
  constexpr DataType(TypeCode code, int bits, int lanes = 1)
      : code_(code), bits_(static_cast<uint8_t>(bits)), lanes_(static_cast<int16_t>(lanes)) {}

  static constexpr DataType Int(int bits, int lanes = 1) { return {TypeCode::kInt, bits, lanes}; }
  static constexpr DataType UInt(int bits, int lanes = 1) { return {TypeCode::kUInt, bits, lanes}; }
  static constexpr DataType Float(int bits, int lanes = 1) {
    return {TypeCode::kFloat, bits, lanes};
  }
  static constexpr DataType Bool(int lanes = 1) { return {TypeCode::kUInt, 1, lanes}; }
  static constexpr DataType Handle() { return {TypeCode::kHandle, 64, 1}; }
  static constexpr DataType Void() { return {TypeCode::kHandle, 0, 0}; }

  constexpr TypeCode code() const { return code_; }
  constexpr int bits() const { return bits_; }
  constexpr int lanes() const { return lanes_; }

  constexpr bool is_bool() const { return code_ == TypeCode::kUInt && bits_ == 1; }
  constexpr bool is_int() const { return code_ == TypeCode::kInt; }
  constexpr bool is_uint() const { return code_ == TypeCode::kUInt; }
  constexpr bool is_integer() const { return is_int() || is_uint(); }
  /// Any binary floating-point type, including 8-bit ones.
  constexpr bool is_floating() const { return !is_integer() && code_ != TypeCode::kHandle; }
  /// float16, float32, float64.
  constexpr bool is_float() const { return code_ == TypeCode::kFloat; }
  constexpr bool is_bfloat16() const { return code_ == TypeCode::kBFloat && bits_ == 16; }
  constexpr bool is_float8() const {
    return code_ == TypeCode::kE4M3Float || code_ == TypeCode::kE5M2Float;
  }
  constexpr bool is_handle() const { return code_ == TypeCode::kHandle && bits_ != 0; }
  constexpr bool is_void() const { return code_ == TypeCode::kHandle && bits_ == 0; }
  constexpr bool is_scalar() const { return lanes_ == 1; }
  constexpr bool is_scalable() const { return lanes_ < 0; }

  /// The same dtype without lanes, or with other lanes or bits.
  constexpr DataType element() const { return {code_, bits_, 1}; }
  constexpr DataType with_lanes(int lanes) const { return {code_, bits_, lanes}; }
  constexpr DataType with_bits(int bits) const { return {code_, bits, lanes_}; }

  /// Bytes of one element in memory: bits rounded up to whole bytes (a bool takes one byte).
  constexpr int64_t element_bytes() const { return (bits_ + 7) / 8; }
  /// Bytes of a value with all its lanes; 0 for scalable types.
  constexpr int64_t bytes() const { return lanes_ > 0 ? element_bytes() * lanes_ : 0; }

  /// `int8`, `float32x4`, `bool`, `uint1x4`, `handle`, `void`, `bfloat16`, `e4m3_float8`,
  /// `float32xvscalex4`.
  std::string ToString() const;
  /// The inverse of ToString. Also reads `int`, `uint` and `float` as 32 bits, and the later
  /// spellings `float8_e4m3fn`, `float8_e5m2`, `boolx4`.
  static std::optional<DataType> Parse(std::string_view text);

  friend constexpr bool operator==(DataType, DataType) = default;

 private:
  TypeCode code_ = TypeCode::kInt;
  uint8_t bits_ = 32;
  int16_t lanes_ = 1;
};
static_assert(sizeof(DataType) == 4);

/// The largest number of lanes of a vector.
inline constexpr int kMostLanes = 32767;

}  // namespace tenon

#endif  // TENON_IR_DTYPE_H_
