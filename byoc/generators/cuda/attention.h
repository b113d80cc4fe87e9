#ifndef TENON_BYOC_GENERATORS_CUDA_ATTENTION_H_
#define TENON_BYOC_GENERATORS_CUDA_ATTENTION_H_

#include <cstdint>
#include <optional>

#include "byoc/generators/cuda/kernel.h"
#include "byoc/op_info.h"

// Scores, softmax and context of an attention as one kernel, so that scores stay in registers.

namespace tenon {

/// The elements of one tensor of an attention: of batch b, head h, row r and column c.
struct AttentionTensor {
  /// Number of the claim's operand.
  int operand = -1;
  int64_t offset = 0;
  int64_t batch = 0, head = 0, row = 0, column = 0;
};

/// The result of a batch and a head is softmax(q k^T * scale + mask) v. Rows of q are queries; rows
/// of k and v are keys, of which there are as many.
struct AttentionForm {
  int64_t batches = 1, heads = 1, queries = 1, keys = 1, size = 64;
  float scale = 1;
  /// q, k and the mask are operands of the scores, v and the result of the context.
  AttentionTensor q, k, v, result;
  /// The operand of the context with the results of the softmax.
  AttentionTensor probabilities;
  /// Rows are queries, columns keys.
  std::optional<AttentionTensor> mask;
};

/// The attention that three claims compute, if the second and the third one each read the whole
/// result of the claim before. Float16 with heads of 64 or 128.
std::optional<AttentionForm> AsAttention(const OpInfo& scores, const OpInfo& softmax,
                                         const OpInfo& context);

/// The kernel. Its operands are q, k, v, the mask if there is one, and the result, as 0, 1, 2, ...
/// All elements that are 16 bytes apart must be aligned to 16 bytes.
DeviceKernel AttentionKernel(const AttentionForm& form);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_ATTENTION_H_
