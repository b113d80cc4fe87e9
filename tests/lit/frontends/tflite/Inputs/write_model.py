"""write_model.py NAME FILE: writes the model that a test asks for."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "integration/tflite"))
import tflite_recurrent  # noqa: E402
from tflite_control import assign, composite, read  # noqa: E402
from tflite_maker import Maker  # noqa: E402
from tflite_writer import (BOOL, FLOAT16, FLOAT32, INT16, INT32, INT4, INT64, INT8, STRING, Model,  # noqa: E402
                           Scalar, Vector, Writer, text)


def dense():
    """y = x * w, and a reshape whose output is the model's."""
    model = Model()
    x = model.tensor([1, 3], INT8, 0.5, -1, name="serving_default_x:0")
    w = model.tensor([2, 3], INT8, 0.25, data=[1, 2, 3, -4, 5, -6])
    bias = model.tensor([2], INT32, 0.125, data=[7, -8])
    y = model.tensor([1, 2], INT8, 1.0, 3)
    flat = model.tensor([2], INT8, 1.0, 3, name="StatefulPartitionedCall:0")
    model.operator(9, [x, w, bias], [y], 8, {})
    model.operator(22, [y, model.tensor([1], INT32, data=[2])], [flat])
    return model, [x], [flat]


def int4():
    """A tensor of int4 that an operator writes."""
    model = Model()
    x = model.tensor([3], FLOAT32)
    y = model.tensor([3], INT4, 0.5, 0)
    model.operator(114, [x], [y])
    return model, [x], [y]


def int4_data():
    """A constant of int4 whose data is a byte short."""
    model = Model()
    x, y = model.tensor([3], FLOAT32), model.tensor([3], FLOAT32)
    model.operator(6, [model.tensor([3], INT4, 0.5, 0, data=[1, 2])], [y])
    return model, [x], [y]


def folded():
    """A sum with a constant of float16, another of int4 with a scale for each row, and a constant of int8
    that is an output."""
    model = Model()
    x = model.tensor([2, 2], FLOAT32, name="x")
    halves, fours, bytes_ = (model.tensor([2, 2], FLOAT32, name=name) for name in ("h", "f", "b"))
    model.operator(6, [model.tensor([2, 2], FLOAT16, data=[0.5, -2.0, 65504.0, 0.0])], [halves])
    model.operator(6, [model.tensor([2, 2], INT4, [0.5, 2.0], 0, data=[-8, 7, 1, -1])], [fours])
    model.operator(6, [model.tensor([2, 2], INT8, 0.25, 4, data=[-128, 127, 4, 5])], [bytes_])
    sums = [model.tensor([2, 2], FLOAT32, name=name) for name in ("s", "t")]
    model.operator(0, [x, halves], [sums[0]], 11)
    model.operator(0, [sums[0], fours], [sums[1]], 11)
    return model, [x], [sums[1], bytes_]


def blocks():
    """A dense layer of floats, whose int4 weights have a scale for each block of 2 elements."""
    model = Model()
    x, y = model.tensor([1, 4], FLOAT32), model.tensor([1, 1], FLOAT32)
    w = model.tensor([1, 4], INT4, data=[1, 2, 3, -4])
    scales = model.tensor([1, 2], FLOAT16, data=[0.5, 0.25])
    model.tensors[w][4] = {4: Scalar("B", 2), 5: {0: Scalar("i", scales), 2: Scalar("i", 2)}}
    model.operator(9, [x, w], [y], 8, {})
    return model, [x], [y]


def byte_gates():
    """An LSTM of int8 with 12 intermediate tensors."""
    make = Maker("byte gates")
    case = tflite_recurrent.recurrent(make, 16, INT8, normal=False)
    inner = make.model.operators[0][8].items
    make.model.operators[0][8] = Vector("i", (inner * 3)[:12])
    return make.model, case.inputs_of_file, case.outputs_of_file


def free_cells():
    """An LSTM of floats without an activation."""
    make = Maker("free cells")
    case = tflite_recurrent.recurrent(make, 16, FLOAT32)
    make.model.operators[0][4][0] = Scalar("b", 0)
    return make.model, case.inputs_of_file, case.outputs_of_file


