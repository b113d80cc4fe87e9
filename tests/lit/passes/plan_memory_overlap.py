# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,plan-memory{overlap=on},verify-plan' %s | FileCheck --check-prefixes=CHECK,ON %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,plan-memory{overlap=in-place},verify-plan' %s | FileCheck --check-prefixes=CHECK,PLACE %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,plan-memory' %s | FileCheck --check-prefixes=CHECK,OFF %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,plan-memory{overlap=on algorithm=greedy_by_size}' %s | FileCheck --check-prefixes=CHECK,TVM %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,plan-memory{overlap=on algorithm=first_fit},verify-plan' %s | FileCheck --check-prefixes=CHECK,FIT %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# The chain of a keyword spotter: four depthwise convolutions of 25 x 5 x 64 bytes, each of which
# needs a row and a pixel, 384 bytes, and four pointwise ones, which compute in place. Without
# overlaps, two tensors of 8000 bytes are live together.
# CHECK-LABEL: I.module_attrs
# ON-SAME: "proven_optimal": True, "size_bytes": 9536}
# PLACE-SAME: "proven_optimal": True, "size_bytes": 16000}
# OFF-SAME: "proven_optimal": True, "size_bytes": 16000}
# TVM-SAME: "size_bytes": 64000}
# TVM-NOT: tenon.overlaps
# FIT-SAME: "size_bytes": 9536}
@I.ir_module
class Chain:
    @T.prim_func
    def main(x: T.Buffer((8000,), "int8"), y: T.Buffer((8000,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([8000], "int8", "global")
        b = T.allocate([8000], "int8", "global")
        c = T.allocate([8000], "int8", "global")
        d = T.allocate([8000], "int8", "global")
        e = T.allocate([8000], "int8", "global")
        f = T.allocate([8000], "int8", "global")
        g = T.allocate([8000], "int8", "global")
        h = T.allocate([8000], "int8", "global")
        i = T.allocate([8000], "int8", "global")
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        T.evaluate(T.call_extern("int32", "depthwise", a, b))
        T.evaluate(T.call_extern("int32", "pointwise", b, c))
        T.evaluate(T.call_extern("int32", "depthwise", c, d))
        T.evaluate(T.call_extern("int32", "pointwise", d, e))
        T.evaluate(T.call_extern("int32", "depthwise", e, f))
        T.evaluate(T.call_extern("int32", "pointwise", f, g))
        T.evaluate(T.call_extern("int32", "depthwise", g, h))
        T.evaluate(T.call_extern("int32", "pointwise", h, i))
        T.evaluate(T.call_extern("int32", "copy", i, y.data))

    @T.prim_func
    def copy(A: T.Buffer((8000,), "int8"), B: T.Buffer((8000,), "int8")):
        T.func_attr({"global_symbol": "copy", "tir.noalias": T.bool(True)})
        for i in range(8000):
            B[i] = A[i]

    @T.prim_func
    def depthwise(A: T.Buffer((8000,), "int8"), B: T.Buffer((8000,), "int8")):
        T.func_attr({"global_symbol": "depthwise", "tir.noalias": T.bool(True)})
        for p, c in T.grid(125, 64):
            s = T.allocate([1], "int32", "local")
            S = T.Buffer((1,), "int32", data=s, scope="local")
            S[0] = 0
            for dy, dx in T.grid(3, 3):
                S[0] = S[0] + T.if_then_else(1 <= p // 5 + dy and p // 5 + dy < 26 and 1 <= p % 5 + dx and p % 5 + dx < 6, T.Cast("int32", A[p // 5 * 320 + dy * 320 + p % 5 * 64 + dx * 64 + c - 384]), 0)
            B[p * 64 + c] = T.Cast("int8", S[0])

    @T.prim_func
    def pointwise(A: T.Buffer((8000,), "int8"), B: T.Buffer((8000,), "int8")):
        T.func_attr({"global_symbol": "pointwise", "tir.noalias": T.bool(True)})
        for p in range(125):
            s = T.allocate([64], "int32", "local")
            S = T.Buffer((64,), "int32", data=s, scope="local")
            for o in range(64):
                S[o] = 0
                for k in range(64):
                    S[o] = S[o] + T.Cast("int32", A[p * 64 + k]) * (o - k)
            for o in range(64):
                B[p * 64 + o] = T.Cast("int8", S[o])
# -----
# The second argument points into the first one.
# CHECK-LABEL: I.module_attrs
# CHECK-SAME: "size_bytes": 128}
@I.ir_module
class PointsInto:
    @T.prim_func
    def main(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([64], "int8", "global")
        b = T.allocate([64], "int8", "global")
        A = T.Buffer((64,), "int8", data=a)
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        T.evaluate(T.call_extern("int32", "twice", a, T.address_of(A[32]), b))
        T.evaluate(T.call_extern("int32", "copy", b, y.data))

    @T.prim_func
    def copy(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "copy"})
        for i in range(64):
            B[i] = A[i]

    @T.prim_func
    def twice(A: T.Buffer((32,), "int8"), C: T.Buffer((32,), "int8"), B: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "twice"})
        for i in range(32):
            B[i] = A[i]
            B[i + 32] = C[i]
# -----
# The input is read again, after the call.
# CHECK-LABEL: I.module_attrs
# CHECK-SAME: "size_bytes": 128}
@I.ir_module
class ReadLater:
    @T.prim_func
    def main(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([64], "int8", "global")
        b = T.allocate([64], "int8", "global")
        A = T.Buffer((64,), "int8", data=a)
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        T.evaluate(T.call_extern("int32", "copy", a, b))
        T.evaluate(T.call_extern("int32", "add", a, b, y.data))

    @T.prim_func
    def copy(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "copy"})
        for i in range(64):
            B[i] = A[i]

    @T.prim_func
    def add(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), C: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "add"})
        for i in range(64):
            C[i] = A[i] + B[i]
# -----
# Another code generator implements the function.
# CHECK-LABEL: I.module_attrs
# CHECK-SAME: "size_bytes": 128}
@I.ir_module
class Elsewhere:
    @T.prim_func
    def main(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([64], "int8", "global")
        b = T.allocate([64], "int8", "global")
        A = T.Buffer((64,), "int8", data=a)
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        T.evaluate(T.call_extern("int32", "elsewhere", a, b))
        T.evaluate(T.call_extern("int32", "copy", b, y.data))

    @T.prim_func
    def copy(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "copy"})
        for i in range(64):
            B[i] = A[i]

    @T.prim_func
    def elsewhere(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "elsewhere", "Compiler": "other"})
        for i in range(64):
            B[i] = A[i]
# -----
# The call runs again, and reads the same bytes again.
# CHECK-LABEL: I.module_attrs
# CHECK-SAME: "size_bytes": 128}
@I.ir_module
class Twice:
    @T.prim_func
    def main(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([64], "int8", "global")
        b = T.allocate([64], "int8", "global")
        A = T.Buffer((64,), "int8", data=a)
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        for t in range(2):
            T.evaluate(T.call_extern("int32", "copy", a, b))
            T.evaluate(T.call_extern("int32", "copy", b, y.data))

    @T.prim_func
    def copy(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "copy"})
        for i in range(64):
            B[i] = A[i]
