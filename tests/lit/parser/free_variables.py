# An integer that nothing defines stays a variable without a value. Analyses read such functions; no engine runs them.
# RUN: tenon-opt %s --verify-roundtrip | FileCheck %s
# RUN: tenon-opt %s | tenon-opt | FileCheck %s
# RUN: tenon-opt %s --pipeline=flatten-buffers | tenon-opt --verify-roundtrip | FileCheck %s --check-prefix=FLAT
# RUN: not tenon compile %s -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
# RUN: not tenon run %s 2>&1 | FileCheck %s --check-prefix=ERROR

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The buffer introduces the variable.
    # CHECK-LABEL: def offset
    # FLAT-LABEL: def offset
    @T.prim_func
    def offset(A: T.Buffer((3,), "float32")):
        # FLAT: elem_offset = T.int32()
        # FLAT: c[elem_offset] = T.float32(1)
        elem_offset = T.int32()
        c = T.decl_buffer((1,), "float32", data=A.data, elem_offset=elem_offset)
        c[0] = T.float32(1)

    # CHECK-LABEL: def main
    # FLAT-LABEL: def main
    @T.prim_func
    def main(B: T.Buffer((3, 2), "float32")):
        # CHECK: N = T.int32()
        # CHECK-NEXT: B[0, N] = T.float32(1)
        # FLAT: N = T.int32()
        # FLAT-NEXT: B_1[N] = T.float32(1)
        # ERROR: error: {{.*}}`N`{{.*}} has no value
        N = T.int32()
        B[0, N] = T.float32(1)
