# Choices and bits of float16 and bfloat16, bits of other types, elements of a rank 0 buffer, null pointers,
# halves of vectors, and statements without code (prefetch, assume): the interpreter's results, also in
# LLVM's code (../llvm/bits_of_values.test).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy f4 8 1 -2.5 inf -inf nan 0 1e30 -1e-30
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i4 8 7 -7 2147483647 -2147483648 0 1 12 -100
# RUN: %python %S/../../tools/Inputs/npy.py %t/u.npy u1 8 0 1 2 100 128 200 254 255
# RUN: tenon run %s --input %t/x.npy --input %t/q.npy --input %t/u.npy --output y=%t/y.npy --output o=%t/o.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=FLOATS
# RUN: %python %S/../../tools/Inputs/npy.py %t/o.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %s --engine=c --cc=%cc --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy
# RUN: tenon run %s --engine=c --cc=%cc --c-vectors=gnu --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy

# FLOATS: <f4 (40,) 1.0 0.5 inf 0.5 0.5 0.0 inf 0.5
# FLOATS-SAME: {{ }}2.0 0.5 inf 0.5 0.5 1.0 1.0002555517425873e+30 0.5
# FLOATS-SAME: {{ }}0.0 -7.25 inf -inf nan -1.0 inf -1.0
# FLOATS-SAME: {{ }}4.172325134277344e-07 nan nan 0.0 0.0 5.960464477539063e-08 7.152557373046875e-07 nan
# FLOATS-SAME: {{ }}1.0 0.25 inf 0.25 0.25 0.25 1.0002555517425873e+30 0.25
# INTS: <i4 (56,) 15360 49408 31744 64512 32256 0 31744 32768
# INTS-SAME: {{ }}0 1 0 1 0 1 0 1
# INTS-SAME: {{ }}7 249 255 0 0 1 12 156
# INTS-SAME: {{ }}0 15 7 8 0 0 0 15
# INTS-SAME: {{ }}11 -3 -2147483645 -2147483644 4 5 16 -96
# INTS-SAME: {{ }}0 1 0 0 0 0 0 0
# INTS-SAME: {{ }}7 -7 2147483647 -2147483648 0 1 12 -100
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), q: T.Buffer((8,), "int32"), u: T.Buffer((8,), "uint8"), y: T.Buffer((40,), "float32"), o: T.Buffer((56,), "int32"), s: T.Buffer((), "int32")):
    h = T.allocate([8], "float16", "global")
    h_1 = T.Buffer((8,), "float16", data=h)
    b = T.allocate([8], "bfloat16", "global")
    b_1 = T.Buffer((8,), "bfloat16", data=b)
    m = T.allocate([8], "bool", "global")
    m_1 = T.Buffer((8,), "bool", data=m)
    for i in range(8):
        h_1[i] = T.Cast("float16", x[i])
        b_1[i] = T.Cast("bfloat16", x[i])
    for i in range(8):
        y[i] = T.Cast("float32", T.if_then_else(q[i] > 0, h_1[i], T.float16(0.5)))
        y[8 + i] = T.Cast("float32", T.if_then_else(q[i] > 0, b_1[i] + b_1[0], T.bfloat16(0.5)))
        y[16 + i] = T.Cast("float32", T.fabs(h_1[i]) * h_1[i] - T.float16(1))
        y[24 + i] = T.Cast("float32", T.reinterpret("float16", T.Cast("uint16", q[i])))
        y[32 + i] = T.Cast("float32", T.max(b_1[i], T.bfloat16(0.25)))
        o[i] = T.Cast("int32", T.reinterpret("uint16", h_1[i]))
        m_1[i] = x[i] < T.float32(1)
    s[()] = 3
    s[()] = s[()] + 1
    for i in range(8):
        o[8 + i] = T.Cast("int32", m_1[i])
        o[16 + i] = T.Cast("int32", T.reinterpret("uint8", T.Cast("int8", q[i])))
        o[24 + i] = T.Cast("int32", T.reinterpret("uint32", q[i]) >> T.uint32(28))
        o[32 + i] = q[T.Cast("uint8", i)] + s[()]
    o[40] = T.Cast("int32", T.isnullptr(y.data))
    o[41] = T.Cast("int32", T.isnullptr(T.reinterpret("handle", T.Cast("uint64", T.isnullptr(y.data)))))
    T.assume(q[0] == 7)
    T.evaluate(q[0])
    T.prefetch(q, [T.Range(0, 4)])
    o[48:56] = T.vectorcombine("int32x8", T.vectorlow("int32x4", q[0:8]), T.vectorhigh("int32x4", q[0:8]))
