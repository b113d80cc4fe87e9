# Casts to float16 and bfloat16 round once, in both engines. Through float, the numbers here, which are slightly above the
# midpoint of two values, would become the lower one.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %s --input d=1.003906250000001 --input e=1.0004882812500002 --input i=1077936129 --input l=4629700416936869889 --input u=9259400833873739777 --output y=%t/interp.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/interp.npy | FileCheck %s
# RUN: tenon run %s --engine=c --cc=%cc --input d=1.003906250000001 --input e=1.0004882812500002 --input i=1077936129 --input l=4629700416936869889 --input u=9259400833873739777 --output y=%t/c.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/c.npy | FileCheck %s
# CHECK: <f4 (8,) 1.0078125 -1.0078125 1.0009765625 1082130432.0 -1082130432.0 4.647714815446352e+18 -4.647714815446352e+18 9.295429630892704e+18
from tvm.script import tir as T

@T.prim_func
def main(d: T.float64, e: T.float64, i: T.int32, l: T.int64, u: T.uint64, y: T.Buffer((8,), "float32")):
    y[0] = T.Cast("float32", T.Cast("bfloat16", d))
    y[1] = T.Cast("float32", T.Cast("bfloat16", T.float64(0) - d))
    y[2] = T.Cast("float32", T.Cast("float16", e))
    y[3] = T.Cast("float32", T.Cast("bfloat16", i))
    y[4] = T.Cast("float32", T.Cast("bfloat16", 0 - i))
    y[5] = T.Cast("float32", T.Cast("bfloat16", l))
    y[6] = T.Cast("float32", T.Cast("bfloat16", T.int64(0) - l))
    y[7] = T.Cast("float32", T.Cast("bfloat16", u))
