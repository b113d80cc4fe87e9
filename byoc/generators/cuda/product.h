#ifndef TENON_BYOC_GENERATORS_CUDA_PRODUCT_H_
#define TENON_BYOC_GENERATORS_CUDA_PRODUCT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "byoc/op_info.h"

// Sums of products that cuBLASLt computes.

namespace tenon {

/// The numbers of tenon_cuda.h.
enum class ProductType : uint8_t { kF32, kF16, kBF16, kI8, kI32 };
inline constexpr int kProductBias = 1;
inline constexpr int kProductRelu = 2;
inline constexpr int kProductGeluTanh = 4;

/// A matrix of a product: `start` is its first element in the memory of the operand.
struct ProductMatrix {
  /// An operand of the claim; -1: new memory for the sums.
  int operand = -1;
  int64_t start = 0;
  int64_t leading = 1;
  int64_t batch_step = 0;
  bool is_transposed = false;
  ProductType type = ProductType::kF32;
};

/// One call of cuBLASLt: tenon_cuda_product of runtime/tenon_cuda.h.
struct ProductCall {
  int64_t m = 1, n = 1, k = 1;
  int64_t batches = 1;
  int operations = 0;
  float alpha = 1;
  ProductMatrix a, b, d;
  /// Operands and first elements of the bias and of what is added; -1: none.
  int bias = -1;
  int64_t bias_start = 0;
  int other = -1;
  int64_t other_start = 0;
};

struct ProductForm {
  /// One call for each iteration of the outer loops.
  std::vector<ProductCall> calls;
  /// The sums go to new memory of this type, and `rest` computes the result from them; its last
  /// operand is that memory. Nullopt: the calls compute the result.
  std::optional<DataType> sums;
  int64_t sum_elements = 0;
  Computation rest;
};

/// The calls for a claim; nullopt if cuBLASLt cannot compute it.
std::optional<ProductForm> AsProduct(const OpInfo& op);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_PRODUCT_H_
