"""Random models of LSTM, RNN and their like, with all kernels and types of weights."""

from tflite_maker import activation, in_turn, product
from tflite_writer import FLOAT32, INT16, INT32, INT8, UINT8, Scalar


class Recurrent:
    """The weights of LSTM (16) and UNIDIRECTIONAL_SEQUENCE_LSTM (44). Those of hybrid operators are int8."""

    def __init__(self, make, dtype, hybrid):
        self.make, self.hybrid, self.is_float = make, hybrid, dtype == FLOAT32
        self.cells = make.size(8)
        # Old files call int8 uint8.
        self.weights = make.pick(INT8, INT8, UINT8) if hybrid else INT8
        self.bias = FLOAT32 if self.is_float else INT32

    def integers(self, shape, dtype, scale, most):
        data = [self.make.random.randint(-most, most) & (255 if dtype == UINT8 else -1)
                for _ in range(product(shape))]
        return self.make.constant(shape, dtype, data=data, scale=scale)

    def matrix(self, rows, columns):
        if self.is_float and not self.hybrid:
            return self.make.constant([rows, columns], FLOAT32)
        return self.integers([rows, columns], self.weights, self.make.scale(0.002, 0.02), 127)

    def vector(self, dtype, scale, most=3000):
        if dtype == FLOAT32:
            return self.make.constant([self.cells], FLOAT32)
        return self.integers([self.cells], dtype, scale, most)

    def seen(self):
        if self.hybrid:
            return self.vector(self.weights, self.make.scale(0.002, 0.02), 127)
        return self.vector(FLOAT32 if self.is_float else INT16, self.make.scale(0.0001, 0.001))

    def norm(self):
        return self.vector(FLOAT32 if self.is_float else INT16, self.make.scale(0.00005, 0.001))


def recurrent(make, code, dtype, hybrid=False, normal=None):
    """An operator with some of the optional inputs."""
    of, batch, steps, depth = Recurrent(make, dtype, hybrid), make.pick(1, 1, 2), make.size(4), make.size(12)
    coupled, seen, projected = (make.random.random() < 0.4 for _ in range(3))
    normal = make.pick(True, False) if normal is None else normal
    projected = projected and (of.is_float or not seen)
    outputs = make.size(8) if projected else of.cells
    time_major = code == 44 and make.pick(True, False)
    leading = [batch] if code == 16 else [steps, batch] if time_major else [batch, steps]
    x = make.input(leading + [depth], dtype, **make.quantized(dtype))
    out, clip = make.quantized(dtype), make.pick(0.0, 0.0, 1.5)
    first, gates = ([-1], 3) if coupled else ([], 4)
    inputs = [x] + first + [of.matrix(of.cells, depth) for _ in range(gates)]
    inputs += first + [of.matrix(of.cells, outputs) for _ in range(gates)]
    inputs += first + [of.seen() for _ in range(gates - 1)] if seen else [-1] * 3
    inputs += first + [of.vector(of.bias, 0.0001) for _ in range(gates)]
    inputs += [of.matrix(outputs, of.cells), make.pick(-1, make.constant([outputs], of.bias))
               ] if projected else [-1, -1]
    cell_scale = {} if of.is_float else {"scale": 2.0 ** make.pick(-9, -11, -12, -15)}
    inputs += [make.state([batch, outputs], dtype, **out),
               make.state([batch, of.cells], FLOAT32 if of.is_float else INT16, **cell_scale)]
    inputs += first + [of.norm() for _ in range(gates)] if normal else []
    y = make.model.tensor(leading + [outputs], dtype, **out)
    inner = None
    if not of.is_float:
        inner = [make.model.tensor([], INT16, scale=make.scale(0.0001, 0.001) if normal else 2.0 ** -12)
                 for _ in range(4)]
        inner.append(make.model.tensor([], INT8, **(make.quantized(dtype) if projected else out)))
    fields = {0: Scalar("b", 4), 1: Scalar("f", clip), 2: Scalar("f", clip and make.pick(0.0, 0.8)),
              4: Scalar("?", hybrid and make.pick(True, False))}
    fields |= {3: Scalar("?", time_major)} if code == 44 else {}
    make.model.operator(code, inputs, [y], 71 if code == 44 else 14, fields, intermediates=inner)
    # The model may also have the last output as an output.
    return make.case([y, inputs[18]] if make.random.random() < 0.3 else [y], runs=make.size(3))


