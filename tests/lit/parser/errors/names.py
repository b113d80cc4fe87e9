# Names: undefined, defined twice, out of their scope.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def undefined(A: T.Buffer((8,), "float32")):
    A[i] = 1  # expected-error {{`i` is not defined here [undefined-name]}}

# -----

@T.prim_func
def every_use_is_reported(A: T.Buffer((8,), "float32")):
    # expected-error@+3 {{`j` is not defined}}
    # expected-error@+2 {{`B` is not defined}}
    # expected-error@+1 {{`j` is not defined}}
    A[j] = B[j]
    A[k] = 1  # expected-error {{`k` is not defined}}

# -----

@T.prim_func
def near_miss(value: T.Buffer((8,), "float32")):  # expected-note {{did you mean `value`?}}
    valeu[0] = 1  # expected-error {{`valeu` is not defined}}

# -----

@T.prim_func
def loop_variable_outside(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = 0
    A[i] = 1  # expected-error {{`i` is not defined}}

# -----

@T.prim_func
def let_ends_with_its_block(A: T.Buffer((8,), "int32")):
    with T.LetStmt(A[0]) as x:
        A[1] = x
    A[2] = x  # expected-error {{`x` is not defined}}

# -----

@T.prim_func
def duplicate_parameter(
    A: T.Buffer((8,), "int32"),  # expected-note {{the earlier definition is here}}
    A: T.Buffer((4,), "int32"),  # expected-error {{`A` is already defined [duplicate-name]}}
):
    T.evaluate(0)

# -----

@T.prim_func
def duplicate_let(n: T.int32):
    x: T.int32 = n  # expected-note {{earlier definition}}
    x: T.int32 = n + 1  # expected-error {{`x` is already defined}}
    T.evaluate(x)

# -----

@T.prim_func
def duplicate_buffer(a: T.handle):
    A = T.match_buffer(a, (8,))
    B = T.match_buffer(a, (8,))  # expected-error {{this parameter has a buffer already}}
    A[0] = B[0]

# -----

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32):  # expected-note {{earlier definition}}
        T.evaluate(n)

    @T.prim_func
    def f(n: T.int32):  # expected-error {{function `f` is already defined}}
        T.evaluate(n)

# -----

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32):
        Module.g(n)  # expected-error {{the module has no function `g` [undefined-name]}}

# -----

@T.prim_func
def attribute_twice(n: T.int32):
    T.func_attr({"a": 1})
    T.func_attr({"a": 2})  # expected-error {{attribute `a` is given already}}
    T.evaluate(n)

# -----

@T.prim_func
def key_twice(n: T.int32):
    T.func_attr({"a": 1, "a": 2})  # expected-error {{key `a` is given twice}}
    T.evaluate(n)

# -----

# Uses of a name with an invalid definition are not reported again.
@T.prim_func
def no_cascade(n: T.int32):
    x: T.int32 = m + 1  # expected-error {{`m` is not defined}}
    B = T.allocate([4], "int33", "global")  # expected-error {{expected a dtype such as `float32`, found `int33` [type]}}
    C = T.Buffer((4,), data=B)
    with T.allocate([q], "int32", "global") as D:  # expected-error {{`q` is not defined}}
        C[x] = D
    for i in range(y):  # expected-error {{`y` is not defined}}
        C[i] = x
