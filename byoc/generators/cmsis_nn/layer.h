#ifndef TENON_BYOC_GENERATORS_CMSIS_NN_LAYER_H_
#define TENON_BYOC_GENERATORS_CMSIS_NN_LAYER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/op_info.h"
#include "ir/constant.h"

// Operators of int8 as layers of CMSIS-NN. Both compute
//
//   output = clip(round((bias[c] + sum((input + input_offset) * weights[c])) * multiplier[c] *
//                       2^(shift[c] - 31)) + output_offset)
//
// where places outside of the input add 0. A layer is found from a claim alone, and its numbers
// from the data of its constants. A layer is only given if the library's result is equal bit for
// bit for every input.

namespace tenon {

/// A loop of the claim, and the elements from one iteration to the next in the input and the
/// output.
struct CmsisAxis {
  int loop = -1;
  int64_t extent = 1;
  int64_t input = 0, output = 0;
};

/// The steps of the claim that give a layer its numbers; -1 if the claim has no such step.
struct CmsisSteps {
  int bias = -1;
  int multiplier = -1;
  int shift = -1;
  /// `shift` counts to the right.
  bool shifts_right = false;
  /// The multiplication is q_multiply_shift.
  bool is_uniform = false;
  /// The largest number that is added to the product before the clip.
  int64_t largest_offset = 0;
};

/// The sizes and numbers of a layer, as the structures of CMSIS-NN have them. Tensors are NHWC with
/// one image.
struct CmsisLayer {
  enum class Kind : uint8_t { kConvolution, kDepthwise, kDense };

  Kind kind = Kind::kConvolution;
  int64_t input_h = 1, input_w = 1, input_c = 1;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t output_h = 1, output_w = 1, output_c = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_h = 0, pad_w = 0;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t input_offset = 0, output_offset = 0;
  int64_t least = -128, most = 127;

  /// The operands of the claim that are the input and the output.
  int input = -1, output = -1;
  CmsisSteps steps;
  /// Loops by purpose, the innermost first: channels of the output, summed channels, places of the
  /// kernel.
  std::vector<CmsisAxis> channels, summed, kernel;

  /// Bytes of scratch memory that are enough for the library without Helium. The adapter compares
  /// them with the library's own answer.
  int64_t ScratchBytes() const;
};

/// The claim of an operator as a layer. Sets `*problem` and returns nullopt if it is not one.
std::optional<CmsisLayer> ReadCmsisLayer(const OpInfo& info, std::string* problem);

/// The constants of a layer.
struct CmsisNumbers {
  /// [output_c][kernel_h][kernel_w][input_c], or [kernel_h][kernel_w][output_c] if depthwise.
  std::vector<int8_t> weights;
  /// One for each output channel.
  std::vector<int32_t> bias, multiplier, shift;

  /// True if all channels have one multiplier and one shift.
  bool IsUniform() const;
};

/// The constants of a layer. `constants[i]` is the data of operand i of the claim, or null. Sets
/// `*problem` and returns nullopt if data is missing, or if an input exists for which the library's
/// result differs.
std::optional<CmsisNumbers> ReadCmsisNumbers(const OpInfo& info, const CmsisLayer& layer,
                                             std::span<const Constant* const> constants,
                                             std::string* problem);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CMSIS_NN_LAYER_H_
