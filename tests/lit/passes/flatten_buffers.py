# RUN: tenon-opt %s --pipeline=flatten-buffers | FileCheck %s
# RUN: tenon-opt %s --pipeline=flatten-buffers,flatten-buffers --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# The second run changes nothing.
# ONCE: # IR after flatten-buffers
# ONCE-NOT: # IR after flatten-buffers

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Parameters keep their buffers, accesses use aliases; declarations vanish.
    # CHECK-LABEL: def a_compact(A: T.Buffer((2, 4, 8), "float32"), B: T.Buffer((), "float32")):
    # CHECK: C = T.allocate([32], "float32", "global")
    # CHECK-NOT: decl_buffer
    # CHECK-DAG: A_1 = T.Buffer((64,), data=A.data)
    # CHECK-DAG: C_1 = T.Buffer((32,), data=C)
    # CHECK: C_1[j * 8 + k] = A_1[(i * 4 + j) * 8 + k]
    # CHECK: B_1 = T.Buffer((1,), data=B.data)
    # CHECK: B_1[0] = T.float32(1)
    @T.prim_func
    def a_compact(A: T.Buffer((2, 4, 8), "float32"), B: T.Buffer((), "float32")):
        C = T.decl_buffer((4, 8))
        for i, j, k in T.grid(2, 4, 8):
            C[j, k] = A[i, j, k]
        B[()] = T.float32(1)

    # Strides and offset go into the index; for a vector only into its base.
    # CHECK-LABEL: def b_strided(
    # CHECK: A_1 = T.Buffer((118,), data=A.data)
    # CHECK: A_1[i * 32 + j * 2 + 5] = T.float32(0)
    # CHECK: A_1[i * 32 + 5:i * 32 + 5 + 8:2] = T.Broadcast(T.float32(1), 4)
    # CHECK: A_1[T.Broadcast(i * 32 + 6 + 5, 4)] = T.Broadcast(T.float32(1), 4)
    @T.prim_func
    def b_strided(a: T.handle):
        A = T.match_buffer(a, (4, 9), strides=(32, 2), elem_offset=5)
        for i, j in T.grid(4, 9):
            A[i, j] = T.float32(0)
            A[i, 0:4] = T.Broadcast(T.float32(1), 4)
            A[i, T.Broadcast(3, 4)] = T.Broadcast(T.float32(1), 4)

    # bool is stored as int8.
    # CHECK-LABEL: def c_bool(
    # CHECK: M = T.allocate([8], "int8", "global")
    # CHECK: M_1 = T.Buffer((8,), "int8", data=M)
    # CHECK: M_1[i] = T.Cast("int8", i < 4)
    # CHECK: if T.Cast("bool", M_1[i]):
    # CHECK: T.call_extern("int32", "f", T.address_of(M_1[0]))
    @T.prim_func
    def c_bool(A: T.Buffer((8,), "float32")):
        M = T.decl_buffer((8,), "bool")
        for i in range(8):
            M[i] = i < 4
            if M[i]:
                A[i] = T.float32(1)
        T.call_extern("int32", "f", T.address_of(M[0]))

    # More elements than int32 can count: the index is an int64.
    # CHECK-LABEL: def d_large(
    # CHECK: A_1 = T.Buffer((T.int64(4294967296),), "int8", data=A.data)
    # CHECK: A_1[T.Cast("int64", i) * T.int64(65536) + T.Cast("int64", j)] = T.int8(0)
    @T.prim_func
    def d_large(A: T.Buffer((65536, 65536), "int8")):
        for i, j in T.grid(65536, 65536):
            A[i, j] = T.int8(0)

    # Symbolic extents.
    # CHECK-LABEL: def e_symbolic(
    # CHECK: A_1 = T.Buffer((n * m,), data=A.data)
    # CHECK: A_1[i * m + 1] = T.float32(0)
    @T.prim_func
    def e_symbolic(a: T.handle, n: T.int32, m: T.int32):
        A = T.match_buffer(a, (n, m))
        for i in range(n):
            A[i, 1] = T.float32(0)

    # Vectors of bools are allocated as vectors of bytes.
    # CHECK-LABEL: def zmasks(
    # CHECK: M = T.allocate([2], "int8x2", "global")
    # CHECK: M_1[0] = T.Cast("int8x2", T.Cast("uint1x2", A_1[0:2]))
    @T.prim_func
    def zmasks(A: T.Buffer((4,), "bool")):
        M = T.allocate([2], "uint1x2", "global")
        M_1 = T.Buffer((2,), "uint1x2", data=M)
        M_1[0] = A[0:2]
        A[2:4] = M_1[0]
