# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory' --split-input-file %s | FileCheck %s

# Buffers that may share bytes, and buffers that must not: X and Y have 64 bytes each, so that the
# pool has 64 if they may overlap and 128 if they must not. TVM's liveness does not find any of this.

# from tvm.script import ir as I
# from tvm.script import tir as T

# Each iteration writes all of X before it reads any.
# CHECK-LABEL: class LoopNotCarried
# CHECK: "size_bytes": 64}
@I.ir_module
class LoopNotCarried:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            for i in range(64):
                X[i] = A[i]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# One element is kept for the next iteration.
# CHECK-LABEL: class LoopCarried
# CHECK: "size_bytes": 128}
@I.ir_module
class LoopCarried:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            for i in range(63):
                X[i] = A[i]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# The contents of X are used before X is overwritten.
# CHECK-LABEL: class LoopThatReadsFirst
# CHECK: "size_bytes": 128}
@I.ir_module
class LoopThatReadsFirst:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            B[o] = X[n]
            for i in range(64):
                X[i] = A[i]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# Sums start at zero in every iteration.
# CHECK-LABEL: class LoopOfSums
# CHECK: "size_bytes": 64}
@I.ir_module
class LoopOfSums:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            for i in range(64):
                X[i] = T.int8(0)
                for k in range(8):
                    X[i] = X[i] + A[k]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# Fused loops, in another order.
# CHECK-LABEL: class LoopFused
# CHECK: "size_bytes": 64}
@I.ir_module
class LoopFused:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            X2 = T.Buffer((8, 8), "int8", data=x)
            for f in range(64):
                X2[f % 8, f // 8] = A[f]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# Vectors.
# CHECK-LABEL: class LoopOfVectors
# CHECK: "size_bytes": 64}
@I.ir_module
class LoopOfVectors:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            for i in range(4):
                X[i * 16:i * 16 + 16] = A[i * 16:i * 16 + 16]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# Two halves through views, one with an offset.
# CHECK-LABEL: class LoopOfHalves
# CHECK: "size_bytes": 64}
@I.ir_module
class LoopOfHalves:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            L = T.Buffer((32,), "int8", data=x)
            H = T.Buffer((32,), "int8", data=x, elem_offset=32)
            for i in range(32):
                L[i] = A[i]
            for i in range(32):
                H[i] = A[i]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# The lower half is kept for the next iteration.
# CHECK-LABEL: class LoopOfOneHalf
# CHECK: "size_bytes": 128}
@I.ir_module
class LoopOfOneHalf:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            H = T.Buffer((32,), "int8", data=x, elem_offset=32)
            for i in range(32):
                H[i] = A[i]
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# One arm or the other, in each iteration.
# CHECK-LABEL: class BranchArms
# CHECK: "size_bytes": 64}
@I.ir_module
class BranchArms:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            if o < n:
                for i in range(64):
                    X[i] = A[i]
                B[o] = X[n]
            else:
                for i in range(64):
                    Y[i] = A[i]
                B[o] = Y[n]
# -----
# Each arm leaves values for the next iteration.
# CHECK-LABEL: class BranchArmsThatCarry
# CHECK: "size_bytes": 128}
@I.ir_module
class BranchArmsThatCarry:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            if o < n:
                X[o] = A[o]
                B[o] = X[n]
            else:
                Y[o] = A[o]
                B[o] = Y[n]
# -----
# X is live around the branch, but not in the arm that overwrites it.
# CHECK-LABEL: class BranchThatOverwrites
# CHECK: "size_bytes": 64}
@I.ir_module
class BranchThatOverwrites:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        if n < 3:
            for i in range(64):
                Y[i] = A[i]
            B[0] = Y[n]
            for i in range(64):
                X[i] = A[i]
        B[1] = X[n]
# -----
# X is live around the branch, and in it.
# CHECK-LABEL: class BranchThatKeeps
# CHECK: "size_bytes": 128}
@I.ir_module
class BranchThatKeeps:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        if n < 3:
            for i in range(64):
                Y[i] = A[i]
            B[0] = Y[n]
        B[1] = X[n]
# -----
# X is overwritten whenever the body runs.
# CHECK-LABEL: class WhileNotCarried
# CHECK: "size_bytes": 64}
@I.ir_module
class WhileNotCarried:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        while B[0] < T.int8(3):
            for i in range(64):
                X[i] = A[i]
            B[0] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[0] = Y[n]
# -----
# The condition reads X once more than the body runs.
# CHECK-LABEL: class WhileConditionReads
# CHECK: "size_bytes": 128}
@I.ir_module
class WhileConditionReads:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for i in range(64):
            X[i] = A[i]
        while X[n] < T.int8(3):
            for i in range(64):
                Y[i] = A[i]
            B[0] = Y[n]
            X[n] = X[n] + T.int8(1)
# -----
# The while loop after it does not end the liveness of X: it may run zero times.
# CHECK-LABEL: class WhileMayRunNever
# CHECK: "size_bytes": 128}
@I.ir_module
class WhileMayRunNever:
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
        while B[0] < T.int8(3):
            for i in range(64):
                X[i] = A[i]
            B[0] = X[n]
        B[1] = X[n]
# -----
# An extern that is declared to overwrite X without reading it.
# CHECK-LABEL: class ExternOverwrites
# CHECK: "size_bytes": 64}
@I.ir_module
class ExternOverwrites:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main", "tenon.externs": {"make": ["o"]}})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            T.call_extern("int32", "make", x)
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# An extern that writes a part of X.
# CHECK-LABEL: class ExternWrites
# CHECK: "size_bytes": 128}
@I.ir_module
class ExternWrites:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main", "tenon.externs": {"make": ["w"]}})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            T.call_extern("int32", "make", x)
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# An undeclared extern.
# CHECK-LABEL: class ExternUnknown
# CHECK: "size_bytes": 128}
@I.ir_module
class ExternUnknown:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for o in range(4):
            T.call_extern("int32", "make", x)
            B[o] = X[n]
            for i in range(64):
                Y[i] = A[i]
            B[o] = Y[n]
# -----
# Iterations run concurrently.
# CHECK-LABEL: class ParallelLoop
# CHECK: "size_bytes": 128}
@I.ir_module
class ParallelLoop:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), n: T.int32):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([64], "int8", "global")
        X = T.Buffer((64,), "int8", data=x)
        y = T.allocate([64], "int8", "global")
        Y = T.Buffer((64,), "int8", data=y)
        for p in T.parallel(4):
            X[p] = A[p]
            B[p] = X[p]
            Y[p] = A[p]
            B[p] = Y[p]
