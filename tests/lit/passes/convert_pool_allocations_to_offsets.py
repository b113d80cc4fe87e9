# RUN: not tenon-opt '--pipeline=assign-pool-info,plan-memory{algorithm=greedy_by_size},convert-pool-allocations-to-offsets' --split-input-file %s 2>%t.err | FileCheck %s
# RUN: FileCheck --check-prefix=ERROR --input-file=%t.err %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# A, B, C, D in a chain: B and C are live together.
# CHECK-LABEL: def op(
# CHECK-SAME: X: T.Buffer((256,), "int8"), Y: T.Buffer((256,), "int8"), global_workspace_1_var: T.handle("uint8", "global"))
# CHECK: allocated_size=512
# CHECK-LABEL: def main(
# CHECK-SAME: A: T.Buffer((256,), "int8"), D: T.Buffer((256,), "int8"), global_workspace_0_var: T.handle("uint8", "global"))
# CHECK: "pool_args": [I.AllocatedPoolInfo(pool_info=metadata["ir.WorkspacePoolInfo"][0], allocated_size=512)]
# CHECK: global_workspace_0_buffer_var = T.match_buffer(global_workspace_0_var, (512,), "uint8", strides=(1,), align=16)
# CHECK: B_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[256])
# CHECK: C_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[0])
# CHECK: T.call_extern("int32", "op", A.data, B_let, global_workspace_0_buffer_var.data)
# CHECK: T.call_extern("int32", "op", B_let, C_let, global_workspace_0_buffer_var.data)
# CHECK: T.call_extern("int32", "op", C_let, D.data, global_workspace_0_buffer_var.data)
@I.ir_module
class MergeAllocations:
    @T.prim_func
    def main(A: T.Buffer((256,), "int8"), D: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "main"})
        B = T.allocate([256], "int8", "global")
        C = T.allocate([256], "int8", "global")
        T.evaluate(T.call_extern("int32", "op", A.data, B))
        T.evaluate(T.call_extern("int32", "op", B, C))
        T.evaluate(T.call_extern("int32", "op", C, D.data))

    @T.prim_func
    def op(X: T.Buffer((256,), "int8"), Y: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "op"})
        for i in range(256):
            Y[i] = X[i]
# -----
# The same with declared buffers, which stay, on the address in the pool.
# CHECK-LABEL: class MergeAllocationsWithDeclBuffer
# CHECK: B_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[256])
# CHECK: T.decl_buffer((256,), "int8", data=B_let)
# CHECK: C_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[0])
# CHECK: T.decl_buffer((256,), "int8", data=C_let)
@I.ir_module
class MergeAllocationsWithDeclBuffer:
    @T.prim_func
    def main(A: T.Buffer((256,), "int8"), D: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "main"})
        B = T.allocate([256], "int8", "global")
        B_1 = T.decl_buffer((256,), "int8", data=B)
        C = T.allocate([256], "int8", "global")
        C_1 = T.decl_buffer((256,), "int8", data=C)
        T.evaluate(T.call_extern("int32", "op", A.data, B_1.data))
        T.evaluate(T.call_extern("int32", "op", B_1.data, C_1.data))
        T.evaluate(T.call_extern("int32", "op", C_1.data, D.data))

    @T.prim_func
    def op(X: T.Buffer((256,), "int8"), Y: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "op"})
        for i in range(256):
            Y[i] = X[i]
# -----
# A last parameter without a buffer is a resource handle: pools come before it, also in calls, whether
# the callee lists it or not. Two pools are in the order of their names; constants are listed inner
# before outer.
# CHECK-LABEL: class Handles
# CHECK: def a_callee(X: T.Buffer((4,), "int8"), global_const_workspace_2_var: T.handle("uint8", "global"), global_workspace_3_var: T.handle("uint8", "global"), context: T.handle):
# CHECK: I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo("inner_let", byte_offset={{[0-9]+}}, data={{.*}}), I.ConstantInfo("outer_let", byte_offset={{[0-9]+}}, data={{.*}})]), allocated_size=20)
# CHECK: def z_callee(X: T.Buffer((4,), "int8"), global_const_workspace_4_var: T.handle("uint8", "global"), global_workspace_5_var: T.handle("uint8", "global")):
# CHECK: def main(
# CHECK: T.call_cpacked("a_callee", t_let, global_const_workspace_0_buffer_var.data, global_workspace_1_buffer_var.data, T.reinterpret("handle", T.uint64(0)))
# CHECK: T.call_cpacked("z_callee", t_let, global_const_workspace_0_buffer_var.data, global_workspace_1_buffer_var.data, T.reinterpret("handle", T.uint64(0)))
@I.ir_module
class Handles:
    @T.prim_func
    def main(A: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        t = T.allocate([4], "int8", "global")
        T.evaluate(T.call_cpacked("a_callee", t, T.reinterpret("handle", T.uint64(0))))
        T.evaluate(T.call_cpacked("z_callee", t, T.reinterpret("handle", T.uint64(0))))

    @T.prim_func
    def a_callee(X: T.Buffer((4,), "int8"), context: T.handle):
        T.func_attr({"global_symbol": "a_callee"})
        outer = T.allocate_const([1, 2, 3, 4], "int8", [4])
        inner = T.allocate_const([5, 6, 7, 8], "int8", [4])
        outer_1 = T.Buffer((4,), "int8", data=outer)
        inner_1 = T.Buffer((4,), "int8", data=inner)
        for i in range(4):
            X[i] = outer_1[i] + inner_1[i]

    @T.prim_func
    def z_callee(X: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "z_callee"})
        X[0] = T.int8(1)
# -----
# Functions that main does not reach do not change.
# CHECK-LABEL: class Dup
# CHECK: def alone(X: T.Buffer((4,), "int8")):
# CHECK: t = T.allocate([4], "int8", "global", annotations=
@I.ir_module
class Dup:
    @T.prim_func
    def main(A: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        t = T.allocate([4], "int8", "global")
        t_1 = T.Buffer((4,), "int8", data=t)
        t_1[0] = A[0]

    @T.prim_func
    def alone(X: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "alone"})
        t = T.allocate([4], "int8", "global")
        t_1 = T.Buffer((4,), "int8", data=t)
        t_1[0] = X[0]
# -----
# A function other than the entry that calls a function with pools would have no pools to pass.
# ERROR: error: `beside` calls a function that takes memory pools, but has no pools to pass on: the entry `main` does not reach `beside` [pass]
# ERROR-NOT: error:
@I.ir_module
class Beside:
    @T.prim_func
    def main(A: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        t = T.allocate([4], "int8", "global")
        T.evaluate(T.call_extern("int32", "op", t))

    @T.prim_func
    def beside(A: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "beside"})
        T.evaluate(T.call_extern("int32", "op", A.data))

    @T.prim_func
    def op(X: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "op"})
        X[0] = T.int8(1)
