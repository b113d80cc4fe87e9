#!/usr/bin/env python3
"""Writes a small ONNX model. Use: write_model.py NAME FILE

NAME is a function below; each docstring says what its model has.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "integration" / "onnx"))
from onnx_writer import (BOOL, FLOAT, INT8, INT16, INT32, INT64, STRING, external, field, function, graph,  # noqa: E402
                         model, node, packed, tensor, value, varint)

X = value("x", FLOAT, [1, 3])
Y = value("y", FLOAT, [1, 3])


def simple(nodes, **others):
    return model(graph(nodes, others.pop("inputs", [X]), others.pop("outputs", [Y]), **others))


def relu():
    """y = relu(x)."""
    return simple([node("Relu", ["x"], ["y"], "act/Relu")])


def add():
    """y = relu(x + w), with names that are not identifiers."""
    w = tensor("layer/w:0", FLOAT, [3], [1.0, -2.0, 3.5])
    return model(graph([node("Add", ["in.0", "layer/w:0"], ["sum"], "layer/Add"), node("Relu", ["sum"], ["out.0"])],
                       [value("in.0", FLOAT, [1, 3])], [value("out.0", FLOAT, [1, 3])], [w]))


def old_constant():
    """A constant is also an input, as in files of IR version 3."""
    w = tensor("w", FLOAT, [3], [1.0, 2.0, 3.0])
    return simple([node("Mul", ["x", "w"], ["y"])], inputs=[X, value("w", FLOAT, [3])], initializers=[w])


def typed():
    """Elements in float_data (unpacked), int64_data (packed) and int32_data, and a field that onnx.proto lacks."""
    w = packed(1, [3]) + field(2, FLOAT) + field(8, "w") + field(4, 1.0) + field(4, -2.0) + field(4, 3.5)
    shape = packed(1, [2]) + field(2, INT64) + field(8, "shape") + packed(7, [1, -1])
    n = packed(1, []) + field(2, INT32) + field(8, "n") + packed(5, [-7]) + field(999, "unknown")
    nodes = [node("Add", ["x", "w"], ["a"]), node("Reshape", ["a", "shape"], ["y"]),
             node("Add", ["m", "n"], ["k"])]
    return simple(nodes, inputs=[X, value("m", INT32, [2])], outputs=[Y, value("k", INT32, [2])],
                  initializers=[w, shape, n])


def with_function():
    """A function of the model with an attribute, called twice, and a function that calls it."""
    scaled = function("Scaled", "own", ["a"], ["b"],
                      [node("Constant", [], ["c"], value_float=2.0),
                       node("Mul", ["a", "c"], ["d"]), leaky("d", "b")], ["slope"])
    twice = function("Twice", "own", ["a"], ["b"],
                     [node("Scaled", ["a"], ["t"], "first", "own", slope=0.5),
                      node("Scaled", ["t"], ["b"], "second", "own", slope=0.25)])
    return model(graph([node("Twice", ["x"], ["y"], "call", "own")], [X], [Y]), functions=[scaled, twice],
                 domains=["own"])


def leaky(x, y):
    """A LeakyRelu whose alpha is the function's attribute `slope`."""
    alpha = field(1, "alpha") + field(20, 1) + field(21, "slope")
    return node("LeakyRelu", [x], [y]) + field(5, alpha)


def image():
    """A convolution of 2 channels to 3, pixels of 3 x 4, and its ReLU."""
    weights = tensor("w", FLOAT, [3, 2, 1, 2], [float(number) for number in range(-4, 8)])
    return model(graph([node("Conv", ["x", "w"], ["c"], "conv", pads=[0, 0, 0, 1]), node("Relu", ["c"], ["y"], "act")],
                       [value("x", FLOAT, [1, 2, 3, 4])], [value("y", FLOAT, [1, 3, 3, 4])], [weights]))


