# Every other text in a Relax function is an error at its place.
#
# RUN: tenon-opt %s --split-input-file --verify-diagnostics

# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `3`, expected the name of a function}}
    def 3(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+2 {{unexpected indentation}}
        # expected-error@+1 {{statement in the module, expected `I.module_attrs(...)` or a function}}
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `3`, expected a name}}
    def main(3: R.Tensor((4,), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{`x` is already defined}}
    def main(x: R.Tensor((4,), dtype="int32"), x: R.Tensor((4,), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `99999999999999999999`, expected an integer}}
    def main(x: R.Tensor((99999999999999999999,), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{found `32`, expected a string}}
    def main(x: R.Tensor((4,), dtype=32)):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found end of line, expected a name}}
        return

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{the module is returned, expected a tensor}}
        return cls

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        return x
        # expected-error@+1 {{more than one `return`}}
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{expected a Relax function that returns a tensor}}
    def main(x: R.Tensor((4,), dtype="int32")):
        pass

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected a binding, `with R.dataflow():` or `return`}}
        3

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
        # expected-error@+1 {{found `x`, expected a number: other constants are in `metadata`}}
        y = R.const(x)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a dtype that constants can have, found `handle`}}
        y = R.const(3, "handle")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{`300` is out of range of int8, -128 to 127}}
        y = R.const(300, "int8")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `other`, expected `I.constant("name")`}}
        y = I.other("c")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{the module's attributes declare no constant `c`}}
        y = I.constant("c")
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected a string}}
        y = I.constant(3)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a function of the module: `cls.name`}}
        y = R.call_tir(x.f, (x,), out_ty=R.Tensor((4,), dtype="int32"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected the name of a function}}
        y = R.call_tir(Module. 3, (x,), out_ty=R.Tensor((4,), dtype="int32"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected `out_ty=`: scalar arguments are not supported}}
        y = R.call_tir(Module.f, (x,), 3)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{shapes as arguments (`tir_vars`) are not supported, expected constant shapes}}
        y = R.call_tir(Module.f, (x,), out_ty=R.Tensor((4,), dtype="int32"), tir_vars=R.shape([n]))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a tensor as argument}}
        y = R.call_tir(Module.f, (Module,), out_ty=R.Tensor((4,), dtype="int32"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{the value has another type}}
        y = R.match_cast(x, R.Tensor((5,), dtype="int32"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a tensor with a constant shape and a dtype}}
        y = R.match_cast(x, R.Tensor(dtype="int32"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a dtype of tensors, found `handle`}}
        y = R.match_cast(x, R.Tensor((4,), dtype="handle"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{`vdevice` of a tensor's type is not supported}}
        y = R.match_cast(x, R.Tensor((4,), vdevice="llvm"))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{expected a tensor of constant shape, `R.Tensor((1, 2), dtype="float32")`}}
        y = R.match_cast(x, R.Shape([4]))
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `"a"`, expected an integer}}
        y = x["a"]
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{only tuples have elements here}}
        y = x[0]
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `+`, expected a name}}
        y = +x
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `x`, expected `=` and a value}}
        y x
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `x`, expected `,` or `)`}}
        y = R.tuple(x x)
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected `(`}}
        y = R.tuple 3
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")):
        # expected-error@+1 {{found `3`, expected a string}}
        y = metadata[3]
        return x
