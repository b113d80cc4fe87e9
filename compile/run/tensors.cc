#include "compile/run/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "support/check.h"
#include "support/half.h"

namespace tenon {

namespace {

template <class T>
T Read(std::string_view bytes, size_t index) {
  T value;
  TENON_CHECK((index + 1) * sizeof(T) <= bytes.size());
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

double FloatAt(DataType dtype, std::string_view bytes, size_t index) {
  if (dtype.is_bfloat16()) return FloatFromBFloat16(Read<uint16_t>(bytes, index));
  if (dtype.code() == TypeCode::kE4M3Float) {
    return FloatFromFloat8E4M3(Read<uint8_t>(bytes, index));
  }
  if (dtype.code() == TypeCode::kE5M2Float) {
    return FloatFromFloat8E5M2(Read<uint8_t>(bytes, index));
  }
  if (dtype.bits() == 16) return FloatFromFloat16(Read<uint16_t>(bytes, index));
  return dtype.bits() == 32 ? static_cast<double>(Read<float>(bytes, index))
                            : Read<double>(bytes, index);
}

std::string IntegerAt(DataType dtype, std::string_view bytes, size_t index) {
  const auto width = static_cast<size_t>(dtype.element_bytes());
  uint64_t bits = 0;
  TENON_CHECK(width > 0 && width <= sizeof(bits) && (index + 1) * width <= bytes.size());
  std::memcpy(&bits, bytes.data() + index * width, width);
  if (dtype.is_int()) {
    const auto shift = static_cast<int>(64 - 8 * width);
    return fmt::format("{}", static_cast<int64_t>(bits << shift) >> shift);
  }
  return fmt::format("{}", bits);
}

bool CloseEnough(double got, double want, const Tolerance& tolerance) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return true;
  return std::isfinite(got) && std::isfinite(want) &&
         std::abs(got - want) <= tolerance.absolute + tolerance.relative * std::abs(want);
}

std::string ElementText(DataType dtype, std::string_view bytes, size_t index, int digits = 9) {
  if (!dtype.is_floating()) return IntegerAt(dtype, bytes, index);
  return fmt::format("{:.{}g}", FloatAt(dtype, bytes, index), digits);
}

/// `[0, 3]` for element 3 of shape (1, 12).
std::string IndexText(const std::vector<int64_t>& shape, int64_t index) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    TENON_CHECK(shape[i] > 0);
    at[i] = index % shape[i];
    index /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

}  // namespace

std::optional<EntrySignature> ReadEntrySignature(const IRModule& module, Diagnostics& diagnostics) {
  const Function* entry = module.Main();
  if (entry == nullptr) {
    diagnostics.Error(
        DiagnosticKind::kRun, {},
        "the module has no entry function: expected `__tvm_main__`, `main` or a single function");
    return std::nullopt;
  }
  const ModuleEffects effects(module);
  EntrySignature signature =
      ReadEntrySignature(*entry, effects.Of(*entry), [&](std::string message) {
        diagnostics.Error(DiagnosticKind::kRun, entry->func->range, std::move(message));
      });
  for (const EntryTensor& tensor : signature.tensors) {
    if (tensor.has_shape) continue;
    diagnostics.Error(DiagnosticKind::kRun, entry->func->params[tensor.param]->range,
                      fmt::format("expected a tensor of constant shape or a number as parameter "
                                  "`{}` of the entry function",
                                  tensor.name));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return signature;
}

namespace {

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// The low bytes of `bits`.
std::string LowBytes(uint64_t bits, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(bits >> (8 * i));
  return bytes;
}

std::optional<uint64_t> FloatBits(DataType dtype, double value) {
  if (dtype.is_bfloat16()) return BFloat16FromDouble(value);
  if (dtype.code() == TypeCode::kE4M3Float) return Float8E4M3FromDouble(value);
  if (dtype.code() == TypeCode::kE5M2Float) return Float8E5M2FromDouble(value);
  if (dtype.bits() == 16) return Float16FromDouble(value);
  if (dtype.bits() == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (dtype.bits() == 64) return std::bit_cast<uint64_t>(value);
  return std::nullopt;
}

/// The distance between two integers.
double IntegerDistance(DataType dtype, std::string_view a, std::string_view b) {
  const int64_t left = ScalarBits(dtype, a);
  const int64_t right = ScalarBits(dtype, b);
  if (dtype.is_int()) return std::fabs(static_cast<double>(left) - static_cast<double>(right));
  return std::fabs(static_cast<double>(static_cast<uint64_t>(left)) -
                   static_cast<double>(static_cast<uint64_t>(right)));
}

}  // namespace

std::optional<std::string> ParseScalar(DataType dtype, std::string_view text) {
  const auto width = static_cast<size_t>(dtype.element_bytes());
  if (dtype.is_floating()) {
    double value = 0;
    if (!ParseWhole(text, value)) return std::nullopt;
    const std::optional<uint64_t> bits = FloatBits(dtype, value);
    if (!bits) return std::nullopt;
    return LowBytes(*bits, width);
  }
  if (dtype.is_bool() && (text == "true" || text == "false"))
    return std::string(1, text == "true" ? '\1' : '\0');
  if (!dtype.is_integer()) return std::nullopt;
  if (dtype.is_uint()) {
    uint64_t value = 0;
    if (!ParseWhole(text, value)) return std::nullopt;
    if (dtype.bits() < 64 && (value >> dtype.bits()) != 0) return std::nullopt;
    return LowBytes(value, width);
  }
  int64_t value = 0;
  if (!ParseWhole(text, value)) return std::nullopt;
  const int64_t most = static_cast<int64_t>(~uint64_t{0} >> (65 - dtype.bits()));
  if (value > most || value < -most - 1) return std::nullopt;
  return LowBytes(static_cast<uint64_t>(value), width);
}

int64_t ScalarBits(DataType dtype, std::string_view bytes) {
  const auto width = static_cast<size_t>(dtype.element_bytes());
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(width, bytes.size()));
  if (!dtype.is_int()) return static_cast<int64_t>(bits);
  const auto shift = static_cast<int>(64 - 8 * width);
  return static_cast<int64_t>(bits << shift) >> shift;
}

std::string NpyDtype(DataType dtype) {
  const DataType element = dtype.element();
  if (element.is_bfloat16()) return "uint16";
  if (element.is_float8()) return "uint8";
  return element.ToString();
}

std::string ValueText(const EntryTensor& tensor, std::string_view value) {
  constexpr size_t kShown = 4;
  constexpr int kDigits = 5;
  std::string text = fmt::format("{} {}[{}]", tensor.name, tensor.dtype.element().ToString(),
                                 fmt::join(tensor.shape, ", "));
  const auto width = static_cast<size_t>(tensor.dtype.element_bytes());
  const size_t count = width == 0 ? 0 : value.size() / width;
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    text += (i == 0 ? " = " : ", ") + ElementText(tensor.dtype, value, i, kDigits);
  }
  return count > kShown ? text + ", ..." : text;
}

std::string CheckTensorValue(const EntryTensor& tensor, const NpyArray& array) {
  const std::string wanted = NpyDtype(tensor.dtype);
  if (array.dtype != wanted) {
    return fmt::format("expected dtype {2} for `{1}`, found {0}", array.dtype, tensor.name,
                       tensor.dtype.ToString());
  }
  if (static_cast<int64_t>(array.bytes.size()) != tensor.size_bytes) {
    return fmt::format("expected shape ({2}) for `{1}`, found ({0})", fmt::join(array.shape, ", "),
                       tensor.name, fmt::join(tensor.shape, ", "));
  }
  return {};
}

std::optional<TensorDifference> CompareTensors(const EntryTensor& tensor, std::string_view got,
                                               std::string_view expected, const TensorBound* bound,
                                               const Tolerance& tolerance) {
  const DataType dtype = tensor.dtype.element();
  const auto width = static_cast<size_t>(dtype.element_bytes());
  if (got == expected || width == 0) return std::nullopt;
  TensorDifference difference;
  for (size_t i = 0; i < got.size() / width; ++i) {
    double distance = 0;
    if (dtype.is_floating()) {
      const double value = FloatAt(dtype, got, i);
      const double wanted = FloatAt(dtype, expected, i);
      if (CloseEnough(value, wanted, tolerance)) continue;
      distance = std::fabs(value - wanted);
      if (bound != nullptr && distance <= bound->factor * FloatAt(dtype, bound->magnitudes, i) +
                                              bound->relative * std::fabs(wanted))
        continue;
    } else {
      if (std::memcmp(got.data() + i * width, expected.data() + i * width, width) == 0) continue;
      distance =
          IntegerDistance(dtype, got.substr(i * width, width), expected.substr(i * width, width));
    }
    if (std::isnan(distance) || distance > difference.largest) difference.largest = distance;
    if (difference.count++ > 0) continue;
    difference.first_index = static_cast<int64_t>(i);
    difference.text = fmt::format("element {} is {}, expected {}",
                                  IndexText(tensor.shape, difference.first_index),
                                  ElementText(dtype, got, i), ElementText(dtype, expected, i));
  }
  if (difference.count == 0) return std::nullopt;
  return difference;
}

}  // namespace tenon
