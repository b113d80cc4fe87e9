"""BERT in float16 as an ONNX file, as exporters write it: products and biases apart, transposes, gelu from erf."""

import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "onnx"))
import onnx_writer as onnx  # pylint: disable=import-error,wrong-import-position


class Writer:
    """Nodes and weights, in order."""

    def __init__(self, seed):
        self.nodes, self.weights, self.source = [], [], random.Random(seed)

    def op(self, kind, *inputs, **attributes):
        """A node, and the name of its result."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(onnx.node(kind, inputs, [name], **attributes))
        return name

    def weight(self, *shape, middle=0.0, deviation=0.1):
        """Random numbers."""
        count = 1
        for extent in shape:
            count *= extent
        name = f"w{len(self.weights)}"
        values = [middle + self.source.uniform(-deviation, deviation) for _ in range(count)]
        self.weights.append(onnx.tensor(name, onnx.FLOAT16, shape, values))
        return name

    def number(self, value):
        """One number."""
        return self.weight(middle=value, deviation=0.0)

    def shape(self, *extents):
        """A constant of integers."""
        name = f"w{len(self.weights)}"
        self.weights.append(onnx.tensor(name, onnx.INT64, [len(extents)], list(extents)))
        return name


def layer(w, x, batch, sequence, hidden, heads, ffn):
    """One layer; returns the name of its result."""
    size = hidden // heads
    dense = lambda of, rows, columns: w.op("Add", w.op("MatMul", of, w.weight(rows, columns)), w.weight(columns))
    split = lambda of: w.op("Reshape", of, w.shape(batch, sequence, heads, size))
    q, k, v = (split(dense(x, hidden, hidden)) for _ in range(3))
    q, v = (w.op("Transpose", of, perm=[0, 2, 1, 3]) for of in (q, v))
    scores = w.op("Div", w.op("MatMul", q, w.op("Transpose", k, perm=[0, 2, 3, 1])), w.number(size**0.5))
    context = w.op("Transpose", w.op("MatMul", w.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    context = w.op("Reshape", context, w.shape(batch, sequence, hidden))
    norm = lambda of: w.op("LayerNormalization", of, w.weight(hidden, middle=1.0), w.weight(hidden), axis=-1,
                           epsilon=1e-12)
    x = norm(w.op("Add", dense(context, hidden, hidden), x))
    inner = dense(x, hidden, ffn)
    inner = w.op("Mul", w.op("Mul", inner, w.op("Add", w.op("Erf", w.op("Div", inner, w.number(2**0.5))),
                                                w.number(1.0))), w.number(0.5))
    return norm(w.op("Add", dense(inner, ffn, hidden), x))


def make(path, layers=1, batch=1, sequence=16, hidden=64, heads=2, ffn=128):
    """Writes the file."""
    w = Writer(7)
    x = "x"
    for _ in range(layers):
        x = layer(w, x, batch, sequence, hidden, heads, ffn)
    shape = [batch, sequence, hidden]
    graph = onnx.graph(w.nodes, [onnx.value("x", onnx.FLOAT16, shape)], [onnx.value(x, onnx.FLOAT16, shape)], w.weights)
    pathlib.Path(path).write_bytes(onnx.model(graph, opset=17))


if __name__ == "__main__":
    make(sys.argv[1], *map(int, sys.argv[2:]))
