# Externs must have C names that differ from the generated code's own functions.
# REQUIRES: llvm
# RUN: not tenon compile %s --emit=obj -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,LLVM
# RUN: not tenon compile %s --emit=c -o %t 2>&1 | FileCheck %s --check-prefixes=CHECK,C
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: an external function cannot be called `a b`: that is not an identifier of C
        T.call_extern("int32", "a b", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: an external function cannot be called `llvm.trap`
        T.call_extern("int32", "llvm.trap", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: an external function cannot be called ``
        T.call_extern("int32", "", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: `tvmgen_default_run` is what the generated code calls a part of its own, so it cannot be an external function; another --module-name
        T.call_extern("int32", "tvmgen_default_run", y.data)
        # LLVM: extern_names.py:[[#@LINE+2]]:{{[0-9]+}}: error: LLVM code cannot be made of a call of an external `tvmgen_default_main`: it is what a function of the module is called
        # C: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: C cannot be made of a call of an external `tvmgen_default_main`: it is what a function of the module is called
        T.call_extern("int32", "tvmgen_default_main", y.data)
        # LLVM: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: LLVM code cannot be made of a call of `memset` with a handle for a number
        T.call_extern("int32", "memset", y.data, y.data, 4)