def image_branch():
    """A convolution, a branch on data that reads its result, and a second convolution."""
    weights = tensor("w", FLOAT, [2, 2, 1, 2], [float(number) for number in range(-4, 4)])
    then = graph([node("Relu", ["a"], ["t"])], [], [value("t", FLOAT, [1, 2, 3, 3])])
    other = graph([node("Softmax", ["a"], ["e"], axis=1)], [], [value("e", FLOAT, [1, 2, 3, 3])])
    nodes = [node("Conv", ["x", "w"], ["a"]), node("If", ["c"], ["b"], then_branch=("g", then), else_branch=("g", other)),
             node("Conv", ["b", "w"], ["y"])]
    return model(graph(nodes, [value("x", FLOAT, [1, 2, 3, 4]), value("c", BOOL, [])],
                       [value("y", FLOAT, [1, 2, 3, 2])], [weights]))


def branch():
    """An If whose condition is an input: --constant makes it known."""
    then = graph([node("Relu", ["x"], ["t"])], [], [value("t", FLOAT, [1, 3])])
    other = graph([node("Neg", ["x"], ["e"])], [], [value("e", FLOAT, [1, 3])])
    return simple([node("If", ["c"], ["y"], then_branch=("g", then), else_branch=("g", other))],
                  inputs=[X, value("c", BOOL, [])])


def branch_shapes():
    """The branches of an If give tensors of different shapes."""
    then = graph([node("Relu", ["x"], ["t"])], [], [value("t", FLOAT, [1, 3])])
    other = graph([node("Transpose", ["x"], ["e"])], [], [value("e", FLOAT, [3, 1])])
    return simple([node("If", ["c"], ["y"], "gate", then_branch=("g", then), else_branch=("g", other))],
                  inputs=[X, value("c", BOOL, [])], outputs=[value("y", FLOAT, None)])


def branches():
    """Two results of branches: y = c ? relu(x) : (d ? -x : x), z = c ? relu(x) + relu(x) : x."""
    inner = graph([node("Neg", ["x"], ["n"])], [], [value("n", FLOAT, [1, 3])])
    same = graph([], [], [value("x", FLOAT, [1, 3])])
    then = graph([node("Relu", ["x"], ["t"]), node("Add", ["t", "t"], ["u"])], [],
                 [value("t", FLOAT, [1, 3]), value("u", FLOAT, [1, 3])])
    other = graph([node("If", ["d"], ["e"], then_branch=("g", inner), else_branch=("g", same))], [],
                  [value("e", FLOAT, [1, 3]), value("x", FLOAT, [1, 3])])
    return simple([node("If", ["c"], ["y", "z"], then_branch=("g", then), else_branch=("g", other))],
                  inputs=[X, value("c", BOOL, []), value("d", BOOL, [1])], outputs=[Y, value("z", FLOAT, [1, 3])])


def folded():
    """A shape that nodes compute: x with its last two axes joined, and scaled sizes of floats."""
    two = tensor("two", INT64, [], [2])
    zero = tensor("zero", INT64, [], [0])
    half = tensor("half", FLOAT, [], [0.5])
    nodes = [node("Shape", ["x"], ["s"]), node("Size", ["x"], ["n"]), node("Div", ["n", "two"], ["m"]),
             node("Cast", ["m"], ["f"], to=FLOAT), node("Mul", ["f", "half"], ["g"]), node("Floor", ["g"], ["h"]),
             node("Cast", ["h"], ["k"], to=INT64), node("Unsqueeze", ["k", "zeros"], ["r"]),
             node("ConstantOfShape", ["r"], ["ones"], value=("t", tensor("", FLOAT, [1], [1.0]))),
             node("Add", ["x", "ones"], ["y"])]
    return simple(nodes, inputs=[value("x", FLOAT, [4, 3])], outputs=[value("y", FLOAT, [4, 3])],
                  initializers=[two, zero, half, tensor("zeros", INT64, [1], [0])])


