#!/usr/bin/env python3
"""Asks whether builtins of `tirx` have TVM's values at special arguments: NaN, infinities, zeros of
both signs, halves, extremes, shifts, and all signs of divisions.

Use: tvm_builtins.py --tenon BIN [--record FILE] [--engines interp,c]
     tvm_builtins.py --tenon BIN --recorded FILE [--engines interp,c]

Without --recorded, TVM compiles the modules for LLVM (`make judges` does this with each release).
--record keeps its answers in FILE, which `make test` compares with --recorded, without TVM. TVM's
code is undefined where an integer overflows, a shift is as long as its operand, and where a float
does not fit an integer: these arguments are left out. The exit code is 1 if a value differs.
"""

import argparse
import ast
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

# NumPy's descriptor and Python's code for struct.
DTYPES = {"int8": ("|i1", "b"), "uint8": ("|u1", "B"), "int16": ("<i2", "h"), "int32": ("<i4", "i"),
          "uint32": ("<u4", "I"), "int64": ("<i8", "q"), "float32": ("<f4", "f"), "float64": ("<f8", "d")}
INF, NAN = float("inf"), float("nan")
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, -0.49999997, 3.0, -3.0, 0.3, 100.25,
          8388609.0, 1e10, -1e10, 3.4e38, 1e-40, INF, -INF, NAN]
INTS = [0, 1, -1, 2, -2, 3, -3, 7, -7, 8, -8, 100, -100, 2**31 - 1, -2**31 + 1]
# Their results are exact: also the sign of a zero counts.
EXACT = "floor ceil trunc round nearbyint abs sqrt copysign max min".split()
UNARY = ("floor ceil trunc round nearbyint abs sqrt rsqrt exp exp2 exp10 log log2 log10 log1p sin cos "
         "tan sinh cosh tanh asin acos atan asinh acosh atanh erf sigmoid").split()
# TVM has no code for `T.fmod`.
BINARY = "pow atan2 copysign hypot nextafter".split()


class Group:
    """A module: one function with some inputs of one dtype, and an output for each builtin."""

    def __init__(self, name, dtype, inputs, outputs):
        self.name, self.dtype, self.inputs, self.outputs = name, dtype, inputs, outputs
        self.size = len(next(iter(inputs.values())))

    def text(self):
        """The module in `tirx`."""
        def params():
            for name in self.inputs:
                yield f'{name}: T.Buffer(({self.size},), "{self.dtype}")'
            for name, (dtype, _) in self.outputs.items():
                yield f'o_{name}: T.Buffer(({self.size},), "{dtype}")'

        lines = ["# from tvm.script import tirx as T", "", "@T.prim_func(s_tir=True)",
                 f"def main({', '.join(params())}):", f"    for i in range({self.size}):"]
        lines += [f"        o_{name}[i] = {value}" for name, (_, value) in self.outputs.items()]
        return "\n".join(lines) + "\n"


def pairs(values, keep=lambda a, b: True):
    """All pairs of values that `keep` takes, as two inputs."""
    both = [(a, b) for a in values for b in values if keep(a, b)]
    return {"x": [a for a, _ in both], "y": [b for _, b in both]}


def bounds(dtype):
    """The least and the largest value, and the number of bits."""
    bits = int(dtype.lstrip("uint"))
    return (0, 2**bits - 1, bits) if dtype[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1, bits)


def is_number(a, b):
    """Whether neither is NaN."""
    return a == a and b == b


def groups_of_floats():
    """Modules with float32 arguments."""
    floats = {"x": FLOATS}
    yield Group("floats", "float32", floats, {name: ("float32", f"T.{name}(x[i])") for name in UNARY})
    tests = {name: ("int32", f"T.Select(T.{name}(x[i]), 1, 0)") for name in ("isnan", "isinf", "isfinite")}
    tests["to_bool"] = ("int32", 'T.Select(T.Cast("bool", x[i]), 1, 0)')
    yield Group("tests", "float32", floats, tests)
    outputs = {name: ("float32", f"T.{name}(x[i], y[i])") for name in BINARY + ["max", "min"]}
    for name, sign in {"lt": "<", "le": "<=", "eq": "==", "gt": ">"}.items():
        outputs[name] = ("int32", f"T.Select(x[i] {sign} y[i], 1, 0)")
    outputs["quotient"] = ("float32", "x[i] / y[i]")
    yield Group("float_pairs", "float32", pairs(FLOATS), outputs)
    # With NaN, `!=` is false in TVM's code for LLVM, and true in its C code and in Tenon.
    yield Group("unequal", "float32", pairs(FLOATS, is_number),
                {"ne": ("int32", "T.Select(x[i] != y[i], 1, 0)")})
    small = [0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.5, -1.5, 100.75, -100.75]
    yield Group("from_float", "float32", {"x": small},
                {dtype: (dtype, f'T.Cast("{dtype}", x[i])') for dtype in ("int8", "int32", "int64")})


