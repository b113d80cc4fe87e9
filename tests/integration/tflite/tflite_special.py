"""Models of operators on NaN, infinities, signed zeros, denormals and the largest floats.

`make(name)` gives a Table: one model, where each output is the result of one operator. Results must
be equal to those of LiteRT's reference kernels, bit for bit, and NaN for NaN. An Output says where
the results differ on purpose (docs/guide/tflite.md).
"""

import dataclasses
import math

from tflite_writer import (BOOL, FLOAT16, FLOAT32, INT16, INT32, INT64, INT8, UINT8, Model, Scalar)

NAN, INF = math.nan, math.inf
MOST = 3.4028234663852886e38
LEAST_NORMAL, LARGEST_DENORMAL, LEAST_DENORMAL = 2.0 ** -126, 2.0 ** -126 - 2.0 ** -149, 2.0 ** -149
SPECIAL = [NAN, INF, -INF, -0.0, 0.0, LEAST_DENORMAL, -LEAST_DENORMAL, LARGEST_DENORMAL,
           -LARGEST_DENORMAL, LEAST_NORMAL, MOST, -MOST, 1.0, -1.0]
NUMBERS = SPECIAL + [0.5, -0.5, 2.5, -2.5, 3.0, -3.0, 6.0, 6.000000476837158, 9.0, -9.5, 20.0, 127.4,
                     -128.5, 255.5, 32767.5, -32769.0, 89.0, -89.0, 100.0, -100.0, 2147483520.0,
                     2147483648.0, -2147483648.0, -3e9, 2.0 ** 62, 1e19, -1e19]
PAIRS = [(a, b) for a in SPECIAL for b in SPECIAL]
ACTIVATIONS = {"none": 0, "relu": 1, "relu_n1_to_1": 2, "relu6": 3}
RANGES = {INT8: (-128, 127), UINT8: (0, 255), INT16: (-2 ** 15, 2 ** 15 - 1)}
TYPES = {INT8: "int8", UINT8: "uint8", INT16: "int16", INT32: "int32", INT64: "int64", BOOL: "bool"}


@dataclasses.dataclass
class Output:
    """The result of an operator. `approximate`: finite numbers may differ as `tenon run --expect`
    allows. `clamps`: LiteRT turns infinities into the largest finite number, and Tenon keeps them.
    `expected`: what Tenon gives, because C++ leaves the result of LiteRT's conversion open."""
    name: str
    approximate: bool = False
    clamps: bool = False
    expected: list = None


class Table:
    """One model."""

    def __init__(self):
        self.writer = Model()
        self.numbers, self.inputs, self.tensors, self.outputs = [], [], [], []

    def input(self, shape, values, dtype=FLOAT32, **quantization):
        number = self.writer.tensor(shape, dtype, name=f"x{len(self.inputs)}", **quantization)
        self.numbers.append(number)
        self.inputs.append((list(shape), dtype, list(values)))
        return number

    def floats(self, shape, data):
        return self.writer.tensor(shape, FLOAT32, data=data)

    def integers(self, data):
        return self.writer.tensor([len(data)], INT32, data=data)

    def add(self, output, code, inputs, shape, options_type=0, options=None, dtype=FLOAT32,
            **quantization):
        """An operator whose result is an output."""
        y = self.writer.tensor(shape, dtype, name=output.name, **quantization)
        self.writer.operator(code, inputs, [y], options_type, options)
        self.tensors.append(y)
        self.outputs.append(output)

    @property
    def model(self):
        """The bytes of the file."""
        return self.writer.file(self.numbers, self.tensors)


def activated(name):
    """The names of the operator with each activation, and how LiteRT's results differ."""
    return [(Output(f"{name}_{activation}", clamps=activation in ("none", "relu")), Scalar("b", code))
            for activation, code in ACTIVATIONS.items()]


