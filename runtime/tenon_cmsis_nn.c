/* Calls of CMSIS-NN for the code generator `cmsis-nn` of Tenon. Generated code contains a copy.
 *
 * The functions fill the library's structures, and compare the size of the scratch memory with the
 * library's own answer, which depends on its version and on the processor. Results are exact if the
 * library rounds as often as the program expects; cmsisnn_roundings asks it. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__has_include)
#if !__has_include(<arm_nnfunctions.h>)
#error "found no arm_nnfunctions.h: set CMSIS_NN_INCLUDE to its folder, or add -I"
#endif
#endif
#include <arm_nnfunctions.h>
#include <arm_nnsupportfunctions.h>

/* The scratch memory is smaller than the library needs. */
#define TENON_CMSIS_NN_SCRATCH 1

int32_t cmsisnn_convolve_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                            const int32_t* multiplier, const int32_t* shift, int8_t* output,
                            uint8_t* scratch, int32_t scratch_bytes, int32_t input_h,
                            int32_t input_w, int32_t input_c, int32_t kernel_h, int32_t kernel_w,
                            int32_t output_h, int32_t output_w, int32_t output_c, int32_t stride_h,
                            int32_t stride_w, int32_t pad_h, int32_t pad_w, int32_t dilation_h,
                            int32_t dilation_w, int32_t input_offset, int32_t output_offset,
                            int32_t least, int32_t most);
int32_t cmsisnn_depthwise_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                             const int32_t* multiplier, const int32_t* shift, int8_t* output,
                             uint8_t* scratch, int32_t scratch_bytes, int32_t input_h,
                             int32_t input_w, int32_t input_c, int32_t kernel_h, int32_t kernel_w,
                             int32_t output_h, int32_t output_w, int32_t output_c, int32_t stride_h,
                             int32_t stride_w, int32_t pad_h, int32_t pad_w, int32_t dilation_h,
                             int32_t dilation_w, int32_t input_offset, int32_t output_offset,
                             int32_t least, int32_t most);
int32_t cmsisnn_dense_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                         int8_t* output, int32_t multiplier, int32_t shift, int32_t input_c,
                         int32_t output_c, int32_t input_offset, int32_t output_offset,
                         int32_t least, int32_t most);
int32_t cmsisnn_sums_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                        const int32_t* multiplier, const int32_t* shift, int8_t* output,
                        uint8_t* scratch, int32_t scratch_bytes, int32_t rows, int32_t input_c,
                        int32_t output_c, int32_t input_offset, int32_t output_offset,
                        int32_t least, int32_t most);
int32_t cmsisnn_average_s8(const int8_t* input, int8_t* output, uint8_t* scratch,
                           int32_t scratch_bytes, int32_t input_h, int32_t input_w,
                           int32_t channels, int32_t kernel_h, int32_t kernel_w, int32_t output_h,
                           int32_t output_w, int32_t stride_h, int32_t stride_w, int32_t pad_h,
                           int32_t pad_w, int32_t least, int32_t most);
int32_t cmsisnn_max_s8(const int8_t* input, int8_t* output, uint8_t* scratch, int32_t scratch_bytes,
                       int32_t input_h, int32_t input_w, int32_t channels, int32_t kernel_h,
                       int32_t kernel_w, int32_t output_h, int32_t output_w, int32_t stride_h,
                       int32_t stride_w, int32_t pad_h, int32_t pad_w, int32_t least, int32_t most);
int32_t cmsisnn_add_s8(const int8_t* a, const int8_t* b, int8_t* output, int32_t elements,
                       int32_t a_offset, int32_t b_offset, int32_t output_offset,
                       int32_t multiplier, int32_t shift, int32_t least, int32_t most,
                       int32_t left_shift, int32_t a_multiplier, int32_t a_shift,
                       int32_t b_multiplier, int32_t b_shift);
int32_t cmsisnn_mul_s8(const int8_t* a, const int8_t* b, int8_t* output, int32_t elements,
                       int32_t a_offset, int32_t b_offset, int32_t output_offset,
                       int32_t multiplier, int32_t shift, int32_t least, int32_t most);
int32_t cmsisnn_softmax_s8(const int8_t* input, int8_t* output, int32_t rows, int32_t columns,
                           int32_t multiplier, int32_t shift, int32_t least_difference);
int32_t cmsisnn_signed(const uint8_t* input, int8_t* output, int32_t elements);
int32_t cmsisnn_unsigned(uint8_t* elements, int32_t count);
int32_t cmsisnn_roundings(void);

