# Sign-extended unsigned numbers keep their values when several are converted to float together.
# REQUIRES: llvm
# RUN: %python %S/../../tools/Inputs/npy.py %t.x.npy i1 24 -1 -2 -128 -100 1 -5 -7 100 -50 0 -7 8 -1 -2 -128 -100 1 -5 -7 100 -50 0 -7 8
# RUN: tenon run %s --engine=interp --input %t.x.npy --output %t.interp.npy
# RUN: tenon run %s --engine=jit -O3 --cpu=x86-64 --optimize=off --input %t.x.npy --output %t.jit.npy && cmp %t.interp.npy %t.jit.npy
# RUN: tenon run %s --engine=jit -O3 --input %t.x.npy --output %t.jit.npy && cmp %t.interp.npy %t.jit.npy
@T.prim_func
def main(x: T.Buffer((24,), "int8"), y: T.Buffer((24,), "e4m3_float8")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i in range(2):
        for j in T.parallel(3):
            for k in T.parallel(4):
                y[i * 12 + j * 4 + k] = T.Cast("e4m3_float8", T.Cast("uint64", x[4 + j])) * T.max(T.e4m3_float8(0), T.e4m3_float8(0.5))
