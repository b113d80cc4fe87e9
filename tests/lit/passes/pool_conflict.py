# RUN: tenon-opt --pipeline=plan-memory --verify-diagnostics --split-input-file %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Pools with the same name are one pool, and must have the same properties.
@I.ir_module
class Limits:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        T.func_attr({"global_symbol": "main"})
        # expected-note@+1 {{seen here}}
        c = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", size_hint_bytes=3)]})
        # expected-error@+1 {{the candidate pool `rom` (read-only, 4 bytes, alignment 1) differs from an earlier one of that name, `rom` (read-only, 3 bytes, alignment 1) [pass]}}
        d = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", size_hint_bytes=4)]})
        c_1 = T.Buffer((3,), "int8", data=c)
        d_1 = T.Buffer((3,), "int8", data=d)
        for i in range(3):
            A[i] = c_1[i] + d_1[i]
# -----
@I.ir_module
class Alignment:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        T.func_attr({"global_symbol": "main"})
        # expected-error@+1 {{the candidate pool `rom` has the alignment 48 and the base address 0, expected a power of two up to 2^28 and an address of 0 or more [pass]}}
        c = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", alignment=48)]})
        c_1 = T.Buffer((3,), "int8", data=c)
        for i in range(3):
            A[i] = c_1[i]
# -----
# Equal pools are one pool, even if they are written several times.
@I.ir_module
class Same:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        T.func_attr({"global_symbol": "main"})
        c = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", size_hint_bytes=30)]})
        d = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", size_hint_bytes=30)]})
        c_1 = T.Buffer((3,), "int8", data=c)
        d_1 = T.Buffer((3,), "int8", data=d)
        for i in range(3):
            A[i] = c_1[i] + d_1[i]

# -----
# An invalid pool is reported once, even if other allocations may use it.
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        # expected-error@+1 {{the candidate pool `rom` has the alignment 48}}
        c = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", alignment=48)]})
        d = T.allocate_const([4, 5, 6], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], pool_name="rom", alignment=48)]})
        c_1 = T.Buffer((3,), "int8", data=c)
        d_1 = T.Buffer((3,), "int8", data=d)
        for i in range(3):
            A[i] = c_1[i] + d_1[i]
