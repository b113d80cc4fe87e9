# RUN: tenon-opt %s --pipeline=lower-blocks | FileCheck %s
# RUN: tenon-opt %s --pipeline=lower-blocks,lower-blocks --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# The second run changes nothing.
# ONCE: # IR after lower-blocks
# ONCE-NOT: # IR after lower-blocks

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # A buffer used in two stages is allocated around both; so is one that only predicated stages
    # use. The region becomes a view with the strides of its source; an unused buffer is removed.
    # CHECK-LABEL: def a_stages(
    # CHECK-NOT: T.alloc_buffer
    # CHECK: B = T.decl_buffer((16, 16))
    # CHECK-NEXT: C = T.decl_buffer((16, 16), "bool")
    # CHECK-NOT: U =
    # CHECK: for i, j in T.grid(16, 16):
    # CHECK-NEXT: B[i, j] = A[i, j] * T.float32(2)
    # CHECK: if i * 16 + j < 100:
    # CHECK-NEXT: C[i, j] = B[i, j] < T.float32(1)
    # CHECK: S = T.Buffer((4, 4), data=D.data, strides=(16, 1), elem_offset=i * 4 * 16 + j * 4)
    # CHECK-NEXT: S[x, y] = T.if_then_else(C[i * 4 + x, j * 4 + y], B[i * 4 + x, j * 4 + y], T.float32(0))
    # CHECK: T.call_extern("int32", "f", D.data, i * 4 * 16 + j * 4, 16)
    @T.prim_func
    def a_stages(A: T.Buffer((16, 16), "float32"), D: T.Buffer((16, 16), "float32")):
        B = T.alloc_buffer((16, 16))
        C = T.alloc_buffer((16, 16), "bool")
        U = T.alloc_buffer((16, 16))
        for i, j in T.grid(16, 16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads()
                T.writes()
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(16, 16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.where(i * 16 + j < 100)
                T.reads()
                T.writes()
                C[vi, vj] = B[vi, vj] < T.float32(1)
        for i in range(4):
            for j in range(4):
                with T.block("D"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads()
                    T.writes()
                    S = T.match_buffer(D[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), strides=("s0", "s1"), offset_factor=1)
                    for x, y in T.grid(4, 4):
                        S[x, y] = T.if_then_else(C[vi * 4 + x, vj * 4 + y], B[vi*4+x, vj*4+y], T.float32(0))
                    T.evaluate(T.call_extern("int32", "f", S.data, S.elem_offset, S.strides[0]))

    # Initialized when all reduction variables are at their minimum.
    # CHECK-LABEL: def b_reduction(
    # CHECK: if k == 0 and l + 2 == 2:
    # CHECK-NEXT: B[i] = T.float32(0)
    # CHECK-NEXT: B[i] = B[i] + A[i, k, l + 2]
    @T.prim_func
    def b_reduction(A: T.Buffer((4, 8, 8), "float32"), B: T.Buffer((4,), "float32")):
        for i, k, l in T.grid(4, 8, 3):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                vl = T.axis.reduce((2, 5), l + 2)
                T.reads(A[vi, vk, vl])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk, vl]

    # The next iteration may read elements that an iteration writes, so the allocation stays outside
    # the loop, although only the loop uses it. It moves into a branch.
    # CHECK-LABEL: def c_places(
    # CHECK: if n == 1:
    # CHECK-NEXT: carry = T.decl_buffer((1,))
    # CHECK-NEXT: for i in range(8):
    # CHECK: carry[0] = carry[0] + A[i]
    @T.prim_func
    def c_places(A: T.Buffer((8,), "float32"), n: T.int32):
        carry = T.alloc_buffer((1,))
        if n == 1:
            for i in range(8):
                with T.block("first"):
                    T.reads()
                    T.writes()
                    if i == 0:
                        carry[0] = T.float32(0)
                    carry[0] = carry[0] + A[i]
                    A[i] = carry[0]
        A[0] = T.float32(1)

    # A region of a view: offsets add up, strides are those of the first source.
    # CHECK-LABEL: def d_nested(
    # CHECK: W = T.Buffer((2, 2), data=A.data, strides=(8, 1), elem_offset=29)
    # CHECK-NEXT: W[1, 1] = T.float32(1)
    @T.prim_func
    def d_nested(A: T.Buffer((4, 4, 8), "float32")):
        with T.block("outer"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[0, 2:4, 4:8], (2, 4), strides=("v0", "v1"), offset_factor=1)
            with T.block("inner"):
                T.reads()
                T.writes()
                W = T.match_buffer(V[1:3, 1:3], (2, 2), strides=("w0", "w1"), offset_factor=1)
                W[1, 1] = T.float32(1)

    # Values that the block changes are read before it runs.
    # CHECK-LABEL: def zmoving(
    # CHECK: vi: T.int32 = A[i]
    # CHECK-NEXT: A[i] = vi + 1
    # CHECK-NEXT: B[vi] = vi
    # CHECK: first: T.int32 = A[0]
    # CHECK-NEXT: M = T.Buffer((2,), "int32", data=A.data, strides=(1,), elem_offset=first)
    @T.prim_func
    def zmoving(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            with T.block("at"):
                vi = T.axis.spatial(4, A[i])
                T.reads()
                T.writes()
                A[i] = vi + 1
                B[vi] = vi
        with T.block("part"):
            T.reads()
            T.writes()
            M = T.match_buffer(A[A[0]:A[0] + 2], (2,), "int32", strides=("s",), offset_factor=1)
            M[0] = 3
            M[1] = 3
