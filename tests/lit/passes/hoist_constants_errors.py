# RUN: tenon-opt %s --pipeline='hoist-constants{functions=main,alone,ecternal,even,stacked,planned,two_ways}' --split-input-file --verify-diagnostics
# RUN: tenon-opt %s --pipeline='hoist-constants' -o /dev/null

from tvm.script import ir as I
from tvm.script import tir as T

# expected-error@unknown {{the module has no function `ecternal`; did you mean `external`?}}
@I.ir_module
class Module:
    # expected-error@+2 {{it is the entry, so the constants of `main` have nowhere to go}}
    @T.prim_func
    def main(y: T.Buffer((2,), "int8")):
        # expected-error@+1 {{the constants of `stacked` cannot become arguments: here its arguments are on the stack already}}
        T.call_cpacked_lowered("stacked", y.data, y.data, 0, 1, T.reinterpret("handle", T.uint64(0)))
        Module.external(y.data)
        Module.even(y.data, 2)
        Module.planned(y.data)
        Module.two_ways(y.data)

    # expected-error@+2 {{nothing calls it, so the constants of `alone` have nowhere to go}}
    @T.prim_func
    def alone(y: T.Buffer((2,), "int8")):
        w = T.allocate_const([1, 2], "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        y[0] = w_1[0] + w_1[1]

    @T.prim_func(private=True)
    def external(y: T.Buffer((2,), "int8")):
        y[0] = T.int8(0)

    @T.prim_func(private=True)
    def even(y: T.Buffer((2,), "int8"), n: T.int32):
        w = T.allocate_const([1, 2], "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        y[0] = w_1[0] + w_1[1]
        if n > 0:
            # expected-error@+1 {{the constants of `even` cannot become arguments: from here it calls itself}}
            Module.odd(y.data, n - 1)

    @T.prim_func(private=True)
    def odd(y: T.Buffer((2,), "int8"), n: T.int32):
        if n > 0:
            Module.even(y.data, n - 1)

    @T.prim_func
    def stacked(y: T.Buffer((2,), "int8")):
        w = T.allocate_const([1, 2], "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        y[0] = w_1[0] + w_1[1]

    # expected-error@+2 {{the constants of `planned` cannot become arguments: its memory is planned already}}
    @T.prim_func
    def planned(y: T.Buffer((2,), "int8")):
        T.func_attr({"pool_args": []})
        y[0] = T.int8(0)

    @T.prim_func
    def two_ways(y: T.Buffer((2,), "int8")):
        w = T.allocate_const([1, 2], "int8", [2])
        # The verifier reports it for the input text and for the input of the pass.
        # expected-warning@+2 {{constant `w` is passed to `ext`, which is assumed to only read it; declare the function in `tenon.externs`}}
        # expected-warning@+1 {{constant `w` is passed to `ext`, which is assumed to only read it; declare the function in `tenon.externs`}}
        T.call_extern("int32", "ext", w)
        # expected-error@+1 {{argument 1 of `ext` is a constant in some calls only}}
        T.call_extern("int32", "ext", y.data)
