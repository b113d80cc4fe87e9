/* A model of the library CMSIS-NN for tests, written from its documentation: the same names, and
 * loops that compute what the documentation says. It has only the functions and structures that the
 * adapter of the code generator `cmsis-nn` uses. */
#ifndef TENON_TESTS_INTEGRATION_CMSIS_NN_STUB_ARM_NNFUNCTIONS_H_
#define TENON_TESTS_INTEGRATION_CMSIS_NN_STUB_ARM_NNFUNCTIONS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ARM_CMSIS_NN_SUCCESS = 0,
  ARM_CMSIS_NN_ARG_ERROR = -1,
  ARM_CMSIS_NN_NO_IMPL_ERROR = -2,
  ARM_CMSIS_NN_FAILURE = -3
} arm_cmsis_nn_status;

typedef struct {
  int32_t w, h;
} cmsis_nn_tile;

typedef struct {
  void* buf;
  int32_t size;
} cmsis_nn_context;

typedef struct {
  int32_t n, h, w, c;
} cmsis_nn_dims;

typedef struct {
  int32_t* multiplier;
  int32_t* shift;
} cmsis_nn_per_channel_quant_params;

typedef struct {
  int32_t multiplier, shift;
} cmsis_nn_per_tensor_quant_params;

typedef struct {
  int32_t min, max;
} cmsis_nn_activation;

typedef struct {
  int32_t input_offset, output_offset;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_conv_params;

typedef struct {
  int32_t input_offset, output_offset, ch_mult;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;

typedef struct {
  int32_t input_offset, filter_offset, output_offset;
  cmsis_nn_activation activation;
} cmsis_nn_fc_params;

typedef struct {
  cmsis_nn_tile stride, padding;
  cmsis_nn_activation activation;
} cmsis_nn_pool_params;

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params* params,
                                                const cmsis_nn_dims* input,
                                                const cmsis_nn_dims* filter,
                                                const cmsis_nn_dims* output);
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context* context,
                                            const cmsis_nn_conv_params* params,
                                            const cmsis_nn_per_channel_quant_params* channels,
                                            const cmsis_nn_dims* input_dims, const int8_t* input,
                                            const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                            const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                            const cmsis_nn_dims* output_dims, int8_t* output);

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params* params,
                                                      const cmsis_nn_dims* input,
                                                      const cmsis_nn_dims* filter,
                                                      const cmsis_nn_dims* output);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context* context, const cmsis_nn_dw_conv_params* params,
    const cmsis_nn_per_channel_quant_params* channels, const cmsis_nn_dims* input_dims,
    const int8_t* input, const cmsis_nn_dims* filter_dims, const int8_t* filter,
    const cmsis_nn_dims* bias_dims, const int32_t* bias, const cmsis_nn_dims* output_dims,
    int8_t* output);

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter);
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context* context,
                                           const cmsis_nn_fc_params* params,
                                           const cmsis_nn_per_tensor_quant_params* tensor,
                                           const cmsis_nn_dims* input_dims, const int8_t* input,
                                           const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                           const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                           const cmsis_nn_dims* output_dims, int8_t* output);

int32_t arm_avgpool_s8_get_buffer_size(int output_w, int channels);
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* context,
                                   const cmsis_nn_pool_params* params,
                                   const cmsis_nn_dims* input_dims, const int8_t* input,
                                   const cmsis_nn_dims* filter_dims,
                                   const cmsis_nn_dims* output_dims, int8_t* output);
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context* context,
                                    const cmsis_nn_pool_params* params,
                                    const cmsis_nn_dims* input_dims, const int8_t* input,
                                    const cmsis_nn_dims* filter_dims,
                                    const cmsis_nn_dims* output_dims, int8_t* output);

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t* a, const int8_t* b, int32_t a_offset,
                                           int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                           int32_t b_multiplier, int32_t b_shift,
                                           int32_t left_shift, int8_t* output, int32_t offset,
                                           int32_t multiplier, int32_t shift, int32_t least,
                                           int32_t most, int32_t elements);
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t* a, const int8_t* b, int32_t a_offset,
                                           int32_t b_offset, int8_t* output, int32_t offset,
                                           int32_t multiplier, int32_t shift, int32_t least,
                                           int32_t most, int32_t elements);
void arm_softmax_s8(const int8_t* input, const int32_t rows, const int32_t columns,
                    const int32_t multiplier, const int32_t shift, const int32_t least_difference,
                    int8_t* output);

#ifdef __cplusplus
}
#endif

#endif
