# RUN: rm -rf %t && mkdir %t
# RUN: tenon-opt '--pipeline=assign-pool-info{workspace-pools=fast:4096:align=128:base=0x20000010;slow constant-pools=flash:align=256}' %s --verify-roundtrip -o %t/noted.py
# RUN: FileCheck %s --check-prefix=NOTED --input-file=%t/noted.py
# RUN: tenon-opt %t/noted.py --verify-roundtrip -o %t/again.py
# RUN: diff %t/noted.py %t/again.py
# RUN: tenon-opt %t/noted.py --pipeline=plan-memory -o %t/planned.py
# RUN: FileCheck %s --check-prefix=PLANNED --input-file=%t/planned.py
# RUN: tenon-opt %t/planned.py --pipeline=convert-pool-allocations-to-offsets --verify-roundtrip -o %t/converted.py
# RUN: FileCheck %s --check-prefix=CONVERTED --input-file=%t/converted.py
# RUN: tenon-opt %t/converted.py --verify-roundtrip -o %t/again.py
# RUN: diff %t/converted.py %t/again.py

# RUN: not tenon-opt '--pipeline=assign-pool-info{workspace-pools=a:align=48}' %s 2>&1 | FileCheck %s --check-prefix=ALIGN
# ALIGN: the alignment of pool `a` is 48, expected a power of two up to 268435456
# RUN: not tenon-opt '--pipeline=assign-pool-info{workspace-pools=a:base=0xfoo}' %s 2>&1 | FileCheck %s --check-prefix=BASE
# BASE: the base address of pool `a` is `0xfoo`, expected an address, such as 0x20000000
# RUN: not tenon-opt '--pipeline=assign-pool-info{workspace-pools=a:10;b;a:20}' %s 2>&1 | FileCheck %s --check-prefix=TWICE
# TWICE: two pools have the name `a`
# RUN: not tenon-opt '--pipeline=assign-pool-info{workspace-pools=:10}' %s 2>&1 | FileCheck %s --check-prefix=NAMELESS
# NAMELESS: a pool has no name

# Alignment and address are only in the records of pools that have them.
# NOTED: \"alignment\": \"
# NOTED: \"base_address\": \"
# NOTED-NOT: \"alignment\"
# NOTED: slow
# NOTED: c = T.allocate_const({{.*}}I.ConstantPoolInfo([], alignment=256, clock_frequency_hz=-1,

# The address of a buffer is aligned, not its offset. A pool's storage has the pool's own alignment.
# PLANNED: "fast": {"alignment": 128, "lower_bound_bytes": 304, "proven_optimal": True, "size_bytes": 304}
# PLANNED: "flash": {"alignment": 256,
# PLANNED-DAG: t = T.allocate([64], {{.*}}"tenon.placement": ["fast", T.int64({{112|240}})]})
# PLANNED-DAG: u = T.allocate([64], {{.*}}"tenon.placement": ["fast", T.int64({{112|240}})]})

# CONVERTED: T.match_buffer({{.*}}, (304,), "uint8", strides=(1,), align=128)
# CONVERTED: T.match_buffer({{.*}}, (3,), "uint8", strides=(1,), align=256)

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "main"})
        c = T.allocate_const([1, 2, 3], "int8", [3])
        t = T.allocate([64], "int8", "global")
        u = T.allocate([64], "int8", "global")
        c_1 = T.Buffer((3,), "int8", data=c)
        t_1 = T.Buffer((64,), "int8", data=t)
        u_1 = T.Buffer((64,), "int8", data=u)
        for i in range(64):
            t_1[i] = c_1[i % 3] + A[i]
        for i in range(64):
            u_1[i] = t_1[63 - i]
        for i in range(64):
            A[i] = u_1[i]
