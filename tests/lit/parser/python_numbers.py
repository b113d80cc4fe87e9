# Numbers of Python and of a type are computed as the parser reads them, as Python does; limits and classes of numbers.
# RUN: tenon-opt %s --split-input-file | FileCheck %s
# RUN: tenon-opt --verify-roundtrip --split-input-file %s -o %t

# CHECK-LABEL: def integers(
# CHECK-NEXT:     A[0] = 8
# CHECK-NEXT:     A[1] = 15
# CHECK-NEXT:     A[2] = 6
# CHECK-NEXT:     A[3] = -5
# CHECK-NEXT:     A[4] = 40
# CHECK-NEXT:     A[5] = -1
# CHECK-NEXT:     A[6] = 0
# CHECK-NEXT:     A[7] = -4
# CHECK-NEXT:     A[8] = 2
# CHECK-NEXT:     A[9] = -7
# CHECK-NEXT:     A[10] = 0
# CHECK-NEXT:     A[11] = -2
# CHECK-NEXT:     A[12] = 5
# CHECK-NEXT:     A[13] = -6
# CHECK-NEXT:     A[14] = 7
# CHECK-NEXT:     A[15] = 9
# CHECK-NEXT:     A[16] = 0
# CHECK-NEXT:     A[17] = 3

@T.prim_func
def integers(A: T.Buffer((32,), "int32")):
    A[0] = 12 & 10
    A[1] = 12 | 3
    A[2] = 12 ^ 10
    A[3] = -20 >> 2
    A[4] = 5 << 3
    A[5] = -7 >> 70
    A[6] = 7 >> 70
    A[7] = -7 // 2
    A[8] = -7 % 3
    A[9] = 7 // -1
    A[10] = 7 % -1
    A[11] = 7 - 9
    A[12] = +5
    A[13] = ~5
    A[14] = 0 or 7
    A[15] = 3 and 9
    A[16] = 0 and 9
    A[17] = 3 or 9

# -----

# CHECK-LABEL: def floats(
# CHECK-NEXT:     B[0] = T.float32(3.5)
# CHECK-NEXT:     B[1] = T.float32(-0.5)
# CHECK-NEXT:     B[2] = T.float32(4.5)
# CHECK-NEXT:     B[3] = T.float32(3.5)
# CHECK-NEXT:     B[4] = T.float32(3)
# CHECK-NEXT:     B[5] = T.float32(0.5)
# CHECK-NEXT:     B[6] = T.float32(-1.5)

@T.prim_func
def floats(B: T.Buffer((16,), "float32")):
    B[0] = 1.5 + 2
    B[1] = 1.5 - 2
    B[2] = 1.5 * 3
    B[3] = 7 / 2
    B[4] = 7.5 // 2
    B[5] = -7.5 % 2
    B[6] = -1.5

# -----

# CHECK-LABEL: def truths(
# CHECK-NEXT:     C[0] = T.bool(True)
# CHECK-NEXT:     C[1] = T.bool(False)
# CHECK-NEXT:     C[2] = T.bool(True)
# CHECK-NEXT:     C[3] = T.bool(False)
# CHECK-NEXT:     C[4] = T.bool(True)
# CHECK-NEXT:     C[5] = T.bool(False)
# CHECK-NEXT:     C[6] = T.bool(True)
# CHECK-NEXT:     C[7] = T.bool(False)
# CHECK-NEXT:     C[8] = T.bool(False)
# CHECK-NEXT:     C[9] = T.bool(True)

@T.prim_func
def truths(C: T.Buffer((16,), "bool")):
    C[0] = 1 < 2
    C[1] = 2 <= 1
    C[2] = 2 > 1
    C[3] = 1 >= 2
    C[4] = 1 == 1
    C[5] = 1 != 1
    C[6] = 1.5 <= 1.5
    C[7] = 1.5 != 1.5
    C[8] = not 0.5
    C[9] = 18446744073709551615 > 1

# -----

# CHECK-LABEL: def typed(
# CHECK-NEXT:     A[0] = 8
# CHECK-NEXT:     A[1] = 15
# CHECK-NEXT:     A[2] = 6
# CHECK-NEXT:     A[3] = -5
# CHECK-NEXT:     A[4] = 40
# CHECK-NEXT:     A[5] = n
# CHECK-NEXT:     A[6] = -2147483648
# CHECK-NEXT:     A[7] = T.bitwise_and(12, 10)

@T.prim_func
def typed(A: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = T.int32(12) & 10
    A[1] = T.int32(12) | 3
    A[2] = T.int32(12) ^ 10
    A[3] = T.int32(-20) >> 2
    A[4] = T.int32(5) << 3
    A[5] = n << 0
    A[6] = T.int32(1) << 31
    A[7] = T.bitwise_and(12, 10)

# -----

# CHECK-LABEL: def limits(
# CHECK-NEXT:     A[0] = T.int8(-128)
# CHECK-NEXT:     A[1] = T.int8(127)
# CHECK-NEXT:     B[0] = T.uint8(0)
# CHECK-NEXT:     B[1] = T.uint8(255)
# CHECK-NEXT:     C[0] = T.float32(-3.4028234663852886e+38)
# CHECK-NEXT:     C[1] = T.float32(3.4028234663852886e+38)
# CHECK-NEXT:     C[2] = T.float32("inf")
# CHECK-NEXT:     D[0] = T.uint64(18446744073709551615)
# CHECK-NEXT:     E[0] = T.float16(65504)
# CHECK-NEXT:     F[0] = T.int64(-9223372036854775808)
# CHECK-NEXT:     F[1] = T.int64(9223372036854775807)

@T.prim_func
def limits(A: T.Buffer((8,), "int8"), B: T.Buffer((8,), "uint8"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "uint64"), E: T.Buffer((8,), "float16"), F: T.Buffer((8,), "int64")):
    A[0] = T.min_value("int8")
    A[1] = T.max_value("int8")
    B[0] = T.min_value("uint8")
    B[1] = T.max_value("uint8")
    C[0] = T.min_value("float32")
    C[1] = T.max_value("float32")
    C[2] = T.infinity("float32")
    D[0] = T.max_value("uint64")
    E[0] = T.max_value("float16")
    F[0] = T.min_value("int64")
    F[1] = T.max_value("int64")

# -----

# CHECK-LABEL: def classes(
# CHECK-NEXT:     C[0] = T.isnan(x)
# CHECK-NEXT:     C[1] = T.bool(False)
# CHECK-NEXT:     C[2] = T.bool(False)
# CHECK-NEXT:     C[3] = T.bool(True)
# CHECK-NEXT:     C[4] = T.fabs(x) == T.float32("inf") and not T.isnan(x)
# CHECK-NEXT:     C[5] = not (T.fabs(x) == T.float32("inf") and not T.isnan(x)) and not T.isnan(x)
# CHECK-NEXT:     C[6] = T.isnan(T.Cast("float32", h))
# CHECK-NEXT:     A[0] = T.Select(n >= 0, n, 0 - n)
# CHECK-NEXT:     A[1] = n
# CHECK-NEXT:     B[0] = u

@T.prim_func
def classes(x: T.float32, h: T.float16, n: T.int32, u: T.uint8, C: T.Buffer((16,), "bool"), A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "uint8")):
    C[0] = T.isnan(x)
    C[1] = T.isnan(n)
    C[2] = T.isinf(n)
    C[3] = T.isfinite(n)
    C[4] = T.isinf(x)
    C[5] = T.isfinite(x)
    C[6] = T.isnan(h)
    A[0] = T.abs(n)
    A[1] = T.floor(n)
    B[0] = T.abs(u)
