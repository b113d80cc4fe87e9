# The schedule of a dense layer of four places: the one that the pass chooses, others that a person
# gives, and those that loops cannot have. All of them compute the same.
# RUN: rm -rf %t && mkdir %t
# RUN: sed 's/"tenon.schedule": "SCHEDULE", //' %s > %t/plain.py
# RUN: tenon-opt %t/plain.py --pipeline='dot-products{schedules=true}' | FileCheck %s --check-prefix=CHOSEN
# CHOSEN: T.func_attr({"tenon.schedule": "i0/2 i1/2 i2/16, unroll i2 i0 i1, dots4", "tir.noalias": T.bool(True)})
# RUN: tenon-opt %t/plain.py --pipeline='dot-products{rows=1 combine=dots16 finish=true schedules=true}' | FileCheck %s --check-prefix=VECTORS
# VECTORS: T.func_attr({"tenon.schedule": "i0 i1/4 i2/16, unroll i2 i0 i1, dots16, finish in lanes", "tir.noalias": T.bool(True)})
# RUN: tenon run %t/plain.py --output y=%t/y.npy

# Four places and one channel, with one dot product in a round. The attribute is used up.
# RUN: sed 's/SCHEDULE/i0\/4 i1\/1 i2\/4, unroll i2 i0 i1, dots4/' %s > %t/places.py
# RUN: tenon-opt %t/places.py --pipeline=dot-products -o %t/places_dots.py && FileCheck %s --check-prefix=PLACES --input-file=%t/places_dots.py
# RUN: tenon run %t/places_dots.py --expect y=%t/y.npy
# PLACES-NOT: tenon.schedule
# PLACES: for [[C:i1_block]] in range(4):
# PLACES: for [[K:i2_block]] in range(4):
# PLACES: sum_7[0] = T.dp4a("int32", x_1[[[K]] * 4 + 48:[[K]] * 4 + 48 + 4]
# PLACES-NOT: T.dp4a

# Copies of the elements, which are neighbours in any case.
# RUN: sed 's/SCHEDULE/i0\/2 i1\/4 packed\/8, unroll packed i0 i1, dots4/' %s > %t/packed.py
# RUN: tenon-opt %t/packed.py --pipeline=dot-products -o %t/packed_dots.py && FileCheck %s --check-prefix=PACKED --input-file=%t/packed_dots.py
# RUN: tenon run %t/packed_dots.py --expect y=%t/y.npy
# PACKED: packed = T.allocate([32], "int8", "global")
# PACKED: packed_1[i2 + 16] = x_1[
# PACKED: T.dp4a("int32", packed_1[

# One copy of the code that stores the results of four channels.
# RUN: sed 's/SCHEDULE/i0\/1 i1\/4 i2\/8, unroll i2 i0 i1, dots4, finish in a loop/' %s > %t/copy.py
# RUN: tenon-opt %t/copy.py --pipeline=dot-products -o %t/copy_dots.py && FileCheck %s --check-prefix=COPY --input-file=%t/copy_dots.py
# RUN: tenon run %t/copy_dots.py --expect y=%t/y.npy
# COPY: for column in range(4):
# COPY: y_1[i0_block * 4 + column] =
# COPY-NOT: y_1[

# Scalars.
# RUN: sed 's/SCHEDULE/i0\/2 i1\/2 i2\/4, unroll i2 i0 i1, unsigned-products/' %s > %t/scalars.py
# RUN: tenon-opt %t/scalars.py --pipeline='dot-products{combine=unsigned-products}' -o %t/scalars_dots.py
# RUN: tenon run %t/scalars_dots.py --expect y=%t/y.npy

# RUN: sed 's/SCHEDULE/i0\/2 i1\/2 i2\/16, unroll i0 i1, dots4/' %s > %t/bands.py
# RUN: not tenon-opt %t/bands.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=BANDS
# BANDS: bands.py:{{[0-9]+}}:9: error: dot-products: the schedule `i0/2 i1/2 i2/16, unroll i0 i1, dots4` does not fit: expected the bands `i0/2 i1/2 i2, unroll i2 i0 i1`, found `i0/2 i1/2 i2/16, unroll i0 i1` [pass]
# RUN: sed 's/SCHEDULE/i0\/2 i1\/2 i2\/16, unroll i2 i0 i1, dots16/' %s > %t/long.py
# RUN: not tenon-opt %t/long.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=LONG
# LONG: expected `dots4`, found `dots16`
# RUN: not tenon-opt %t/scalars.py --pipeline='dot-products{combine=dots16}' 2>&1 | FileCheck %s --check-prefix=KIND
# KIND: expected `dots16` or a shorter dot product, found `unsigned-products`
# RUN: sed 's/SCHEDULE/i0\/2 i1\/3 i2\/16, unroll i2 i0 i1, dots4/' %s > %t/rest.py
# RUN: not tenon-opt %t/rest.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=REST
# REST: expected a number that divides the 4 channels of `i1`, found 3
# RUN: sed 's/SCHEDULE/i0\/2 i1\/2 i2\/6, unroll i2 i0 i1, dots4/' %s > %t/steps.py
# RUN: not tenon-opt %t/steps.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=STEPS
# STEPS: expected a multiple of 4 steps together, at most 16, found 6
# RUN: sed 's/SCHEDULE/i0\/2 i1\/4 i2\/8, unroll i2 i0 i1, dots4, finish in a loop/' %s > %t/loop.py
# RUN: not tenon-opt %t/loop.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=LOOP
# LOOP: expected `finish in a loop` only for blocks of one place, and alone
# RUN: sed 's/SCHEDULE/i0\/2 i1\/2 i2\/16, unroll i2 i0 i1, dots4, ahead/' %s > %t/ahead.py
# RUN: not tenon-opt %t/ahead.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=AHEAD
# AHEAD: expected a sum of integers without `ahead`, `skip pads` and `prefetch`

# Neighbours in memory are places, and not steps of the sum.
# RUN: sed 's/SCHEDULE/i0\/2 i1\/2 i2\/16, unroll i2 i0 i1, dots4/; s/x\[n \* 16 + k\]/x[k * 4 + n]/' %s > %t/apart.py
# RUN: not tenon-opt %t/apart.py --pipeline=dot-products 2>&1 | FileCheck %s --check-prefix=APART
# APART: expected `packed`, since groups of 4 iterations of `i2` do not read neighbours
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def dense(x: T.Buffer((64,), "int8"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tenon.schedule": "SCHEDULE", "tir.noalias": T.bool(True)})
        w = T.allocate_const([-11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5], "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        for n, c in T.grid(4, 4):
            y[n * 4 + c] = 0
            for k in range(16):
                y[n * 4 + c] = y[n * 4 + c] + T.Cast("int32", x[n * 16 + k]) * T.Cast("int32", w_1[c * 16 + k])

    @T.prim_func
    def main(y: T.Buffer((16,), "int32")):
        x = T.allocate([64], "int8", "global")
        x_1 = T.Buffer((64,), "int8", data=x)
        for i in range(64):
            x_1[i] = T.Cast("int8", i * 37 % 200 - 100)
        T.call_extern("int32", "dense", x, y.data)
