#!/usr/bin/env python3
"""How fast a package of 50 MB of constants runs, next to compiling and running its module.

Use: benchmarks/package_load.py BIN_DIR [--rows 3500] [--runs 7]
Makes a product of a vector and a float32 matrix of ROWS x ROWS, runs it in each way by turns, and
prints the median time of the whole process, and its peak resident memory.
"""

import argparse
import array
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

MODULE = """from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({{"tenon.constants": [I.constant("w", I.file("w.safetensors", "w"), "float32", [{n}, {n}])]}})
    @T.prim_func
    def main(x: T.Buffer(({n},), "float32"), y: T.Buffer(({n},), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        w = T.allocate_const(I.constant("w"), "float32", [{n}, {n}])
        w_1 = T.Buffer(({n}, {n}), "float32", data=w)
        for i in range({n}):
            y[i] = T.float32(0)
            for k in range({n}):
                y[i] = y[i] + x[k] * w_1[i, k]
"""


def write_model(folder, n):
    """The module, its weights and an input."""
    draw = random.Random(1)
    row = array.array("f", [draw.uniform(-1, 1) for _ in range(n)])
    header = json.dumps({"w": {"dtype": "F32", "shape": [n, n], "data_offsets": [0, 4 * n * n]}})
    header += " " * (-(len(header) + 8) % 4096)
    with open(folder / "w.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header.encode())
        for i in range(n):
            file.write((row[i:] + row[:i]).tobytes())
    (folder / "model.py").write_text(MODULE.format(n=n), encoding="utf-8")
    shape = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({n},), }}".ljust(117) + "\n"
    (folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(shape)) +
                                   shape.encode() + row.tobytes())


def run(command, folder):
    """Seconds and peak resident MB of one process."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
        sys.exit(f"package_load: failed: {' '.join(map(str, command))}")
    return time.monotonic() - start, usage.ru_maxrss * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=3500)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    tenon = arguments.bin.resolve() / "tenon"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder, arguments.rows)
        tensors = ["--input", "x.npy", "-q"]
        ways = {
            "compile --emit=package": [tenon, "compile", "model.py", "--emit=package", "-o",
                                       "model.tenon", "-q"],
            "run model.tenon": [tenon, "run", "model.tenon", *tensors],
            "package verify model.tenon": [tenon, "package", "verify", "model.tenon", "-q"],
            "run model.py --engine=c": [tenon, "run", "model.py", "--engine=c", *tensors],
            "run model.py --engine=c --constant-storage=file":
                [tenon, "run", "model.py", "--engine=c", "--constant-storage=file", *tensors],
        }
        figures = {way: [] for way in ways}
        for _ in range(arguments.runs):
            for way, command in ways.items():
                figures[way].append(run(command, folder))
        for way, runs in figures.items():
            seconds, memory = (statistics.median(values) for values in zip(*runs))
            print(f"{way:50} {seconds:6.3f} s {memory:6.0f} MB")


if __name__ == "__main__":
    main()
