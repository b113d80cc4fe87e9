# RUN: tenon-opt %s --pipeline=sums-in-lanes | FileCheck %s
# RUN: not tenon-opt %s --pipeline='sums-in-lanes{max-lanes=2}' 2>&1 | FileCheck %s --check-prefix=OPTION
# from tvm.script import ir as I
# from tvm.script import tir as T

# OPTION: sums-in-lanes: expected max-lanes from 4 to 1024 and max-bytes from 1 to 1023, found 2 and 256

@I.ir_module
class Module:
    # CHECK-LABEL: def blocks
    # CHECK: for c in range(2):
    # CHECK-NEXT: s = T.allocate([64], "int32", "global")
    # CHECK: for [[C:c_[0-9]]] in range(64):
    # CHECK-NEXT: s_1[[[C]]] = 0
    # CHECK: for k in range(8):
    # CHECK-NEXT: if 2 < k:
    # CHECK-NEXT: for [[D:c_[0-9]]] in range(64):
    # CHECK-NEXT: s_1[[[D]]] = s_1[[[D]]] + x[k] * w[k * 128 + (c * 64 + [[D]])]
    # CHECK: for [[E:c_[0-9]]] in range(64):
    # CHECK-NEXT: y[c * 64 + [[E]]] = s_1[[[E]]]
    @T.prim_func
    def blocks(x: T.Buffer((8,), "int32"), w: T.Buffer((1024,), "int32"),
               y: T.Buffer((128,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(128):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                if 2 < k:
                    s_1[0] = s_1[0] + x[k] * w[k * 128 + c]
            y[c] = s_1[0]

    # CHECK-LABEL: def no_rows
    # Adjacent lanes would read elements that are not adjacent.
    # CHECK: T.allocate([1]
    @T.prim_func
    def no_rows(x: T.Buffer((8,), "int32"), w: T.Buffer((128,), "int32"),
                y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(16):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[k] * w[c * 8 + k]
            y[c] = s_1[0]

    # CHECK-LABEL: def own_condition
    # CHECK: T.allocate([1]
    @T.prim_func
    def own_condition(x: T.Buffer((128,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(16):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                if c < k:
                    s_1[0] = s_1[0] + x[k * 16 + c]
            y[c] = s_1[0]

    # CHECK-LABEL: def rows
    # GCC writes out short loops one by one. Together they are a loop of vectors.
    # CHECK: for k, c in T.grid(8, 4):
    # CHECK-NEXT: T.Buffer
    # CHECK-NEXT: s_1[c] = s_1[c] +
    # CHECK-NEXT: s_1[c + 4] = s_1[c + 4] +
    @T.prim_func
    def rows(x: T.Buffer((16,), "int32"), w: T.Buffer((32,), "int32"), s: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s_1 = T.Buffer((8,), "int32", data=s.data)
        for k in range(8):
            for c in range(4):
                s_1[c] = s_1[c] + x[k] * w[k * 4 + c]
            for c in range(4):
                s_1[c + 4] = s_1[c + 4] + x[k + 8] * w[k * 4 + c]

    # CHECK-LABEL: def rows_that_meet
    # CHECK-COUNT-2: for c{{.*}} in range(4):
    @T.prim_func
    def rows_that_meet(x: T.Buffer((16,), "int32"), w: T.Buffer((32,), "int32"), s: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s_1 = T.Buffer((8,), "int32", data=s.data)
        for k in range(8):
            for c in range(4):
                s_1[c] = s_1[c] + x[k] * w[k * 4 + c]
            for c in range(4):
                s_1[c + 3] = s_1[c + 3] + x[k + 8] * w[k * 4 + c]

    # CHECK-LABEL: def same_element
    # CHECK: T.allocate([1]
    @T.prim_func
    def same_element(x: T.Buffer((128,), "int32"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(16):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[k * 16 + c]
            y[0] = s_1[0]
