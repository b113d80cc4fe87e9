# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{algorithm=greedy_by_size},convert-pool-allocations-to-offsets' --split-input-file %s 2>/dev/null | FileCheck %s
# RUN: tenon-opt '--pipeline=extract-constants' --split-input-file %s 2>/dev/null | FileCheck --check-prefix=EXTRACT %s

# Small modules of TVM's tests, rewritten.

# from tvm.script import ir as I
# from tvm.script import tir as T

# An intrinsic with an operand by tvm_access_ptr, which now points into the pool. The last parameter of
# main has no buffer, so TVM treats it as a resource handle and puts the pool before it.
# CHECK-LABEL: class TensorIntrin
# CHECK: def __tvm_main__(input: T.handle, global_workspace_0_var: T.handle("uint8", "global"), output: T.handle):
# CHECK: global_workspace_0_buffer_var = T.match_buffer(global_workspace_0_var, (40,), "uint8", strides=(1,), align=16)
# CHECK: T.call_extern("int32", "intrin", global_workspace_0_buffer_var.data)
# CHECK: def intrin(global_workspace_1_var: T.handle("uint8", "global")):
# CHECK: dense_let: T.handle("int32", "global") = T.address_of(global_workspace_1_buffer_var[0])
# CHECK: T.tvm_access_ptr(T.type_annotation("int32"), dense_let, 0, 1, 2)
# CHECK: T.Buffer((10,), "int32", data=dense_let)
@I.ir_module
class TensorIntrin:
    @T.prim_func
    def intrin():
        dense = T.allocate([10], "int32", "global")
        T.call_extern("int32", "intrin_function", T.tvm_access_ptr(T.type_annotation("int32"), dense, 0, 1, 2))
        dense_1 = T.Buffer((10,), "int32", data=dense)
        dense_1[0] = T.q_multiply_shift(dense_1[0], 1608879842, 31, -7)

    @T.prim_func
    def __tvm_main__(input: T.handle, output: T.handle):
        T.call_extern("int32", "intrin")
# -----
# Two of three constants are equal, and are one in the module's table.
# EXTRACT-LABEL: class ThreeConstants
# EXTRACT-NEXT: I.module_attrs({"tenon.constants": [I.constant("K_data", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "int32", [10]), I.constant("{{K_data_.*}}", [1, 2, 3, 1, 1, 1, 1, 1, 1, 1], "int32", [10])]})
# EXTRACT: def constant1(
# EXTRACT: T.allocate_const(I.constant("K_data"), "int32", [10])
# EXTRACT: def constant2(
# EXTRACT: T.allocate_const(I.constant("K_data"), "int32", [10])
# EXTRACT: def constant3(
# EXTRACT: T.allocate_const(I.constant("{{K_data_.*}}"), "int32", [10])
@I.ir_module
class ThreeConstants:
    @T.prim_func
    def constant1(a: T.handle):
        A = T.match_buffer(a, (10,), "int32")
        B = T.alloc_buffer((10,), "int32")
        K_data = T.allocate_const([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "int32", [10])
        K = T.Buffer((10,), "int32", data=K_data)
        for x in range(10):
            B[x] = A[x] + K[x]

    @T.prim_func
    def constant2(a: T.handle):
        A = T.match_buffer(a, (10,), "int32")
        B = T.alloc_buffer((10,), "int32")
        K_data = T.allocate_const([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "int32", [10])
        K = T.Buffer((10,), "int32", data=K_data)
        for x in range(10):
            B[x] = A[x] + K[x]

    @T.prim_func
    def constant3(a: T.handle):
        A = T.match_buffer(a, (10,), "int32")
        B = T.alloc_buffer((10,), "int32")
        K_data = T.allocate_const([1, 2, 3, 1, 1, 1, 1, 1, 1, 1], "int32", [10])
        K = T.Buffer((10,), "int32", data=K_data)
        for x in range(10):
            B[x] = A[x] + K[x]

    @T.prim_func
    def __tvm_main__(a: T.handle):
        A = T.match_buffer(a, (10,), "int32")
        T.call_extern("int32", "constant1", A.data)
        T.call_extern("int32", "constant2", A.data)
        T.call_extern("int32", "constant3", A.data)
# -----
# Four elements of four lanes of four bytes.
# CHECK-LABEL: class VectorType
# CHECK: (64,), "uint8", strides=(1,), align=16)
@I.ir_module
class VectorType:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (4,), "float32x4")
        B = T.match_buffer(b, (4,), "float32x4")
        C = T.allocate([4], "float32x4", "global")
        C_1 = T.Buffer((4,), "float32x4", data=C)
        for i in range(4):
            C_1[i] = A[i]
        for i in range(4):
            B[i] = C_1[i]
