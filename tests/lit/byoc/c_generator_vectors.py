# With vectors, the generator c computes sums of several elements and lanes together, in a block of
# accumulators. Blocks of floats leave registers to the operands of a step: four vectors at two places, and
# no step is loaded ahead. Products of 16 bits are added in pairs, and loaded before they are used.
# RUN: rm -rf %t && tenon compile %s --targets=c --c-vectors=gnu -o %t
# RUN: FileCheck %s --input-file=%t/tenon_c.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/tenon_c.c -o %t/c.o
# CHECK-LABEL: static int32_t tvmgen_default_c_main_0_matmul_0(
# CHECK: for (int32_t m_block = 0; m_block < 4; ++m_block) {
# CHECK: for (int32_t n_block = 0; n_block < 2; ++n_block) {
# CHECK: tenon_float32 block[[SUM:[0-9]+]][32] TENON_ALIGNED(16);
# CHECK: for (int32_t k = 0; k < 16; ++k) {
# CHECK: tenon_float32 shared[[W:[0-9]+]][16] TENON_ALIGNED(16);
# CHECK: = *(const tenon_f32x4_u*)&p1[n_block * 16 + k * 32];
# CHECK: const float v = p0[m_block * 32 + k];
# CHECK: *(const tenon_f32x4_u*)&block[[SUM]][0] + t1 * *(const tenon_f32x4_u*)&shared[[W]][0];
# CHECK: const float v = p0[m_block * 32 + k + 16];
# CHECK-LABEL: static int32_t tvmgen_default_c_main_1_matmul_0(
# CHECK: tenon_int32 block{{[0-9]+}}[32] TENON_ALIGNED(16);
# CHECK: TENON_PRODUCTS_BY_PAIR_4({{.*}}tenon_pair(
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((8, 16), "float32"), w: T.Buffer((16, 32), "float32"), y: T.Buffer((8, 32), "float32"), a: T.Buffer((8, 6), "int8"), b: T.Buffer((6, 16), "int8"), c: T.Buffer((8, 16), "int32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "floats", x.data, w.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "integers", a.data, b.data, c.data))

    @T.prim_func
    def floats(x: T.Buffer((128,), "float32"), w: T.Buffer((512,), "float32"), y: T.Buffer((256,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(8, 32):
            y[i * 32 + j] = T.float32(0)
            for k in range(16):
                y[i * 32 + j] = y[i * 32 + j] + x[i * 16 + k] * w[k * 32 + j]

    @T.prim_func
    def integers(x: T.Buffer((48,), "int8"), w: T.Buffer((96,), "int8"), y: T.Buffer((128,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(8, 16):
            y[i * 16 + j] = 0
            for k in range(6):
                y[i * 16 + j] = y[i * 16 + j] + T.Cast("int32", x[i * 6 + k]) * T.Cast("int32", w[k * 16 + j])
