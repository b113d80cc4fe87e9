# Pairs that lie side by side in memory are loaded at once, for both factors, and also with a number added.
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s
# The results are those of the interpreter.
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --output y=%t.npy -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=jit -O0 -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=jit -O3 -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=jit -O3 --cpu=x86-64 -q
# RUN: tenon run %s --input x=%S/Inputs/products_x.npy --expect y=%t.npy --engine=c -q
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "int16"), y: T.Buffer((32,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([-128, 127, 0, -1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 127, -128, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "int8", [32])
    w_1 = T.Buffer((32,), "int8", data=w)
    u = T.allocate_const([255, 127, 0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 127, 128, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "uint8", [32])
    u_1 = T.Buffer((32,), "uint8", data=u)
    # The second step may be named first.
    # CHECK: [[W:%.*]] = load <32 x i8>
    # CHECK: sext <32 x i8> [[W]] to <32 x i16>
    # CHECK: load <32 x i16>
    # CHECK: call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(
    y[0:16] = T.Cast("int32x16", x[1:33:2]) * T.Cast("int32x16", w_1[1:33:2]) + T.Cast("int32x16", x[0:32:2]) * T.Cast("int32x16", w_1[0:32:2])
    # CHECK: load <16 x i8>
    # CHECK: zext <16 x i8>
    # CHECK: add <16 x i16> {{.*}}i16 -3
    # CHECK: load <16 x i16>
    # CHECK: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
    y[16:24] = T.Cast("int32x8", T.Cast("int16x8", u_1[0:16:2]) + T.Broadcast(T.int16(-3), 8)) * T.Cast("int32x8", x[16:32:2]) + T.Cast("int32x8", T.Cast("int16x8", u_1[1:17:2]) + T.Broadcast(T.int16(-3), 8)) * T.Cast("int32x8", x[17:33:2])
    # The numbers differ.
    # CHECK-NOT: load <16 x i8>
    y[24:32] = T.Cast("int32x8", T.Cast("int16x8", u_1[0:16:2]) + T.Broadcast(T.int16(-3), 8)) * T.Cast("int32x8", x[16:32:2]) + T.Cast("int32x8", T.Cast("int16x8", u_1[1:17:2]) + T.Broadcast(T.int16(-4), 8)) * T.Cast("int32x8", x[17:33:2])