def shrinking(begin, stride):
    """One element of an axis of 3 elements."""
    model = Model()
    x, y = model.tensor([3], FLOAT32), model.tensor([], FLOAT32)
    bounds = [model.tensor([1], INT32, data=[value]) for value in (begin, begin + 1, stride)]
    model.operator(45, [x, *bounds], [y], 32, {4: Scalar("i", 1)})
    return model, [x], [y]


def element_outside():
    return shrinking(3, 1)


def element_backwards():
    return shrinking(1, -1)


class Empty(Maker):
    """Makes operators without elements."""

    def size(self, most=6):
        return 0


def no_cells():
    """An LSTM of int8 with layer norms, and without cells."""
    make = Empty("no cells")
    case = tflite_recurrent.recurrent(make, 16, INT8, normal=True)
    return make.model, case.inputs_of_file, case.outputs_of_file


def wide_bias():
    """A dense layer of int16, whose bias has the ends of int64."""
    model = Model()
    x = model.tensor([1, 2], INT16, 0.5, 0, name="x")
    w = model.tensor([2, 2], INT8, 0.25, data=[1, 2, 3, 4])
    bias = model.tensor([2], INT64, 0.125, data=[-2 ** 63, 2 ** 63 - 1])
    y = model.tensor([1, 2], INT16, 1.0, 0, name="y")
    model.operator(9, [x, w, bias], [y], 8, {})
    return model, [x], [y]


def unsupported():
    """REVERSE_SEQUENCE, a custom operator, and a softmax of int32; and one that no output needs."""
    model = Model()
    x = model.tensor([4], FLOAT32)
    tensors = [model.tensor([4], FLOAT32) for _ in range(3)]
    i = model.tensor([4], INT32)
    model.operator(112, [x], [tensors[0]])
    model.operator(32, [tensors[0]], [tensors[1]], custom="SignalFilter")
    model.operator(53, [tensors[1]], [i])
    out = model.tensor([4], INT32)
    model.operator(25, [i], [out])
    model.operator(113, [x], [tensors[2]])
    return model, [x], [out]


def shapes():
    """A FILL with a computed shape, and a reshape to no dimensions, whose shape has no elements."""
    model = Model()
    x = model.tensor([2, 3], FLOAT32, name="x")
    extents = model.tensor([2], INT32)
    model.operator(77, [x], [extents], 55)
    value = model.tensor([1], FLOAT32, name="value")
    scalar = model.tensor([], FLOAT32)
    model.operator(22, [value, model.tensor([0], INT32)], [scalar])
    y = model.tensor([2, 3], FLOAT32, name="y")
    model.operator(94, [extents, scalar], [y])
    return model, [x, value], [y]


def bounds():
    """A SLICE whose size is the input's first extent and half of its second one."""
    model = Model()
    x = model.tensor([2, 6], FLOAT32, name="x")

    def integers(shape, data=None):
        return model.tensor(shape, INT32, data=data)
    extents, last, half, size = integers([2]), integers([1]), integers([1]), integers([2])
    first = integers([1])
    model.operator(77, [x], [extents], 55)
    model.operator(102, [extents, integers([2], [1, 1]), integers([], [0])], [first, last], 79)
    model.operator(90, [last, integers([], [2])], [half])
    model.operator(2, [first, half], [size], 10, {})
    y = model.tensor([2, 3], FLOAT32, name="y")
    model.operator(65, [x, integers([2], [0, 1]), size], [y])
    return model, [x], [y]


def constants():
    """Outputs that are an input, a constant and one tensor twice."""
    model = Model()
    x = model.tensor([2], FLOAT32, name="x")
    c = model.tensor([2], FLOAT32, data=[1.5, 2.5], name="c")
    y = model.tensor([2], FLOAT32, name="y")
    model.operator(0, [x, c], [y], 11, {})
    return model, [x], [x, c, y, y]


def state():
    """An SVDF that sums its last three inputs."""
    model = Model()
    x = model.tensor([1, 1], FLOAT32, name="x")
    feature = model.tensor([1, 1], FLOAT32, data=[1.0])
    time = model.tensor([1, 3], FLOAT32, data=[1.0, 1.0, 1.0])
    kept = model.tensor([1, 3], FLOAT32, is_variable=True, name="kept")
    y = model.tensor([1, 1], FLOAT32, name="y")
    model.operator(27, [x, feature, time, -1, kept], [y], 6, {0: Scalar("i", 1)})
    return model, [x], [y]


