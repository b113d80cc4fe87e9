# RUN: tenon-opt --pipeline=remove-no-op %s | FileCheck %s
# RUN: tenon-opt --pipeline=remove-no-op,remove-no-op --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# The second run changes nothing.
# ONCE: remove-no-op
# ONCE-NOT: remove-no-op
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # A pointer that is chosen at run time.
    # CHECK-LABEL: def chosen(
    # CHECK: q_1[0] = 1
    # CHECK: A[0] = T.Cast("float32", s_1[0])
    @T.prim_func
    def chosen(n: T.int32, A: T.Buffer((4,), "float32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        t = T.allocate([1], "int32", "global")
        t_1 = T.Buffer((1,), "int32", data=t)
        q: T.handle("int32") = T.if_then_else(n > 0, s, t)
        q_1 = T.Buffer((1,), "int32", data=q)
        q_1[0] = 1
        A[0] = T.Cast("float32", s_1[0])

    # Elements that a call or a loop with an effect needs stay, and so does a store whose value has an effect.
    # CHECK-LABEL: def read_later(
    # CHECK: s_1[0] = n
    # CHECK: t_1[s_1[0]] = 1
    # CHECK-NEXT: for i in range(t_1[0]):
    # CHECK-NEXT: A[i] = T.float32(1)
    # CHECK: u_1[0] = 3
    # CHECK-NEXT: T.call_extern("int32", "f", u)
    # CHECK: w_1[0] = T.call_extern("int32", "g")
    @T.prim_func
    def read_later(n: T.int32, A: T.Buffer((4,), "float32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        t = T.allocate([4], "int32", "global")
        t_1 = T.Buffer((4,), "int32", data=t)
        s_1[0] = n
        t_1[s_1[0]] = 1
        for i in range(t_1[0]):
            A[i] = T.float32(1)
        u = T.allocate([1], "int32", "global")
        u_1 = T.Buffer((1,), "int32", data=u)
        u_1[0] = 3
        T.evaluate(T.call_extern("int32", "f", u))
        w = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((1,), "int32", data=w)
        w_1[0] = T.call_extern("int32", "g")

    # Stores to scratch whose elements nothing reads are removed, with the conditions and loops around them. Elements that only
    # give other unread elements are unread.
    # CHECK-LABEL: def unread(
    # CHECK-NEXT: A[0] = T.float32(1)
    # CHECK-NOT: A
    @T.prim_func
    def unread(n: T.int32, A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
        s = T.allocate([4], "float32", "global")
        t = T.allocate([8], "float32", "local")
        s_1 = T.Buffer((4,), data=s)
        t_1 = T.Buffer((8,), data=t, scope="local")
        t_1[0:8] = B[0:8]
        for i in range(4):
            v: T.float32 = t_1[i]
            if t_1[i] > T.float32(0):
                s_1[i] = s_1[i] + v
        p: T.handle("float32") = T.address_of(s_1[2])
        p_1 = T.Buffer((2,), data=p)
        p_1[0] = A[0]
        A[0] = T.float32(1)
