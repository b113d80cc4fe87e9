# CHECK: lift_errors.py:[[#@LINE+6]]:{{[0-9]+}}: error: `main` is already planned: its constants are in pools [pass]
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(y: T.Buffer((4,), "int8"), pool: T.handle("uint8")):
        T.func_attr({"pool_args": []})
        w = T.allocate_const([1, 2, 3, 4], "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        y[0] = w_1[0]
# -----
# CHECK: lift_errors.py:[[#@LINE+8]]:{{[0-9]+}}: error: constant `w` has no data that could be lifted [pass]
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", I.hash("xxh3:00000000000000000000000000000000"), "int8", [4])]})
    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        y[0] = w_1[0]
# -----
# CHECK: lift_errors.py:[[#@LINE+14]]:{{[0-9]+}}: error: `layer` has constants, but is called with its arguments on the stack [pass]
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def layer(y: T.Buffer((4,), "int8")):
        w = T.allocate_const([1, 2, 3, 4], "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        y[0] = w_1[0]
    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        stack_tcode: T.handle("int32") = T.tvm_stack_alloca("arg_tcode", 2)
        stack_value: T.handle = T.tvm_stack_alloca("arg_value", 2)
        T.call_cpacked_lowered("layer", stack_value, stack_tcode, 0, 1)
