# Requantisation takes the upper word of a product. A Cortex-M0 has no instruction for it, and from
# four products of halves it is there before a function has computed 64 bits.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=asm --target=cortex-m0plus -o - | FileCheck %s --check-prefix=HALVES
# RUN: tenon compile %s --emit=asm --target=cortex-m0plus -Os -o - | FileCheck %s --check-prefix=CALL
# RUN: tenon compile %s --emit=asm --target=cortex-m3 -o - | FileCheck %s --check-prefix=M3
# HALVES-NOT: __aeabi_lmul
# HALVES-COUNT-4: muls
# HALVES-NOT: __aeabi_lmul
# CALL: __aeabi_lmul
# M3: smull
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32"), m: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i in range(4):
        y[i] = T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.Cast("int64", m[i]), T.int64(32)))
