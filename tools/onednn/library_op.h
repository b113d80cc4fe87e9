#ifndef TENON_TOOLS_ONEDNN_LIBRARY_OP_H_
#define TENON_TOOLS_ONEDNN_LIBRARY_OP_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "byoc/op_info.h"
#include "runtime/tenon_onednn.h"

namespace tenon {

/// The memory of a tensor: an operand of the claim, from an element on. Operand -1: no tensor.
struct OperandPlace {
  int operand = -1;
  int64_t base = 0;
};

/// A loop that copies weights: strides in elements.
struct CopyLoop {
  int64_t extent = 1;
  int64_t from = 0;
  int64_t to = 0;
};

/// An operator in the library's terms.
struct LibraryOp {
  tenon_onednn_op op = {};
  /// The library's name of its implementation.
  std::string implementation;
  OperandPlace source, weights, bias, result;
  /// The second operands of the operations after the first.
  std::array<OperandPlace, TENON_ONEDNN_POSTS> posts;
  /// From the claim's layout of the weights to rows in the order of op.weights.
  std::vector<CopyLoop> weight_loops;
  /// Strides cannot describe weights that are not packed, so a call first copies them.
  bool copies_weights = false;

  /// Elements of the weights without padding.
  int64_t weight_elements() const;
};

/// The options of the program.
struct LibraryOptions {
  /// Threads of the library, in generated code.
  int threads = 1;
  /// Constant weights are packed at compile time.
  bool packs = true;
};

/// The operator of the library that computes a claim: with packed weights, or with weights in the
/// layout of the claim. If the library has no such operator, the message of the status says why.
absl::StatusOr<LibraryOp> MatchOperator(const OpInfo& info, bool may_reassociate, bool packed,
                                        int threads);

/// True if the operator has weights that could be packed.
bool HasWeights(const LibraryOp& op);

}  // namespace tenon

#endif  // TENON_TOOLS_ONEDNN_LIBRARY_OP_H_
