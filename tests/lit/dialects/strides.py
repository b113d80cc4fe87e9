# Allocations of `tirx` keep their strides and offsets.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s --verify-roundtrip > /dev/null
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "int32"), O: T.Buffer((24,), "int32")):
    # CHECK: B = T.alloc_buffer((2, 16), "int32", strides=(8, 1))
    # CHECK-NEXT: C = T.alloc_local((4,), "int32", elem_offset=8)
    # CHECK-NEXT: D = T.alloc_buffer((4,), scope="shared.dyn", align=16, annotations={"k": 1})
    B = T.alloc_buffer((2, 16), "int32", strides=(8, 1))
    C = T.alloc_local((4,), "int32", elem_offset=8)
    D = T.alloc_buffer((4,), scope="shared.dyn", align=16, annotations={"k": 1})
    O[0] = A[0, 0] + B[0, 0] + C[0] + T.Cast("int32", D[0])
    # An allocation may be the last statement of a block.
    # CHECK: E = T.alloc_buffer((4,))
    # CHECK-NOT: evaluate
    E = T.alloc_buffer((4,))
