#ifndef TENON_TOOLS_ONEDNN_FUNCTION_CODE_H_
#define TENON_TOOLS_ONEDNN_FUNCTION_CODE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/onednn/generator_request.h"
#include "tools/onednn/library_op.h"

namespace tenon {

/// The C code of an external function, and the facts about it.
struct FunctionCode {
  std::string symbol;
  std::string init_symbol;
  std::string text;
  int64_t workspace_bytes = 0;
  int64_t state_bytes = 0;
  std::vector<std::pair<size_t, size_t>> in_place;
};

/// Makes the code of a function. Parameters of packed weights have the type `uint8`.
absl::StatusOr<FunctionCode> MakeFunctionCode(const RequestFunction& function,
                                              const GeneratorRequest& request,
                                              const LibraryOptions& options);

/// The bytes that packed weights take, with what names their layout.
int64_t PackedBytes(const LibraryOp& op);

}  // namespace tenon

#endif  // TENON_TOOLS_ONEDNN_FUNCTION_CODE_H_
