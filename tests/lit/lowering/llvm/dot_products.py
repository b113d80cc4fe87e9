# Dot products: SMLAD where the processor has it, and products of lanes elsewhere. By default, sums
# become dot products only for such processors without vectors.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir --target=thumbv7em-none-eabi --cpu=cortex-m4 -O0 --dot-products=on --optimize=on -o - | FileCheck %s --check-prefix=IR
# IR: [[A:%.*]] = bitcast <4 x i8> %{{.*}} to i32
# IR: call i32 @llvm.arm.uxtb16(i32 [[A]])
# IR: call i32 @llvm.arm.sxtb16(
# IR: call i32 @llvm.arm.smlad(
# IR: call i32 @llvm.fshr.i32(i32 [[A]], i32 [[A]], i32 8)
# IR: call i32 @llvm.arm.smlad(
# RUN: tenon compile %s --emit=asm --target=thumbv7em-none-eabi --cpu=cortex-m4 -O2 -o - | FileCheck %s --check-prefix=ASM
# RUN: tenon compile %s --emit=asm --target=thumbv7em-none-eabi --cpu=cortex-m7 -Os -o - | FileCheck %s --check-prefix=ASM
# RUN: tenon compile %s --emit=asm --target=thumbv7em-none-eabi --cpu=cortex-m4 -O2 --dot-products=off -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm --target=thumbv7em-none-eabi --cpu=cortex-m4 -O2 --optimize=off -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm --target=thumbv7em-none-eabi --cpu=cortex-m4 -O1 -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm --target=thumbv7m-none-eabi --cpu=cortex-m3 -O2 -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm --target=riscv32-unknown-elf --features=+m -O2 -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm --target=cortex-m55 -O2 -o - | FileCheck %s --check-prefix=MVE
# MVE: vmla{{v|va}}.s16
# ASM: uxtb16
# ASM: smlad
# NONE-NOT: smlad
# RUN: tenon compile %s --emit=c --target=thumbv7em-none-eabi -o %t.c && FileCheck %s --check-prefix=C --input-file=%t.c/tvmgen_default.c
# C: = tenon_dp4a_u8_s8(&x[{{.*}}], &weights_let[{{.*}}], sum
# RUN: tenon compile %s --emit=c -o %t.plain && FileCheck %s --check-prefix=PLAIN --input-file=%t.plain/tvmgen_default.c
# RUN: tenon compile %s --emit=c --target=thumbv7em-none-eabi --dot-products=off -o %t.off && sed -e /TENON_UNROLL/d -e 's/TENON_APART //' %t.off/tvmgen_default.c | diff %t.plain/tvmgen_default.c -
# PLAIN-NOT: dp4a
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((40,), "uint8"), y: T.Buffer((20,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16], "int8", [32])
    w_1 = T.Buffer((32,), "int8", data=w)
    for i, c in T.grid(5, 4):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        s_1[0] = 0
        for k in range(8):
            s_1[0] = s_1[0] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 8 + k])
        y[i * 4 + c] = s_1[0]