def unary():
    table = Table()
    shape = [len(NUMBERS)]
    x = table.input(shape, NUMBERS)
    for name, code in (("relu", 19), ("relu_n1_to_1", 20), ("relu6", 21), ("hard_swish", 117)):
        table.add(Output(name), code, [x], shape)
    table.add(Output("logistic", approximate=True), 14, [x], shape)
    table.add(Output("tanh", approximate=True), 28, [x], shape)
    for alpha in (0.1, 0.0, -0.5):
        table.add(Output(f"leaky_relu_{alpha}".replace("-", "minus_")), 98, [x], shape, 75,
                  {0: Scalar("f", alpha)})
    return table


def binary():
    """Every pair; one operand is repeated along one axis."""
    table = Table()
    count = len(SPECIAL)
    a, b = table.input([count, 1], SPECIAL), table.input([count], SPECIAL)
    for name, code, options_type in (("add", 0, 11), ("sub", 41, 28), ("mul", 18, 21),
                                     ("div", 42, 29)):
        for output, activation in activated(name):
            table.add(output, code, [a, b], [count, count], options_type, {0: activation})
    for name, code in (("maximum", 55), ("minimum", 57)):
        table.add(Output(name), code, [a, b], [count, count], 39)
        table.add(Output(f"{name}_swapped"), code, [b, a], [count, count], 39)
    return table


def rows():
    """Pairs, with a number in front or after them."""
    table = Table()
    data = [value for a, b in PAIRS for value in (a, 0.25, b)]
    x = table.input([len(PAIRS), 3], data)
    for beta in (1.0, 0.5):
        table.add(Output(f"softmax_{beta}", approximate=True), 25, [x], [len(PAIRS), 3], 9,
                  {0: Scalar("f", beta)})
    table.add(Output("mean"), 40, [x, table.integers([1])], [len(PAIRS)], 27,
              {0: Scalar("?", False)})
    weights = table.floats([2, 3], [1, 0.5, 1, -2, 0, 1])
    bias = table.floats([2], [0, 1])
    for output, activation in activated("fully_connected"):
        table.add(output, 9, [x, weights, bias], [len(PAIRS), 2], 8, {0: activation})
    return table


def windows():
    """Pairs in windows of four; with padding, windows of one to four."""
    table = Table()
    data = [value for a, b in PAIRS for value in (a, -2.0, b, 0.25)]
    x = table.input([len(PAIRS), 2, 2, 1], data)
    for name, code in (("average_pool_2d", 1), ("max_pool_2d", 17)):
        for padding, shape in ((0, [len(PAIRS), 2, 2, 1]), (1, [len(PAIRS), 1, 1, 1])):
            for output, activation in activated(f"{name}_{('same', 'valid')[padding]}"):
                table.add(output, code, [x], shape, 5, {
                    0: Scalar("b", padding), 1: Scalar("i", 1), 2: Scalar("i", 1),
                    3: Scalar("i", 2), 4: Scalar("i", 2), 5: activation})
    return table


def convolutions():
    table = Table()
    data = [value for pair in PAIRS for value in pair]
    count = len(PAIRS)
    x = table.input([1, 1, count, 2], data)
    one = Scalar("i", 1)
    kernel = table.floats([2, 1, 1, 2], [1, 0.5, -1, 2])
    each = table.floats([1, 1, 1, 2], [1, -2])
    bias = table.floats([2], [0, 1])
    for output, activation in activated("conv_2d"):
        table.add(output, 3, [x, kernel, bias], [1, 1, count, 2], 1, {
            0: Scalar("b", 1), 1: one, 2: one, 3: activation, 4: one, 5: one})
    for output, activation in activated("depthwise_conv_2d"):
        table.add(output, 4, [x, each, bias], [1, 1, count, 2], 2, {
            0: Scalar("b", 1), 1: one, 2: one, 3: one, 4: activation, 5: one, 6: one})
    table.add(Output("transpose_conv", clamps=True), 67,
              [table.integers([1, 1, count, 2]), kernel, x, bias], [1, 1, count, 2], 49,
              {0: Scalar("b", 1), 1: one, 2: one})
    return table


