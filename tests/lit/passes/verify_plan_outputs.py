# Outputs and kept inputs are needed after the run, so nothing may overwrite them in the last statement.
# RUN: tenon-opt '--pipeline=create-io-allocates{keep-inputs=true},assign-pool-info,plan-memory{overlap=on workspace-alignment=1},verify-plan' %s -o %t.py
# RUN: FileCheck %s --input-file=%t.py
# CHECK: "size_bytes": 61
# CHECK: x = T.allocate([16], {{.*}}"tenon.placement": ["global_workspace", T.int64(0)]
# CHECK: b = T.allocate([9], {{.*}}"tenon.placement": ["global_workspace", T.int64(16)]
# CHECK: a = T.allocate([36], {{.*}}"tenon.placement": ["global_workspace", T.int64(25)]

# An output at the bytes of another one, whatever the other annotations say.
# RUN: sed 's/T.int64(16)/T.int64(25)/; s/"output_tensor": "[ab]", //' %t.py > %t.output.py
# RUN: not tenon-opt --pipeline=verify-plan %t.output.py 2>&1 >/dev/null | FileCheck --check-prefix=OUTPUT %s
# OUTPUT: error: `b` and `a` overlap in pool `global_workspace`: byte 0 of `a` is needed after `b` has overwritten it; run plan-memory again [pass]
# OUTPUT: note: overwritten here
# OUTPUT-NEXT: b[i] = a[i + 9]
# OUTPUT: note: needed after the run

# An output at the bytes of a kept input.
# RUN: sed 's/T.int64(25)/T.int64(8)/' %t.py > %t.input.py
# RUN: not tenon-opt --pipeline=verify-plan %t.input.py 2>&1 >/dev/null | FileCheck --check-prefix=INPUT %s
# INPUT: error: `x` and `a` overlap in pool `global_workspace`: byte 8 of `x` is needed after `a` has overwritten it; run plan-memory again [pass]

from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f0(x: T.Buffer((16,), "int8"), a: T.Buffer((36,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(36):
            a[i] = x[i % 16]

    @T.prim_func(private=True)
    def f1(a: T.Buffer((36,), "int8"), b: T.Buffer((9,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(9):
            b[i] = a[i + 9]

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), a: T.Buffer((36,), "int8"), b: T.Buffer((9,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        Module.f0(x.data, a.data)
        Module.f1(a.data, b.data)
