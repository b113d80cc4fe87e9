#ifndef TENON_BYOC_GENERATORS_BLAS_OPERATOR_H_
#define TENON_BYOC_GENERATORS_BLAS_OPERATOR_H_

#include "byoc/code_generator.h"
#include "byoc/generators/external_body.h"

// One operator as calls of CBLAS, with loops for its other parts.

namespace tenon {

/// Whether a claim is a sum of products of floats, as BLAS computes them.
Support CanMakeBlasCalls(const OpInfo& op);

/// Whether calls of BLAS are faster than the host's loops, by measurements (docs/guide/byoc.md).
Support IsWorthBlas(const OpInfo& op, const HostFacts& host);

/// The statements of an operator for which CanMakeBlasCalls says yes. Null if its matrices are too
/// large for BLAS.
const Stmt* MakeBlasCalls(NodeBuilder& builder, const OperatorToMake& op);

/// A constant operand that becomes a matrix in a new layout.
struct PackedOperand {
  /// The index among the computation's operands.
  int operand = 0;
  /// The place in the new layout of the element that the product reads, and the number of elements.
  LinearIndex element;
  int64_t elements = 0;
  /// The elements in their new order; the size is unchanged.
  std::vector<uint8_t> bytes;
};

/// The constants that MakeBlasCalls would bring into a new layout, for an operator for which
/// CanMakeBlasCalls says yes. Constants that the operator reads in two ways, or that would grow,
/// stay as they are.
std::vector<PackedOperand> PackedOperandsOf(NodeBuilder& builder, const OperatorToMake& op);

/// The functions that the statements call, with the letters of `tenon.externs`.
std::vector<std::pair<std::string_view, std::vector<std::string_view>>> BlasExterns();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_BLAS_OPERATOR_H_
