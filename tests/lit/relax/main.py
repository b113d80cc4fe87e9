# A Relax function of calls becomes a TIR function: inputs and outputs as parameters, other results
# as allocations, constants as constants.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s --dialect=tir | FileCheck %s --check-prefix=TIR
# RUN: tenon-opt %s --verify-roundtrip > /dev/null
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %S/Inputs/x.py --output x=%t/x.npy
# RUN: tenon run %s --input x=%t/x.npy --output lv1=%t/lv1.npy --output x_1=%t/x_1.npy
# RUN: cmp %t/x.npy %t/x_1.npy
# RUN: tenon run %s --input x=%t/x.npy --expect lv1=%t/lv1.npy --engine=c --cc=%cc

# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("c1", [10, 20, 30, 40], "int32", [4])]})
    @T.prim_func(private=True, s_tir=True)
    def add(A: T.Buffer((T.int64(4),), "int32"), B: T.Buffer((T.int64(4),), "int32"), C: T.Buffer((T.int64(4),), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int64(4)):
            C[i] = A[i] + B[i]

    @T.prim_func(private=True, s_tir=True)
    def scale(A: T.Buffer((T.int64(4),), "int32"), k: T.Buffer((), "int32"), B: T.Buffer((T.int64(4),), "int32"), C: T.Buffer((T.int64(4),), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int64(4)):
            B[i] = A[i] * k[()]
            C[i] = A[i] - k[()]

    @R.function
    def main(x: R.Tensor((4,), dtype="int32")) -> R.Tuple(R.Tensor((4,), dtype="int32"), R.Tensor((4,), dtype="int32")):
        R.func_attr({"num_input": 1, "params": [metadata["ffi.Tensor"][0]]})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.add, (x, I.constant("c1")), out_ty=R.Tensor((4,), dtype="int32"))
            lv1 = R.call_tir(cls.scale, (lv, R.const(3, "int32")), out_ty=[R.Tensor((4,), dtype="int32"), R.Tensor((4,), dtype="int32")])
            lv2: R.Tensor((4,), dtype="int32") = lv1[1]
            lv3: R.Tensor((4,), dtype="int32") = R.match_cast(lv2, R.Tensor((4,), dtype="int32"))
            gv: R.Tuple(R.Tensor((4,), dtype="int32"), R.Tensor((4,), dtype="int32")) = lv3, x
            R.output(gv)
        return gv

# CHECK:      @T.prim_func(s_tir=True)
# CHECK-NEXT: def main(x: T.Buffer((4,), "int32"), lv1: T.Buffer((4,), "int32"), x_1: T.Buffer((4,), "int32")):
# CHECK-NEXT:     T.func_attr({"tirx.noalias": True})
# CHECK-NEXT:     c1 = T.allocate_const(I.constant("c1"), "int32", [4])
# CHECK-NEXT:     lv = T.alloc_buffer((4,), "int32")
# CHECK-NEXT:     Module.add(x.data, c1, lv.data)
# CHECK-NEXT:     c = T.allocate_const([3], "int32", [])
# CHECK-NEXT:     lv1_1 = T.alloc_buffer((4,), "int32")
# CHECK-NEXT:     Module.scale(lv.data, c, lv1_1.data, lv1.data)
# CHECK-NEXT:     for i0 in range(4):
# CHECK-NEXT:         x_1[i0] = x[i0]

# TIR:      def main(x: T.Buffer((4,), "int32"), lv1: T.Buffer((4,), "int32"), x_1: T.Buffer((4,), "int32")):
# TIR-NEXT: T.func_attr({"tir.noalias": T.bool(True)})
# TIR-NEXT: c1 = T.allocate_const(I.constant("c1"), "int32", [4])
# TIR-NEXT: lv = T.decl_buffer((4,), "int32")
# TIR-NEXT: Module.add(x.data, c1, lv.data)
