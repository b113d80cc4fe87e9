# Words of fixed-point products: x86 multiplies even and odd lanes, without shuffles of 64-bit lanes. AVX-512 shortens
# the products of one register in one instruction.
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=x86-64-v3 -o - | grep -E "vpmul|vpblend|vperm" | FileCheck %s --check-prefix=V3
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s --check-prefix=V4
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=x86-64 -o - | FileCheck %s --check-prefix=V1
# Signed and unsigned words, and a constant. Words of two kinds are extended.
# V3: vpmuldq
# V3: vpblendd
# V3: vpmuludq
# V3: vpblendd
# V4: vpmovqd
# PMULDQ came with SSE4.1.
# V1-NOT: pmuldq
# V1: pmuludq
# Each word times each word. The results are those of the interpreter.
# RUN: %python %S/Inputs/wide_words.py %t.x.npy %t.m.npy
# RUN: tenon run %s --input x=%t.x.npy --input m=%t.m.npy --output y=%t.y.npy -q
# RUN: tenon run %s --input x=%t.x.npy --input m=%t.m.npy --expect y=%t.y.npy --engine=jit -O0 -q
# RUN: tenon run %s --input x=%t.x.npy --input m=%t.m.npy --expect y=%t.y.npy --engine=jit -O3 -q
# RUN: tenon run %s --input x=%t.x.npy --input m=%t.m.npy --expect y=%t.y.npy --engine=jit -O3 --cpu=x86-64-v3 -q
# RUN: tenon run %s --input x=%t.x.npy --input m=%t.m.npy --expect y=%t.y.npy --engine=jit -O3 --cpu=x86-64 -q
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((3072,), "int32"), m: T.Buffer((3072,), "uint32"), y: T.Buffer((12288,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i in range(384):
        y[i * 8:i * 8 + 8] = T.Cast("int32x8", T.shift_right(T.Cast("int64x8", x[i * 8:i * 8 + 8]) * T.Cast("int64x8", T.Cast("int32x8", m[i * 8:i * 8 + 8])) + T.Broadcast(T.int64(1073741824), 8), T.Broadcast(T.int64(31), 8)))
    for i in range(384):
        y[i * 8 + 3072:i * 8 + 3080] = T.Cast("int32x8", T.shift_right(T.Cast("uint64x8", m[i * 8:i * 8 + 8]) * T.Cast("uint64x8", T.max(x[i * 8:i * 8 + 8], T.Broadcast(0, 8))) + T.Broadcast(T.uint64(1073741824), 8), T.Broadcast(T.uint64(31), 8)))
    for i in range(384):
        y[i * 8 + 6144:i * 8 + 6152] = T.Cast("int32x8", T.shift_right(T.Cast("int64x8", x[i * 8:i * 8 + 8]) * T.Broadcast(T.int64(-1518500250), 8), T.Broadcast(T.int64(32), 8)))
    for i in range(192):
        y[i * 16 + 9216:i * 16 + 9232] = T.Cast("int32x16", T.shift_right(T.Cast("int64x16", x[i * 16:i * 16 + 16]) * T.Cast("int64x16", m[i * 16:i * 16 + 16]) + T.Broadcast(T.int64(1), 16), T.Broadcast(T.int64(1), 16)))
