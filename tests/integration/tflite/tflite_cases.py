"""Random models of one operator each, with inputs, the same for the same seed.

`make_case(kind, seed)` gives a Case. The names of kinds are those of frontends/graph/operators.def, or of
groups of them (tflite_general.py).
"""

import ast
import struct

import tflite_control
import tflite_general
import tflite_recurrent
from tflite_maker import Maker, activation, binary, in_turn, product, shape_of, unary
from tflite_writer import (BITS, BOOL, FLOAT16, FLOAT32, FORMATS, INT16, INT2, INT32, INT4, INT64, INT8,
                           UINT8, Scalar)

# Floats times weights of int8, of int4, and of int8 in files that say uint8; int8 times weights of int4 and
# int2; int16 times weights of int4.
HYBRID, HYBRID_INT4, HYBRID_INT2, HYBRID_UINT8, BY_INT4, BY_INT2, SHORT_BY_INT4 = (
    "hybrid", "hybrid int4", "hybrid int2", "hybrid uint8", "int4", "int2", "int16 int4")
# int16 times weights of int16, and uint8 with results of int16.
BY_INT16, TO_INT16 = "int16 int16", "uint8 to int16"
HYBRIDS = (HYBRID, HYBRID_INT4, HYBRID_INT2, HYBRID_UINT8)
# The type of the other tensors, and that of the weights.
TENSORS = {HYBRID: FLOAT32, HYBRID_INT4: FLOAT32, HYBRID_INT2: FLOAT32, HYBRID_UINT8: FLOAT32, BY_INT4: INT8,
           BY_INT2: INT8, SHORT_BY_INT4: INT16, BY_INT16: INT16, TO_INT16: UINT8}
WEIGHTS = {HYBRID_INT4: INT4, HYBRID_INT2: INT2, HYBRID_UINT8: UINT8, BY_INT4: INT4, BY_INT2: INT2,
           SHORT_BY_INT4: INT4, BY_INT16: INT16, UINT8: UINT8}


