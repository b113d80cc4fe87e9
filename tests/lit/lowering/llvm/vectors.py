# Vectors are LLVM vectors. Contiguous lanes are loaded at once. Lanes at a step of up to 4 are loaded as rows: the last row ends with the
# last lane. Other lanes are loaded one by one.
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
    # CHECK: %[[ROW:[0-9]+]] = load <4 x i32>
    # CHECK: %[[EVEN:[0-9]+]] = shufflevector <4 x i32> poison, <4 x i32> %[[ROW]], <4 x i32> <i32 4, i32 6, i32 2, i32 3>
    # CHECK: getelementptr inbounds {{.*}}, i32 3
    # CHECK: %[[LAST:[0-9]+]] = load <4 x i32>
    # CHECK: shufflevector <4 x i32> %[[EVEN]], <4 x i32> %[[LAST]], <4 x i32> <i32 0, i32 1, i32 5, i32 7>
    # CHECK: call <4 x i32> @llvm.smax.v4i32
    # CHECK-COUNT-4: store i32
    o[T.Ramp(0, 2, 4)] = T.max(q[T.Ramp(0, 2, 4)], T.Broadcast(0, 4))
    # CHECK-COUNT-3: load i32
    # CHECK: store <3 x i32>
    o[0:3] = q[T.Ramp(0, 5, 3)]
    # CHECK: fptosi <4 x float> %{{[0-9]+}} to <4 x i32>
    o[0:4] = T.Cast("int32x4", x[0:4])
    # CHECK: shufflevector <4 x float> %{{[0-9]+}}, <4 x float> poison, <2 x i32> <i32 1, i32 3>
    y[0:2] = T.Shuffle([x[0:4]], [1, 3])
    # CHECK: shufflevector <4 x float> %{{[0-9]+}}, <4 x float> %{{[0-9]+}}, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
    y[0:4] = T.Shuffle([x[0:4], x[4:8]], [0, 4, 1, 5])
    # Vectors of other lengths, lane by lane.
    # CHECK: insertelement <2 x float>
    y[0:2] = T.Shuffle([x[0:4], x[4:6]], [1, 5])
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