def groups_of_ints():
    """Modules with arguments of an integer dtype."""
    for dtype in ("int32", "int64", "int8"):
        least, largest, _ = bounds(dtype)
        few = [value for value in INTS if least <= value <= largest]
        parts = {"floordiv": "x[i] // y[i]", "floormod": "x[i] % y[i]", "div": "T.Div(x[i], y[i])",
                 "mod": "T.truncmod(x[i], y[i])"}
        yield Group(f"divisions_{dtype}", dtype, pairs(few, lambda a, b: b != 0),
                    {name: (dtype, value) for name, value in parts.items()})
        bits = {"band": "T.bitwise_and(x[i], y[i])", "bor": "T.bitwise_or(x[i], y[i])",
                "bxor": "T.bitwise_xor(x[i], y[i])", "bnot": "T.bitwise_not(x[i])",
                "max": "T.max(x[i], y[i])", "min": "T.min(x[i], y[i])"}
        yield Group(f"bits_{dtype}", dtype, pairs(few), {name: (dtype, value) for name, value in bits.items()})
    for dtype in ("int32", "uint32", "int64", "uint8"):
        least, largest, bits = bounds(dtype)
        values = [least, largest, 1, 5] + ([-1, -5] if least < 0 else [])
        both = [(value, count) for value in values for count in (0, 1, bits // 2, bits - 1)]
        inputs = {"x": [a for a, _ in both], "y": [b for _, b in both]}
        yield Group(f"shifts_{dtype}", dtype, inputs, {"right": (dtype, "T.shift_right(x[i], y[i])"),
                                                       "left": (dtype, "T.shift_left(x[i], y[i])")})
    wide = [0, 1, -1, 127, 128, -128, 255, 256, 2**31 - 1, -2**31]
    yield Group("from_int", "int32", {"x": wide}, {dtype: (dtype, f'T.Cast("{dtype}", x[i])') for dtype in (
        "int8", "uint8", "int16", "int64", "uint32", "float32", "float64")})
    yield Group("counts", "uint32", {"x": [value % 2**32 for value in wide]},
                {"popcount": ("uint32", "T.popcount(x[i])")})


def groups():
    """All modules."""
    yield from groups_of_floats()
    yield from groups_of_ints()


def by_tvm(group):
    """The outputs of TVM's code for LLVM."""
    import numpy
    import tvm
    from tvm.script import from_source

    function = from_source(group.text().split("\n", 1)[1])
    code = tvm.compile(tvm.IRModule({"main": function}), target="llvm")
    inputs = [tvm.runtime.tensor(numpy.array(values, group.dtype)) for values in group.inputs.values()]
    outputs = [tvm.runtime.tensor(numpy.zeros(group.size, dtype)) for dtype, _ in group.outputs.values()]
    code["main"](*inputs, *outputs)
    return [array.numpy().tolist() for array in outputs]


def write_npy(path, dtype, values):
    """Writes an array of one dimension."""
    descr, code = DTYPES[dtype]
    header = str({"descr": descr, "fortran_order": False, "shape": (len(values),)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = struct.pack(f"<{len(values)}{code}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def read_npy(path):
    """Reads an array of one dimension."""
    raw = path.read_bytes()
    end = 10 + struct.unpack("<H", raw[8:10])[0]
    descr = ast.literal_eval(raw[10:end].decode())["descr"]
    code = {known: code for known, code in DTYPES.values()}[descr]
    return [value for value, in struct.iter_unpack(f"<{code}", raw[end:])]


def by_tenon(program, engine, group, folder):
    """The outputs of `tenon run`."""
    text = folder / f"{group.name}.py"
    text.write_text(group.text(), encoding="utf-8")
    files = []
    for name, values in group.inputs.items():
        write_npy(folder / f"{name}.npy", group.dtype, values)
        files += ["--input", folder / f"{name}.npy"]
    outputs = [folder / f"o_{name}.npy" for name in group.outputs]
    for path in outputs:
        files += ["--output", path]
    done = subprocess.run([program, "run", text, f"--engine={engine}", *files], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        print(f"{group.name}, {engine}: {done.stderr}")
        return None
    return list(map(read_npy, outputs))


def is_same(name, dtype, one, two):
    """Whether a value is the expected one: integers and exact functions in each bit."""
    if one != one or two != two:
        return one != one and two != two
    if not dtype.startswith("float"):
        return one == two
    if name in EXACT:
        return one == two and math.copysign(1, one) == math.copysign(1, two)
    return one == two or abs(one - two) <= 1e-5 + 1e-4 * abs(two)


def differences(group, found, expected):
    """Lines about the values that differ."""
    for (name, (dtype, _)), ones, twos in zip(group.outputs.items(), found, expected):
        for i, (one, two) in enumerate(zip(ones, twos)):
            if not is_same(name, dtype, one, two):
                args = ", ".join(str(values[i]) for values in group.inputs.values())
                yield f"{group.name}: {name}({args}) is {one}, expected {two}"


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tenon", required=True, type=pathlib.Path)
    parser.add_argument("--engines", default="interp,c")
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--recorded", type=pathlib.Path)
    args = parser.parse_args()
    answers = json.loads(args.recorded.read_text(encoding="utf-8")) if args.recorded else {}
    values = wrong = 0
    record = {}
    with tempfile.TemporaryDirectory() as name:
        for group in groups():
            if args.recorded:
                expected = [answers[group.name][output] for output in group.outputs]
            else:
                expected = by_tvm(group)
            record[group.name] = dict(zip(group.outputs, expected))
            for engine in args.engines.split(","):
                found = by_tenon(args.tenon, engine, group, pathlib.Path(name))
                lines = ["no outputs"] if found is None else list(differences(group, found, expected))
                print("\n".join(f"{engine}: {line}" for line in lines), end="\n" if lines else "")
                wrong += len(lines)
                values += group.size * len(group.outputs)
    if args.record:
        lines = [f" {json.dumps(name)}: {json.dumps(outputs)}" for name, outputs in record.items()]
        args.record.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"builtins: {values - wrong} of {values} values are TVM's")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
