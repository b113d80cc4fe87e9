#ifndef TENON_FRONTENDS_ONNX_ROWS_H_
#define TENON_FRONTENDS_ONNX_ROWS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "frontends/onnx/node.h"

// The operators that Tenon reads. A row holds from one version of its domain to another, so an old
// form of an operator is a row of its own.

namespace tenon::onnx {

/// The versions of the standard's operators that Tenon reads.
inline constexpr int64_t kFirstVersion = 6;
inline constexpr int64_t kLastVersion = 28;

/// Adds the operators of a graph that compute a node, and binds the node's outputs.
/// InvalidArgument is an error of the file; Unimplemented is a node without support.
using ConvertNode = absl::Status (*)(Node& node);

struct OperatorRow {
  std::string_view domain;  ///< empty: the standard's
  std::string_view op_type;
  int64_t since;
  int64_t until;  ///< the last version
  /// The kind of graph/operators.def; empty if `convert` chooses it.
  std::string_view kind;
  ConvertNode convert;
  /// The attributes of the node, separated by blanks: `name:type` or `name:type=default`. The types
  /// are i, f, s, t (tensor), and the lists is, fs and ss (a text with commas between words).
  /// `name:@1` is a list that the constant input 1 gives, of integers or floats; `name:#1` is its
  /// only integer. Inputs that are absent give nothing.
  std::string_view attributes;
};

/// The row of a version of an operator, or null.
const OperatorRow* FindRow(std::string_view domain, std::string_view op_type, int64_t version);

/// All rows, in the order of rows.def.
std::span<const OperatorRow> AllRows();

/// Whether any version of the operator has a row.
bool HasAnyRow(std::string_view domain, std::string_view op_type);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_ROWS_H_
