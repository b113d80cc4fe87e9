# Scratch of 1,024 bytes and more in a callee, or in a loop inside of a parallel loop: a serial loop, or copies.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %s --input 3 --output %t/y.npy
# RUN: tenon run %s --engine=c --cc=%cc --threads=2 --input 3 --expect %t/y.npy
# RUN: tenon run %s --engine=c --cc=%cc --threads=2 --optimize=on --input 3 --expect %t/y.npy
# RUN: tenon run %s --engine=c --cc=%cc --threads=2 --optimize=on --planner=greedy_by_size --input 3 --expect %t/y.npy
# RUN: %if llvm %{ tenon run %s --engine=jit --threads=2 --input 3 --expect %t/y.npy %}
# RUN: %if llvm %{ tenon run %s --engine=jit -O0 --threads=2 --input 3 --expect %t/y.npy %}
# RUN: tenon compile %s --emit=c --parallel=hook -o %t/hook
# RUN: tenon compile %s --emit=c --parallel=threads -o %t/c && FileCheck %s --input-file=%t/c/tvmgen_default.c
# CHECK-COUNT-1: TENON_PARALLEL_FOR(
# CHECK-NOT: TENON_PARALLEL_FOR(
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(n: T.int32, y: T.Buffer((3200,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True), "tir.is_entry_func": T.bool(True)})
        t = T.allocate([3200], "int32", "global.workspace")
        t_1 = T.Buffer((3200,), "int32", data=t)
        for i in T.parallel(4):
            for k in T.parallel(2):
                s = T.allocate([400], "int32", "global.workspace")
                s_1 = T.Buffer((400,), "int32", data=s)
                for j in range(400):
                    s_1[j] = j * n + i + k
                for j in range(400):
                    t_1[i * 800 + k * 400 + j] = s_1[399 - j]
        for i in T.parallel(8):
            Module.row(t, y.data, i)

    @T.prim_func(private=True)
    def row(x: T.handle("int32"), y: T.handle("int32"), i: T.int32):
        X = T.Buffer((3200,), "int32", data=x)
        Y = T.Buffer((3200,), "int32", data=y)
        q = T.allocate([400], "int32", "global.workspace")
        q_1 = T.Buffer((400,), "int32", data=q)
        for j in range(400):
            q_1[j] = X[i * 400 + j]
        for j in range(400):
            Y[i * 400 + j] = q_1[399 - j] - j
