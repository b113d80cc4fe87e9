#ifndef TENON_FRONTENDS_RELAX_FUNCTION_H_
#define TENON_FRONTENDS_RELAX_FUNCTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant.h"
#include "ir/dtype.h"
#include "support/source.h"

// A Relax function without tuples and aliases: the calls of functions of the module, with the
// tensors that they read and write.

namespace tenon::relax {

/// An element type and constant extents.
struct TensorType {
  DataType dtype;
  std::vector<int64_t> shape;
  bool operator==(const TensorType&) const = default;
};

/// The place of a constant that the text has only by number: `metadata["ir.GenericConst"][3]`.
struct ConstantNumber {
  std::string_view key;
  int64_t number = 0;
};

/// A tensor of the function.
struct Tensor {
  enum class Kind : uint8_t { kInput, kConstant, kResult };
  Kind kind = Kind::kInput;
  std::string name;  ///< a Python name; constants may have none
  SourceRange range;
  /// Unknown for a constant until FindConstantTypes.
  std::optional<TensorType> type;
  ConstantNumber number;           ///< of a constant whose data is null
  const Constant* data = nullptr;  ///< of a constant, once it is known
};

/// `R.call_tir(cls.function, arguments, out_ty=results)`; tensors by their index.
struct Call {
  std::string_view function;
  SourceRange range;
  std::vector<size_t> arguments;
  std::vector<SourceRange> argument_ranges;
  std::vector<size_t> results;
};

struct Output {
  size_t tensor = 0;
  SourceRange range;
};

struct Function {
  std::string_view name;
  SourceRange range;
  std::vector<Tensor> tensors;
  std::vector<size_t> inputs;
  std::vector<Call> calls;  ///< in order
  std::vector<Output> outputs;
};

}  // namespace tenon::relax

#endif  // TENON_FRONTENDS_RELAX_FUNCTION_H_