def dynamic():
    """Inputs with named, nameless and missing extents."""
    return model(graph([node("Add", ["x", "z"], ["y"]), node("Relu", ["u"], ["v"])],
                       [value("x", FLOAT, ["batch", 3]), value("z", FLOAT, [None, 3]), value("u", FLOAT, None)],
                       [value("y", FLOAT, ["batch", 3]), value("v", FLOAT, None)]))


def batch():
    """One named extent."""
    return model(graph([node("Relu", ["x"], ["y"])], [value("x", FLOAT, ["batch", 3])],
                       [value("y", FLOAT, ["batch", 3])]))


def declared():
    """The file says another shape for the output than its node gives."""
    return simple([node("Relu", ["x"], ["y"])], outputs=[value("y", FLOAT, [1, 4])])


def declared_type():
    """The file says another type for a tensor."""
    return simple([node("Relu", ["x"], ["t"]), node("Relu", ["t"], ["y"])], values=[value("t", INT32, [1, 3])])


def unsupported():
    """Nodes of operators that Tenon lacks; the shape of one is in the file."""
    nodes = [node("Loop", ["x"], ["a"], "decoder/Loop"), node("Fancy", ["x"], ["b"], "head", "com.example"),
             node("Relu", ["a"], ["c"]), node("Add", ["b", "c"], ["y"])]
    return model(graph(nodes, [X], [Y], values=[value("b", FLOAT, [1, 3])]), domains=["com.example"])


def grouped():
    """Nodes that are refused for one reason."""
    nodes = [node("Loop", ["x"], ["a"], "one"), node("Loop", ["x"], ["b"], "two")]
    return simple(nodes, outputs=[value("a", FLOAT, [1, 3]), value("b", FLOAT, [1, 3])])


SCALE, ZERO = tensor("s", FLOAT, [], [0.5]), tensor("z", INT8, [], [3])


def between(nodes):
    """Nodes from `d` to `r`, between DequantizeLinear and QuantizeLinear of int8; x is an input of floats."""
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"], "q"),
             node("DequantizeLinear", ["q", "s", "z"], ["d"], "d"), *nodes,
             node("QuantizeLinear", ["r", "s", "z"], ["p"], "p"),
             node("DequantizeLinear", ["p", "s", "z"], ["y"], "e")]
    return nodes


def quantised_function():
    """Functions of one number between quantised tensors."""
    return simple(between([node("Sigmoid", ["d"], ["t"]), node("Mul", ["t", "s"], ["r"], "scaled")]),
                  initializers=[SCALE, ZERO])


def quantised_layer():
    """A Gemm with weights of int8 and a bias of int32 between quantised tensors."""
    weights = [tensor("w", INT8, [3, 3], [1, -2, 3, 4, 5, -6, 7, 8, 9]), tensor("ws", FLOAT, [3], [0.25, 0.5, 0.125]),
               tensor("b", INT32, [3], [10, -20, 30]), tensor("bs", FLOAT, [3], [0.125, 0.25, 0.0625])]
    nodes = [node("DequantizeLinear", ["w", "ws"], ["dw"], "dw", axis=1),
             node("DequantizeLinear", ["b", "bs"], ["db"], "db", axis=0),
             node("Gemm", ["d", "dw", "db"], ["t"], "layer"), node("Relu", ["t"], ["r"])]
    return simple(between(nodes), initializers=[SCALE, ZERO, *weights])


def quantised_moved():
    """A product of matrices with a bias of floats, a transposition and a constant between quantised tensors."""
    constants = [tensor("w", INT8, [3, 3], [1, -2, 3, 4, 5, -6, 7, 8, 9]), tensor("ws", FLOAT, [], [0.25]),
                 tensor("b", FLOAT, [3], [0.5, -0.75, 1.0]), tensor("least", FLOAT, [3, 1], [-1.0, 0.0, 1.0])]
    nodes = [node("DequantizeLinear", ["w", "ws"], ["dw"], "dw"), node("MatMul", ["d", "dw"], ["m"], "layer"),
             node("Add", ["m", "b"], ["t"], "bias"), node("Transpose", ["t"], ["u"]), node("Max", ["u", "least"], ["r"])]
    return simple(between(nodes), outputs=[value("y", FLOAT, [3, 1])], initializers=[SCALE, ZERO, *constants])


