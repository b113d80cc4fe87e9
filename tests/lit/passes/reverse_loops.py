# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,reverse-loops,plan-memory{overlap=on},verify-plan' %s | FileCheck --check-prefixes=CHECK,BOTH %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,plan-memory{overlap=on},verify-plan' %s | FileCheck --check-prefixes=CHECK,FORWARD %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info,reverse-loops{algorithm=greedy_by_size}' %s | FileCheck --check-prefix=TVM %s
# RUN: not tenon-opt --split-input-file '--pipeline=assign-pool-info{workspace-pools=ws:1080},reverse-loops,plan-memory{overlap=on}' %s 2>&1 | FileCheck --check-prefix=MISFIT %s
# RUN: tenon-opt --split-input-file '--pipeline=assign-pool-info{workspace-pools=ws:1088},reverse-loops,plan-memory{overlap=on}' %s 2>/dev/null | FileCheck --check-prefix=FITS %s

# A pool that is too small: the error counts the loops that run backwards when the pool is large enough.
# MISFIT: does not fit: pool `ws` has 1080 bytes, {{.*}}; it fits with 1088 bytes in pool `ws` (8 more, the least possible)
# FITS: Y[(15 - i) * 64 + (63 - j)] =

# from tvm.script import ir as I
# from tvm.script import tir as T

# Each layer needs the row before and the row after, 64 bytes each. Forward loops alone drift by 64
# bytes per layer; a backward loop in between returns the last layer.
# CHECK-LABEL: I.module_attrs
# BOTH-SAME: "distance": -64, "dying": "a", "function": "first"
# BOTH-SAME: "distance": 64, "dying": "b", "function": "second"
# BOTH-SAME: "distance": -64, "dying": "c", "function": "third"
# BOTH-SAME: "proven_optimal": True, "size_bytes": 1088}
# FORWARD-SAME: "proven_optimal": True, "size_bytes": 1216}
# BOTH-LABEL: def first(
# BOTH: Y[i * 64 + j] =
# BOTH-LABEL: def second(
# BOTH: Y[(15 - i) * 64 + (63 - j)] =
# BOTH-LABEL: def third(
# BOTH: Y[i * 64 + j] =
# FORWARD-NOT: 15 - i
# TVM-NOT: 15 - i
@I.ir_module
class Rows:
    @T.prim_func
    def main(x: T.Buffer((1024,), "int8"), y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([1024], "int8", "global")
        b = T.allocate([1024], "int8", "global")
        c = T.allocate([1024], "int8", "global")
        d = T.allocate([1024], "int8", "global")
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        T.evaluate(T.call_extern("int32", "first", a, b))
        T.evaluate(T.call_extern("int32", "second", b, c))
        T.evaluate(T.call_extern("int32", "third", c, d))
        T.evaluate(T.call_extern("int32", "copy", d, y.data))

    @T.prim_func
    def copy(X: T.Buffer((1024,), "int8"), Y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "copy", "tir.noalias": T.bool(True)})
        for i in range(1024):
            Y[i] = X[i]

    @T.prim_func
    def first(X: T.Buffer((1024,), "int8"), Y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "first", "tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 64):
            Y[i * 64 + j] = X[i * 64 + j] + T.if_then_else(0 < i, X[i * 64 + j - 64], T.int8(0)) + T.if_then_else(i < 15, X[i * 64 + j + 64], T.int8(0))

    @T.prim_func
    def second(X: T.Buffer((1024,), "int8"), Y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "second", "tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 64):
            Y[i * 64 + j] = X[i * 64 + j] - T.if_then_else(0 < i, X[i * 64 + j - 64], T.int8(0)) + T.if_then_else(i < 15, X[i * 64 + j + 64], T.int8(0))

    @T.prim_func
    def third(X: T.Buffer((1024,), "int8"), Y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "third", "tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 64):
            Y[i * 64 + j] = X[i * 64 + j] * T.if_then_else(0 < i, X[i * 64 + j - 64], T.int8(0)) + T.if_then_else(i < 15, X[i * 64 + j + 64], T.int8(0))
# -----
# `above` only reads the rows above: backward loops compute it in place, also in fused loops of
# pixels. Both calls of `above` have one order. `sum` needs its iterations in order, and stays.
# CHECK-LABEL: I.module_attrs
# BOTH-SAME: "proven_optimal": True, "size_bytes": 1024}
# FORWARD-SAME: "proven_optimal": True, "size_bytes": 1152}
# BOTH-LABEL: def above(
# BOTH: for p in range(64):
# BOTH: Y[(63 - p) // 4 * 64 + (63 - p) % 4 * 16 + j] =
# BOTH-LABEL: def sum(
# BOTH: Y[i] = X[i]
@I.ir_module
class Above:
    @T.prim_func
    def main(x: T.Buffer((1024,), "int8"), y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([1024], "int8", "global")
        b = T.allocate([1024], "int8", "global")
        c = T.allocate([1024], "int8", "global")
        T.evaluate(T.call_extern("int32", "sum", x.data, a))
        T.evaluate(T.call_extern("int32", "above", a, b))
        T.evaluate(T.call_extern("int32", "above", b, c))
        T.evaluate(T.call_extern("int32", "sum", c, y.data))

    @T.prim_func
    def above(X: T.Buffer((1024,), "int8"), Y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "above", "tir.noalias": T.bool(True)})
        for p in range(64):
            s = T.allocate([16], "int8", "local")
            S = T.Buffer((16,), "int8", data=s, scope="local")
            for j in range(16):
                S[j] = X[p // 4 * 64 + p % 4 * 16 + j] + T.if_then_else(0 < p // 4, X[p // 4 * 64 + p % 4 * 16 + j - 64], T.int8(0))
            for j in range(16):
                Y[p // 4 * 64 + p % 4 * 16 + j] = S[j]

    @T.prim_func
    def sum(X: T.Buffer((1024,), "int8"), Y: T.Buffer((1024,), "int8")):
        T.func_attr({"global_symbol": "sum", "tir.noalias": T.bool(True)})
        for i in range(1024):
            Y[i] = X[i] + T.if_then_else(0 < i, Y[i - 1], T.int8(0))
# -----
# No gain: loops do not change. Neither does a function without `tir.noalias`, whose loops might
# access the same bytes.
# CHECK-LABEL: I.module_attrs
# CHECK-SAME: "size_bytes": 1024}
# CHECK: Y[i] = X[i]
# CHECK: Y[i] = X[i] + T.if_then_else
@I.ir_module
class InPlace:
    @T.prim_func
    def main(x: T.Buffer((512,), "int8"), y: T.Buffer((512,), "int8")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([512], "int8", "global")
        b = T.allocate([512], "int8", "global")
        c = T.allocate([512], "int8", "global")
        T.evaluate(T.call_extern("int32", "copy", x.data, a))
        T.evaluate(T.call_extern("int32", "copy", a, b))
        T.evaluate(T.call_extern("int32", "last", b, c))
        T.evaluate(T.call_extern("int32", "copy", c, y.data))

    @T.prim_func
    def copy(X: T.Buffer((512,), "int8"), Y: T.Buffer((512,), "int8")):
        T.func_attr({"global_symbol": "copy", "tir.noalias": T.bool(True)})
        for i in range(512):
            Y[i] = X[i]

    @T.prim_func
    def last(X: T.Buffer((512,), "int8"), Y: T.Buffer((512,), "int8")):
        T.func_attr({"global_symbol": "last"})
        for i in range(512):
            Y[i] = X[i] + T.if_then_else(511 - i < i, X[511 - i], T.int8(0))
