# Names after `T.`, `tir.` and `I.` that no TVM has.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def typing_mistakes(n: T.int32):
    # expected-error@+1 at `evalaute` {{there is no `T.evalaute`, did you mean `T.evaluate`? [undefined-name]}}
    T.evalaute(n)
    # expected-error@+1 at `Seelct` {{there is no `T.Seelct`, did you mean `T.Select`? [undefined-name]}}
    T.evaluate(T.Seelct(n < 1, n, n))
    # expected-error@+1 at `maxx` {{there is no `T.maxx`, did you mean `T.max`? [undefined-name]}}
    T.evaluate(T.maxx(n, n))
    # expected-error@+1 at `evaluat` {{there is no `T.evaluat`, did you mean `T.evaluate`? [undefined-name]}}
    tir.evaluat(n)
    # expected-error@+1 at `seriel` {{there is no `T.seriel`, did you mean `T.serial`? [undefined-name]}}
    for i in T.seriel(n):
        T.evaluate(i)

# -----

@T.prim_func
def unknown_builtins(n: T.int32):
    # expected-error@+1 at `frobnicate` {{there is no `T.frobnicate`; --allow-unknown-ops keeps calls of it [undefined-name]}}
    T.evaluate(T.frobnicate(1))
    # expected-error@+1 at `ptx_comit_group` {{there is no `T.ptx_comit_group`, did you mean `T.ptx_commit_group`? [undefined-name]}}
    T.ptx_comit_group()
    # expected-error@+1 at `T.hexagon.dma` {{there is no `T.hexagon.dma`; --allow-unknown-ops keeps calls of it [undefined-name]}}
    T.evaluate(T.hexagon.dma("int32x4", n))
    # expected-error@+1 at `"tir.frobnicate"` {{there is no builtin `tir.frobnicate`; --allow-unknown-ops keeps calls of it [undefined-name]}}
    T.evaluate(T.Call("int32", "tir.frobnicate", [n]))
    # expected-error@+1 at `"tir.ptx_ldg3"` {{there is no builtin `tir.ptx_ldg3`, did you mean `tir.ptx_ldg32`? [undefined-name]}}
    T.evaluate(T.call_intrin("int32", "tir.ptx_ldg3", n))
    # expected-error@+1 {{arguments of `T.call_intrin`, expected a dtype, the name of a builtin, and its arguments [arguments]}}
    T.evaluate(T.call_intrin("int32"))

# -----

@T.prim_func
def dtypes(n: T.int32):
    # expected-error@+1 at `int33` {{`int33` is no dtype [type]}}
    T.evaluate(T.int33(1))
    # expected-error@+1 at `int32x40000` {{`int32x40000` is no dtype [type]}}
    T.evaluate(T.int32x40000(1))
    # expected-error@+1 at `float32x0` {{`float32x0` is no dtype [type]}}
    T.evaluate(T.float32x0(1))
    # expected-error@+1 at `int128` {{`int128` is no dtype [type]}}
    T.evaluate(T.int128(1))
    # expected-error@+1 at `float31` {{`float31` is no dtype [type]}}
    T.evaluate(T.float31(1))
    # expected-error@+1 at `bfloat15` {{`bfloat15` is no dtype [type]}}
    x: T.bfloat15 = n

# -----

@T.prim_func
def not_called(n: T.int32):
    # expected-error@+1 at `T.exp` {{found a function that is not called, expected an expression [type]}}
    T.evaluate(T.exp)
    # expected-error@+1 at `ptx_unknown` {{there is no `T.ptx_unknown` [undefined-name]}}
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