def quantised_flat():
    """An input that is transposed and flattened before it is quantised."""
    nodes = [node("Transpose", ["x"], ["u"], perm=[0, 2, 1]), node("Flatten", ["u"], ["v"]),
             node("QuantizeLinear", ["v", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"]),
             node("Sigmoid", ["d"], ["r"]), node("QuantizeLinear", ["r", "s", "z"], ["p"]),
             node("DequantizeLinear", ["p", "s", "z"], ["y"])]
    return simple(nodes, inputs=[value("x", FLOAT, [1, 3, 2])], outputs=[value("y", FLOAT, [1, 6])],
                  initializers=[SCALE, ZERO])


def quantised_state():
    """A state whose next value follows from quantised tensors, through an operator that moves elements."""
    nodes = [node("Add", ["x", "h"], ["a"]), node("Neg", ["a"], ["y"]), node("QuantizeLinear", ["a", "s", "z"], ["q"]),
             node("DequantizeLinear", ["q", "s", "z"], ["d"]), node("Transpose", ["d"], ["t"], perm=[0, 1]),
             node("Sigmoid", ["t"], ["r"]), node("QuantizeLinear", ["r", "s", "z"], ["p"]),
             node("DequantizeLinear", ["p", "s", "z"], ["hn"])]
    return simple(nodes, inputs=[X, value("h", FLOAT, [1, 3])], outputs=[Y, value("hn", FLOAT, [1, 3])],
                  initializers=[SCALE, ZERO])


def quantised_image():
    """Two convolutions of int8 with a scale for each channel, of which one is dead, and an average pool with one scale."""
    def conv(number, source, to):
        weights = [0] * 16 + [(k * 37 + number) % 127 - 63 for k in range(240)]
        scales = [1e-10] + [0.003 + 0.00071 * k for k in range(15)]
        constants = [tensor(f"w{number}", INT8, [16, 16, 1, 1], weights), tensor(f"ws{number}", FLOAT, [16], scales),
                     tensor(f"b{number}", INT32, [16], [2147268778] + [31 * k - 200 for k in range(15)]),
                     tensor(f"bs{number}", FLOAT, [16], [0.1 * scale for scale in scales])]
        return constants, [node("DequantizeLinear", [f"w{number}", f"ws{number}"], [f"dw{number}"], axis=0),
                           node("DequantizeLinear", [f"b{number}", f"bs{number}"], [f"db{number}"], axis=0),
                           node("Conv", [source, f"dw{number}", f"db{number}"], [f"c{number}"], f"conv{number}"),
                           node("QuantizeLinear", [f"c{number}", "s", "z"], [f"q{number}"]),
                           node("DequantizeLinear", [f"q{number}", "s", "z"], [to])]
    first, second = conv(0, "d", "e"), conv(1, "e", "f")
    pool = node("AveragePool", ["f"], ["r"], "pool", kernel_shape=[4, 4], strides=[4, 4])
    ends = [tensor("s", FLOAT, [], [0.1]), tensor("z", INT8, [], [3])]
    return simple(between([*first[1], *second[1], pool]), inputs=[value("x", FLOAT, [1, 16, 8, 8])],
                  outputs=[value("y", FLOAT, [1, 16, 2, 2])], initializers=[*ends, *first[0], *second[0]])


def quantised_wide():
    """A product of matrices of int16, with int16 weights and a scale for each column, between quantised tensors."""
    constants = [tensor("s", FLOAT, [], [0.00037]), tensor("z", INT16, [], [0]), tensor("ws", FLOAT, [3], [0.000031, 0.000017, 0.00005]),
                 tensor("w", INT16, [64, 3], [k * 12347 % 65535 - 32767 for k in range(192)])]
    nodes = [node("DequantizeLinear", ["w", "ws"], ["dw"], axis=1), node("MatMul", ["d", "dw"], ["r"], "layer")]
    return simple(between(nodes), inputs=[value("x", FLOAT, [1, 64])], initializers=constants)


def quantised_pooled():
    """A convolution of int8 and a mean over its rows and columns."""
    constants = [tensor("s", FLOAT, [], [0.1]), tensor("z", INT8, [], [3]),
                 tensor("w", INT8, [8, 2, 3, 3], [k * 37 % 127 - 63 for k in range(144)])]
    nodes = [node("DequantizeLinear", ["w", "s"], ["dw"]), node("Conv", ["d", "dw"], ["c"], "conv", pads=[1, 1, 1, 1]),
             node("QuantizeLinear", ["c", "s", "z"], ["b"]), node("DequantizeLinear", ["b", "s", "z"], ["e"]),
             node("GlobalAveragePool", ["e"], ["r"])]
    return simple(between(nodes), inputs=[value("x", FLOAT, [1, 2, 6, 6])], outputs=[value("y", FLOAT, [1, 8, 1, 1])],
                  initializers=constants)


def quantised_in_floats():
    """An operator without integer arithmetic between quantised tensors."""
    return simple(between([node("CumSum", ["d", "axis"], ["r"], "sums")]),
                  initializers=[SCALE, ZERO, tensor("axis", INT64, [], [1])])


def external_function():
    """A node of another domain, with its shape."""
    nodes = [node("Fancy", ["x"], ["b"], "head", "com.example"), node("Relu", ["b"], ["y"])]
    return model(graph(nodes, [X], [Y], values=[value("b", FLOAT, [1, 3])]), domains=["com.example"])


def unknown_attribute():
    """An attribute that the operator does not have."""
    return simple([node("Relu", ["x"], ["y"], "r", slope=1.0)])


def running_sum():
    """Two states: sum = s + x, and the x of the run before. Outputs: the sum before the run, doubled, and the old x."""
    nodes = [node("Add", ["s", "x"], ["sum"]), node("Add", ["s", "s"], ["y"]), node("Identity", ["last"], ["before"]),
             node("Identity", ["x"], ["next"])]
    names = ("x", "s", "last"), ("sum", "y", "before", "next")
    return model(graph(nodes, *([value(name, FLOAT, [1, 3]) for name in group] for group in names)))


def swapped():
    """Two states that change places in each run, and a third that is never written."""
    nodes = [node("Identity", ["a"], ["bn"]), node("Add", ["b", "x"], ["an"]), node("Identity", ["k"], ["kn"]),
             node("Add", ["a", "k"], ["y"])]
    names = ("x", "a", "b", "k"), ("an", "bn", "kn", "y")
    return model(graph(nodes, *([value(name, FLOAT, [1, 3]) for name in group] for group in names)))


def gate():
    """A recurrent cell: z = sigmoid(x + h), hn = h + z * (tanh(x) - h), y = 2 hn; and a state w of another shape."""
    nodes = [node("Add", ["x", "h"], ["a"]), node("Sigmoid", ["a"], ["z"]), node("Tanh", ["x"], ["c"]),
             node("Sub", ["c", "h"], ["d"]), node("Mul", ["z", "d"], ["e"]), node("Add", ["h", "e"], ["hn"]),
             node("Add", ["hn", "hn"], ["y"]), node("Concat", ["w", "x"], ["wn"], axis=1)]
    return model(graph(nodes, [X, value("h", FLOAT, [1, 3]), value("w", FLOAT, [1, 3])],
                       [Y, value("hn", FLOAT, [1, 3]), value("wn", FLOAT, [1, 6])]))


def old_opset():
    """Version 5 of the operators."""
    return model(graph([node("Relu", ["x"], ["y"])], [X], [Y]), opset=5)


def old_broadcast():
    """Version 6: the second input stands at an axis of the first."""
    return model(graph([node("Add", ["x", "b"], ["y"], broadcast=1, axis=0)], [value("x", FLOAT, [2, 3])],
                       [value("y", FLOAT, [2, 3])], [tensor("b", FLOAT, [2], [10.0, 20.0])]), opset=6)


def order():
    """A node reads what a later node writes: the two are a cycle."""
    return simple([node("Add", ["x", "b"], ["a"], "first"), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])])


