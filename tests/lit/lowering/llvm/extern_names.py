# Externs must have C names that differ from those of the generated code and of Tenon's headers.
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
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: expected an identifier of C as the name of an external function, found `a b`
        T.call_extern("int32", "a b", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: expected an identifier of C as the name of an external function, found `llvm.trap`
        T.call_extern("int32", "llvm.trap", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: expected an identifier of C as the name of an external function, found ``
        T.call_extern("int32", "", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: the generated code itself defines `tvmgen_default_run`, so an external function cannot have that name; choose another --module-name
        T.call_extern("int32", "tvmgen_default_run", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: names that begin with `tenon_` belong to Tenon's headers, so an external function cannot have the name `tenon_mine`
        T.call_extern("int32", "tenon_mine", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: names that begin with `TENON_` belong to Tenon's headers, so an external function cannot have the name `TENON_ALIGNED`
        T.call_extern("int32", "TENON_ALIGNED", y.data)
        # CHECK: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: names that begin with `tenon_` belong to Tenon's headers, so an external function cannot have the name `tenon_lz4_decompress`
        T.call_extern("int32", "tenon_lz4_decompress", y.data)
        # C: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: C and C++ cannot call an external function of the name `namespace`: it is a keyword, or a macro of their headers
        T.call_extern("int32", "namespace", y.data)
        # C: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: C and C++ cannot call an external function of the name `INFINITY`
        T.call_extern("int32", "INFINITY", y.data)
        # Names that only look like these are possible.
        # CHECK-NOT: extern_names.py:[[#@LINE+1]]:
        T.call_extern("int32", "tenons", y.data)
        # LLVM: extern_names.py:[[#@LINE+2]]:{{[0-9]+}}: error: cannot generate LLVM code for a call of the external function `tvmgen_default_main`: a function of the module has that symbol
        # C: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: cannot generate C for a call of the external function `tvmgen_default_main`: a function of the module has that symbol
        T.call_extern("int32", "tvmgen_default_main", y.data)
        # LLVM: extern_names.py:[[#@LINE+1]]:{{[0-9]+}}: error: cannot generate LLVM code for a call of `memset` with a handle for a number
        T.call_extern("int32", "memset", y.data, y.data, 4)
