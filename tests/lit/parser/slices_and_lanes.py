# Regions of whole buffers and of slices without ends, scalars in comparisons of vectors, lanes that
# depend on the machine, and several statements in a line.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), N: T.Buffer((16,), "int32"), n: T.int32, m: T.int64):
    N[0:4] = T.Select(n < N[0:4], T.Broadcast(1, 4), T.Broadcast(0, 4))
    N[0:4] = T.Select(N[0:4] >= n, T.Broadcast(1, 4), T.Broadcast(0, 4))
    for i in range(m):
        with T.block("b"):
            v = T.axis.spatial(16, i)
            T.reads(A, N[:4], N[v:8])
            T.writes(A[T.Ramp(0, 1, 4)], A[v])
            A[v] = T.float32(N[v])
    for i in T.grid((2, 6)):
        A[i] = T.float32(0)
    for i, j in T.grid((2, 6), 3):
        A[i] = T.float32(0)
    if n < 3: A[0] = T.float32(1); A[1] = T.float32(2)
    A[0] = 1; A[1] = 2
    with T.block("c"):
        T.reads()
        T.writes()
        B = T.match_buffer(A[0:4])
        B[0] = T.float32(0)
    T.evaluate(T.vscale())
    s = T.Ramp(0, 1, T.vscale() * 4)
    r = T.Ramp(0, 1, 4 * T.vscale())
    q = T.Broadcast(1, T.vscale())

# CHECK:      # with T.block("root"):
# CHECK-NEXT: N[0:4] = T.Select(T.Broadcast(n, 4) < N[0:4], T.Broadcast(1, 4), T.Broadcast(0, 4))
# CHECK-NEXT: N[0:4] = T.Select(N[0:4] >= T.Broadcast(n, 4), T.Broadcast(1, 4), T.Broadcast(0, 4))
# CHECK-NEXT: for i in range(m):
# CHECK-NEXT: with T.block("b"):
# CHECK-NEXT: v = T.axis.spatial(16, i)
# CHECK-NEXT: T.reads(A[0:16], N[0:4], N[v:v + (v * -1 + 8)])
# CHECK-NEXT: T.writes(A[0:4], A[v])
# CHECK-NEXT: A[v] = T.Cast("float32", N[v])
# CHECK-NEXT: for i in range(2, 6):
# CHECK-NEXT: A[i] = T.float32(0)
# CHECK-NEXT: for i in range(2, 6):
# CHECK-NEXT: for j in range(3):
# CHECK-NEXT: A[i] = T.float32(0)
# CHECK-NEXT: if n < 3:
# CHECK-NEXT: A[0] = T.float32(1)
# CHECK-NEXT: A[1] = T.float32(2)
# CHECK-NEXT: A[0] = T.float32(1)
# CHECK-NEXT: A[1] = T.float32(2)
# CHECK-NEXT: with T.block("c"):
# CHECK-NEXT: T.reads()
# CHECK-NEXT: T.writes()
# CHECK-NEXT: B = T.match_buffer(A[0:4], (4,))
# CHECK-NEXT: B[0] = T.float32(0)
# CHECK-NEXT: T.vscale()
# CHECK-NEXT: s: T.int32xvscalex4 = T.Ramp(0, 1, T.vscale() * 4)
# CHECK-NEXT: r: T.int32xvscalex4 = T.Ramp(0, 1, T.vscale() * 4)
# CHECK-NEXT: q: T.int32xvscalex1 = T.Broadcast(1, T.vscale() * 1)
# CHECK-NEXT: T.evaluate(0)
