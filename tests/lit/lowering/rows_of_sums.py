# A row of accumulators, which vectors would widen to 1,024 bytes. The stack takes less, so the loop is narrower.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %s --input 3 --output y=%t/y.npy --output z=%t/z.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/z.npy | FileCheck %s --check-prefix=SUMS
# RUN: tenon run %s --engine=c --cc=%cc --optimize=on --input 3 --expect y=%t/y.npy --expect z=%t/z.npy
# RUN: %if llvm %{ tenon run %s --engine=jit --input 3 --expect y=%t/y.npy --expect z=%t/z.npy %}
# RUN: %if llvm %{ tenon compile %s --emit=obj --target=x86_64-linux-gnu --cpu=x86-64-v3 -o %t/v3.o %}
# RUN: %if llvm %{ tenon compile %s --emit=obj --target=x86_64-linux-gnu --cpu=x86-64-v4 -o %t/v4.o %}
# RUN: tenon-opt %s --pipeline='localize-buffers{max-bytes=64},vectorize-loops,simplify' | FileCheck %s
# SUMS: <i4 (4,) 1440 1488 1536 1584
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, y: T.Buffer((256,), "int32"), z: T.Buffer((4,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    x = T.allocate([256], "int32", "global")
    x_1 = T.Buffer((256,), "int32", data=x)
    for i in range(256):
        x_1[i] = i * n
    for i in range(16):
        for j in range(16):
            # CHECK: T.allocate([16], "int32x8", "global", annotations={"candidate_memory_pools": []})
            a = T.allocate([16], "int32", "global")
            a_1 = T.Buffer((16,), "int32", data=a)
            a_1[i] = 0
            for k in range(16):
                a_1[i] = a_1[i] + x_1[k * 16 + j]
            y[i * 16 + j] = a_1[i]
    for i in range(4):
        # The text itself keeps this array out of pools, and no vector is short enough.
        # CHECK: T.allocate([64], "int32", "local")
        b = T.allocate([64], "int32", "local")
        b_1 = T.Buffer((64,), "int32", data=b, scope="local")
        b_1[63] = 0
        for k in range(16):
            b_1[63] = b_1[63] + x_1[k * 4 + i]
        z[i] = b_1[63]
