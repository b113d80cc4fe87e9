# Differences between TVM's releases: `out_sinfo=` was the spelling of 0.25 for `out_ty=`, and names
# of TensorFlow are printed unchanged.
#
# RUN: tenon-opt %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] * 2

    @R.function
    def main(serving_default_x:0: R.Tensor((4,), dtype="int32")) -> R.Tensor((4,), dtype="int32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.twice, (serving_default_x:0,), out_sinfo=R.Tensor((4,), dtype="int32"))
            R.output(gv)
        return gv

# CHECK: def main(serving_default_x_0: T.Buffer((4,), "int32"), gv: T.Buffer((4,), "int32")):
# CHECK: Module.twice(serving_default_x_0.data, gv.data)
