# RUN: tenon-opt %s --pipeline='lower-vectors{keep=gnu}' | FileCheck %s
# RUN: tenon-opt %s --pipeline='lower-vectors{keep=gnu},lower-vectors{keep=gnu}' --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s
# RUN: not tenon-opt %s --pipeline='lower-vectors{keep=all}' 2>&1 | FileCheck --check-prefix=KEEP %s
# KEEP: option `keep` is `all`, expected `none` or `gnu`

# ONCE: # IR after lower-vectors
# ONCE-NOT: # IR after lower-vectors

# CHECK:      acc = T.allocate([8], "int32", "global")
# CHECK-NEXT: acc_1 = T.Buffer((8,), "int32", data=acc)
# CHECK-NEXT: acc_1[0:8] = T.Broadcast(0, 8)
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT:   acc_1[0:8] = acc_1[0:8] + T.Broadcast(q[i], 8)
# CHECK-NEXT: o[0:8] = T.Cast("int32x8", acc_1[0:8] < q[0:8])
# A conversion that saturates, and a lane count that is not a power of two.
# CHECK-NEXT: for lane in range(4):
# CHECK-NEXT:   o[lane] = T.Cast("int32", x[lane])
# CHECK-NEXT: for lane in range(3):
# CHECK-NEXT:   o[lane] = q[lane]
# CHECK-NEXT: v = T.allocate([4], "int32", "global")
# CHECK-NEXT: v_1 = T.Buffer((4,), "int32", data=v)
# CHECK-NEXT: v_1[0:4] = q[0:4]
# CHECK-NEXT: o[4:8] = v_1[0:4] * v_1[0:4]
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "float32"), q: T.Buffer((16,), "int32"), o: T.Buffer((16,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    acc = T.allocate([1], "int32x8", "global")
    acc_1 = T.Buffer((1,), "int32x8", data=acc)
    acc_1[0] = T.Broadcast(0, 8)
    for i in range(4):
        acc_1[0] = acc_1[0] + T.Broadcast(q[i], 8)
    o[0:8] = T.Cast("int32x8", acc_1[0] < q[0:8])
    o[0:4] = T.Cast("int32x4", x[0:4])
    o[0:3] = q[0:3]
    v: T.int32x4 = q[0:4]
    o[4:8] = v * v
