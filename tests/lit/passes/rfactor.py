# RUN: tenon-opt %s --pipeline=rfactor --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=rfactor,rfactor | FileCheck %s
# COUNT: {{^ *3 +}}rfactor.sums
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def a_sum(
    # CHECK: y_rf = T.allocate([256], "int32", "global")
    # CHECK: for k, j in T.grid(64, 4):
    # CHECK-NEXT: y_rf_1[k * 4 + j] = 0
    # CHECK-NEXT: for i, k, j in T.grid(32, 64, 4):
    # CHECK-NEXT: y_rf_1[k * 4 + j] = y_rf_1[k * 4 + j] + T.Cast("int32", x[i * 256 + k * 4 + j])
    # CHECK-NEXT: for k in range(64):
    # CHECK-NEXT: y[k] = 0
    # CHECK-NEXT: for j in range(4):
    # CHECK-NEXT: y[k] = y[k] + y_rf_1[k * 4 + j]
    @T.prim_func
    def a_sum(x: T.Buffer((8192,), "int8"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(64):
            y[k] = 0
            for i, j in T.grid(32, 4):
                y[k] = y[k] + T.Cast("int32", x[i * 256 + k * 4 + j])

    # A maximum in a local allocation, and the loop over results inside of another one.
    # CHECK-LABEL: def b_maximum(
    # CHECK: for b in range(2):
    # CHECK: s_1_rf_1[k * 2 + j] = T.int8(-128)
    # CHECK: s_1_rf_1[k * 2 + j] = T.max(s_1_rf_1[k * 2 + j], x[b * 1024 + i * 128 + k * 2 + j])
    # CHECK: s_1[0] = T.int8(-3)
    # CHECK: s_1[0] = T.max(s_1[0], s_1_rf_1[k * 2 + j])
    # CHECK: y[b * 64 + k] = s_1[0]
    @T.prim_func
    def b_maximum(x: T.Buffer((2048,), "int8"), y: T.Buffer((128,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for b, k in T.grid(2, 64):
            s = T.allocate([1], "int8", "global")
            s_1 = T.Buffer((1,), "int8", data=s)
            s_1[0] = T.int8(-3)
            for i, j in T.grid(8, 2):
                s_1[0] = T.max(s_1[0], x[b * 1024 + i * 128 + k * 2 + j])
            y[b * 64 + k] = s_1[0]

    # The loop over results is inside of the sum, and a layout has the elements in blocks.
    # CHECK-LABEL: def c_blocks(
    # CHECK: for j, i, k, i_1 in T.grid(16, 2, 64, 8):
    # CHECK: for k, i in T.grid(64, 8):
    # CHECK-NEXT: y[k] = y[k] + y_rf_1[k * 8 + i]
    @T.prim_func
    def c_blocks(x: T.Buffer((16384,), "uint8"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i, k in T.grid(16, 16, 64):
            y[k] = y[k] + T.Cast("int32", x[j * 1024 + i // 8 * 512 + k * 8 + i % 8])

    # Floats; few elements that are far apart; neighbours that are not all; many neighbours.
    # CHECK-LABEL: def d_stay(
    # CHECK-NOT: _rf
    # CHECK: T.ret
    @T.prim_func
    def d_stay(x: T.Buffer((16384,), "float32"), z: T.Buffer((16384,), "int32"), y: T.Buffer((64,), "float32"), w: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(64):
            for i, j in T.grid(32, 4):
                y[k] = y[k] + x[i * 256 + k * 4 + j]
        for k in range(64):
            for i, j in T.grid(4, 4):
                w[k] = w[k] + z[i * 256 + k * 4 + j]
        for k in range(64):
            for i, j in T.grid(32, 3):
                w[k] = w[k] + z[i * 256 + k * 4 + j]
        for k in range(64):
            for i, j in T.grid(8, 16):
                w[k] = w[k] + z[i * 1024 + k * 16 + j]
        T.ret(0)

    # The sum reads what the loop over results stores.
    # CHECK-LABEL: def e_dependent(
    # CHECK-NOT: _rf
    # CHECK: T.ret
    @T.prim_func
    def e_dependent(x: T.Buffer((8192,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(64):
            y[k] = 0
            for i, j in T.grid(32, 4):
                y[k] = y[k] + x[i * 256 + k * 4 + j]
            x[k] = y[k]
        T.ret(0)

    # A call may change what the sum reads.
    # CHECK-LABEL: def f_call(
    # CHECK-NOT: _rf
    # CHECK: T.ret
    @T.prim_func
    def f_call(x: T.Buffer((8192,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(64):
            y[k] = 0
            T.evaluate(T.call_extern("int32", "change", x.data))
            for i, j in T.grid(32, 4):
                y[k] = y[k] + x[i * 256 + k * 4 + j]
        T.ret(0)