def extent(make, size, kernel, stride, dilation, same):
    """The output's extent, or None where there is none."""
    if same:
        return -(-size // stride)
    left = size - (kernel - 1) * dilation
    return -(-left // stride) if left > 0 else None


def bias_of(make, channels, dtype, scales, wide=True, needed=False):
    """A bias whose scale is that of the sums, or none. int16 has one of int64 if it is wide."""
    if not needed and make.random.random() < 0.15:
        return -1
    if tensor_type(dtype) == FLOAT32:
        return make.constant([channels], FLOAT32)
    kind = INT64 if tensor_type(dtype) == INT16 and wide else INT32
    data = [make.random.randint(-3000, 3000) for _ in range(channels)]
    return make.constant([channels], kind, data=data, scale=scales)


def weights_of(make, shape, axis, dtype, always_per_axis=False):
    """Weights of integers, per axis or per tensor, and their scales."""
    if dtype == FLOAT32:
        return make.constant(shape, FLOAT32), None
    if dtype in (UINT8, TO_INT16):
        scale = make.scale(0.0005, 0.05)
        return make.constant(shape, UINT8, scale=scale, zero_point=make.zero_point(UINT8)), [scale]
    per_axis = make.random.random() < 0.7 or (always_per_axis and dtype in HYBRIDS)
    per_axis = per_axis and dtype != HYBRID_UINT8
    scales = [make.scale(0.0005, 0.05) for _ in range(shape[axis] if per_axis else 1)]
    if make.random.random() < 0.1:
        scales = [2.0 ** make.random.randint(-12, -4) for _ in scales]
    kind = WEIGHTS.get(dtype, INT8)
    if kind in BITS:
        most = 1 << BITS[kind] - 1
        data = [make.random.randint(-most, most - 1) for _ in range(product(shape))]
        return make.constant(shape, kind, data=data, scale=scales, axis=axis), scales
    data = [make.random.randint(-127, 127) for _ in range(product(shape))]
    if kind == UINT8:
        data = [value & 255 for value in data]
    return make.constant(shape, kind, data=data, scale=scales, axis=axis), scales


def bias_type(field, dtype, wide):
    """The option of int16 operators that says which type the bias has."""
    return {} if wide or dtype != INT16 else {field: Scalar("b", INT32)}


def tensor_type(dtype):
    return TENSORS.get(dtype, dtype)


def sums_of(make, dtype):
    """The quantisation of an output that is made of sums."""
    if dtype == FLOAT32:
        return {}
    return make.quantized(dtype, scale=make.scale(0.01, 1) / (256 if dtype == INT16 else 1))


def window(make, depthwise, dtype):
    """A convolution, as its builder of weights says."""
    kind, dtype = dtype, tensor_type(dtype)
    same = make.pick(True, False)
    stride = make.pick((1, 1), (2, 2), (1, 2), (3, 1))
    dilation = make.pick((1, 1), (1, 1), (2, 2)) if stride == (1, 1) else (1, 1)
    kernel = (make.size(4), make.size(4))
    size = (make.size(9), make.size(9))
    out = [extent(make, size[i], kernel[i], stride[i], dilation[i], same) for i in (0, 1)]
    if None in out:
        return None
    batch, channels = make.pick(1, 1, 2), make.size(9)
    x_quantized = make.quantized(dtype)
    x = make.input([batch, *size, channels], dtype, **x_quantized)
    if depthwise:
        outputs = channels * make.pick(1, 1, 2)
        weights, scales = weights_of(make, [1, *kernel, outputs], 3, kind, kind != FLOAT32)
    else:
        groups = make.pick(1, 1, 1, 2) if channels % 2 == 0 else 1
        outputs = groups * make.size(8)
        weights, scales = weights_of(make, [outputs, *kernel, channels // groups], 0, kind)
    bias_scales = scales and [scale * x_quantized.get("scale", 1) for scale in scales]
    wide = depthwise or make.pick(True, True, False)
    bias = bias_of(make, outputs, kind, bias_scales, wide, needed=not depthwise)
    y = make.model.tensor([batch, *out, outputs], dtype, **sums_of(make, dtype))
    if depthwise:
        fields = {0: Scalar("b", 0 if same else 1), 1: Scalar("i", stride[1]),
                  2: Scalar("i", stride[0]), 3: Scalar("i", outputs // channels),
                  4: activation(make), 5: Scalar("i", dilation[1]), 6: Scalar("i", dilation[0])}
        make.model.operator(4, [x, weights, bias][:2 if bias < 0 else 3], [y], 2, fields)
    else:
        fields = {0: Scalar("b", 0 if same else 1), 1: Scalar("i", stride[1]),
                  2: Scalar("i", stride[0]), 3: activation(make), 4: Scalar("i", dilation[1]),
                  5: Scalar("i", dilation[0]), **bias_type(6, dtype, wide)}
        make.model.operator(3, [x, weights, bias][:2 if bias < 0 else 3], [y], 1, fields)
    case = make.case([y])
    # Windows over what the function computes first are not always recognised.
    case.claimed = kind not in HYBRIDS
    return case


def conv_2d(make):
    return window(make, False, make.pick(INT8, INT8, INT8, FLOAT32, INT16, HYBRID))


def depthwise_conv_2d(make):
    return window(make, True, make.pick(INT8, INT8, INT8, FLOAT32, INT16, HYBRID))


def fully_connected(make):
    return dense(make, make.pick(INT8, INT8, INT8, FLOAT32, INT16, HYBRID))


def dense(make, kind):
    dtype = tensor_type(kind)
    rows, depth, units = make.size(3), make.size(70), make.size(12)
    x_quantized = make.quantized(dtype)
    x = make.input([rows, depth], dtype, **x_quantized)
    weights, scales = weights_of(make, [units, depth], 0, kind)
    bias_scales = scales and [scale * x_quantized.get("scale", 1) for scale in scales]
    wide = make.pick(True, True, False)
    bias = bias_of(make, units, kind, bias_scales, wide, needed=kind == TO_INT16)
    output = INT16 if kind == TO_INT16 else dtype
    y = make.model.tensor([rows, units], output, **sums_of(make, output))
    fields = {0: activation(make), **bias_type(4, dtype, wide)}
    if kind == BY_INT16:
        fields[4] = Scalar("b", INT64 if wide else INT32)
    if kind in HYBRIDS:
        fields[3] = Scalar("?", make.pick(True, False))
    make.model.operator(9, [x, weights, bias], [y], 8, fields)
    return make.case([y])


def pool(make, code, dtypes=(INT8, INT8, INT8, FLOAT32, INT16)):
    dtype = make.pick(*dtypes)
    same = make.pick(True, False)
    kernel, stride = (make.size(4), make.size(4)), (make.size(3), make.size(3))
    size = (make.size(9), make.size(9))
    out = [extent(make, size[i], kernel[i], stride[i], 1, same) for i in (0, 1)]
    if None in out:
        return None
    batch, channels = make.pick(1, 2), make.size(6)
    quantized = make.quantized(dtype)
    x = make.input([batch, *size, channels], dtype, **quantized)
    y = make.model.tensor([batch, *out, channels], dtype, **quantized)
    make.model.operator(code, [x], [y], 5, {
        0: Scalar("b", 0 if same else 1), 1: Scalar("i", stride[1]), 2: Scalar("i", stride[0]),
        3: Scalar("i", kernel[1]), 4: Scalar("i", kernel[0]), 5: activation(make)})
    return make.case([y])


def average_pool_2d(make):
    return pool(make, 1)


def max_pool_2d(make):
    return pool(make, 17)


def add(make):
    return binary(make, 0, 11, (INT8, INT8, INT16, FLOAT32, INT32))


def sub(make):
    return binary(make, 41, 28, (INT8, INT8, INT16, FLOAT32, INT32))


def mul(make):
    return binary(make, 18, 21, (INT8, INT8, INT16, FLOAT32, INT32))


def div(make):
    return binary(make, 42, 29, (FLOAT32,))


def maximum(make):
    return binary(make, 55, 39, (INT8, INT16, FLOAT32, INT32), same_scale=True)


def minimum(make):
    return binary(make, 57, 39, (INT8, INT16, FLOAT32, INT32), same_scale=True)


def relu(make):
    return unary(make, make.pick(19, 20, 21), (INT8, INT8, INT16, FLOAT32))


def fractions(dtype, scale, zero_point):
    """The quantisation of outputs of at most 1; int16 has 15 bits after the point."""
    if dtype == FLOAT32:
        return {}
    return {"scale": 2.0 ** -15} if dtype == INT16 else {"scale": scale, "zero_point": zero_point}


def logistic(make):
    return unary(make, 14, (INT8, INT8, INT16, FLOAT32),
                 lambda dtype: fractions(dtype, 1 / 256, -128))


def tanh(make):
    return unary(make, 28, (INT8, INT8, INT16, FLOAT32),
                 lambda dtype: fractions(dtype, 1 / 128, 0))


def leaky_relu(make):
    alpha = Scalar("f", make.pick(0.1, 0.3, 0.01, 0.2, 0.5))
    return unary(make, 98, (INT8, INT16, FLOAT32), None, 75, {0: alpha})


def hard_swish(make):
    def output(dtype):
        return {} if dtype == FLOAT32 else {"scale": make.scale(0.02, 0.1),
                                            "zero_point": make.zero_point(dtype)}
    return unary(make, 117, (INT8, INT8, FLOAT32), output)


def softmax(make):
    beta = Scalar("f", make.pick(1.0, 1.0, 0.5, 2.0))
    return unary(make, 25, (INT8, INT8, INT16, FLOAT32),
                 lambda dtype: fractions(dtype, 1 / 256, -128), 9, {0: beta})


def quantize(make):
    dtype, to = make.pick((FLOAT32, INT8), (FLOAT32, INT16), (FLOAT32, UINT8), (INT8, INT8),
                          (INT16, INT8), (INT8, UINT8), (UINT8, INT8), (INT16, INT16))
    shape = shape_of(make)
    x = make.input(shape, dtype, **make.quantized(dtype))
    y = make.model.tensor(shape, to, **make.quantized(to))
    make.model.operator(114, [x], [y])
    return make.case([y])


def dequantize(make):
    dtype = make.pick(INT8, UINT8, INT16)
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    quantized = make.quantized(dtype)
    if make.random.random() < 0.3:
        quantized = {"scale": [make.scale() for _ in range(shape[axis])], "axis": axis,
                     "zero_point": [make.zero_point(dtype) for _ in range(shape[axis])]}
    x = make.input(shape, dtype, **quantized)
    y = make.model.tensor(shape, FLOAT32)
    make.model.operator(6, [x], [y])
    return make.case([y])


def cast(make):
    dtype, to = make.pick((INT32, FLOAT32), (FLOAT32, INT32), (INT32, INT64), (INT8, FLOAT32),
                          (INT64, INT32))
    shape = shape_of(make)
    x = make.input(shape, dtype)
    y = make.model.tensor(shape, to)
    make.model.operator(53, [x], [y])
    return make.case([y])


def pad(make, dtypes=(INT8, INT16, FLOAT32)):
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    pads = [make.random.randint(0, 2) for _ in range(2 * len(shape))]
    quantized = make.quantized(dtype)
    x = make.input(shape, dtype, **quantized)
    inputs = [x, make.constant([len(shape), 2], INT32, data=pads)]
    version_2 = make.random.random() < 0.4
    if version_2:
        inputs.append(make.constant([1], dtype, **quantized))
    y = make.model.tensor([size + pads[2 * i] + pads[2 * i + 1] for i, size in enumerate(shape)],
                          dtype, **quantized)
    make.model.operator(60 if version_2 else 34, inputs, [y], 43 if version_2 else 22)
    return make.case([y])


def reshape(make):
    dtype = make.pick(INT8, FLOAT32)
    shape = shape_of(make, 2)
    to = make.pick([product(shape)], [shape[0], product(shape[1:])], shape[::-1])
    quantized = make.quantized(dtype)
    x = make.input(shape, dtype, **quantized)
    y = make.model.tensor(to, dtype, **quantized)
    make.model.operator(22, [x, make.constant([len(to)], INT32, data=to)], [y])
    return make.case([y])


def transpose(make, dtypes=(INT8, FLOAT32, INT16)):
    dtype = make.pick(*dtypes)
    shape = shape_of(make, 2)
    order = list(range(len(shape)))
    make.random.shuffle(order)
    quantized = make.quantized(dtype)
    x = make.input(shape, dtype, **quantized)
    y = make.model.tensor([shape[axis] for axis in order], dtype, **quantized)
    make.model.operator(39, [x, make.constant([len(order)], INT32, data=order)], [y], 26)
    return make.case([y])


def concatenation(make, dtypes=(INT8, FLOAT32, INT32)):
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    quantized = make.quantized(dtype)
    inputs, total = [], 0
    for _ in range(make.random.randint(1, 4)):
        own = list(shape)
        own[axis] = make.size()
        total += own[axis]
        # Only uint8 tensors may have scales of their own.
        settings = make.pick(quantized, make.quantized(dtype)) if dtype == UINT8 else quantized
        inputs.append(make.input(own, dtype, **settings))
    shape[axis] = total
    y = make.model.tensor(shape, dtype, **quantized)
    given = make.pick(axis, axis - len(shape))
    make.model.operator(2, inputs, [y], 10, {0: Scalar("i", given)})
    return make.case([y])


def split(make, dtypes=(INT8, FLOAT32)):
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    parts = make.random.randint(1, 3)
    with_sizes = make.pick(True, False)
    sizes = [make.size(4) if with_sizes else shape[axis] for _ in range(parts)]
    quantized = make.quantized(dtype)
    shape[axis] = sum(sizes)
    x = make.input(shape, dtype, **quantized)
    outputs = []
    for size in sizes:
        shape[axis] = size
        outputs.append(make.model.tensor(shape, dtype, **quantized))
    where = make.constant([], INT32, data=[axis])
    if with_sizes:
        inputs = [x, make.constant([parts], INT32, data=sizes), where]
        make.model.operator(102, inputs, outputs, 79, {0: Scalar("i", parts)})
    else:
        make.model.operator(49, [where, x], outputs, 35, {0: Scalar("i", parts)})
    return make.case(outputs)


def pack(make, dtypes=(INT8, FLOAT32, INT32)):
    dtype = make.pick(*dtypes)
    shape = shape_of(make, 1, 3)
    axis = make.random.randint(0, len(shape))
    quantized = make.quantized(dtype)
    count = make.random.randint(1, 3)
    inputs = [make.input(shape, dtype, **quantized) for _ in range(count)]
    y = make.model.tensor(shape[:axis] + [count] + shape[axis:], dtype, **quantized)
    make.model.operator(83, inputs, [y], 59, {0: Scalar("i", count), 1: Scalar("i", axis)})
    return make.case([y])


def shape(make):
    own = shape_of(make)
    x = make.input(own, FLOAT32)
    y = make.model.tensor([len(own)], INT32)
    make.model.operator(77, [x], [y], 55, {0: Scalar("b", INT32)})
    return make.case([y])


def strided_slice(make, dtypes=(INT8, INT16, FLOAT32)):
    dtype = make.pick(*dtypes)
    own = shape_of(make)
    begins, ends, strides, out, masks = [], [], [], [], [0, 0, 0]
    for axis, size in enumerate(own):
        begin, stride = make.random.randrange(size), make.pick(1, 1, 2, -1)
        end = make.random.randint(begin + 1, size) if stride > 0 else make.random.randint(-1,
                                                                                          begin - 1)
        if make.random.random() < 0.2:
            masks[2] |= 1 << axis
            # Without a bound, the axis gives its first element.
            masks[0] |= make.pick(0, 1) << axis
            begins, ends, strides = begins + [begin], ends + [begin + 1], strides + [1]
            continue
        if make.random.random() < 0.2:
            masks[0] |= 1 << axis
            begin = 0 if stride > 0 else size - 1
        if end == -1 or make.random.random() < 0.2:
            masks[1] |= 1 << axis
            end = size if stride > 0 else -1
        begins.append(begin)
        ends.append(end)
        strides.append(stride)
        out.append(len(range(begin, end, stride)))
    quantized = make.quantized(dtype)
    x = make.input(own, dtype, **quantized)
    bounds = [make.constant([len(own)], INT32, data=data) for data in (begins, ends, strides)]
    y = make.model.tensor(out, dtype, **quantized)
    make.model.operator(45, [x, *bounds], [y], 32, {
        0: Scalar("i", masks[0]), 1: Scalar("i", masks[1]), 4: Scalar("i", masks[2])})
    return make.case([y])


def mean(make):
    dtype = make.pick(INT8, INT8, INT16, FLOAT32, UINT8, INT32, INT64)
    own = shape_of(make, 2)
    axes = [axis for axis in range(len(own)) if make.random.random() < 0.5] or [0]
    keep = make.pick(True, False)
    x = make.input(own, dtype, **make.quantized(dtype))
    out = [1 if axis in axes else size for axis, size in enumerate(own) if keep or axis not in axes]
    y = make.model.tensor(out, dtype, **make.quantized(dtype))
    make.model.operator(40, [x, make.constant([len(axes)], INT32, data=axes)], [y], 27,
                        {0: Scalar("?", keep)})
    return make.case([y])


def resize_nearest_neighbor(make, dtypes=(INT8, FLOAT32)):
    dtype = make.pick(*dtypes)
    size, out = [make.size(), make.size()], [make.size(12), make.size(12)]
    align, centers = make.pick((False, False), (True, False), (False, True))
    channels = make.size(4)
    quantized = make.quantized(dtype)
    x = make.input([1, *size, channels], dtype, **quantized)
    y = make.model.tensor([1, *out, channels], dtype, **quantized)
    make.model.operator(97, [x, make.constant([2], INT32, data=out)], [y], 74,
                        {0: Scalar("?", align), 1: Scalar("?", centers)})
    return make.case([y])


def transpose_conv(make, dtypes=(INT8, INT8, FLOAT32, INT16)):
    dtype = make.pick(*dtypes)
    same = make.pick(True, False)
    size, stride = [make.size(4), make.size(4)], [make.size(3), make.size(3)]
    kernel = [make.size(4), make.size(4)]
    if same:
        out = [size[i] * stride[i] for i in (0, 1)]
    else:
        out = [(size[i] - 1) * stride[i] + kernel[i] for i in (0, 1)]
    if any(kernel[i] < stride[i] for i in (0, 1)):
        return None
    channels, outputs = make.size(5), make.size(5)
    weights, scales = weights_of(make, [outputs, *kernel, channels], 0, dtype)
    x_quantized = make.quantized(dtype)
    x = make.input([1, *size, channels], dtype, **x_quantized)
    bias_scales = scales and [scale * x_quantized["scale"] for scale in scales]
    wide = make.pick(True, True, False)
    bias = bias_of(make, outputs, dtype, bias_scales, wide)
    y = make.model.tensor([1, *out, outputs], dtype, **sums_of(make, dtype))
    shape_tensor = make.constant([4], INT32, data=[1, *out, outputs])
    make.model.operator(67, [shape_tensor, weights, x, bias][:3 if bias < 0 else 4], [y], 49, {
        0: Scalar("b", 0 if same else 1), 1: Scalar("i", stride[1]), 2: Scalar("i", stride[0]),
        **bias_type(4, dtype, wide)})
    return make.case([y])


def svdf(make):
    dtype = make.pick(INT8, INT8, FLOAT32)
    kept = make.pick(INT16, INT8) if dtype == INT8 else FLOAT32
    batch, depth, units = make.pick(1, 1, 2), make.size(20), make.size(8)
    rank, memory = make.size(3), make.size(8)
    filters = units * rank
    x_quantized = make.quantized(dtype)
    x = make.input([batch, depth], dtype, **x_quantized)
    if dtype == FLOAT32:
        feature = make.constant([filters, depth], FLOAT32)
        time = make.constant([filters, memory], FLOAT32)
        bias = make.pick(-1, make.constant([units], FLOAT32))
        state = make.state([batch, filters * memory], FLOAT32)
        y = make.model.tensor([batch, units], FLOAT32)
    else:
        feature_scale, time_scale = make.scale(0.001, 0.02), make.scale(0.0005, 0.005)
        state_scale = make.scale(0.0005, 0.005) * (16 if kept == INT8 else 1)
        feature = make.constant([filters, depth], INT8, scale=feature_scale)
        time = make.constant([filters, memory], kept, scale=time_scale)
        bias = make.constant([units], INT32, scale=state_scale * time_scale)
        state = make.state([batch, filters * memory], kept, scale=state_scale,
                           zero_point=make.zero_point(kept))
        y = make.model.tensor([batch, units], INT8, scale=make.scale(0.02, 1), zero_point=-128)
    fused = Scalar("b", 1) if dtype == INT8 else activation(make)
    make.model.operator(27, [x, feature, time, bias, state], [y], 6,
                        {0: Scalar("i", rank), 1: fused})
    return make.case([y], runs=make.size(4), micro=kept == INT8)


def unidirectional_sequence_lstm(make):
    dtype = make.pick(INT8, INT8, FLOAT32)
    is_float = dtype == FLOAT32
    batch, steps, depth, cells = make.pick(1, 1, 2), make.size(4), make.size(12), make.size(8)
    coupled, seen, projected, normal = (make.random.random() < 0.3 for _ in range(4))
    normal = normal and is_float
    projected = projected and (is_float or not seen)
    outputs = make.size(8) if projected else cells
    time_major = make.pick(True, False)
    leading = [steps, batch] if time_major else [batch, steps]
    x = make.input(leading + [depth], dtype, **make.quantized(dtype))
    out, clip = make.quantized(dtype), make.pick(0.0, 0.0, 1.5)

    def matrix(rows, columns):
        if is_float:
            return make.constant([rows, columns], FLOAT32)
        data = [make.random.randint(-127, 127) for _ in range(rows * columns)]
        return make.constant([rows, columns], INT8, data=data, scale=make.scale(0.002, 0.02))

    def vector(rows, integers, scale):
        if is_float:
            return make.constant([rows], FLOAT32)
        data = [make.random.randint(-3000, 3000) for _ in range(rows)]
        return make.constant([rows], integers, data=data, scale=scale)

    first = [-1] if coupled else []
    gates = 3 if coupled else 4
    weights = first + [matrix(cells, depth) for _ in range(gates)]
    weights += first + [matrix(cells, outputs) for _ in range(gates)]
    weights += (first + [vector(cells, INT16, make.scale(0.0001, 0.001))
                         for _ in range(gates - 1)]) if seen else [-1] * 3
    biases = first + [vector(cells, INT32, 0.0001) for _ in range(gates)]
    biases += [matrix(outputs, cells), make.pick(-1, vector(outputs, INT32, 0.0001))
               ] if projected else [-1] * 2
    last = make.state([batch, outputs], dtype, **out)
    cell_scale = {} if is_float else {"scale": 2.0 ** make.pick(-9, -11, -12, -15)}
    state = make.state([batch, cells], FLOAT32 if is_float else INT16, **cell_scale)
    norms = first + [vector(cells, INT16, 0.001) for _ in range(gates)] if normal else [-1] * 4
    y = make.model.tensor(leading + [outputs], dtype, **out)
    intermediates = None
    if not is_float:
        hidden = make.quantized(dtype) if projected else out
        intermediates = [make.model.tensor([], INT16, scale=2.0 ** -12) for _ in range(4)]
        intermediates.append(make.model.tensor([], INT8, **hidden))
    make.model.operator(44, [x] + weights + biases + [last, state] + norms, [y], 71, {
        0: Scalar("b", 4), 1: Scalar("f", clip), 2: Scalar("f", clip and make.pick(0.0, 0.8)),
        3: Scalar("?", time_major)}, intermediates=intermediates)
    results = [y]
    if make.random.random() < 0.3:
        # The state is an output, and an operator reads it.
        results += [last, make.model.tensor([batch, outputs], FLOAT32)]
        if is_float:
            make.model.operator(101, [last], [results[-1]])
        else:
            make.model.operator(6, [last], [results[-1]])
    return make.case(results, runs=make.size(3))


KINDS = {maker.__name__: maker for maker in (
    add, average_pool_2d, cast, concatenation, conv_2d, depthwise_conv_2d, dequantize, div,
    fully_connected, hard_swish, leaky_relu, logistic, max_pool_2d, maximum, mean, minimum, mul,
    pack, pad, quantize, relu, reshape, resize_nearest_neighbor, shape, softmax, split,
    strided_slice, sub, svdf, tanh, transpose, transpose_conv, unidirectional_sequence_lstm)}
KINDS |= tflite_control.KINDS | tflite_general.KINDS | tflite_recurrent.KINDS


def int4(make):
    """Weights of less than a byte: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and DEQUANTIZE."""
    return in_turn(
        make, lambda: window(make, False, BY_INT4), lambda: window(make, True, BY_INT4),
        lambda: dense(make, BY_INT4), lambda: window(make, False, HYBRID_INT4),
        lambda: dense(make, HYBRID_INT4), lambda: dense(make, make.pick(BY_INT2, HYBRID_INT2)),
        lambda: make.pick(dense, lambda *args: window(args[0], False, args[1]))(make, SHORT_BY_INT4),
        lambda: dequantized(make, make.pick(INT4, INT2)))


def dequantized(make, dtype, maker=None):
    """DEQUANTIZE of a constant, with one scale or one for each index of an axis. Then ADD, as the result of
    a model is not a constant."""
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    settings = {}
    if dtype != FLOAT16:
        count = shape[axis] if dtype != INT16 and make.random.random() < 0.6 else 1
        points = [0 if dtype in BITS else make.zero_point(dtype) for _ in range(count)]
        settings = {"scale": [make.scale() for _ in range(count)], "zero_point": points, "axis": axis}
    data = make.numbers(product(shape), FLOAT32 if dtype == FLOAT16 else dtype) if dtype not in BITS else [
        make.random.randint(-(1 << BITS[dtype] - 1), (1 << BITS[dtype] - 1) - 1) for _ in range(product(shape))]
    x = (maker or make.constant)(shape, dtype, data=data, **settings)
    y = make.model.tensor(shape, FLOAT32)
    make.model.operator(6, [x], [y])
    z = make.model.tensor(shape, FLOAT32)
    make.model.operator(0, [y, make.input(shape, FLOAT32)], [z], 11)
    return make.case([z])


def uint8(make):
    """Operators of uint8, as models had them before int8."""
    types = (UINT8,)
    beta = {0: Scalar("f", make.pick(1.0, 0.5))}
    same_scale = {"dtypes": types, "same_scale": True}
    return in_turn(
        make, lambda: window(make, False, UINT8), lambda: window(make, True, UINT8), lambda: dense(make, UINT8),
        lambda: pool(make, 1, types), lambda: pool(make, 17, types), lambda: binary(make, 0, 11, types),
        lambda: binary(make, 41, 28, types), lambda: binary(make, 18, 21, types),
        lambda: unary(make, 25, types, lambda dtype: fractions(dtype, 1 / 256, 0), 9, beta),
        lambda: unary(make, 14, types, lambda dtype: fractions(dtype, 1 / 256, 0)),
        lambda: unary(make, 28, types, lambda dtype: fractions(dtype, 1 / 128, 128)),
        lambda: unary(make, make.pick(19, 20, 21), types), lambda: unary(
            make, 98, types, None, 75, {0: Scalar("f", make.pick(0.1, 0.3, 0.01, 0.5))}),
        lambda: unary(make, 117, types), lambda: concatenation(make, types), lambda: pad(make, types),
        lambda: resize_nearest_neighbor(make, types), lambda: transpose_conv(make, types),
        lambda: binary(make, 55, 39, **same_scale), lambda: binary(make, 57, 39, **same_scale),
        lambda: split(make, types), lambda: pack(make, types), lambda: strided_slice(make, types),
        lambda: transpose(make, types), lambda: dequantized(make, UINT8, make.input),
        lambda: dense(make, HYBRID_UINT8), lambda: window(make, False, HYBRID_UINT8))


def looked_up(make):
    """EMBEDDING_LOOKUP of integers of 2 to 8 bits, as floats."""
    dtype = make.pick(INT8, UINT8, INT4, INT2)
    shape = shape_of(make, 2)
    # Rows begin at a byte.
    shape[-1] *= 8 // BITS.get(dtype, 8)
    count = make.size()
    ids = make.input([count], INT32, data=[make.random.randrange(shape[0]) for _ in range(count)])
    scales = [make.scale() for _ in range(make.pick(1, shape[0]))]
    most = 1 << BITS.get(dtype, 8) - 1
    data = [make.random.randint(-most, most - 1) & (255 if dtype == UINT8 else -1)
            for _ in range(product(shape))]
    x = make.constant(shape, dtype, data=data, scale=scales)
    y = make.model.tensor([count] + shape[1:], make.pick(FLOAT32, FLOAT16))
    make.model.operator(7, [ids, x], [y])
    return make.case([y])


def cast_any(make):
    dtype, to = (make.pick(FLOAT16, FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL) for _ in range(2))
    shape = shape_of(make)
    x, y = make.input(shape, dtype), make.model.tensor(shape, to)
    make.model.operator(53, [x], [y])
    return make.case([y])


def types(make):
    """Operators of float16, int64 and bool, and FULLY_CONNECTED of unlike types."""
    half, wide = (FLOAT16,), (INT64,)
    beta = {0: Scalar("f", 1.0)}
    return in_turn(
        make, lambda: unary(make, make.pick(66, 108), half), lambda: unary(make, make.pick(8, 59), half),
        lambda: unary(make, make.pick(14, 28), half), lambda: unary(make, 25, half, None, 9, beta),
        lambda: binary(make, 0, 11, half), lambda: binary(make, 18, 21, half),
        lambda: binary(make, make.pick(55, 57), 39, half), lambda: binary(make, 0, 11, wide),
        lambda: binary(make, 41, 28, wide), lambda: binary(make, 18, 21, wide),
        lambda: binary(make, make.pick(55, 57), 39, wide), lambda: dequantized(make, FLOAT16),
        lambda: looked_up(make), lambda: cast_any(make), lambda: pad(make, (FLOAT16, INT64, BOOL)),
        lambda: concatenation(make, (FLOAT16, INT64, BOOL)), lambda: transpose(make, (FLOAT16, INT64, BOOL)),
        lambda: strided_slice(make, (FLOAT16, INT64, BOOL)), lambda: split(make, (INT16, INT32, INT64)),
        lambda: pack(make, (INT16, INT64, UINT8)),
        lambda: tflite_general.reduction(make, make.pick(74, 82, 89, 81), (BOOL,)),
        lambda: dense(make, BY_INT16), lambda: dense(make, TO_INT16),
        lambda: unary(make, 150, half, None, 116, {0: Scalar("?", make.pick(True, False))}))


KINDS |= {maker.__name__: maker for maker in (int4, types, uint8)}


def make_case(kind, seed):
    """The first case from `seed` on that has an output."""
    attempt = 0
    while True:
        case = KINDS[kind](Maker(f"{kind} {seed} {attempt}", seed))
        if case is not None:
            return case
        attempt += 1


NPY_NAMES = {FLOAT32: "<f4", FLOAT16: "<f2", BOOL: "|b1", INT8: "|i1", UINT8: "|u1", INT16: "<i2",
             INT32: "<i4", INT64: "<i8"}


def npy(shape_, dtype, values):
    """The bytes of a .npy file."""
    text = "(" + "".join(f"{extent}, " for extent in shape_) + ")"
    header = f"{{'descr': '{NPY_NAMES[dtype]}', 'fortran_order': False, 'shape': {text}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npy_values(data):
    """The elements in the bytes of a .npy file, as a flat list."""
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    formats = {name: FORMATS[dtype] for dtype, name in NPY_NAMES.items()}
    return [value for value, in struct.iter_unpack("<" + formats[header["descr"]],
                                                   data[10 + size:])]
