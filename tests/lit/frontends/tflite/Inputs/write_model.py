"""write_model.py NAME FILE: writes the model that a test asks for."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "integration/tflite"))
from tflite_writer import (FLOAT32, INT16, INT32, INT64, INT8, Model, Scalar, Vector, Writer, text)  # noqa: E402


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
                               signature("square", [("product", b)])])
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
