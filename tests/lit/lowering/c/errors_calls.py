# Calls that C or LLVM's code lacks, and allocations of a size that is not constant, are located errors.
# RUN: not tenon compile %s --emit=c -o %t 2>&1 | FileCheck %s --check-prefix=C
# RUN: %if llvm %{ not tenon compile %s --emit=obj -o %t.o 2>&1 | FileCheck %s --check-prefix=LLVM %}
# C: errors_calls.py:[[#INTRIN:]]:12: error: cannot generate C for `call_llvm_pure_intrin` [lowering-c]
# C: errors_calls.py:[[#INTRIN+2]]:12: error: cannot generate C for `exp` of dtype `int32` [lowering-c]
# C: errors_calls.py:[[#INTRIN+3]]:28: error: cannot generate C for `tvm_struct_get` [lowering-c]
# C: errors_calls.py:[[#INTRIN+5]]:16: error: cannot declare `f` in C: an earlier call has other types, `int32_t f(int32_t);` [lowering-c]
# C: errors_calls.py:[[#INTRIN+6]]:16: error: cannot generate C for `call_cpacked_lowered` [lowering-c]
# C: errors_calls.py:[[#INTRIN+7]]:5: error: cannot generate C for the allocation `w`, whose size is not constant [lowering-c]
# LLVM: errors_calls.py:[[#INTRIN:]]:12: error: cannot generate LLVM code for `llvm.no.such`, which LLVM does not know [unsupported]
# LLVM: errors_calls.py:[[#INTRIN+1]]:12: error: cannot generate LLVM code for `llvm.sqrt` of arguments of these types [unsupported]
# LLVM: errors_calls.py:[[#INTRIN+2]]:12: error: cannot generate LLVM code for `exp` of dtype `int32` [unsupported]
# LLVM: errors_calls.py:[[#INTRIN+3]]:28: error: cannot generate LLVM code for `tvm_struct_get`, a part of packed calls with arguments on the stack [unsupported]
# LLVM: errors_calls.py:[[#INTRIN+5]]:16: error: cannot generate LLVM code for calls of `f` with different types [unsupported]
# LLVM: errors_calls.py:[[#INTRIN+6]]:16: error: cannot generate LLVM code for `call_cpacked_lowered`, a part of packed calls with arguments on the stack [unsupported]
# LLVM: errors_calls.py:[[#INTRIN+7]]:5: error: cannot generate LLVM code for the allocation `w`, whose size is not constant [unsupported]
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, q: T.Buffer((8,), "int32"), x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "int32")):
    y[0] = T.call_llvm_pure_intrin("int32", "llvm.no.such", T.uint32(1), q[0])
    y[1] = T.call_llvm_pure_intrin("int32", "llvm.sqrt", T.uint32(1), q[0])
    y[2] = T.Call("int32", "tir.exp", [q[0]])
    y[4] = T.Cast("int32", T.tvm_struct_get(y.data, 0, 4, "float32"))
    T.evaluate(T.call_extern("int32", "f", n))
    T.evaluate(T.call_extern("int32", "f", x[0]))
    T.evaluate(T.call_cpacked_lowered("f", y.data, q.data, 0, 1))
    w = T.allocate([n], "int32", "global")
    w_1 = T.Buffer((n,), "int32", data=w)
    w_1[0] = q[0]
    y[5] = w_1[0]
