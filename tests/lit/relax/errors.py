# Relax constructs other than calls of TIR functions are located errors.
#
# RUN: tenon-opt %s --split-input-file --verify-diagnostics

# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32")) -> R.Tensor((4,), dtype="int32"):
        with R.dataflow():
            # expected-error@+1 {{`R.add` is not supported, expected `R.call_tir`; docs/guide/tvm.md}}
            lv = R.add(x, x)
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    # expected-error@+1 {{an extent that is not constant, expected an integer}}
    def main(x: R.Tensor(("n",), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        B[0] = A[0]
    @R.function
    def main(x: R.Tensor((8,), dtype="int32")):
        cls = Module
        # expected-error@+1 {{`f` takes int32 [4] here, found int32 [8]}}
        lv = R.call_tir(cls.f, (x,), out_ty=R.Tensor((4,), dtype="int32"))
        # expected-error@+1 {{`f` has 2 parameters, expected 3: 2 arguments and 1 results}}
        lv1 = R.call_tir(cls.f, (lv, lv), out_ty=R.Tensor((4,), dtype="int32"))
        # expected-error@+1 {{the module has no function `g`}}
        lv2 = R.call_tir(cls.g, (lv,), out_ty=R.Tensor((4,), dtype="int32"))
        return lv2

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        B[0] = A[0]
    @R.function
    def main(x: R.Tensor((8,), dtype="int32")):
        cls = Module
        # expected-error@+2 {{the text has only the number of constant 3, not its data}}
        # expected-note@+1 {{export the model with tenon-export}}
        lv = R.call_tir(cls.f, (metadata["ir.GenericConst"][3],), out_ty=R.Tensor((4,), dtype="int32"))
        return lv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8,), dtype="int32")):
        # expected-error@+1 {{`y` is not defined here}}
        gv = x, y
        return gv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8,), dtype="int32")):
        # expected-error@+1 {{element 2 of a tuple of 2}}
        gv = (x, x)[2]
        return gv

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8,), dtype="int32")):
        return x

    @R.function
    # expected-error@+1 {{more than one Relax function, expected one that calls TIR functions}}
    def other(x: R.Tensor((8,), dtype="int32")):
        return x

# -----
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8,), dtype="int32")):
        # expected-error@+1 {{a variable for shapes is not supported, expected constant shapes}}
        n = T.int64()
        return x
