# Every cast of a float to an integer, of vectors and of scalars in loops. Run by saturating_values.test.
from tvm.script import tir as T

@T.prim_func
def main(f: T.Buffer((64,), "float32"), d: T.Buffer((64,), "float64"), f_int8: T.Buffer((128,), "int8"), f_int16: T.Buffer((128,), "int16"), f_int32: T.Buffer((128,), "int32"), f_int64: T.Buffer((128,), "int64"), f_uint8: T.Buffer((128,), "uint8"), f_uint16: T.Buffer((128,), "uint16"), f_uint32: T.Buffer((128,), "uint32"), f_uint64: T.Buffer((128,), "uint64"), d_int8: T.Buffer((128,), "int8"), d_int16: T.Buffer((128,), "int16"), d_int32: T.Buffer((128,), "int32"), d_int64: T.Buffer((128,), "int64"), d_uint8: T.Buffer((128,), "uint8"), d_uint16: T.Buffer((128,), "uint16"), d_uint32: T.Buffer((128,), "uint32"), d_uint64: T.Buffer((128,), "uint64")):
    for i in range(4):
        f_int8[i * 16:i * 16 + 16] = T.Cast("int8x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_int8[i + 64] = T.Cast("int8", f[i])
    for i in range(4):
        f_int16[i * 16:i * 16 + 16] = T.Cast("int16x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_int16[i + 64] = T.Cast("int16", f[i])
    for i in range(4):
        f_int32[i * 16:i * 16 + 16] = T.Cast("int32x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_int32[i + 64] = T.Cast("int32", f[i])
    for i in range(4):
        f_int64[i * 16:i * 16 + 16] = T.Cast("int64x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_int64[i + 64] = T.Cast("int64", f[i])
    for i in range(4):
        f_uint8[i * 16:i * 16 + 16] = T.Cast("uint8x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_uint8[i + 64] = T.Cast("uint8", f[i])
    for i in range(4):
        f_uint16[i * 16:i * 16 + 16] = T.Cast("uint16x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_uint16[i + 64] = T.Cast("uint16", f[i])
    for i in range(4):
        f_uint32[i * 16:i * 16 + 16] = T.Cast("uint32x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_uint32[i + 64] = T.Cast("uint32", f[i])
    for i in range(4):
        f_uint64[i * 16:i * 16 + 16] = T.Cast("uint64x16", f[i * 16:i * 16 + 16])
    for i in range(64):
        f_uint64[i + 64] = T.Cast("uint64", f[i])
    for i in range(4):
        d_int8[i * 16:i * 16 + 16] = T.Cast("int8x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_int8[i + 64] = T.Cast("int8", d[i])
    for i in range(4):
        d_int16[i * 16:i * 16 + 16] = T.Cast("int16x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_int16[i + 64] = T.Cast("int16", d[i])
    for i in range(4):
        d_int32[i * 16:i * 16 + 16] = T.Cast("int32x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_int32[i + 64] = T.Cast("int32", d[i])
    for i in range(4):
        d_int64[i * 16:i * 16 + 16] = T.Cast("int64x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_int64[i + 64] = T.Cast("int64", d[i])
    for i in range(4):
        d_uint8[i * 16:i * 16 + 16] = T.Cast("uint8x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_uint8[i + 64] = T.Cast("uint8", d[i])
    for i in range(4):
        d_uint16[i * 16:i * 16 + 16] = T.Cast("uint16x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_uint16[i + 64] = T.Cast("uint16", d[i])
    for i in range(4):
        d_uint32[i * 16:i * 16 + 16] = T.Cast("uint32x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_uint32[i + 64] = T.Cast("uint32", d[i])
    for i in range(4):
        d_uint64[i * 16:i * 16 + 16] = T.Cast("uint64x16", d[i * 16:i * 16 + 16])
    for i in range(64):
        d_uint64[i + 64] = T.Cast("uint64", d[i])
