"""What the tests of the Python module share. They need no package but the module; NumPy if it is there."""

import array
import ast
import os
import pathlib
import struct
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIGITS = ROOT / "examples" / "digits"
CORPUS = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", ROOT.parent / "shared" / "corpus"))

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipUnless(numpy, "needs NumPy")

# A model with a state: an output that keeps its value.
COUNTER = '''# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((2,), "int32"), y: T.Buffer((2,), "int32"), s: T.Buffer((2,), "int32")):
        T.func_attr({"tenon.outputs": ["y", "s"], "tenon.states": ["s"]})
        for i in range(2):
            s[i] = s[i] + x[i]
            y[i] = s[i] * 10
'''

# A model with numbers as inputs.
SCALE = '''# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((2,), "float32"), n: T.int32, b: T.float32, y: T.Buffer((2,), "float32")):
        T.func_attr({"tenon.outputs": ["y"]})
        for i in range(2):
            y[i] = x[i] * T.Cast("float32", n) + b - T.Cast("float32", i) * T.float32(0.5)
'''

# A tensor without dimensions.
HALF = '''# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((), "float32"), y: T.Buffer((), "float32")):
        T.func_attr({"tenon.outputs": ["y"]})
        y[()] = x[()] * T.float32(0.5)
'''

ADD = '''# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer((2, 3), "float32"), b: T.Buffer((2, 3), "float32"), c: T.Buffer((2, 3), "float32"),
             d: T.Buffer((2, 3), "float32")):
        T.func_attr({"tenon.outputs": ["c", "d"]})
        for i, j in T.grid(2, 3):
            c[i, j] = a[i, j] + b[i, j]
            d[i, j] = a[i, j] - b[i, j]
'''


def view(values, code, shape):
    """A contiguous array without NumPy."""
    return memoryview(array.array(code, values)).cast("B").cast(code, shape)


def flat(result):
    """The elements of a result."""
    return list(struct.unpack(f"={memoryview(result).nbytes // memoryview(result).itemsize}{memoryview(result).format}",
                              memoryview(result).tobytes()))


def npy_rows(path):
    """The bytes of each row of a .npy file of version 1."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    count = ast.literal_eval(data[10:10 + length].decode().strip())["shape"][0]
    rows = data[10 + length:]
    return [rows[i * len(rows) // count:(i + 1) * len(rows) // count] for i in range(count)]
