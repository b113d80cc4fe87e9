# Scratch of 1,024 bytes and more goes to the workspace, whatever its scope, and wherever it stands.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %s --input 3 --output y=%t/y.npy --output z=%t/z.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/z.npy | FileCheck %s --check-prefix=SUMS
# RUN: tenon run %s --engine=c --cc=%cc --input 3 --expect y=%t/y.npy --expect z=%t/z.npy
# RUN: tenon run %s --engine=c --cc=%cc --optimize=on --input 3 --expect y=%t/y.npy --expect z=%t/z.npy
# RUN: tenon run %s --engine=c --cc=%cc --threads=2 --input 3 --expect y=%t/y.npy --expect z=%t/z.npy
# RUN: %if llvm %{ tenon run %s --engine=jit --input 3 --expect y=%t/y.npy --expect z=%t/z.npy %}
# RUN: %if llvm %{ tenon run %s --engine=jit -O0 --threads=2 --input 3 --expect y=%t/y.npy --expect z=%t/z.npy %}
# RUN: tenon compile %plain %s --emit=c -o %t/c && FileCheck %s --input-file=%t/c/tvmgen_default.c
# SUMS: <i4 (4,) 1197 1194 1191 1188
# CHECK: tenon_int32 small[255] TENON_ALIGNED(16);
# CHECK-NOT: TENON_ALIGNED(16);
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(n: T.int32, y: T.Buffer((1600,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True), "tir.is_entry_func": T.bool(True)})
        small = T.allocate([255], "int32", "local")
        small_1 = T.Buffer((255,), "int32", data=small, scope="local")
        for j in range(255):
            small_1[j] = j
        a = T.allocate([1600], "int32", "local")
        a_1 = T.Buffer((1600,), "int32", data=a, scope="local")
        for j in range(1600):
            a_1[j] = j * n + small_1[j % 255]
        for b in T.thread_binding(4, thread="blockIdx.x"):
            s = T.allocate([400], "int32", "shared")
            s_1 = T.Buffer((400,), "int32", data=s, scope="shared")
            for j in range(400):
                s_1[j] = a_1[b * 400 + 399 - j]
            for j in range(400):
                y[b * 400 + j] = s_1[j]
        with T.launch_thread("blockIdx.x", 4) as b2:
            w = T.allocate([400], "int32", "warp")
            w_1 = T.Buffer((400,), "int32", data=w, scope="warp")
            for j in range(400):
                w_1[j] = y[b2 * 400 + j] + j
            for j in range(400):
                y[b2 * 400 + j] = w_1[399 - j]
        for v in T.vectorized(4):
            Module.last(z.data, n, v)

    @T.prim_func(private=True)
    def last(z: T.handle("int32"), n: T.int32, i: T.int32):
        Z = T.Buffer((4,), "int32", data=z)
        t = T.allocate([400], "int32", "local.x")
        t_1 = T.Buffer((400,), "int32", data=t, scope="local.x")
        for j in range(400):
            t_1[j] = j * n
        Z[i] = t_1[399 - i]
