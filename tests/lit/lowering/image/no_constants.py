# Without constants in the code, no file of constants is written or asked for.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy i4 4 1 2 3 4
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy i4 4 3 6 9 12
# RUN: tenon run %s --engine=c --cc=%cc --constant-storage=file --input %t/x.npy --expect %t/y.npy
# RUN: tenon compile %s --emit=c --constant-storage=file -o %t/c
# RUN: not ls %t/c/tvmgen_default_constants.safetensors
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c -I%t/c %t/c/tvmgen_default.c -o %t/c/model.o
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    for i in range(4):
        y[i] = x[i] * 3
