#ifndef TENON_TOOLS_ONEDNN_GENERATOR_REQUEST_H_
#define TENON_TOOLS_ONEDNN_GENERATOR_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "byoc/op_info.h"
#include "ir/context.h"

// Requests to a code generator that is a program (docs/guide/generators.md).

namespace tenon {

/// A parameter, an intermediate tensor or a constant of a function.
struct RequestTensor {
  std::string name;
  std::string dtype;
  int64_t elements = 0;
  int64_t bytes = 0;
  /// The effects of the body on a parameter: `r`, `w`, `rw`.
  std::string effects;
};

struct RequestArgument {
  enum class Kind : uint8_t { kParameter, kIntermediate, kConstant, kOther };
  Kind kind = Kind::kOther;
  size_t index = 0;
  int64_t offset = 0;  ///< in bytes

  bool operator==(const RequestArgument&) const = default;
};

struct RequestOperator {
  std::string name;
  OpInfo claim;
  std::vector<RequestArgument> args;
};

struct RequestFunction {
  std::string symbol;
  std::vector<RequestTensor> parameters, intermediates, constants;
  std::vector<RequestOperator> operators;
};

struct GeneratorRequest {
  std::string action;
  bool may_reassociate = true;
  /// The host's loops are made by LLVM, for vectors of 64 bytes.
  bool has_fast_host = false;
  /// Of `supports`.
  std::vector<OpInfo> operators;
  /// Of `generate` and `pack`.
  std::vector<RequestFunction> functions;
  /// The name of the file with constants; empty without one.
  std::string constants;
};

/// An error says what is wrong in the request.
absl::StatusOr<GeneratorRequest> ReadGeneratorRequest(std::string_view text, Context& context);

}  // namespace tenon

#endif  // TENON_TOOLS_ONEDNN_GENERATOR_REQUEST_H_