static cmsis_nn_dims tenon_dims(int32_t n, int32_t h, int32_t w, int32_t c) {
  cmsis_nn_dims dims;
  dims.n = n;
  dims.h = h;
  dims.w = w;
  dims.c = c;
  return dims;
}

/* The scratch memory, without an address if the library needs none. */
static cmsis_nn_context tenon_context(uint8_t* scratch, int32_t bytes) {
  cmsis_nn_context context;
  context.buf = bytes > 0 ? scratch : NULL;
  context.size = bytes;
  return context;
}

/* The library does not write these numbers, although its structures do not say so. */
static cmsis_nn_per_channel_quant_params tenon_channels(const int32_t* multiplier,
                                                        const int32_t* shift) {
  cmsis_nn_per_channel_quant_params channels;
  channels.multiplier = (int32_t*)multiplier;
  channels.shift = (int32_t*)shift;
  return channels;
}

int32_t cmsisnn_convolve_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                            const int32_t* multiplier, const int32_t* shift, int8_t* output,
                            uint8_t* scratch, int32_t scratch_bytes, int32_t input_h,
                            int32_t input_w, int32_t input_c, int32_t kernel_h, int32_t kernel_w,
                            int32_t output_h, int32_t output_w, int32_t output_c, int32_t stride_h,
                            int32_t stride_w, int32_t pad_h, int32_t pad_w, int32_t dilation_h,
                            int32_t dilation_w, int32_t input_offset, int32_t output_offset,
                            int32_t least, int32_t most) {
  const cmsis_nn_dims input_dims = tenon_dims(1, input_h, input_w, input_c);
  const cmsis_nn_dims filter_dims = tenon_dims(output_c, kernel_h, kernel_w, input_c);
  const cmsis_nn_dims bias_dims = tenon_dims(1, 1, 1, output_c);
  const cmsis_nn_dims output_dims = tenon_dims(1, output_h, output_w, output_c);
  const cmsis_nn_per_channel_quant_params channels = tenon_channels(multiplier, shift);
  const cmsis_nn_context context = tenon_context(scratch, scratch_bytes);
  cmsis_nn_conv_params params;
  params.input_offset = input_offset;
  params.output_offset = output_offset;
  params.stride.h = stride_h;
  params.stride.w = stride_w;
  params.padding.h = pad_h;
  params.padding.w = pad_w;
  params.dilation.h = dilation_h;
  params.dilation.w = dilation_w;
  params.activation.min = least;
  params.activation.max = most;
  if (arm_convolve_wrapper_s8_get_buffer_size(&params, &input_dims, &filter_dims, &output_dims) >
      scratch_bytes)
    return TENON_CMSIS_NN_SCRATCH;
  return (int32_t)arm_convolve_wrapper_s8(&context, &params, &channels, &input_dims, input,
                                          &filter_dims, weights, &bias_dims, bias, &output_dims,
                                          output);
}

int32_t cmsisnn_depthwise_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                             const int32_t* multiplier, const int32_t* shift, int8_t* output,
                             uint8_t* scratch, int32_t scratch_bytes, int32_t input_h,
                             int32_t input_w, int32_t input_c, int32_t kernel_h, int32_t kernel_w,
                             int32_t output_h, int32_t output_w, int32_t output_c, int32_t stride_h,
                             int32_t stride_w, int32_t pad_h, int32_t pad_w, int32_t dilation_h,
                             int32_t dilation_w, int32_t input_offset, int32_t output_offset,
                             int32_t least, int32_t most) {
  const cmsis_nn_dims input_dims = tenon_dims(1, input_h, input_w, input_c);
  const cmsis_nn_dims filter_dims = tenon_dims(1, kernel_h, kernel_w, output_c);
  const cmsis_nn_dims bias_dims = tenon_dims(1, 1, 1, output_c);
  const cmsis_nn_dims output_dims = tenon_dims(1, output_h, output_w, output_c);
  const cmsis_nn_per_channel_quant_params channels = tenon_channels(multiplier, shift);
  const cmsis_nn_context context = tenon_context(scratch, scratch_bytes);
  cmsis_nn_dw_conv_params params;
  params.input_offset = input_offset;
  params.output_offset = output_offset;
  params.ch_mult = output_c / input_c;
  params.stride.h = stride_h;
  params.stride.w = stride_w;
  params.padding.h = pad_h;
  params.padding.w = pad_w;
  params.dilation.h = dilation_h;
  params.dilation.w = dilation_w;
  params.activation.min = least;
  params.activation.max = most;
  if (arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &input_dims, &filter_dims,
                                                    &output_dims) > scratch_bytes)
    return TENON_CMSIS_NN_SCRATCH;
  return (int32_t)arm_depthwise_conv_wrapper_s8(&context, &params, &channels, &input_dims, input,
                                                &filter_dims, weights, &bias_dims, bias,
                                                &output_dims, output);
}

