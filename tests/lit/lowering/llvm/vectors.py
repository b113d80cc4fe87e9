# Vectors are LLVM vectors. Contiguous lanes are loaded at once, other lanes one by one.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

# CHECK-LABEL: @tvmgen_default_main
@T.prim_func
def main(x: T.Buffer((16,), "float32"), q: T.Buffer((16,), "int32"), m: T.Buffer((16,), "bool"), y: T.Buffer((16,), "float32"), o: T.Buffer((16,), "int32")):
    # CHECK: load <4 x float>, ptr %{{[0-9]+}}, align 4
    # CHECK: fmul <4 x float> %{{[0-9]+}}, <float 2.0{{.*}}>
    # CHECK: fadd <4 x float>
    # CHECK: store <4 x float> %{{[0-9]+}}, ptr %{{[0-9]+}}, align 4
    y[0:4] = x[0:4] * T.Broadcast(T.float32(2), 4) + x[4:8]
    # CHECK-COUNT-4: load i32
    # CHECK: call <4 x i32> @llvm.smax.v4i32
    # CHECK-COUNT-4: store i32
    o[T.Ramp(0, 2, 4)] = T.max(q[T.Ramp(0, 2, 4)], T.Broadcast(0, 4))
    # CHECK: fptosi <4 x float> %{{[0-9]+}} to <4 x i32>
    o[0:4] = T.Cast("int32x4", x[0:4])
    # CHECK: insertelement <2 x float>
    y[0:2] = T.Shuffle([x[0:4]], [1, 3])
    # CHECK: load <4 x i8>
    # CHECK: icmp ne <4 x i8>
    # CHECK: select <4 x i1>
    y[4:8] = T.Select(m[0:4], x[0:4], y[0:4])
    # CHECK: zext <4 x i1> %{{[0-9]+}} to <4 x i8>
    m[0:4] = x[0:4] < y[0:4]
    # CHECK: extractelement <4 x i1>
    # CHECK-NEXT: br i1
    # CHECK: mask.load:
    # CHECK: load float
    y[8:12] = x.vload([T.Ramp(0, 1, 4)], predicate=x[0:4] < y[0:4])
