#ifndef TENON_TESTS_RANDOM_TENSORS_H_
#define TENON_TESTS_RANDOM_TENSORS_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "interp/interpreter.h"
#include "random/generator.h"

namespace tenon::random_ir {

/// Gives all NaNs the same bits, because their bits are not specified.
inline void OneNan(DataType dtype, std::vector<uint8_t>& bytes) {
  if (!dtype.is_floating()) return;
  const int mantissa = dtype == DataType::Float(64)           ? 52
                       : dtype == DataType::Float(32)         ? 23
                       : dtype == DataType::Float(16)         ? 10
                       : dtype.is_bfloat16()                  ? 7
                       : dtype.code() == TypeCode::kE4M3Float ? 3
                                                              : 2;
  const auto size = static_cast<size_t>(dtype.element_bytes());
  const uint64_t infinity = ((uint64_t{1} << (dtype.bits() - 1 - mantissa)) - 1) << mantissa;
  const uint64_t nan = (uint64_t{1} << (dtype.bits() - 1)) - 1;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], size);
    const uint64_t magnitude = bits & nan;
    const bool is_nan =
        dtype.code() == TypeCode::kE4M3Float ? magnitude == nan : magnitude > infinity;
    if (is_nan) std::memcpy(&bytes[at], &nan, size);
  }
}

/// Random values for a buffer of constant shape.
inline tenon::Tensor RandomTensor(const Buffer& buffer, Dice& dice) {
  tenon::Tensor tensor;
  tensor.dtype = buffer.dtype;
  int64_t elements = 1;
  for (const Expr* extent : buffer.shape) {
    tensor.shape.push_back(*AsIntImm(extent));
    elements *= tensor.shape.back();
  }
  for (int64_t i = 0; i < elements * buffer.dtype.element_bytes(); ++i) {
    uint8_t byte = static_cast<uint8_t>(dice.Bits());
    if (buffer.dtype.is_bool()) byte &= 1;
    // Also small numbers, on which conditions depend.
    if (dice.Percent(40)) byte = 0;
    tensor.bytes.push_back(byte);
  }
  return tensor;
}

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_TENSORS_H_