def variable_input():
    """A sum of an input and of a variable that is an input."""
    model = Model()
    x = model.tensor([2], FLOAT32, name="x")
    kept = model.tensor([2], FLOAT32, is_variable=True, name="kept")
    y = model.tensor([2], FLOAT32, name="y")
    model.operator(0, [x, kept], [y], 11, {})
    return model, [x, kept], [y]


def variables():
    """Two variables: the last input, which begins as 5 and 7, and a sum, which begins as 0."""
    model = Model()
    x = model.tensor([2], INT32, name="x")
    first, number = model.subgraph()
    assign(first, "last", first.tensor([2], INT32, data=[5, 7]))
    assign(first, "sum", first.tensor([2], INT32, data=[0, 0]))
    model.operator(129, [], [], 103, {0: Scalar("i", number)})
    last, total, y = (model.tensor([2], INT32, name=name) for name in ("before", "total", "y"))
    read(model, "last", last)
    read(model, "sum", total)
    model.operator(0, [total, x], [y], 11, {})
    assign(model, "last", x)
    assign(model, "sum", y)
    return model, [x], [last, y]


def unchanged():
    """A variable that no operator assigns, and one that nothing reads."""
    model = Model()
    x, kept, y = (model.tensor([2], INT32, name=name) for name in ("x", "k", "y"))
    first, number = model.subgraph()
    assign(first, "kept", first.tensor([2], INT32, data=[5, 7]))
    model.operator(129, [], [], 103, {0: Scalar("i", number)})
    read(model, "kept", kept)
    model.operator(0, [kept, x], [y], 11, {})
    assign(model, "unread", y)
    return model, [x], [y]


def initial(make):
    """A variable, which CALL_ONCE gives the initial value that `make` makes."""
    model = Model()
    x, old, y = (model.tensor([2], FLOAT32, name=name) for name in ("x", "old", "y"))
    first, number = model.subgraph()
    make(model, first)
    model.operator(129, [], [], 103, {0: Scalar("i", number)})
    read(model, "kept", old)
    model.operator(0, [old, x], [y], 11, {})
    assign(model, "kept", y)
    return model, [x], [y]


def computed_initial():
    """Its initial value is a result of CUSTOM."""
    def make(_, first):
        value = first.tensor([2], FLOAT32)
        first.operator(32, [], [value], custom="Noise")
        assign(first, "kept", value)
    return initial(make)


def late_initial():
    """An operator before CALL_ONCE assigns the variable."""
    def make(model, first):
        assign(model, "kept", model.tensor([2], FLOAT32, data=[1, 2]))
        assign(first, "kept", first.tensor([2], FLOAT32, data=[3, 4]))
    return initial(make)


def table_initial():
    """CALL_ONCE also imports a hash table."""
    def make(_, first):
        assign(first, "kept", first.tensor([2], FLOAT32, data=[3, 4]))
        first.operator(138, [first.tensor([2], FLOAT32, data=[0, 0])], [])
    return initial(make)


def unassigned():
    """A variable without a value."""
    model = Model()
    x, old, y = (model.tensor([2], FLOAT32, name=name) for name in ("x", "old", "y"))
    read(model, "kept", old)
    model.operator(0, [old, x], [y], 11, {})
    return model, [x], [y]


def resized():
    """A variable whose shape changes."""
    model = Model()
    x, old = model.tensor([2], FLOAT32, name="x"), model.tensor([2], FLOAT32, name="old")
    read(model, "kept", old)
    y = model.tensor([4], FLOAT32, name="y")
    model.operator(2, [old, x], [y], 10, {})
    assign(model, "kept", y)
    return model, [x], [y]


def unit_of(model, shape, count):
    """A subgraph with an input, whose operator CUSTOM Unit gives its output, `count` times."""
    part, number = model.subgraph()
    values = [part.tensor(shape, FLOAT32) for _ in range(count + 1)]
    for a, b in zip(values, values[1:]):
        part.operator(32, [a], [b], custom="Unit")
    part.inputs, part.outputs = values[:1], values[-1:]
    return number


def composites():
    """A composite whose operators are not supported."""
    model = Model()
    x, y = model.tensor([2], FLOAT32, name="x"), model.tensor([2], FLOAT32, name="y")
    composite(model, unit_of(model, [2], 2), [x], [y])
    return model, [x], [y]


