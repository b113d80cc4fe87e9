# A product and a sum may be contracted only if the option asks for it.
# REQUIRES: llvm
# RUN: rm -rf %t && mkdir %t
# RUN: tenon compile %s --emit=llvm-ir -O0 --fp-contract=fast -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O0 -o - | FileCheck %s --check-prefix=OFF --implicit-check-not=contract
# RUN: tenon compile %s --emit=llvm-ir -O0 --fp-contract=off -o - | FileCheck %s --check-prefix=OFF --implicit-check-not=contract
# RUN: tenon compile %s --emit=llvm-ir -O0 --fast-math --fp-contract=fast -o - | FileCheck %s --check-prefix=FAST
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=haswell --fp-contract=fast -o - | FileCheck %s --check-prefix=FMA
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=haswell -o - | FileCheck %s --check-prefix=APART --implicit-check-not=vfm
# RUN: not tenon compile %s --emit=asm --fp-contract=on -o - 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: --fp-contract: expected one of off, fast; found `on`
# Float models stay within the tolerance.
# RUN: %if corpus %{ tenon run %corpus/models/ad_float/module_llvm.py --engine=jit -O3 --cpu=native --fp-contract=fast --input %corpus/models/ad_float/input0.npy --expect %corpus/models/ad_float/expected0.npy %}
# RUN: %if corpus %{ tenon run %corpus/models/resnet_float/module_llvm.py --engine=jit -O2 --cpu=native --fp-contract=fast --input %corpus/models/resnet_float/input0.npy --expect %corpus/models/resnet_float/expected0.npy %}
# RUN: %if corpus %{ tenon run %corpus/models/vww_float/module_llvm.py --engine=jit -O2 --cpu=native --fp-contract=fast --input %corpus/models/vww_float/input0.npy --expect %corpus/models/vww_float/expected0.npy %}
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), d: T.Buffer((8,), "float64"), y: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float64")):
    # OFF: fmul float
    # OFF: fadd float
    # CHECK: fmul contract float
    # CHECK: fadd contract float
    # FAST: fmul fast float
    # FAST: fadd fast float
    # FMA: vfmadd
    # APART: vmul
    # APART: vadd
    for i in range(8):
        y[i] = y[i] + x[i] * x[i]
    # CHECK: fmul contract <8 x double>
    # CHECK: fsub contract <8 x double>
    # CHECK-NOT: contract
    # CHECK: fdiv <8 x double>
    # FMA: vfmsub
    z[0:8] = z[0:8] * d[0:8] - d[0:8]
    d[0:8] = d[0:8] / z[0:8]
