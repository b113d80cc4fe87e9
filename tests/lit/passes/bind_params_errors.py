# Errors in a file of parameters. Nothing is bound then.
# RUN: rm -rf %t && %python %S/Inputs/make_param_files.py %t && cp %s %t/m.py
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=dtype.safetensors}' 2>&1 | FileCheck %s --check-prefix=DTYPE
# DTYPE: m.py:51:68: error: parameter `w` has no value: `w` in dtype.safetensors is uint8 [4], expected int8 [4] [constant-file]
# DTYPE-NOT: def main
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=shape.safetensors}' 2>&1 | FileCheck %s --check-prefix=SHAPE
# SHAPE: m.py:51:95: error: parameter `v` has no value: `v` in shape.safetensors is int32 [4], expected int32 [2, 2] [constant-file]
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=name.safetensors}' 2>&1 | FileCheck %s --check-prefix=NAME
# NAME: m.py:{{[0-9]+:[0-9]+}}: error: `main` has no parameter `z`, for which there is a value [constant-file]
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=index_beyond.safetensors}' 2>&1 | FileCheck %s --check-prefix=BEYOND
# BEYOND: error: `main` has no parameter `7`, for which there is a value [constant-file]
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=both.safetensors}' 2>&1 | FileCheck %s --check-prefix=BOTH
# BOTH: m.py:51:68: error: parameter `w` has two values [constant-file]
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=written.safetensors}' 2>&1 | FileCheck %s --check-prefix=WRITTEN
# WRITTEN: m.py:51:41: error: parameter `y` cannot become a constant: it is written to [V11-store-to-constant]
# WRITTEN: m.py:54:13: note: it is written to here
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=written.safetensors function=caller}' 2>&1 | FileCheck %s --check-prefix=PASSED
# PASSED: m.py:{{[0-9]+:[0-9]+}}: error: parameter `y` cannot become a constant: it is written to [V11-store-to-constant]
# PASSED: note: `main` writes to it
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=written.safetensors function=chooser}' 2>&1 | FileCheck %s --check-prefix=CHOSEN
# CHOSEN: error: parameter `y` cannot become a constant: it is written to [V11-store-to-constant]
# CHOSEN: note: it is written to here
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=number.safetensors}' 2>&1 | FileCheck %s --check-prefix=NUMBER
# NUMBER: m.py:51:{{[0-9]+}}: error: parameter `n` cannot become a constant: it is not a tensor [constant-file]
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=strides.safetensors}' 2>&1 | FileCheck %s --check-prefix=STRIDES
# STRIDES: m.py:51:{{[0-9]+}}: error: parameter `s` cannot become a constant: it has no constant shape, or strides or an offset [constant-file]
#
# A hash that does not match the bytes is found when they are read.
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=hash.safetensors},extract-constants,lift-params' 2>&1 | FileCheck %s --check-prefix=HASH
# HASH: error: constant `w` has no data that could be lifted [pass]
#
# A NumPy archive: the error has the command that converts it, also for a constant of the text and for an input.
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=w.npz}' 2>&1 | FileCheck %s --check-prefix=NPZ --implicit-check-not=error:
# NPZ: error: `w.npz` is a zip archive, such as NumPy's .npz; expected safetensors: python3 -c 'import numpy, safetensors.numpy as s; s.save_file({n: numpy.array(a, order="C") for n, a in numpy.load("w.npz").items()}, "w.safetensors")' converts it [constant-file]
# RUN: cd %t && not tenon-opt names.py 2>&1 | FileCheck %s --check-prefix=NAMED --implicit-check-not=error:
# NAMED: names.py:5:{{[0-9]+}}: error: {{.*}}`w.npz` is a zip archive, such as NumPy's .npz; expected safetensors: python3 -c {{.*}} converts it [constant-file]
# RUN: cd %t && not tenon run m.py --input x=w.npz 2>&1 | FileCheck %s --check-prefix=INPUT --implicit-check-not=error:
# INPUT: error: `w.npz` is a zip archive, such as NumPy's .npz; expected an array: python3 -c 'import numpy; [numpy.save(n, a) for n, a in numpy.load("w.npz").items()]' writes each to its .npy file
# RUN: cd %t && cp w.npz "it's.npz" && not tenon-opt m.py --pipeline='bind-params{file="it'"'"'s.npz"}' 2>&1 | FileCheck %s --check-prefix=QUOTE
# QUOTE: error: `it's.npz` is a zip archive,{{.*}}numpy.load("FILE.npz").items()}, "FILE.safetensors")' converts it [constant-file]
#
# RUN: cd %t && not tenon-opt m.py --pipeline='bind-params{file=m.py}' 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: error: `m.py`: safetensors header of {{.*}} [constant-file]

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), v: T.Buffer((2, 2), "int32"), n: T.int32, s: T.handle):
        s_1 = T.match_buffer(s, (4,), "int8", strides=(2,))
        for i in range(4):
            y[i] = x[i] + w[i] + T.Cast("int8", v[i // 2, i % 2] + n) + s_1[i]

    @T.prim_func
    def caller(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), v: T.Buffer((2, 2), "int32"), s: T.Buffer((8,), "int8")):
        Module.main(x.data, y.data, w.data, v.data, 3, s.data)

    @T.prim_func
    def chooser(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8")):
        p: T.handle("int8") = T.Select(x[0] > T.int8(0), y.data, w.data)
        p_1 = T.Buffer((4,), "int8", data=p)
        p_1[0] = x[1]
