# RUN: tenon-opt %s --pipeline=promote-accumulators | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def sums(x: T.Buffer((32,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            for j, k in T.grid(2, 4):
                y[i] = y[i] + x[i * 8 + j * 4 + k]

    # Indices with different variables are different places, even if the ranges are equal.
    @T.prim_func
    def other(y: T.Buffer((4,), "int32")):
        for i, j in T.grid(4, 4):
            for k in range(4):
                y[i] = y[j] + 1

    @T.prim_func
    def alias(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for k in range(4):
            y[0] = y[0] + x[k]

    @T.prim_func
    def sometimes(y: T.Buffer((1,), "int32")):
        for k in range(4):
            y[0] = T.if_then_else(k > 0, y[0] + k, 0)

# CHECK-LABEL: def alias
# CHECK-NOT: T.allocate
# CHECK-LABEL: def other
# CHECK-NOT: T.allocate
# CHECK-LABEL: def sometimes
# CHECK-NOT: T.allocate
# CHECK-LABEL: def sums
# CHECK: for i in range(4):
# CHECK-NEXT: y_1 = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
# CHECK: y_2[0] = y[i]
# CHECK-NEXT: for j, k in T.grid(2, 4):
# CHECK-NEXT: y_2[0] = y_2[0] + x[i * 8 + j * 4 + k]
# CHECK: y[i] = y_2[0]
