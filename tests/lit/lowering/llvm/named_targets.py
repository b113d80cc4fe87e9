# A name of `--target` stands for a triple, a processor, features and an ABI. A processor or an ABI of its own takes precedence.
# REQUIRES: llvm
# RUN: tenon compile --list-targets | FileCheck %s --check-prefix=LIST
# LIST:      name triple options of gcc
# LIST:      cortex-m0plus thumbv6m-none-eabi -mcpu=cortex-m0plus -mthumb
# LIST:      cortex-m4 thumbv7em-none-eabihf -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16
# LIST:      rv64gc riscv64-unknown-elf -march=rv64gc -mabi=lp64d

# RUN: tenon compile %s --emit=asm --target=cortex-m4 --header=%t.h -o - | FileCheck %s --check-prefix=M4
# M4: .cpu cortex-m4
# M4: .eabi_attribute 28, 1
# RUN: tenon compile %s --emit=asm --target=cortex-m4+nofp --header=%t.h -o - | FileCheck %s --check-prefix=SOFT --implicit-check-not='attribute 28, 1'
# SOFT: .cpu cortex-m4
# RUN: tenon compile %s --emit=asm --target=cortex-m4 --cpu=cortex-m7 --header=%t.h -o - | FileCheck %s --check-prefix=M7
# M7: .cpu cortex-m7
# RUN: tenon compile %s --emit=asm --target=rv32imafc --features=+d --header=%t.h -o - | FileCheck %s --check-prefix=RV
# RV: .attribute 5, "rv32i{{.*}}_f{{.*}}_d{{.*}}_c
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
    for i in range(4):
        y[i] = x[i] + T.float32(1)
