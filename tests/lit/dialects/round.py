# `T.round` rounds halves away from zero in `tir`, and to even in `tirx`. A module keeps its meaning in the other dialect.
#
# RUN: split-file %s %t
# RUN: tenon-opt %t/tir.py --dialect=tirx -o %t/from_tir.py
# RUN: FileCheck %s --check-prefix=AWAY < %t/from_tir.py
# RUN: tenon-opt %t/tirx.py --dialect=tir -o %t/from_tirx.py
# RUN: FileCheck %s --check-prefix=EVEN < %t/from_tirx.py
# AWAY: y[i] = T.call_pure_extern("float32", "roundf", x[i])
# AWAY-NEXT: z[i] = T.call_llvm_pure_intrin("float16", "llvm.round", w[i])
# EVEN: y[i] = T.nearbyint(x[i])
# EVEN-NEXT: z[i] = T.nearbyint(w[i])
#
# The reader gives the words of `tirx` their meaning in `tir` again.
# RUN: tenon-opt %t/from_tir.py --dialect=tir | FileCheck %s --check-prefix=AGAIN
# AGAIN: y[i] = T.round(x[i])
# AGAIN-NEXT: z[i] = T.round(w[i])
#
# RUN: %python %S/../tools/Inputs/npy.py %t/x.npy f4 6 0.5 1.5 2.5 -0.5 -2.5 0.49999997
# RUN: tenon run %t/tir_run.py --input x=%t/x.npy --output y=%t/y.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=AWAY-VALUES
# RUN: tenon-opt %t/tir_run.py --dialect=tirx -o %t/other.py
# RUN: tenon run %t/other.py --engine=c --cc=%cc --input x=%t/x.npy --output y=%t/y.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=AWAY-VALUES
# RUN: tenon run %t/tirx_run.py --input x=%t/x.npy --output y=%t/y.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=EVEN-VALUES
# RUN: tenon-opt %t/tirx_run.py --dialect=tir -o %t/other.py
# RUN: tenon run %t/other.py --engine=c --cc=%cc --input x=%t/x.npy --output y=%t/y.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=EVEN-VALUES
# AWAY-VALUES: <f4 (6,) 1.0 2.0 3.0 -1.0 -3.0 0.0
# EVEN-VALUES: <f4 (6,) 0.0 2.0 2.0 -0.0 -2.0 0.0

#--- tir.py
# from tvm.script import tir as T

@T.prim_func
def f(x: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float16"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float16")):
    for i in range(4):
        y[i] = T.round(x[i])
        z[i] = T.round(w[i])

#--- tirx.py
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(x: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float16"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float16")):
    for i in range(4):
        y[i] = T.round(x[i])
        z[i] = T.nearbyint(w[i])

#--- tir_run.py
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((6,), "float32"), y: T.Buffer((6,), "float32")):
    for i in range(6):
        y[i] = T.round(x[i])

#--- tirx_run.py
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(x: T.Buffer((6,), "float32"), y: T.Buffer((6,), "float32")):
    for i in range(6):
        y[i] = T.round(x[i])
