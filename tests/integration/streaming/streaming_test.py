#!/usr/bin/env python3
"""Random networks whose operators run together row by row.

Use: streaming_test.py --tenon BIN --tenon-opt BIN [--engine E]... [--first SEED] [--count N] [--keep DIR]
Each network is a module of convolutions with strides, dilations and pads, depthwise ones, maxima,
additions of earlier tensors, concatenations, upsampling, and perhaps a sum over all rows. Three
things are checked for each seed:
- The pass stream-operators alone changes no bit of the output. The interpreter checks every access,
  and refuses to read a byte that was never written.
- Each engine gives the same bits with --stream=max, where verify-plan judges the plan.
- The workspace of --stream=max is not larger than that of --stream=off.
At least a third of the networks must have a group. Exit code 77 (skipped) without a C compiler.

With --feed-rows, each engine runs the code of --feed-rows instead. With the engine c, the program feed.c
also feeds the rows in parts of several sizes. A network whose input is not read row by row must be refused. At least a
quarter of the networks must be fed.

With --corpus, the models in that folder take the place of networks: each engine gives the bits of the
interpreter with --stream=max, and the workspace has no more bytes than LIMITS says. Exit code 77 if
the folder is missing.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HEAD = "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n"


# Bytes of workspace of models of the corpus, proven least for their groups.
LIMITS = {"kws_int8": 5376, "vww_int8": 14208, "resnet_int8": 11776, "resnet_float": 45824, "vww_float": 56832}


# The same with --feed-rows, where no memory has the input. Fewer models, since compilers take long with sanitizers.
FED_LIMITS = {"kws_int8": 5476, "vww_int8": 14592, "resnet_int8": 12064}
CANNOT_FEED = "rows cannot be fed: the input is read by"


class Network:
    """The text of a random module, and its input."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = []
        self.calls = []
        self.allocates = []
        self.dtype = self.random.choice(["int8", "float32"])
        shape = (self.random.randint(6, 18), self.random.randint(2, 7), self.random.randint(1, 4))
        self.tensors = [("x.data", shape)]
        for _ in range(self.random.randint(2, 8)):
            self.add_operator()
        if self.random.random() < 0.4:
            self.add_sum()
        self.finish()

    def pick(self, latest=0.7):
        return self.tensors[-1] if self.random.random() < latest else self.random.choice(self.tensors)

    def add_operator(self):
        kinds = ["conv", "conv", "depthwise", "depthwise", "maximum", "add", "concat", "upsample", "point"]
        getattr(self, self.random.choice(kinds))()

    def emit(self, name, inputs, shape, lines, constants=()):
        """Adds a function of `lines`, and its call. Parameters are p0, p1, ... and q."""
        name = f"{name}{len(self.functions)}"
        size = shape[0] * shape[1] * shape[2]
        params = "".join(f'p{i}: T.Buffer(({count(t[1])},), "{self.dtype}"), ' for i, t in enumerate(inputs))
        text = f'    @T.prim_func(private=True)\n    def {name}({params}q: T.Buffer(({size},), "{self.dtype}")):\n'
        text += f'        T.func_attr({{"tenon.origins": ["{name}"], "tir.noalias": T.bool(True)}})\n'
        for constant, dtype, values in constants:
            text += f'        {constant} = T.allocate_const({values}, "{dtype}", [{len(values)}])\n'
            text += f'        {constant}_1 = T.Buffer(({len(values)},), "{dtype}", data={constant})\n'
        text += "".join(f"        {line}\n" for line in lines) + "\n"
        self.functions.append(text)
        out = f"t{len(self.allocates)}"
        self.allocates.append((out, size))
        self.calls.append(f'T.call_extern("int32", "{name}", {", ".join(t[0] for t in inputs)}, {out})')
        self.tensors.append((out, shape))

    def numbers(self, n):
        if self.dtype == "int8":
            return [self.random.randint(-9, 9) for _ in range(n)]
        return [round(self.random.uniform(-1, 1), 3) for _ in range(n)]

    def loops(self, height, width):
        """Two loops over pixels, or one, and the expressions of row and column."""
        if self.random.random() < 0.4:
            return [f"for yx in range({height * width}):"], f"(yx // {width})", f"(yx % {width})"
        return [f"for y in range({height}):", f"    for x in range({width}):"], "y", "x"

    def window(self, height, width):
        """Kernel, stride, dilation, and the pad before and after, for both axes."""
        axes = []
        for size in (height, width):
            kernel = self.random.randint(1, min(4, size))
            dilation = self.random.choice([1, 1, 2])
            stride = self.random.choice([1, 1, 2, 3])
            if (kernel - 1) * dilation >= size:
                dilation = 1
            reach = (kernel - 1) * dilation
            before = self.random.randint(0, min(reach, 3)) if self.random.random() < 0.6 else 0
            after = self.random.randint(0, min(reach, 3)) if self.random.random() < 0.6 else 0
            out = (size + before + after - reach - 1) // stride + 1
            axes.append((kernel, stride, dilation, before, after, out))
        return axes

    def convolution(self, depthwise):
        source, (height, width, channels) = self.pick()
        rows, columns = self.window(height, width)
        out = channels if depthwise else self.random.randint(1, 4)
        shape = (rows[5], columns[5], out)
        loops, y, x = self.loops(rows[5], columns[5])
        zero = self.random.choice([0, 3, -128]) if self.dtype == "int8" else 0
        total, cast = ("int32", "int32") if self.dtype == "int8" else ("float32", "float32")
        weights = rows[0] * columns[0] * (channels if depthwise else channels * out)
        row = f"{y} * {rows[1]} + ky * {rows[2]} - {rows[3]}"
        column = f"{x} * {columns[1]} + kx * {columns[2]} - {columns[3]}"
        inner = "c" if depthwise else "ci"
        weight = f"(ky * {columns[0]} + kx) * {channels} + {inner}"
        if not depthwise:
            weight = f"({weight}) * {out} + c"
        load = f'T.Cast("{cast}", p0[({row}) * {width * channels} + ({column}) * {channels} + {inner}])'
        if zero:
            load = f"({load} - {zero})"
        product = f'T.Cast("{cast}", w_1[{weight}]) * '
        inside = f"{row} >= 0 and {row} < {height} and {column} >= 0 and {column} < {width}"
        indent = "    " * len(loops)
        lines = list(loops) + [f"{indent}for c in range({out}):"]
        indent += "    "
        lines += [f'{indent}s = T.allocate([1], "{total}", "global")',
                  f'{indent}s_1 = T.Buffer((1,), "{total}", data=s)', f"{indent}s_1[0] = {self.zero(total)}",
                  f"{indent}for ky in range({rows[0]}):", f"{indent}    for kx in range({columns[0]}):"]
        deeper = indent + "        "
        guard = self.random.random() < 0.6
        if guard:
            lines.append(f"{deeper}if {inside}:")
            deeper += "    "
        if not depthwise:
            lines.append(f"{deeper}for ci in range({channels}):")
            deeper += "    "
        value = load if guard else f"T.if_then_else({inside}, {load}, {self.zero(total)})"
        lines.append(f"{deeper}s_1[0] = s_1[0] + {product}{value}")
        result = f'T.Cast("int8", T.max(T.min(T.shift_right(s_1[0], 3), 127), -128))' if self.dtype == "int8" else "s_1[0]"
        lines.append(f"{indent}q[({y} * {columns[5]} + {x}) * {out} + c] = {result}")
        kind = "int8" if self.dtype == "int8" else "float32"
        self.emit("dw" if depthwise else "conv", [(source, (height, width, channels))], shape, lines,
                  [("w", kind, self.numbers(weights))])

    def zero(self, dtype):
        return "T.float32(0)" if dtype == "float32" else "0"

    def conv(self):
        self.convolution(False)

    def depthwise(self):
        self.convolution(True)

    def maximum(self):
        tensor = self.pick()
        height, width, channels = tensor[1]
        rows, columns = self.window(height, width)
        shape = (rows[5], columns[5], channels)
        loops, y, x = self.loops(rows[5], columns[5])
        row = f"{y} * {rows[1]} + ky * {rows[2]} - {rows[3]}"
        column = f"{x} * {columns[1]} + kx * {columns[2]} - {columns[3]}"
        indent = "    " * len(loops)
        low = "T.int8(-128)" if self.dtype == "int8" else "T.float32(-1000)"
        at = f"q[({y} * {columns[5]} + {x}) * {channels} + c]"
        lines = list(loops) + [f"{indent}for c in range({channels}):", f"{indent}    {at} = {low}",
                 f"{indent}    for ky in range({rows[0]}):", f"{indent}        for kx in range({columns[0]}):",
                 f"{indent}            if {row} >= 0 and {row} < {height} and {column} >= 0 and {column} < {width}:",
                 f"{indent}                {at} = T.max({at}, p0[({row}) * {width * channels} + ({column}) * {channels} + c])"]
        self.emit("max", [tensor], shape, lines)

    def add(self):
        a = self.pick()
        others = [t for t in self.tensors if t[1] == a[1]]
        b = self.random.choice(others)
        size = count(a[1])
        lines = [f"for i in range({size}):", "    q[i] = T.max(p0[i], p1[i])" if self.dtype == "int8"
                 else "    q[i] = p0[i] + p1[i]"]
        self.emit("add", [a, b], a[1], lines)

    def concat(self):
        a = self.pick()
        b = self.random.choice([t for t in self.tensors if t[1][:2] == a[1][:2]])
        height, width, ca = a[1]
        cb = b[1][2]
        lines = [f"for y, x, c in T.grid({height}, {width}, {ca + cb}):",
                 f"    q[(y * {width} + x) * {ca + cb} + c] = T.if_then_else(c < {ca}, "
                 f"p0[(y * {width} + x) * {ca} + c], p1[(y * {width} + x) * {cb} + c - {ca}])"]
        self.emit("concat", [a, b], (height, width, ca + cb), lines)

    def upsample(self):
        tensor = self.pick()
        height, width, channels = tensor[1]
        if height > 20:
            return
        lines = [f"for y, x, c in T.grid({height * 2}, {width}, {channels}):",
                 f"    q[(y * {width} + x) * {channels} + c] = p0[(y // 2 * {width} + x) * {channels} + c]"]
        self.emit("up", [tensor], (height * 2, width, channels), lines)

    def point(self):
        tensor = self.pick()
        size = count(tensor[1])
        value = "T.max(p0[i], T.int8(0))" if self.dtype == "int8" else "p0[i] * T.float32(0.75)"
        self.emit("point", [tensor], tensor[1], [f"for i in range({size}):", f"    q[i] = {value}"])

    def add_sum(self):
        tensor = self.tensors[-1]
        height, width, channels = tensor[1]
        total = "int32" if self.dtype == "int8" else "float32"
        result = 'T.Cast("int8", T.max(T.min(s_1[0], 127), -128))' if self.dtype == "int8" else "s_1[0]"
        lines = [f"for c in range({channels}):", f'    s = T.allocate([1], "{total}", "global")',
                 f'    s_1 = T.Buffer((1,), "{total}", data=s)', f"    s_1[0] = {self.zero(total)}",
                 f"    for y, x in T.grid({height}, {width}):",
                 f'        s_1[0] = s_1[0] + T.Cast("{total}", p0[(y * {width} + x) * {channels} + c])',
                 f"    q[c] = {result}"]
        self.emit("sum", [tensor], (1, 1, channels), lines)

    def finish(self):
        """The last tensor is the output. Tensors that nothing reads stay: they are dead code."""
        last, shape = self.tensors[-1]
        self.output = count(shape)
        self.calls[-1] = self.calls[-1][: self.calls[-1].rindex(",")] + ", y.data)"
        size = count(self.tensors[0][1])
        text = HEAD + "".join(self.functions)
        text += f'    @T.prim_func\n    def main(x: T.Buffer(({size},), "{self.dtype}"), y: T.Buffer(({self.output},), "{self.dtype}")):\n'
        text += '        T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})\n'
        for name, elements in self.allocates:
            if name != last:
                text += f'        {name} = T.allocate([{elements}], "{self.dtype}", "global")\n'
        self.text = text + "".join(f"        {call}\n" for call in self.calls)
        self.input_size = size


