#!/usr/bin/env python3
"""A layer of BERT-base, next to onnxruntime with the same weights.

Use: benchmarks/bert_onnxruntime.py --bin BIN_DIR FOLDER [--rounds 5] [sizes of bert_module.py]

Writes the module and an ONNX model of the same layers, checks both against NumPy, and times them by
turns, each with one thread: `tenon run --engine=jit -O3 --cpu=native`, also with
`--fp-contract=fast`. Prints medians in ms, and their ratios. Needs NumPy, onnx and onnxruntime; without
them it says so and ends with 0.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

try:
    import numpy as np
    import onnx_graph
except ImportError as error:
    sys.exit(print(f"skipped: {error}; run `pip install numpy onnx onnxruntime`") or 0)

import bert_module


class Layers(onnx_graph.Graph):
    """The layers of bert_module.py as ONNX nodes."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.shapes = {name: rest for name, *rest in sizes.tensors()}

    def number(self, value):
        return self.value(np.float32(value))

    def weight(self, name):
        shape, mean, deviation = self.shapes[name]
        pieces = list(self.sizes.pieces(name, shape, mean, deviation))
        return self.value(np.concatenate(pieces).reshape(shape))

    def dense(self, x, name):
        return self.op("Add", self.op("MatMul", x, self.weight(name)), self.weight(name + "_bias"))

    def norm(self, x, name):
        return self.op("LayerNormalization", x, self.weight(name + "_scale"),
                       self.weight(name + "_shift"), axis=-1, epsilon=1e-5)

    def heads(self, x, order):
        sizes = self.sizes
        shape = self.value(np.array([sizes.tokens, sizes.heads, sizes.hidden // sizes.heads]))
        return self.op("Transpose", self.op("Reshape", x, shape), perm=order)

    def attend(self, q, k, v):
        sizes = self.sizes
        scores = self.op("MatMul", self.heads(q, [1, 0, 2]), self.heads(k, [1, 2, 0]))
        scores = self.op("Mul", scores, self.number(1 / (sizes.hidden // sizes.heads) ** 0.5))
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), self.heads(v, [1, 0, 2]))
        return self.op("Reshape", self.op("Transpose", mixed, perm=[1, 0, 2]),
                       self.value(np.array([sizes.tokens, sizes.hidden])))

    def gelu(self, x):
        cube = self.op("Mul", self.op("Mul", self.op("Mul", x, x), x), self.number(0.044715))
        inner = self.op("Mul", self.op("Add", x, cube), self.number(0.7978845608))
        factor = self.op("Add", self.op("Tanh", inner), self.number(1))
        return self.op("Mul", self.op("Mul", x, self.number(0.5)), factor)

    def result(self):
        """The name of the last value."""
        sizes = self.sizes
        rows = self.op("Gather", self.weight("words"), "ids")
        places = self.op("Slice", self.weight("places"), self.value(np.array([0])),
                         self.value(np.array([sizes.tokens])))
        x = self.norm(self.op("Add", rows, places), "embed")
        for layer in range(sizes.layers):
            p = f"layer{layer}_"
            mixed = self.attend(*(self.dense(x, p + name) for name in ("query", "key", "value")))
            x = self.norm(self.op("Add", x, self.dense(mixed, p + "project")), p + "attend")
            wide = self.gelu(self.dense(x, p + "widen"))
            x = self.norm(self.op("Add", x, self.dense(wide, p + "narrow")), p + "output")
        return x


def tenon_ms(args, runs, *flags):
    """The median of some runs, which are checked."""
    text = subprocess.run(
        [args.bin / "tenon", "run", "bert.py", "--input", "ids.npy", "--input", "depth.npy",
         "--expect", "expected.npy", "--engine=jit", "-O3", "--cpu=native", f"--repeat={runs}", "--json",
         "-q", *flags], cwd=args.folder, check=True, text=True, stdout=subprocess.PIPE).stdout
    return json.loads(text.splitlines()[0])["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    bert_module.add_sizes(parser)
    parser.set_defaults(layers=1, hidden=768, heads=12, ffn=3072, tokens=128, all_layers=True)
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    sizes = bert_module.Sizes(args)
    bert_module.generate(sizes, args.folder)
    ids, expected = (np.load(args.folder / name) for name in ("ids.npy", "expected.npy"))
    layers = Layers(sizes)
    session = layers.session("bert", ("ids", "INT32", [sizes.tokens]),
                             (layers.result(), "FLOAT", [sizes.tokens, sizes.hidden]))
    answer = session.run(None, {"ids": ids})[0]
    if not np.allclose(answer, expected, rtol=1e-4, atol=1e-5):
        sys.exit(f"onnxruntime's answer differs by {np.abs(answer - expected).max()}")
    runs = onnx_graph.runs_for(onnx_graph.median_ms(session, ids, 5))
    kinds = {"onnxruntime": lambda: onnx_graph.median_ms(session, ids, runs),
             "exact": lambda: tenon_ms(args, runs),
             "contracted": lambda: tenon_ms(args, runs, "--fp-contract=fast")}
    times = {kind: [] for kind in kinds}
    for _ in range(args.rounds):
        for kind, run in kinds.items():
            times[kind].append(run())
    peer = statistics.median(times["onnxruntime"])
    for kind, all_of_kind in times.items():
        median = statistics.median(all_of_kind)
        print(f"{kind:12} {median:8.2f} ms {median / peer:6.2f}")


if __name__ == "__main__":
    main()
