#ifndef TENON_BYOC_GENERATORS_MATRIX_PRODUCT_H_
#define TENON_BYOC_GENERATORS_MATRIX_PRODUCT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/computation.h"

// A sum of products as products of matrices, as BLAS has them.

namespace tenon {

/// The elements of `C[..] += A[..] * B[..]`, as indices of loops, and the loops.
struct ProductOfLoops {
  LinearIndex a, b, c;
  /// The loops of C, and those that are summed.
  std::vector<int> kept, summed;
};

/// A matrix in memory: element (row, column) is at `start + row * leading + column`, or with rows
/// and columns exchanged when it is transposed.
struct Matrix {
  /// The first element, over the loops around the product.
  LinearIndex start;
  bool transposed = false;
  int64_t leading = 1;
  /// The strides themselves, for products with a vector.
  int64_t row_stride = 0, column_stride = 0;
};

/// C (m x n) = A (m x k) * B (k x n), for each place of the loops `outer`; products of the loops
/// `outer_sums` are added up in C.
struct MatrixProduct {
  int64_t m = 1, n = 1, k = 1;
  Matrix a, b, c;
  /// B and A of ProductOfLoops have changed places, and all three are transposed.
  bool is_swapped = false;
  std::vector<int> outer, outer_sums;

  /// Multiplications of one product.
  int64_t size() const { return m * n * k; }
};

/// The largest matrices that the loops make, with the other loops around them. Extents have to fit
/// BLAS' int. Nullopt when a factor is not a matrix, whichever loops stay outside.
std::optional<MatrixProduct> AsMatrixProduct(const Computation& computation,
                                             const ProductOfLoops& product);

/// The element of compact memory that loops count through, the outermost first.
LinearIndex CompactIndex(const Computation& computation, const std::vector<int>& loops);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_MATRIX_PRODUCT_H_
