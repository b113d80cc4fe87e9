# RUN: tenon-opt %s --pipeline=assign-pool-info,plan-memory | FileCheck %s

# An extent of zero makes the size zero for any product of the others.

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK: "lower_bound_bytes": 0, "proven_optimal": True, "size_bytes": 0
    # CHECK: w = T.allocate({{.*}}4, 0], "int8", "global", {{.*}}"tenon.placement": ["global_workspace", T.int64(0)]
    @T.prim_func
    def main(A: T.Buffer((4,), "int8")):
        w = T.allocate([4611686018427387903, 4, 0], "int8", "global")
        for i in range(4):
            A[i] = T.int8(1)
