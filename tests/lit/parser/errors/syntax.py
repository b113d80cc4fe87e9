# Syntax errors. Parsing continues at the next statement.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def unclosed_parenthesis(A: T.Buffer((8,), "float32")):
    A[0] = T.exp(A[1]  # expected-error {{`(` is not closed [syntax]}}
    A[1] = B[0]  # expected-error {{`B` is not defined}}

# -----

@T.prim_func
def unclosed_bracket(A: T.Buffer((8,), "float32")):
    A[0 = 1  # expected-error {{found `=`, expected `,` or `]`}}
    A[1] = 2

# -----

@T.prim_func
def unclosed_at_the_end(A: T.Buffer((8,), "float32")):
    A[0] = (A[1] +  # expected-error {{`(` is not closed}}

# -----

@T.prim_func
def wrong_closer(A: T.Buffer((8,), "float32")):
    # expected-note@+2 {{opened here}}
    # expected-error@+1 {{`]` does not close `(`}}
    A[0] = (A[1]]
    A[1] = 2

# -----

@T.prim_func
def closer_alone(A: T.Buffer((8,), "float32")):
    A[0] = A[1])  # expected-error {{`)` closes no bracket}}
    A[1] = 2

# -----

@T.prim_func
def missing_colon(A: T.Buffer((8,), "float32")):
    for i in range(8)  # expected-error {{found end of line, expected `:`}}
        A[i] = 2
    if A[0] > 1.0  # expected-error {{found end of line, expected `:`}}
        A[0] = 2

# -----

@T.prim_func
def open_string(n: T.int32):
    # expected-error@+1 {{string is not closed, expected `"` before the end of the line}}
    T.call_extern("int32", "f)
    T.evaluate(n)

# -----

@T.prim_func
def open_docstring(n: T.int32):
    # expected-error@+1 {{string is not closed, expected}}
    """text
    T.evaluate(n)

# -----

@T.prim_func
def stray(n: T.int32):
    T.evaluate(n ? 1)  # expected-error {{stray character `?`}}
    T.evaluate(n $ 1)  # expected-error {{stray character `$`}}
    T.evaluate(n !)  # expected-error {{stray character `!`}}

# -----

@T.prim_func
def operators(n: T.int32):
    T.evaluate(n ** 2)  # expected-error {{operator `**` is not supported [unsupported]}}
    T.evaluate(n if n > 1 else 2)  # expected-error {{conditional expression, expected `T.if_then_else`}}
    T.evaluate(n in n)  # expected-error {{operator `in` is not supported}}
    T.evaluate(+)  # expected-error {{found `)`, expected an expression}}
    T.evaluate(n n)  # expected-error {{found `n`, expected `,` or `)`}}
    T.evaluate(lambda x: x)  # expected-error {{`lambda` is supported only in `T.comm_reducer` and `T.index_map`}}

# -----

@T.prim_func
def statements(A: T.Buffer((8,), "int32")):
    import os  # expected-error {{`import` is not supported}}
    del A  # expected-error {{`del` is not supported}}
    1 = A[0]  # expected-error {{assignment to an integer, expected a name or an element of a buffer}}
    A[0] = A[1] = 2  # expected-error {{more than one target of an assignment}}
    return  # expected-error {{`return` without a value}}
    break  # expected-error {{`break` is not supported}}
    assert A[0] > 1  # expected-error {{assertion without a message}}
    B = 1 2  # expected-error {{found `2`, expected end of line}}

# -----

def undecorated(n: T.int32):  # expected-error {{`def` without decorator, expected `@T.prim_func` above it}}
    T.evaluate(n)

# -----

@T.nothing  # expected-error {{unknown name `T.nothing`}}
def unknown_decorator(n: T.int32):
    T.evaluate(n)

# -----

@T.prim_func
def parameters(
    n,  # expected-error {{parameter `n` has no type}}
    m: T.int32 = 3,  # expected-error {{default value of a parameter}}
):
    T.evaluate(0)

# -----

@T.prim_func
def starred(*args):  # expected-error {{`*` among the parameters}}
    T.evaluate(0)

# -----

@T.prim_func
def inner(n: T.int32):
    def g(n):  # expected-error {{`def` inside of a function}}
        return 1

# -----

@T.prim_func
def else_alone(n: T.int32):
    else:  # expected-error {{`else` without `if`}}
        T.evaluate(n)

# -----

@I.ir_module
class Module:
    1 + 2  # expected-error {{statement in the module, expected `I.module_attrs(...)` or a function}}

# -----

@I.ir_module
class A:
    @T.prim_func
    def f(n: T.int32):
        T.evaluate(n)

@I.ir_module
class B:  # expected-error {{more than one module in a text}}
    @T.prim_func
    def g(n: T.int32):
        T.evaluate(n)

# -----

nonsense  # expected-error {{found `nonsense`, expected `@I.ir_module`, `@T.prim_func`, `import` or `metadata =`}}

# -----

# expected-error@+1 {{expected a module or a function, found neither}}
