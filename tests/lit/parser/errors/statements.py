# Python statements that TVMScript lacks, or restricts.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def several_on_a_line(A: T.Buffer((8,), "float32")):
    # expected-error@+2 at `i` {{`i` is not defined here [undefined-name]}}
    # expected-error@+1 at `j` {{`j` is not defined here [undefined-name]}}
    A[0] = 1; A[i] = 2; A[j] = 3

# -----

@T.prim_func
def power_assignment(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `**=` {{operator `**=` is not supported [unsupported]}}
    A[0] **= 2
    # expected-error@+1 at `@=` {{operator `@=` is not supported [unsupported]}}
    A[1] @= 2
    # expected-error@+1 at `x` {{`x` is not defined here [undefined-name]}}
    A[2] += x

# -----

@T.prim_func
def annotated_element(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `:` {{found `:`, expected end of line [syntax]}}
    A[0]: T.float32 = 1
    A[1] = 2

# -----

@T.prim_func
def unpacking(n: T.int32):
    # expected-error@+1 at `a, b = n, n, n` {{3 values for 2 names [arguments]}}
    a, b = n, n, n
    # expected-error@+1 at `c, d = n` {{an expression for 2 names [arguments]}}
    c, d = n
    T.evaluate(a + b + c + d)

# -----

@T.prim_func
def starred_target(n: T.int32):
    # expected-error@+1 at `*` {{found `*`, expected an expression [syntax]}}
    *a, b = n, n
    T.evaluate(n)

# -----

@T.prim_func
# expected-note@+2 at `n` {{the earlier definition is here}}
# expected-note@+1 at `A` {{the earlier definition is here}}
def parameter_assigned(n: T.int32, A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `n` {{`n` is already defined [duplicate-name]}}
    n = 3
    # expected-error@+1 at `A` {{`A` is already defined [duplicate-name]}}
    A = 3

# -----

@T.prim_func
def walrus(n: T.int32):
    # expected-error@+1 at `:=` {{`:=` is not supported [unsupported]}}
    m := n
    # expected-error@+1 at `:=` {{`:=` is not supported [unsupported]}}
    T.evaluate(k := n)

# -----

@T.prim_func
def names_of_nothing(n: T.int32):
    # expected-error@+1 at `None` {{found `None`, expected an expression [type]}}
    a = None
    # expected-error@+1 at `T.int32` {{found a dtype, expected an expression [type]}}
    b = T.int32
    # expected-error@+1 at `T.serial` {{found a function that is not called, expected an expression [type]}}
    c = T.serial
    # expected-error@+1 at `range` {{found a function that is not called, expected an expression [type]}}
    d = range
    T.evaluate(a + b + c + d)

# -----

@T.prim_func
def no_value(n: T.int32):
    # expected-error@+1 at `` {{found end of line, expected `=` and a value [syntax]}}
    a: T.int32
    # expected-error@+1 at `` {{found end of line, expected an expression [syntax]}}
    b: T.int32 =
    # expected-error@+1 at `` {{found end of line, expected an expression [syntax]}}
    c =
    # expected-error@+1 at `=` {{found `=`, expected an expression [syntax]}}
    = n
    # expected-error@+1 at `.` {{found `.`, expected an expression [syntax]}}
    .a
    T.evaluate(n)

# -----

@T.prim_func
def type_of_a_lambda(n: T.int32):
    # expected-error@+1 at `3` {{found an integer, expected a type such as `T.int32` [type]}}
    lambda: 3

# -----

@T.prim_func
def generators(n: T.int32):
    # expected-error@+1 at `yield` {{`yield` is not supported [unsupported]}}
    yield n
    # expected-error@+1 at `await` {{`await` is not supported [unsupported]}}
    await n

# -----

@T.prim_func
def declarations(n: T.int32):
    # expected-error@+1 at `global` {{`global` is not supported [unsupported]}}
    global n
    # expected-error@+1 at `nonlocal` {{`nonlocal` is not supported [unsupported]}}
    nonlocal n
    # expected-error@+1 at `raise` {{`raise` is not supported [unsupported]}}
    raise n

# -----

@T.prim_func
def exceptions(n: T.int32):
    # expected-error@+1 at `try` {{`try` is not supported [unsupported]}}
    try:
        T.evaluate(n)
    except:
        T.evaluate(n)
    finally:
        T.evaluate(n)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def asynchronous(n: T.int32):
    # expected-error@+1 at `async` {{`async` is not supported [unsupported]}}
    async def g():
        pass
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def class_inside(n: T.int32):
    # expected-error@+1 at `class` {{`class` inside of a function [unsupported]}}
    class C:
        pass
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def decorated_inside(n: T.int32):
    @T.prim_func
    # expected-error@+1 at `def` {{`def` inside of a function [unsupported]}}
    def g(k: T.int32):
        T.evaluate(k)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def jumps(n: T.int32):
    for i in range(n):
        # expected-error@+1 at `continue` {{`continue` is not supported [unsupported]}}
        continue
        # expected-error@+1 at `break` {{`break` is not supported [unsupported]}}
        break
    # expected-error@+1 at `pass` {{found `pass`, expected end of line [syntax]}}
    pass pass

# -----

@T.prim_func
def else_of_a_loop(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = 0
    # expected-error@+1 at `else` {{`else` without `if` (loops cannot have it) [syntax]}}
    else:
        A[0] = 1
    # expected-error@+1 at `B` {{`B` is not defined here [undefined-name]}}
    A[0] = B[0]

# -----

@T.prim_func
def elif_without_bool(A: T.Buffer((8,), "float32"), n: T.int32):
    if n > 1:
        A[0] = 1
    # expected-error@+1 at `n` {{the condition has dtype `int32`, expected bool [type]}}
    elif n:
        A[0] = 2
    # expected-error@+1 at `` {{found end of line, expected `:` [syntax]}}
    else
        # expected-error@+1 at `B` {{`B` is not defined here [undefined-name]}}
        A[0] = B[0]

# -----

@T.prim_func
def endless(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `True` {{the condition of `while` is a constant [type]}}
    while True:
        A[0] = 1

# -----

@T.prim_func
def with_of_nothing(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `:` {{found `:`, expected an expression [syntax]}}
    with:
        A[0] = 1
    # expected-error@+1 at `z` {{`z` is not defined here [undefined-name]}}
    with T.attr(0, "k", 1), z:
        A[0] = 1
    # expected-error@+1 at `:` {{found `:`, expected a name after `as` [syntax]}}
    with T.allocate([4], "float32") as :
        A[0] = 1
    # expected-error@+1 at `3` {{found `3`, expected a name after `as` [syntax]}}
    with T.allocate([4], "float32") as 3:
        A[0] = 1

# -----

@T.prim_func
def names_alone(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `A` {{expected a statement, found the name of a buffer [type]}}
    A
    # expected-error@+1 at `T` {{found a namespace, expected an expression [type]}}
    T
    # expected-error@+1 at `foo` {{an expression has no attribute `foo` [type]}}
    A.data.foo
    # expected-error@+1 at `A.foo` {{a buffer has no attribute `foo` [type]}}
    A.foo
    # expected-error@+1 at `.` {{found `.`, expected an expression [syntax]}}
    ...

# -----

@T.prim_func
def calls_of_nothing(n: T.int32):
    # expected-error@+1 at `T` {{a namespace can't be called [type]}}
    T()
    # expected-error@+1 at `print` {{`print` is not defined here [undefined-name]}}
    print(n)
    # expected-error@+1 at `n` {{an expression can't be called [type]}}
    n(n)
    # expected-error@+1 at `3` {{an integer can't be called [type]}}
    3(n)
    # expected-error@+1 at `"f"` {{a string can't be called [type]}}
    "f"(n)

# -----

@T.prim_func
def comprehension(n: T.int32):
    # expected-error@+1 at `for` {{comprehensions are not supported [unsupported]}}
    T.evaluate([i for i in n])
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def unpacked_arguments(n: T.int32):
    # expected-error@+1 at `*` {{`*` in an argument list [unsupported]}}
    T.evaluate(*n)
    # expected-error@+1 at `**` {{`**` in an argument list [unsupported]}}
    T.evaluate(**n)
    # expected-error@+1 at `**` {{found `**`, expected an expression [syntax]}}
    T.func_attr({"a": 1, **n})
    # expected-error@+1 at `*` {{found `*`, expected an expression [syntax]}}
    T.func_attr({*n})

# -----

@T.prim_func
def displays(n: T.int32):
    # expected-error@+1 at `1` {{found `1`, expected `:` after the key [syntax]}}
    T.func_attr({"a" 1})
    # expected-error@+1 at `{}` {{found a dict, expected an expression [type]}}
    T.evaluate({})
    # expected-error@+1 at `[1]` {{found a list, expected an expression [type]}}
    T.evaluate([1])
    # expected-error@+1 at `(1, 2)` {{found a tuple, expected an expression [type]}}
    T.evaluate((1, 2))
    # expected-error@+1 at `None` {{found `None`, expected an expression [type]}}
    T.evaluate(None)
    # expected-error@+1 at `.` {{found `.`, expected an expression [syntax]}}
    T.evaluate(...)

# -----

@T.prim_func
def continued_line(n: T.int32):
    # expected-error@+1 at `\` {{stray character `\` [syntax]}}
    T.evaluate(n) \ 3
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def attributes(n: T.int32):
    # expected-error@+1 at `` {{found end of line, expected a name after `.` [syntax]}}
    T.
    # expected-error@+1 at `)` {{found `)`, expected a name after `.` [syntax]}}
    T.evaluate(T.)
    # expected-error@+1 at `)` {{found `)`, expected a name after `.` [syntax]}}
    T.evaluate(n.)
    # expected-error@+1 at `.3` {{found `.3`, expected `,` or `)` [syntax]}}
    T.evaluate(n.3)
    # expected-error@+1 at `foo` {{a string has no attribute `foo` [type]}}
    T.evaluate(n.dtype.foo)

# -----

@T.prim_func
def assertions(n: T.int32):
    # expected-error@+1 at `3` {{the message of the assertion is an integer, expected a string [arguments]}}
    assert n < 1, 3
    # expected-error@+1 at `"x"` {{the condition is a string, expected bool [type]}}
    assert "x", "y"
    # expected-error@+1 at `` {{found end of line, expected an expression [syntax]}}
    assert n < 1,
    # expected-error@+1 at `` {{found end of line, expected an expression [syntax]}}
    assert
    # expected-error@+1 at `,` {{found `,`, expected end of line [syntax]}}
    assert n < 1, "text", "more"

# -----

@T.prim_func
def semicolons(n: T.int32):
    # expected-error@+1 at `;` {{found `;`, expected an expression [syntax]}}
    T.evaluate(n);; T.evaluate(n)
    # expected-error@+1 at `;` {{found `;`, expected an expression [syntax]}}
    ; T.evaluate(n)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)
