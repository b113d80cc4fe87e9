# RUN: tenon-opt %s --pipeline=merge-functions -o %t.py && FileCheck %s --input-file=%t.py
# RUN: tenon-opt %t.py --pipeline=merge-functions | diff %t.py -
# RUN: tenon-opt %s --pipeline=merge-functions --timing -o %t.2.py 2>&1 | FileCheck %s --check-prefix=COUNT
# COUNT-DAG: {{^ *4 +}}merge-functions.functions
# COUNT-DAG: {{^ *4 +}}merge-functions.parameters
# RUN: tenon-opt %s --pipeline='merge-functions{max-parameters=1}' | FileCheck %s --check-prefix=ONE
# RUN: not tenon-opt %s --pipeline='merge-functions{max-parameters=-1}' 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: merge-functions: max-parameters is -1, expected 0 or more

# The results stay, in all engines.
# RUN: tenon run %s --output y=%t.y.npy --output z=%t.z.npy
# RUN: tenon run %t.py --expect y=%t.y.npy --expect z=%t.z.npy
# RUN: tenon run %t.py --engine=c --cc=%cc --expect y=%t.y.npy --expect z=%t.z.npy
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # A division by a variable takes more instructions.
    # CHECK-LABEL: def divide_1(x: T.Buffer((8,), "int32")):
    # CHECK-LABEL: def divide_2(x: T.Buffer((8,), "int32")):
    @T.prim_func(private=True)
    def divide_1(x: T.Buffer((8,), "int32")):
        for i in range(8):
            x[i] = T.Div(T.max(T.min(x[i] + x[7 - i], 1000) * 3, -1000), 5) + x[i // 2]

    @T.prim_func(private=True)
    def divide_2(x: T.Buffer((8,), "int32")):
        for i in range(8):
            x[i] = T.Div(T.max(T.min(x[i] + x[7 - i], 1000) * 3, -1000), 6) + x[i // 2]

    # Overlaps of any function.
    # CHECK-LABEL: def in_place_1(
    # CHECK:       T.func_attr({"tenon.overlaps": {{\[\[0, 1\]\]}}, "tir.noalias": T.bool(True)})
    @T.prim_func(private=True)
    def in_place_1(x: T.Buffer((12,), "int32"), y: T.Buffer((12,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(12):
            y[i] = T.max(T.min(x[i] * 5 + i * i, 100), -100)

    @T.prim_func(private=True)
    def in_place_2(x: T.Buffer((12,), "int32"), y: T.Buffer((12,), "int32")):
        T.func_attr({"tenon.overlaps": [[0, 1]], "tir.noalias": T.bool(True)})
        for i in range(12):
            y[i] = T.max(T.min(x[i] * 7 + i * i, 100), -100)

    # Extents, factors and sizes of a layer are multiples of one number. The shift and the number for
    # rounding are others. Sizes of memory are those of the largest layer, and what the declaration
    # promises is the least.
    # CHECK-LABEL: def layer_1(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32"), n: T.int32, n_1: T.int32, n_2: T.int32):
    # CHECK-NEXT:  T.func_attr({"tir.noalias": T.bool(True)})
    # CHECK-NEXT:  s = T.allocate([4], "int32", "global")
    # CHECK-NEXT:  for i in range(n_1 * 2):
    # CHECK-NEXT:    s_1 = T.Buffer((4,), "int32", data=s)
    # CHECK-NEXT:    x_1 = T.Buffer((12,), "int32", data=x.data)
    # CHECK-NEXT:    s_1[0] = x_1[i]
    # CHECK-NEXT:    for j in range(n_1):
    # CHECK-NEXT:      s_1[0] = s_1[0] + x_1[j] * (n_1 * 2)
    # CHECK-NEXT:    y_1 = T.Buffer((12,), "int32", data=y.data)
    # CHECK-NEXT:    y_1[i] = T.shift_right(s_1[0] + n_2, n)
    # ONE-LABEL: def layer_1(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
    @T.prim_func(private=True)
    def layer_1(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tenon.origins": ["layer_1"], "tir.noalias": T.bool(True)})
        s = T.allocate([4], "int32", "global")
        s_1 = T.Buffer((4,), "int32", data=s)
        for i in range(8):
            s_1[0] = x[i]
            for j in range(4):
                s_1[0] = s_1[0] + x[j] * 8
            y[i] = T.shift_right(s_1[0] + 7, 3)

    @T.prim_func(private=True)
    def layer_2(x: T.Buffer((12,), "int32"), y: T.Buffer((12,), "int32")):
        T.func_attr({"tenon.origins": ["layer_2"], "tir.noalias": T.bool(True)})
        s = T.allocate([3], "int32", "global")
        s_1 = T.Buffer((3,), "int32", data=s)
        for i in range(12):
            s_1[0] = x[i]
            for j in range(6):
                s_1[0] = s_1[0] + x[j] * 12
            y[i] = T.shift_right(s_1[0] + 1, 1)

    # The numbers of a builtin that takes literals, floats, functions with symbols, functions that
    # call others, and functions that are smaller than the code for a parameter stay.
    # CHECK-LABEL: def rescale_1(x: T.Buffer((8,), "int32")):
    # CHECK-LABEL: def rescale_2(x: T.Buffer((8,), "int32")):
    # CHECK-LABEL: def scale_1(f: T.Buffer((8,), "float32")):
    # CHECK-LABEL: def scale_2(f: T.Buffer((8,), "float32")):
    # CHECK-LABEL: def small_1(x: T.Buffer((8,), "int32")):
    # CHECK-LABEL: def small_2(x: T.Buffer((8,), "int32")):
    @T.prim_func(private=True)
    def rescale_1(x: T.Buffer((8,), "int32")):
        for i in range(8):
            x[i] = T.q_multiply_shift(T.max(T.min(x[i] + x[7 - i], 1000) * 3, -1000), 1518500250, 31, -4)

    @T.prim_func(private=True)
    def rescale_2(x: T.Buffer((8,), "int32")):
        for i in range(8):
            x[i] = T.q_multiply_shift(T.max(T.min(x[i] + x[7 - i], 1000) * 3, -1000), 1518500250, 31, -5)

    @T.prim_func(private=True)
    def scale_1(f: T.Buffer((8,), "float32")):
        for i in range(8):
            f[i] = f[i] * T.float32(2) + f[7 - i] * T.float32(0.5) + f[0] * f[1] * f[2]

    @T.prim_func(private=True)
    def scale_2(f: T.Buffer((8,), "float32")):
        for i in range(8):
            f[i] = f[i] * T.float32(3) + f[7 - i] * T.float32(0.5) + f[0] * f[1] * f[2]

    @T.prim_func(private=True)
    def small_1(x: T.Buffer((8,), "int32")):
        x[0] = 1

    @T.prim_func(private=True)
    def small_2(x: T.Buffer((8,), "int32")):
        x[0] = 2

    # CHECK-LABEL: def main(
    # CHECK:       T.call_extern("int32", "layer_1", a, b, 3, 4, 7)
    # CHECK:       T.call_extern("int32", "in_place_1", c, b, 5)
    # CHECK:       T.call_extern("int32", "layer_1", b, z.data, 1, 6, 1)
    # CHECK:       T.call_extern("int32", "in_place_1", z.data, z.data, 7)
    @T.prim_func
    def main(y: T.Buffer((8,), "int32"), z: T.Buffer((12,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([8], "int32", "global")
        b = T.allocate([12], "int32", "global")
        c = T.allocate([12], "int32", "global")
        f = T.allocate([8], "float32", "global")
        a_1 = T.Buffer((8,), "int32", data=a)
        b_1 = T.Buffer((12,), "int32", data=b)
        c_1 = T.Buffer((12,), "int32", data=c)
        f_1 = T.Buffer((8,), "float32", data=f)
        for i in range(8):
            a_1[i] = i * i - 9
            f_1[i] = T.Cast("float32", i)
        for i in range(12):
            c_1[i] = i * 3 - 20
        T.call_extern("int32", "layer_1", a, b)
        for i in range(8):
            y[i] = b_1[i]
        T.call_extern("int32", "in_place_1", c, b)
        T.call_extern("int32", "layer_2", b, z.data)
        T.call_extern("int32", "in_place_2", z.data, z.data)
        T.call_extern("int32", "divide_1", y.data)
        T.call_extern("int32", "divide_2", y.data)
        T.call_extern("int32", "rescale_1", y.data)
        T.call_extern("int32", "rescale_2", y.data)
        T.call_extern("int32", "scale_1", f)
        T.call_extern("int32", "scale_2", f)
        for i in range(8):
            y[i] = y[i] + T.Cast("int32", f_1[i])
        T.call_extern("int32", "small_1", y.data)
        T.call_extern("int32", "small_2", y.data)
