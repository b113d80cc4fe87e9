# The generator c and a padded input. C99: the pad becomes a condition around the loops that read the input, as in the
# host's code, and nothing is copied. With vectors: the input is copied once, in runs without conditions.
# RUN: rm -rf %t && tenon compile %plain %s --targets=c -o %t/c && FileCheck %s --input-file=%t/c/tenon_c.c
# RUN: tenon compile %plain %s --targets=c --c-vectors=gnu -o %t/gnu && FileCheck %s --check-prefix=GNU --input-file=%t/gnu/tenon_c.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/c/tenon_c.c -o %t/c.o
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/gnu/tenon_c.c -o %t/gnu.o
# CHECK-LABEL: static int32_t tvmgen_default_c_main_0_conv1d_0(
# CHECK-NOT: scratch
# CHECK: for (int32_t kw = 0; kw < 3; ++kw) {
# CHECK-NEXT: if (kw + w > 0 && kw + w < 15) {
# CHECK-NOT: scratch
# GNU-LABEL: static int32_t tvmgen_default_c_main_0_conv1d_0(
# GNU-NOT: if (
# GNU: *(tenon_f32x4_u*)&staged[[S:.*]][0] = t1;
# GNU-NOT: if (
# GNU: for (int32_t run_block = 0; run_block < 7; ++run_block) {
# GNU: const tenon_f32x4 t1 = *(const tenon_f32x4_u*)&p0[run_block * 8];
# GNU: *(tenon_f32x4_u*)&staged[[S]][run_block * 8 + 4] = t1;
# GNU-NOT: if (
# GNU: *(tenon_f32x4_u*)&staged[[S]][60] = t1;
# GNU-NOT: if (
# GNU: return 0;
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((56,), "float32"), w: T.Buffer((96,), "float32"), y: T.Buffer((112,), "float32")):
        T.call_extern("int32", "conv", x.data, w.data, y.data)

    @T.prim_func
    def conv(x: T.Buffer((56,), "float32"), w: T.Buffer((96,), "float32"), y: T.Buffer((112,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.allocate([64], "float32", "global")
        pad_1 = T.Buffer((64,), data=pad)
        for i, c in T.grid(16, 4):
            pad_1[i * 4 + c] = T.if_then_else(1 <= i and i < 15, x[i * 4 + c - 4], T.float32(0))
        for i, co in T.grid(14, 8):
            y[i * 8 + co] = T.float32(0)
            for k, c in T.grid(3, 4):
                y[i * 8 + co] = y[i * 8 + co] + pad_1[(i + k) * 4 + c] * w[k * 32 + c * 8 + co]
