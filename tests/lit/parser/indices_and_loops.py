# Numbers of two widths in loops and regions, elements of lists, a float that is too small, and threads.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 4), "float32"), N: T.Buffer((16,), "int32"), n: T.int32, m: T.int64, p: T.Ptr["int8"]):
    iv = T.iter_var(T.var("int32"), None, "ThreadIndex", "threadIdx.x")
    N[0] = T.cast(m, N.dtype)
    N[1] = (3, 4)[1] + [5, 6][-1] + A.shape[0]
    A[0, 0] = 1e-400
    for i in range(m, 8):
        N[i] = 0
    with T.block("b"):
        T.reads(A[0:m, 1], N.vload([3]), N[n:n + 4])
        T.writes(N[T.int64(2):n])
        N[0] = T.int32(A[0, 1])
    if True: N[2] = 1; N[3] = 2
    else: N[4] = 3
    None
    T.var("int32")
    with T.launch_thread(iv, 4):
        N[0] = iv.var
    c = T.allocate_const([0.001, 0.05], "float16", [2])
    C = T.Buffer((2,), "float16", data=c)
    A[0, 1] = T.float32(C[0])

# CHECK:      # with T.block("root"):
# CHECK-NEXT: N[0] = T.Cast("int32", m)
# CHECK-NEXT: N[1] = 26
# CHECK-NEXT: A[0, 0] = T.float32(0)
# CHECK-NEXT: for i in range(m, m + (m * T.int64(-1) + T.int64(8))):
# CHECK-NEXT: N[i] = 0
# CHECK-NEXT: with T.block("b"):
# CHECK-NEXT: T.reads(A[T.int64(0):m, 1], N[3], N[n:n + 4])
# CHECK-NEXT: T.writes(N[T.int64(2):T.int64(2) + (T.Cast("int64", n) - T.int64(2))])
# CHECK-NEXT: N[0] = T.Cast("int32", A[0, 1])
# CHECK-NEXT: N[2] = 1
# CHECK-NEXT: N[3] = 2
# CHECK-NEXT: with T.launch_thread("threadIdx.x", 4) as iv:
# CHECK-NEXT: N[0] = iv
# CHECK-NEXT: c = T.allocate_const([0.001, 0.05], "float16", [2])
# CHECK-NEXT: C = T.Buffer((2,), "float16", data=c)
# CHECK-NEXT: A[0, 1] = T.Cast("float32", C[0])
