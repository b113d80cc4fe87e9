# A convolution with stride 2 and padding on three sides (TVM: test_extern_dnnl_padding, smaller).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/Inputs/matrix.py %t/x.npy 19 12
# RUN: tenon run %s --input %t/x.npy --output %t/y.npy
# RUN: tenon run %s --input %t/x.npy --expect %t/y.npy --targets=reference --engine=c --externals=both 2>&1 | FileCheck %s
# RUN: tenon run %s --input %t/x.npy --expect %t/y.npy --targets=reference --engine=c --externals=both 2>&1 | FileCheck %s
# CHECK: 1 of 1 operators, 100.0 % of MACs
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def conv(x: T.Buffer((19, 12), "float32"), y: T.Buffer((2, 10, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6, -7, -8, -9], "float32", [2, 3, 3])
        w_1 = T.Buffer((2, 3, 3), data=w)
        p = T.allocate([273], "float32", "global.workspace")
        p_1 = T.Buffer((21, 13), data=p)
        for i, j in T.grid(21, 13):
            p_1[i, j] = T.if_then_else(1 <= i and i < 20 and j < 12, x[i - 1, j], T.float32(0))
        for c, i, j in T.grid(2, 10, 6):
            y[c, i, j] = T.float32(0)
            for ki, kj in T.grid(3, 3):
                y[c, i, j] = y[c, i, j] + p_1[i * 2 + ki, j * 2 + kj] * w_1[c, ki, kj]

    @T.prim_func
    def main(x: T.Buffer((19, 12), "float32"), y: T.Buffer((2, 10, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "conv", x.data, y.data))
