# Names after `T.`, `tir.` and `I.` that no TVM has.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def typing_mistakes(n: T.int32):
    # expected-error@+1 at `evalaute` {{unknown name `T.evalaute`; did you mean `T.evaluate`? [undefined-name]}}
    T.evalaute(n)
    # The same name again is not reported again.
    T.evalaute(n)
    # expected-error@+1 at `Seelct` {{unknown name `T.Seelct`; did you mean `T.Select`? [undefined-name]}}
    T.evaluate(T.Seelct(n < 1, n, n))
    # expected-error@+1 at `maxx` {{unknown name `T.maxx`; did you mean `T.max`? [undefined-name]}}
    T.evaluate(T.maxx(n, n))
    # expected-error@+1 at `evaluat` {{unknown name `T.evaluat`; did you mean `T.evaluate`? [undefined-name]}}
    tir.evaluat(n)
    # expected-error@+1 at `seriel` {{unknown name `T.seriel`; did you mean `T.serial`? [undefined-name]}}
    for i in T.seriel(n):
        T.evaluate(i)

# -----

@T.prim_func
def unknown_builtins(n: T.int32):
    # expected-error@+1 at `frobnicate` {{unknown name `T.frobnicate`; pass --allow-unknown-ops to keep calls to it [undefined-name]}}
    T.evaluate(T.frobnicate(1))
    # expected-error@+1 at `ptx_comit_group` {{unknown name `T.ptx_comit_group`; did you mean `T.ptx_commit_group`? [undefined-name]}}
    T.ptx_comit_group()
    # expected-error@+1 at `T.hexagon.dma` {{unknown name `T.hexagon.dma`; pass --allow-unknown-ops to keep calls to it [undefined-name]}}
    T.evaluate(T.hexagon.dma("int32x4", n))
    # expected-error@+1 at `"tir.frobnicate"` {{unknown builtin `tir.frobnicate`; pass --allow-unknown-ops to keep calls to it [undefined-name]}}
    T.evaluate(T.Call("int32", "tir.frobnicate", [n]))
    # expected-error@+1 at `"tir.ptx_ldg3"` {{unknown builtin `tir.ptx_ldg3`; did you mean `tir.ptx_ldg32`? [undefined-name]}}
    T.evaluate(T.call_intrin("int32", "tir.ptx_ldg3", n))
    # expected-error@+1 {{arguments of `T.call_intrin`, expected a dtype, the name of a builtin, and its arguments [arguments]}}
    T.evaluate(T.call_intrin("int32"))

# -----

@T.prim_func
def dtypes(n: T.int32):
    # expected-error@+1 at `int33` {{expected a dtype such as `float32`, found `int33` [type]}}
    T.evaluate(T.int33(1))
    # expected-error@+1 at `int32x40000` {{expected a dtype such as `float32`, found `int32x40000` [type]}}
    T.evaluate(T.int32x40000(1))
    # expected-error@+1 at `float32x0` {{expected a dtype such as `float32`, found `float32x0` [type]}}
    T.evaluate(T.float32x0(1))
    # expected-error@+1 at `int128` {{expected a dtype such as `float32`, found `int128` [type]}}
    T.evaluate(T.int128(1))
    # expected-error@+1 at `float31` {{expected a dtype such as `float32`, found `float31` [type]}}
    T.evaluate(T.float31(1))
    # expected-error@+1 at `bfloat15` {{expected a dtype such as `float32`, found `bfloat15` [type]}}
    x: T.bfloat15 = n

# -----

@T.prim_func
def not_called(n: T.int32):
    # expected-error@+1 at `T.exp` {{found a function that is not called, expected an expression [type]}}
    T.evaluate(T.exp)
    # expected-error@+1 at `ptx_unknown` {{unknown name `T.ptx_unknown` [undefined-name]}}
    T.evaluate(T.ptx_unknown)
    # expected-error@+1 at `T.grid` {{found a function that is not called, expected an expression [type]}}
    T.grid

# -----

@T.prim_func
def unsupported(n: T.int32):
    # expected-error@+1 {{found an attribute's value, expected an expression [type]}}
    T.evaluate(T.index_map(lambda i: i))
    # expected-error@+1 at `T.func_name("f")` {{`T.func_name` is not supported [unsupported]}}
    T.func_name("f")

# -----

@T.prim_func
def namespaces(n: T.int32):
    # expected-error@+1 at `I.foo()` {{`I.foo` is not supported [unsupported]}}
    I.foo()
    # expected-error@+1 at `I.evaluate(n)` {{`I.evaluate` is not supported [unsupported]}}
    I.evaluate(n)
    # expected-error@+1 at `T` {{found a namespace, expected an expression [type]}}
    T.evaluate(T)
    # expected-error@+1 at `I` {{found a namespace, expected an expression [type]}}
    T.evaluate(I)

# -----

@T.prim_func
def axis(n: T.int32):
    # expected-error@+1 at `T.axis` {{`T.axis` without a kind can't be called [type]}}
    T.axis(8, n)
    # expected-error@+1 at `T.axis` {{found `T.axis` without a kind, expected an expression [type]}}
    T.evaluate(T.axis)
