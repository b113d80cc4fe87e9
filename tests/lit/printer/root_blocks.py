# RUN: tenon-opt --verify-roundtrip %s
# RUN: tenon-opt %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Readers name the root block of a function `root`: the text only leaves out a block of that name.

@I.ir_module
class Module:
    # CHECK-LABEL: def without_a_name(
    # CHECK-NOT: root
    # CHECK: with T.block("")
    # CHECK-NEXT: T.reads()
    # CHECK-NEXT: T.writes()
    # CHECK-NEXT: B = T.alloc_buffer((16,))
    @T.prim_func
    def without_a_name(A: T.Buffer((16,), "float32")):
        with T.block():
            T.reads()
            T.writes()
            B = T.alloc_buffer((16,))
            for i in range(16):
                with T.block("copy"):
                    vi = T.axis.spatial(16, i)
                    B[vi] = A[vi]

    # CHECK-LABEL: def z_root(
    # CHECK: # with T.block("root"):
    # CHECK-NEXT: B = T.alloc_buffer((16,))
    @T.prim_func
    def z_root(A: T.Buffer((16,), "float32")):
        with T.block("root"):
            T.reads()
            T.writes()
            B = T.alloc_buffer((16,))
            for i in range(16):
                with T.block("copy"):
                    vi = T.axis.spatial(16, i)
                    B[vi] = A[vi]
