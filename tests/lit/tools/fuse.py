# --fuse and --narrow: fewer and smaller buffers, the same output. Both are on by default, except with TVM's planners or layout.
# RUN: tenon report %plain %s --json | FileCheck --check-prefix=PLAIN %s
# RUN: tenon report --overlap=off %s --json | FileCheck --check-prefix=SMALL %s
# RUN: tenon report %s --json | FileCheck --check-prefix=OVER %s
# RUN: tenon report --planner=first_fit %s --json | FileCheck --check-prefix=OVER %s
# RUN: tenon report --planner=greedy_by_size %s --json | FileCheck --check-prefix=PLAIN %s
# RUN: tenon report --layout=tvm %s --json | FileCheck --check-prefix=PLAIN %s
# RUN: tenon report --fuse=on --narrow=on --overlap=off %s --json | FileCheck --check-prefix=SMALL %s
# RUN: tenon report --fuse=on --narrow=on --overlap=on %s --json | FileCheck --check-prefix=OVER %s
# RUN: tenon report --fuse=on --narrow=on --planner=greedy_by_size %s --json | FileCheck --check-prefix=SMALL %s
# RUN: rm -rf %t && mkdir %t && %python -c "print(*[i % 7 * 9 - 27 for i in range(256)])" > %t/x.txt
# RUN: cat %t/x.txt | xargs %python %S/Inputs/npy.py %t/x.npy i1 256
# RUN: tenon run %s --input x=%t/x.npy --output y=%t/plain.npy
# RUN: tenon run %s --input x=%t/x.npy --expect y=%t/plain.npy --fuse=on --narrow=on
# RUN: tenon run %s --input x=%t/x.npy --expect y=%t/plain.npy --overlap=on
# RUN: tenon run %s --input x=%t/x.npy --expect y=%t/plain.npy --fuse=on --narrow=on --overlap=on --engine=c --cc=%cc
# RUN: tenon run %s --input x=%t/x.npy --expect y=%t/plain.npy --planner=optimal
# RUN: tenon run %s --input x=%t/x.npy --expect y=%t/plain.npy --engine=c --cc=%cc
# RUN: %if llvm %{ tenon run %s --input x=%t/x.npy --expect y=%t/plain.npy --engine=jit %}
# RUN: rm -rf %t/c && tenon compile %s --emit=c --fuse=on -o %t/c && FileCheck --check-prefix=NAMES %s < %t/c/tvmgen_default.c
# RUN: not tenon compile %s --emit=c --fuse=maybe -o %t/c 2>&1 | FileCheck --check-prefix=MAYBE %s

# The values of `shift` take two bytes, values of `sums` four, and a sum is in the pool.
# PLAIN: "size_bytes": 1540,
# `sums` reads the input itself. Its stored values fit in one byte, and a sum is a local variable.
# SMALL: "size_bytes": 256,
# OVER: "size_bytes": 256,

# NAMES: tvmgen_default_sums
# MAYBE: error: --fuse: expected one of auto, on, off; found `maybe`

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((256,), "int8"), y: T.Buffer((256,), "int8")):
        a = T.allocate([512], "int8", "global")
        b = T.allocate([1024], "int8", "global")
        T.call_extern("int32", "shift", x.data, a)
        T.call_extern("int32", "sums", a, b)
        T.call_extern("int32", "reverse", b, y.data)

    @T.prim_func
    def shift(x: T.Buffer((256,), "int8"), y: T.Buffer((256,), "int16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(256):
            y[i] = T.Cast("int16", x[i]) - T.int16(83)

    @T.prim_func
    def sums(x: T.Buffer((256,), "int16"), y: T.Buffer((256,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(256):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(256):
                s_1[0] = s_1[0] + T.Cast("int32", x[k]) * (i - k)
            y[i] = T.max(T.min(s_1[0], 127), -128)

    @T.prim_func
    def reverse(x: T.Buffer((256,), "int32"), y: T.Buffer((256,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(128):
            y[i] = T.Cast("int8", x[255 - i] // 2)
        for i in range(128):
            y[i + 128] = T.Cast("int8", (x[i] + x[127 - i]) // 2)
