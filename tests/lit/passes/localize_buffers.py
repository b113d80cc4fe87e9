# RUN: tenon-opt %s --pipeline='localize-buffers{max-bytes=64}' | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def sums(x: T.Buffer((32,), "int32"), y: T.Buffer((4,), "int32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        for i in range(4):
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[i * 8 + k]
            y[i] = s_1[0]

    # An iteration reads what the one before it wrote.
    @T.prim_func
    def carried(y: T.Buffer((4,), "int32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        s_1[0] = 0
        for i in range(4):
            s_1[0] = s_1[0] + i
            y[i] = s_1[0]

    @T.prim_func
    def large(y: T.Buffer((17,), "int32")):
        s = T.allocate([17], "int32", "global")
        s_1 = T.Buffer((17,), "int32", data=s)
        for i in range(17):
            s_1[i] = i
        y[0] = s_1[16]

    @T.prim_func
    def passed(y: T.Buffer((1,), "int32")):
        s = T.allocate([1], "int32", "global")
        T.call_extern("int32", "fill", s)
        s_1 = T.Buffer((1,), "int32", data=s)
        y[0] = s_1[0]

# CHECK-LABEL: def carried
# CHECK-NEXT: s = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
# CHECK: for i in range(4):
# CHECK-LABEL: def large
# CHECK-NEXT: s = T.allocate([17], "int32", "global")
# CHECK-LABEL: def passed
# CHECK-NEXT: s = T.allocate([1], "int32", "global")
# CHECK-LABEL: def sums
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT: s = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
