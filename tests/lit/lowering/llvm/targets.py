# Objects for various machines are reproducible.
# REQUIRES: llvm
# RUN: rm -rf %t && mkdir %t
# RUN: tenon compile %s --emit=obj --target=thumbv7em-none-eabi --cpu=cortex-m4 -O3 -o %t/m4.o --header=%t/model.h
# RUN: tenon compile %s --emit=obj --target=thumbv7em-none-eabi --cpu=cortex-m4 -O3 -o %t/again.o
# RUN: cmp %t/m4.o %t/again.o
# RUN: FileCheck %s --input-file=%t/model.h --check-prefix=HEADER
# HEADER: int32_t tvmgen_default_run(
# HEADER-NEXT: struct tvmgen_default_inputs* inputs,
# HEADER-NEXT: struct tvmgen_default_outputs* outputs);
# RUN: tenon compile %s --emit=asm --target=thumbv7em-none-eabi --cpu=cortex-m4 -O2 -o - | FileCheck %s --check-prefix=ARM
# ARM: .cpu cortex-m4
# ARM: tvmgen_default_run:
# RUN: tenon compile %s --emit=asm --target=riscv32-unknown-elf --features=+m,+c -O2 -o - | FileCheck %s --check-prefix=RISCV
# RISCV: tvmgen_default_run:
# RISCV: lw a
# RUN: tenon compile %s --emit=asm --target=x86_64-linux-gnu --cpu=haswell -O2 -o - | FileCheck %s --check-prefix=X86
# X86: tvmgen_default_run:
# X86: ymm
# --target-abi sets the ABI, as for objects of constants.
# RUN: tenon compile %s --emit=obj --target=riscv32-unknown-elf --features=+m,+f --target-abi=ilp32f -o %t/float.o
# RUN: llvm-readelf -h %t/float.o | FileCheck %s --check-prefix=ABI
# ABI: Flags: {{.*}}single-float ABI
# RUN: tenon compile %s --emit=bitcode -o %t/model.bc && tenon compile %s --emit=bitcode -o %t/again.bc
# RUN: cmp %t/model.bc %t/again.bc
# RUN: tenon compile %s --emit=shared -o %t/model.so
# RUN: tenon run %s --engine=jit --input 41 --output %t/y.npy
# RUN: tenon run %s --engine=jit -O0 --cpu=native --input 41 --expect %t/y.npy
# RUN: tenon run %s --input 41 --expect %t/y.npy
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, y: T.Buffer((64,), "int32")):
    for i in range(64):
        y[i] = n + i * n
