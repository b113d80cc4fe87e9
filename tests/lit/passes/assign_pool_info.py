# RUN: tenon-opt --pipeline=assign-pool-info --split-input-file %s | FileCheck %s
# RUN: tenon-opt '--pipeline=assign-pool-info{workspace-pools=fast:200704;slow}' --split-input-file %s | FileCheck --check-prefix=USER %s
# RUN: tenon-opt --pipeline=assign-pool-info,assign-pool-info --print-ir-after-change --split-input-file %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s
# RUN: not tenon-opt '--pipeline=assign-pool-info{workspace-pools=fast:many}' --split-input-file %s 2>&1 | FileCheck --check-prefix=BAD %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# BAD: the size of pool `fast` is `many`, expected a size in bytes, such as 65536 or 64K
# RUN: not tenon-opt %s --pipeline='assign-pool-info{workspace-pools="a:1:align=8:2"}' 2>&1 | FileCheck %s --check-prefix=TWICE
# RUN: not tenon-opt %s --pipeline='assign-pool-info{constant-pools="b;a:align=8:base=0:align=4"}' 2>&1 | FileCheck %s --check-prefix=TWICE-ALIGN
# TWICE: error: {{.*}}pool `a` has a second size, `2`
# TWICE-ALIGN: error: {{.*}}pool `a` has a second alignment, `4`
# ONCE: IR after assign-pool-info
# ONCE-NOT: IR after assign-pool-info (

# Without user-defined pools, there is one for data and one for constants.
# CHECK: \"pool_name\": \"{{[0-9]+}}\"
# CHECK: global_workspace
# CHECK-LABEL: def a_default(
# CHECK: c = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [{{.*}}]})
# CHECK: t = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": [metadata["ir.WorkspacePoolInfo"][0]]})

# With pools only for data, constants stay in place.
# USER: fast
# USER: slow
# USER-LABEL: def a_default(
# USER: c = T.allocate_const([1, 2, 3], "int8", [3]){{$}}
# USER: t = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": [metadata["ir.WorkspacePoolInfo"][0], metadata["ir.WorkspacePoolInfo"][1]]})

# Existing annotations do not change.
# USER: u = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": ["mine"]})

@I.ir_module
class Module:
    @T.prim_func
    def a_default(A: T.Buffer((3,), "int8")):
        c = T.allocate_const([1, 2, 3], "int8", [3])
        t = T.allocate([3], "int8", "global")
        u = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": ["mine"]})
        c_1 = T.Buffer((3,), "int8", data=c)
        t_1 = T.Buffer((3,), "int8", data=t)
        u_1 = T.Buffer((3,), "int8", data=u)
        for i in range(3):
            t_1[i] = c_1[i] + A[i]
            u_1[i] = t_1[i]
            A[i] = u_1[i]