def twice():
    """Two nodes write one name."""
    return simple([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])])


def same_inputs():
    return simple([node("Relu", ["x"], ["y"])], inputs=[X, X])


def huge():
    """2^40 elements."""
    return simple([node("Relu", ["x"], ["y"])], inputs=[value("x", FLOAT, [1 << 20, 1 << 20])])


def huge_constant():
    w = packed(1, [1 << 40]) + field(2, FLOAT) + field(8, "w") + field(9, b"\0" * 4)
    return simple([node("Add", ["x", "w"], ["y"])], initializers=[w])


def short_data():
    return simple([node("Add", ["x", "w"], ["y"])], initializers=[tensor("w", FLOAT, [3], raw=b"\0" * 8)])


def bad_bool():
    return simple([node("Where", ["c", "x", "x"], ["y"])], initializers=[tensor("c", BOOL, [1], raw=b"\2")])


def wrong_type():
    """A bool where a float is needed."""
    return simple([node("Sqrt", ["c"], ["y"])], inputs=[value("c", BOOL, [1, 3])], outputs=[value("y", BOOL, [1, 3])])


def strings():
    return simple([node("Identity", ["x"], ["y"])], inputs=[value("x", STRING, [1])],
                  outputs=[value("y", STRING, [1])])


def recursive():
    """A function that calls itself."""
    own = function("F", "own", ["a"], ["b"], [node("F", ["a"], ["b"], "again", "own")])
    return model(graph([node("F", ["x"], ["y"], "call", "own")], [X], [Y]), functions=[own], domains=["own"])


