"""Random models of operators of any number of dimensions: movement, functions and reductions.

A kind of several operators takes each in turn, so that consecutive seeds have all of them.
"""

from tflite_maker import activation, product, shape_of, unary
from tflite_writer import BOOL, FLOAT32, INT16, INT32, INT64, INT8, UINT8, Scalar, Vector

ALL = (FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL)


def moved(make, code, shape, out, others=(), dtypes=ALL, options_type=0, options=None):
    """One output, with elements of one input. `others` are the inputs after it."""
    dtype = make.pick(*dtypes)
    quantized = make.quantized(dtype)
    x = make.input(shape, dtype, **quantized)
    y = make.model.tensor(out, dtype, **quantized)
    make.model.operator(code, [x, *others], [y], options_type, options)
    return make.case([y])


def integers(make, data, dtype=INT32):
    return make.constant([len(data)], dtype, data=data)


def unpack(make):
    dtype = make.pick(FLOAT32, INT8, UINT8, INT16, INT32, BOOL)
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    quantized = make.quantized(dtype)
    x = make.input(shape, dtype, **quantized)
    out = shape[:axis] + shape[axis + 1:]
    outputs = [make.model.tensor(out, dtype, **quantized) for _ in range(shape[axis])]
    make.model.operator(88, [x], outputs, 64, {0: Scalar("i", shape[axis]), 1: Scalar(
        "i", make.pick(axis, axis - len(shape)))})
    return make.case(outputs)


def indices(make, shape, extent):
    """Indices of an axis, constant or given at run time."""
    data = [make.random.randrange(extent) for _ in range(product(shape))]
    dtype = make.pick(INT32, INT32, INT64)
    maker = make.pick(make.constant, make.input)
    return maker(shape, dtype, data=data)


def gather(make):
    """GATHER, and EMBEDDING_LOOKUP, whose indices come first."""
    if make.in_turn((False, False, True)):
        shape, count = shape_of(make, 2), make.size()
        dtype = make.pick(FLOAT32, INT8)
        quantized = make.quantized(dtype)
        data = [make.random.randrange(shape[0]) for _ in range(count)]
        ids = make.pick(make.constant, make.input)([count], INT32, data=data)
        x = make.input(shape, dtype, **quantized)
        y = make.model.tensor([count] + shape[1:], dtype, **quantized)
        make.model.operator(7, [ids, x], [y])
        return make.case([y])
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    batch = make.pick(0, 0, make.random.randint(0, axis))
    own = shape_of(make, 0, 2)
    at = indices(make, shape[:batch] + own, shape[axis])
    out = shape[:axis] + own + shape[axis + 1:]
    return moved(make, 36, shape, out, [at], options_type=23, options={
        0: Scalar("i", axis), 1: Scalar("i", batch)})


def gather_nd(make):
    shape = shape_of(make, 1, 4)
    named = make.random.randint(1, len(shape))
    leading = shape_of(make, 0, 2)
    data = [make.random.randrange(shape[i]) for _ in range(product(leading)) for i in range(named)]
    maker = make.pick(make.constant, make.input)
    at = maker(leading + [named], make.pick(INT32, INT64), data=data)
    return moved(make, 107, shape, leading + shape[named:], [at],
                 dtypes=(FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL))


def slice_(make):
    shape = shape_of(make)
    begins = [make.random.randrange(extent) for extent in shape]
    counts = [make.random.randint(1, extent - begin) for begin, extent in zip(begins, shape)]
    sizes = [-1 if begin + count == extent and make.random.random() < 0.5 else count
             for begin, count, extent in zip(begins, counts, shape)]
    dtype = make.pick(INT32, INT64)
    return moved(make, 65, shape, counts, [integers(make, begins, dtype),
                                           integers(make, sizes, dtype)])


