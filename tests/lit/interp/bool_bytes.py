# A byte other than 0 is true, in every engine: a bool may view the storage of other bytes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../tools/Inputs/npy.py %t/x.npy u1 4 0 2 255 1
# RUN: tenon run %s --input %t/x.npy --output count=%t/count.npy --output stored=%t/stored.npy --output chosen=%t/chosen.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/count.npy | FileCheck %s --check-prefix=COUNT
# RUN: %python %S/../tools/Inputs/npy.py %t/stored.npy | FileCheck %s --check-prefix=STORED
# RUN: %python %S/../tools/Inputs/npy.py %t/chosen.npy | FileCheck %s --check-prefix=CHOSEN
# RUN: tenon run %s --input %t/x.npy --expect count=%t/count.npy --expect stored=%t/stored.npy --expect chosen=%t/chosen.npy --engine=c --cc=%cc
# RUN: %if llvm %{ tenon run %s --input %t/x.npy --expect count=%t/count.npy --expect stored=%t/stored.npy --expect chosen=%t/chosen.npy --engine=jit %}
# COUNT: <i4 (4,) 0 1 1 1{{$}}
# STORED: |b1 (4,) 0 1 1 1{{$}}
# CHOSEN: <i4 (4,) 7 3 3 7{{$}}
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "uint8"), count: T.Buffer((4,), "int32"), stored: T.Buffer((4,), "bool"), chosen: T.Buffer((4,), "int32")):
    d = T.Buffer((4,), "bool", data=x.data)
    for i in range(4):
        count[i] = T.Cast("int32", d[i])
        stored[i] = d[i]
        chosen[i] = T.if_then_else(d[i] + d[(i + 1) % 4], 7, 3)
