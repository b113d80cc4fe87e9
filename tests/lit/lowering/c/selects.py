# Comparisons, connectives and selections. Only the needed arm of a conditional runs.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), f: T.Buffer((8,), "float32"), h: T.Buffer((8,), "float16"), y: T.Buffer((8,), "int32"), p: T.Buffer((8,), "bool"), g: T.Buffer((8,), "float32"), s: T.Buffer((8,), "int8")):
    for i in range(8):
        # CHECK: p[i] = (int8_t)(a[i] < 3);
        p[i] = a[i] < 3
        # CHECK: p[i] = (int8_t)((a[i] == a[0] && f[i] >= f[0]) || !(p[0] != 0));
        p[i] = a[i] == a[0] and f[i] >= f[0] or not p[0]
        # CHECK: p[i] = (int8_t)((a[i] < 3) == (a[0] > 4));
        p[i] = (a[i] < 3) == (a[0] > 4)
        # CHECK: p[i] = (int8_t)(tenon_f16_to_f32(h[i]) != tenon_f16_to_f32(h[0]));
        p[i] = h[i] != h[0]
        # CHECK: y[i] = a[i] != 0 ? a[i] : (int32_t)(1U - (uint32_t)a[i]);
        y[i] = T.Select(a[i] != 0, a[i], 1 - a[i])
        # CHECK: y[i] = i > 0 && a[i] < 2 ? a[i - 1] : 0;
        y[i] = T.if_then_else(i > 0 and a[i] < 2, a[i - 1], 0)
        # CHECK: s[i] = (int8_t)(p[i] != 0 ? 1 : (-1));
        s[i] = T.Select(p[i], T.int8(1), T.int8(-1))
        # CHECK: g[i] = !(p[i] != 0) ? f[i] : 0.0f;
        g[i] = T.Select(T.Not(p[i]), f[i], T.float32(0))
        # CHECK: g[i] = tenon_max_f32(f[i], 0.0f);
        g[i] = T.max(f[i], T.float32(0))
        # The text does not grow with nesting, even under a condition.
        # CHECK: g[i] = p[i] != 0 ? tenon_max_f32(tenon_min_f32(f[i] * f[0], 6.0f), f[i - 1]) : 0.0f;
        g[i] = T.if_then_else(p[i], T.max(T.min(f[i] * f[0], T.float32(6)), f[i - 1]), T.float32(0))
        # CHECK: p[i] = (int8_t)(p[0] != 0 ? p[1] != 0 : a[i] > 2);
        p[i] = T.Select(p[0], p[1], a[i] > 2)
        # A let under a condition is evaluated there, once.
        # CHECK: int32_t v;
        # CHECK-NEXT: y[i] = i > 0 ? (v = a[i - 1], (int32_t)((uint32_t)v * (uint32_t)v)) : 0;
        v = T.int32()
        y[i] = T.if_then_else(i > 0, T.Let(v * v, where={v: a[i - 1]}), 0)