def basic_lstm(make, dtype):
    """LSTM with the basic kernel. Its states are variables or inputs."""
    batch, depth, cells = make.size(2), make.size(12), make.size(6)
    quantized = {} if dtype == FLOAT32 else {"scale": 1 / 128, "zero_point": 128}
    of_cells = {} if dtype == FLOAT32 else {"scale": 2.0 ** -11}
    wide = FLOAT32 if dtype == FLOAT32 else INT16
    scale = make.scale(0.002, 0.02)
    weights = {} if dtype == FLOAT32 else {"scale": scale, "zero_point": make.zero_point(UINT8)}
    bias = {} if dtype == FLOAT32 else {"scale": scale / 128}
    own = make.pick(True, False)
    x = make.input([batch, depth], dtype, **quantized)
    last = (make.state if own else make.input)([batch, cells], dtype, **quantized)
    matrix = make.constant([4 * cells, depth + cells], dtype, **weights)
    biases = make.constant([4 * cells], FLOAT32 if dtype == FLOAT32 else INT32, **bias)
    state = (make.state if own else make.input)([batch, cells], wide, **of_cells)
    shapes = (cells, dtype, quantized), (cells, wide, of_cells), (depth + cells, dtype, quantized), (
        4 * cells, wide, {} if dtype == FLOAT32 else {"scale": 2.0 ** -12})
    outputs = [make.model.tensor([batch, extent], kind, **settings) for extent, kind, settings in shapes]
    make.model.operator(16, [x, last, matrix, biases, state], outputs, 14, {
        0: Scalar("b", 4), 3: Scalar("b", 1)})
    return make.case(outputs, runs=make.size(3) if own else 1)


def lstm(make):
    """LSTM of all kernels, and UNIDIRECTIONAL_SEQUENCE_LSTM of int8 weights, and with layer norms of int8."""
    return in_turn(
        make, lambda: recurrent(make, 44, FLOAT32, hybrid=True), lambda: recurrent(make, 44, INT8, normal=True),
        lambda: recurrent(make, 16, FLOAT32), lambda: recurrent(make, 16, FLOAT32, hybrid=True),
        lambda: recurrent(make, 16, INT8), lambda: basic_lstm(make, FLOAT32), lambda: basic_lstm(make, UINT8))


def recurrent_units(make, code, hybrid):
    """RNN (24) or UNIDIRECTIONAL_SEQUENCE_RNN (35)."""
    of, batch, steps, depth = Recurrent(make, FLOAT32, hybrid), make.size(2), make.size(4), make.size(12)
    time_major = make.pick(True, False)
    leading = [batch] if code == 24 else [steps, batch] if time_major else [batch, steps]
    x = make.input(leading + [depth], FLOAT32)
    weights = [of.matrix(of.cells, depth), of.matrix(of.cells, of.cells), make.constant([of.cells], FLOAT32)]
    if not hybrid:
        # Larger weights would magnify the last bits from step to step.
        small = [value / 8 for value in make.numbers(of.cells * of.cells, FLOAT32)]
        weights[1] = make.constant([of.cells, of.cells], FLOAT32, data=small)
    state = make.state([batch, of.cells], FLOAT32)
    y = make.model.tensor(leading + [of.cells], FLOAT32)
    tanh, function = 4, make.pick(0, 1, 3, 4)
    asymmetric = Scalar("?", make.pick(True, False))
    # The next run of a hybrid operator would round the last bit of tanh to another integer.
    most_runs = 1 if hybrid and function == tanh else 3
    function = Scalar("b", function)
    fields = {0: function, 1: asymmetric} if code == 24 else {
        0: Scalar("?", time_major), 1: function, 2: asymmetric}
    make.model.operator(code, [x, *weights, state], [y], 7 if code == 24 else 31, fields)
    return make.case([y], runs=min(make.size(3), most_runs))


def hybrid_svdf(make):
    batch, depth, units, rank, memory = make.size(2), make.size(20), make.size(8), make.size(3), make.size(8)
    of = Recurrent(make, FLOAT32, True)
    x = make.input([batch, depth], FLOAT32)
    inputs = [x, of.matrix(units * rank, depth), of.matrix(units * rank, memory),
              make.pick(-1, make.constant([units], FLOAT32)),
              make.state([batch, units * rank * memory], FLOAT32)]
    y = make.model.tensor([batch, units], FLOAT32)
    make.model.operator(27, inputs, [y], 6, {0: Scalar("i", rank), 1: activation(make),
                                             2: Scalar("?", make.pick(True, False))})
    return make.case([y], runs=make.size(4))


def rnn(make):
    """RNN and UNIDIRECTIONAL_SEQUENCE_RNN, and SVDF of floats with int8 weights."""
    return in_turn(make, lambda: recurrent_units(make, 24, False), lambda: recurrent_units(make, 24, True),
                   lambda: recurrent_units(make, 35, False), lambda: recurrent_units(make, 35, True),
                   lambda: hybrid_svdf(make))


KINDS = {maker.__name__: maker for maker in (lstm, rnn)}
