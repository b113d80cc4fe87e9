/* See arm_nnfunctions.h. With CMSIS_NN_USE_SINGLE_ROUNDING, products are rounded once, as in the
 * library. STUB_SCRATCH is what the functions ask for in addition to the library's size. */
#include <string.h>

#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"

#ifndef STUB_SCRATCH
#define STUB_SCRATCH 0
#endif

static int32_t requantize(int32_t value, int32_t multiplier, int32_t shift) {
#ifdef CMSIS_NN_USE_SINGLE_ROUNDING
  const int64_t product = (int64_t)value * multiplier;
  const int32_t right = 31 - shift;
  return (int32_t)((product + ((int64_t)1 << (right - 1))) >> right);
#else
  const int64_t product = (int64_t)(value * (1 << (shift > 0 ? shift : 0))) * multiplier;
  const int32_t high = (int32_t)((product + ((int64_t)1 << 30)) >> 31);
  const int32_t right = -shift;
  if (right <= 0) return high;
  const int32_t mask = (1 << right) - 1;
  const int32_t rest = high & mask;
  return (high >> right) + (rest > (mask >> 1) + (high < 0));
#endif
}

static int8_t clip(int32_t value, const cmsis_nn_activation* activation) {
  if (value < activation->min) value = activation->min;
  if (value > activation->max) value = activation->max;
  return (int8_t)value;
}

