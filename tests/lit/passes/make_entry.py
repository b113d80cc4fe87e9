# The functions through which an application runs a model.
# RUN: tenon-opt %s --split-input-file --pipeline=make-entry | FileCheck %s
# RUN: tenon-opt %s --split-input-file --pipeline=make-entry,make-entry | FileCheck %s
# RUN: tenon-opt %s --split-input-file --pipeline='make-entry{module-name=a.b}' | FileCheck %s --check-prefix=NAMED
# RUN: tenon-opt %s --split-input-file --pipeline='make-entry{constants-file=true}' | FileCheck %s --check-prefix=FILE

# from tvm.script import ir as I
# from tvm.script import tir as T

# Tensors and numbers are fields of the structs. The names follow from the entry's symbol.
# CHECK-LABEL: class Tensors
# CHECK: def tvmgen_net_run(inputs: T.handle, outputs: T.handle) -> T.int32:
# CHECK-NEXT: T.func_attr({"tenon.entry_function": "run"})
# CHECK-NEXT: n: T.handle("int32", "global") = T.entry_field(inputs, 1)
# CHECK-NEXT: b: T.handle("uint8", "global") = T.entry_field(inputs, 2)
# CHECK: T.ret(T.call_extern("int32", "__tvm_main__", T.entry_field(inputs, 0), n_1[0], T.entry_field(outputs, 0), b_1[0] != T.uint8(0)))
# NAMED: def tvmgen_a_b_run(
# FILE: def tvmgen_net_run(
# FILE: constants: T.int32 = T.call_extern("int32", "tvmgen_net_ready_constants")
# FILE-NEXT: if constants != 0:
# FILE-NEXT: T.ret(constants)
# FILE: T.ret(T.call_extern("int32", "tvmgen_net_constants_result", T.call_extern("int32", "__tvm_main__",
@I.ir_module
class Tensors:
    @T.prim_func
    def __tvm_main__(x: T.Buffer((2,), "int8"), n: T.int32, y: T.Buffer((2,), "int8"), b: T.bool):
        T.func_attr({"global_symbol": "tvmgen_net___tvm_main__"})
        if b:
            y[0] = x[n]
# -----
# Without an entry, nothing is added.
# CHECK-LABEL: class Library
# CHECK-NOT: entry_function
@I.ir_module
class Library:
    @T.prim_func
    def f(x: T.Buffer((2,), "int8")):
        T.func_attr({"global_symbol": "f"})
        x[0] = T.int8(1)

    @T.prim_func
    def g(x: T.Buffer((2,), "int8")):
        T.func_attr({"global_symbol": "g"})
        x[1] = T.int8(1)
# -----
# The result of the entry is the status. A function of the module, or one that it calls, may have
# the name of a function that is added.
# CHECK-LABEL: class Status
# CHECK: def tvmgen_default_run(x: T.Buffer
# CHECK: def tvmgen_default_run_1(outputs: T.handle) -> T.int32:
# CHECK: T.ret(T.Cast("int32", T.call_extern("int64", "main", T.entry_field(outputs, 0))))
@I.ir_module
class Status:
    @T.prim_func
    def main(x: T.Buffer((2,), "int8")) -> T.int64:
        T.func_attr({"global_symbol": "main"})
        T.call_extern("int32", "tvmgen_default_run", x.data)
        T.ret(T.Cast("int64", x[0]))

    @T.prim_func
    def tvmgen_default_run(x: T.Buffer((2,), "int8")):
        T.func_attr({"global_symbol": "tvmgen_default_run"})
        x[0] = T.int8(1)
