# Tuples, repeated constants, and constants of each kind in Relax functions.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s --verify-roundtrip > /dev/null

# from tvm.script import tirx as T
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("c1", [10, 20], "int32", [2])]})
    @T.prim_func(private=True, s_tir=True)
    def add(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]

    @T.prim_func(private=True, s_tir=True)
    def scale(A: T.Buffer((2,), "int32"), k: T.Buffer((), "float32"), b: T.Buffer((), "bool"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = T.Select(b[()], A[i] * T.Cast("int32", k[()]), A[i])

    @R.function
    def main(x: R.Tensor((2,), dtype="int32", ndim=1)):
        cls = Module
        pass
        with R.dataflow():
            both = R.tuple(x, I.constant("c1"))
            empty = ()
            a = R.call_tir(cls.add, (both[0], both[1]), out_ty=R.Tensor((2,), dtype="int32"))
            b = R.call_tir(cls.add, (a, I.constant("c1")), out_ty=[R.Tensor((2,), dtype="int32")])
            c = R.call_tir(cls.scale, (b[0], R.const(-1.5), R.const(True)), out_sinfo=R.Tensor((2,), dtype="int32"))
            R.output(c)
        return (c, (b[0],))

# CHECK:      def main(x: T.Buffer((2,), "int32"), c: T.Buffer((2,), "int32"), b: T.Buffer((2,), "int32")):
# CHECK-NEXT:     T.func_attr({"tirx.noalias": True})
# CHECK-NEXT:     c1 = T.allocate_const(I.constant("c1"), "int32", [2])
# CHECK-NEXT:     a = T.alloc_buffer((2,), "int32")
# CHECK-NEXT:     Module.add(x.data, c1, a.data)
# CHECK-NEXT:     Module.add(a.data, c1, b.data)
# CHECK-NEXT:     c_1 = T.allocate_const([-1.5], "float32", [])
# CHECK-NEXT:     c_2 = T.allocate_const([True], "bool", [])
# CHECK-NEXT:     Module.scale(b.data, c_1, c_2, c.data)
