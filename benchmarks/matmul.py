#!/usr/bin/env python3
"""Parsing, verifying and printing many three-loop matmul functions: tenon-opt next to mlir-opt.

Use: benchmarks/matmul.py BIN_DIR [FUNCTIONS] [RUNS]
"""

import os
import shutil
import statistics
import sys
import tempfile
import time

TENON = """    @T.prim_func
    def f{0}(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), \
C: T.Buffer((64, 64), "float32")):
        for i, j, k in T.grid(64, 64, 64):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]

"""
MLIR = """func.func @f{0}(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {{
  affine.for %i = 0 to 64 {{ affine.for %j = 0 to 64 {{ affine.for %k = 0 to 64 {{
    %a = affine.load %A[%i, %k] : memref<64x64xf32>
    %b = affine.load %B[%k, %j] : memref<64x64xf32>
    %c = affine.load %C[%i, %j] : memref<64x64xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[%i, %j] : memref<64x64xf32>
  }} }} }}
  return
}}
"""


def run(command):
    """Seconds and peak MB of one run."""
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    peer = shutil.which("mlir-opt-19") or shutil.which("mlir-opt")
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/m.py", f"{folder}/m.mlir"
        with open(ours, "w", encoding="utf-8") as out:
            out.write("# from tvm.script import tir as T\n@I.ir_module\nclass Module:\n")
            out.writelines(TENON.format(i) for i in range(count))
        with open(theirs, "w", encoding="utf-8") as out:
            out.writelines(MLIR.format(i) for i in range(count))
        commands = {"tenon-opt": [f"{sys.argv[1]}/tenon-opt", ours, "-o", "/dev/null"]}
        if peer:
            commands["mlir-opt"] = [peer, theirs, "-o", "/dev/null"]
        else:
            print("mlir-opt is not here: no peer")
        seconds, peaks = [], []
        for name, command in commands.items():
            results = [run(command) for _ in range(runs)]
            seconds.append(statistics.median(r[0] for r in results))
            peaks.append(max(r[1] for r in results))
            print(f"{name}: {count} matmuls, {seconds[-1]:.3f} s, {peaks[-1]:.0f} MB")
        if peer:
            print(f"tenon-opt is {seconds[1] / seconds[0]:.1f} times as fast, "
                  f"in {peaks[0] / peaks[1]:.2f} times the memory")


if __name__ == "__main__":
    main()
