# RUN: tenon-opt %s --pipeline=legalize-small-floats | FileCheck %s
# RUN: tenon-opt %s --pipeline='legalize-small-floats{storage=bits}' | FileCheck --check-prefix=BITS --implicit-check-not='"float16"' --implicit-check-not=T.float16 %s
# RUN: tenon-opt %s --pipeline='legalize-small-floats{storage=bits8}' | FileCheck --check-prefix=EIGHT %s
# RUN: not tenon-opt %s --pipeline='legalize-small-floats{storage=half}' 2>&1 | FileCheck --check-prefix=BAD %s
# RUN: tenon-opt %s --pipeline='legalize-small-floats{storage=bits},legalize-small-floats{storage=bits}' --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# BAD: option `storage` is `half`, expected `keep`, `bits8` or `bits`
# The second run changes nothing.
# ONCE: # IR after legalize-small-floats
# ONCE-NOT: # IR after legalize-small-floats

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Each operation is rounded; comparisons are float32's; copies stay copies.
    # CHECK-LABEL: def a_keep(
    # CHECK: A[0] = T.Cast("float16", T.Cast("float32", T.Cast("float16", T.Cast("float32", A[1]) * T.Cast("float32", A[2]))) + T.float32(1.5))
    # CHECK-NEXT: A[1] = T.Cast("float16", T.exp(T.Cast("float32", A[1])))
    # CHECK-NEXT: A[2] = A[3]
    # CHECK-NEXT: if T.Cast("float32", A[0]) < T.Cast("float32", A[1]):
    # CHECK-NEXT: N[0] = T.Cast("int32", T.Cast("float32", A[0]))
    # CHECK: A[0:4] = T.Cast("float16x4", T.Cast("float32x4", A[4:8]) + T.Cast("float32x4", A[8:12]))

    # BITS-LABEL: def a_keep(A: T.Buffer((16,), "float16")
    # BITS: A_1 = T.Buffer((16,), "uint16", data=A.data)
    # BITS: A_1[2] = A_1[3]
    # EIGHT-LABEL: def a_keep(
    # EIGHT: A[2] = A[3]
    @T.prim_func
    def a_keep(A: T.Buffer((16,), "float16"), N: T.Buffer((1,), "int32")):
        A[0] = A[1] * A[2] + T.float16(1.5)
        A[1] = T.exp(A[1])
        A[2] = A[3]
        if A[0] < A[1]:
            N[0] = T.Cast("int32", A[0])
        A[0:4] = A[4:8] + A[8:12]

    # Local storage: constants are bit patterns; allocations and lets have unsigned dtypes.
    # BITS-LABEL: def b_storage(
    # BITS: B = T.allocate([4], "uint16", "global")
    # BITS: B_1 = T.Buffer((4,), "uint16", data=B)
    # BITS: B_1[0] = T.uint16(15872)
    # BITS: x: T.uint16 = B_1[0]
    # BITS: B_1[1] = T.if_then_else(F[0] < T.float32(0), x, T.uint16(0))
    @T.prim_func
    def b_storage(F: T.Buffer((1,), "float32")):
        B = T.allocate([4], "float16", "global")
        B_1 = T.Buffer((4,), "float16", data=B)
        B_1[0] = T.float16(1.5)
        x: T.float16 = B_1[0]
        B_1[1] = T.if_then_else(F[0] < T.float32(0), x, T.float16(0))

    # EIGHT-LABEL: def c_eight(
    # EIGHT-NOT: T.Cast("e4m3_float8"
    # EIGHT: E_1 = T.Buffer((4,), "uint8", data=E.data)
    # EIGHT: E_1[1] = E_1[0]
    # EIGHT-NOT: T.Cast("e4m3_float8"
    @T.prim_func
    def c_eight(E: T.Buffer((4,), "e4m3_float8"), F: T.Buffer((4,), "float32")):
        E[1] = E[0]
        F[0] = T.Cast("float32", E[0])
        E[2] = T.Cast("e4m3_float8", F[1])

    # A called function keeps its parameter types; lanes may be selected from bits.
    # EIGHT-LABEL: def zcalls(
    # EIGHT: T.call_extern("int32", "zscale", A.data, T.reinterpret("e5m2_float8", A_1[1]))
    # EIGHT: A_1[0:2] = T.vectorlow("uint8x2", A_1[0:4])
    @T.prim_func
    def zcalls(A: T.Buffer((4,), "e5m2_float8")):
        T.call_extern("int32", "zscale", A.data, A[1])
        A[0:2] = T.vectorlow("e5m2_float8x2", A[0:4])

    @T.prim_func
    def zscale(A: T.Buffer((4,), "e5m2_float8"), x: T.e5m2_float8):
        A[0] = x
