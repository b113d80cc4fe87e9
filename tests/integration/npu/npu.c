/* A simulated NPU: an array of 8 x 8 multipliers with accumulators, through which activations move from the left and
 * weights from above, one step each cycle. A vector unit rescales sums, and adds and multiplies tensors. It knows no more
 * of an operator than the members of its claim, which simulator.py writes as numbers.
 *
 * If the environment variable NPU_TENSORS names a file, each computed tensor is appended to it: its number of bytes as
 * an int64, and its bytes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon_external.h>

enum { SIZE = 8, MOST_LOOPS = 16, MOST_AXES = 3 };
enum { DOT, SUM, ADD, MUL, INPUT, MAX };
enum { TFLITE, ONCE, ONNXRUNTIME, EXACT, QUOTIENT };

typedef struct {
  char* memory;
  int64_t dtype, offset;
  const int64_t *kept, *summed; /* strides */
  int64_t zero_point, rounding, left_shift, multiplier, shift, sign;
} tensor;

typedef struct {
  int64_t count;
  const int64_t* values;
} list;

typedef struct {
  int64_t sum, kept, summed, axes, rounding, zero_point, low, high, least; /* least: of all sums */
  const int64_t *kept_extents, *summed_extents;
  tensor input[2], output;
  struct {
    int64_t input, stride, dilation, pad;
    const int64_t *kept, *summed;
  } axis[MOST_AXES];
  const int64_t* channel;
  list bias, multiplier, shift, scale, step_counts, steps;
} operator_code;

static const int64_t* take(const int64_t** at, int64_t count) {
  const int64_t* taken = *at;
  *at += count;
  return taken;
}
static int64_t next(const int64_t** at) { return *take(at, 1); }
static list next_list(const int64_t** at) {
  list read;
  read.count = next(at);
  read.values = take(at, read.count);
  return read;
}

static void read_tensor(const int64_t** at, const tenon_payload_call* call, const operator_code* code, tensor* to) {
  const int64_t in_scratch = next(at), argument = next(at), offset = next(at);
  to->memory = (in_scratch ? (char*)call->scratch : (char*)call->args[argument]) + offset;
  to->dtype = next(at);
  to->offset = next(at);
  to->kept = take(at, code->kept);
  to->summed = take(at, code->summed);
}

static void read_code(const int64_t** at, const tenon_payload_call* call, operator_code* code) {
  int64_t i;
  code->sum = next(at);
  code->kept = next(at);
  code->kept_extents = take(at, code->kept);
  code->summed = next(at);
  code->summed_extents = take(at, code->summed);
  for (i = 0; i < (code->sum == DOT || code->sum == ADD || code->sum == MUL ? 2 : 1); ++i) {
    tensor* input = &code->input[i];
    read_tensor(at, call, code, input);
    input->zero_point = next(at);
    input->rounding = next(at);
    input->left_shift = next(at);
    input->multiplier = next(at);
    input->shift = next(at);
    input->sign = next(at);
  }
  read_tensor(at, call, code, &code->output);
  code->axes = next(at);
  for (i = 0; i < code->axes; ++i) {
    code->axis[i].input = next(at);
    code->axis[i].stride = next(at);
    code->axis[i].dilation = next(at);
    code->axis[i].pad = next(at);
    code->axis[i].kept = take(at, code->kept);
    code->axis[i].summed = take(at, code->summed);
  }
  code->rounding = next(at);
  code->channel = take(at, code->kept);
  code->bias = next_list(at);
  code->multiplier = next_list(at);
  code->shift = next_list(at);
  code->scale = next_list(at);
  code->step_counts = next_list(at);
  code->steps = next_list(at);
  code->zero_point = next(at);
  code->low = next(at);
  code->high = next(at);
  code->least = next(at);
}

