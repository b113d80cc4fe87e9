# Spellings that programs in Python use and TVM's printer does not: each one is read, and printed in
# the printer's way.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, A: T.Buffer((16,), "float32"), N: T.Buffer((16,), "int32"), n: T.int32, m: T.int64):
    T.func_attr({"one": "\u00e9 \u20ac \U0001F600 \u0041", "two": "\101\60 a\
b", "three": "\q \x41"})
    h = T.handle()
    p = T.handle("float32")
    T.prefetch(A, [T.Range(0, 4)])
    T.prefetch(A, [T.Range(8)])
    T.prefetch(A, [(4, n)])
    T.prefetch(A, [T.Range(n, n + 4)])
    T.buffer_store(A, T.float32(1), [0])
    T.buffer_store(N, 1, n)
    A[1] = T.cast(n, T.float32)
    A[2] = n.astype("float32")
    A[3] = T.call_intrin("tir.exp", A[0], dtype="float32")
    A[4] = T.call_intrin("float32", "tir.exp", A[0])
    N[2] = T.call_intrin("int32", "tir.if_then_else", n < 3, N[0], N[1])
    T.evaluate(A.access_ptr("rw", extent=4))
    T.evaluate(A.access_ptr("r", offset=n))
    T.evaluate(A.access_ptr(2))

# CHECK:      T.func_attr({"one": "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 A", "three": "\\q A", "two": "A0 ab"})
# CHECK-NEXT: T.prefetch(A, [T.Range(0, 4)])
# CHECK-NEXT: T.prefetch(A, [T.Range(0, 8)])
# CHECK-NEXT: T.prefetch(A, [T.Range(4, 4 + (n - 4))])
# CHECK-NEXT: T.prefetch(A, [T.Range(n, n + 4)])
# CHECK-NEXT: A[0] = T.float32(1)
# CHECK-NEXT: N[n] = 1
# CHECK-NEXT: A[1] = T.Cast("float32", n)
# CHECK-NEXT: A[2] = T.Cast("float32", n)
# CHECK-NEXT: A[3] = T.exp(A[0])
# CHECK-NEXT: A[4] = T.exp(A[0])
# CHECK-NEXT: N[2] = T.if_then_else(n < 3, N[0], N[1])
# CHECK-NEXT: T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 4, 3)
# CHECK-NEXT: T.tvm_access_ptr(T.type_annotation("float32"), A.data, n, 16 - n, 1)
# CHECK-NEXT: T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 2)
