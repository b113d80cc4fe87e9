# A Cortex-M55 requantises four numbers at once, and computes the channels of a depthwise convolution in
# vectors.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=asm --target=cortex-m55 -O2 -o - | FileCheck %s --implicit-check-not=smull --implicit-check-not=smmul
# RUN: tenon compile %s --emit=asm --target=cortex-m4 -O2 -o - | FileCheck %s --check-prefix=M4 --implicit-check-not=vmulh
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((128,), "uint8"), y: T.Buffer((96,), "uint8"), z: T.Buffer((8,), "uint8"), q: T.Buffer((8,), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        Module.q31(x, q)
        Module.depthwise(x, y)
        Module.dense(x, z)

    # The rounding of TensorFlow Lite, after a ReLU.
    # CHECK: vqrdmulh.s32
    # CHECK: vrshl.s32
    @T.prim_func(private=True)
    def q31(x: T.Buffer((128,), "uint8"), z: T.Buffer((8,), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.allocate_const([1518500250, 1395864371, 1073741824, 2147483647, 1518500251, 1395864372, 1073741825, 2147483646], "uint32", [8])
        r = T.allocate_const([5, 6, 7, 8, 9, 10, 33, 35], "int8", [8])
        for i in range(8):
            m_1 = T.Buffer((8,), "uint32", data=m)
            r_1 = T.Buffer((8,), "int8", data=r)
            z[i] = T.Cast("uint8", T.min(T.Cast("int32", T.shift_right(T.Cast("int64", T.shift_right(T.Cast("uint64", T.max(T.Cast("int32", x[i]) - 9, 0)) * T.Cast("uint64", m_1[i]) + T.uint64(1073741824), T.uint64(31))) + T.shift_left(T.int64(1), T.Cast("int64", r_1[i]) - T.int64(1)), T.Cast("int64", r_1[i]))), 255))

    # CHECK: vldrb.u32
    # CHECK: vmul.i32
    # CHECK: vmulh.s32
    # CHECK: vrshl.s32
    # CHECK: vstrb.32
    # M4: smmla
    # M4: usat
    @T.prim_func(private=True)
    def depthwise(x: T.Buffer((128,), "uint8"), y: T.Buffer((96,), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-55, -96, -111, -4, 91, 36, 126, -4, -105, -39, 77, -110, -22, 102, -89, -122, -52, -18, 69, -21, 96, -97, -116, 27, 30, 67, -116, -31, 56, 23, -43, 14, 98, 109, 124, -56, 2, -67, -118, -48, -126, -108, -100, 26, 10, -119, 115, -77], "int8", [48])
        m = T.allocate_const([1073741824, 1073741831, 1073741838, 1073741845, 1073741852, 1073741859, 1073741866, 1073741873, 1073741880, 1073741887, 1073741894, 1073741901, 1073741908, 1073741915, 1073741922, 1073741929], "int32", [16])
        r = T.allocate_const([5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8], "int8", [16])
        for i, c in T.grid(6, 16):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(3):
                w_1 = T.Buffer((48,), "int8", data=w)
                s_1[0] = s_1[0] + T.Cast("int32", x[i * 16 + k * 16 + c]) * T.Cast("int32", w_1[k * 16 + c])
            m_1 = T.Buffer((16,), "int32", data=m)
            r_1 = T.Buffer((16,), "int8", data=r)
            y[i * 16 + c] = T.Cast("uint8", T.Cast("int16", T.max(T.min(T.q_multiply_shift_per_axis(s_1[0], m_1[c], 0, T.Cast("int32", r_1[c]), 31, T.bool(False), T.bool(True)) - 128, 127), -128)) + T.int16(128))

    # CHECK: vmla{{v|va}}.s8
    # CHECK: vmulh.s32
    # CHECK: vrshl.s32
    # CHECK: vstrb.32
    # M4: smlad
    # M4: smmla
    @T.prim_func(private=True)
    def dense(x: T.Buffer((128,), "uint8"), y: T.Buffer((8,), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-67, 24, 12, -94, -33, 107, 27, -6, 33, 21, -111, 28, -124, 105, 87, -7, -61, 14, -68, -78, 127, 56, -7, 11, 87, 13, -6, -26, 36, 93, -89, -68, 35, -89, 95, 110, 6, -28, 62, -124, 44, 71, -111, -87, 67, 118, 24, -117, -50, 72, -120, 83, 94, -59, -6, 25, 57, 108, 97, -28, 55, 74, 108, -18, -26, 59, 78, 20, -14, 119, 112, -93, 97, -34, -103, -118, -93, -1, -72, -61, 120, 45, -16, 72, 33, 91, -50, -20, 2, 86, -29, 19, -38, 9, 22, -23, 22, -68, 104, -41, 47, 107, 110, -120, 92, -56, 126, 28, 44, 51, -86, 51, 93, -44, 119, 11, 104, 19, 18, -101, 55, 40, -73, 35, 85, 125, 19, -59], "int8", [128])
        m = T.allocate_const([1073741824, 1073741831, 1073741838, 1073741845, 1073741852, 1073741859, 1073741866, 1073741873], "int32", [8])
        r = T.allocate_const([5, 6, 7, 8, 5, 6, 7, 8], "int8", [8])
        for c in range(8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(16):
                w_1 = T.Buffer((128,), "int8", data=w)
                s_1[0] = s_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[k * 8 + c])
            m_1 = T.Buffer((8,), "int32", data=m)
            r_1 = T.Buffer((8,), "int8", data=r)
            y[c] = T.Cast("uint8", T.max(T.min(T.q_multiply_shift_per_axis(s_1[0], m_1[c], 0, T.Cast("int32", r_1[c]), 31, T.bool(False), T.bool(True)), 255), 0))
