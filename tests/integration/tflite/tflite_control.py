"""Random models with several subgraphs: variables, composites, and control flow that constants decide."""

from tflite_maker import product, shape_of
from tflite_writer import (BOOL, FLOAT32, INT16, INT32, INT64, INT8, RESOURCE, UINT8, Scalar, Vector,
                           text)

ADD, CONCATENATION, MUL, RELU = 0, 2, 18, 19
SUB, STRIDED_SLICE, LESS, NEG = 41, 45, 58, 59
IF, WHILE, CALL_ONCE, VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE = 118, 119, 129, 142, 143, 144
COMPOSITE = 206
# An empty map, as flexbuffers have it.
NO_ATTRIBUTES = bytes([0, 0, 1, 0, 0, 36, 1])


def handle(graph, name):
    number = graph.tensor([], RESOURCE)
    graph.operator(VAR_HANDLE, [], [number], 111, {1: text(name)})
    return number


def assign(graph, name, value):
    graph.operator(ASSIGN_VARIABLE, [handle(graph, name), value], [], 113, {})


def read(graph, name, value):
    graph.operator(READ_VARIABLE, [handle(graph, name)], [value], 112, {})


def begun(make, name, shape, dtype, quantized, zeros):
    """CALL_ONCE, whose subgraph assigns a constant to a variable."""
    first, number = make.model.subgraph()
    elements = make.numbers(product(shape), dtype)
    if zeros:
        elements = [0] * len(elements)
    elif make.random.random() < 0.5:
        elements = elements[:1] * len(elements)
    assign(first, name, first.tensor(shape, dtype, data=elements, **quantized))
    make.model.operator(CALL_ONCE, [], [], 103, {0: Scalar("i", number)})


def variables(make):
    """A window of the last inputs, a sum of all inputs, and two variables that change places."""
    way = make.in_turn((window, total, exchange, constant))
    return way(make)


def window(make):
    """The variable keeps the last rows of inputs, as streaming models do."""
    dtype, kept, fresh = make.pick(INT8, FLOAT32, INT16), make.size(4), make.size(3)
    row = make.size(5)
    quantized = make.quantized(dtype)
    begun(make, "rows", [1, kept, row], dtype, quantized, make.pick(True, False))
    x = make.input([1, fresh, row], dtype, **quantized)
    old = make.model.tensor([1, kept, row], dtype, **quantized)
    read(make.model, "rows", old)
    both = make.model.tensor([1, kept + fresh, row], dtype, **quantized)
    make.model.operator(CONCATENATION, [old, x], [both], 10, {0: Scalar("i", 1)})
    new = make.model.tensor([1, kept, row], dtype, **quantized)
    bounds = [make.constant([3], INT32, data=data)
              for data in ([0, fresh, 0], [1, fresh + kept, row], [1, 1, 1])]
    make.model.operator(STRIDED_SLICE, [both, *bounds], [new], 32, {})
    assign(make.model, "rows", new)
    return finished(make, [both], make.size(6))


def total(make):
    """The variable is assigned twice, and read before and after."""
    dtype, shape = make.pick(INT32, FLOAT32), shape_of(make)
    begun(make, "sum", shape, dtype, {}, make.pick(True, False))
    x = make.input(shape, dtype)
    values = [make.model.tensor(shape, dtype) for _ in range(5)]
    read(make.model, "sum", values[0])
    make.model.operator(ADD, [values[0], x], [values[1]], 11, {})
    assign(make.model, "sum", values[1])
    read(make.model, "sum", values[2])
    make.model.operator(MUL, [values[2], x], [values[3]], 21, {})
    if make.random.random() < 0.5:
        assign(make.model, "sum", values[3])
    read(make.model, "sum", values[4])
    return finished(make, [values[0], values[2], values[4]][make.size(3) - 1:], make.size(4))


