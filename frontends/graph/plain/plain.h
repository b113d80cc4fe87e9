#ifndef TENON_FRONTENDS_GRAPH_PLAIN_PLAIN_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_PLAIN_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/shapes.h"

// Helpers of the builders of plain_operators.def share: operators of numbers without scales.

namespace tenon::graph::plain {

/// Sets of dtypes.
using Types = unsigned;
inline constexpr Types kBools = 1;
inline constexpr Types kInts = 2;    ///< signed
inline constexpr Types kUInts = 4;   ///< unsigned
inline constexpr Types kFloats = 8;  ///< float16, bfloat16, float32, float64
inline constexpr Types kIntegers = kInts | kUInts;
inline constexpr Types kNumbers = kIntegers | kFloats;
inline constexpr Types kAnyType = kBools | kNumbers;

inline constexpr DataType kBool = DataType::Bool();

bool IsOneOf(DataType dtype, Types types);

/// An error unless all present inputs from `first` on, and the output, have one dtype of `types`.
absl::Status CheckOneType(const OperatorView& op, Types types, size_t first = 0);
/// An error unless input `input` has a dtype of `types`.
absl::Status CheckInput(const OperatorView& op, size_t input, Types types);
/// An error unless output `output` has the dtype.
absl::Status CheckOutput(const OperatorView& op, DataType dtype, size_t output = 0);

/// The dtype in which arithmetic on `dtype` is done: float32 for smaller floats.
DataType WorkType(DataType dtype);
/// A number in its WorkType().
Value Widened(Value x);
/// The extreme element. It is NaN if one of them is.
Value MaxOf(Value a, Value b);
Value MinOf(Value a, Value b);
/// The least and the greatest number of a dtype: infinities for floats.
Value LeastOf(Code& code, DataType dtype);
Value GreatestOf(Code& code, DataType dtype);

/// An attribute of a whole or a real number as a constant of the dtype; 0 without the attribute. An
/// error if an integer dtype does not have the number.
absl::StatusOr<Value> NumberSetting(OperatorCode& code, std::string_view name, DataType dtype);

/// The axis that a number names; negative numbers count from the end.
absl::StatusOr<size_t> AxisIn(const OperatorView& op, int64_t number, int64_t rank);
/// The axes that numbers name, each at most once.
absl::StatusOr<std::vector<size_t>> DifferentAxes(const OperatorView& op,
                                                  std::span<const int64_t> numbers, int64_t rank);
/// The axes that the attribute `axes` names, each at most once; all axes without the attribute.
absl::StatusOr<std::vector<size_t>> AxesIn(const OperatorView& op, int64_t rank);
/// The product of the extents in [begin, end).
int64_t ExtentOf(std::span<const int64_t> shape, size_t begin, size_t end);

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_PLAIN_H_
