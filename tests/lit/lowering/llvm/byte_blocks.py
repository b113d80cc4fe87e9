# Sums of products of 8-bit integers on Cortex-M without dot products: assembly that keeps the sums,
# two pointers and the factors of one step in registers.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir --target=cortex-m3 -o - | FileCheck %s --check-prefix=IR
# RUN: tenon compile %s --emit=asm --target=cortex-m3 -o - | FileCheck %s --check-prefix=M3
# RUN: tenon compile %s --emit=asm --target=cortex-m0plus -o - | FileCheck %s --check-prefix=M0
# RUN: tenon compile %s --emit=asm --target=cortex-m0plus -Os -o - | FileCheck %s --check-prefix=M0
# RUN: tenon compile %s --emit=asm --target=cortex-m4 -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm --target=cortex-m3 -O0 -o - | FileCheck %s --check-prefix=NONE
# NONE-NOT: @APP
# Two places and four channels: six loads for eight products.
# IR: call { {{.*}} } asm sideeffect "1:
# M3: @APP
# M3: ldrb [[A:r[0-9]+|lr]], [{{.*}}, #4]!
# M3-NEXT: ldrb{{(\.w)?}} [[B:r[0-9]+|lr]], [{{.*}}, #16]
# M3-NEXT: ldrsb [[W:r[0-9]+|lr]], [{{.*}}, #16]!
# M3-NEXT: mla [[S:r[0-9]+|lr]], [[W]], [[A]], [[S]]
# M3-NEXT: mla [[T:r[0-9]+|lr]], [[W]], [[B]], [[T]]
# M3: subs
# M3-NEXT: bne {{.*}}
# M3-NEXT: @NO_APP
# A Cortex-M0 loads unsigned bytes, and ends at an address in lr.
# M0: @APP
# M0: mov lr, {{r[0-7]}}
# M0: ldrb [[A:r[0-7]]], [{{.*}}]
# M0-NEXT: ldrb [[W:r[0-7]]], [{{.*}}]
# M0-NEXT: muls [[W]], [[A]], [[W]]
# M0-NEXT: adds [[S:r[0-7]]], [[S]], [[W]]
# M0-NOT: sxtb
# M0: cmp {{r[0-7]}}, lr
# M0-NEXT: bne
# M0: @NO_APP
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "uint8"), y: T.Buffer((16,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, -128, 127, -128, 127, -128, 127, -128, 127, 1, 2, 3, 4, 5, 6, 7, 8], "int8", [64])
    w_1 = T.Buffer((64,), "int8", data=w)
    for i, c in T.grid(4, 4):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        s_1[0] = 0
        for k in range(16):
            s_1[0] = s_1[0] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 16 + k])
        y[i * 4 + c] = s_1[0]
