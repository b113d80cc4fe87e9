# RUN: tenon-opt %s --pipeline=pack-operands --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=pack-operands,pack-operands | FileCheck %s
# COUNT: {{^ *4 +}}pack-operands.copies
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def a_transposed(
    # CHECK: k_packed = T.allocate([2048], "float32", "global")
    # CHECK: for p, p_1 in T.grid(64, 32):
    # CHECK-NEXT: k_packed_1[p * 32 + p_1] = k[p + p_1 * 64]
    # CHECK: for i, j in T.grid(16, 32):
    # CHECK: y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k_packed_1[d * 32 + j]
    @T.prim_func
    def a_transposed(q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((512,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 32):
            y[i * 32 + j] = T.float32(0)
            for d in range(64):
                y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]

    # Fused loops, and rows in blocks of 8.
    # CHECK-LABEL: def b_blocks(
    # CHECK: for p, p_1, p_2, p_3 in T.grid(4, 16, 4, 8):
    # CHECK-NEXT: k_packed_1[((p * 16 + p_1) * 4 + p_2) * 8 + p_3] = k[p * 512 + p_1 + p_2 * 128 + p_3 * 16]
    # CHECK: k_packed_1[((b // 32 * 16 + d) * 4 + o) * 8 + c]
    @T.prim_func
    def b_blocks(q: T.Buffer((2048,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((4096,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for b, o in T.grid(128, 4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for d, c in T.grid(16, 8):
                s_1[c] = s_1[c] + q[b * 16 + d] * k[b // 32 * 512 + o * 128 + c * 16 + d]
            for c in range(8):
                y[b * 32 + o * 8 + c] = s_1[c]

    # Too few uses of each element; an operand that is not apart; one that the loop changes; windows,
    # whose copy would be larger; integers; elements that a condition protects.
    # CHECK-LABEL: def c_stay(
    # CHECK-NOT: packed
    @T.prim_func
    def c_stay(n: T.Buffer((1,), "int32"), q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((2048,), "float32"), z: T.Buffer((512,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, d in T.grid(7, 32, 64):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]
        for i, j, d in T.grid(16, 32, 64):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[d * 32 + j]
        for i, j, d in T.grid(16, 32, 64):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * y[j * 64 + d]
        for i, j, d in T.grid(16, 32, 9):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 9 + d] * k[j * 2 + d]
        for i, j, d in T.grid(16, 32, 16):
            z[i * 32 + j] = z[i * 32 + j] + T.Cast("int32", q[i * 64 + d]) * T.Cast("int32", k[j * 64 + d])
        for i, j, d in T.grid(16, 32, 64):
            if d < n[0]:
                y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]

    # The index of the second operand splits the loop of the sum in two digits; the first operand has
    # an axis for each.
    # CHECK-LABEL: def d_split(
    # CHECK: q_packed_1[((p * 8 + p_1) * 4 + p_2) * 8 + p_3] = q[p * 32 + p_1 * 4 + p_2 + p_3 * 256]
    # CHECK: q_packed_1[((j * 8 + k // 4) * 4 + k % 4) * 8 + b] *
    @T.prim_func
    def d_split(q: T.Buffer((2048,), "float32"), f: T.Buffer((992,), "float32"), y: T.Buffer((1984,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for n, b, k, j in T.grid(31, 8, 32, 8):
            y[j * 248 + n * 8 + b] = y[j * 248 + n * 8 + b] + q[b * 256 + j * 32 + k] * f[k // 4 * 124 + n * 4 + k % 4]

    # The sum is local; its value is stored later.
    # CHECK-LABEL: def e_local(
    # CHECK: k_packed_1[p * 32 + p_1] = k[p + p_1 * 64]
    # CHECK: s_1[0] = s_1[0] + q[i * 64 + d] * k_packed_1[d * 32 + j]
    @T.prim_func
    def e_local(q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((512,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 32):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for d in range(64):
                s_1[0] = s_1[0] + q[i * 64 + d] * k[j * 64 + d]
            y[i * 32 + j] = T.max(s_1[0], T.float32(0))
