# Constants and pools: private, in their section and alignment, on ELF targets; pools of the generated code
# or of the caller.
# REQUIRES: llvm
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=arm64-apple-macosx -o - | FileCheck %s --check-prefix=MACHO
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu --workspace-pools=sram --constant-pools=flash -o - | FileCheck %s --check-prefix=CALLER
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu --use-workspace-io -o - | FileCheck %s --check-prefix=MAPPED
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=ppc64-linux-gnu -o - | FileCheck %s --check-prefix=BIG

# CHECK: @tvmgen_default_global_const_workspace = private unnamed_addr constant [12 x i8] c"\01\00\00\00\FE\FF\FF\FF\03\00\00\00", section ".rodata.tvm", align 16
# CHECK: @tvmgen_default_global_workspace = internal global [2000 x i8] zeroinitializer, section ".bss.noinit.tvm", align 16
# CHECK: define i32 @tvmgen_default_run(ptr %0, ptr %1)
# CHECK: call noundef i32 @tvmgen_default_main(ptr {{.*}}%{{[0-9]+}}, ptr {{.*}}, ptr {{.*}}@tvmgen_default_global_const_workspace, ptr {{.*}}@tvmgen_default_global_workspace)

# MACHO-NOT: section

# CALLER-NOT: @tvmgen_default_global
# CALLER: define i32 @tvmgen_default_run(ptr %0, ptr %1, ptr %2)
# CALLER: %[[FIRST:[0-9]+]] = getelementptr inbounds ptr, ptr %2, i32 0
# CALLER-NEXT: load ptr, ptr %[[FIRST]]

# MAPPED: define ptr @tvmgen_default_map_inputs()
# MAPPED: define ptr @tvmgen_default_map_outputs()
# MAPPED: define i32 @tvmgen_default_run()

# BIG: constant [12 x i8] c"\00\00\00\01\FF\FF\FF\FE\00\00\00\03"
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((500,), "int32"), y: T.Buffer((500,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([1, -2, 3], "int32", [3])
    w_1 = T.Buffer((3,), "int32", data=w)
    t = T.allocate([500], "int32", "global")
    t_1 = T.Buffer((500,), "int32", data=t)
    for i in range(500):
        t_1[i] = x[i] + w_1[i % 3]
    for i in range(500):
        y[i] = t_1[499 - i]
