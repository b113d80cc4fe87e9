#!/usr/bin/env python3
"""The workspace of MobileNetV2 and MCUNet with operators that run row by row.

Use: benchmarks/streaming.py [--tenon BIN] [--keep DIR] [--check] [MODEL...]
The models have the published shapes (MobileNetV2: Sandler et al., CVPR 2018, table 2, width 0.35;
MCUNet: the settings of its model zoo), and random weights of 8 bits. Sums are requantised by a
shift. Prints for each model the bytes of workspace with --stream=off and --stream=max, without
input and output, and the multiplications of each, which do not change. --check runs both in the
interpreter and compares the outputs, which takes minutes.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n"

# Rows of (expansion, channels, repetitions, stride, kernel).
MOBILENET_V2 = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3),
                (6, 96, 3, 1, 3), (6, 160, 3, 2, 3), (6, 320, 1, 1, 3)]
MCUNET_5FPS = [(1, 8, 1, 1, 3), (4, 16, 1, 2, 3), (3, 16, 1, 1, 3), (3, 24, 1, 2, 7), (5, 24, 1, 1, 3),
               (5, 40, 1, 2, 3), (4, 40, 1, 1, 7), (4, 48, 1, 1, 5), (3, 48, 1, 1, 3), (4, 48, 1, 1, 3),
               (5, 96, 1, 2, 7), (4, 96, 1, 1, 5), (4, 96, 1, 1, 5), (6, 160, 1, 1, 3)]
MCUNET_320KB = [(1, 8, 1, 1, 3), (3, 16, 1, 2, 7), (5, 16, 1, 1, 3), (5, 16, 1, 1, 7), (4, 16, 1, 1, 5),
                (5, 24, 1, 2, 5), (5, 24, 1, 1, 5), (5, 24, 1, 1, 5), (5, 40, 1, 2, 3), (6, 40, 1, 1, 7),
                (4, 40, 1, 1, 5), (5, 48, 1, 1, 5), (5, 48, 1, 1, 7), (5, 48, 1, 1, 3), (6, 96, 1, 2, 3),
                (5, 96, 1, 1, 7), (4, 96, 1, 1, 3), (5, 160, 1, 1, 7)]


def divisible(value):
    """The number of channels of a layer with a width: a multiple of 8, less than 10 % below it."""
    rounded = max(8, int(value + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * value else rounded


class Model:
    """The text of a model. Tensors are (name, height, width, channels)."""

    def __init__(self, size):
        self.random = random.Random(1)
        self.functions, self.calls, self.allocates = [], [], []
        self.macs = 0
        self.input = self.tensor = ("x.data", size, size, 3)

    def emit(self, kind, inputs, shape, lines, weights):
        name = f"{kind}_{len(self.functions)}"
        params = "".join(f'p{i}: T.Buffer(({t[1] * t[2] * t[3]},), "int8"), ' for i, t in enumerate(inputs))
        size = shape[0] * shape[1] * shape[2]
        text = f'    @T.prim_func(private=True)\n    def {name}({params}q: T.Buffer(({size},), "int8")):\n'
        text += f'        T.func_attr({{"tenon.origins": ["{name}"], "tir.noalias": T.bool(True)}})\n'
        if weights:
            values = [self.random.randint(-127, 127) for _ in range(weights)]
            text += f'        w = T.allocate_const({values}, "int8", [{weights}])\n'
            text += f'        w_1 = T.Buffer(({weights},), "int8", data=w)\n'
        self.functions.append(text + "".join(f"        {line}\n" for line in lines) + "\n")
        out = f"t{len(self.allocates)}"
        self.allocates.append((out, size))
        self.calls.append(f'T.call_extern("int32", "{name}", {", ".join(t[0] for t in inputs)}, {out})')
        self.tensor = (out, *shape)

    def sum(self, kind, loops, terms, product, place, shape, weights, guard=""):
        lines = [f"for {', '.join(n for n, _ in loops)} in T.grid({', '.join(str(e) for _, e in loops)}):",
                 '    s = T.allocate([1], "int32", "global")', '    s_1 = T.Buffer((1,), "int32", data=s)',
                 "    s_1[0] = 0"]
        indent = "    "
        for name, extent in terms:
            lines.append(f"{indent}for {name} in range({extent}):")
            indent += "    "
            if guard and name == "kx":
                lines.append(f"{indent}if {guard}:")
                indent += "    "
        lines.append(f"{indent}s_1[0] = s_1[0] + {product}")
        lines.append(f'    q[{place}] = T.Cast("int8", T.max(T.min(T.shift_right(s_1[0], 9), 127), -128))')
        count = 1
        for _, extent in [*loops, *terms]:
            count *= extent
        self.macs += count
        self.emit(kind, [self.tensor], shape, lines, weights)

    def conv(self, out, kernel, stride, depthwise=False):
        _, height, width, channels = self.tensor
        pad = (kernel - 1) // 2
        rows, columns = ((n + 2 * pad - kernel) // stride + 1 for n in (height, width))
        row, column = f"y * {stride} + ky - {pad}", f"x * {stride} + kx - {pad}"
        guard = f"{row} >= 0 and {row} < {height} and {column} >= 0 and {column} < {width}" if pad else ""
        inner = "c" if depthwise else "ci"
        load = f'T.Cast("int32", p0[({row}) * {width * channels} + ({column}) * {channels} + {inner}])'
        tap = f"(ky * {kernel} + kx) * {channels} + {inner}"
        weight = tap if depthwise else f"({tap}) * {out} + c"
        terms = [("ky", kernel), ("kx", kernel)] + ([] if depthwise else [("ci", channels)])
        self.sum("dw" if depthwise else "conv", [("y", rows), ("x", columns), ("c", out)], terms,
                 f'{load} * T.Cast("int32", w_1[{weight}])', f"(y * {columns} + x) * {out} + c",
                 (rows, columns, out), kernel * kernel * channels * (1 if depthwise else out), guard)

    def add(self, other):
        _, height, width, channels = self.tensor
        lines = [f"for y, x, c in T.grid({height}, {width}, {channels}):"]
        at = f"(y * {width} + x) * {channels} + c"
        value = f'T.Cast("int32", p0[{at}]) + T.Cast("int32", p1[{at}])'
        lines.append(f'    q[{at}] = T.Cast("int8", T.max(T.min({value}, 127), -128))')
        self.emit("add", [self.tensor, other], (height, width, channels), lines, 0)

    def head(self, classes):
        _, height, width, channels = self.tensor
        load = f'T.Cast("int32", p0[(y * {width} + x) * {channels} + c])'
        before = self.macs
        self.sum("mean", [("c", channels)], [("y", height), ("x", width)], load, "c", (1, 1, channels), 0)
        self.macs = before
        self.sum("dense", [("c", classes)], [("ci", channels)],
                 f'T.Cast("int32", p0[ci]) * T.Cast("int32", w_1[ci * {classes} + c])', "c", (1, 1, classes),
                 channels * classes)

    def text(self):
        size = self.input[1] * self.input[2] * 3
        last, outputs = self.allocates[-1]
        text = HEAD + "".join(self.functions)
        text += f'    @T.prim_func\n    def main(x: T.Buffer(({size},), "int8"), y: T.Buffer(({outputs},), "int8")):\n'
        text += '        T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})\n'
        text += "".join(f'        {n} = T.allocate([{e}], "int8", "global")\n' for n, e in self.allocates[:-1])
        calls = [*self.calls[:-1], self.calls[-1].replace(f", {last})", ", y.data)")]
        return text + "".join(f"        {call}\n" for call in calls)


def network(size, first, settings, last, width=1.0, classes=1000):
    model = Model(size)
    model.conv(divisible(first * width), 3, 2)
    for expansion, channels, repetitions, stride, kernel in settings:
        out = divisible(channels * width)
        for i in range(repetitions):
            source = model.tensor
            hidden = source[3] * expansion
            if expansion != 1:
                model.conv(hidden, 1, 1)
            model.conv(hidden, kernel, stride if i == 0 else 1, depthwise=True)
            model.conv(out, 1, 1)
            if source[1:] == model.tensor[1:]:
                model.add(source)
    if last:
        model.conv(last, 1, 1)
    model.head(classes)
    return model


MODELS = {
    "mobilenet_v2-w0.35-144": lambda: network(144, 32, MOBILENET_V2, 1280, width=0.35),
    "mcunet-5fps-96": lambda: network(96, 16, MCUNET_5FPS, 0),
    "mcunet-320KB-176": lambda: network(176, 16, MCUNET_320KB, 0),
}


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True).stdout


def check(tenon, module, size, folder):
    """Whether both ways give the same output for a random input."""
    head = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({size},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    data = random.Random(2).randbytes(size)
    (folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)
    outputs = []
    for flags in ([], ["--engine=interp", "--planner=optimal", "--stream=max"]):
        run(tenon, "run", module, "--input", folder / "x.npy", "--output", folder / "y.npy", *flags, "-q")
        outputs.append((folder / "y.npy").read_bytes())
    return outputs[0] == outputs[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default=ROOT / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("models", nargs="*", choices=[[], *MODELS], metavar="MODEL")
    options = parser.parse_args()
    failures = 0
    print(f"{'model':24} {'multiplications':>16} {'off':>10} {'max':>10}")
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.models or MODELS:
            model = MODELS[name]()
            module = folder / f"{name}.py"
            module.write_text(model.text())
            off, best = (json.loads(run(options.tenon, "report", module, "--json", f"--stream={s}"))["workspace_bytes"]
                         for s in ("off", "max"))
            result = ""
            if options.check:
                same = check(options.tenon, module, model.input[1] ** 2 * 3, folder)
                failures += not same
                result = "  bit-exact" if same else "  OTHER OUTPUT"
            print(f"{name:24} {model.macs:16,} {off:10,} {best:10,}{result}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