def exchange(make):
    """Each run gives two variables the values of each other."""
    dtype, shape = make.pick(INT32, FLOAT32, INT16, BOOL, INT64, UINT8), shape_of(make)
    quantized = make.quantized(dtype)
    zeros = make.pick(True, False)
    for name in ("a", "b"):
        begun(make, name, shape, dtype, quantized, zeros and name == "a")
    x = make.input(shape, dtype, **quantized)
    a, b = (make.model.tensor(shape, dtype, **quantized) for _ in range(2))
    read(make.model, "a", a)
    read(make.model, "b", b)
    assign(make.model, "a", b)
    assign(make.model, "b", make.pick(a, x))
    return finished(make, make.pick([a], [b], [a, b]), make.size(4))


def constant(make):
    """A variable that no operator changes, and one that is always assigned first."""
    shape = shape_of(make)
    begun(make, "kept", shape, FLOAT32, {}, False)
    x = make.input(shape, FLOAT32)
    values = [make.model.tensor(shape, FLOAT32) for _ in range(4)]
    read(make.model, "kept", values[0])
    make.model.operator(ADD, [values[0], x], [values[1]], 11, {})
    assign(make.model, "other", values[1])
    read(make.model, "other", values[2])
    make.model.operator(RELU, [values[2]], [values[3]])
    return finished(make, [values[3], values[0]][:make.size(2)], make.size(3))


def finished(make, outputs, runs):
    case = make.case(outputs, runs)
    # Functions with a state make no claim.
    case.claimed = False
    return case


def arithmetic(make, graph, x, shape, constant_of):
    """A few operators of floats on a tensor of a subgraph."""
    for _ in range(make.size(3)):
        y = graph.tensor(shape, FLOAT32)
        code, options = make.pick((ADD, 11), (SUB, 28), (MUL, 21), (NEG, 42), (RELU, 0))
        operands = [x] if code in (NEG, RELU) else [x, constant_of(graph)]
        graph.operator(code, operands, [y], options, {})
        x = y
    return x


def some_floats(make, shape):
    return lambda graph: graph.tensor(shape, FLOAT32, data=make.numbers(product(shape), FLOAT32))


def composites(make):
    """A composite that is run once or twice, and one within it."""
    shape = shape_of(make)
    inner, inner_number = make.model.subgraph()
    a = inner.tensor(shape, FLOAT32)
    inner.inputs, inner.outputs = [a], [arithmetic(make, inner, a, shape, some_floats(make, shape))]
    outer, number = make.model.subgraph()
    a, b, c = (outer.tensor(shape, FLOAT32) for _ in range(3))
    composite(outer, inner_number, [a], [c])
    outer.operator(ADD, [c, b], [y := outer.tensor(shape, FLOAT32)], 11, {})
    outer.inputs, outer.outputs = [a, b], make.pick([y], [y, a], [y, c])
    x = make.input(shape, FLOAT32)
    other = make.pick(make.input, make.constant)(shape, FLOAT32)
    outputs = []
    for _ in range(make.size(2)):
        results = [make.model.tensor(shape, FLOAT32) for _ in outer.outputs]
        composite(make.model, number, [x, other], results)
        outputs += results
        x = results[0]
    return finished(make, outputs, 1)


def composite(graph, number, inputs, outputs):
    graph.operator(COMPOSITE, inputs, outputs, 21, {
        0: text("test.part"), 1: Scalar("i", number), 2: Vector("1", NO_ATTRIBUTES)}, second=True)


def control(make):
    return make.in_turn((counted, branch, nested))(make)


