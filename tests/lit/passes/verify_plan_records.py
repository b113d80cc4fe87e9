# The plan records which distances of two allocations it takes for safe. Each record is checked at its ends.
# RUN: tenon-opt --split-input-file --verify-diagnostics --pipeline=assign-pool-info,verify-plan %s
from tvm.script import ir as I
from tvm.script import tir as T

# `shift` stores 64 bytes later than it reads.
@I.ir_module
class EachRecord:
    I.module_attrs({"tenon.memory_plan": {"overlaps": [{"allowed": [[None, -64]], "begun": "Q", "bound": "", "distance": -64, "dying": "P", "function": "shift"}, {"allowed": [[None, -64], [192, None]], "begun": "Q", "bound": "", "distance": -64, "dying": "P", "function": "shift"}, {"allowed": [[None, -64], [-64, -63]], "begun": "Q", "bound": "", "distance": -64, "dying": "P", "function": "shift"}]}})
    @T.prim_func(private=True)
    def shift(p: T.Buffer((192,), "int8"), q: T.Buffer((256,), "int8")):
        for i in range(192):
            q[i + 64] = p[i]
        for i in range(64):
            q[i] = T.int8(0)

    @T.prim_func(private=True)
    def zero(p: T.Buffer((192,), "int8"), q: T.Buffer((256,), "int8")):
        p[0] = T.int8(0)

    @T.prim_func
    def main(x: T.Buffer((192,), "int8"), y: T.Buffer((256,), "int8")):
        # expected-error@+1 {{the plan allows `P` and `Q` a distance that is not safe: at the distance -63, `shift` accesses byte 1 of `P` after it has stored to byte 64 of `Q`, which is the same}}
        P = T.allocate([192], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(64)]})
        Q = T.allocate([256], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        P_1 = T.Buffer((192,), "int8", data=P)
        Q_1 = T.Buffer((256,), "int8", data=Q)
        for i in range(192):
            P_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "zero", P, Q))
        T.evaluate(T.call_extern("int32", "shift", P, Q))
        for i in range(256):
            y[i] = Q_1[i]
# -----
# A record is about the starts of two allocations.
@I.ir_module
class OtherCalls:
    I.module_attrs({"tenon.memory_plan": {"overlaps": [{"allowed": [[0, 0]], "begun": "Q", "bound": "", "distance": 0, "dying": "P", "function": "copy"}]}})
    @T.prim_func(private=True)
    def copy(p: T.Buffer((7,), "int8"), q: T.Buffer((7,), "int8")):
        for i in range(7):
            q[i] = p[i]

    # expected-error@+2 {{the plan lets `P` and `Q` overlap in `copy`, but no call of it gets both}}
    @T.prim_func
    def main(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        P = T.allocate([8], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        Q = T.allocate([8], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        P_1 = T.Buffer((8,), "int8", data=P)
        Q_1 = T.Buffer((8,), "int8", data=Q)
        for i in range(8):
            P_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "copy", T.address_of(P_1[1]), Q))
        for i in range(7):
            y[i] = Q_1[i]
# -----
# The record means the memory `q1` of `inner`, the second one of this name: its distance from `d` is 0.
# The first `q12` may not be at this distance.
@I.ir_module
class SameNames:
    I.module_attrs({"tenon.memory_plan": {"overlaps": [{"allowed": [[0, 0]], "begun": "q12", "bound": "", "distance": 0, "dying": "d", "function": "copy"}]}})
    @T.prim_func(private=True)
    def copy(p: T.Buffer((8,), "int8"), q: T.Buffer((8,), "int8")):
        p[0] = T.int8(1)
        for i in range(8):
            q[i] = p[i]

    @T.prim_func(private=True)
    def inner(p: T.Buffer((8,), "int8"), r: T.Buffer((8,), "int8")):
        q1 = T.allocate([8], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(64)]})
        q1_1 = T.Buffer((8,), "int8", data=q1)
        T.evaluate(T.call_extern("int32", "copy", p.data, q1))
        for i in range(8):
            r[i] = q1_1[i]

    @T.prim_func
    def main(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        q1 = T.allocate([8], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        q12 = T.allocate([8], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(128)]})
        d = T.allocate([8], "int8", "global", annotations={"tenon.placement": ["ram", T.int64(64)]})
        q1_1 = T.Buffer((8,), "int8", data=q1)
        q12_1 = T.Buffer((8,), "int8", data=q12)
        for i in range(8):
            q1_1[i] = x[i]
        for i in range(8):
            q12_1[i] = q1_1[i]
        T.evaluate(T.call_extern("int32", "copy", q12, d))
        T.evaluate(T.call_extern("int32", "inner", d, y.data))
