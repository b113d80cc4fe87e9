# Scalars of the dialect tirx: declared, assigned and read by their names.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import tirx as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    x: T.int32
    x = 3
    (x) = 4
    x += 1
    s = T.alloc_scalar("int32")
    s = x + n
    A[0] = T.float32(s)
    u = n + 1
    A[1] = T.float32(u)
    with T.attr({"k": 1, "j": n}):
        A[u] = T.float32(2)
    z: T.let[T.int32] = n + 1
    A[z] = A[0]
    A.vstore([0], T.Broadcast(T.float32(1), 4))
    v = x.buffer
    v[0] = 5

# CHECK:      x: T.int32 = 3
# CHECK-NEXT: x = 4
# CHECK-NEXT: x = x + 1
# CHECK-NEXT: s: T.int32 = x + n
# CHECK-NEXT: A[0] = T.Cast("float32", s)
# CHECK-NEXT: u: T.int32 = n + 1
# CHECK-NEXT: A[1] = T.Cast("float32", u)
# CHECK-NEXT: with T.attr({"k": 1, "j": n}):
# CHECK-NEXT: A[u] = T.float32(2.0)
# CHECK-NEXT: z: T.let[T.int32] = n + 1
# CHECK-NEXT: A[z] = A[0]
# CHECK-NEXT: A[0:4] = T.Broadcast(T.float32(1.0), 4)
# CHECK-NEXT: x = 5