def loop(make, shape, turns, step, body_of):
    """WHILE over a counter, a limit and a tensor of floats. Returns the tensor."""
    condition, condition_number = make.model.subgraph()
    body, body_number = make.model.subgraph()
    tensors = [[graph.tensor([], INT32), graph.tensor([], INT32), graph.tensor(shape, FLOAT32)]
               for graph in (condition, body)]
    holds = condition.tensor([], BOOL)
    condition.operator(LESS, tensors[0][:2], [holds])
    condition.inputs, condition.outputs = tensors[0], [holds]
    count, limit, x = tensors[1]
    after = body.tensor([], INT32)
    body.operator(ADD, [count, body.tensor([], INT32, data=[step])], [after], 11, {})
    body.inputs, body.outputs = tensors[1], [after, limit, body_of(body, count, x)]
    begin = make.random.randint(-3, 3)
    return condition_number, body_number, begin, begin + turns * step


def run_loop(make, graph, x, shape, parts):
    condition, body, begin, end = parts
    inputs = [graph.tensor([], INT32, data=[begin]), graph.tensor([], INT32, data=[end]), x]
    outputs = [graph.tensor([], INT32), graph.tensor([], INT32), graph.tensor(shape, FLOAT32)]
    graph.operator(WHILE, inputs, outputs, 93, {0: Scalar("i", condition), 1: Scalar("i", body)})
    return outputs


def counted(make):
    """WHILE with a counter, which the body also computes with."""
    shape = shape_of(make)
    floats = some_floats(make, shape)

    def body_of(body, count, x):
        real = body.tensor([], FLOAT32)
        body.operator(53, [count], [real], 37, {0: Scalar("b", INT32), 1: Scalar("b", FLOAT32)})
        y = body.tensor(shape, FLOAT32)
        body.operator(*make.pick((ADD, [x, real], [y], 11), (SUB, [x, real], [y], 28)))
        return arithmetic(make, body, y, shape, floats)
    parts = loop(make, shape, make.random.randint(0, 4), make.size(3), body_of)
    x = make.input(shape, FLOAT32)
    outputs = run_loop(make, make.model, x, shape, parts)
    return finished(make, outputs[2:] if make.random.random() < 0.5 else outputs, 1)


def branch(make):
    """IF on a constant, or on one that follows from shapes."""
    shape = shape_of(make)
    arms = []
    for _ in range(2):
        arm, number = make.model.subgraph()
        a = arm.tensor(shape, FLOAT32)
        arm.inputs, arm.outputs = [a], [arithmetic(make, arm, a, shape, some_floats(make, shape))]
        arms.append(number)
    x = make.input(shape, FLOAT32)
    if make.random.random() < 0.5:
        condition = make.constant([1], BOOL, data=[make.random.random() < 0.5])
    else:
        rank, condition = make.model.tensor([], INT32), make.model.tensor([], BOOL)
        make.model.operator(110, [x], [rank], 82, {})
        make.model.operator(LESS, [rank, make.constant([], INT32, data=[3])], [condition])
    y = make.model.tensor(shape, FLOAT32)
    make.model.operator(IF, [condition, x], [y], 92, {0: Scalar("i", arms[0]), 1: Scalar("i", arms[1])})
    return finished(make, [y], 1)


def nested(make):
    """A WHILE whose body has a WHILE, and changes a variable."""
    shape = shape_of(make)
    floats = some_floats(make, shape)
    begun(make, "turns", shape, FLOAT32, {}, make.pick(True, False))
    inner = loop(make, shape, make.size(3), 1,
                 lambda body, count, x: arithmetic(make, body, x, shape, floats))

    def body_of(body, count, x):
        y = run_loop(make, body, x, shape, inner)[2]
        old, new = body.tensor(shape, FLOAT32), body.tensor(shape, FLOAT32)
        read(body, "turns", old)
        body.operator(ADD, [old, y], [new], 11, {})
        assign(body, "turns", new)
        return y
    outer = loop(make, shape, make.size(3), 1, body_of)
    x = make.input(shape, FLOAT32)
    result = run_loop(make, make.model, x, shape, outer)[2]
    after = make.model.tensor(shape, FLOAT32)
    read(make.model, "turns", after)
    return finished(make, make.pick([result, after], [after]), make.size(3))


KINDS = {maker.__name__: maker for maker in (composites, control, variables)}
