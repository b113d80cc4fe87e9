# Texts of Relax functions that are broken, or that say more than Tenon reads: each is one located error.
#
# RUN: tenon-opt %s --split-input-file --verify-diagnostics

# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `3`, expected a name [syntax]}}
    def main(3: R.Tensor((4,), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{`x` is already defined [duplicate-name]}}
    def main(x: R.Tensor((4,), dtype="int32"), x: R.Tensor((4,), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `y`, expected `,` or `)` [syntax]}}
    def main(x: R.Tensor((4,), dtype="int32") y):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a dtype of tensors, found `int33` [type]}}
    def main(x: R.Tensor((4,), dtype="int33")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `int32`, expected a string [syntax]}}
    def main(x: R.Tensor((4,), dtype=int32)):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a dtype of tensors, found `handle` [type]}}
    def main(x: R.Tensor((4,), dtype="handle")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a tensor with a constant shape and a dtype [unsupported]}}
    def main(x: R.Tensor((4,))):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a tensor with a constant shape and a dtype [unsupported]}}
    def main(x: R.Tensor(dtype="int32", ndim=1)):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `"a"`, expected an integer [syntax]}}
    def main(x: R.Tensor(ndim="a")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{`vdevice` of a tensor's type is not supported [unsupported]}}
    def main(x: R.Tensor((4,), dtype="int32", vdevice="cpu")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a tensor of constant shape, `R.Tensor((1, 2), dtype="float32")` [unsupported]}}
    def main(x: R.Object):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a Relax function that returns a tensor [unsupported]}}
    def main(x: R.Tensor((4,), dtype="int32")):
        pass

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{`R.print` is not supported here, expected a binding of `R.call_tir`; docs/guide/tvm.md}}
        R.print(x)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{`R.` is not supported here, expected a binding of `R.call_tir`; docs/guide/tvm.md}}
        R.("a")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected a binding, `with R.dataflow():` or `return` [syntax]}}
        3
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        return x
        # expected-error@+1 {{more than one `return` [syntax]}}
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{the module is returned, expected a tensor [type]}}
        return cls

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{only tuples have elements here [type]}}
        return x[0]

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `"a"`, expected an integer [syntax]}}
        return (x, x)["a"]

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `x`, expected a number: other constants are in `metadata` [syntax]}}
        lv = R.const(x, "int32")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a dtype that constants can have, found `int33` [type]}}
        lv = R.const(3, "int33")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `int32`, expected a string [syntax]}}
        lv = R.const(3, int32)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{`300` is out of range of int8, -128 to 127 [literal]}}
        lv = R.const(300, "int8")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a dtype that constants can have, found `float32x4` [type]}}
        lv = R.const(3, dtype="float32x4")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{the value has another type [type]}}
        lv = R.match_cast(x, R.Tensor((5,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{the value has another type [type]}}
        lv = R.match_cast((x, x), R.Tensor((4,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `file`, expected `I.constant("name")` [syntax]}}
        lv = I.file("a", "b")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected a string [syntax]}}
        lv = I.constant(3)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{the module's attributes declare no constant `c9` [undefined-name]}}
        lv = I.constant("c9")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected a string [syntax]}}
        lv = metadata[3][0]
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `"0"`, expected an integer [syntax]}}
        lv = metadata["ir.GenericConst"]["0"]
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a function of the module: `cls.name` [type]}}
        lv = R.call_tir(x.f, (x,), out_ty=R.Tensor((4,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{found `.3`, expected `.` and a function [syntax]}}
        lv = R.call_tir(cls.3, (x,), out_ty=R.Tensor((4,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{found `R`, expected `out_ty=`: scalar arguments are not supported [syntax]}}
        lv = R.call_tir(cls.f, (x,), R.Tensor((4,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{expected a tensor as argument [type]}}
        lv = R.call_tir(cls.f, (cls,), out_ty=R.Tensor((4,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{shapes as arguments (`tir_vars`) are not supported, expected constant shapes [unsupported]}}
        lv = R.call_tir(cls.f, (x,), out_ty=R.Tensor((4,), dtype="int32"), tir_vars=R.shape([3]))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{expected a tensor of constant shape, `R.Tensor((1, 2), dtype="float32")` [unsupported]}}
        lv = R.call_tir(cls.f, (x,), out_ty=R.Shape((4,)))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `x`, expected `,` or `)` [syntax]}}
        lv = R.tuple(x x)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `x`, expected `(` [syntax]}}
        lv = R.tuple x
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `x`, expected `=` and a value [syntax]}}
        lv x
        return x
