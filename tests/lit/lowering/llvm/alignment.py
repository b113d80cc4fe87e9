# Buffers and constants are aligned to the target's vectors if loop passes run, unless options set
# the pools or the alignment.
# REQUIRES: llvm
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s -DN=64
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=x86_64-linux-gnu --cpu=haswell -o - | FileCheck %s -DN=32
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=x86_64-linux-gnu -o - | FileCheck %s -DN=16
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=thumbv7em-none-eabi --cpu=cortex-m4 -o - | FileCheck %s -DN=16
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=auto --target=x86_64-linux-gnu --cpu=haswell -o - | FileCheck %s -DN=16
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=x86_64-linux-gnu --cpu=haswell -o - --constant-alignment=16 | FileCheck %s -DN=16
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=x86_64-linux-gnu --cpu=haswell -o - --merge-constants=subrange | FileCheck %s -DN=16
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --optimize=on --target=x86_64-linux-gnu --cpu=haswell -o - --workspace-pools=w | FileCheck %s --check-prefix=POOLS --implicit-check-not="align 32"
# CHECK: @tvmgen_default_global_const_workspace = {{.*}} align [[N]]{{$}}
# CHECK: @tvmgen_default_global_workspace = {{.*}} align [[N]]{{$}}
# POOLS: align 16
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
