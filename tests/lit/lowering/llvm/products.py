# Two products of 16-bit integers are one instruction of x86, of the width that the processor has.
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s --check-prefixes=ALL,WIDE
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu --cpu=x86-64-v3 -o - | FileCheck %s --check-prefixes=ALL,AVX2
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu --cpu=x86-64 -o - | FileCheck %s --check-prefixes=ALL,SSE2
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=aarch64-linux-gnu -o - | FileCheck %s --check-prefix=OTHER
# The results are those of the interpreter, also for the least numbers, whose products wrap.
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --output y=%t.npy -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=jit -O0 -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=jit -O3 -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=jit -O3 --cpu=x86-64 -q
# from tvm.script import tir as T

# The second number of a pair may be named first. Bytes are extended.
# OTHER-NOT: llvm.x86
@T.prim_func
def main(x: T.Buffer((64,), "int16"), y: T.Buffer((96,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([-128, 127, 0, -1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 127, -128, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "int8", [32])
    w_1 = T.Buffer((32,), "int8", data=w)
    # WIDE: call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(
    # AVX2-COUNT-5: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
    # SSE2-COUNT-11: call <4 x i32> @llvm.x86.sse2.pmadd.wd(
    y[0:16] = T.Cast("int32x16", x[0:16]) * T.Broadcast(T.Cast("int32", x[33]), 16) + T.Cast("int32x16", x[16:32]) * T.Broadcast(T.Cast("int32", x[32]), 16)
    # Two factors with lanes each, and a third product.
    # WIDE: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
    y[16:24] = T.Broadcast(5, 8) + T.Cast("int32x8", x[0:8]) * T.Cast("int32x8", w_1[0:8]) + T.Cast("int32x8", x[8:16]) * T.Cast("int32x8", w_1[16:24]) + T.Cast("int32x8", x[16:24]) * T.Cast("int32x8", x[0:8])
    # Bytes without a sign.
    # WIDE: call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(
    y[24:40] = T.Cast("int32x16", T.Cast("uint8x16", x[0:16])) * T.Broadcast(T.Cast("int32", T.Cast("uint8", x[40])), 16) + T.Cast("int32x16", w_1[0:16]) * T.Broadcast(T.Cast("int32", x[41]), 16)
    # The least numbers.
    # WIDE: call <4 x i32> @llvm.x86.sse2.pmadd.wd(
    # AVX2: call <4 x i32> @llvm.x86.sse2.pmadd.wd(
    y[40:44] = T.Cast("int32x4", x[60:64]) * T.Cast("int32x4", x[56:60]) + T.Cast("int32x4", x[60:64]) * T.Cast("int32x4", x[52:56])
    # One product alone, and numbers of 32 bits.
    # ALL-NOT: call {{.*}}pmadd
    # ALL: ret i32
    y[44:60] = T.Cast("int32x16", x[0:16]) * T.Broadcast(T.Cast("int32", x[32]), 16) + y[0:16]
    y[60:76] = y[0:16] * T.Broadcast(y[44], 16) + y[16:32] * T.Broadcast(y[45], 16)
    y[76:96] = T.Broadcast(0, 20)
