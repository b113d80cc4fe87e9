# Constants that the text only refers to by number come from a file: c0, c1, ...
#
# RUN: rm -rf %t && mkdir %t
# RUN: tenon-opt %S/Inputs/constants.py --constants=sidecar --sidecar-threshold=1 -o %t/c.py
# RUN: tenon-opt %s --constants-from=%t/c.py.safetensors | FileCheck %s
# RUN: tenon run %S/Inputs/x.py --output x=%t/x.npy
# RUN: tenon run %s --constants-from=%t/c.py.safetensors --input x=%t/x.npy --output gv=%t/gv.npy
# RUN: tenon report %s --constants-from=%t/c.py.safetensors > /dev/null
# RUN: tenon compile %s --constants-from=%t/c.py.safetensors --emit=c -o %t/out
# RUN: not tenon-opt %s 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: not tenon-opt %s --constants-from=%t/none.safetensors 2>&1 | FileCheck %s --check-prefix=NOFILE
# RUN: sed 's/GenericConst"\]\[0\]/GenericConst"][1]/' %s > %t/other.py
# RUN: not tenon-opt %t/other.py --constants-from=%t/c.py.safetensors 2>&1 | FileCheck %s --check-prefix=SHAPE

# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
        for i in range(4):
            C[i] = A[i] + B[i]

    @R.function
    def main(x: R.Tensor((4,), dtype="int32")) -> R.Tensor((4,), dtype="int32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.add, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((4,), dtype="int32"))
            R.output(gv)
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.

# CHECK: I.module_attrs({"tenon.constants": [I.constant("c0", [1, 2, 3, 4], "int32", [4])]})
# CHECK: c0 = T.allocate_const(I.constant("c0"), "int32", [4])
# CHECK-NEXT: Module.add(x.data, c0, gv.data)
# NONE: error: the text has only the number of constant 0, not its data [constant-file]
# NONE: note: export the model with tenon-export, or give --constants-from=FILE.safetensors
# NOFILE: error: cannot open `{{.*}}none.safetensors`
# SHAPE: error: {{.*}}c1