def count(shape):
    return shape[0] * shape[1] * shape[2]


def write_npy(path, dtype, seed, size):
    values = random.Random(seed)
    if dtype == "int8":
        data = bytes(values.randrange(256) for _ in range(size))
    else:
        import struct
        data = b"".join(struct.pack("<f", values.uniform(-2, 2)) for _ in range(size))
    head = f"{{'descr': '{'|i1' if dtype == 'int8' else '<f4'}', 'fortran_order': False, 'shape': ({size},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)


def split_npy(data):
    """The header and the elements of a .npy file of version 1."""
    begin = 10 + int.from_bytes(data[8:10], "little")
    return data[:begin], data[begin:]


class Tester:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.failures = 0
        self.groups = 0

    def run(self, *command):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return done

    def output(self, module, *flags):
        path = self.folder / "y.npy"
        path.unlink(missing_ok=True)
        inputs = [] if "--input" in flags else ["--input", self.folder / "x.npy"]
        self.run(self.options.tenon, "run", module, *inputs, "--output", path, "-q", *flags)
        return path.read_bytes()

    def workspace(self, module, flag):
        report = json.loads(self.run(self.options.tenon, "report", module, "--json", flag).stdout)
        return report["workspace_bytes"]

    def check(self, seed):
        network = Network(seed)
        module = self.folder / f"network{seed}.py"
        module.write_text(network.text)
        write_npy(self.folder / "x.npy", network.dtype, seed, network.input_size)
        expected = self.output(module)
        streamed = self.folder / f"streamed{seed}.py"
        done = self.run(self.options.tenon_opt, module, "--pipeline=stream-operators", "-o", streamed, "--timing")
        self.groups += "stream-operators.groups" in done.stderr
        if self.output(streamed) != expected:
            self.fail(seed, "stream-operators changes the output")
        for engine in self.options.engine:
            if self.output(module, f"--engine={engine}", "--planner=optimal", "--stream=max") != expected:
                self.fail(seed, f"--engine={engine} --stream=max changes the output")
        before, after = (self.workspace(module, f"--stream={s}") for s in ("off", "max"))
        if after > before:
            self.fail(seed, f"the workspace grows from {before} to {after} bytes")

    def check_fed(self, seed):
        """--feed-rows with a network, if it accepts that."""
        network = Network(seed)
        module = self.folder / f"network{seed}.py"
        module.write_text(network.text)
        write_npy(self.folder / "x.npy", network.dtype, seed, network.input_size)
        expected = self.output(module)
        command = [self.options.tenon, "compile", module, "--feed-rows", "-o", self.folder / "c"]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode == 1 and CANNOT_FEED in done.stderr:
            return
        self.groups += 1
        self.check_feeding(seed, module, expected, ["--input", self.folder / "x.npy"])

    def check_feeding(self, name, module, expected, inputs):
        for engine in self.options.engine:
            flags = [f"--engine={engine}", "--planner=optimal", "--feed-rows", *inputs]
            if self.output(module, *flags) != expected:
                self.fail(name, f"--engine={engine} --feed-rows changes the output")
        if "c" in self.options.engine and self.fed_output(module, inputs[1]) != expected:
            self.fail(name, "rows that are fed in parts change the output")

    def fed_output(self, module, given):
        """The output of feed.c, as a .npy file."""
        folder = self.folder / "fed"
        shutil.rmtree(folder, ignore_errors=True)
        self.run(self.options.tenon, "compile", module, "--feed-rows", "--module-name=m", "-o", folder)
        header = (folder / "tvmgen_m.h").read_text()
        rows = re.search(r"#define TVMGEN_M_(\w+)_ROWS (\d+)", header)
        row_size = re.search(rf"#define TVMGEN_M_{rows[1]}_ROW_SIZE (\d+)", header)
        output = re.search(r"Bytes of output.*\n#define \w+ (\d+)", header)
        macros = {"HEADER": '"tvmgen_m.h"', "FEED": "tvmgen_m_feed_rows", "BEGIN": "tvmgen_m_begin_rows",
                  "OUTPUTS": "tvmgen_m_outputs", "TOO_MANY": "TVMGEN_M_ERROR_TOO_MANY_ROWS",
                  "ROWS": rows[2], "ROW_SIZE": row_size[1], "OUTPUT_SIZE": output[1]}
        source = pathlib.Path(__file__).with_name("feed.c")
        self.run("cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=all", f"-I{folder}", *(f"-D{name}={value}" for name, value in macros.items()),
                 source, folder / "tvmgen_m.c", "-lm", "-o", folder / "feed")
        head, data = split_npy(given.read_bytes())
        (folder / "x.bin").write_bytes(data)
        self.run(folder / "feed", folder / "x.bin", folder / "y.bin")
        head, _ = split_npy((self.folder / "y.npy").read_bytes())
        return head + (folder / "y.bin").read_bytes()

    def check_fed_model(self, folder):
        inputs = [flag for path in sorted(folder.glob("input*.npy")) for flag in ("--input", path)]
        expected = self.output(folder / "module.py", *inputs)
        self.check_feeding(folder.name, folder / "module.py", expected, inputs)
        found = self.workspace(folder / "module.py", "--feed-rows")
        if found > FED_LIMITS[folder.name]:
            self.fail(folder.name, f"the workspace has {found} bytes, expected {FED_LIMITS[folder.name]}")

    def check_model(self, folder):
        inputs = [flag for path in sorted(folder.glob("input*.npy")) for flag in ("--input", path)]
        expected = self.output(folder / "module.py", *inputs)
        for engine in self.options.engine:
            flags = [f"--engine={engine}", "--planner=optimal", "--stream=max", *inputs]
            if self.output(folder / "module.py", *flags) != expected:
                self.fail(folder.name, f"--engine={engine} --stream=max changes the output")
        found = self.workspace(folder / "module.py", "--stream=max")
        if found > LIMITS[folder.name]:
            self.fail(folder.name, f"the workspace has {found} bytes, expected {LIMITS[folder.name]}")

    def fail(self, seed, text):
        self.failures += 1
        print(f"seed {seed}: {text}")


