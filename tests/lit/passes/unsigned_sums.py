# RUN: tenon-opt %s --pipeline=unsigned-sums | FileCheck %s
# RUN: tenon-opt %s --pipeline=unsigned-sums -o %t.1 && tenon-opt %t.1 --pipeline=unsigned-sums | diff %t.1 -
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    # A buffer that a block matches has the dtype of the other one.
    # CHECK-LABEL: def matched(
    # CHECK:       m_1[0] = m_1[0] + 1
    @T.prim_func
    def matched(y: T.Buffer((4,), "float32")):
        m = T.allocate([4], "int32", "global")
        m_1 = T.Buffer((4,), "int32", data=m)
        m_1[0] = m_1[0] + 1
        with T.block("part"):
            T.reads()
            T.writes(m_1[0:4])
            part = T.match_buffer(m_1[0:2], (2,), "int32")
            part[1] = 3

    # Pointers that others have, storage with two dtypes, and vectors.
    # CHECK-LABEL: def others(
    # CHECK:       s_1[0] = s_1[0] + 1
    # CHECK:       t_1[0] = t_1[0] + 1
    # CHECK:       v_1[0] = v_1[0] + 1
    # CHECK:       w_1[0:4] = w_1[0:4] + w_1[0:4]
    @T.prim_func
    def others(y: T.Buffer((4,), "float32")):
        s = T.allocate([4], "int32", "global")
        t = T.allocate([4], "int32", "global")
        v = T.allocate([4], "int32", "global")
        s_1 = T.Buffer((4,), "int32", data=s)
        s_1[0] = s_1[0] + 1
        T.call_extern("int32", "use", T.address_of(s_1[2]))
        t_1 = T.Buffer((4,), "int32", data=t)
        t_1[0] = t_1[0] + 1
        t_2 = T.Buffer((4,), "float32", data=t)
        y[0] = t_2[1]
        v_1 = T.Buffer((4,), "int32", data=v)
        v_1[0] = v_1[0] + 1
        T.call_extern("int32", "use", v)
        w = T.allocate([4], "int32", "global")
        w_1 = T.Buffer((4,), "int32", data=w)
        w_1[0:4] = w_1[0:4] + w_1[0:4]

    # A pointer into a pool. The sums of int16 are promoted to int in C, and do not wrap there.
    # CHECK-LABEL: def pools(
    # CHECK-NEXT:  s: T.handle("uint64") = T.address_of(pool[64])
    # CHECK:       s_1[0] = s_1[0] + T.Cast("uint64", a[0])
    # CHECK:       h_1[0] = h_1[0] + T.int16(1)
    @T.prim_func
    def pools(a: T.Buffer((4,), "int64"), pool: T.Buffer((128,), "uint8")):
        s: T.handle("int64") = T.address_of(pool[64])
        s_1 = T.Buffer((4,), "int64", data=s)
        s_1[0] = s_1[0] + a[0]
        h = T.allocate([4], "int16", "global")
        h_1 = T.Buffer((4,), "int16", data=h)
        h_1[0] = h_1[0] + T.int16(1)

    # A store adds to `s`. `u` is only stored to; `f` holds floats; `n` is a parameter, to which a second pointer leads;
    # each element of `m` is added to once.
    # CHECK-LABEL: def sums(
    # CHECK-NEXT:  n_sums: T.handle("uint32", "global") = T.address_of(n[0])
    # CHECK-NEXT:  s = T.allocate([4], "uint32", "global")
    # CHECK-NEXT:  u = T.allocate([4], "int32", "global")
    # CHECK-NEXT:  f = T.allocate([4], "float32", "global")
    # CHECK:       s_1[i] = T.uint32(4294967295)
    # CHECK:       s_1[i] = s_1[i] + T.Cast("uint32", a[i] * b[i])
    # CHECK-NEXT:  s_1[i] = T.Cast("uint32", a[i]) - s_1[i]
    # CHECK-NEXT:  s_1[i] = T.Cast("uint32", T.max(T.Cast("int32", s_1[i]), 0))
    # CHECK:       u_1[i] = T.Cast("int32", s_1[i]) + 1
    # CHECK:       f_1[i] = f_1[i] + T.float32(1)
    # CHECK:       n_1[i] = n_1[i] + T.Cast("uint32", a[i + k])
    # CHECK-NEXT:  m[i] = m[i] + 1
    # CHECK-NEXT:  n_1[0] = n_1[0] * T.Cast("uint32", T.Cast("int32", n_1[1]) // 2)
    @T.prim_func
    def sums(a: T.Buffer((4,), "int32"), b: T.Buffer((4,), "int32"), n: T.Buffer((4,), "int32"),
             m: T.Buffer((4,), "int32")):
        s = T.allocate([4], "int32", "global")
        u = T.allocate([4], "int32", "global")
        f = T.allocate([4], "float32", "global")
        s_1 = T.Buffer((4,), "int32", data=s)
        for i in range(4):
            s_1[i] = -1
        for i in range(4):
            s_1[i] = s_1[i] + a[i] * b[i]
            s_1[i] = a[i] - s_1[i]
            s_1[i] = T.max(s_1[i], 0)
        u_1 = T.Buffer((4,), "int32", data=u)
        for i in range(4):
            u_1[i] = s_1[i] + 1
        f_1 = T.Buffer((4,), "float32", data=f)
        for i in range(4):
            f_1[i] = f_1[i] + T.float32(1)
        for i in range(2):
            for k in range(2):
                n[i] = n[i] + a[i + k]
            m[i] = m[i] + 1
        n[0] = n[0] * (n[1] // 2)

    # Parameters that are passed on or of unknown size keep their elements.
    # CHECK-LABEL: def whole_parameters(
    # CHECK:       p[0] = p[0] + 1
    # CHECK:       q[0] = q[0] + 1
    @T.prim_func
    def whole_parameters(p: T.Buffer((4,), "int32"), q_h: T.handle, m: T.int32):
        q = T.match_buffer(q_h, (m,), "int32")
        for i in range(4):
            p[0] = p[0] + 1
            q[0] = q[0] + 1
        T.call_extern("int32", "use", p.data)
