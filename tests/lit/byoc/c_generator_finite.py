# C99 of the generator c leaves out what a pad adds to a sum, as the host's code does: zero times a finite weight.
# The weights of `wild` have an infinity, so that its sums become NaN at the border.
# RUN: rm -rf %t && tenon compile %plain %s --targets=c -o %t && FileCheck %s --input-file=%t/tenon_c.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/tenon_c.c -o %t/c.o
# CHECK-LABEL: static int32_t tvmgen_default_c_main_0_conv1d_0(
# CHECK: for (int32_t kw = 0; kw < 3; ++kw) {
# CHECK-NEXT: if (kw + w > 0 && kw + w < 15) {
# CHECK-NOT: else
# CHECK-NOT: 0.0f *
# CHECK-LABEL: static int32_t tvmgen_default_c_main_0_conv1d_1(
# CHECK: if (
# CHECK: 0.0f *
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((56,), "float32"), y: T.Buffer((28,), "float32"), z: T.Buffer((28,), "float32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "tame", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "wild", x.data, z.data))

    @T.prim_func
    def tame(x: T.Buffer((56,), "float32"), y: T.Buffer((28,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5], "float32", [24])
        w_1 = T.Buffer((24,), data=w)
        pad = T.allocate([64], "float32", "global")
        pad_1 = T.Buffer((64,), data=pad)
        for i, c in T.grid(16, 4):
            pad_1[i * 4 + c] = T.if_then_else(1 <= i and i < 15, x[i * 4 + c - 4], T.float32(0))
        for i, co in T.grid(14, 2):
            y[i * 2 + co] = T.float32(0)
            for k, c in T.grid(3, 4):
                y[i * 2 + co] = y[i * 2 + co] + pad_1[(i + k) * 4 + c] * w_1[k * 8 + c * 2 + co]

    @T.prim_func
    def wild(x: T.Buffer((56,), "float32"), y: T.Buffer((28,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, 0.5, 1, -2, 3, "inf"], "float32", [24])
        w_1 = T.Buffer((24,), data=w)
        pad = T.allocate([64], "float32", "global")
        pad_1 = T.Buffer((64,), data=pad)
        for i, c in T.grid(16, 4):
            pad_1[i * 4 + c] = T.if_then_else(1 <= i and i < 15, x[i * 4 + c - 4], T.float32(0))
        for i, co in T.grid(14, 2):
            y[i * 2 + co] = T.float32(0)
            for k, c in T.grid(3, 4):
                y[i * 2 + co] = y[i * 2 + co] + pad_1[(i + k) * 4 + c] * w_1[k * 8 + c * 2 + co]
