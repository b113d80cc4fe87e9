# RUN: tenon-opt %s --pipeline=update-constants --split-input-file --verify-diagnostics
# RUN: not tenon-opt %S/Inputs/update_constants_plain.py --pipeline='update-constants{updater=transpos functions=main}' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# UNKNOWN: error: unknown constant updater `transpos`, expected one of name, transpose, pack-int4 [pass]
# RUN: not tenon-opt %S/Inputs/update_constants_plain.py --pipeline='update-constants{updater=name functions=mian}' 2>&1 | FileCheck %s --check-prefix=MISSING
# MISSING: error: the module has no function `mian`; did you mean `main`? [pass]
# RUN: tenon-opt %S/Inputs/update_constants_plain.py --pipeline='update-constants{updater=name functions=main}' | FileCheck %s --check-prefix=NAMED
# NAMED: I.constant("main_const_0", [1, 2], "int32", [2]), I.constant("main_const_1",
# NAMED: gone = T.allocate_const(I.constant("main_const_0"), "int32", [2])
# RUN: tenon-opt %S/Inputs/update_constants_plain.py --pipeline='update-constants{updater=name}' | FileCheck %s --check-prefix=NONE
# NONE: gone = T.allocate_const([1, 2], "int32", [2])

# The name is taken, by a constant of the module or one that another function made.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Taken:
    I.module_attrs({"tenon.constants": [I.constant("f_const_0", [1], "int8", [1])]})
    @T.prim_func
    def f(y: T.Buffer((1,), "int8")):
        T.func_attr({"Compiler": "name"})
        # expected-error@+1 {{updater `name` makes of `f` `f_const_0`, a name that another constant has}}
        w = T.allocate_const([3], "int8", [1])
        w_1 = T.Buffer((1,), "int8", data=w)
        y[0] = w_1[0]

# -----
# A constant keeps its name, but not all users have the new form.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Shared:
    # expected-error@+1 {{`f_const_0` is replaced by a constant of the same name, but something else also uses it}}
    I.module_attrs({"tenon.constants": [I.constant("f_const_0", [1], "int8", [1])]})
    @T.prim_func
    def f(y: T.Buffer((1,), "int8")):
        T.func_attr({"Compiler": "name"})
        w = T.allocate_const(I.constant("f_const_0"), "int8", [1])
        w_1 = T.Buffer((1,), "int8", data=w)
        y[0] = w_1[0]

    @T.prim_func
    def g(y: T.Buffer((1,), "int8")):
        w = T.allocate_const(I.constant("f_const_0"), "int8", [1])
        w_1 = T.Buffer((1,), "int8", data=w)
        y[0] = w_1[0]

# -----
# Invalid values of a code generator, and constants without bytes.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Values:
    I.module_attrs({"tenon.constants": [I.constant("h", I.hash("xxh3:00000000000000000000000000000001"), "int8", [2, 2])]})
    @T.prim_func
    def f(y: T.Buffer((1,), "int8")):
        T.func_attr({"Compiler": "pack-int4"})
        # expected-error@+1 {{`w` cannot be packed: element 1 is 8, expected -8 to 7}}
        w = T.allocate_const([3, 8], "int8", [2])
        y[0] = T.int8(0)

# -----
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Elided:
    I.module_attrs({"tenon.constants": [I.constant("h", I.hash("xxh3:00000000000000000000000000000001"), "int8", [2, 2])]})
    @T.prim_func
    def f(y: T.Buffer((1,), "int8")):
        T.func_attr({"Compiler": "transpose"})
        # expected-error@+1 {{`w` cannot be transposed: }}
        w = T.allocate_const(I.constant("h"), "int8", [2, 2])
        y[0] = T.int8(0)

# -----
# The function must read packed constants in packed form.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Dropped:
    @T.prim_func
    def f(y: T.Buffer((1,), "int8")):
        T.func_attr({"Compiler": "pack-int4"})
        # expected-error@+1 {{updater `pack-int4` drops `w`, which the function still uses}}
        w = T.allocate_const([3, 7], "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        y[0] = w_1[1]