def many_calls():
    """Functions that double the number of nodes at each level."""
    levels = [function(f"F{i}", "own", ["a"], ["b"],
                       [node(f"F{i + 1}", ["a"], ["t"], "", "own"), node(f"F{i + 1}", ["t"], ["b"], "", "own")])
              for i in range(40)]
    levels.append(function("F40", "own", ["a"], ["b"], [node("Relu", ["a"], ["b"])]))
    return model(graph([node("F0", ["x"], ["y"], "", "own")], [X], [Y]), functions=levels, domains=["own"])


def deep():
    """Graphs within each other, without end."""
    part = graph([node("Relu", ["x"], ["t"])], [], [value("t", FLOAT, [1, 3])])
    for _ in range(100):
        part = graph([node("If", ["c"], ["t"], then_branch=("g", part), else_branch=("g", b""))], [],
                     [value("t", FLOAT, [1, 3])])
    return model(part)


def many_nodes():
    """A million nodes."""
    return simple([node("Relu", ["x"], ["y"])] * 1_000_000)


def with_external(location, offset=None, length=None):
    return simple([node("Add", ["x", "w"], ["y"])],
                  initializers=[external("w", FLOAT, [3], location, offset, length)])


def external_data():
    """A constant in weights.bin, from byte 4 on."""
    return with_external("weights.bin", 4, 12)


def external_above():
    return with_external("../weights.bin")


def external_absolute():
    return with_external("/etc/hostname")


def external_missing():
    return with_external("absent.bin")


def external_short():
    return with_external("weights.bin", 8, 12)


def external_number():
    return with_external("weights.bin", "four")


def external_length():
    return with_external("weights.bin", 0, 8)


def external_link():
    return with_external("link.bin")


def group():
    """A field of a wire type that protocol buffers gave up."""
    return relu() + varint(30 << 3 | 3)


def zero_field():
    return relu() + b"\0\0"


def wire_type():
    """A number where the graph should be."""
    return field(1, 10) + field(2, "tests") + field(7, 1)


