# Tuples, repeated constants, scalars of several types, and names with a number as TensorFlow has
# them: the values that the engines compute follow the text.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s --verify-roundtrip > /dev/null
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %S/Inputs/x.py --output x=%t/x.npy
# RUN: tenon run %S/Inputs/bindings_expected.py --output c=%t/c.npy --output f=%t/f.npy
# RUN: tenon run %s --input x=%t/x.npy --input in_1_0=%t/x.npy --expect c=%t/c.npy --expect f=%t/f.npy
# RUN: tenon run %s --input x=%t/x.npy --input in_1_0=%t/x.npy --expect c=%t/c.npy --expect f=%t/f.npy --engine=c --cc=%cc

# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("k", [10, 20, 30, 40], "int32", [4])]})
    @T.prim_func(private=True, s_tir=True)
    def add(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
        for i in range(4):
            C[i] = A[i] + B[i]

    @T.prim_func(private=True, s_tir=True)
    def scale(A: T.Buffer((4,), "int32"), k: T.Buffer((), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] * k[()]

    @T.prim_func(private=True, s_tir=True)
    def mix(A: T.Buffer((4,), "int32"), b: T.Buffer((), "bool"), f: T.Buffer((), "float32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] + T.Cast("int32", b[()]) + T.Cast("int32", f[()])

    @R.function
    def main(x: R.Tensor((4,), dtype="int32", ndim=1), in_1:0: R.Tensor((4,), dtype="int32")):
        cls = Module
        pass
        with R.dataflow():
            a = R.call_tir(cls.add, (x, I.constant("k")), out_ty=R.Tensor((4,), dtype="int32"))
            b = R.call_tir(cls.add, R.tuple(a, I.constant("k")), out_sinfo=[R.Tensor((4,), dtype="int32")])
            c = R.call_tir(cls.scale, (b[0], R.const(-3, dtype="int32")), out_ty=R.Tensor((4,), dtype="int32"))
            f = R.call_tir(cls.mix, (a, R.const(True), R.const(0.5)), out_ty=R.Tensor((4,), dtype="int32"))
            d = (c, (f, in_1:0))
            R.output(d)
        return d

# CHECK:      def main(x: T.Buffer((4,), "int32"), in_1_0: T.Buffer((4,), "int32"), c: T.Buffer((4,), "int32"), f: T.Buffer((4,), "int32"), in_1_0_1: T.Buffer((4,), "int32")):
# The constant of two calls is declared once.
# CHECK-NEXT: T.func_attr({"tirx.noalias": True})
# CHECK-NEXT: k = T.allocate_const(I.constant("k"), "int32", [4])
# CHECK-NEXT: a = T.alloc_buffer((4,), "int32")
# CHECK-NEXT: Module.add(x.data, k, a.data)
# CHECK-NEXT: b = T.alloc_buffer((4,), "int32")
# CHECK-NEXT: Module.add(a.data, k, b.data)
# CHECK-NEXT: c_1 = T.allocate_const([-3], "int32", [])
# CHECK-NEXT: Module.scale(b.data, c_1, c.data)
# CHECK-NEXT: c_2 = T.allocate_const([True], "bool", [])
# CHECK-NEXT: c_3 = T.allocate_const([0.5], "float32", [])
# CHECK-NEXT: Module.mix(a.data, c_2, c_3, f.data)
# CHECK-NEXT: for i0 in range(4):
# CHECK-NEXT: in_1_0_1[i0] = in_1_0[i0]