def slice_new_axis(make):
    """STRIDED_SLICE with axes that are added, and one entry for all axes that are left."""
    shape = shape_of(make, 1, 3)
    first = make.random.randrange(len(shape))
    # LiteRT takes an entry for no axis as one for an axis.
    last = make.random.randint(first + 1, len(shape))
    entries, out, masks = [], [], [0, 0, 0]
    for axis, size in enumerate(shape + [0]):
        if axis == first:
            masks[0] |= 1 << len(entries)
            entries.append((0, 0, 1))
            out += shape[first:last]
        if first <= axis < last or axis == len(shape):
            continue
        if make.random.random() < 0.4:
            masks[1] |= 1 << len(entries)
            entries.append((0, 1, 1))
            out.append(1)
        begin = make.random.randrange(size)
        end = make.random.randint(begin + 1, size)
        if make.random.random() < 0.3:
            masks[2] |= 1 << len(entries)
        else:
            out.append(end - begin)
        entries.append((begin, end, 1))
    bounds = [integers(make, list(data)) for data in zip(*entries)]
    return moved(make, 45, shape, out, bounds, (FLOAT32, INT8, INT16, INT32), 32, {
        2: Scalar("i", masks[0]), 3: Scalar("i", masks[1]), 4: Scalar("i", masks[2])})


