# RUN: tenon-opt --pipeline=recognise-ops --verify-roundtrip %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Operators as written by the schedules of several compilers.

@I.ir_module
class Module:
    # CHECK-LABEL: def argmaxish(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "a loop stores to the same element more than once"
    @T.prim_func(private=True)
    def argmaxish(x: T.Buffer((6,8), "float32"), y: T.Buffer((6,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(6):
            y[i] = T.float32(-3e38)
            for k in range(8):
                y[i] = T.Select(x[i, k] > y[i], x[i, k], y[i])

    # CHECK-LABEL: def bias_init(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"
    @T.prim_func(private=True)
    def bias_init(x: T.Buffer((6,8), "float32"), w: T.Buffer((8,4), "float32"), b: T.Buffer((4,), "float32"), y: T.Buffer((6,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(6, 4):
            y[i, j] = b[j]
        for i, j, k in T.grid(6, 4, 8):
            y[i, j] = y[i, j] + x[i, k] * w[k, j]

    # CHECK-LABEL: def blocks(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"
    @T.prim_func(private=True)
    def blocks(x: T.Buffer((6,8), "float32"), w: T.Buffer((8,4), "float32"), b: T.Buffer((4,), "float32"), y: T.Buffer((6,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.alloc_buffer((6, 4))
        for i, j, k in T.grid(6, 4, 8):
            with T.block("mm"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(x[vi, vk], w[vk, vj])
                T.writes(acc[vi, vj])
                with T.init():
                    acc[vi, vj] = T.float32(0)
                acc[vi, vj] = acc[vi, vj] + x[vi, vk] * w[vk, vj]
        for i, j in T.grid(6, 4):
            with T.block("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(acc[vi, vj], b[vj])
                T.writes(y[vi, vj])
                y[vi, vj] = T.max(acc[vi, vj] + b[vj], T.float32(0))

    # CHECK-LABEL: def blocks_conv(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"
    @T.prim_func(private=True)
    def blocks_conv(x: T.Buffer((1,8,8,3), "float32"), w: T.Buffer((3,3,3,4), "float32"), y: T.Buffer((1,4,4,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.alloc_buffer((1, 9, 9, 3))
        for a, b, c, d in T.grid(1, 9, 9, 3):
            with T.block("pad"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [a, b, c, d])
                pad[v0, v1, v2, v3] = T.if_then_else(0 <= v1 and v1 < 8 and 0 <= v2 and v2 < 8, x[v0, v1, v2, v3], T.float32(0))
        for n, h, ww, o, kh, kw, i in T.grid(1, 4, 4, 4, 3, 3, 3):
            with T.block("c"):
                vn, vh, vw, vo, vkh, vkw, vi = T.axis.remap("SSSSRRR", [n, h, ww, o, kh, kw, i])
                with T.init():
                    y[vn, vh, vw, vo] = T.float32(0)
                y[vn, vh, vw, vo] = y[vn, vh, vw, vo] + pad[vn, vh*2 + vkh, vw*2 + vkw, vi] * w[vkh, vkw, vi, vo]

    # CHECK-LABEL: def bn_relu_conv1x1(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"
    @T.prim_func(private=True)
    def bn_relu_conv1x1(x: T.Buffer((1,4,4,8), "float32"), s: T.Buffer((8,), "float32"), t: T.Buffer((8,), "float32"), w: T.Buffer((8,6), "float32"), y: T.Buffer((1,4,4,6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w_, o in T.grid(4, 4, 6):
            y[0, h, w_, o] = T.float32(0)
            for k in range(8):
                y[0, h, w_, o] = y[0, h, w_, o] + T.max(x[0, h, w_, k] * s[k] + t[k], T.float32(0)) * w[k, o]

    # CHECK-LABEL: def bn_relu_pad_conv(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"
    @T.prim_func(private=True)
    def bn_relu_pad_conv(x: T.Buffer((1,6,6,8), "float32"), s: T.Buffer((8,), "float32"), t: T.Buffer((8,), "float32"), w: T.Buffer((3,3,8,6), "float32"), y: T.Buffer((1,6,6,6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.allocate([512], "float32", "global")
        p = T.Buffer((512,), "float32", data=pad)
        for h, w_, k in T.grid(8, 8, 8):
            p[h*64 + w_*8 + k] = T.if_then_else(1 <= h and h < 7 and 1 <= w_ and w_ < 7, T.max(x[0, h - 1, w_ - 1, k] * s[k] + t[k], T.float32(0)), T.float32(0))
        for h, w_, o in T.grid(6, 6, 6):
            y[0, h, w_, o] = T.float32(0)
            for kh, kw, k in T.grid(3, 3, 8):
                y[0, h, w_, o] = y[0, h, w_, o] + p[(h + kh)*64 + (w_ + kw)*8 + k] * w[kh, kw, k, o]

    # CHECK-LABEL: def concat3(
    # CHECK-NEXT: "tenon.op": {"kind": "concatenate"
    @T.prim_func(private=True)
    def concat3(a: T.Buffer((4,2), "float32"), b: T.Buffer((4,3), "float32"), c: T.Buffer((4,4), "float32"), y: T.Buffer((4,9), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w in T.grid(4, 9):
            y[h, w] = T.if_then_else(5 <= w, c[h, w - 5], T.if_then_else(2 <= w, b[h, w - 2], a[h, w]))

    # CHECK-LABEL: def conv1d_(
    # CHECK-NEXT: "tenon.op": {"kind": "conv1d"
    @T.prim_func(private=True)
    def conv1d_(x: T.Buffer((1,20,4), "float32"), w: T.Buffer((3,4,6), "float32"), y: T.Buffer((1,18,6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, o in T.grid(18, 6):
            y[0, i, o] = T.float32(0)
            for k, c in T.grid(3, 4):
                y[0, i, o] = y[0, i, o] + x[0, i + k, c] * w[k, c, o]

    # CHECK-LABEL: def deconv_stride1(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"
    @T.prim_func(private=True)
    def deconv_stride1(x: T.Buffer((1,4,5,5), "float32"), w: T.Buffer((4,6,3,3), "float32"), y: T.Buffer((1,6,5,5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.allocate([4*7*7], "float32", "global")
        p = T.Buffer((196,), "float32", data=pad)
        for c, h, w_ in T.grid(4, 7, 7):
            p[c*49 + h*7 + w_] = T.if_then_else(1 <= h and h < 6 and 1 <= w_ and w_ < 6, x[0, c, h - 1, w_ - 1], T.float32(0))
        for o, h, w_ in T.grid(6, 5, 5):
            y[0, o, h, w_] = T.float32(0)
            for c, kh, kw in T.grid(4, 3, 3):
                y[0, o, h, w_] = y[0, o, h, w_] + p[c*49 + h*7 + kh*7 + w_ + kw] * w[c, o, 2 - kh, 2 - kw]

    # CHECK-LABEL: def dilated(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"dilation": [2, 2]
    @T.prim_func(private=True)
    def dilated(x: T.Buffer((1,12,12,4), "float32"), w: T.Buffer((3,3,4,6), "float32"), y: T.Buffer((1,8,8,6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, o in T.grid(8, 8, 6):
            y[0, i, j, o] = T.float32(0)
            for k, l, c in T.grid(3, 3, 4):
                y[0, i, j, o] = y[0, i, j, o] + x[0, i + k*2, j + l*2, c] * w[k, l, c, o]

    # CHECK-LABEL: def lrn(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def lrn(x: T.Buffer((1,8,4,4), "float32"), y: T.Buffer((1,8,4,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([128], "float32", "global")
        t = T.Buffer((128,), "float32", data=s)
        for c, h, w in T.grid(8, 4, 4):
            t[c*16 + h*4 + w] = T.float32(0)
            for k in range(5):
                t[c*16 + h*4 + w] = t[c*16 + h*4 + w] + T.if_then_else(2 <= c + k and c + k < 10, x[0, c + k - 2, h, w] * x[0, c + k - 2, h, w], T.float32(0))
        for c, h, w in T.grid(8, 4, 4):
            y[0, c, h, w] = x[0, c, h, w] / T.pow(T.float32(1) + T.float32(0.1) * t[c*16 + h*4 + w], T.float32(0.75))

    # CHECK-LABEL: def qdense(
    # CHECK-NEXT: "tenon.op": {"kind": "dense"{{.*}}"exact": "bitwise"
    @T.prim_func(private=True)
    def qdense(x: T.Buffer((1,64), "int8"), w: T.Buffer((64,8), "int8"), b: T.Buffer((8,), "int32"), y: T.Buffer((1,8), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j in range(8):
            acc = T.allocate([1], "int32", "global")
            a = T.Buffer((1,), "int32", data=acc)
            a[0] = 0
            for k in range(64):
                a[0] = a[0] + (T.Cast("int32", x[0, k]) - 3) * T.Cast("int32", w[k, j])
            y[0, j] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(a[0] + b[j], 1552512742, 31, -5) + 24, 127), -128))

    # CHECK-LABEL: def resize(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def resize(x: T.Buffer((1,4,4,3), "float32"), y: T.Buffer((1,8,8,3), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w, c in T.grid(8, 8, 3):
            y[0, h, w, c] = x[0, h // 2, w // 2, c]

    # CHECK-LABEL: def spatial_pack(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"
    @T.prim_func(private=True)
    def spatial_pack(x: T.Buffer((1,8,14,14), "float32"), w: T.Buffer((4,8,3,3,4), "float32"), y: T.Buffer((1,16,14,14), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        dv = T.allocate([7*2*8*4*9], "float32", "global")
        d = T.Buffer((4032,), "float32", data=dv)
        cv = T.allocate([3136], "float32", "global")
        c = T.Buffer((3136,), "float32", data=cv)
        for h, w_, ci, vh, vw in T.grid(7, 2, 8, 4, 9):
            d[h*576 + w_*288 + ci*36 + vh*9 + vw] = T.if_then_else(1 <= h*2 + vh and h*2 + vh < 15 and 1 <= w_*7 + vw and w_*7 + vw < 15, x[0, ci, h*2 + vh - 1, w_*7 + vw - 1], T.float32(0))
        for co, h, w_ in T.grid(4, 7, 2):
            for vh, vw, vc in T.grid(2, 7, 4):
                c[co*784 + h*112 + w_*56 + vh*28 + vw*4 + vc] = T.float32(0)
            for ci, kh, kw, vh, vw, vc in T.grid(8, 3, 3, 2, 7, 4):
                c[co*784 + h*112 + w_*56 + vh*28 + vw*4 + vc] = c[co*784 + h*112 + w_*56 + vh*28 + vw*4 + vc] + d[h*576 + w_*288 + ci*36 + (vh + kh)*9 + vw + kw] * w[co, ci, kh, kw, vc]
        for co, h, w_ in T.grid(16, 14, 14):
            y[0, co, h, w_] = c[co // 4 * 784 + h // 2 * 112 + w_ // 7 * 56 + h % 2 * 28 + w_ % 7 * 4 + co % 4]

    # CHECK-LABEL: def vec_rows(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"
    @T.prim_func(private=True)
    def vec_rows(x: T.Buffer((8,16), "float32"), w: T.Buffer((16,32), "float32"), y: T.Buffer((8,32), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for mo, no in T.grid(2, 2):
            acc = T.allocate([4], "float32x16", "global")
            a = T.Buffer((4,), "float32x16", data=acc)
            for i in range(4):
                a[i] = T.Broadcast(T.float32(0), 16)
            for k in range(16):
                wb = T.Buffer((512,), "float32", data=w.data)
                a[0] = a[0] + T.Broadcast(x[mo*4, k], 16) * wb[k*32 + no*16:k*32 + no*16 + 16]
                a[1] = a[1] + T.Broadcast(x[mo*4 + 1, k], 16) * wb[k*32 + no*16:k*32 + no*16 + 16]
                a[2] = a[2] + T.Broadcast(x[mo*4 + 2, k], 16) * wb[k*32 + no*16:k*32 + no*16 + 16]
                a[3] = a[3] + T.Broadcast(x[mo*4 + 3, k], 16) * wb[k*32 + no*16:k*32 + no*16 + 16]
            for i in T.unroll(4):
                yb = T.Buffer((256,), "float32", data=y.data)
                yb[mo*128 + i*32 + no*16:mo*128 + i*32 + no*16 + 16] = a[i]

    @T.prim_func
    def main():
        T.evaluate(0)
