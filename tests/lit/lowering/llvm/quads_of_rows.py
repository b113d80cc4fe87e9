# Sums of products of unsigned and signed 8-bit integers, both of which lie side by side in memory.
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=icelake-server -o - | FileCheck %s --check-prefix=QUAD
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=alderlake -o - | FileCheck %s --check-prefix=QUAD
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm -O2 --target=aarch64-linux-gnu --cpu=neoverse-n2 -o - | FileCheck %s --check-prefix=MIXED
# RUN: tenon compile %s --emit=asm -O2 --target=aarch64-linux-gnu --cpu=cortex-a76 -o - | FileCheck %s --check-prefix=SIGNED
# MIXED: usdot
# SIGNED: sdot
# QUAD: vpdpbusd
# NONE-NOT: vpdpbusd
# NONE: vpmaddwd
# All products of two bytes, in each of the four places. The results are those of the interpreter.
# RUN: %python %S/Inputs/byte_products.py %t.py %t.x.npy %t.w.npy
# RUN: tenon run %t.py --input x=%t.x.npy --input w_1=%t.w.npy --output y=%t.npy -q
# RUN: tenon run %t.py --input x=%t.x.npy --input w_1=%t.w.npy --expect y=%t.npy --engine=jit -O0 -q
# RUN: tenon run %t.py --input x=%t.x.npy --input w_1=%t.w.npy --expect y=%t.npy --engine=jit -O3 -q
# RUN: tenon run %t.py --input x=%t.x.npy --input w_1=%t.w.npy --expect y=%t.npy --engine=jit -O3 --cpu=native -q
# RUN: tenon run %t.py --input x=%t.x.npy --input w_1=%t.w.npy --expect y=%t.npy --engine=jit -O2 --cpu=x86-64 -q
# RUN: tenon run %t.py --input x=%t.x.npy --input w_1=%t.w.npy --expect y=%t.npy --engine=c -q
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "uint8"), w: T.Buffer((64,), "int8"), y: T.Buffer((1,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    y[0] = 0
    for k in range(64):
        y[0] = y[0] + T.Cast("int32", w[k]) * T.Cast("int32", x[k])
