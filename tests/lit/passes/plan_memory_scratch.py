# Scratch of a function may reuse the memory of an argument that the function no longer reads. Then
# the two pointers may alias.
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory' %S/Inputs/scratch_overlaps.py | FileCheck --check-prefix=PLAN %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{algorithm=greedy_by_size}' %S/Inputs/scratch_overlaps.py | FileCheck --check-prefix=TVM %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory,convert-pool-allocations-to-offsets' %S/Inputs/scratch_overlaps.py | FileCheck --check-prefix=OFFSETS %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory' %s | FileCheck --check-prefix=APART %s

# The scratch of `f` reuses the place of `a`: without overlaps, the plan would take 768 bytes.
# PLAN-LABEL: class Over:
# PLAN: T.func_attr({{.*}}"tenon.overlaps": {{\[\[}}0, "global_workspace"]]
# TVM-LABEL: class Over:
# TVM: T.func_attr({{.*}}"tenon.overlaps": {{\[\[}}0, "global_workspace"]]
# OFFSETS-LABEL: class Over:
# OFFSETS: T.func_attr({{.*}}"tenon.overlaps": {{\[\[}}0, 2]]

# There is room elsewhere, since the peak is at another time: they stay separate.
# APART-LABEL: class Apart:
# APART-NOT: tenon.overlaps

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Apart:
    @T.prim_func
    def main(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        big = T.allocate([256], "int32", "global")
        big_1 = T.Buffer((256,), "int32", data=big)
        a = T.allocate([64], "int32", "global")
        a_1 = T.Buffer((64,), "int32", data=a)
        b = T.allocate([64], "int32", "global")
        b_1 = T.Buffer((64,), "int32", data=b)
        for i in range(256):
            big_1[i] = x[i % 64]
        for i in range(64):
            y[i] = big_1[i] + big_1[255 - i]
        for i in range(64):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "f", a, b))
        for i in range(64):
            y[i] = y[i] + b_1[i]

    @T.prim_func(private=True)
    def f(p0: T.Buffer((64,), "int32"), p1: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([64], "int32", "global")
        s_1 = T.Buffer((64,), "int32", data=s)
        for i in range(64):
            p1[i] = p0[63 - i]
        for i in range(64):
            s_1[i] = p1[63 - i]
        for i in range(64):
            p1[i] = p1[i] + s_1[i] * s_1[(i + 1) % 64]
