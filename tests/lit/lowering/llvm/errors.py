# Constructs that LLVM code cannot express are located errors; invalid options are also errors.
# REQUIRES: llvm
# RUN: rm -rf %t && mkdir %t
# RUN: not tenon compile %s --emit=obj -o %t/x.o 2>&1 | FileCheck %s
# RUN: not tenon run %s --engine=jit 2>&1 | FileCheck %s
# CHECK: errors.py:[[#]]:{{[0-9]+}}: error: cannot generate LLVM code for a packed call of `nobody`{{.*}} [unsupported]
# RUN: not tenon compile %s --emit=obj --target=nonsense -o %t/x.o 2>&1 | FileCheck %s --check-prefix=TRIPLE
# TRIPLE: {{^}}tenon: error: unknown target `nonsense`; expected a name of --list-targets or a triple such as `thumbv7em-none-eabi`
# RUN: not tenon compile %s --emit=obj --target=thumbv7em-none-eabi --cpu=cortex-m99 -o %t/x.o 2>&1 | FileCheck %s --check-prefix=CPU
# CPU: {{^}}tenon: error: the target `thumbv7em-{{.*}}` has no processor `cortex-m99`; `tenon compile --list-targets` lists targets with their processors
# RUN: not tenon compile %s --emit=obj --target=riscv32-unknown-elf --features=+m,+wings -o %t/x.o 2>&1 | FileCheck %s --check-prefix=FEATURE
# FEATURE: {{^}}tenon: error: the target `riscv32-{{.*}}` has no feature `wings`
# RUN: not tenon compile %s --emit=obj --target=thumbv7em-none-eabi --cpu=native -o %t/x.o 2>&1 | FileCheck %s --check-prefix=NATIVE
# NATIVE: {{^}}tenon: error: `native` is the processor of this machine, expected a processor of `thumbv7em`
# RUN: not tenon compile %s --emit=obj --target=riscv32-unknown-elf --features=+m --target-abi=ilp32f -o %t/x.o 2>&1 | FileCheck %s --check-prefix=NEEDS
# NEEDS: {{^}}tenon: error: the ABI `ilp32f` needs --features=+f
# RUN: not tenon compile %s --emit=obj --target=riscv32-unknown-elf --target-abi=lp64 -o %t/x.o 2>&1 | FileCheck %s --check-prefix=ABI
# ABI: {{^}}tenon: error: the target `riscv32-{{.*}}` has no ABI `lp64`
# RUN: not tenon compile %s --emit=obj --target=thumbv7em-none-eabi --target-abi=hard -o %t/x.o 2>&1 | FileCheck %s --check-prefix=NO-ABI
# NO-ABI: {{^}}tenon: error: --target-abi=hard: LLVM's code for `thumbv7em-unknown-none-eabi` has the ABI that the triple says
# RUN: not tenon compile %s --emit=obj --target=amdgcn-amd-amdhsa -o %t/x.o 2>&1 | FileCheck %s --check-prefix=SPACES
# SPACES: {{^}}tenon: error: Tenon cannot generate code for the target `amdgcn-amd-amdhsa{{.*}}`: its memories have addresses of different kinds
# RUN: not tenon compile %s --emit=obj 2>&1 | FileCheck %s --check-prefix=OUTPUT
# OUTPUT: tenon: error: --emit=obj needs -o FILE
# RUN: not tenon compile %s %s --emit=obj --module-name=a -o %t/x.o 2>&1 | FileCheck %s --check-prefix=NAMES
# NAMES: tenon: error: 1 names for 2 modules; give --module-name once for each
# RUN: not ls %t/x.o
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        T.call_packed("nobody", y.data, y.data)
        y[0] = T.int8(1)