def recursion():
    """A composite that runs itself."""
    model = Model()
    part, number = model.subgraph()
    a, b = part.tensor([2], FLOAT32), part.tensor([2], FLOAT32)
    composite(part, number, [a], [b])
    part.inputs, part.outputs = [a], [b]
    x, y = model.tensor([2], FLOAT32, name="x"), model.tensor([2], FLOAT32, name="y")
    composite(model, number, [x], [y])
    return model, [x], [y]


def deep():
    """Composites within each other, 70 deep."""
    model = Model()
    inner = unit_of(model, [2], 1)
    for _ in range(70):
        part, number = model.subgraph()
        part.inputs, part.outputs = [part.tensor([2], FLOAT32)], [part.tensor([2], FLOAT32)]
        composite(part, inner, part.inputs, part.outputs)
        inner = number
    x, y = model.tensor([2], FLOAT32, name="x"), model.tensor([2], FLOAT32, name="y")
    composite(model, inner, [x], [y])
    return model, [x], [y]


def loop(limit, step=1):
    """WHILE: 2 x, as long as a counter from 0 is below the limit. Without a limit it is an input."""
    model = Model()
    condition, condition_number = model.subgraph()
    body, body_number = model.subgraph()
    for graph in (condition, body):
        graph.inputs = [graph.tensor([], INT32), graph.tensor([], INT32), graph.tensor([2], FLOAT32)]
    holds = condition.tensor([], BOOL)
    condition.operator(58, condition.inputs[:2], [holds])
    condition.outputs = [holds]
    count, bound, a = body.inputs
    after, b = body.tensor([], INT32), body.tensor([2], FLOAT32)
    body.operator(0, [count, body.tensor([], INT32, data=[step])], [after], 11, {})
    body.operator(0, [a, a], [b], 11, {})
    body.outputs = [after, bound, b]
    x, n = model.tensor([2], FLOAT32, name="x"), model.tensor([], INT32, name="n", data=limit)
    outputs = [model.tensor([], INT32), model.tensor([], INT32), model.tensor([2], FLOAT32, name="y")]
    model.operator(119, [model.tensor([], INT32, data=[0]), n, x], outputs, 93,
                   {0: Scalar("i", condition_number), 1: Scalar("i", body_number)})
    return model, [x] if limit else [x, n], outputs[2:]


def three_turns():
    return loop([3])


def run_time_turns():
    return loop(None)


def endless():
    return loop([3], 0)


def branch():
    """IF on an input."""
    model = Model()
    x, y = model.tensor([2], FLOAT32, name="x"), model.tensor([2], FLOAT32, name="y")
    condition = model.tensor([], BOOL, name="c")
    numbers = [unit_of(model, [2], count) for count in (1, 2)]
    model.operator(118, [condition, x], [y], 92, {0: Scalar("i", numbers[0]), 1: Scalar("i", numbers[1])})
    return model, [condition, x], [y]


def reasons():
    """Operators of which each is refused for another reason."""
    model = Model()

    def quantized(name, scale=None, shape=(2, 3), zero_point=0):
        return model.tensor(list(shape), INT8, scale, zero_point, axis=1 if isinstance(scale, list) else 0,
                            name=name)
    x, f, i = quantized("x", 0.5), model.tensor([2, 3], FLOAT32, name="f"), model.tensor([2], INT32, name="i")
    channels, bare, long = quantized("channels", [0.5, 0.25, 1.0]), quantized("bare"), model.tensor(
        [2, 3], INT16, 0.5, name="long")
    y = quantized("y", 0.5, zero_point=3)
    outputs = []

    def add(code, inputs, output, *options):
        outputs.append(output)
        model.operator(code, inputs, [output], *options)
    add(0, [x, channels], quantized("sum", 0.5), 11, {})
    add(19, [bare], quantized("positive", 0.5))
    add(2, [x, y], quantized("both", 0.5, (2, 6)), 10, {0: Scalar("i", 1)})
    add(2, [x, x], quantized("active", 0.5, (2, 6)), 10, {0: Scalar("i", 1), 1: Scalar("b", 1)})
    add(18, [x, long], quantized("product", 0.5), 21, {})
    add(65, [f, i, model.tensor([2], INT32, data=[1, 1])], model.tensor([1, 1], FLOAT32))
    add(50, [x], quantized("logarithms", 0.5), 36, {})
    add(205, [f], model.tensor([2, 3], FLOAT32))
    return model, [x, f, i, channels, bare, long, y], outputs