def no_graph():
    return field(1, 10) + field(2, "tests") + field(8, field(2, 20))


def no_output():
    return model(graph([node("Relu", ["x"], ["y"])], [X], []))


def cut():
    """A file that ends in the middle of a tensor."""
    return add()[:150]


def attribute_type():
    """An attribute of another type."""
    return simple([node("LeakyRelu", ["x"], ["y"], "r", alpha=1)])


def number(name, value_):
    return tensor(name, INT64, [1], [value_])


def gather_outside():
    """A computed shape takes an element that x's shape does not have."""
    nodes = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "five"], ["n"], "pick"),
             node("Reshape", ["x", "n"], ["y"])]
    return simple(nodes, initializers=[number("five", 5)], outputs=[value("y", FLOAT, [3])])


def divided():
    """A computed shape divides by 0."""
    nodes = [node("Shape", ["x"], ["s"]), node("Div", ["s", "zero"], ["n"], "halve"), node("Reshape", ["x", "n"], ["y"])]
    return simple(nodes, initializers=[number("zero", 0)])


def no_outputs():
    """A constant without a name."""
    return simple([node("Constant", [], [], "idle", value_float=1.0), node("Relu", ["x"], ["y"], "act")])


def no_version():
    """The file lacks the versions of operators."""
    return field(1, 10) + field(7, graph([node("Relu", ["x"], ["y"], "r")], [X], [Y]))


def recurrent(units, kind="RNN", **attributes):
    """A recurrent node whose weights are 1, for inputs of one number."""
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    constants = [tensor(name, FLOAT, [1, gates * units, width], [1.0] * (gates * units * width))
                 for name, width in (("w", 1), ("r", units))]
    return model(graph([node(kind, ["x", "w", "r"], ["y"], "cell", **attributes)], [value("x", FLOAT, [2, 1, 1])],
                       [value("y", FLOAT, [2, 1, 1, units])], constants))


def no_units():
    return recurrent(0, hidden_size=0)


def other_units():
    return recurrent(1, hidden_size=2)


def affine():
    """y = 2 * (x + y of the step before) + 0.5."""
    return recurrent(1, activations=["Affine"], activation_alpha=[2.0], activation_beta=[0.5])


def affine_default():
    return recurrent(1, activations=["Affine"])


def padded(mode, pads):
    count = 3 + sum(pads)
    return simple([node("Pad", ["x", "p"], ["y"], mode=mode)], outputs=[value("y", FLOAT, [1, count])],
                  initializers=[tensor("p", INT64, [4], [0, pads[0], 0, pads[1]])])


def pad_wrap():
    """The first element goes, and the two that follow come again."""
    return padded("wrap", (-1, 3))


def pad_reflect():
    return padded("reflect", (-1, 1))


def pad_nothing():
    """No element is left to repeat."""
    return padded("edge", (-3, 1))


def boxes():
    """An operator whose result has as many rows as boxes are chosen."""
    nodes = [node("NonMaxSuppression", ["b", "s"], ["y"], "nms"), node("NonZero", ["x"], ["z"], "places")]
    return simple(nodes, inputs=[value("b", FLOAT, [1, 6, 4]), value("s", FLOAT, [1, 1, 6]), X],
                  outputs=[value("y", INT64, [None, 3]), value("z", INT64, [2, None])])


def frames():
    """Two frames of a real signal without an axis of parts: the sum, and the difference of its two numbers."""
    return simple([node("STFT", ["x", "one", "", "two"], ["y"])], initializers=[number("one", 1), number("two", 2)],
                  outputs=[value("y", FLOAT, [1, 2, 2, 2])])


def all_models():
    names = [name for name, made in globals().items() if callable(made) and made.__module__ == __name__]
    helpers = ("simple", "leaky", "between", "with_external", "number", "recurrent", "padded", "all_models")
    return [name for name in names if name not in helpers]


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(globals()[sys.argv[1]]())