/* Writes all scratch memory, as kernels may. */
static int use_scratch(const cmsis_nn_context* context, int32_t needed) {
  if (needed == 0) return 1;
  if (context->buf == NULL || context->size < needed) return 0;
  memset(context->buf, 0x5a, (size_t)needed);
  return 1;
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params* params,
                                                const cmsis_nn_dims* input,
                                                const cmsis_nn_dims* filter,
                                                const cmsis_nn_dims* output) {
  const int32_t columns = filter->w * filter->h * input->c;
  (void)output;
  if (filter->w == 1 && filter->h == 1 && params->padding.w == 0 && params->padding.h == 0 &&
      params->dilation.w == 1 && params->dilation.h == 1)
    return STUB_SCRATCH;
  return 2 * ((columns + 3) / 4 * 4) * (int32_t)sizeof(int16_t) + STUB_SCRATCH;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context* context,
                                            const cmsis_nn_conv_params* params,
                                            const cmsis_nn_per_channel_quant_params* channels,
                                            const cmsis_nn_dims* input_dims, const int8_t* input,
                                            const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                            const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                            const cmsis_nn_dims* output_dims, int8_t* output) {
  (void)bias_dims;
  if (!use_scratch(context, arm_convolve_wrapper_s8_get_buffer_size(params, input_dims, filter_dims,
                                                                    output_dims)))
    return ARM_CMSIS_NN_ARG_ERROR;
  if (input_dims->n != 1 || filter_dims->c != input_dims->c || filter_dims->n != output_dims->c)
    return ARM_CMSIS_NN_ARG_ERROR;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w; ++x) {
      for (int32_t o = 0; o < output_dims->c; ++o) {
        int32_t sum = bias == NULL ? 0 : bias[o];
        for (int32_t ky = 0; ky < filter_dims->h; ++ky) {
          for (int32_t kx = 0; kx < filter_dims->w; ++kx) {
            const int32_t at_y = y * params->stride.h + ky * params->dilation.h - params->padding.h;
            const int32_t at_x = x * params->stride.w + kx * params->dilation.w - params->padding.w;
            if (at_y < 0 || at_y >= input_dims->h || at_x < 0 || at_x >= input_dims->w) continue;
            const int8_t* pixel = input + (at_y * input_dims->w + at_x) * input_dims->c;
            const int8_t* weights =
                filter + ((o * filter_dims->h + ky) * filter_dims->w + kx) * input_dims->c;
            for (int32_t c = 0; c < input_dims->c; ++c)
              sum += (pixel[c] + params->input_offset) * weights[c];
          }
        }
        *output++ = clip(
            requantize(sum, channels->multiplier[o], channels->shift[o]) + params->output_offset,
            &params->activation);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params* params,
                                                      const cmsis_nn_dims* input,
                                                      const cmsis_nn_dims* filter,
                                                      const cmsis_nn_dims* output) {
  if (input->c != output->c || params->dilation.w != 1 || params->dilation.h != 1)
    return STUB_SCRATCH;
  if (filter->w == 3 && filter->h == 3 && params->padding.h <= 1 && params->padding.w <= 1)
    return STUB_SCRATCH;
  return input->c * filter->w * filter->h * (int32_t)sizeof(int16_t) + STUB_SCRATCH;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context* context, const cmsis_nn_dw_conv_params* params,
    const cmsis_nn_per_channel_quant_params* channels, const cmsis_nn_dims* input_dims,
    const int8_t* input, const cmsis_nn_dims* filter_dims, const int8_t* filter,
    const cmsis_nn_dims* bias_dims, const int32_t* bias, const cmsis_nn_dims* output_dims,
    int8_t* output) {
  (void)bias_dims;
  if (!use_scratch(context, arm_depthwise_conv_wrapper_s8_get_buffer_size(
                                params, input_dims, filter_dims, output_dims)))
    return ARM_CMSIS_NN_ARG_ERROR;
  if (filter_dims->n != 1 || filter_dims->c != output_dims->c ||
      input_dims->c * params->ch_mult != output_dims->c)
    return ARM_CMSIS_NN_ARG_ERROR;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w; ++x) {
      for (int32_t o = 0; o < output_dims->c; ++o) {
        int32_t sum = bias == NULL ? 0 : bias[o];
        for (int32_t ky = 0; ky < filter_dims->h; ++ky) {
          for (int32_t kx = 0; kx < filter_dims->w; ++kx) {
            const int32_t at_y = y * params->stride.h + ky * params->dilation.h - params->padding.h;
            const int32_t at_x = x * params->stride.w + kx * params->dilation.w - params->padding.w;
            if (at_y < 0 || at_y >= input_dims->h || at_x < 0 || at_x >= input_dims->w) continue;
            sum += (input[(at_y * input_dims->w + at_x) * input_dims->c + o / params->ch_mult] +
                    params->input_offset) *
                   filter[(ky * filter_dims->w + kx) * output_dims->c + o];
          }
        }
        *output++ = clip(
            requantize(sum, channels->multiplier[o], channels->shift[o]) + params->output_offset,
            &params->activation);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter) {
  (void)filter;
  return STUB_SCRATCH;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context* context,
                                           const cmsis_nn_fc_params* params,
                                           const cmsis_nn_per_tensor_quant_params* tensor,
                                           const cmsis_nn_dims* input_dims, const int8_t* input,
                                           const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                           const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                           const cmsis_nn_dims* output_dims, int8_t* output) {
  (void)context;
  (void)bias_dims;
  if (filter_dims->c != output_dims->c ||
      filter_dims->n != input_dims->h * input_dims->w * input_dims->c)
    return ARM_CMSIS_NN_ARG_ERROR;
  for (int32_t o = 0; o < output_dims->c; ++o) {
    int32_t sum = bias == NULL ? 0 : bias[o];
    for (int32_t i = 0; i < filter_dims->n; ++i)
      sum += (input[i] + params->input_offset) * (*filter++ + params->filter_offset);
    output[o] = clip(requantize(sum, tensor->multiplier, tensor->shift) + params->output_offset,
                     &params->activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_nn_mat_mult_nt_t_s8_s32(const int8_t* lhs, const int8_t* rhs, int32_t* dst,
                                                int32_t lhs_rows, int32_t rhs_rows,
                                                int32_t rhs_cols, int32_t lhs_offset,
                                                int32_t dst_idx_offset) {
  for (int32_t row = 0; row < lhs_rows; ++row) {
    for (int32_t column = 0; column < rhs_cols; ++column) {
      for (int32_t k = 0; k < rhs_rows; ++k)
        *dst += (lhs[row * rhs_rows + k] + lhs_offset) * rhs[column * rhs_rows + k];
      dst += dst_idx_offset;
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_avgpool_s8_get_buffer_size(int output_w, int channels) {
  (void)output_w;
  return channels * (int32_t)sizeof(int32_t) + STUB_SCRATCH;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* context,
                                   const cmsis_nn_pool_params* params,
                                   const cmsis_nn_dims* input_dims, const int8_t* input,
                                   const cmsis_nn_dims* filter_dims,
                                   const cmsis_nn_dims* output_dims, int8_t* output) {
  if (!use_scratch(context, arm_avgpool_s8_get_buffer_size(output_dims->w, input_dims->c)) ||
      input_dims->n != 1 || input_dims->c != output_dims->c)
    return ARM_CMSIS_NN_ARG_ERROR;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w; ++x) {
      for (int32_t c = 0; c < output_dims->c; ++c) {
        int32_t sum = 0, count = 0;
        for (int32_t ky = 0; ky < filter_dims->h; ++ky) {
          for (int32_t kx = 0; kx < filter_dims->w; ++kx) {
            const int32_t at_y = y * params->stride.h + ky - params->padding.h;
            const int32_t at_x = x * params->stride.w + kx - params->padding.w;
            if (at_y < 0 || at_y >= input_dims->h || at_x < 0 || at_x >= input_dims->w) continue;
            sum += input[(at_y * input_dims->w + at_x) * input_dims->c + c];
            ++count;
          }
        }
        if (count == 0) return ARM_CMSIS_NN_ARG_ERROR;
        *output++ =
            clip((sum > 0 ? sum + count / 2 : sum - count / 2) / count, &params->activation);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t* a, const int8_t* b, int32_t a_offset,
                                           int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                           int32_t b_multiplier, int32_t b_shift,
                                           int32_t left_shift, int8_t* output, int32_t offset,
                                           int32_t multiplier, int32_t shift, int32_t least,
                                           int32_t most, int32_t elements) {
  const cmsis_nn_activation activation = {least, most};
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t x = requantize((a[i] + a_offset) * (1 << left_shift), a_multiplier, a_shift);
    const int32_t y = requantize((b[i] + b_offset) * (1 << left_shift), b_multiplier, b_shift);
    output[i] = clip(requantize(x + y, multiplier, shift) + offset, &activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t* a, const int8_t* b, int32_t a_offset,
                                           int32_t b_offset, int8_t* output, int32_t offset,
                                           int32_t multiplier, int32_t shift, int32_t least,
                                           int32_t most, int32_t elements) {
  const cmsis_nn_activation activation = {least, most};
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t product = (a[i] + a_offset) * (b[i] + b_offset);
    output[i] = clip(requantize(product, multiplier, shift) + offset, &activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context* context,
                                    const cmsis_nn_pool_params* params,
                                    const cmsis_nn_dims* input_dims, const int8_t* input,
                                    const cmsis_nn_dims* filter_dims,
                                    const cmsis_nn_dims* output_dims, int8_t* output) {
  (void)context;
  if (input_dims->n != 1 || input_dims->c != output_dims->c) return ARM_CMSIS_NN_ARG_ERROR;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w; ++x) {
      for (int32_t c = 0; c < output_dims->c; ++c) {
        int32_t most = -128;
        for (int32_t ky = 0; ky < filter_dims->h; ++ky) {
          for (int32_t kx = 0; kx < filter_dims->w; ++kx) {
            const int32_t at_y = y * params->stride.h + ky - params->padding.h;
            const int32_t at_x = x * params->stride.w + kx - params->padding.w;
            if (at_y < 0 || at_y >= input_dims->h || at_x < 0 || at_x >= input_dims->w) continue;
            const int8_t value = input[(at_y * input_dims->w + at_x) * input_dims->c + c];
            if (value > most) most = value;
          }
        }
        *output++ = clip(most, &params->activation);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/* Fixed-point numbers of int32: products have 31 bits after the point, and ties go up. */
static int64_t times(int64_t a, int64_t b) { return (a * b + (INT64_C(1) << 30)) >> 31; }

static int64_t divided(int64_t a, int bits) {
  const int64_t magnitude = ((a < 0 ? -a : a) + (INT64_C(1) << (bits - 1))) >> bits;
  return a < 0 ? -magnitude : magnitude;
}

/* exp(-x) for x >= 0 with 26 bits after the point: quarters by squaring, the rest by a series. */
static int64_t exponential(int64_t x) {
  static const int64_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                   39332535,   720401,     242};
  if (x == 0) return INT32_MAX;
  const int64_t quarters = (x - 1) >> 24;
  const int64_t a = (INT64_C(1) << 28) - ((x - (quarters << 24)) << 5);
  const int64_t a2 = times(a, a);
  const int64_t fourth = divided(times(a2, a2), 2) + times(a2, a);
  int64_t result = 1895147668 + times(1895147668, a + divided(times(fourth, 715827883) + a2, 1));
  for (int i = 0; i < 7; ++i) {
    if ((quarters >> i) & 1) result = times(result, powers[i]);
  }
  return result;
}

/* 1 / x for x in [1/2, 1), by three steps of Newton and Raphson with two bits before the point. */
static int64_t reciprocal(int64_t x) {
  int64_t guess = 1515870810 + times(x, -1010580540);
  for (int step = 0; step < 3; ++step)
    guess += 4 * times(guess, (INT64_C(1) << 29) - times(x, guess));
  return 2 * guess > INT32_MAX ? INT32_MAX : 2 * guess;
}

void arm_softmax_s8(const int8_t* input, const int32_t rows, const int32_t columns,
                    const int32_t multiplier, const int32_t shift, const int32_t least_difference,
                    int8_t* output) {
  for (int32_t row = 0; row < rows; ++row, input += columns, output += columns) {
    int32_t most = -128;
    int64_t sum = 0;
    int zeros = 0;
    for (int32_t i = 0; i < columns; ++i) most = input[i] > most ? input[i] : most;
    for (int pass = 0; pass < 2; ++pass) {
      for (int32_t i = 0; i < columns; ++i) {
        const int64_t difference = most - input[i];
        int64_t power = 0;
        if (-difference >= least_difference)
          power = exponential(-times(-(difference << shift), multiplier));
        if (pass == 0) {
          sum += divided(power, 12);
          continue;
        }
        const int64_t result = divided(times(reciprocal((sum << zeros) >> 1), power), 35 - zeros);
        output[i] = (int8_t)(result > 255 ? 127 : result - 128);
      }
      while ((sum << zeros) >> 31 == 0) ++zeros;
    }
  }
}
