# RUN: tenon-opt %s --pipeline='recognise-ops,split-ops{targets=cmsis-nn}' --timing 2>%t | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT --input-file=%t
# A second run changes nothing.
# RUN: tenon-opt %s --pipeline='recognise-ops,split-ops{targets=cmsis-nn},split-ops{targets=cmsis-nn}' | FileCheck %s
# A target before, which takes operators whole, leaves nothing to cut. So does a target that wants no parts.
# RUN: tenon-opt %s --pipeline='recognise-ops,split-ops{targets=reference,cmsis-nn}' | FileCheck %s --check-prefix=WHOLE
# RUN: tenon-opt %s --pipeline='recognise-ops,split-ops{targets=blas}' | FileCheck %s --check-prefix=WHOLE
# RUN: tenon-opt %s --pipeline='recognise-ops,split-ops{targets=blas,cmsis-nn}' | FileCheck %s
# RUN: not tenon-opt %s --pipeline='split-ops' 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: not tenon-opt %s --pipeline='split-ops{targets=gpu}' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# COUNT: {{^ *2 +}}split-ops.operators
# WHOLE-NOT: _head
# NONE: expected targets in option `targets`, found none
# UNKNOWN: no code generator has the target `gpu`{{.*}}[unknown-target]

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Two calls of one operator: each has memory of its own between the parts. The order of calls stays.
    # CHECK-NOT: def dense(
    # CHECK: def dense_head(p0: T.Buffer((4,), "int8"), p1: T.Buffer((2,), "int8"))
    # CHECK: "kind": "dense"
    # CHECK: def dense_tail(p0: T.Buffer((2,), "int8"), p1: T.Buffer((2,), "float32"))
    # CHECK: "kind": "elementwise"
    @T.prim_func
    def dense(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        acc = T.allocate([1], "int32", "global")
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("float32", T.max(T.min(T.q_multiply_shift(acc_1[0], 1278221461, 31, -2), 127), -128)) * T.float32(0.5)

    # A forced operator stays as it is.
    # CHECK: def forced(
    @T.prim_func
    def forced(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "tenon.offload": "host"})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        acc = T.allocate([1], "int32", "global")
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("float32", T.max(T.min(T.q_multiply_shift(acc_1[0], 1278221461, 31, -2), 127), -128)) * T.float32(0.5)

    # The residual is an input of the second part only.
    # CHECK: def residual_head(p0: T.Buffer((4,), "int8"), p1: T.Buffer((2,), "int8"))
    # CHECK: def residual_tail(p0: T.Buffer((2,), "int8"), p1: T.Buffer((2,), "int8"), p2: T.Buffer((2,), "int8"))
    @T.prim_func
    def residual(r: T.Buffer((2,), "int8"), x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        acc = T.allocate([1], "int32", "global")
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.max(T.min(T.q_multiply_shift(acc_1[0], 1278221461, 31, -2) + 4, 127), -128) + T.Cast("int32", r[n]), 127), -128))

    # The value is used before and after the clip, so there is no place to cut.
    # CHECK: def used_twice(
    # CHECK-NOT: def used_twice_
    @T.prim_func
    def used_twice(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        acc = T.allocate([1], "int32", "global")
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("float32", T.max(T.min(T.q_multiply_shift(acc_1[0], 1278221461, 31, -2), 127), -128) + acc_1[0])

    # CHECK: def main(
    # CHECK-DAG: [[ONE:dense_head_out[_0-9]*]] = T.allocate([2], "int8", "global")
    # CHECK: T.call_extern("int32", "dense_head", x.data, [[A:dense_head_out[_0-9]*]])
    # CHECK-NEXT: T.call_extern("int32", "dense_tail", [[A]], a)
    # CHECK-NEXT: T.call_extern("int32", "dense_head", x2.data, [[B:dense_head_out[_0-9]*]])
    # CHECK-NEXT: T.call_extern("int32", "dense_tail", [[B]], y.data)
    # CHECK: T.call_extern("int32", "residual_head", x.data, [[C:residual_head_out]])
    # CHECK-NEXT: T.call_extern("int32", "residual_tail", [[C]], r.data, z.data)
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), x2: T.Buffer((4,), "int8"), r: T.Buffer((2,), "int8"), y: T.Buffer((2,), "float32"), z: T.Buffer((2,), "int8")):
        a = T.allocate([2], "float32", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "dense", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "dense", x2.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "forced", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "used_twice", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "residual", r.data, x.data, z.data))
