"""Random graphs of 4 to 14 operators, and single operators with hostile parameters; the same for the same seed.

A graph has operators of all kinds of tflite_cases.py. Where such an operator would take an input of the model, it
most often takes a value that an earlier operator made, and operators that tile, cut, reshape, cast and quantise
bring the value into the wanted form. Hostile parameters are numbers and tensors that no converter writes.
"""

import random
import struct
import types

import tflite_cases
from tflite_maker import Case, Maker, product
from tflite_writer import BOOL, FLOAT16, FLOAT32, INT16, INT32, INT64, INT8, UINT8, Scalar, Vector

LEAST, MOST = 4, 14
# Their inputs decide the output's shape, or few values are allowed.
APART = {"shape", "rank"}
QUANTIZED = (INT8, UINT8, INT16)
# DIV, EXP, LOG, SQRT, RSQRT, POW: their results may be NaN or large, and no operator reads them. LiteRT leaves open
# which integers become of such numbers, and makes large ones of infinite sums.
WILD = {42, 47, 73, 75, 76, 78}
DIV, CAST = 42, 53


class GraphMaker(Maker):
    """A Maker whose operators read each other's values: (number, shape, dtype, quantisation)."""

    def __init__(self, seed):
        super().__init__(seed, turn=random.Random(seed).randrange(100))
        self.made, self.runs, self.is_judged = [], 1, True
        self.wild, self.scanned = set(), 0

    def is_wild(self, number):
        """Whether a value may be NaN or large."""
        for fields in self.model.operators[self.scanned:]:
            code = self.model.codes[int.from_bytes(fields[0].bytes, "little")][0]
            inputs = fields[1].items
            from_integers = code == CAST and self.model.tensors[inputs[0]][1].bytes[0] in (INT32, INT64)
            if code in WILD or from_integers or self.wild & set(inputs):
                self.wild |= set(fields[2].items)
        self.scanned = len(self.model.operators)
        return number in self.wild

    def input(self, shape, dtype, data=None, **quantized):
        if data is None and self.made and self.random.random() < 0.8:
            source = self.made[-1] if self.random.random() < 0.6 else self.pick(*self.made)
            adapted = None if self.is_wild(source[0]) else self.adapted(source, list(shape), dtype, quantized)
            if adapted is not None:
                return adapted
        return super().input(shape, dtype, data, **quantized)

    def step(self, code, source, shape, dtype, quantized, others=(), options_type=0, options=None):
        number = self.model.tensor(shape, dtype, **quantized)
        self.model.operator(code, [source[0], *others], [number], options_type, options)
        return number, shape, dtype, quantized

    def adapted(self, source, shape, dtype, quantized):
        """A value of another form; None if no operator makes it."""
        kept = source[3]
        count, wanted = product(source[1]), product(shape)
        if count == 0 or wanted == 0 or source[2] == BOOL or dtype == BOOL:
            return None
        if source[1] != shape:
            if source[1] != [count]:
                source = self.step(22, source, [count], source[2], kept,
                                   [self.constant([1], INT32, data=[count])])
            if count < wanted:
                times = -(-wanted // count)
                count *= times
                source = self.step(69, source, [count], source[2], kept,
                                   [self.constant([1], INT32, data=[times])])
            if count > wanted:
                at = self.random.randrange(count - wanted + 1)
                bounds = [self.constant([1], INT32, data=data) for data in ([at], [wanted])]
                source = self.step(65, source, [wanted], source[2], kept, bounds)
            if shape != [wanted]:
                source = self.step(22, source, shape, source[2], kept,
                                   [self.constant([len(shape)], INT32, data=shape)])
        return self.converted(source, dtype, quantized)

    def converted(self, source, dtype, quantized):
        if source[2] == dtype and source[3] == quantized:
            return source[0]
        if source[2] in QUANTIZED and source[3]:
            if dtype in (INT8, INT16) and source[2] in (INT8, INT16) and isinstance(quantized.get("scale"), float):
                return self.step(114, source, source[1], dtype, quantized)[0]
            source = self.step(6, source, source[1], FLOAT32, {})
        elif source[2] != FLOAT32:
            source = self.step(53, source, source[1], FLOAT32, {})
        if dtype == FLOAT32:
            return source[0]
        if dtype in QUANTIZED:
            if not isinstance(quantized.get("scale"), float):
                return None
            return self.step(114, source, source[1], dtype, quantized)[0]
        # The cast of a large number to an integer is left open.
        top, low = (self.constant([], FLOAT32, data=[value]) for value in (100.0, -100.0))
        source = self.step(57, source, source[1], FLOAT32, {}, [top])
        source = self.step(55, source, source[1], FLOAT32, {}, [low])
        return self.step(53, source, source[1], dtype, {})[0]

    def case(self, outputs, runs=1, micro=False):
        """Notes what an operator made."""
        self.runs = max(self.runs, runs)
        self.is_judged = self.is_judged and not micro
        for number in outputs:
            fields = self.model.tensors[number]
            quantization = fields[4]
            quantized = {}
            if quantization is not None:
                quantized = {"scale": quantization[2].items[0], "zero_point": quantization[3].items[0]}
            self.made.append((number, list(fields[0].items), fields[1].bytes[0], quantized))
        return types.SimpleNamespace(inputs=[(None, None)])

    def finished(self):
        """The model: the last value is an output, and up to two others are."""
        last = self.made[-1][0]
        others = [number for number, *_ in self.made if number != last]
        outputs = self.random.sample(others, min(len(others), self.random.randint(0, 2))) + [last]
        case = super().case(outputs, self.runs)
        case.claimed = False
        return case


def may_divide_by_zero(model):
    """Whether a divisor is a value that an operator gives; LiteRT has no infinite quotients."""
    given = {number for fields in model.operators for number in fields[2].items}
    return any(model.codes[int.from_bytes(fields[0].bytes, "little")][0] == DIV and fields[1].items[1] in given
               for fields in model.operators)


def graph(seed):
    """A graph; None if it came out too large, or no judge runs it."""
    made = GraphMaker(f"graph {seed}")
    least = made.random.randint(LEAST, MOST - 3)
    kinds = sorted(set(tflite_cases.KINDS) - APART)
    while len(made.model.operators) < least:
        made.turn += 1
        made.model.version = 1
        answer = tflite_cases.KINDS[made.pick(*kinds)](made)
        if getattr(answer, "optimised", False) or getattr(answer, "micro", False):
            return None
    if not made.is_judged or len(made.model.operators) > MOST or may_divide_by_zero(made.model):
        return None
    return made.finished()


NUMBERS = [0, 1, -1, 2, 3, 7, -2, 1 << 15, 1 << 20, (1 << 31) - 1, -(1 << 31)]
# LiteRT leaves open what becomes of products of integers and much larger scales.
SCALES = [0.0, -1.0, 1e-6, 0.25, 1.0, 2e3, float("inf"), float("nan")]


class Hostile:
    """Changes one or two things of a model of one operator."""

    def __init__(self, case, generator):
        self.case, self.random = case, generator
        self.model = case.source

    def changed_options(self):
        fields = self.random.choice(self.model.operators)
        if not fields.get(4):
            return
        number = self.random.choice(sorted(fields[4]))
        kinds = {1: "b", 4: "i"}
        kind = kinds.get(len(fields[4][number].bytes)) if isinstance(fields[4][number], Scalar) else None
        if kind is None:
            return
        value = self.random.choice(NUMBERS)
        if kind == "b":
            value = self.random.choice([0, 1, 2, 3, 4, 5])
        fields[4] = {**fields[4], number: Scalar(kind, value)}

    def changed_constant(self):
        """Another number in a constant of integers, such as pads, axes and bounds."""
        numbers = [number for number, fields in enumerate(self.model.tensors)
                   if fields[1].bytes[0] in (INT32, INT64) and int.from_bytes(fields[2].bytes, "little")]
        if not numbers:
            return
        fields = self.model.tensors[self.random.choice(numbers)]
        buffer = int.from_bytes(fields[2].bytes, "little")
        kind = "i" if fields[1].bytes[0] == INT32 else "q"
        size = struct.calcsize(kind)
        data = bytearray(self.model.buffers[buffer])
        if not data:
            return
        at = self.random.randrange(len(data) // size) * size
        data[at:at + size] = struct.pack("<" + kind, self.random.choice(NUMBERS))
        self.model.buffers[buffer] = bytes(data)

    def changed_shape(self):
        """Another shape of as many elements, or of other ones where no data says how many."""
        fields = self.random.choice(self.model.tensors)
        shape = list(fields[0].items)
        what = self.random.randrange(4)
        if what == 0 and len(shape) > 1:
            at = self.random.randrange(len(shape) - 1)
            shape[at:at + 2] = shape[at:at + 2][::-1]
        elif what == 1:
            shape.insert(self.random.randint(0, len(shape)), 1)
        elif what == 2 and len(shape) > 1:
            shape = [product(shape)]
        elif what == 3 and shape:
            shape[self.random.randrange(len(shape))] = self.random.choice([0, 1, 2, 5])
        fields[0] = Vector("i", shape)

    def changed_scale(self):
        numbers = [fields for fields in self.model.tensors if fields[4] is not None]
        # LiteRT shifts small quotients by more bits than an integer has.
        if not numbers or self.model.codes[0][0] == DIV:
            return
        fields = self.random.choice(numbers)
        scales = list(fields[4][2].items)
        scales[self.random.randrange(len(scales))] = self.random.choice(SCALES)
        fields[4] = {**fields[4], 2: Vector("f", scales)}

    def changed_type(self):
        # The divisors are not 0 as numbers of their type.
        if self.model.codes[0][0] == DIV:
            return
        fields = self.random.choice(self.model.tensors)
        widths = {FLOAT32: 4, INT32: 4, INT8: 1, UINT8: 1, BOOL: 1, INT16: 2, FLOAT16: 2, INT64: 8}
        width = widths.get(fields[1].bytes[0])
        if width is None:
            return
        fields[1] = Scalar("b", self.random.choice([one for one, other in widths.items() if other == width]))

    def changed_inputs(self):
        fields = self.random.choice(self.model.operators)
        inputs = list(fields[1].items)
        if not inputs:
            return
        what = self.random.randrange(3)
        at = self.random.randrange(len(inputs))
        if what == 0:
            inputs[at] = -1
        elif what == 1:
            inputs[at] = self.random.choice(inputs)
        else:
            inputs = inputs[:at] + inputs[at + 1:]
        fields[1] = Vector("i", inputs)

    def finished(self):
        changes = [self.changed_options, self.changed_constant, self.changed_constant, self.changed_shape,
                   self.changed_scale, self.changed_type, self.changed_inputs]
        for _ in range(self.random.choice((1, 1, 2))):
            self.random.choice(changes)()
        case = self.case
        inputs = []
        for number, (_, _, data) in zip(case.inputs_of_file, case.inputs):
            fields = self.model.tensors[number]
            shape, dtype = list(fields[0].items), fields[1].bytes[0]
            count = product(shape)
            data = (list(data) * (count // max(len(data), 1) + 1))[:count]
            if dtype == BOOL:
                data = [bool(value) for value in data]
            elif dtype not in (FLOAT16, FLOAT32):
                low, high = {INT8: (-128, 127), UINT8: (0, 255), INT16: (-32768, 32767)}.get(dtype, (-1000, 1000))
                data = [min(max(int(value), low), high) if value == value else 0 for value in data]
            inputs.append((shape, dtype, data))
        return Case(self.model.file(case.inputs_of_file, case.outputs_of_file), inputs, case.runs, claimed=False,
                    source=self.model)


def parameters(seed):
    generator = random.Random(f"parameters {seed}")
    kind = generator.choice(sorted(tflite_cases.KINDS))
    case = tflite_cases.make_case(kind, generator.randrange(1000))
    if case.micro or case.optimised:
        return None
    try:
        return Hostile(case, generator).finished()
    except (struct.error, OverflowError):
        return None


KINDS = {"graphs": graph, "parameters": parameters}


def make_case(kind, seed):
    """A case of a kind, here or in tflite_cases.py."""
    if kind not in KINDS:
        return tflite_cases.make_case(kind, seed)
    attempt = 0
    while True:
        case = KINDS[kind](f"{seed} {attempt}")
        if case is not None:
            return case
        attempt += 1