def strings():
    """A tensor of strings, which an operator reads, and one that no operator reads."""
    model = Model()
    x, y = model.tensor([2], FLOAT32, name="x"), model.tensor([2], FLOAT32, name="y")
    names = model.tensor([2], STRING, name="names")
    model.tensor([2], STRING, name="unused")
    model.operator(32, [x], [names], custom="Names")
    model.operator(32, [names], [y], custom="Lengths")
    return model, [x], [y]


def signatures():
    """Two signatures: both results, and the second one alone."""
    model = Model()
    x = model.tensor([2], FLOAT32, name="serving_x:0")
    a = model.tensor([2], FLOAT32, name="Identity:0")
    b = model.tensor([2], FLOAT32, name="Identity_1:0")
    model.operator(0, [x, x], [a], 11, {})
    model.operator(18, [x, x], [b], 21, {})
    root = model.root([x], [a, b])

    def signature(key, outputs):
        def maps(tensors):
            return Vector("table", [{0: text(name), 1: Scalar("I", number)}
                                    for name, number in tensors])
        return {0: maps([("x", x)]), 1: maps(outputs), 2: text(key), 4: Scalar("I", 0)}

    root[7] = Vector("table", [signature("both", [("sum", a), ("product", b)]),
                               signature("square", [("product", b)]),
                               signature("twice", [("a", a), ("b", a), ("same", x)])])
    return root


def damage(fields):
    """A model of which some fields are as `fields` says."""
    model, inputs, outputs = dense()
    root = model.root(inputs, outputs)
    fields(root, root[2].items[0])
    return Writer().file(root)


def set_field(table, number, value):
    table[number] = value


DAMAGED = {
    "version": lambda root, graph: set_field(root, 0, Scalar("I", 4)),
    "no_subgraph": lambda root, graph: set_field(root, 2, Vector("table", [])),
    "input_number": lambda root, graph: set_field(graph, 1, Vector("i", [9])),
    "opcode": lambda root, graph: set_field(graph[3].items[0], 0, Scalar("I", 7)),
    "operand": lambda root, graph: set_field(graph[3].items[1], 1, Vector("i", [77])),
    "order": lambda root, graph: graph[3].items.reverse(),
    "twice": lambda root, graph: set_field(graph[3].items[1], 2, Vector("i", [3])),
    "shape": lambda root, graph: set_field(graph[0].items[1], 0, Vector("i", [2, -3])),
    "large": lambda root, graph: set_field(graph[0].items[0], 0, Vector("i", [2 ** 30, 4])),
    "data": lambda root, graph: set_field(graph[0].items[1], 0, Vector("i", [2, 4])),
    "buffer": lambda root, graph: set_field(graph[0].items[1], 2, Scalar("I", 50)),
    "type": lambda root, graph: set_field(graph[0].items[0], 1, Scalar("b", 5)),
    "sparse": lambda root, graph: set_field(graph[0].items[1], 6, {}),
    "subgraph": lambda root, graph: set_field(root[1].items[0], 3, Scalar("i", 129)),
    "zero_points": lambda root, graph: set_field(graph[0].items[0][4], 3, Vector("q", [1, 2])),
    "zero_point": lambda root, graph: set_field(graph[0].items[0][4], 3, Vector("q", [300])),
    "scale": lambda root, graph: set_field(graph[0].items[0][4], 2, Vector("f", [-1.0])),
    "options": lambda root, graph: set_field(graph[3].items[0], 3, Scalar("B", 1)),
    "bias": lambda root, graph: set_field(graph[3].items[0], 1, Vector("i", [0, 1, 0])),
}


def main():
    name, path = sys.argv[1:]
    if name in DAMAGED:
        data = damage(DAMAGED[name])
    elif name == "signatures":
        data = Writer().file(signatures())
    else:
        model, inputs, outputs = globals()[name]()
        data = model.file(inputs, outputs)
    if name == "dense" and path.endswith(".cut"):
        data = data[:200]
    pathlib.Path(path).write_bytes(data)


main()
