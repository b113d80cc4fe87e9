#ifndef TENON_BYOC_GENERATORS_MATRIX_PRODUCT_H_
#define TENON_BYOC_GENERATORS_MATRIX_PRODUCT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/computation.h"

// A sum of products as products of matrices, in the form that BLAS takes.

namespace tenon {

/// The elements of `C[..] += A[..] * B[..]`, as indices of loops, and the loops.
struct ProductOfLoops {
  LinearIndex a, b, c;
  /// The loops of C, and the summed loops.
  std::vector<int> kept, summed;
};

/// A matrix in memory: element (row, column) is at `start + row * leading + column`, or with rows
/// and columns exchanged if the matrix is transposed.
struct Matrix {
  /// The first element, over the loops around the product.
  LinearIndex start;
  bool transposed = false;
  int64_t leading = 1;
  /// Both strides, for products with a vector.
  int64_t row_stride = 0, column_stride = 0;
};

/// C (m x n) = A (m x k) * B (k x n), for each iteration of the loops `outer`. C adds up the
/// products of the loops `outer_sums`.
struct MatrixProduct {
  int64_t m = 1, n = 1, k = 1;
  Matrix a, b, c;
  /// A and B of ProductOfLoops are exchanged, and all three matrices are transposed.
  bool is_swapped = false;
  std::vector<int> outer, outer_sums;

  /// Multiplications of one product.
  int64_t size() const { return m * n * k; }
};

/// The largest matrices that the loops make, with the other loops around them. Extents must fit in
/// BLAS' int. Nullopt if no choice of outer loops makes both factors matrices.
std::optional<MatrixProduct> AsMatrixProduct(const Computation& computation,
                                             const ProductOfLoops& product);

/// The index of an element in compact memory with one axis for each loop, the outermost first.
LinearIndex CompactIndex(const Computation& computation, const std::vector<int>& loops);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_MATRIX_PRODUCT_H_
