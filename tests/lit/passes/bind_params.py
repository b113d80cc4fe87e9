# Parameters become constants with values from a file.
# RUN: rm -rf %t && %python %S/Inputs/make_param_files.py %t
# RUN: tenon-opt %s --pipeline='bind-params{file=%t/names.safetensors}' --verify-roundtrip --timing -o %t/bound.py 2>&1 | FileCheck %s --check-prefix=TIMING
# RUN: FileCheck %s < %t/bound.py
#
# By index: equivalent.
# RUN: tenon-opt %s --pipeline='bind-params{file=%t/index.safetensors}' --compare=%t/bound.py | FileCheck %s --check-prefix=EQUAL
# EQUAL: equal
#
# Some parameters; parameters of another function.
# RUN: tenon-opt %s --pipeline='bind-params{file=%t/only.safetensors}' | FileCheck %s --check-prefix=ONLY
# ONLY: def layer(p: T.handle("int8"), x: T.handle("int8"), y: T.handle("int8")):
# ONLY: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), n: T.int32):
# ONLY-NEXT: v = T.allocate_const(I.constant("v_1"), "int32", [2, 2])
# RUN: tenon-opt %s --pipeline='bind-params{file=%t/other.safetensors function=layer}' | FileCheck %s --check-prefix=OTHER
# OTHER: I.constant("v", [0], "int8", [1]), I.constant("p", [1, 2, 3, 4], "int8", [4]), I.constant("w", [1, 2, 3, 4], "int8", [4])
# OTHER: def layer(x: T.handle("int8"), y: T.handle("int8")):
# OTHER-NEXT: p = T.allocate_const(I.constant("p"), "int8", [4])
# OTHER: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), v: T.Buffer((2, 2), "int32"), n: T.int32):
# OTHER-NEXT: w = T.allocate_const(I.constant("w"), "int8", [4])
# OTHER: T.call_extern("int32", "layer", x.data, y.data)
# RUN: not tenon-opt %s --pipeline='bind-params{file=%t/only.safetensors function=none}' 2>&1 | FileCheck %s --check-prefix=NO-FUNCTION
# NO-FUNCTION: error: the module has no function `none` [pass]
# RUN: not tenon-opt %s --pipeline='bind-params{file=%t/none.safetensors}' 2>&1 | FileCheck %s --check-prefix=NO-FILE
# NO-FILE: error: cannot open `{{.*}}none.safetensors`: No such file or directory [constant-file]
# RUN: not tenon-opt %s --pipeline=bind-params 2>&1 | FileCheck %s --check-prefix=NO-OPTION
# NO-OPTION: error: cannot open ``: No such file or directory [constant-file]

# from tvm.script import ir as I
# from tvm.script import tir as T

# TIMING-DAG: 2 {{ *}}bind-params.bound
# TIMING-DAG: 20 {{ *}}bind-params.bytes

@I.ir_module
class Module:
    # Taken names get a number.
    # CHECK: I.module_attrs({"tenon.constants": [I.constant("v", [0], "int8", [1]), I.constant("w", [1, 2, 3, 4], "int8", [4]), I.constant("v_1", [5, 6, 7, 8], "int32", [2, 2])]})
    I.module_attrs({"tenon.constants": [I.constant("v", [0], "int8", [1])]})

    # Callers leave out the arguments.
    # CHECK: def caller(
    # CHECK: Module.main(x.data, y.data, 3)
    @T.prim_func
    def caller(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), z: T.Buffer((4,), "int32")):
        Module.main(x.data, y.data, x.data, z.data, 3)

    # Callees get the pointer as before.
    # CHECK: def layer(p: T.handle("int8"), x: T.handle("int8"), y: T.handle("int8")):
    @T.prim_func
    def layer(p: T.handle("int8"), x: T.handle("int8"), y: T.handle("int8")):
        p_1 = T.Buffer((4,), "int8", data=p)
        x_1 = T.Buffer((4,), "int8", data=x)
        y_1 = T.Buffer((4,), "int8", data=y)
        for i in range(4):
            y_1[i] = x_1[i] + p_1[i]

    # CHECK: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), n: T.int32):
    # CHECK-NEXT: w = T.allocate_const(I.constant("w"), "int8", [4])
    # CHECK-NEXT: v = T.allocate_const(I.constant("v_1"), "int32", [2, 2])
    # CHECK: T.call_extern("int32", "layer", w, x.data, y.data)
    # CHECK: [[V:v_.*]] = T.Buffer((2, 2), "int32", data=v)
    # CHECK: y[i] = y[i] + T.Cast("int8", [[V]][i // 2, i % 2] + n)
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), v: T.Buffer((2, 2), "int32"), n: T.int32):
        T.call_extern("int32", "layer", w.data, x.data, y.data)
        for i in range(4):
            y[i] = y[i] + T.Cast("int8", v[i // 2, i % 2] + n)