def states():
    """Operators with a state, on a few inputs of each kind."""
    table = Table()
    count = len(SPECIAL)
    x = table.input([count, 1], SPECIAL)
    for output, activation in activated("svdf"):
        state = table.writer.tensor([count, 2], FLOAT32, is_variable=True)
        # These activations keep infinities.
        weights = [table.floats([1, 1], [1]), table.floats([1, 2], [0.5, -2])]
        table.add(Output(output.name), 27, [x, *weights, table.floats([1], [1]), state],
                  [count, 1], 6, {0: Scalar("i", 1), 1: activation})
    y = table.input([count, 1, 1], SPECIAL)
    for clip in (0.0, 1.5):
        one = [table.floats([1, 1], [weight]) for weight in (1, 0.5, -1, 2)]
        biases = [table.floats([1], [value]) for value in (0, 0.5, 0, 0)]
        state = [table.writer.tensor([count, 1], FLOAT32, is_variable=True) for _ in range(2)]
        table.add(Output(f"lstm_clip_{clip}", approximate=True), 44,
                  [y] + one + one + [-1] * 3 + biases + [-1] * 2 + state + [-1] * 4,
                  [count, 1, 1], 71, {0: Scalar("b", 4), 1: Scalar("f", clip),
                                      2: Scalar("f", 0.0), 3: Scalar("?", False)})
    return table


def quantized_number(value, dtype, scale, zero_point):
    """The nearest integer of a dtype, with ties away from zero; NaN gives the zero point."""
    low, high = RANGES[dtype]
    steps = 0.0 if math.isnan(value) else max(-1e9, min(1e9, value / scale))
    rounded = int(math.copysign(math.floor(abs(steps) + 0.5), steps))
    return max(low, min(high, rounded + zero_point))


def casts():
    table = Table()
    shape = [len(NUMBERS)]
    x = table.input(shape, NUMBERS)
    for dtype in (INT8, UINT8, INT16, INT32, INT64, BOOL):
        table.add(Output(f"cast_to_{TYPES[dtype]}"), 53, [x], shape, dtype=dtype)
    integers = [-2 ** 31, -2 ** 31 + 1, -2 ** 24 - 1, -1, 0, 1, 2 ** 24 + 1, 2 ** 31 - 1]
    y = table.input([len(integers)], integers, INT32)
    table.add(Output("cast_from_int32"), 53, [y], [len(integers)])
    longs = [-2 ** 63, -2 ** 53 - 1, 2 ** 24 + 1, 2 ** 63 - 1]
    z = table.input([len(longs)], longs, INT64)
    table.add(Output("cast_from_int64"), 53, [z], [len(longs)])
    return table


def quantized():
    table = Table()
    shape = [len(NUMBERS)]
    x = table.input(shape, NUMBERS)
    for dtype, zero_point in ((INT8, -128), (INT8, 0), (INT8, 127), (UINT8, 0), (UINT8, 200),
                              (INT16, 0)):
        name = f"quantize_{TYPES[dtype]}_{zero_point}".replace("-", "minus_")
        values = [quantized_number(value, dtype, 0.25, zero_point) for value in NUMBERS]
        table.add(Output(name, expected=values), 114, [x], shape, dtype=dtype, scale=0.25,
                  zero_point=zero_point)
    for scale in (LEAST_DENORMAL, MOST, 0.25):
        y = table.input([4], [-128, -1, 0, 127], INT8, scale=scale, zero_point=-1)
        table.add(Output(f"dequantize_{scale}"), 6, [y], [4])
    halves = [NAN, INF, -INF, -0.0, 2.0 ** -24, -2.0 ** -24, 2.0 ** -14, 65504.0, -1.0]
    constant = table.writer.tensor([len(halves)], FLOAT16, data=halves)
    table.add(Output("dequantize_float16"), 6, [constant], [len(halves)])
    return table


