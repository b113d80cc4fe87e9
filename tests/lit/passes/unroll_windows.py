# RUN: tenon-opt %s --pipeline=unroll-windows --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=unroll-windows,unroll-windows | FileCheck %s
# COUNT: {{^ *3 +}}unroll-windows.loops
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Both steps share a row in each line of the window.
    # CHECK-LABEL: def a_square(
    # CHECK: for p in range(2):
    # CHECK: y[0:4] = y[0:4] + T.Shuffle([x[p * 8:p * 8 + 8]], [0, 2, 4, 6]) * T.Broadcast(f[T.Add(p * 2, 0)], 4)
    # CHECK: y[0:4] = y[0:4] + T.Shuffle([x[p * 8:p * 8 + 8]], [1, 3, 5, 7]) * T.Broadcast(f[p * 2 + 1], 4)
    @T.prim_func
    def a_square(x: T.Buffer((16,), "float32"), f: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for p, q in T.grid(2, 2):
            y[0:4] = y[0:4] + x[p * 8 + q:p * 8 + q + 8:2] * T.Broadcast(f[p * 2 + q], 4)

    # The third step of three reads one element more than a row has; x has no more.
    # CHECK-LABEL: def b_overlapping(
    # CHECK: T.Shuffle([x[0:8]], [0, 2, 4, 6])
    # CHECK: T.Shuffle([x[0:8]], [1, 3, 5, 7])
    # CHECK: y[0:4] = T.max(y[0:4], x[2:10:2])
    @T.prim_func
    def b_overlapping(x: T.Buffer((9,), "int8"), y: T.Buffer((4,), "int8")):
        for q in range(3):
            y[0:4] = T.max(y[0:4], x[q:q + 8:2])

    # Each step has its own allocation.
    # CHECK-LABEL: def c_allocation(
    # CHECK: T.allocate([1], "int32x4"
    # CHECK: T.Shuffle([x[0:12]], [0, 3, 6, 9])
    # CHECK: T.allocate([1], "int32x4"
    # CHECK: T.Shuffle([x[0:12]], [1, 4, 7, 10])
    # CHECK: T.allocate([1], "int32x4"
    # CHECK: T.Shuffle([x[0:12]], [2, 5, 8, 11])
    @T.prim_func
    def c_allocation(x: T.Buffer((12,), "int32"), y: T.Buffer((12,), "int32")):
        for q in range(3):
            a = T.allocate([1], "int32x4", "global")
            a_1 = T.Buffer((1,), "int32x4", data=a)
            a_1[0] = x[q:q + 12:3]
            y[q * 4:q * 4 + 4] = a_1[0]

    # A condition; another step; seven steps; lanes side by side; too few steps for a row; registers.
    # CHECK-LABEL: def d_stay(
    # CHECK-NOT: T.Shuffle
    # CHECK: T.ret
    @T.prim_func
    def d_stay(x: T.Buffer((64,), "int32"), y: T.Buffer((4,), "int32")):
        for q in range(2):
            if q > 0:
                y[0:4] = y[0:4] + x[q:q + 8:2]
        for q in range(2):
            y[0:4] = y[0:4] + x[q * 2:q * 2 + 8:2]
        for q in range(7):
            y[0:4] = y[0:4] + x[q:q + 8:2]
        for q in range(2):
            y[0:4] = y[0:4] + x[q:q + 4]
        for q in range(2):
            y[0:4] = y[0:4] + x[q:q + 12:3]
        a = T.allocate([8], "int32", "global", annotations={"candidate_memory_pools": []})
        a_1 = T.Buffer((8,), "int32", data=a)
        a_1[0:8] = x[0:8]
        for q in range(2):
            y[0:4] = y[0:4] + a_1[q:q + 8:2]
        T.ret(0)
