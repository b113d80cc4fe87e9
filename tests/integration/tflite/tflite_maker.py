"""What random models of one operator share: a Case, and a Maker of its tensors."""

import dataclasses
import random
import struct

from tflite_writer import (BOOL, FLOAT16, FLOAT32, FORMATS, INT16, INT32, INT64, INT8, UINT8, Model, Scalar,
                           Vector)

RANGES = {INT8: (-128, 127), UINT8: (0, 255), INT16: (-32768, 32767), INT32: (-1000, 1000),
          INT64: (-1000, 1000), BOOL: (0, 1)}


@dataclasses.dataclass
class Case:
    """`inputs` are (shape, dtype, flat list), in the order of the file. A model with states runs
    several times, on the same inputs. `micro` says that TensorFlow Lite Micro alone runs it,
    `optimised` that LiteRT's optimised kernels judge it, because the reference kernel is missing,
    and `claimed` that the claim of its function is proven. `shapeless` is the model without the shapes
    that operators give to tensors; `source` is what the model was written from."""
    model: bytes
    inputs: list
    runs: int = 1
    micro: bool = False
    optimised: bool = False
    claimed: bool = True
    shapeless: bytes = b""
    source: Model = None
    inputs_of_file: list = ()
    outputs_of_file: list = ()


class Maker:
    """What the operators share."""

    def __init__(self, seed, turn=0):
        self.random = random.Random(seed)
        # The number of the case: kinds of several operators take turns.
        self.turn = turn
        self.model = Model()
        self.inputs, self.values = [], []

    def pick(self, *choices):
        return self.random.choice(choices)

    def in_turn(self, choices):
        return choices[self.turn % len(choices)]

    def size(self, most=6):
        return self.random.randint(1, most)

    def scale(self, low=0.002, high=0.1):
        value = low * (high / low) ** self.random.random()
        return struct.unpack("<f", struct.pack("<f", value))[0]

    def zero_point(self, dtype):
        if dtype in (FLOAT16, FLOAT32, INT16, INT32, INT64, BOOL):
            return 0
        low, high = RANGES[dtype]
        return self.pick(low, high, self.random.randint(low, high), (low + high + 1) // 2)

    def numbers(self, count, dtype):
        """Elements, the ends of the range among them."""
        if dtype in (FLOAT16, FLOAT32):
            kind = "<" + FORMATS[dtype]
            return [struct.unpack(kind, struct.pack(kind, self.random.uniform(-4, 4)))[0]
                    for _ in range(count)]
        low, high = RANGES[dtype]
        if self.random.random() < 0.1:
            return [self.pick(low, high) for _ in range(count)]
        return [self.random.randint(low, high) for _ in range(count)]

    def quantized(self, dtype, **settings):
        if dtype in (FLOAT16, FLOAT32, INT32, INT64, BOOL):
            return {}
        return {"scale": self.scale(), "zero_point": self.zero_point(dtype)} | settings

    def input(self, shape, dtype, data=None, **quantization):
        """An input of the model, with values."""
        number = self.model.tensor(shape, dtype, name=f"input:{len(self.inputs)}", **quantization)
        self.inputs.append(number)
        data = self.numbers(product(shape), dtype) if data is None else data
        self.values.append((list(shape), dtype, data))
        return number

    def constant(self, shape, dtype, data=None, **quantization):
        data = self.numbers(product(shape), dtype) if data is None else data
        return self.model.tensor(shape, dtype, data=data, **quantization)

    def state(self, shape, dtype, **quantization):
        return self.model.tensor(shape, dtype, is_variable=True, **quantization)

    def case(self, outputs, runs=1, micro=False):
        case = Case(self.model.file(self.inputs, outputs), self.values, runs, micro, source=self.model,
                    inputs_of_file=self.inputs, outputs_of_file=outputs)
        written = {number for fields in self.model.operators for number in fields[2].items}
        tensors = self.model.tensors
        self.model.tensors = [{**tensor, 0: Vector("i", [])} if number in written else tensor
                              for number, tensor in enumerate(tensors)]
        case.shapeless = self.model.file(self.inputs, outputs)
        self.model.tensors = tensors
        # Functions of bools have no proven claims.
        case.claimed = all(tensor[1].bytes[0] != BOOL for tensor in self.model.tensors)
        return case


def product(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


def activation(make):
    return Scalar("b", make.pick(0, 0, 1, 3, 2))


def shape_of(make, least=1, most=4):
    return [make.size(5) for _ in range(make.random.randint(least, most))]


def binary(make, code, options_type, dtypes, same_scale=False):
    """Two tensors, of which one may be repeated or constant."""
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    other = list(shape)
    if make.random.random() < 0.4:
        other = [1 if make.random.random() < 0.5 else extent for extent in shape]
        other = other[make.random.randint(0, len(shape) - 1):]
    one = make.quantized(dtype)
    settings = [one if same_scale else make.quantized(dtype) for _ in range(3)]
    # Of int16, a sum of numbers whose scales are powers of two may shift one of them.
    by_shifts = options_type in (11, 28) and dtype == INT16 and make.pick(True, False)
    if by_shifts:
        other = list(shape)
        exponent, by = make.random.randint(-15, -8), make.random.randint(0, 6)
        near = make.pick(1.0, 1.0, 1.0005)
        settings = [{"scale": 2.0 ** one * near}
                    for one in make.pick((exponent, exponent - by), (exponent - by, exponent))
                    + (exponent,)]
    shapes = make.pick((shape, other), (other, shape))
    a = make.input(shapes[0], dtype, **settings[0])
    b = (make.constant if make.random.random() < 0.3 else make.input)(shapes[1], dtype,
                                                                       **settings[1])
    y = make.model.tensor(shape, dtype, **settings[2])
    fields = {0: activation(make)} if options_type not in (0, 39) else {}
    if options_type in (11, 28) and dtype == INT16:
        fields[1] = Scalar("?", by_shifts)
    make.model.operator(code, [a, b], [y], options_type, fields)
    return make.case([y])


def unary(make, code, dtypes, output=None, options_type=0, options=None):
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    quantized = make.quantized(dtype)
    if dtype == INT16 and output is not None:
        # Functions of int16 treat powers of two apart.
        quantized["scale"] = make.pick(2.0 ** -12, 2.0 ** -11, 2.0 ** -13, make.scale(0.00001, 0.5))
    x = make.input(shape, dtype, **quantized)
    settings = make.quantized(dtype) if output is None else output(dtype)
    y = make.model.tensor(shape, dtype, **settings)
    make.model.operator(code, [x], [y], options_type, options)
    return make.case([y])


def in_turn(make, *makers):
    """A case of each maker, one after the other from seed to seed."""
    return make.in_turn(makers)()
