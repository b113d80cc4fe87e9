# RUN: tenon-opt %s --pipeline='jam-loops{register-bytes=128},simplify' | FileCheck %s
# RUN: tenon-opt %S/Inputs/jam_scalars.py --pipeline='jam-loops{register-bytes=8 scalars=true},simplify' | FileCheck %s --check-prefix=SCALARS
# RUN: tenon-opt %S/Inputs/jam_scalars.py --pipeline='jam-loops{register-bytes=8},simplify' | FileCheck %s --check-prefix=NONE
# RUN: tenon-opt %S/Inputs/jam_sums.py --pipeline='jam-loops,simplify' | FileCheck %s --check-prefix=SUMS
# RUN: tenon-opt %s --pipeline='jam-loops{vector-bytes=128},simplify' | FileCheck %s --check-prefix=VECTORS
# A sum takes a register, also if it is shorter.
# RUN: tenon-opt %s --pipeline='jam-loops{vector-bytes=256 least-bytes=128},simplify' | FileCheck %s --check-prefix=VECTORS
# RUN: tenon-opt %S/Inputs/jam_scalars.py --pipeline='jam-loops{scalar-bytes=8 scalars=true},simplify' | FileCheck %s --check-prefix=SCALARS
# RUN: not tenon-opt %s --pipeline='jam-loops{max-copies=0}' 2>&1 | FileCheck %s --check-prefix=BAD
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def block(x: T.Buffer((32,), "float32"), w: T.Buffer((128,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([1], "float32x16", "global")
            s_1 = T.Buffer((1,), "float32x16", data=s)
            s_1[0] = T.Broadcast(T.float32(0), 16)
            for k in range(8):
                s_1[0] = s_1[0] + T.Broadcast(x[i * 8 + k], 16) * w[k * 16:k * 16 + 16]
            y[i * 16:i * 16 + 16] = s_1[0]

    # Stores of two iterations overlap.
    @T.prim_func
    def overlap(x: T.Buffer((32,), "float32"), w: T.Buffer((128,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([1], "float32x16", "global")
            s_1 = T.Buffer((1,), "float32x16", data=s)
            s_1[0] = T.Broadcast(T.float32(0), 16)
            for k in range(8):
                s_1[0] = s_1[0] + T.Broadcast(x[i * 8 + k], 16) * w[k * 16:k * 16 + 16]
            y[i * 8:i * 8 + 16] = s_1[0]

    # Nothing is shared, but the steps of a sum wait for each other.
    @T.prim_func
    def wait(x: T.Buffer((64,), "float32"), w: T.Buffer((4096,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([1], "float32x16", "global")
            s_1 = T.Buffer((1,), "float32x16", data=s)
            s_1[0] = T.Broadcast(T.float32(0), 16)
            for k in range(64):
                s_1[0] = s_1[0] + T.Broadcast(x[k], 16) * w[i * 1024 + k * 16:i * 1024 + k * 16 + 16]
            y[i * 16:i * 16 + 16] = s_1[0]

    # Steps of a short sum overlap with the following statements.
    @T.prim_func
    def short(x: T.Buffer((64,), "float32"), w: T.Buffer((4096,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([1], "float32x16", "global")
            s_1 = T.Buffer((1,), "float32x16", data=s)
            s_1[0] = T.Broadcast(T.float32(0), 16)
            for k in range(63):
                s_1[0] = s_1[0] + T.Broadcast(x[k], 16) * w[i * 1024 + k * 16:i * 1024 + k * 16 + 16]
            y[i * 16:i * 16 + 16] = s_1[0]

    # Two iterations with the same choice run together, others one after the other.
    @T.prim_func
    def borders(x: T.Buffer((8,), "int32"), w: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(2):
            s = T.allocate([1], "int32x8", "global")
            s_1 = T.Buffer((1,), "int32x8", data=s)
            s_1[0] = T.Broadcast(0, 8)
            for r in range(2):
                if i + r > 0:
                    for k in range(2):
                        s_1[0] = s_1[0] + T.Broadcast(x[i + r + k], 8) * w[r * 16 + k * 8:r * 16 + k * 8 + 8]
            y[i * 8:i * 8 + 8] = s_1[0]

    # Scratch of two sums that follow each other is not in use at a time.
    @T.prim_func
    def siblings(x: T.Buffer((32,), "float32"), w: T.Buffer((128,), "float32"), y: T.Buffer((64,), "float32"), z: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            with T.allocate([1], "float32x16", "global") as s:
                s_1 = T.Buffer((1,), "float32x16", data=s)
                s_1[0] = T.Broadcast(T.float32(0), 16)
                for k in range(8):
                    s_1[0] = s_1[0] + T.Broadcast(x[i * 8 + k], 16) * w[k * 16:k * 16 + 16]
                y[i * 16:i * 16 + 16] = s_1[0]
            with T.allocate([1], "float32x16", "global") as t:
                t_1 = T.Buffer((1,), "float32x16", data=t)
                t_1[0] = T.Broadcast(T.float32(1), 16)
                for k in range(8):
                    t_1[0] = t_1[0] + T.Broadcast(x[i * 8 + k], 16) * w[k * 16:k * 16 + 16]
                z[i * 16:i * 16 + 16] = t_1[0]

    # At the border one iteration chooses otherwise, and the others run together.
    @T.prim_func
    def inside(x: T.Buffer((8,), "int32"), w: T.Buffer((24,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([1], "int32x8", "global")
            s_1 = T.Buffer((1,), "int32x8", data=s)
            s_1[0] = T.Broadcast(0, 8)
            for r in range(3):
                if 0 < r + i and r + i < 5:
                    for k in range(2):
                        s_1[0] = s_1[0] + w[r * 8:r * 8 + 8] * T.Broadcast(x[i + r + k - 1], 8)
            y[i * 8:i * 8 + 8] = s_1[0]

# CHECK-LABEL: def block
# CHECK: for i in range(2):
# CHECK-COUNT-2: T.allocate([1], "float32x16", "global")
# CHECK: for k in range(8):
# CHECK: x[i * 16 + k]
# CHECK: x[i * 16 + k + 8]
# CHECK: y[i * 32:i * 32 + 16] =
# CHECK: y[i * 32 + 16:i * 32 + 16 + 16] =
# CHECK-LABEL: def borders
# CHECK: for r in range(2):
# CHECK-NEXT: if r > 0:
# CHECK-NEXT: for k in range(2):
# CHECK-NEXT: x[k + 1]
# CHECK-NEXT: x[k + 2]
# CHECK-NEXT: else:
# CHECK-NEXT: for [[K:[a-z0-9_]+]] in range(2):
# CHECK-NEXT: w[{{.*}}] * T.Broadcast(x[[[K]] + 1], 8)
# CHECK-NOT: x[
# CHECK-LABEL: def inside
# CHECK: if r > 0 and r < 2:
# CHECK: else:
# CHECK: if r > 0:
# CHECK: x[{{.*}} + r - 1]
# The second and the third iteration share the vector of weights.
# CHECK: for [[K:[a-z0-9_]+]] in range(2):
# CHECK-NEXT: x[[[K]] + r]
# CHECK-NEXT: x[[[K]] + r + 1]
# CHECK: if r < 2:
# CHECK: x[{{.*}} + r + 2]
# CHECK-LABEL: def overlap
# CHECK: for i in range(4):
# CHECK-LABEL: def short
# CHECK: for i in range(4):
# CHECK-LABEL: def siblings
# CHECK: for i in range(2):
# CHECK-COUNT-2: T.allocate([1], "float32x16", "global")
# CHECK-LABEL: def wait
# CHECK: for i in range(2):
# CHECK-COUNT-2: T.allocate([1], "float32x16", "global")
# CHECK: for k in range(64):
# CHECK: w[i * 2048 + k * 16:
# CHECK: w[i * 2048 + k * 16 + 1024:
# BAD: max-copies is not 1 to 64

# SCALARS-LABEL: def condition
# SCALARS: for c in range(4):
# SCALARS: for k in range(8):
# SCALARS-NEXT: if k >= 3:
# SCALARS-NEXT: s_1_1[0] = s_1_1[0] + w[k * 8 + c * 2] * x[k * 8 + c * 2]
# SCALARS-NEXT: s_1_2[0] = s_1_2[0] + w[k * 8 + c * 2 + 1] * x[k * 8 + c * 2 + 1]
# SCALARS-LABEL: def load
# SCALARS: for c in range(4):
# SCALARS: for k in range(8):
# SCALARS-NEXT: s_1_1[0] = s_1_1[0] + w[k * 8 + c * 2] * x[k]
# SCALARS-NEXT: s_1_2[0] = s_1_2[0] + w[k * 8 + c * 2 + 1] * x[k]
# Two iterations share nothing.
# SCALARS-LABEL: def nothing
# SCALARS: for c in range(8):
# NONE-LABEL: def condition
# NONE: for c in range(8):
# NONE-LABEL: def load
# NONE: for c in range(8):
# All eight sums are computed together.
# SUMS-LABEL: def around
# SUMS-NOT: for i
# SUMS-NOT: for j
# SUMS: for k in range(64):
# SUMS-COUNT-8: w[
# SUMS-LABEL: def beside
# SUMS-NOT: for i
# SUMS: for k in range(64):
# SUMS-COUNT-8: w[

# Two sums of 64 bytes fit in 128 bytes; those of integers have the limit of allocations.
# VECTORS-LABEL: def block
# VECTORS: for i in range(2):
# VECTORS-NEXT: s = T.allocate([1], "float32x16", "global")
# VECTORS-NEXT: s_1 = T.allocate([1], "float32x16", "global")
