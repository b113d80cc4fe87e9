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
// where places outside of the input add 0; a mean has no weights. A layer is found from the members
// of a claim, and its weights from the data of a constant. A layer is only given if the library's
// result is equal bit for bit for every input.

namespace tenon {

/// A loop of the claim, and the elements from one iteration to the next in the input and the
/// output.
struct CmsisAxis {
  int loop = -1;
  int64_t extent = 1;
  int64_t input = 0, output = 0;
};

/// The sizes and numbers of a layer, as in the structures of CMSIS-NN. Tensors are NHWC with one
/// image.
struct CmsisLayer {
  enum class Kind : uint8_t { kConvolution, kDepthwise, kMean, kMax };

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
  /// Their integers are uint8: each is 128 more than the library's, and all numbers above are the
  /// library's.
  bool has_unsigned_input = false, has_unsigned_output = false;
  /// A convolution that is a product of the input's rows and a matrix: a dense layer.
  bool is_product = false;
  /// Loops by purpose, the innermost first: channels of the output, summed channels, places of the
  /// kernel.
  std::vector<CmsisAxis> channels, summed, kernel;

  /// Bytes of scratch memory that are enough for the library. The adapter compares them with the
  /// library's own answer.
  int64_t ScratchBytes(bool has_helium) const;

 private:
  int64_t ScratchFor(bool helium) const;
};

/// The claim of an operator as a layer. Sets `*problem` and returns nullopt if it is not one.
std::optional<CmsisLayer> ReadCmsisLayer(const OpInfo& info, std::string* problem);

/// How the library rounds products: its default build as TensorFlow Lite does, or once.
enum class CmsisRounding : uint8_t { kTwice, kOnce };

/// The numbers of a layer.
struct CmsisNumbers {
  /// [output_c][kernel_h][kernel_w][input_c], or [kernel_h][kernel_w][output_c] if depthwise.
  std::vector<int8_t> weights;
  /// One for each output channel.
  std::vector<int32_t> bias, multiplier, shift;
  /// The adapter rounds the library's sums itself, once.
  bool rounds_sums = false;

  /// True if all channels have one multiplier and one shift.
  bool IsUniform() const;
};

/// The numbers of a layer. `constants[i]` is the data of operand i of the claim, or null. Sets
/// `*problem` and returns nullopt if data is missing, or if an input may exist for which the result
/// of the library with that rounding differs.
std::optional<CmsisNumbers> ReadCmsisNumbers(const OpInfo& info, const CmsisLayer& layer,
                                             std::span<const Constant* const> constants,
                                             CmsisRounding rounding, std::string* problem);

/// A sum or a product of two tensors, element by element.
struct CmsisPair {
  bool is_sum = false;
  /// Operands of the claim.
  int first = -1, second = -1, output = -1;
  int64_t elements = 0;
  /// For sums: of each input.
  int64_t left_shift = 0;
  int64_t first_offset = 0, second_offset = 0, output_offset = 0;
  Rescale first_scale, second_scale, output_scale;
  int64_t least = -128, most = 127;
};

/// The claim of an operator as a sum or a product of the library. The same for `*problem`.
std::optional<CmsisPair> ReadCmsisPair(const OpInfo& info, CmsisRounding rounding,
                                       std::string* problem);

/// The library's multiplication for sums from `least` to `most`, if it computes the results of
/// `wanted`, clamped to [low, high]. Nullopt if it may not, or if a number may wrap.
std::optional<Rescale> LibraryRescale(const Rescale& wanted, CmsisRounding rounding, int64_t least,
                                      int64_t most, int64_t low, int64_t high);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CMSIS_NN_LAYER_H_
