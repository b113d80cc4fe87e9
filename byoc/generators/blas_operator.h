#ifndef TENON_BYOC_GENERATORS_BLAS_OPERATOR_H_
#define TENON_BYOC_GENERATORS_BLAS_OPERATOR_H_

#include "byoc/code_generator.h"
#include "byoc/generators/external_body.h"

// One operator as calls of CBLAS, and the rest of it as loops.

namespace tenon {

/// Whether a claim is a sum of products of floats, as BLAS computes them.
Support CanMakeBlasCalls(const OpInfo& op);

/// Whether calls of BLAS are likely to be faster than loops.
Support IsWorthBlas(const OpInfo& op);

/// The statements of an operator for which CanMakeBlasCalls says yes. Null when its matrices are
/// too large for BLAS.
const Stmt* MakeBlasCalls(NodeBuilder& builder, const OperatorToMake& op);

/// The functions that the statements call, with the letters of `tenon.externs`.
std::vector<std::pair<std::string_view, std::vector<std::string_view>>> BlasExterns();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_BLAS_OPERATOR_H_