def functions():
    """Functions of one number; those that the reference kernels lack are in `more_functions`."""
    table = Table()
    shape = [len(NUMBERS)]
    x = table.input(shape, NUMBERS)
    for name, code in (("abs", 101), ("floor", 8), ("neg", 59), ("sqrt", 75), ("rsqrt", 76),
                       ("square", 92), ("sign", 158), ("relu_0_to_1", 152)):
        table.add(Output(name), code, [x], shape)
    for name, code in (("exp", 47), ("log", 73)):
        table.add(Output(name, approximate=True), code, [x], shape)
    for approximate in (False, True):
        table.add(Output(f"gelu_{approximate}", approximate=True), 150, [x], shape, 116,
                  {0: Scalar("?", approximate)})
    return table


def more_functions():
    table = Table()
    shape = [len(NUMBERS)]
    x = table.input(shape, NUMBERS)
    for name, code in (("ceil", 104), ("round", 116)):
        table.add(Output(name), code, [x], shape)
    table.add(Output("elu", approximate=True), 111, [x], shape)
    return table


def pairs():
    """Relations and arithmetic of every pair."""
    table = Table()
    count = len(SPECIAL)
    a, b = table.input([count, 1], SPECIAL), table.input([count], SPECIAL)
    for name, code in (("equal", 71), ("not_equal", 72), ("less", 58), ("less_equal", 63),
                       ("greater", 61), ("greater_equal", 62)):
        table.add(Output(name), code, [a, b], [count, count], dtype=BOOL)
    table.add(Output("squared_difference"), 99, [a, b], [count, count])
    table.add(Output("floor_mod"), 95, [a, b], [count, count])
    table.add(Output("pow", approximate=True), 78, [a, b], [count, count])
    table.add(Output("prelu"), 54, [a, table.floats([1], [-0.5])], [count, 1])
    return table


def reductions():
    """Pairs with a number in front or after them, along one axis and along both."""
    table = Table()
    data = [value for a, b in PAIRS for value in (a, 0.25, b)]
    x = table.input([len(PAIRS), 3], data)
    y = table.input([2], [NAN, 1.0])
    z = table.input([2], [-0.0, -0.0])
    for name, code in (("sum", 74), ("reduce_max", 82), ("reduce_min", 89), ("reduce_prod", 81)):
        table.add(Output(name), code, [x, table.integers([1])], [len(PAIRS)], 27)
        table.add(Output(f"{name}_of_nan"), code, [y, table.integers([0])], [], 27)
        table.add(Output(f"{name}_of_zeros"), code, [z, table.integers([0])], [], 27)
    for name, code, options in (("arg_max", 56, 40), ("arg_min", 79, 57)):
        table.add(Output(name), code, [x, table.integers([1])], [len(PAIRS)], options,
                  {0: Scalar("b", INT32)}, dtype=INT32)
    table.add(Output("cumsum"), 128, [x, table.integers([1])], [len(PAIRS), 3], 102)
    table.add(Output("log_softmax", approximate=True), 50, [x], [len(PAIRS), 3])
    table.add(Output("l2_normalization"), 11, [x], [len(PAIRS), 3], 12)
    return table


TABLES = {maker.__name__: maker for maker in (unary, binary, rows, windows, convolutions, states,
                                              casts, quantized, functions, more_functions, pairs,
                                              reductions)}
# Tables of operators that LiteRT's reference kernels lack: its optimised kernels judge them.
OPTIMISED = {"more_functions"}


def make(name):
    return TABLES[name]()


def is_same(got, wanted, output):
    """Whether Tenon's number is LiteRT's number, NaN for NaN, with the sign of zeros."""
    if isinstance(wanted, (bool, int)):
        return got == wanted
    if math.isnan(wanted) or math.isnan(got):
        return math.isnan(wanted) and math.isnan(got)
    if got == wanted:
        return math.copysign(1, got) == math.copysign(1, wanted)
    if output.clamps and math.isinf(got):
        return wanted == math.copysign(MOST, got)
    return output.approximate and abs(got - wanted) <= 1e-5 + 1e-4 * abs(wanted)
