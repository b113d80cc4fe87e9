# Operators in conditions and loops of the entry become functions. The condition and the loop stay.
# RUN: tenon-opt %s --pipeline='inline-callees,outline-operators' --timing -o %t.py 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline='outline-operators' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal
# COUNT: 7 {{ *}}outline-operators.calls

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # CHECK-LABEL: def guarded(p0: T.Buffer((1,), "int32"), inout: T.Buffer((8,), "float32")):
    # CHECK: if p0[0] > 5:
    # CHECK-LABEL: def scale(inout: T.Buffer((8,), "float32")):
    # CHECK-NEXT: T.func_attr({"tenon.origins": ["scale"], "tir.noalias": T.bool(True)})
    # Scratch of one operator moves into its function.
    # CHECK-LABEL: def turn(inout: T.Buffer((8,), "float32")):
    # CHECK: T.allocate([8], "float32", "global")

    # A condition around one call is a part of its function.
    # CHECK-LABEL: def main(
    # CHECK: a = T.allocate([8], "float32", "global")
    # CHECK-NEXT: T.call_extern("int32", "set", x.data, a)
    # CHECK-NEXT: if n[0] > 0:
    # CHECK-NEXT: T.call_extern("int32", "scale", a)
    # CHECK-NEXT: for t in range(3):
    # CHECK-NEXT: T.call_extern("int32", "turn", a)
    # CHECK-NEXT: else:
    # CHECK-NEXT: T.call_extern("int32", "turn", a)
    # CHECK-NEXT: for t in range(n[0]):
    # CHECK-NEXT: T.call_extern("int32", "scale", a)
    # CHECK-NEXT: T.call_extern("int32", "guarded", n.data, a)
    # CHECK-NEXT: T.call_extern("int32", "set", a, y.data)
    @T.prim_func
    def main(n: T.Buffer((1,), "int32"), x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"runner_function": T.bool(True)})
        a = T.allocate([8], "float32", "global")
        T.evaluate(T.call_extern("int32", "set", x.data, a))
        if n[0] > 0:
            T.evaluate(T.call_extern("int32", "scale", a))
            for t in range(3):
                T.evaluate(T.call_extern("int32", "turn", a))
        else:
            T.evaluate(T.call_extern("int32", "turn", a))
        for t in range(n[0]):
            T.evaluate(T.call_extern("int32", "scale", a))
        if n[0] > 5:
            T.evaluate(T.call_extern("int32", "guarded", a))
        T.evaluate(T.call_extern("int32", "set", a, y.data))

    @T.prim_func(private=True)
    def set(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for i in range(8):
            y[i] = x[i]

    @T.prim_func(private=True)
    def scale(x: T.Buffer((8,), "float32")):
        for i in range(8):
            x[i] = x[i] * T.float32(2)

    @T.prim_func(private=True)
    def guarded(x: T.Buffer((8,), "float32")):
        for i in range(8):
            x[i] = x[i] + T.float32(1)

    @T.prim_func(private=True)
    def turn(x: T.Buffer((8,), "float32")):
        t = T.allocate([8], "float32", "global")
        t_1 = T.Buffer((8,), "float32", data=t)
        for i in range(8):
            t_1[i] = x[7 - i]
        for i in range(8):
            x[i] = t_1[i]
