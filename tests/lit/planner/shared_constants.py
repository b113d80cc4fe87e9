# Tenon's planners place shared bytes of a constant once, with each use at its part; if a constant is
# only used through slices, only their bytes are placed. TVM's planners place every use.
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory' %s | FileCheck %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory,convert-pool-allocations-to-offsets' %s | FileCheck --check-prefix=POOL %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{algorithm=greedy_by_size}' %s | FileCheck --check-prefix=TVM %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# CHECK: "tenon.memory_plan": {"algorithm": "optimal", "pools": {"global_const_workspace": {{.*}}"size_bytes": 128}
# CHECK: again = T.allocate_const({{.*}}"tenon.placement": ["global_const_workspace", T.int64(0)]
# CHECK: a = T.allocate_const({{.*}}"tenon.placement": ["global_const_workspace", T.int64(0)]
# CHECK: b = T.allocate_const({{.*}}"tenon.placement": ["global_const_workspace", T.int64(64)]
# CHECK: c = T.allocate_const({{.*}}"tenon.placement": ["global_const_workspace", T.int64(96)]

# POOL: I.ConstantPoolInfo([I.ConstantInfo("again_let", byte_offset=0, data=I.constant("w")), I.ConstantInfo("b_let", byte_offset=64, data=I.constant("left"))])

# TVM: "size_bytes": 224}

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.splat(3), "int8", [64]),
        I.constant("big", I.splat(7), "int8", [1024]),
        I.constant("left", I.slice("big", 128), "int8", [64]),
        I.constant("right", I.slice("big", 160), "int8", [32])]})
    @T.prim_func
    def main(B: T.Buffer((4,), "int8")):
        a = T.allocate_const(I.constant("w"), "int8", [64])
        b = T.allocate_const(I.constant("left"), "int8", [64])
        c = T.allocate_const(I.constant("right"), "int8", [32])
        a_1 = T.Buffer((64,), "int8", data=a)
        b_1 = T.Buffer((64,), "int8", data=b)
        c_1 = T.Buffer((32,), "int8", data=c)
        for i in range(4):
            B[i] = a_1[i] + b_1[i] + c_1[i]
        Module.other(B.data)
    @T.prim_func
    def other(B: T.Buffer((4,), "int8")):
        again = T.allocate_const(I.constant("w"), "int8", [64])
        again_1 = T.Buffer((64,), "int8", data=again)
        for i in range(4):
            B[i] = B[i] + again_1[i]