def check_corpus(tester, corpus, feeds):
    folders = [corpus / "models" / name for name in (FED_LIMITS if feeds else LIMITS)]
    if not all(folder.is_dir() for folder in folders):
        print("skipped: no corpus")
        return SKIPPED
    for folder in folders:
        (tester.check_fed_model if feeds else tester.check_model)(folder)
    print(f"{len(folders)} models, {tester.failures} failures")
    return 1 if tester.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--tenon-opt", required=True)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=int(os.environ.get("TENON_STREAMING_NETWORKS", "40")))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--feed-rows", action="store_true")
    options = parser.parse_args()
    if "c" in options.engine and not any(shutil.which(c) for c in ("cc", "gcc", "clang")):
        print("skipped: no C compiler")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        tester = Tester(options, folder)
        if options.corpus is not None:
            return check_corpus(tester, options.corpus, options.feed_rows)
        for seed in range(options.first, options.first + options.count):
            try:
                (tester.check_fed if options.feed_rows else tester.check)(seed)
            except RuntimeError as error:
                tester.fail(seed, str(error))
    print(f"{options.count} networks, {tester.groups} with a group, {tester.failures} failures")
    least = options.count / (4 if options.feed_rows else 3)
    return 1 if tester.failures or tester.groups < least else 0


if __name__ == "__main__":
    sys.exit(main())
