# Blocks without `T.reads` and `T.writes` get the regions that their bodies access: the variables of
# inner loops are replaced by their ranges.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), n: T.int32):
    # Remainders, differences, minima, maxima, quotients and products of a loop's variable.
    # CHECK: with T.block("forms"):
    # CHECK: T.reads(A[0:T.max(w, 46) + 1])
    # CHECK-NEXT: T.writes(B[v])
    for i, j in T.grid(8, 8):
        with T.block("forms"):
            v, w = T.axis.remap("SS", [i, j])
            for k in range(4):
                B[v] = A[k % 3] + A[10 - k] + A[T.min(k, 2)] + A[T.max(k, w)] + A[20 + k // 2] + A[40 + k * 2]
    # A slice has the places of all its lanes.
    # CHECK: with T.block("lanes"):
    # CHECK: T.reads(A[v * 4:v * 4 + 7])
    # CHECK-NEXT: T.writes(B[v * 4:v * 4 + 4])
    for i in range(8):
        with T.block("lanes"):
            v = T.axis.spatial(8, i)
            for k in range(4):
                B[v * 4:v * 4 + 4] = A[v * 4 + k:v * 4 + k + 4]
    # An index that cannot be bounded means the whole buffer.
    # CHECK: with T.block("unknown"):
    # CHECK: T.reads(A[0:64])
    # CHECK-NEXT: T.writes(B[0:64])
    for i in range(8):
        with T.block("unknown"):
            v = T.axis.spatial(8, i)
            for k in range(4):
                B[T.bitwise_and(k, 3)] = A[k % n] + A[v]
    # Negative factors exchange the ends.
    # CHECK: with T.block("negative"):
    # CHECK: T.reads(A[2:21])
    # CHECK-NEXT: T.writes(B[v])
    for i in range(8):
        with T.block("negative"):
            v = T.axis.spatial(8, i)
            for k in range(4):
                B[v] = A[k * -1 + 5] + A[k * -2 + 20]
    # Places of two variables without an order: from the smaller to the larger one.
    # CHECK: with T.block("two_places"):
    # CHECK: T.reads(A[T.min(n, v):
    # CHECK-NEXT: T.writes(B[T.min(n, v):
    for i in range(8):
        with T.block("two_places"):
            v = T.axis.spatial(8, i)
            B[v] = A[v]
            B[n] = A[n]
    # The extent of a region between two variables is their difference.
    # CHECK: with T.block("between"):
    # CHECK: T.reads(A[v:v + (n - v + 4)])
    for i in range(8):
        with T.block("between"):
            v = T.axis.spatial(8, i)
            T.reads(A[v:n + 4])
            T.writes(B[v])
            B[v] = A[v]
