# Forms that the parser spells with other operations: their values, by every engine.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %S/Inputs/math_forms_expected.py --output inf=%t/i.npy --output finite=%t/e.npy --output nan=%t/a.npy --output half=%t/h.npy --output n=%t/n.npy --output f=%t/f.npy
# RUN: tenon run %s --expect inf=%t/i.npy --expect finite=%t/e.npy --expect nan=%t/a.npy --expect half=%t/h.npy --expect n=%t/n.npy --expect f=%t/f.npy
# RUN: tenon run %s --engine=c --cc=%cc --expect inf=%t/i.npy --expect finite=%t/e.npy --expect nan=%t/a.npy --expect half=%t/h.npy --expect n=%t/n.npy --expect f=%t/f.npy

# from tvm.script import tir as T

@T.prim_func
def main(inf: T.Buffer((4,), "bool"), finite: T.Buffer((4,), "bool"), nan: T.Buffer((4,), "bool"), half: T.Buffer((4,), "bool"), n: T.Buffer((18,), "int64"), f: T.Buffer((8,), "float32")):
    X = T.alloc_buffer((4,))
    H = T.alloc_buffer((2,), "float16")
    N = T.alloc_buffer((2,), "int32")
    U = T.alloc_buffer((2,), "uint8")
    X[0] = T.infinity("float32")
    X[1] = T.float32("-inf")
    X[2] = T.float32("nan")
    X[3] = T.float32(" +1.5 ")
    H[0] = T.float16("inf")
    H[1] = T.max_value("float16")
    N[0] = -7
    N[1] = 3
    U[0] = 200
    # CHECK: inf[i] = T.fabs(X[i]) == T.float32("inf") and not T.isnan(X[i])
    for i in range(4):
        inf[i] = T.isinf(X[i])
        finite[i] = T.isfinite(X[i])
        nan[i] = T.isnan(X[i])
    half[0] = T.isinf(H[0])
    half[1] = T.isinf(H[1])
    # CHECK: half[2] = T.isnan(T.Cast("float32", H[0]))
    half[2] = T.isnan(H[0])
    half[3] = T.isfinite(H[1])
    # CHECK: n[0] = T.int64(-2147483648)
    n[0] = T.cast(T.min_value("int32"), "int64")
    n[1] = T.cast(T.max_value("int32"), "int64")
    n[2] = T.cast(T.min_value("uint8"), "int64")
    n[3] = T.cast(T.max_value("uint8"), "int64")
    n[4] = T.min_value("int64")
    # CHECK: n[5] = T.int64(9223372036854775807)
    n[5] = T.max_value("int64")
    # CHECK: T.uint64(18446744073709551615)
    n[6] = T.reinterpret("int64", T.max_value("uint64"))
    n[7] = T.int64(T.min_value("int8"))
    n[8] = T.int64(T.abs(N[0]))
    # An unsigned number is its own absolute value, and an integer its own floor.
    # CHECK: n[9] = T.Cast("int64", U[0])
    n[9] = T.int64(T.abs(U[0]))
    # CHECK: n[10] = T.Cast("int64", N[0])
    n[10] = T.int64(T.floor(N[0]))
    # CHECK: n[11] = T.int64(3)
    n[11] = T.int64(T.ceildiv(10, 4))
    n[12] = T.int64(T.ceildiv(N[0], 4))
    # CHECK: n[13] = T.int64(2)
    n[13] = T.int64(2.75)
    n[14] = T.int64(-2.75)
    # Integers are always finite.
    # CHECK: n[15] = T.int64(0)
    n[15] = T.int64(T.isinf(N[0]))
    n[16] = T.int64(T.isfinite(N[0]))
    n[17] = T.int64(T.isnan(N[0]))
    f[0] = T.min_value("float32")
    f[1] = T.max_value("float32")
    f[2] = T.float32(H[1])
    f[3] = X[3]
    # CHECK: f[4] = T.Cast("float32", N[0])
    f[4] = T.float32(N[0])
    f[5] = T.pow(T.float32(2), N[1])
    v = T.var("float32")
    w = T.Var("w", "float32")
    # CHECK: f[6] = T.Let(v + T.Let(w, where={w: T.float32(1.5)}), where={v: X[3]})
    f[6] = T.let(v, X[3], T.meta_var(v + T.Let(w, where={w: T.float32(1.5)})))
    f[7] = T.abs(T.float32(-0.5))
