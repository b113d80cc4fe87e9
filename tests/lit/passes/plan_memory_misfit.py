# RUN: tenon-opt '--pipeline=assign-pool-info{workspace-pools=ws:400},plan-memory' --split-input-file --verify-diagnostics %s
# RUN: not tenon-opt '--pipeline=assign-pool-info{workspace-pools=near:120;far:200},plan-memory' --split-input-file %s 2>&1 >/dev/null | FileCheck --check-prefix=TWO %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Errors of plans that do not fit show the statement at the peak, the buffers that are live then, the
# least sufficient capacity, and the buffer that would have to shrink least.
# TWO: error: does not fit: buffer `Q` needs 300 bytes (100 more than its largest candidate, pool `far` of 200 bytes); it fits with 324 bytes in pool `far` (124 more, the least possible), or with 300 bytes in pool `near` (180 more, the least possible); with `Q` smaller by 100 bytes the lower bounds fit, but no plan is known [pass]
@I.ir_module
class Peak:
    @T.prim_func
    def main(A: T.Buffer((100,), "int8"), D: T.Buffer((100,), "int8")):
        T.func_attr({"global_symbol": "main"})
        # expected-note@+1 {{`P` has 100 bytes, in `main`}}
        P = T.allocate([100], "int8", "global")
        # expected-note@+1 {{`Q` has 300 bytes, in `main`}}
        Q = T.allocate([300], "int8", "global")
        T.evaluate(T.call_extern("int32", "f1", A.data, P))
        T.evaluate(T.call_extern("int32", "f2", P, Q))
        T.evaluate(T.call_extern("int32", "f3", P, Q, D.data))

    @T.prim_func
    def f1(A: T.Buffer((100,), "int8"), P: T.Buffer((100,), "int8")):
        T.func_attr({"global_symbol": "f1"})
        for i in range(100):
            P[i] = A[i]

    @T.prim_func
    def f2(P: T.Buffer((100,), "int8"), Q: T.Buffer((300,), "int8")):
        T.func_attr({"global_symbol": "f2"})
        # expected-note@+1 {{`S` has 20 bytes, in `f2`}}
        S = T.allocate([20], "int8", "global")
        S_1 = T.Buffer((20,), "int8", data=S)
        # expected-error@+1 {{does not fit: pool `ws` has 400 bytes, but needs at least 436 (36 more) for the buffers that are live at time 9: `Q` (300 bytes), `P` (100 bytes), `S` (20 bytes); it fits with 436 bytes in pool `ws` (36 more, the least possible), or with `P` smaller by 36 bytes [pass]}}
        for i in range(300):
            S_1[i % 20] = P[i % 100]
            Q[i] = S_1[i % 20]

    @T.prim_func
    def f3(P: T.Buffer((100,), "int8"), Q: T.Buffer((300,), "int8"), D: T.Buffer((100,), "int8")):
        T.func_attr({"global_symbol": "f3"})
        for i in range(100):
            D[i] = P[i] + Q[i * 3]
# -----
# A single buffer that is too large.
# TWO: error: does not fit: buffer `Q` needs 500 bytes (300 more than its largest candidate, pool `far` of 200 bytes); it fits with 500 bytes in pool `far` (300 more, the least possible), or with 500 bytes in pool `near` (380 more, the least possible), or with `Q` smaller by 300 bytes [pass]
@I.ir_module
class Single:
    @T.prim_func
    def main(A: T.Buffer((500,), "int8")):
        T.func_attr({"global_symbol": "main"})
        # expected-error@+1 {{does not fit: buffer `Q` needs 500 bytes (100 more than its largest candidate, pool `ws` of 400 bytes); it fits with 500 bytes in pool `ws` (100 more, the least possible), or with `Q` smaller by 100 bytes [pass]}}
        Q = T.allocate([500], "int8", "global")
        Q_1 = T.Buffer((500,), "int8", data=Q)
        for i in range(500):
            Q_1[i] = A[i]
        for i in range(500):
            A[i] = Q_1[499 - i]