int32_t cmsisnn_dense_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                         int8_t* output, int32_t multiplier, int32_t shift, int32_t input_c,
                         int32_t output_c, int32_t input_offset, int32_t output_offset,
                         int32_t least, int32_t most) {
  const cmsis_nn_dims input_dims = tenon_dims(1, 1, 1, input_c);
  const cmsis_nn_dims filter_dims = tenon_dims(input_c, 1, 1, output_c);
  const cmsis_nn_dims bias_dims = tenon_dims(1, 1, 1, output_c);
  const cmsis_nn_dims output_dims = tenon_dims(1, 1, 1, output_c);
  const cmsis_nn_context context = tenon_context(NULL, 0);
  cmsis_nn_per_tensor_quant_params tensor;
  cmsis_nn_fc_params params;
  tensor.multiplier = multiplier;
  tensor.shift = shift;
  params.input_offset = input_offset;
  params.filter_offset = 0;
  params.output_offset = output_offset;
  params.activation.min = least;
  params.activation.max = most;
  /* Kernels for Helium need the sums of all weights there, in a form that differs by version. The
   * code generator makes convolutions for them. */
  if (arm_fully_connected_s8_get_buffer_size(&filter_dims) > 0) return TENON_CMSIS_NN_SCRATCH;
  return (int32_t)arm_fully_connected_s8(&context, &params, &tensor, &input_dims, input,
                                         &filter_dims, weights, &bias_dims, bias, &output_dims,
                                         output);
}

/* A dense layer whose sums are rounded here, once: sums * multiplier / 2^(31 - shift). */
int32_t cmsisnn_sums_s8(const int8_t* input, const int8_t* weights, const int32_t* bias,
                        const int32_t* multiplier, const int32_t* shift, int8_t* output,
                        uint8_t* scratch, int32_t scratch_bytes, int32_t rows, int32_t input_c,
                        int32_t output_c, int32_t input_offset, int32_t output_offset,
                        int32_t least, int32_t most) {
  int32_t* const sums = (int32_t*)(void*)scratch;
  int32_t row, c;
  if (scratch_bytes < output_c * (int32_t)sizeof(int32_t)) return TENON_CMSIS_NN_SCRATCH;
  for (row = 0; row < rows; ++row) {
    int32_t status;
    memset(sums, 0, (size_t)output_c * sizeof(int32_t));
    status = (int32_t)arm_nn_mat_mult_nt_t_s8_s32(input, weights, sums, 1, input_c, output_c,
                                                  input_offset, 1);
    if (status != 0) return status;
    for (c = 0; c < output_c; ++c) {
      const int64_t product = (int64_t)(sums[c] + bias[c]) * multiplier[c];
      int32_t result = (int32_t)((product + ((int64_t)1 << (30 - shift[c]))) >> (31 - shift[c]));
      result += output_offset;
      result = result < least ? least : result;
      output[c] = (int8_t)(result > most ? most : result);
    }
    input += input_c;
    output += output_c;
  }
  return 0;
}

static cmsis_nn_pool_params tenon_pool_params(int32_t stride_h, int32_t stride_w, int32_t pad_h,
                                              int32_t pad_w, int32_t least, int32_t most) {
  cmsis_nn_pool_params params;
  params.stride.h = stride_h;
  params.stride.w = stride_w;
  params.padding.h = pad_h;
  params.padding.w = pad_w;
  params.activation.min = least;
  params.activation.max = most;
  return params;
}

int32_t cmsisnn_average_s8(const int8_t* input, int8_t* output, uint8_t* scratch,
                           int32_t scratch_bytes, int32_t input_h, int32_t input_w,
                           int32_t channels, int32_t kernel_h, int32_t kernel_w, int32_t output_h,
                           int32_t output_w, int32_t stride_h, int32_t stride_w, int32_t pad_h,
                           int32_t pad_w, int32_t least, int32_t most) {
  const cmsis_nn_dims input_dims = tenon_dims(1, input_h, input_w, channels);
  const cmsis_nn_dims filter_dims = tenon_dims(1, kernel_h, kernel_w, 1);
  const cmsis_nn_dims output_dims = tenon_dims(1, output_h, output_w, channels);
  const cmsis_nn_context context = tenon_context(scratch, scratch_bytes);
  const cmsis_nn_pool_params params =
      tenon_pool_params(stride_h, stride_w, pad_h, pad_w, least, most);
  if (arm_avgpool_s8_get_buffer_size(output_w, channels) > scratch_bytes)
    return TENON_CMSIS_NN_SCRATCH;
  return (int32_t)arm_avgpool_s8(&context, &params, &input_dims, input, &filter_dims, &output_dims,
                                 output);
}

