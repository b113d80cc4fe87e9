# Saturating casts of floats to integers are vectors on x86, and LLVM's intrinsic elsewhere.
# RUN: tenon compile %s --emit=asm -O3 --target=x86_64-linux-gnu --cpu=x86-64-v3 -o - | FileCheck %s --check-prefixes=ASM,V3
# RUN: tenon compile %s --emit=asm -O3 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s --check-prefixes=ASM,V4
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s --check-prefix=X86
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=aarch64-linux-gnu -o - | FileCheck %s --check-prefix=ARM
# RUN: tenon compile %s --emit=llvm-ir -Os --target=x86_64-linux-gnu -o - | FileCheck %s --check-prefix=SMALL
from tvm.script import tir as T

# Loops of scalars also become vectors.
# ASM: {{tvmgen_default_(main|run)}}:
# ASM-NOT: {{ucomis|cvttss2si|cvttsd2si}}
# V3: vcvttps2dq{{.*}}%ymm
# V4: vcvttps2dq{{.*}}%{{[yz]}}mm
# ASM: .LBB
# ASM: vcvttps2dq{{.*}}%{{[yz]}}mm
@T.prim_func
def main(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "int32"), z: T.Buffer((64,), "int8")):
    # X86: fcmp ogt <16 x float> %[[X:[0-9]+]], {{.*}}float 0xC1E0000000000000
    # X86: fcmp olt <16 x float> %{{[0-9]+}}, {{.*}}float 0x41DFFFFFE0000000
    # X86: fptosi <16 x float> %{{[0-9]+}} to <16 x i32>
    # X86: fcmp uno <16 x float> %[[X]]
    # ARM: call <16 x i32> @llvm.fptosi.sat.v16i32.v16f32(
    y[0:16] = T.Cast("int32x16", x[0:16])
    # X86: call i8 @llvm.fptosi.sat.i8.f32(
    # SMALL: {{call .*}}@llvm.fptosi.sat.i8.f32(
    for i in range(64):
        z[i] = T.Cast("int8", x[i])
