# RUN: tenon-opt --pipeline=recognise-ops --verify-roundtrip %s | FileCheck %s
# RUN: tenon-opt --pipeline=recognise-ops,recognise-ops --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# The second run has nothing to do.
# ONCE: recognise-ops
# ONCE-NOT: after recognise-ops

@I.ir_module
class Module:
    # Divides by the number of elements inside the image.
    # CHECK-LABEL: def avgpool_nopad(
    # CHECK-NEXT: "tenon.op": {"kind": "avg_pool"
    @T.prim_func(private=True)
    def avgpool_nopad(x: T.Buffer((1,4,8,8), "float32"), y: T.Buffer((1,4,8,8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([256], "float32", "global")
        t = T.Buffer((256,), "float32", data=s)
        for c, h, w_ in T.grid(4, 8, 8):
            t[c*64+h*8+w_] = T.float32(0)
            for kh, kw in T.grid(3, 3):
                t[c*64+h*8+w_] = t[c*64+h*8+w_] + T.if_then_else(1 <= h + kh and h + kh < 9 and 1 <= w_ + kw and w_ + kw < 9, x[0, c, h + kh - 1, w_ + kw - 1], T.float32(0))
        for c, h, w_ in T.grid(4, 8, 8):
            y[0, c, h, w_] = t[c*64+h*8+w_] / T.Cast("float32", T.max((T.min(h + 1, 7) + 1 - T.max(h - 1, 0)) * (T.min(w_ + 1, 7) + 1 - T.max(w_ - 1, 0)), 1))

    # CHECK-LABEL: def bmm_t(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 240
    @T.prim_func(private=True)
    def bmm_t(a: T.Buffer((2,6,4), "float32"), b: T.Buffer((2,5,4), "float32"), y: T.Buffer((2,6,5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for bt, i, j in T.grid(2, 6, 5):
            y[bt, i, j] = T.float32(0)
            for k in range(4):
                y[bt, i, j] = y[bt, i, j] + a[bt, i, k] * b[bt, j, k]

    # CHECK-LABEL: def concat1(
    # CHECK-NEXT: "tenon.op": {"kind": "concatenate"
    @T.prim_func(private=True)
    def concat1(a: T.Buffer((1,4,4,3), "float32"), b: T.Buffer((1,4,4,5), "float32"), y: T.Buffer((1,4,4,8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w, c in T.grid(4, 4, 8):
            y[0, h, w, c] = T.if_then_else(3 <= c, b[0, h, w, c - 3], a[0, h, w, c])

    # CHECK-LABEL: def concat2(
    # CHECK-NEXT: "tenon.op": {"kind": "concatenate"
    @T.prim_func(private=True)
    def concat2(a: T.Buffer((1,4,4,3), "float32"), b: T.Buffer((1,4,4,5), "float32"), y: T.Buffer((1,4,4,8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w, c in T.grid(4, 4, 3):
            y[0, h, w, c] = a[0, h, w, c]
        for h, w, c in T.grid(4, 4, 5):
            y[0, h, w, c + 3] = b[0, h, w, c]

    # The padding is a condition in the sum.
    # CHECK-LABEL: def conv_inline(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"macs": 8640
    @T.prim_func(private=True)
    def conv_inline(x: T.Buffer((1,3,8,8), "float32"), w: T.Buffer((5,3,3,3), "float32"), y: T.Buffer((1,5,8,8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for o, h, w_ in T.grid(5, 8, 8):
            y[0, o, h, w_] = T.float32(0)
            for c, kh, kw in T.grid(3, 3, 3):
                y[0, o, h, w_] = y[0, o, h, w_] + T.if_then_else(h + kh >= 1 and h + kh < 9 and w_ + kw >= 1 and w_ + kw < 9, x[0, c, h + kh - 1, w_ + kw - 1], T.float32(0)) * w[o, c, kh, kw]

    # A convolution in blocks of four channels, with an unrolled row of seven outputs.
    # CHECK-LABEL: def conv_nchw4c(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"window": {"dilation": [1, 1], "input": [7, 7], "kernel": [3, 3], "output": [7, 7], "pad_after": [1, 1], "pad_before": [1, 1], "stride": [1, 1]}
    @T.prim_func(private=True)
    def conv_nchw4c(x: T.Buffer((1,2,7,7,4), "float32"), wt: T.Buffer((3,2,3,3,4,4), "float32"), bias: T.Buffer((12,), "float32"), y: T.Buffer((1,3,7,7,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.allocate([2*9*9*4], "float32", "global")
        p = T.Buffer((648,), "float32", data=pad)
        for c, h, w, ci in T.grid(2, 9, 9, 4):
            p[c*324 + h*36 + w*4 + ci] = T.if_then_else(1 <= h and h < 8 and 1 <= w and w < 8, x[0, c, h - 1, w - 1, ci], T.float32(0))
        for oc_oh in T.parallel(21):
            acc = T.allocate([28], "float32", "global")
            a = T.Buffer((28,), "float32", data=acc)
            for co in T.vectorized(4):
                a[co + 0] = T.float32(0)
            for co in T.vectorized(4):
                a[co + 4] = T.float32(0)
            for co in T.vectorized(4):
                a[co + 8] = T.float32(0)
            for co in T.vectorized(4):
                a[co + 12] = T.float32(0)
            for co in T.vectorized(4):
                a[co + 16] = T.float32(0)
            for co in T.vectorized(4):
                a[co + 20] = T.float32(0)
            for co in T.vectorized(4):
                a[co + 24] = T.float32(0)
            for ic, kh, kw, ici in T.grid(2, 3, 3, 4):
                for co in T.vectorized(4):
                    a[0 + co] = a[0 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 0] * wt[oc_oh // 7, ic, kh, kw, ici, co]
                for co in T.vectorized(4):
                    a[4 + co] = a[4 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 4] * wt[oc_oh // 7, ic, kh, kw, ici, co]
                for co in T.vectorized(4):
                    a[8 + co] = a[8 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 8] * wt[oc_oh // 7, ic, kh, kw, ici, co]
                for co in T.vectorized(4):
                    a[12 + co] = a[12 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 12] * wt[oc_oh // 7, ic, kh, kw, ici, co]
                for co in T.vectorized(4):
                    a[16 + co] = a[16 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 16] * wt[oc_oh // 7, ic, kh, kw, ici, co]
                for co in T.vectorized(4):
                    a[20 + co] = a[20 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 20] * wt[oc_oh // 7, ic, kh, kw, ici, co]
                for co in T.vectorized(4):
                    a[24 + co] = a[24 + co] + p[ic*324 + oc_oh % 7 * 36 + kh*36 + kw*4 + ici + 24] * wt[oc_oh // 7, ic, kh, kw, ici, co]
            for ow, co in T.grid(7, 4):
                y[0, oc_oh // 7, oc_oh % 7, ow, co] = T.max(a[ow*4 + co] + bias[oc_oh // 7 * 4 + co], T.float32(0))

    # A transposed convolution: the input is dilated and padded, and the kernel is flipped.
    # CHECK-LABEL: def deconv(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d_transpose"{{.*}}"stride": [2, 2]
    @T.prim_func(private=True)
    def deconv(x: T.Buffer((1,4,5,5), "float32"), w: T.Buffer((4,6,3,3), "float32"), y: T.Buffer((1,6,11,11), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        dil = T.allocate([4*9*9], "float32", "global")
        d = T.Buffer((324,), "float32", data=dil)
        pad = T.allocate([4*13*13], "float32", "global")
        p = T.Buffer((676,), "float32", data=pad)
        ker = T.allocate([216], "float32", "global")
        k = T.Buffer((216,), "float32", data=ker)
        for c, h, w_ in T.grid(4, 9, 9):
            d[c*81 + h*9 + w_] = T.if_then_else(h % 2 == 0 and w_ % 2 == 0, x[0, c, h // 2, w_ // 2], T.float32(0))
        for c, h, w_ in T.grid(4, 13, 13):
            p[c*169 + h*13 + w_] = T.if_then_else(2 <= h and h < 11 and 2 <= w_ and w_ < 11, d[c*81 + h*9 + w_ - 20], T.float32(0))
        for o, i, h, w_ in T.grid(6, 4, 3, 3):
            k[o*36 + i*9 + h*3 + w_] = w[i, o, 2 - h, 2 - w_]
        for o, h, w_ in T.grid(6, 11, 11):
            y[0, o, h, w_] = T.float32(0)
            for c, kh, kw in T.grid(4, 3, 3):
                y[0, o, h, w_] = y[0, o, h, w_] + p[c*169 + h*13 + kh*13 + w_ + kw] * k[o*36 + c*9 + kh*3 + kw]

    # CHECK-LABEL: def gather(
    # CHECK-NEXT: "tenon.op": {"kind": "take"
    @T.prim_func(private=True)
    def gather(x: T.Buffer((4,16), "float32"), i: T.Buffer((4,), "int32"), y: T.Buffer((4,16), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for a, b in T.grid(4, 16):
            y[a, b] = x[i[a], b]

    # CHECK-LABEL: def grouped(
    # CHECK-NEXT: "tenon.op": {"kind": "grouped_conv2d"{{.*}}"groups": 2
    @T.prim_func(private=True)
    def grouped(x: T.Buffer((1,6,6,8), "float32"), w: T.Buffer((2,3,3,4,6), "float32"), y: T.Buffer((1,4,4,12), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w_, g, o in T.grid(4, 4, 2, 6):
            y[0, h, w_, g*6 + o] = T.float32(0)
            for kh, kw, c in T.grid(3, 3, 4):
                y[0, h, w_, g*6 + o] = y[0, h, w_, g*6 + o] + x[0, h + kh, w_ + kw, g*4 + c] * w[g, kh, kw, c, o]

    # CHECK-LABEL: def ifelse(
    # CHECK-NEXT: "tenon.op": {"kind": "concatenate"
    @T.prim_func(private=True)
    def ifelse(a: T.Buffer((1,4,4,3), "float32"), b: T.Buffer((1,4,4,5), "float32"), y: T.Buffer((1,4,4,8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w, c in T.grid(4, 4, 8):
            if c < 3:
                y[0, h, w, c] = a[0, h, w, c]
            else:
                y[0, h, w, c] = b[0, h, w, c - 3]

    # CHECK-LABEL: def layernorm(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def layernorm(x: T.Buffer((4,16), "float32"), y: T.Buffer((4,16), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([2], "float32", "global")
        t = T.Buffer((2,), "float32", data=s)
        for i in range(4):
            t[0] = T.float32(0)
            t[1] = T.float32(0)
            for k in range(16):
                t[0] = t[0] + x[i, k]
                t[1] = t[1] + x[i, k]*x[i, k]
            for k in range(16):
                y[i, k] = (x[i, k] - t[0]/T.float32(16)) * T.rsqrt(t[1]/T.float32(16) - t[0]/T.float32(16)*t[0]/T.float32(16))

    # CHECK-LABEL: def maxpool(
    # CHECK-NEXT: "tenon.op": {"kind": "max_pool"{{.*}}"pad_after": [1, 1], "pad_before": [0, 0], "stride": [2, 2]
    @T.prim_func(private=True)
    def maxpool(x: T.Buffer((1,8,8,4), "float32"), y: T.Buffer((1,4,4,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.allocate([9*9*4], "float32", "global")
        p = T.Buffer((324,), "float32", data=pad)
        for h, w_, c in T.grid(9, 9, 4):
            p[h*36 + w_*4 + c] = T.if_then_else(h < 8 and w_ < 8, x[0, h, w_, c], T.float32(-3.4028234663852886e+38))
        for h, w_, c in T.grid(4, 4, 4):
            y[0, h, w_, c] = T.float32(-3.4028234663852886e+38)
            for kh, kw in T.grid(3, 3):
                y[0, h, w_, c] = T.max(y[0, h, w_, c], p[h*72 + kh*36 + w_*8 + kw*4 + c])

    # Windows that do not overlap.
    # CHECK-LABEL: def maxpool2(
    # CHECK-NEXT: "tenon.op": {"kind": "max_pool"{{.*}}"kernel": [2, 2]
    @T.prim_func(private=True)
    def maxpool2(x: T.Buffer((1,8,8,4), "float32"), y: T.Buffer((1,4,4,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w_, c in T.grid(4, 4, 4):
            y[0, h, w_, c] = T.float32(-3.4028234663852886e+38)
            for kh, kw in T.grid(2, 2):
                y[0, h, w_, c] = T.max(y[0, h, w_, c], x[0, h*2 + kh, w_*2 + kw, c])

    # CHECK-LABEL: def mean(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def mean(a: T.Buffer((6,10), "float32"), y: T.Buffer((6,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(6):
            y[i] = T.float32(0)
            for j in range(10):
                y[i] = y[i] + a[i, j]
        for i in range(6):
            y[i] = y[i] * T.float32(0.1)

    # The last part of a divided loop is cut off.
    # CHECK-LABEL: def mm_rest(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 840
    @T.prim_func(private=True)
    def mm_rest(a: T.Buffer((10,12), "float32"), b: T.Buffer((12,7), "float32"), y: T.Buffer((10,7), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for io, ii, j in T.grid(3, 4, 7):
            if T.likely(io * 4 + ii < 10):
                y[io*4 + ii, j] = T.float32(0)
                for k in range(12):
                    y[io*4 + ii, j] = y[io*4 + ii, j] + a[io*4 + ii, k] * b[k, j]

    # CHECK-LABEL: def mm_tiled(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 3840
    @T.prim_func(private=True)
    def mm_tiled(a: T.Buffer((16,12), "float32"), b: T.Buffer((12,20), "float32"), y: T.Buffer((16,20), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([16], "float32", "global")
        t = T.Buffer((16,), "float32", data=acc)
        for io, jo in T.grid(4, 5):
            for ii, ji in T.grid(4, 4):
                t[ii*4 + ji] = T.float32(0)
            for ko in range(3):
                for ii in range(4):
                    for ki in range(4):
                        for ji in range(4):
                            t[ii*4 + ji] = t[ii*4 + ji] + a[io*4 + ii, ko*4 + ki] * b[ko*4 + ki, jo*4 + ji]
            for ii, ji in T.grid(4, 4):
                y[io*4 + ii, jo*4 + ji] = t[ii*4 + ji]

    # CHECK-LABEL: def scan(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "a local tensor is read at elements that no single store is known to have set"
    @T.prim_func(private=True)
    def scan(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y[0] = x[0]
        for a in range(15):
            y[a+1] = x[a+1] + y[a]

    # CHECK-LABEL: def slice_(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def slice_(a: T.Buffer((10,10), "float32"), y: T.Buffer((4,5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(4, 5):
            y[i, j] = a[i + 2, j * 2]

    # CHECK-LABEL: def transpose(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def transpose(a: T.Buffer((3,4,5), "float32"), y: T.Buffer((5,3,4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(5, 3, 4):
            y[i, j, k] = a[j, k, i]

    # CHECK-LABEL: def unrolled_k(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 240
    @T.prim_func(private=True)
    def unrolled_k(a: T.Buffer((6,8), "float32"), b: T.Buffer((8,5), "float32"), y: T.Buffer((6,5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(6, 5):
            y[i, j] = T.float32(0)
            for k in range(4):
                y[i, j] = y[i, j] + a[i, k*2]*b[k*2, j]
                y[i, j] = y[i, j] + a[i, k*2 + 1]*b[k*2 + 1, j]

    # CHECK-LABEL: def unrolled_sum(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def unrolled_sum(a: T.Buffer((6,4), "float32"), b: T.Buffer((4,5), "float32"), y: T.Buffer((6,5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(6, 5):
            y[i, j] = a[i, 0]*b[0, j] + a[i, 1]*b[1, j] + a[i, 2]*b[2, j] + a[i, 3]*b[3, j]

    # Completely unrolled nests.
    # CHECK-LABEL: def unrolled_tensorblocks(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def unrolled_tensorblocks(x: T.Buffer((4,16), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y[0] = T.float32(0)
        for k in range(16):
            y[0] = y[0] + x[0, k]
        y[1] = T.float32(0)
        for k in range(16):
            y[1] = y[1] + x[1, k]
        y[2] = T.float32(0)
        for k in range(16):
            y[2] = y[2] + x[2, k]
        y[3] = T.float32(0)
        for k in range(16):
            y[3] = y[3] + x[3, k]

    # The entry of a module is not an operator.
    # CHECK-LABEL: def main(
    # CHECK-NOT: tenon.op
    @T.prim_func
    def main():
        T.evaluate(0)
