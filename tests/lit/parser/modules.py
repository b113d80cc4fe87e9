# Modules: attributes, private functions, calls, both prefixes, targets, metadata.
# RUN: tenon-opt %s --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt %s --split-input-file | tenon-opt - --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt --verify-roundtrip --split-input-file %s -o %t

# CHECK: @I.ir_module
# CHECK-NEXT: class Module:
# CHECK-NEXT:     I.module_attrs({"flag": True, "list": [1, "a"], "map": {"b": 1.5, "c": 2.0, "d": 1000000000000000019884624838656.0}, "name": "m", "none": None, "number": 3})
# CHECK-NEXT:     @T.prim_func(private=True)
# CHECK-NEXT:     def helper(A: T.Buffer((8,), "float32"), n: T.int32):
# CHECK-NEXT:         A[n] = T.float32(1)
# CHECK:     @T.prim_func(private=True)
# CHECK-NEXT:     def value(n: T.int32) -> T.int32:
# CHECK-NEXT:         T.func_attr({"tenon.externs": {"f": ["r", "w", "c"], "g": []}})
# CHECK-NEXT:         return n + 1
# CHECK:     @T.prim_func
# CHECK-NEXT:     def main(A: T.Buffer((8,), "float32"), n: T.int32) -> T.int32:
# CHECK-NEXT:         T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
# CHECK-NEXT:         Module.helper(A.data, n)
# CHECK-NEXT:         return Module.value(n)

@I.ir_module
class Module:
    I.module_attrs({"name": "m", "flag": True, "number": 3, "none": None, "list": [1, "a"], "map": {"b": 1.5, "c": 2.0, "d": 1e30}})

    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), n: T.int32) -> T.int32:
        T.func_attr({"tir.noalias": True, "target": T.target({"kind": "c", "tag": "", "keys": ["cpu"]})})
        Module.helper(A.data, n)
        return Module.value(n)

    @T.prim_func(private=True)
    def helper(a: T.handle, n: T.int32):
        A = T.match_buffer(a, (8,))
        A[n] = 1

    @T.prim_func(private=True)
    def value(n: T.int32) -> T.int32:
        T.func_attr({"tenon.externs": {"f": ["r", "w", "c"], "g": []}})
        return n + 1

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def prefixes(A: T.Buffer((8,), "float32"), n: T.int32):
# CHECK-NEXT:     for i in range(8):
# CHECK-NEXT:         A[i] = T.float32(1) + T.exp(A[i])
# CHECK-NEXT:     T.evaluate(n)

import tvm
from tvm.script import ir, tir
from tvm.script import tir as X

@tir.prim_func
def prefixes(A: tir.Buffer((8,), "float32"), n: X.int32):
    for i in tir.serial(8):
        A[i] = X.float32(1) + tir.exp(A[i])
    tir.evaluate(n)

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def targets(n: T.int32):
# CHECK-NEXT:     T.func_attr({"a": T.target("llvm"), "b": T.target({"host": {"kind": "llvm"}, "kind": "c"})})
# CHECK-NEXT:     T.evaluate(n)

@T.prim_func
def targets(n: T.int32):
    T.func_attr({"a": T.target("llvm"), "b": T.target({"kind": "c", "host": {"kind": "llvm"}})})
    T.evaluate(n)

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def dangling_metadata(n: T.int32):
# CHECK-NEXT:     T.func_attr({"other": metadata["ir.WorkspacePoolInfo"][3], "pool": metadata["ir.WorkspacePoolInfo"][0]})
# CHECK-NEXT:     T.evaluate(n)
# CHECK: # Metadata omitted. Use show_meta=True in script() method to show it.

@T.prim_func
def dangling_metadata(n: T.int32):
    T.func_attr({"pool": metadata["ir.WorkspacePoolInfo"][0], "other": metadata["ir.WorkspacePoolInfo"][3]})
    T.evaluate(n)

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def quoted_keys(n: T.int32):
# CHECK-NEXT:     T.func_attr({"a \"b\" \\c": metadata["a \"b\" \\c"][0], "text": "tab\t quote\" back\\slash \x01 \xC3\xA9"})
# CHECK-NEXT:     T.call_extern("int32", "it's \"quoted\"")
# CHECK: # Metadata omitted. Use show_meta=True in script() method to show it.

@T.prim_func
def quoted_keys(n: T.int32):
    T.func_attr({"a \"b\" \\c": metadata["a \"b\" \\c"][0], "text": "tab\t quote\" back\\slash \x01 \u00e9"})
    T.call_extern("int32", 'it\'s "quoted"')
