# The generator reference makes loops in TIR from claims, which replace the bodies.
# RUN: tenon compile %plain %s --targets=reference -o %t.r 2>&1 | FileCheck %s --check-prefix=TIR
# RUN: FileCheck %s --check-prefix=LOOPS --input-file=%t.r/tvmgen_default.c
# TIR: reference: 2 of 2 operators, 100.0 % of MACs
# LOOPS: static int32_t tvmgen_default_reference_main_0_conv1d_0(
# LOOPS: value{{[0-9]+}}[1]
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((16, 4), "int8"), w: T.Buffer((3, 4, 12), "int8"), y: T.Buffer((14, 12), "int8")):
        a = T.allocate([672], "int8", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "conv", x.data, w.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "requantise", a, y.data))

    @T.prim_func
    def conv(x: T.Buffer((64,), "int8"), w: T.Buffer((144,), "int8"), y: T.Buffer((168,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, c in T.grid(14, 12):
            y[i * 12 + c] = 0
            for k, d in T.grid(3, 4):
                y[i * 12 + c] = y[i * 12 + c] + T.Cast("int32", x[(i + k) * 4 + d]) * T.Cast("int32", w[k * 48 + d * 12 + c])

    @T.prim_func
    def requantise(x: T.Buffer((168,), "int32"), y: T.Buffer((168,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(168):
            y[i] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(x[i], 1518500250, 31, -9), 127), -128))