def squeeze(make):
    """SQUEEZE, EXPAND_DIMS, and RESHAPE by its option."""
    shape = shape_of(make)
    axes = sorted(make.random.sample(range(len(shape) + 2), 2))
    wide = list(shape)
    for axis in axes:
        wide.insert(axis, 1)
    way = make.in_turn(("named", "all", "expand", "option"))
    if way == "expand":
        axis = make.random.randint(0, len(shape))
        out = shape[:axis] + [1] + shape[axis:]
        return moved(make, 70, shape, out, [integers(make, [make.pick(axis, axis - len(out))])])
    if way == "option":
        out = make.pick([product(shape)], [-1, shape[-1]], shape[::-1])
        given = [product(shape) // shape[-1] if extent == -1 else extent for extent in out]
        return moved(make, 22, shape, given, options_type=17, options={0: Vector("i", out)})
    named = make.pick(axes, [axis - len(wide) for axis in axes]) if way == "named" else []
    out = shape if named else [extent for extent in shape if extent != 1]
    return moved(make, 43, wide, out, options_type=30, options={0: Vector("i", named)})


def fully_connected_rows(make):
    """FULLY_CONNECTED of more than two dimensions, which the output keeps or not."""
    shape, units = shape_of(make, 2), make.size(6)
    keep = make.pick(True, False)
    x = make.input(shape, FLOAT32)
    y = make.model.tensor((shape[:-1] if keep else [product(shape[:-1])]) + [units], FLOAT32)
    make.model.operator(9, [x, make.constant([units, shape[-1]], FLOAT32), -1], [y], 8, {
        0: activation(make), 2: Scalar("?", keep)})
    return make.case([y])


def reverse_v2(make):
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    axes = [axis, axis - 1] if axis > 0 and make.random.random() < 0.4 else [axis]
    return moved(make, 105, shape, shape, [integers(make, axes)],
                 dtypes=(FLOAT32, UINT8, INT16, INT32, INT64, BOOL))


def depth_to_space(make):
    """DEPTH_TO_SPACE and SPACE_TO_DEPTH."""
    block, batch, rows, columns, channels = make.size(3), make.size(2), make.size(3), make.size(3), make.size(4)
    deep = [batch, rows, columns, channels * block * block]
    wide = [batch, rows * block, columns * block, channels]
    code, options, shapes = make.in_turn(((5, 94, (deep, wide)), (26, 19, (wide, deep))))
    return moved(make, code, *shapes, dtypes=(FLOAT32, INT8, UINT8, INT32, INT64),
                 options_type=options, options={0: Scalar("i", block)})


def tile(make):
    shape = shape_of(make)
    times = [make.size(3) for _ in shape]
    return moved(make, 69, shape, [a * b for a, b in zip(shape, times)],
                 [integers(make, times, make.pick(INT32, INT64))])


def broadcast_to(make):
    out = shape_of(make)
    shape = [1 if make.random.random() < 0.5 else extent for extent in out]
    shape = shape[make.random.randrange(len(out)):]
    make.model.version = 2
    return moved(make, 130, shape, out, [integers(make, out)],
                 dtypes=(FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL))


def one_hot(make):
    dtype = make.pick(FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL)
    shape, depth = shape_of(make, 0, 3), make.size(5)
    axis = make.random.randint(-1, len(shape))
    place = len(shape) if axis == -1 else axis
    data = [make.random.randint(0, depth) for _ in range(product(shape))]
    x = make.input(shape, make.pick(INT32, INT64), data=data)
    values = [make.constant([], dtype) for _ in range(2)]
    y = make.model.tensor(shape[:place] + [depth] + shape[place:], dtype)
    make.model.operator(85, [x, make.constant([], INT32, data=[depth]), *values], [y], 61,
                        {0: Scalar("i", axis)})
    return make.case([y])


def mirror_pad(make):
    shape, mode = shape_of(make), make.pick(0, 1)
    most = [extent - 1 + mode for extent in shape]
    pads = [make.random.randint(0, min(3, limit)) for limit in most for _ in (0, 1)]
    out = [extent + pads[2 * i] + pads[2 * i + 1] for i, extent in enumerate(shape)]
    given = make.constant([len(shape), 2], make.pick(INT32, INT64), data=pads)
    return moved(make, 100, shape, out, [given], (FLOAT32, INT8, UINT8, INT16, INT32, INT64), 77,
                 {0: Scalar("b", mode)})


REDUCTIONS = ((74, (FLOAT32, INT8, UINT8, INT16, INT32, INT64)),
              (82, (FLOAT32, INT8, UINT8, INT16, INT32, INT64)),
              (89, (FLOAT32, INT8, UINT8, INT16, INT32, INT64)),
              (81, (FLOAT32, INT8, INT16, INT32, INT64)),
              (91, (BOOL,)), (140, (BOOL,)))


def reduce(make):
    """SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY and REDUCE_ALL."""
    return reduction(make, *make.in_turn(REDUCTIONS))


def reduction(make, code, dtypes):
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    axes = [axis for axis in range(len(shape)) if make.random.random() < 0.5] or [0]
    keep = make.pick(True, False)
    quantized = make.quantized(dtype)
    if code == 81 and make.random.random() < 0.3:
        quantized = {}
    own = {} if not quantized else make.quantized(dtype) if code in (74, 81) else quantized
    x = make.input(shape, dtype, **quantized)
    y = make.model.tensor([1 if axis in axes else size for axis, size in enumerate(shape)
                           if keep or axis not in axes], dtype, **own)
    given = [axis - make.pick(0, len(shape)) for axis in axes]
    make.model.operator(code, [x, integers(make, given)], [y], 27, {0: Scalar("?", keep)})
    case = make.case([y])
    # LiteRT's reference kernel of SUM reads all quantised numbers as uint8.
    case.micro = code == 74 and dtype in (INT8, INT16)
    return case


def function_of(make, code, dtypes):
    """A function of one element, whose quantised output has a scale of its own."""
    return unary(make, code, dtypes)


def positive(make, code, dtypes):
    """A function of numbers that are not negative."""
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    quantized = make.quantized(dtype)
    zero_point = quantized.get("zero_point", 0)
    data = [value if dtype == FLOAT32 else max(value, zero_point)
            for value in make.numbers(product(shape), dtype)]
    if dtype == FLOAT32:
        data = [abs(value) for value in data]
    x = make.input(shape, dtype, data=data, **quantized)
    y = make.model.tensor(shape, dtype, **make.quantized(dtype))
    make.model.operator(code, [x], [y])
    return make.case([y])


def gelu(make, code, dtypes):
    return unary(make, code, dtypes, None, 116, {0: Scalar("?", make.pick(True, False))})


FUNCTIONS = (
    (function_of, 101, (FLOAT32, INT8, INT16, INT32)), (function_of, 104, (FLOAT32,)),
    (function_of, 108, (FLOAT32,)), (function_of, 111, (FLOAT32, INT8)),
    (function_of, 47, (FLOAT32, INT8, INT16)), (function_of, 8, (FLOAT32,)),
    (gelu, 150, (FLOAT32, INT8, UINT8, INT16)), (positive, 73, (FLOAT32, INT8, INT16)),
    (function_of, 87, (BOOL,)), (function_of, 59, (FLOAT32, INT8, INT16, INT32, INT64)),
    (function_of, 116, (FLOAT32,)), (positive, 76, (FLOAT32, INT8, INT16)),
    (function_of, 158, (FLOAT32, INT32)), (function_of, 66, (FLOAT32,)),
    (positive, 75, (FLOAT32, INT8, INT16)), (function_of, 92, (FLOAT32,)),
    (function_of, 152, (FLOAT32,)))


def functions(make):
    """ABS, CEIL, COS, ELU, EXP, FLOOR, GELU, LOG, LOGICAL_NOT, NEG, ROUND, RSQRT, SIGN, SIN, SQRT, SQUARE
    and RELU_0_TO_1."""
    maker, code, dtypes = make.in_turn(FUNCTIONS)
    case = maker(make, code, dtypes)
    # The reference kernels lack CEIL, ELU and ROUND.
    case.optimised = code in (104, 111, 116)
    return case


def pair(make, code, dtypes, to=None, data=None):
    """Two inputs, of which one may be repeated."""
    dtype = make.pick(*dtypes)
    shape = shape_of(make)
    other = list(shape)
    if make.random.random() < 0.4:
        other = [1 if make.random.random() < 0.5 else extent for extent in shape]
        other = other[make.random.randint(0, len(shape) - 1):]
    shapes = make.pick((shape, other), (other, shape))
    a = make.input(shapes[0], dtype, **make.quantized(dtype))
    b = make.input(shapes[1], dtype, data=data and data(dtype, product(shapes[1])),
                   **make.quantized(dtype))
    output = dtype if to is None else to
    y = make.model.tensor(shape, output, **make.quantized(output))
    make.model.operator(code, [a, b], [y])
    return make.case([y])


def comparisons(make):
    """EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER and GREATER_EQUAL."""
    code, dtypes = make.in_turn(((71, ALL), (72, ALL), (58, ALL[:-1]), (63, ALL[:-1]), (61, ALL[:-1]),
                                 (62, ALL[:-1])))
    return pair(make, code, dtypes, BOOL)


def arithmetic(make):
    """FLOOR_DIV, FLOOR_MOD, LOGICAL_AND, LOGICAL_OR, POW, SQUARED_DIFFERENCE, and DIV of integers."""
    def divisors(dtype, count):
        return [value or 1 for value in make.numbers(count, dtype)]

    def exponents(dtype, count):
        if dtype == FLOAT32:
            return make.numbers(count, dtype)
        return [make.random.randint(0, 3) for _ in range(count)]

    def quotients():
        """Divisors other than 0, with the end of the range as the zero point."""
        dtype = make.pick(INT8, UINT8, INT16, INT32)
        shape = shape_of(make)
        settings = [make.quantized(dtype) for _ in range(3)]
        if dtype == INT8:
            settings[1]["zero_point"] = -128
        elif dtype == UINT8:
            settings[1]["zero_point"] = 255
        low, high = {INT8: (-127, 127), UINT8: (0, 254), INT16: (1, 4095), INT32: (1, 999)}[dtype]
        # LiteRT shifts small numbers over large ones by more than 31 bits, which C++ leaves open.
        data = [make.random.randint(2 ** 13, 2 ** 15 - 1) * make.pick(1, -1)
                for _ in range(product(shape))] if dtype == INT16 else None
        a = make.input(shape, dtype, data=data, **settings[0])
        b = make.input(shape, dtype, data=[make.random.randint(low, high) for _ in range(product(shape))],
                       **settings[1])
        if settings[2]:
            settings[2]["scale"] = make.scale(0.001, 0.02)
        y = make.model.tensor(shape, dtype, **settings[2])
        make.model.operator(42, [a, b], [y], 29, {0: activation(make)})
        return make.case([y])
    turns = (
        (90, (FLOAT32, INT8, INT16, INT32), divisors),
        (95, (FLOAT32, INT8, INT16, INT32, INT64), divisors), (86, (BOOL,), None),
        (84, (BOOL,), None), (78, (FLOAT32, INT32), exponents),
        (99, (FLOAT32, INT8, INT32), None), (42, (), None))
    code, dtypes, data = make.in_turn(turns)
    if code == 42:
        return quotients()
    return pair(make, code, dtypes, data=data)


def prelu(make):
    dtype = make.pick(FLOAT32, INT8, UINT8, INT16)
    shape = shape_of(make)
    alpha = [1 if make.random.random() < 0.5 else extent for extent in shape]
    x = make.input(shape, dtype, **make.quantized(dtype))
    of_alpha = INT8 if dtype == INT16 else dtype
    a = make.pick(make.constant, make.input)(alpha, of_alpha, **make.quantized(of_alpha))
    y = make.model.tensor(shape, dtype, **make.quantized(dtype))
    make.model.operator(54, [x, a], [y])
    return make.case([y])


def select(make):
    """SELECT and SELECT_V2."""
    dtype = make.pick(FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL)
    quantized = make.quantized(dtype)
    shape = shape_of(make)
    shapes = [list(shape) for _ in range(3)]
    code = make.in_turn((64, 123))
    if code == 123:
        for own in shapes[:2]:
            for axis in range(len(own)):
                own[axis] = 1 if make.random.random() < 0.3 else own[axis]
    elif make.random.random() < 0.4:
        shapes[0] = make.pick([], [shape[0]])
    inputs = [make.input(shapes[0], BOOL)]
    inputs += [make.input(own, dtype, **quantized) for own in shapes[1:]]
    y = make.model.tensor(shape, dtype, **quantized)
    make.model.operator(code, inputs, [y])
    return make.case([y])


def batch_matmul(make):
    dtype, other, to = make.pick((FLOAT32, FLOAT32, FLOAT32), (INT8, INT8, INT8), (INT8, INT8, INT8),
                                 (INT16, INT16, INT16), (INT16, INT8, INT16), (INT8, INT8, INT32),
                                 (FLOAT32, INT8, FLOAT32))
    hybrid = dtype == FLOAT32 and other == INT8
    # With more axes, the reference kernel takes sums of other rows for weights of int8.
    leading = shape_of(make, 0, 1 if hybrid else 3)
    rows, depth, columns = make.size(5), make.size(40), make.size(7)
    flip_x, flip_y = not hybrid and make.pick(True, False), make.pick(True, False)

    def batch():
        own = [1 if make.random.random() < 0.3 else extent for extent in leading]
        return own[make.random.randint(0, len(own)):]
    batches = [batch(), list(leading)]
    make.random.shuffle(batches)
    x = make.input(batches[0] + ([depth, rows] if flip_x else [rows, depth]), dtype,
                   **make.quantized(dtype))
    settings = make.quantized(other, zero_point=0) if hybrid or other != dtype else make.quantized(other)
    y_shape = batches[1] + ([columns, depth] if flip_y else [depth, columns])
    y = (make.constant if hybrid or make.random.random() < 0.3 else make.input)(y_shape, other, **settings)
    quantized = {} if to == INT32 else make.quantized(to)
    if quantized:
        quantized["scale"] = make.scale(0.01, 1) / (256 if to == INT16 else 1)
    z = make.model.tensor(leading + [rows, columns], to, **quantized)
    make.model.operator(126, [x, y], [z], 101, {
        0: Scalar("?", flip_x), 1: Scalar("?", flip_y), 2: Scalar("?", hybrid and make.pick(True, False))})
    case = make.case([z])
    case.claimed = not hybrid
    return case


def arg_max(make):
    """ARG_MAX and ARG_MIN."""
    dtype = make.pick(FLOAT32, INT8, UINT8, INT32, BOOL)
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    x = make.input(shape, dtype, **make.quantized(dtype))
    to = make.pick(INT32, INT64)
    y = make.model.tensor(shape[:axis] + shape[axis + 1:], to)
    code, options = make.in_turn(((56, 40), (79, 57)))
    make.model.operator(code, [x, make.constant([], INT32, data=[axis - make.pick(0, len(shape))])], [y],
                        options, {0: Scalar("b", to)})
    return make.case([y])


def topk_v2(make):
    dtype = make.pick(FLOAT32, INT8, UINT8, INT16, INT32, INT64)
    shape = shape_of(make)
    count = make.random.randint(1, shape[-1])
    quantized = make.quantized(dtype)
    x = make.input(shape, dtype, **quantized)
    out = shape[:-1] + [count]
    outputs = [make.model.tensor(out, dtype, **quantized), make.model.tensor(out, INT32)]
    make.model.operator(48, [x, make.constant([], INT32, data=[count])], outputs)
    return make.case(outputs)


def cumsum(make):
    dtype = make.pick(FLOAT32, INT32, INT64)
    shape = shape_of(make)
    axis = make.random.randrange(len(shape))
    x = make.input(shape, dtype)
    y = make.model.tensor(shape, dtype)
    where = make.constant([], INT32, data=[axis - make.pick(0, len(shape))])
    make.model.operator(128, [x, where], [y], 102, {0: Scalar("?", make.pick(True, False)),
                                                    1: Scalar("?", make.pick(True, False))})
    return make.case([y])


def add_n(make):
    dtype, shape = make.pick(FLOAT32, INT32), shape_of(make)
    inputs = [make.input(shape, dtype) for _ in range(make.random.randint(2, 4))]
    y = make.model.tensor(shape, dtype)
    make.model.operator(106, inputs, [y])
    return make.case([y])


def log_softmax(make):
    def output(dtype):
        if dtype == FLOAT32:
            return {}
        return {"scale": 1 / 16, "zero_point": 127 if dtype == INT8 else 255}
    return unary(make, 50, (FLOAT32, INT8, INT8, UINT8), output)


def l2_normalization(make):
    def output(dtype):
        if dtype == FLOAT32:
            return {}
        return {"scale": 1 / 128, "zero_point": 0 if dtype == INT8 else 128}
    case = unary(make, 11, (FLOAT32, INT8, UINT8), output, 12, {0: Scalar("b", 0)})
    case.claimed = case.inputs[0][1] == FLOAT32
    return case


def resize_bilinear(make):
    dtype = make.pick(FLOAT32, INT8, UINT8, INT16)
    size, out = [make.size(), make.size()], [make.size(9), make.size(9)]
    align, centers = make.pick((False, False), (True, False), (False, True))
    batch, channels = make.size(2), make.size(3)
    quantized = make.quantized(dtype)
    x = make.input([batch, *size, channels], dtype, **quantized)
    y = make.model.tensor([batch, *out, channels], dtype, **quantized)
    make.model.operator(23, [x, integers(make, out)], [y], 15,
                        {2: Scalar("?", align), 3: Scalar("?", centers)})
    return make.case([y])


def fill(make):
    """FILL, with a shape that the model computes, and ZEROS_LIKE."""
    shape = shape_of(make)
    if make.in_turn((False, False, True)):
        return moved(make, 93, shape, shape, dtypes=(FLOAT32, INT32, INT64))
    dtype = make.pick(*ALL)
    x = make.input(shape, FLOAT32)
    extents = make.model.tensor([len(shape)], INT32)
    make.model.operator(77, [x], [extents], 55, {0: Scalar("b", INT32)})
    value = make.pick(make.constant, make.input)([], dtype, **make.quantized(dtype))
    y = make.model.tensor(shape, dtype)
    make.model.tensors[y][4] = make.model.tensors[value][4]
    make.model.operator(94, [extents, value], [y])
    return make.case([y])


def space_to_batch_nd(make):
    """SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND."""
    axes = make.pick(1, 2)
    blocks = [make.size(3) for _ in range(axes)]
    deep = [make.size(3) for _ in range(axes)]
    margins = []
    for block, size in zip(blocks, deep):
        before = make.random.randint(0, block * size - 1)
        margins += [before, make.random.randint(0, block * size - 1 - before)]
    wide = [block * size - margins[2 * i] - margins[2 * i + 1]
            for i, (block, size) in enumerate(zip(blocks, deep))]
    batch, channels = make.size(2), make.size(3)
    shapes = [batch * product(blocks), *deep, channels], [batch, *wide, channels]
    code = make.in_turn((37, 38))
    if code == 38:
        shapes = shapes[::-1]
    # The zero point is written byte by byte.
    return moved(make, code, *shapes, [integers(make, blocks),
                                       make.constant([axes, 2], INT32, data=margins)],
                 (FLOAT32, INT8, UINT8, INT16, INT32, INT64))


def rank(make):
    x = make.input(shape_of(make), FLOAT32)
    y = make.model.tensor([], INT32)
    make.model.operator(110, [x], [y])
    return make.case([y])


# The name of a kind is that of its maker, without the line that tells it from a Python word.
KINDS = {maker.__name__.strip("_"): maker for maker in (
    add_n, arg_max, arithmetic, batch_matmul, broadcast_to, comparisons, cumsum,
    depth_to_space, fill, fully_connected_rows, functions, gather, gather_nd, l2_normalization, log_softmax, mirror_pad, one_hot, prelu, rank, reduce,
    resize_bilinear, reverse_v2, select, slice_, slice_new_axis, space_to_batch_nd, squeeze, tile, topk_v2, unpack)}