int32_t cmsisnn_max_s8(const int8_t* input, int8_t* output, uint8_t* scratch, int32_t scratch_bytes,
                       int32_t input_h, int32_t input_w, int32_t channels, int32_t kernel_h,
                       int32_t kernel_w, int32_t output_h, int32_t output_w, int32_t stride_h,
                       int32_t stride_w, int32_t pad_h, int32_t pad_w, int32_t least,
                       int32_t most) {
  const cmsis_nn_dims input_dims = tenon_dims(1, input_h, input_w, channels);
  const cmsis_nn_dims filter_dims = tenon_dims(1, kernel_h, kernel_w, 1);
  const cmsis_nn_dims output_dims = tenon_dims(1, output_h, output_w, channels);
  const cmsis_nn_context context = tenon_context(scratch, scratch_bytes);
  const cmsis_nn_pool_params params =
      tenon_pool_params(stride_h, stride_w, pad_h, pad_w, least, most);
  return (int32_t)arm_max_pool_s8(&context, &params, &input_dims, input, &filter_dims, &output_dims,
                                  output);
}

int32_t cmsisnn_add_s8(const int8_t* a, const int8_t* b, int8_t* output, int32_t elements,
                       int32_t a_offset, int32_t b_offset, int32_t output_offset,
                       int32_t multiplier, int32_t shift, int32_t least, int32_t most,
                       int32_t left_shift, int32_t a_multiplier, int32_t a_shift,
                       int32_t b_multiplier, int32_t b_shift) {
  return (int32_t)arm_elementwise_add_s8(a, b, a_offset, a_multiplier, a_shift, b_offset,
                                         b_multiplier, b_shift, left_shift, output, output_offset,
                                         multiplier, shift, least, most, elements);
}

int32_t cmsisnn_mul_s8(const int8_t* a, const int8_t* b, int8_t* output, int32_t elements,
                       int32_t a_offset, int32_t b_offset, int32_t output_offset,
                       int32_t multiplier, int32_t shift, int32_t least, int32_t most) {
  return (int32_t)arm_elementwise_mul_s8(a, b, a_offset, b_offset, output, output_offset,
                                         multiplier, shift, least, most, elements);
}

int32_t cmsisnn_softmax_s8(const int8_t* input, int8_t* output, int32_t rows, int32_t columns,
                           int32_t multiplier, int32_t shift, int32_t least_difference) {
  arm_softmax_s8(input, rows, columns, multiplier, shift, least_difference, output);
  return 0;
}

/* The integers of int8 with the same distances: 128 less. */
int32_t cmsisnn_signed(const uint8_t* input, int8_t* output, int32_t elements) {
  for (int32_t i = 0; i < elements; ++i) output[i] = (int8_t)(input[i] - 128);
  return 0;
}

/* The reverse, in place: the library wrote int8 there. */
int32_t cmsisnn_unsigned(uint8_t* elements, int32_t count) {
  for (int32_t i = 0; i < count; ++i) elements[i] = (uint8_t)(elements[i] ^ 128);
  return 0;
}

/* How often the library rounds: 1 or 2, or 0 if its answer is neither. 1 * 2^30 * 2^(-1 - 31) is a
 * quarter, which one rounding makes 0. Two roundings make it a half first, and then 1. */
int32_t cmsisnn_roundings(void) {
  const int8_t one[4] = {1, 0, 0, 0};
  const int8_t weights[16] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const int32_t bias[4] = {0, 0, 0, 0};
  const int32_t multiplier[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
  const int32_t shift[4] = {-1, -1, -1, -1};
  int8_t output[4] = {2, 2, 2, 2};
  int32_t memory[64];
  const int32_t status = cmsisnn_convolve_s8(one, weights, bias, multiplier, shift, output,
                                             (uint8_t*)memory, (int32_t)sizeof memory, 1, 1, 4, 1,
                                             1, 1, 1, 4, 1, 1, 0, 0, 1, 1, 0, 0, -128, 127);
  if (status != 0 || output[0] < 0 || output[0] > 1 || output[1] != output[0] ||
      output[2] != output[0] || output[3] != output[0])
    return 0;
  return 1 + output[0];
}
