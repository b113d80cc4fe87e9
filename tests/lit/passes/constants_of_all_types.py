# Constants of every type and several dimensions can be moved, merged, written back, and
# run.
# RUN: tenon-opt --pipeline=extract-constants --verify-roundtrip %s | FileCheck %s --check-prefix=TABLE
# RUN: rm -rf %t && mkdir %t && tenon run %s --output %t/y.npy
# RUN: tenon-opt --pipeline=extract-constants %s -o %t/extracted.py && tenon run %t/extracted.py --expect %t/y.npy
# RUN: tenon-opt --pipeline=extract-constants,inline-constants --verify-roundtrip %s -o %t/inlined.py && tenon run %t/inlined.py --expect %t/y.npy
# RUN: tenon-opt %s -o %t/plain.py && diff %t/plain.py %t/inlined.py
# RUN: tenon-opt --pipeline='merge-constants{level=subrange alignment=1}' --verify-roundtrip %s -o %t/merged.py && tenon run %t/merged.py --expect %t/y.npy
# RUN: tenon run %s --engine=c --expect %t/y.npy
# RUN: tenon run %s --engine=c --merge-constants=subrange --constant-alignment=1 --expect %t/y.npy
# RUN: tenon run %t/merged.py --engine=c --constant-alignment=1 --workspace-pools=ws --expect %t/y.npy

# from tvm.script import ir as I
# from tvm.script import tir as T

# TABLE-DAG: I.constant("cube", [1, 2, 3, 4, 5, 6, 7, 8], "int16", [2, 2, 2])
# TABLE-DAG: I.constant("half", [1.5, 2.5], "float16", [2])
# TABLE-DAG: I.constant("brain", [1.5, 2.5], "bfloat16", [2])
# TABLE-DAG: I.constant("flag", [True, False], "bool", [2])
# TABLE-DAG: I.constant("nibble", [-8, 7], "int4", [2])
# TABLE-DAG: I.constant("vec", [1, 2, 3, 4, 5, 6, 7, 8], "int32x4", [2])
# TABLE-DAG: I.constant("e4", [1.5, -2.0], "e4m3_float8", [2])

@T.prim_func
def main(B: T.Buffer((2,), "float64")):
    cube = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int16", [2, 2, 2])
    half = T.allocate_const([1.5, 2.5], "float16", [2])
    brain = T.allocate_const([1.5, 2.5], "bfloat16", [2])
    flag = T.allocate_const([True, False], "bool", [2])
    nibble = T.allocate_const([-8, 7], "int4", [2])
    vec = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int32x4", [2])
    e4 = T.allocate_const([1.5, -2.0], "e4m3_float8", [2])
    wide = T.allocate_const([1, 2, 9223372036854775807], "uint64", [3])
    zero = T.allocate_const([0, 0, 0], "int64", [3])
    cube_1 = T.Buffer((2, 2, 2), "int16", data=cube)
    half_1 = T.Buffer((2,), "float16", data=half)
    brain_1 = T.Buffer((2,), "bfloat16", data=brain)
    flag_1 = T.Buffer((2,), "bool", data=flag)
    nibble_1 = T.Buffer((2,), "int4", data=nibble)
    vec_1 = T.Buffer((2,), "int32x4", data=vec)
    e4_1 = T.Buffer((2,), "e4m3_float8", data=e4)
    wide_1 = T.Buffer((3,), "uint64", data=wide)
    zero_1 = T.Buffer((3,), "int64", data=zero)
    for i in range(2):
        B[i] = T.Cast("float64", cube_1[i, 1, 0]) + T.Cast("float64", half_1[i]) + T.Cast("float64", brain_1[i]) + T.Cast("float64", flag_1[i])
        B[i] = B[i] + T.Cast("float64", e4_1[i]) + T.Cast("float64", wide_1[i + 1] // T.uint64(3)) + T.Cast("float64", zero_1[i])
        B[i] = B[i] + T.Cast("float64", T.Shuffle([vec_1[i]], [2]))
        B[i] = B[i] + T.Cast("float64", T.Cast("int32", nibble_1[i]))
