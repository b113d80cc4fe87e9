# A bool has one bit: every operation on bools, for all values, at run time in every engine. `count` has the results as numbers, `stored`
# in memory, `chosen` and `branch` as conditions, `lanes` of vectors.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../tools/Inputs/npy.py %t/row.npy i4 4 3 3 1 1 && %python %S/../tools/Inputs/npy.py %t/column.npy i4 4 3 1 3 1
# RUN: tenon run %s --input row=%t/row.npy --input column=%t/column.npy --output stored=%t/stored.npy --output count=%t/count.npy --output chosen=%t/chosen.npy --output branch=%t/branch.npy --output lanes=%t/lanes.npy --output ramp=%t/ramp.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/stored.npy | FileCheck %s --check-prefix=STORED
# RUN: %python %S/../tools/Inputs/npy.py %t/count.npy | FileCheck %s --check-prefix=VALUES
# RUN: %python %S/../tools/Inputs/npy.py %t/chosen.npy | FileCheck %s --check-prefix=CHOSEN
# RUN: %python %S/../tools/Inputs/npy.py %t/branch.npy | FileCheck %s --check-prefix=BRANCH
# RUN: %python %S/../tools/Inputs/npy.py %t/lanes.npy | FileCheck %s --check-prefix=VALUES
# RUN: %python %S/../tools/Inputs/npy.py %t/ramp.npy | FileCheck %s --check-prefix=RAMP
# RUN: tenon run %s --input row=%t/row.npy --input column=%t/column.npy --engine=c --cc=%cc --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy
# RUN: tenon run %s --input row=%t/row.npy --input column=%t/column.npy --engine=c --cc=%cc --cflags='-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -O3' --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy
# RUN: tenon run %s --input row=%t/row.npy --input column=%t/column.npy --engine=c --cc=%cc --c-vectors=gnu --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy
# RUN: %if llvm %{ tenon run %s --input row=%t/row.npy --input column=%t/column.npy --engine=jit -O0 --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy %}
# RUN: %if llvm %{ tenon run %s --input row=%t/row.npy --input column=%t/column.npy --engine=jit -O3 --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy %}
# RUN: tenon-opt %s --pipeline='simplify' > %t/simple.py && tenon run %t/simple.py --input row=%t/row.npy --input column=%t/column.npy --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy
# RUN: tenon-opt %s --pipeline='lower-vectors,simplify' > %t/scalar.py && tenon run %t/scalar.py --input row=%t/row.npy --input column=%t/column.npy --expect stored=%t/stored.npy --expect count=%t/count.npy --expect chosen=%t/chosen.npy --expect branch=%t/branch.npy --expect lanes=%t/lanes.npy --expect ramp=%t/ramp.npy
# VALUES: <i4 (192,) 0 1 1 0 0 1 1 0 0 0 0 1 0 0 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 1 0 1 1 1 1 0 0 1 0 1 1 0 0 1 0 0 1 1 0 1 0 0 1 0 1 0 1 1 0 0 0 1 0 1 1 1 1 1 0 0 0 0 0 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 0 0 0 0 0 0 1 1 0 0 0 0 1 1 0 0 1 1 0 1 0 1 0 0 1 1 0 1 1 0 0 0 1 0 0 0 0 1 1 1 0 0 0 0 0 0 0 1 1 0 1 0 0 1 1 0 0 1 0 0 1 0 0 1 1 1 0 1 1 1 0 1 1 0 0 1 1 0 0 1 1 0{{$}}
# STORED: |b1 (192,) 0 1 1 0 0 1 1 0 0 0 0 1 0 0 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 1 0 1 1 1 1 0 0 1 0 1 1 0 0 1 0 0 1 1 0 1 0 0 1 0 1 0 1 1 0 0 0 1 0 1 1 1 1 1 0 0 0 0 0 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 0 0 0 0 0 0 1 1 0 0 0 0 1 1 0 0 1 1 0 1 0 1 0 0 1 1 0 1 1 0 0 0 1 0 0 0 0 1 1 1 0 0 0 0 0 0 0 1 1 0 1 0 0 1 1 0 0 1 0 0 1 0 0 1 1 1 0 1 1 1 0 1 1 0 0 1 1 0 0 1 1 0{{$}}
# CHOSEN: <i4 (192,) 3 7 7 3 3 7 7 3 3 3 3 7 3 3 7 7 3 3 3 3 3 3 7 7 3 3 3 3 3 3 3 7 3 7 7 7 7 3 3 7 3 7 7 3 3 7 3 3 7 7 3 7 3 3 7 3 7 3 7 7 3 3 3 7 3 7 7 7 7 7 3 3 3 3 3 7 3 7 7 7 3 7 7 3 7 7 3 3 3 3 7 7 3 3 7 7 3 3 7 7 3 3 7 7 3 3 7 7 3 3 3 3 3 3 3 3 7 7 3 3 3 3 7 7 3 3 7 7 3 7 3 7 3 3 7 7 3 7 7 3 3 3 7 3 3 3 3 7 7 7 3 3 3 3 3 3 3 7 7 3 7 3 3 7 7 3 3 7 3 3 7 3 3 7 7 7 3 7 7 7 3 7 7 3 3 7 7 3 3 7 7 3{{$}}
# BRANCH: <i4 (192,) 0 1 1 0 0 1 1 0 0 0 0 1 0 0 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 1 0 1 1 1 1 0 0 1 0 1 1 0 0 1 0 0 1 1 0 1 0 0 1 0 1 0 1 1 0 0 0 1 0 1 1 1 1 1 0 0 0 0 0 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 0 0 0 0 0 0 1 1 0 0 0 0 1 1 0 0 1 1 0 1 0 1 0 0 1 1 0 1 1 0 0 0 1 0 0 0 0 1 1 1 0 0 0 0 0 0 0 1 1 0 1 0 0 1 1 0 0 1 0 0 1 0 0 1 1 1 0 1 1 1 0 1 1 0 0 1 1 0 0 1 1 0{{$}}
# RAMP: <i4 (8,) 0 1 0 1 1 0 1 0{{$}}
from tvm.script import tir as T

