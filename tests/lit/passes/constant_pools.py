# RUN: tenon-opt '--pipeline=assign-pool-info{workspace-pools=ws constant-pools=flash:100},plan-memory{algorithm=first_fit},convert-pool-allocations-to-offsets' %s -o %t.py
# RUN: FileCheck %s --input-file=%t.py
# RUN: tenon-opt %t.py --verify-roundtrip -o %t.again.py
# RUN: tenon-opt %t.py --compare=%t.again.py | FileCheck --check-prefix=SAME %s
# RUN: tenon-opt '--pipeline=assign-pool-info{workspace-pools=ws constant-pools=flash:100}' %s --verify-roundtrip -o %t.noted.py
# RUN: tenon-opt %t.noted.py --verify-roundtrip -o %t.again.py
# RUN: tenon-opt %t.noted.py --compare=%t.again.py | FileCheck --check-prefix=SAME %s
# RUN: not tenon-opt %s --compare=%t.noted.py 2>&1 | FileCheck --check-prefix=DIFFERS %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# A constant pool other than the default one keeps its name and its other properties.
# CHECK: I.ConstantPoolInfo([I.ConstantInfo("c_let", byte_offset=0, data=metadata["runtime.NDArray"][0])], clock_frequency_hz=-1, is_internal=False, pool_name="flash", {{.*}}size_hint_bytes=100
# CHECK: flash_0_buffer_var = T.match_buffer(flash_0_var, (3,), "uint8", strides=(1,), align=16)

# SAME: {{^}}equal{{$}}

# DIFFERS: error: the modules differ at `main.body.annotations`: the result has this [compare]
# DIFFERS: note: the other module has this

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        T.func_attr({"global_symbol": "main"})
        c = T.allocate_const([1, 2, 3], "int8", [3])
        c_1 = T.Buffer((3,), "int8", data=c)
        for i in range(3):
            A[i] = c_1[i]
