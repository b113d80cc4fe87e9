# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory' --split-input-file %s | FileCheck %s

# Buffers that may share bytes across calls, and buffers that must not: X and Y have 64 bytes each, so that the
# pool has 64 if they may overlap and 128 if they must not. TVM's liveness does not find any of this.

# from tvm.script import ir as I
# from tvm.script import tir as T

# A callee overwrites X, and allocates 32 bytes.
# CHECK-LABEL: class LoopThatCalls
# CHECK: "size_bytes": 96}
@I.ir_module
class LoopThatCalls:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            T.call_extern("int32", "f", A.data, x)
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
        T.call_extern("int32", "f", A.data, B.data)

    @T.prim_func
    def f(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "f"})
        s = T.allocate([32], "int8", "global")
        S = T.Buffer((32,), "int8", data=s)
        for i in range(32):
            S[i] = P[i]
        for i in range(64):
            Q[i] = S[i // 2]

    @T.prim_func
    def g(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "g"})
        t = T.allocate([16], "int8", "global")
        T_1 = T.Buffer((16,), "int8", data=t)
        for i in range(16):
            T_1[i] = P[i]
        for i in range(64):
            Q[i] = T_1[i // 4]
        T.call_extern("int32", "f", P, Q)
# -----
# f's 32 bytes are live in each of its three calls, g's 16 before its call of f: X and f's bytes (96);
# Y is live with neither.
# CHECK-LABEL: class CalledFromTwoPlaces
# CHECK: "size_bytes": 96}
@I.ir_module
class CalledFromTwoPlaces:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        T.call_extern("int32", "f", A.data, x)
        T.call_extern("int32", "g", x, B.data)
        for i in range(64):
            Y[i] = A[i]
        B[0] = Y[n]
        T.call_extern("int32", "f", A.data, B.data)

    @T.prim_func
    def f(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "f"})
        s = T.allocate([32], "int8", "global")
        S = T.Buffer((32,), "int8", data=s)
        for i in range(32):
            S[i] = P[i]
        for i in range(64):
            Q[i] = S[i // 2]

    @T.prim_func
    def g(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "g"})
        t = T.allocate([16], "int8", "global")
        T_1 = T.Buffer((16,), "int8", data=t)
        for i in range(16):
            T_1[i] = P[i]
        for i in range(64):
            Q[i] = T_1[i // 4]
        T.call_extern("int32", "f", P, Q)
# -----
# Y is kept for the second call of f: X, Y and f's bytes.
# CHECK-LABEL: class CalledWithBoth
# CHECK: "size_bytes": 160}
@I.ir_module
class CalledWithBoth:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        for i in range(64):
            Y[i] = A[i]
        T.call_extern("int32", "f", x, B.data)
        T.call_extern("int32", "f", y, B.data)
        B[0] = X[n]

    @T.prim_func
    def f(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "f"})
        s = T.allocate([32], "int8", "global")
        S = T.Buffer((32,), "int8", data=s)
        for i in range(32):
            S[i] = P[i]
        for i in range(64):
            Q[i] = S[i // 2]

    @T.prim_func
    def g(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "g"})
        t = T.allocate([16], "int8", "global")
        T_1 = T.Buffer((16,), "int8", data=t)
        for i in range(16):
            T_1[i] = P[i]
        for i in range(64):
            Q[i] = T_1[i // 4]
        T.call_extern("int32", "f", P, Q)
# -----
# TVM does not see accesses of a callee through a let variable, and places Y over X.
# CHECK-LABEL: class ArgumentIsALet
# CHECK: "size_bytes": 128}
@I.ir_module
class ArgumentIsALet:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        p: T.handle("int8", "global") = T.address_of(X[0])
        for i in range(64):
            X[i] = A[i]
        for i in range(64):
            Y[i] = A[i]
        B[0] = Y[n]
        T.call_extern("int32", "reads", p, B.data, 3)

    @T.prim_func
    def reads(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8"), k: T.int32):
        T.func_attr({"global_symbol": "reads"})
        Q[k] = P[k]

    @T.prim_func
    def adds(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "adds"})
        for i in range(64):
            P[i] = P[i] + Q[i]
# -----
# The same with an address inside X.
# CHECK-LABEL: class ArgumentIsAnAddress
# CHECK: "size_bytes": 128}
@I.ir_module
class ArgumentIsAnAddress:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        for i in range(64):
            Y[i] = A[i]
        B[0] = Y[n]
        T.call_extern("int32", "reads", T.address_of(X[2]), B.data, 3)

    @T.prim_func
    def reads(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8"), k: T.int32):
        T.func_attr({"global_symbol": "reads"})
        Q[k] = P[k]

    @T.prim_func
    def adds(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "adds"})
        for i in range(64):
            P[i] = P[i] + Q[i]
# -----
# The same with a callee in the packed calling convention, which TVM does not enter.
# CHECK-LABEL: class CalleeIsPacked
# CHECK: "size_bytes": 128}
@I.ir_module
class CalleeIsPacked:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        for i in range(64):
            Y[i] = A[i]
        B[0] = Y[n]
        T.call_packed("reads", x, B.data, 3)

    @T.prim_func
    def reads(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8"), k: T.int32):
        T.func_attr({"global_symbol": "reads"})
        Q[k] = P[k]

    @T.prim_func
    def adds(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "adds"})
        for i in range(64):
            P[i] = P[i] + Q[i]
# -----
# The parameter that is X in the first call is another buffer in the second.
# CHECK-LABEL: class ArgumentOfAnotherCall
# CHECK: "size_bytes": 64}
@I.ir_module
class ArgumentOfAnotherCall:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        T.call_extern("int32", "reads", x, B.data, 3)
        for i in range(64):
            Y[i] = A[i]
        B[0] = Y[n]
        T.call_extern("int32", "reads", A.data, B.data, 3)

    @T.prim_func
    def reads(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8"), k: T.int32):
        T.func_attr({"global_symbol": "reads"})
        Q[k] = P[k]

    @T.prim_func
    def adds(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "adds"})
        for i in range(64):
            P[i] = P[i] + Q[i]
# -----
# Sums in X, computed by a callee. TVM ignores the loop around the call, which uses Y.
# CHECK-LABEL: class CarriedThroughCalls
# CHECK: "size_bytes": 128}
@I.ir_module
class CarriedThroughCalls:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            T.call_extern("int32", "adds", x, A.data)
            for i in range(64):
                Y[i] = A[i]
            B[0] = Y[n]
        B[1] = X[n]

    @T.prim_func
    def reads(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8"), k: T.int32):
        T.func_attr({"global_symbol": "reads"})
        Q[k] = P[k]

    @T.prim_func
    def adds(P: T.Buffer((64,), "int8"), Q: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "adds"})
        for i in range(64):
            P[i] = P[i] + Q[i]
# -----
# Statements after a possible return do not certainly overwrite.
# CHECK-LABEL: class LeavesEarly
# CHECK: "size_bytes": 128}
@I.ir_module
class LeavesEarly:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        for i in range(64):
            Y[i] = A[i]
        B[0] = Y[n]
        r: T.int32 = LeavesEarly.maybe(x, n)
        B[r] = X[n]

    @T.prim_func
    def maybe(P: T.Buffer((64,), "int8"), k: T.int32) -> T.int32:
        T.func_attr({"global_symbol": "maybe"})
        if k < 3:
            T.ret(0)
        for i in range(64):
            P[i] = T.int8(0)
        T.ret(1)