static int64_t product_of(const int64_t* extents, int64_t count) {
  int64_t product = 1, i;
  for (i = 0; i < count; ++i) product *= extents[i];
  return product;
}
/* The counters of loops for the number of an iteration; the last loop is the innermost. */
static void counters(int64_t number, const int64_t* extents, int64_t count, int64_t* to) {
  while (count-- > 0) {
    to[count] = number % extents[count];
    number /= extents[count];
  }
}
static int64_t dot(const int64_t* a, const int64_t* b, int64_t count) {
  int64_t sum = 0, i;
  for (i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

static int64_t load(const operator_code* code, const tensor* from, const int64_t* kept, const int64_t* summed) {
  const int64_t at = from->offset + dot(from->kept, kept, code->kept) + dot(from->summed, summed, code->summed);
  switch (from->dtype) {
    case 0: return ((const int8_t*)from->memory)[at] - from->zero_point;
    case 1: return ((const uint8_t*)from->memory)[at] - from->zero_point;
    case 2: return ((const int16_t*)from->memory)[at] - from->zero_point;
    case 3: return ((const uint16_t*)from->memory)[at] - from->zero_point;
    default: return ((const int32_t*)from->memory)[at] - from->zero_point;
  }
}

static int is_inside(const operator_code* code, const int64_t* kept, const int64_t* summed) {
  int64_t i;
  for (i = 0; i < code->axes; ++i) {
    const int64_t place = dot(code->axis[i].kept, kept, code->kept) * code->axis[i].stride;
    const int64_t kernel = dot(code->axis[i].summed, summed, code->summed) * code->axis[i].dilation;
    const int64_t at = place + kernel - code->axis[i].pad;
    if (at < 0 || at >= code->axis[i].input) return 0;
  }
  return 1;
}

static int64_t rescaled(int64_t rounding, int64_t x, int64_t multiplier, int64_t shift) {
  if (rounding == ONCE) return (x * multiplier + ((int64_t)1 << (30 - shift))) >> (31 - shift);
  if (shift > 0) x *= (int64_t)1 << shift;
  x = (x * multiplier + ((int64_t)1 << 30)) >> 31;
  return shift >= 0 ? x : (x + ((int64_t)1 << (-shift - 1)) - (x < 0)) >> -shift;
}

static int64_t number(list from, int64_t channel) { return from.count == 1 ? from.values[0] : from.values[channel]; }

/* Writes the output for a sum. */
static void store(const operator_code* code, const int64_t* kept, int64_t sum, int64_t count) {
  const int64_t channel = dot(code->channel, kept, code->kept);
  const int64_t at = code->output.offset + dot(code->output.kept, kept, code->kept);
  int64_t result = code->low, i;
  if (code->bias.count > 0) sum += number(code->bias, channel);
  if (code->rounding == EXACT) {
    const int64_t* steps = code->steps.values;
    const int64_t row = code->step_counts.count == 1 ? 0 : channel;
    for (i = 0; i < row; ++i) steps += code->step_counts.values[i];
    for (i = 0; i < code->step_counts.values[row]; ++i) result += steps[i] <= sum;
  } else if (code->rounding == QUOTIENT) {
    result = (sum < 0 ? sum - count / 2 : sum + count / 2) / count + code->zero_point;
  } else if (code->rounding == ONNXRUNTIME) {
    const int32_t bits = (int32_t)number(code->scale, channel);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    result = (int64_t)nearbyintf((float)sum * scale) + code->zero_point;
  } else {
    result = rescaled(code->rounding, sum, number(code->multiplier, channel), number(code->shift, channel)) +
             code->zero_point;
  }
  result = result < code->low ? code->low : result > code->high ? code->high : result;
  if (code->output.dtype < 2) ((int8_t*)code->output.memory)[at] = (int8_t)result;
  if (code->output.dtype == 2 || code->output.dtype == 3) ((int16_t*)code->output.memory)[at] = (int16_t)result;
  if (code->output.dtype == 4) ((int32_t*)code->output.memory)[at] = (int32_t)result;
}

/* Rows of the array are output places, and columns are channels. At cycle t, the multiplier in row i and column j has the
 * products k = t - i - j: activations arrive at row i after i cycles, and weights at column j after j. */
static void run_array(const operator_code* code) {
  int64_t rows[MOST_LOOPS], columns[MOST_LOOPS], row_extents[MOST_LOOPS], column_extents[MOST_LOOPS];
  int64_t row_count = 0, column_count = 0, i, j;
  const int64_t depth = product_of(code->summed_extents, code->summed);
  for (i = 0; i < code->kept; ++i) {
    /* A loop that the input does not walk over is a column. Depthwise convolutions have none. */
    const int is_column = code->input[0].kept[i] == 0 && code->input[1].kept[i] != 0;
    if (is_column) column_extents[column_count] = code->kept_extents[i], columns[column_count++] = i;
    else row_extents[row_count] = code->kept_extents[i], rows[row_count++] = i;
  }
  const int64_t height = product_of(row_extents, row_count), width = product_of(column_extents, column_count);
  for (int64_t top = 0; top < height; top += SIZE) {
    for (int64_t left = 0; left < width; left += SIZE) {
      const int64_t used_rows = height - top < SIZE ? height - top : SIZE;
      const int64_t used_columns = width - left < SIZE ? width - left : SIZE;
      int32_t accumulators[SIZE][SIZE] = {{0}};
      int64_t kept[SIZE][SIZE][MOST_LOOPS];
      for (i = 0; i < used_rows; ++i) {
        for (j = 0; j < used_columns; ++j) {
          int64_t at[MOST_LOOPS], l;
          counters(top + i, row_extents, row_count, at);
          for (l = 0; l < row_count; ++l) kept[i][j][rows[l]] = at[l];
          counters(left + j, column_extents, column_count, at);
          for (l = 0; l < column_count; ++l) kept[i][j][columns[l]] = at[l];
        }
      }
      for (int64_t cycle = 0; cycle < depth + used_rows + used_columns - 2; ++cycle) {
        for (i = 0; i < used_rows; ++i) {
          for (j = 0; j < used_columns; ++j) {
            const int64_t k = cycle - i - j;
            int64_t summed[MOST_LOOPS];
            if (k < 0 || k >= depth) continue;
            counters(k, code->summed_extents, code->summed, summed);
            if (!is_inside(code, kept[i][j], summed)) continue;
            accumulators[i][j] += (int32_t)(load(code, &code->input[0], kept[i][j], summed) *
                                            load(code, &code->input[1], kept[i][j], summed));
          }
        }
      }
      for (i = 0; i < used_rows; ++i)
        for (j = 0; j < used_columns; ++j) store(code, kept[i][j], accumulators[i][j], 0);
    }
  }
}

static void run_vectors(const operator_code* code) {
  const int64_t outputs = product_of(code->kept_extents, code->kept);
  const int64_t depth = product_of(code->summed_extents, code->summed);
  for (int64_t i = 0; i < outputs; ++i) {
    int64_t kept[MOST_LOOPS], summed[MOST_LOOPS], sum = code->sum == MUL ? 1 : 0, count = 0;
    counters(i, code->kept_extents, code->kept, kept);
    if (code->sum == SUM || code->sum == MAX) {
      if (code->sum == MAX) sum = code->least;
      for (int64_t k = 0; k < depth; ++k) {
        int64_t x;
        counters(k, code->summed_extents, code->summed, summed);
        if (!is_inside(code, kept, summed)) continue;
        x = load(code, &code->input[0], kept, summed);
        sum = code->sum == SUM ? sum + x : x > sum ? x : sum;
        ++count;
      }
    } else {
      for (int64_t n = 0; n < (code->sum == INPUT ? 1 : 2); ++n) {
        const tensor* input = &code->input[n];
        const int64_t x = load(code, input, kept, summed);
        if (code->sum == MUL) sum *= x;
        if (code->sum == INPUT) sum += x;
        if (code->sum == ADD)
          sum += input->sign * rescaled(input->rounding, x * ((int64_t)1 << input->left_shift), input->multiplier,
                                        input->shift);
      }
    }
    store(code, kept, sum, count);
  }
}

int32_t npu_run(const tenon_payload_call* call);
int32_t npu_run(const tenon_payload_call* call) {
  const int64_t* at = (const int64_t*)call->payload;
  const int64_t operators = next(&at);
  const char* const file = getenv("NPU_TENSORS");
  for (int64_t i = 0; i < operators; ++i) {
    operator_code code;
    memset(&code, 0, sizeof code);
    read_code(&at, call, &code);
    if (code.kept > MOST_LOOPS || code.summed > MOST_LOOPS || code.axes > MOST_AXES) return 1;
    if (code.sum == DOT) run_array(&code);
    else run_vectors(&code);
    if (file != NULL) {
      static const int64_t sizes[] = {1, 1, 2, 2, 4};
      FILE* const to = fopen(file, "ab");
      const int64_t bytes = product_of(code.kept_extents, code.kept) * sizes[code.output.dtype];
      if (to == NULL) return 2;
      fwrite(&bytes, sizeof bytes, 1, to);
      fwrite(code.output.memory, 1, (size_t)bytes, to);
      fclose(to);
    }
  }
  return 0;
}
