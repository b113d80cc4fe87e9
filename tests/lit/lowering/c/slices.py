# Parts of a constant that is not used as a whole: the bytes between them are not emitted.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t && FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: %if llvm %{ tenon compile %s --emit=llvm-ir -O0 -o - | FileCheck %s --check-prefix=LLVM %}
# CHECK: tvmgen_default_w[6] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: 3, 4, 5, 6, 7, 8
# CHECK: y[i] = tvmgen_default_w[i];
# CHECK: (const uint8_t*)tvmgen_default_w + 8)
# LLVM: @tvmgen_default_w = private unnamed_addr constant [6 x i32] [i32 3, i32 4, i32 5, i32 6, i32 7, i32 8], section ".rodata.tvm", align 16
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], align=4),
        I.constant("u", I.slice("w", 8), "int32", [4], align=4),
        I.constant("v", I.slice("w", 16), "int32", [4], align=4)]})
    @T.prim_func
    def f(y: T.Buffer((4,), "int32")):
        u = T.allocate_const(I.constant("u"), "int32", [4])
        u_1 = T.Buffer((4,), "int32", data=u)
        for i in range(4):
            y[i] = u_1[i]
    @T.prim_func
    def g(y: T.Buffer((4,), "int32")):
        v = T.allocate_const(I.constant("v"), "int32", [4])
        v_1 = T.Buffer((4,), "int32", data=v)
        for i in range(4):
            y[i] = v_1[i]
