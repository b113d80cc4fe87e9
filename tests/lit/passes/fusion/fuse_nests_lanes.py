# RUN: tenon-opt %s --pipeline=fuse-nests | FileCheck %s
# RUN: tenon-opt %s --pipeline='fuse-nests{keep-blocks=true}' | FileCheck %s --check-prefix=KEEP
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def large
    # The buffer has more bytes than a function has on its stack.
    # CHECK: b = T.allocate([1], "int32", "global")
    # KEEP-LABEL: def large
    # KEEP: b = T.allocate([1], "int32", "global")
    @T.prim_func
    def large(x: T.Buffer((1024,), "int32"), w: T.Buffer((1024,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            b = T.allocate([256], "int32", "global")
            b_1 = T.Buffer((256,), "int32", data=b)
            for c in range(256):
                b_1[c] = 0
                for k in range(3):
                    b_1[c] = b_1[c] + x[i * 128 + k * 128 + c]
            for d in range(256):
                for o in range(4):
                    y[i * 4 + o] = y[i * 4 + o] + b_1[d] * w[d * 4 + o]

    # CHECK-LABEL: def local
    # Sixteen sums at once are worth more than a scalar instead of 64 bytes of the stack.
    # CHECK: b = T.allocate([16], "int32", "global")
    # KEEP-LABEL: def local
    # KEEP: b = T.allocate([16], "int32", "global")
    @T.prim_func
    def local(x: T.Buffer((96,), "int32"), w: T.Buffer((64,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            b = T.allocate([16], "int32", "global")
            b_1 = T.Buffer((16,), "int32", data=b)
            for c in range(16):
                b_1[c] = 0
                for k in range(3):
                    b_1[c] = b_1[c] + x[i * 16 + k * 16 + c]
            for d in range(16):
                for o in range(4):
                    y[i * 4 + o] = y[i * 4 + o] + b_1[d] * w[d * 4 + o]

    # CHECK-LABEL: def peak
    # Nothing else is larger than the buffer, so the peak would have it.
    # CHECK: T.allocate([4], "int32", "global")
    # KEEP-LABEL: def peak
    # KEEP-NOT: T.allocate([64]
    # KEEP: T.allocate([4], "int32", "global")
    @T.prim_func
    def peak(x: T.Buffer((128,), "int32"), w: T.Buffer((32,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([64], "int32", "global")
        b_1 = T.Buffer((64,), "int32", data=b)
        for p in range(16):
            for c in range(4):
                b_1[p * 4 + c] = 0
            for k, c in T.grid(8, 4):
                b_1[p * 4 + c] = b_1[p * 4 + c] + x[p * 8 + k] * w[k * 4 + c]
        for p, c in T.grid(16, 4):
            y[c] = y[c] + b_1[p * 4 + c]

    # CHECK-LABEL: def pool
    # CHECK-NOT: T.allocate([64]
    # KEEP-LABEL: def pool
    # An average of all rows would take the blocks from the sums. The larger buffer is the peak.
    # KEEP: b = T.allocate([64], "int32", "global")
    # KEEP: for p, c in T.grid(16, 4):
    # KEEP-NEXT: y[c] = y[c] + b_1[p * 4 + c]
    @T.prim_func
    def pool(x: T.Buffer((128,), "int32"), w: T.Buffer((32,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([128], "int32", "global")
        b = T.allocate([64], "int32", "global")
        a_1 = T.Buffer((128,), "int32", data=a)
        for i in range(128):
            a_1[i] = x[i] * x[i]
        y[0] = a_1[x[0]]
        b_1 = T.Buffer((64,), "int32", data=b)
        for p in range(16):
            for c in range(4):
                b_1[p * 4 + c] = 0
            for k, c in T.grid(8, 4):
                b_1[p * 4 + c] = b_1[p * 4 + c] + x[p * 8 + k] * w[k * 4 + c]
        for p, c in T.grid(16, 4):
            y[c] = y[c] + b_1[p * 4 + c]
