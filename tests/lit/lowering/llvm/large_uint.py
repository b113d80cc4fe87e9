# Both halves of a large literal are 32 bits, for any sign in the text.
# REQUIRES: llvm
# RUN: tenon run %s --engine=interp --output %t.interp.npy
# RUN: tenon run %s --engine=c --cc=%cc --output %t.c.npy && cmp %t.interp.npy %t.c.npy
# RUN: tenon run %s --engine=jit --output %t.jit.npy && cmp %t.interp.npy %t.jit.npy
# RUN: tenon-opt %s --pipeline=lower-intrin | FileCheck %s
@T.prim_func
def main(y: T.Buffer((2,), "uint64")):
    # CHECK: y[0] = T.uint64(8589934591)
    y[0] = T.large_uint_imm(-1, 1)
    # CHECK: y[1] = T.uint64(18446744073709551615)
    y[1] = T.large_uint_imm(T.int64(4294967295), T.int64(4294967295))
