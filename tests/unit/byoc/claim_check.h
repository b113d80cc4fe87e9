#ifndef TENON_TESTS_UNIT_BYOC_CLAIM_CHECK_H_
#define TENON_TESTS_UNIT_BYOC_CLAIM_CHECK_H_

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "byoc/op_info.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "ir/buffer.h"
#include "ir/constant.h"
#include "ir/function_interface.h"
#include "tests/unit/byoc/run_computation.h"
#include "tests/unit/byoc/run_requantise.h"

// Compares a claim, its steps and its member `requantise`, with its body: all run on the same
// random inputs.

namespace tenon {

/// With `are_indices`, integers are 0 to 5.
inline void FillRandomly(Tensor& tensor, std::mt19937& random, bool are_indices = false) {
  const int64_t bytes = tensor.dtype.element_bytes();
  const auto put = [&](size_t i, auto value) {
    std::memcpy(tensor.bytes.data() + i * sizeof(value), &value, sizeof(value));
  };
  for (size_t i = 0; i * static_cast<size_t>(bytes) < tensor.bytes.size(); ++i) {
    if (tensor.dtype.is_bool()) {
      put(i, static_cast<uint8_t>(random() & 1));
    } else if (tensor.dtype.is_floating()) {
      const double value = std::uniform_real_distribution<double>(-2, 2)(random);
      if (bytes == 4) put(i, static_cast<float>(value));
      if (bytes == 8) put(i, value);
    } else {
      // Small enough for sums of int16 products, with some large values.
      const int64_t value = are_indices ? static_cast<int64_t>(random() % 6)
                                        : static_cast<int64_t>(random() % 512) - 256;
      if (bytes == 1) put(i, static_cast<int8_t>(value));
      if (bytes == 2) put(i, static_cast<int16_t>(value));
      if (bytes == 4) put(i, static_cast<int32_t>(value));
      if (bytes == 8) put(i, value);
    }
  }
}

inline double RealAt(const Tensor& tensor, size_t i) {
  if (tensor.dtype.bits() == 64) {
    double value = 0;
    std::memcpy(&value, tensor.bytes.data() + i * 8, 8);
    return value;
  }
  float value = 0;
  std::memcpy(&value, tensor.bytes.data() + i * 4, 4);
  return static_cast<double>(value);
}

/// The first difference of two tensors that a claim does not allow; empty if there is none.
inline std::string Difference(const Tensor& body, const Tensor& claim) {
  if (!body.dtype.is_floating()) {
    if (body.bytes == claim.bytes) return "";
    for (size_t i = 0; i < body.bytes.size(); ++i) {
      if (body.bytes[i] != claim.bytes[i]) {
        return fmt::format("byte {} is {} by the body, and {} by the claim", i, body.bytes[i],
                           claim.bytes[i]);
      }
    }
  }
  const auto bytes = static_cast<size_t>(body.dtype.element_bytes());
  for (size_t i = 0; i * bytes < body.bytes.size(); ++i) {
    const double x = RealAt(body, i);
    const double y = RealAt(claim, i);
    const bool same = std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y) ||
                      (std::isnan(x) && std::isnan(y)) ||
                      std::abs(x - y) <= 1e-5 + 1e-4 * std::abs(x);
    if (!same) return fmt::format("element {} is {} by the body, and {} by the claim", i, x, y);
  }
  return "";
}

/// The bytes of parameters, by position.
using ParamBytes = std::map<int, std::vector<uint8_t>>;

/// The bytes of a claim's operands: parameters in `tensors`, and constants in `copies`. Returns an
/// error, or nothing.
inline std::string OperandsOf(const Function& function, const OpInfo& info,
                              std::vector<Tensor>& tensors,
                              std::vector<std::vector<uint8_t>>& copies,
                              std::vector<std::span<uint8_t>>& operands) {
  const std::vector<const AllocateConst*> constants = ConstantsOf(*function.func);
  copies.reserve(info.computation.operands.size());
  for (const ComputationOperand& operand : info.computation.operands) {
    const auto index = static_cast<size_t>(operand.index);
    if (!operand.constant) {
      operands.emplace_back(tensors[index].bytes);
      continue;
    }
    if (index >= constants.size()) return "a constant is missing";
    const auto bytes = constants[index]->data->Bytes();
    if (!bytes.ok()) return "a constant has no bytes";
    operands.emplace_back(copies.emplace_back(bytes->begin(), bytes->end()));
  }
  return "";
}

/// Runs the function's body and its claim; empty if both write the same. Parameters that are not in
/// `given` are random. `are_indices` is for bodies that use input values as indices without checks.
inline std::string CheckClaim(const Interpreter& interpreter, const Function& function,
                              const OpInfo& info, uint32_t seed, bool are_indices = false,
                              const ParamBytes& given = {}) {
  std::mt19937 random(seed);
  std::vector<Tensor> tensors;
  for (const Buffer* buffer : function.func->buffers) {
    if (buffer == nullptr) return "a parameter has no buffer";
    Tensor tensor{buffer->dtype, {}, {}};
    int64_t elements = 1;
    for (const Expr* extent : buffer->shape) {
      tensor.shape.push_back(*AsIntImm(extent));
      elements *= tensor.shape.back();
    }
    tensor.bytes.resize(static_cast<size_t>(elements * buffer->dtype.bytes()));
    FillRandomly(tensor, random, are_indices);
    tensors.push_back(std::move(tensor));
  }
  for (const auto& [index, bytes] : given) {
    const auto param = static_cast<size_t>(index);
    if (param >= tensors.size() || tensors[param].bytes.size() != bytes.size())
      return fmt::format("parameter {} is not of {} bytes", index, bytes.size());
    tensors[param].bytes = bytes;
  }
  std::vector<Tensor> claimed = tensors;
  const std::vector<Tensor> before = tensors;
  std::vector<Argument> arguments;
  for (Tensor& tensor : tensors) arguments.push_back(Argument::Of(&tensor));
  Diagnostics diagnostics;
  if (!interpreter.Run(function.name.view(), arguments, diagnostics)) {
    if (!are_indices) return CheckClaim(interpreter, function, info, seed, true, given);
    return "the body does not run: " +
           (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  }
  std::vector<std::vector<uint8_t>> copies;
  std::vector<std::span<uint8_t>> operands;
  if (const std::string problem = OperandsOf(function, info, claimed, copies, operands);
      !problem.empty())
    return problem;
  const absl::Status status = RunComputation(info.computation, operands);
  if (!status.ok()) return std::string(status.message());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string difference = Difference(tensors[i], claimed[i]);
    if (!difference.empty()) return fmt::format("parameter {}: {}", i, difference);
  }
  if (!info.requantise) return "";
  // The members of a quantised operator say the same without its steps.
  for (size_t i = 0; i < before.size(); ++i) claimed[i].bytes = before[i].bytes;
  const std::string problem = RunRequantise(info, operands);
  if (!problem.empty()) return "requantise: " + problem;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string difference = Difference(tensors[i], claimed[i]);
    if (!difference.empty()) return fmt::format("requantise: parameter {}: {}", i, difference);
  }
  return "";
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_CLAIM_CHECK_H_