@T.prim_func
def main(row: T.Buffer((4,), "int32"), column: T.Buffer((4,), "int32"), stored: T.Buffer((192,), "bool"), count: T.Buffer((192,), "int32"), chosen: T.Buffer((192,), "int32"), branch: T.Buffer((192,), "int32"), lanes: T.Buffer((192,), "int32"), ramp: T.Buffer((8,), "int32")):
    a = T.decl_buffer((4,), "bool")
    b = T.decl_buffer((4,), "bool")
    for i in range(4):
        a[i] = row[i] < 2
        b[i] = column[i] < 2
    for i in range(4):
        stored[0 + i] = a[i] + b[i]
        count[0 + i] = T.Cast("int32", a[i] + b[i])
        chosen[0 + i] = T.if_then_else(a[i] + b[i], 7, 3)
        branch[0 + i] = 0
        if a[i] + b[i]:
            branch[0 + i] = 1
        stored[4 + i] = a[i] - b[i]
        count[4 + i] = T.Cast("int32", a[i] - b[i])
        chosen[4 + i] = T.if_then_else(a[i] - b[i], 7, 3)
        branch[4 + i] = 0
        if a[i] - b[i]:
            branch[4 + i] = 1
        stored[8 + i] = a[i] * b[i]
        count[8 + i] = T.Cast("int32", a[i] * b[i])
        chosen[8 + i] = T.if_then_else(a[i] * b[i], 7, 3)
        branch[8 + i] = 0
        if a[i] * b[i]:
            branch[8 + i] = 1
        stored[12 + i] = T.Div(a[i], b[i] or T.bool(True))
        count[12 + i] = T.Cast("int32", T.Div(a[i], b[i] or T.bool(True)))
        chosen[12 + i] = T.if_then_else(T.Div(a[i], b[i] or T.bool(True)), 7, 3)
        branch[12 + i] = 0
        if T.Div(a[i], b[i] or T.bool(True)):
            branch[12 + i] = 1
        stored[16 + i] = T.truncmod(a[i], b[i] or T.bool(True))
        count[16 + i] = T.Cast("int32", T.truncmod(a[i], b[i] or T.bool(True)))
        chosen[16 + i] = T.if_then_else(T.truncmod(a[i], b[i] or T.bool(True)), 7, 3)
        branch[16 + i] = 0
        if T.truncmod(a[i], b[i] or T.bool(True)):
            branch[16 + i] = 1
        stored[20 + i] = a[i] // (b[i] or T.bool(True))
        count[20 + i] = T.Cast("int32", a[i] // (b[i] or T.bool(True)))
        chosen[20 + i] = T.if_then_else(a[i] // (b[i] or T.bool(True)), 7, 3)
        branch[20 + i] = 0
        if a[i] // (b[i] or T.bool(True)):
            branch[20 + i] = 1
        stored[24 + i] = a[i] % (b[i] or T.bool(True))
        count[24 + i] = T.Cast("int32", a[i] % (b[i] or T.bool(True)))
        chosen[24 + i] = T.if_then_else(a[i] % (b[i] or T.bool(True)), 7, 3)
        branch[24 + i] = 0
        if a[i] % (b[i] or T.bool(True)):
            branch[24 + i] = 1
        stored[28 + i] = T.min(a[i], b[i])
        count[28 + i] = T.Cast("int32", T.min(a[i], b[i]))
        chosen[28 + i] = T.if_then_else(T.min(a[i], b[i]), 7, 3)
        branch[28 + i] = 0
        if T.min(a[i], b[i]):
            branch[28 + i] = 1
        stored[32 + i] = T.max(a[i], b[i])
        count[32 + i] = T.Cast("int32", T.max(a[i], b[i]))
        chosen[32 + i] = T.if_then_else(T.max(a[i], b[i]), 7, 3)
        branch[32 + i] = 0
        if T.max(a[i], b[i]):
            branch[32 + i] = 1
        stored[36 + i] = a[i] == b[i]
        count[36 + i] = T.Cast("int32", a[i] == b[i])
        chosen[36 + i] = T.if_then_else(a[i] == b[i], 7, 3)
        branch[36 + i] = 0
        if a[i] == b[i]:
            branch[36 + i] = 1
        stored[40 + i] = a[i] != b[i]
        count[40 + i] = T.Cast("int32", a[i] != b[i])
        chosen[40 + i] = T.if_then_else(a[i] != b[i], 7, 3)
        branch[40 + i] = 0
        if a[i] != b[i]:
            branch[40 + i] = 1
        stored[44 + i] = a[i] < b[i]
        count[44 + i] = T.Cast("int32", a[i] < b[i])
        chosen[44 + i] = T.if_then_else(a[i] < b[i], 7, 3)
        branch[44 + i] = 0
        if a[i] < b[i]:
            branch[44 + i] = 1
        stored[48 + i] = a[i] <= b[i]
        count[48 + i] = T.Cast("int32", a[i] <= b[i])
        chosen[48 + i] = T.if_then_else(a[i] <= b[i], 7, 3)
        branch[48 + i] = 0
        if a[i] <= b[i]:
            branch[48 + i] = 1
        stored[52 + i] = a[i] > b[i]
        count[52 + i] = T.Cast("int32", a[i] > b[i])
        chosen[52 + i] = T.if_then_else(a[i] > b[i], 7, 3)
        branch[52 + i] = 0
        if a[i] > b[i]:
            branch[52 + i] = 1
        stored[56 + i] = a[i] >= b[i]
        count[56 + i] = T.Cast("int32", a[i] >= b[i])
        chosen[56 + i] = T.if_then_else(a[i] >= b[i], 7, 3)
        branch[56 + i] = 0
        if a[i] >= b[i]:
            branch[56 + i] = 1
        stored[60 + i] = a[i] and b[i]
        count[60 + i] = T.Cast("int32", a[i] and b[i])
        chosen[60 + i] = T.if_then_else(a[i] and b[i], 7, 3)
        branch[60 + i] = 0
        if a[i] and b[i]:
            branch[60 + i] = 1
        stored[64 + i] = a[i] or b[i]
        count[64 + i] = T.Cast("int32", a[i] or b[i])
        chosen[64 + i] = T.if_then_else(a[i] or b[i], 7, 3)
        branch[64 + i] = 0
        if a[i] or b[i]:
            branch[64 + i] = 1
        stored[68 + i] = not a[i]
        count[68 + i] = T.Cast("int32", not a[i])
        chosen[68 + i] = T.if_then_else(not a[i], 7, 3)
        branch[68 + i] = 0
        if not a[i]:
            branch[68 + i] = 1
        stored[72 + i] = T.bitwise_and(a[i], b[i])
        count[72 + i] = T.Cast("int32", T.bitwise_and(a[i], b[i]))
        chosen[72 + i] = T.if_then_else(T.bitwise_and(a[i], b[i]), 7, 3)
        branch[72 + i] = 0
        if T.bitwise_and(a[i], b[i]):
            branch[72 + i] = 1
        stored[76 + i] = T.bitwise_or(a[i], b[i])
        count[76 + i] = T.Cast("int32", T.bitwise_or(a[i], b[i]))
        chosen[76 + i] = T.if_then_else(T.bitwise_or(a[i], b[i]), 7, 3)
        branch[76 + i] = 0
        if T.bitwise_or(a[i], b[i]):
            branch[76 + i] = 1
        stored[80 + i] = T.bitwise_xor(a[i], b[i])
        count[80 + i] = T.Cast("int32", T.bitwise_xor(a[i], b[i]))
        chosen[80 + i] = T.if_then_else(T.bitwise_xor(a[i], b[i]), 7, 3)
        branch[80 + i] = 0
        if T.bitwise_xor(a[i], b[i]):
            branch[80 + i] = 1
        stored[84 + i] = T.bitwise_not(a[i])
        count[84 + i] = T.Cast("int32", T.bitwise_not(a[i]))
        chosen[84 + i] = T.if_then_else(T.bitwise_not(a[i]), 7, 3)
        branch[84 + i] = 0
        if T.bitwise_not(a[i]):
            branch[84 + i] = 1
        stored[88 + i] = T.shift_left(a[i], T.bool(False))
        count[88 + i] = T.Cast("int32", T.shift_left(a[i], T.bool(False)))
        chosen[88 + i] = T.if_then_else(T.shift_left(a[i], T.bool(False)), 7, 3)
        branch[88 + i] = 0
        if T.shift_left(a[i], T.bool(False)):
            branch[88 + i] = 1
        stored[92 + i] = T.shift_right(a[i], T.bool(False))
        count[92 + i] = T.Cast("int32", T.shift_right(a[i], T.bool(False)))
        chosen[92 + i] = T.if_then_else(T.shift_right(a[i], T.bool(False)), 7, 3)
        branch[92 + i] = 0
        if T.shift_right(a[i], T.bool(False)):
            branch[92 + i] = 1
        stored[96 + i] = T.fabs(a[i])
        count[96 + i] = T.Cast("int32", T.fabs(a[i]))
        chosen[96 + i] = T.if_then_else(T.fabs(a[i]), 7, 3)
        branch[96 + i] = 0
        if T.fabs(a[i]):
            branch[96 + i] = 1
        stored[100 + i] = T.popcount(a[i])
        count[100 + i] = T.Cast("int32", T.popcount(a[i]))
        chosen[100 + i] = T.if_then_else(T.popcount(a[i]), 7, 3)
        branch[100 + i] = 0
        if T.popcount(a[i]):
            branch[100 + i] = 1
        stored[104 + i] = T.Select(a[i] + b[i], a[i], b[i])
        count[104 + i] = T.Cast("int32", T.Select(a[i] + b[i], a[i], b[i]))
        chosen[104 + i] = T.if_then_else(T.Select(a[i] + b[i], a[i], b[i]), 7, 3)
        branch[104 + i] = 0
        if T.Select(a[i] + b[i], a[i], b[i]):
            branch[104 + i] = 1
        stored[108 + i] = a[i] + a[i]
        count[108 + i] = T.Cast("int32", a[i] + a[i])
        chosen[108 + i] = T.if_then_else(a[i] + a[i], 7, 3)
        branch[108 + i] = 0
        if a[i] + a[i]:
            branch[108 + i] = 1
        stored[112 + i] = a[i] - a[i]
        count[112 + i] = T.Cast("int32", a[i] - a[i])
        chosen[112 + i] = T.if_then_else(a[i] - a[i], 7, 3)
        branch[112 + i] = 0
        if a[i] - a[i]:
            branch[112 + i] = 1
        stored[116 + i] = T.bool(True) - a[i]
        count[116 + i] = T.Cast("int32", T.bool(True) - a[i])
        chosen[116 + i] = T.if_then_else(T.bool(True) - a[i], 7, 3)
        branch[116 + i] = 0
        if T.bool(True) - a[i]:
            branch[116 + i] = 1
        stored[120 + i] = T.bool(False) - a[i]
        count[120 + i] = T.Cast("int32", T.bool(False) - a[i])
        chosen[120 + i] = T.if_then_else(T.bool(False) - a[i], 7, 3)
        branch[120 + i] = 0
        if T.bool(False) - a[i]:
            branch[120 + i] = 1
        stored[124 + i] = T.bool(True) + T.bool(True) + a[i]
        count[124 + i] = T.Cast("int32", T.bool(True) + T.bool(True) + a[i])
        chosen[124 + i] = T.if_then_else(T.bool(True) + T.bool(True) + a[i], 7, 3)
        branch[124 + i] = 0
        if T.bool(True) + T.bool(True) + a[i]:
            branch[124 + i] = 1
        stored[128 + i] = a[i] + b[i] + a[i]
        count[128 + i] = T.Cast("int32", a[i] + b[i] + a[i])
        chosen[128 + i] = T.if_then_else(a[i] + b[i] + a[i], 7, 3)
        branch[128 + i] = 0
        if a[i] + b[i] + a[i]:
            branch[128 + i] = 1
        stored[132 + i] = a[i] + b[i] - b[i]
        count[132 + i] = T.Cast("int32", a[i] + b[i] - b[i])
        chosen[132 + i] = T.if_then_else(a[i] + b[i] - b[i], 7, 3)
        branch[132 + i] = 0
        if a[i] + b[i] - b[i]:
            branch[132 + i] = 1
        stored[136 + i] = (a[i] + b[i]) * (a[i] - b[i])
        count[136 + i] = T.Cast("int32", (a[i] + b[i]) * (a[i] - b[i]))
        chosen[136 + i] = T.if_then_else((a[i] + b[i]) * (a[i] - b[i]), 7, 3)
        branch[136 + i] = 0
        if (a[i] + b[i]) * (a[i] - b[i]):
            branch[136 + i] = 1
        stored[140 + i] = a[i] * b[i] + a[i]
        count[140 + i] = T.Cast("int32", a[i] * b[i] + a[i])
        chosen[140 + i] = T.if_then_else(a[i] * b[i] + a[i], 7, 3)
        branch[140 + i] = 0
        if a[i] * b[i] + a[i]:
            branch[140 + i] = 1
        stored[144 + i] = (a[i] + b[i]) < a[i]
        count[144 + i] = T.Cast("int32", (a[i] + b[i]) < a[i])
        chosen[144 + i] = T.if_then_else((a[i] + b[i]) < a[i], 7, 3)
        branch[144 + i] = 0
        if (a[i] + b[i]) < a[i]:
            branch[144 + i] = 1
        stored[148 + i] = (a[i] - b[i]) == b[i]
        count[148 + i] = T.Cast("int32", (a[i] - b[i]) == b[i])
        chosen[148 + i] = T.if_then_else((a[i] - b[i]) == b[i], 7, 3)
        branch[148 + i] = 0
        if (a[i] - b[i]) == b[i]:
            branch[148 + i] = 1
        stored[152 + i] = (a[i] + b[i]) and (b[i] + b[i])
        count[152 + i] = T.Cast("int32", (a[i] + b[i]) and (b[i] + b[i]))
        chosen[152 + i] = T.if_then_else((a[i] + b[i]) and (b[i] + b[i]), 7, 3)
        branch[152 + i] = 0
        if (a[i] + b[i]) and (b[i] + b[i]):
            branch[152 + i] = 1
        stored[156 + i] = (a[i] + b[i]) or (b[i] + b[i])
        count[156 + i] = T.Cast("int32", (a[i] + b[i]) or (b[i] + b[i]))
        chosen[156 + i] = T.if_then_else((a[i] + b[i]) or (b[i] + b[i]), 7, 3)
        branch[156 + i] = 0
        if (a[i] + b[i]) or (b[i] + b[i]):
            branch[156 + i] = 1
        stored[160 + i] = not (a[i] + b[i])
        count[160 + i] = T.Cast("int32", not (a[i] + b[i]))
        chosen[160 + i] = T.if_then_else(not (a[i] + b[i]), 7, 3)
        branch[160 + i] = 0
        if not (a[i] + b[i]):
            branch[160 + i] = 1
        stored[164 + i] = T.bitwise_not(a[i] + b[i])
        count[164 + i] = T.Cast("int32", T.bitwise_not(a[i] + b[i]))
        chosen[164 + i] = T.if_then_else(T.bitwise_not(a[i] + b[i]), 7, 3)
        branch[164 + i] = 0
        if T.bitwise_not(a[i] + b[i]):
            branch[164 + i] = 1
        stored[168 + i] = T.min(a[i] + b[i], a[i])
        count[168 + i] = T.Cast("int32", T.min(a[i] + b[i], a[i]))
        chosen[168 + i] = T.if_then_else(T.min(a[i] + b[i], a[i]), 7, 3)
        branch[168 + i] = 0
        if T.min(a[i] + b[i], a[i]):
            branch[168 + i] = 1
        stored[172 + i] = T.max(a[i] - b[i], b[i])
        count[172 + i] = T.Cast("int32", T.max(a[i] - b[i], b[i]))
        chosen[172 + i] = T.if_then_else(T.max(a[i] - b[i], b[i]), 7, 3)
        branch[172 + i] = 0
        if T.max(a[i] - b[i], b[i]):
            branch[172 + i] = 1
        stored[176 + i] = T.Cast("bool", T.Cast("int8", a[i]) + T.Cast("int8", b[i]))
        count[176 + i] = T.Cast("int32", T.Cast("bool", T.Cast("int8", a[i]) + T.Cast("int8", b[i])))
        chosen[176 + i] = T.if_then_else(T.Cast("bool", T.Cast("int8", a[i]) + T.Cast("int8", b[i])), 7, 3)
        branch[176 + i] = 0
        if T.Cast("bool", T.Cast("int8", a[i]) + T.Cast("int8", b[i])):
            branch[176 + i] = 1
        stored[180 + i] = T.Cast("bool", T.Cast("int8", a[i] - b[i]))
        count[180 + i] = T.Cast("int32", T.Cast("bool", T.Cast("int8", a[i] - b[i])))
        chosen[180 + i] = T.if_then_else(T.Cast("bool", T.Cast("int8", a[i] - b[i])), 7, 3)
        branch[180 + i] = 0
        if T.Cast("bool", T.Cast("int8", a[i] - b[i])):
            branch[180 + i] = 1
        stored[184 + i] = T.Cast("bool", T.Cast("float32", a[i] + b[i]))
        count[184 + i] = T.Cast("int32", T.Cast("bool", T.Cast("float32", a[i] + b[i])))
        chosen[184 + i] = T.if_then_else(T.Cast("bool", T.Cast("float32", a[i] + b[i])), 7, 3)
        branch[184 + i] = 0
        if T.Cast("bool", T.Cast("float32", a[i] + b[i])):
            branch[184 + i] = 1
        stored[188 + i] = T.likely(a[i] + b[i])
        count[188 + i] = T.Cast("int32", T.likely(a[i] + b[i]))
        chosen[188 + i] = T.if_then_else(T.likely(a[i] + b[i]), 7, 3)
        branch[188 + i] = 0
        if T.likely(a[i] + b[i]):
            branch[188 + i] = 1
    lanes[0:4] = T.Cast("int32x4", a[0:4] + b[0:4])
    lanes[4:8] = T.Cast("int32x4", a[0:4] - b[0:4])
    lanes[8:12] = T.Cast("int32x4", a[0:4] * b[0:4])
    lanes[12:16] = T.Cast("int32x4", T.Div(a[0:4], b[0:4] or T.Broadcast(T.bool(True), 4)))
    lanes[16:20] = T.Cast("int32x4", T.truncmod(a[0:4], b[0:4] or T.Broadcast(T.bool(True), 4)))
    lanes[20:24] = T.Cast("int32x4", a[0:4] // (b[0:4] or T.Broadcast(T.bool(True), 4)))
    lanes[24:28] = T.Cast("int32x4", a[0:4] % (b[0:4] or T.Broadcast(T.bool(True), 4)))
    lanes[28:32] = T.Cast("int32x4", T.min(a[0:4], b[0:4]))
    lanes[32:36] = T.Cast("int32x4", T.max(a[0:4], b[0:4]))
    lanes[36:40] = T.Cast("int32x4", a[0:4] == b[0:4])
    lanes[40:44] = T.Cast("int32x4", a[0:4] != b[0:4])
    lanes[44:48] = T.Cast("int32x4", a[0:4] < b[0:4])
    lanes[48:52] = T.Cast("int32x4", a[0:4] <= b[0:4])
    lanes[52:56] = T.Cast("int32x4", a[0:4] > b[0:4])
    lanes[56:60] = T.Cast("int32x4", a[0:4] >= b[0:4])
    lanes[60:64] = T.Cast("int32x4", a[0:4] and b[0:4])
    lanes[64:68] = T.Cast("int32x4", a[0:4] or b[0:4])
    lanes[68:72] = T.Cast("int32x4", not a[0:4])
    lanes[72:76] = T.Cast("int32x4", T.bitwise_and(a[0:4], b[0:4]))
    lanes[76:80] = T.Cast("int32x4", T.bitwise_or(a[0:4], b[0:4]))
    lanes[80:84] = T.Cast("int32x4", T.bitwise_xor(a[0:4], b[0:4]))
    lanes[84:88] = T.Cast("int32x4", T.bitwise_not(a[0:4]))
    lanes[88:92] = T.Cast("int32x4", T.shift_left(a[0:4], T.Broadcast(T.bool(False), 4)))
    lanes[92:96] = T.Cast("int32x4", T.shift_right(a[0:4], T.Broadcast(T.bool(False), 4)))
    lanes[96:100] = T.Cast("int32x4", T.fabs(a[0:4]))
    lanes[100:104] = T.Cast("int32x4", T.popcount(a[0:4]))
    lanes[104:108] = T.Cast("int32x4", T.Select(a[0:4] + b[0:4], a[0:4], b[0:4]))
    lanes[108:112] = T.Cast("int32x4", a[0:4] + a[0:4])
    lanes[112:116] = T.Cast("int32x4", a[0:4] - a[0:4])
    lanes[116:120] = T.Cast("int32x4", T.Broadcast(T.bool(True), 4) - a[0:4])
    lanes[120:124] = T.Cast("int32x4", T.Broadcast(T.bool(False), 4) - a[0:4])
    lanes[124:128] = T.Cast("int32x4", T.Broadcast(T.bool(True), 4) + T.Broadcast(T.bool(True), 4) + a[0:4])
    lanes[128:132] = T.Cast("int32x4", a[0:4] + b[0:4] + a[0:4])
    lanes[132:136] = T.Cast("int32x4", a[0:4] + b[0:4] - b[0:4])
    lanes[136:140] = T.Cast("int32x4", (a[0:4] + b[0:4]) * (a[0:4] - b[0:4]))
    lanes[140:144] = T.Cast("int32x4", a[0:4] * b[0:4] + a[0:4])
    lanes[144:148] = T.Cast("int32x4", (a[0:4] + b[0:4]) < a[0:4])
    lanes[148:152] = T.Cast("int32x4", (a[0:4] - b[0:4]) == b[0:4])
    lanes[152:156] = T.Cast("int32x4", (a[0:4] + b[0:4]) and (b[0:4] + b[0:4]))
    lanes[156:160] = T.Cast("int32x4", (a[0:4] + b[0:4]) or (b[0:4] + b[0:4]))
    lanes[160:164] = T.Cast("int32x4", not (a[0:4] + b[0:4]))
    lanes[164:168] = T.Cast("int32x4", T.bitwise_not(a[0:4] + b[0:4]))
    lanes[168:172] = T.Cast("int32x4", T.min(a[0:4] + b[0:4], a[0:4]))
    lanes[172:176] = T.Cast("int32x4", T.max(a[0:4] - b[0:4], b[0:4]))
    lanes[176:180] = T.Cast("int32x4", T.Cast("boolx4", T.Cast("int8x4", a[0:4]) + T.Cast("int8x4", b[0:4])))
    lanes[180:184] = T.Cast("int32x4", T.Cast("boolx4", T.Cast("int8x4", a[0:4] - b[0:4])))
    lanes[184:188] = T.Cast("int32x4", T.Cast("boolx4", T.Cast("float32x4", a[0:4] + b[0:4])))
    lanes[188:192] = T.Cast("int32x4", T.likely(a[0:4] + b[0:4]))
    ramp[0:4] = T.Cast("int32x4", T.Ramp(a[0], T.bool(True), 4))
    ramp[4:8] = T.Cast("int32x4", T.Ramp(a[3], a[3], 4))
