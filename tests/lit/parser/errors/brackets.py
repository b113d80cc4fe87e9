# Brackets and strings that do not match. The next line is a separate statement, and is read.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def parenthesis(n: T.int32):
    # expected-error@+1 at `(` {{`(` is not closed [syntax]}}
    T.evaluate(n
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def parenthesis_too_many(n: T.int32):
    # expected-error@+1 at `)` {{`)` closes no bracket [syntax]}}
    T.evaluate(n))
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def inner_bracket(n: T.int32):
    # expected-error@+2 at `)` {{`)` does not close `[` [syntax]}}
    # expected-note@+1 at `[` {{opened here}}
    T.evaluate([n)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def inner_brace(n: T.int32):
    # expected-error@+2 at `}` {{`}` does not close `[` [syntax]}}
    # expected-note@+1 at `[` {{opened here}}
    T.func_attr({"a": [1, 2})
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def dict(n: T.int32):
    # expected-error@+1 at `{` {{`{` is not closed [syntax]}}
    T.func_attr({"a": 1
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def trailing_comma(n: T.int32):
    # expected-error@+1 at `(` {{`(` is not closed [syntax]}}
    T.evaluate(n,
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def subscript(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `=` {{found `=`, expected `,` or `]` [syntax]}}
    A[0 = 1
    # expected-error@+1 at `[` {{`[` is not closed [syntax]}}
    A[1] = A[2
    # expected-error@+1 at `B` {{`B` is not defined here [undefined-name]}}
    A[3] = B[0]

# -----

@T.prim_func
# expected-error@+1 at `(` {{`(` is not closed [syntax]}}
def parameters(n: T.int32
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
# expected-error@+1 at `:` {{found `:`, expected `,` or `)` [syntax]}}
def buffer_type(A: T.Buffer((8,), "float32"):
    # expected-error@+1 at `B` {{`B` is not defined here [undefined-name]}}
    A[0] = B[0]

# -----

@I.ir_module
class Module:
    # expected-error@+2 at `}` {{`}` does not close `[` [syntax]}}
    # expected-note@+1 at `[` {{opened here}}
    I.module_attrs({"a": [1, 2})

    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@I.ir_module
class Module:
    @T.prim_func
    def first(n: T.int32):
        # expected-error@+1 at `(` {{`(` is not closed [syntax]}}
        T.evaluate((n
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

    @T.prim_func
    def second(n: T.int32):
        # expected-error@+1 at `k` {{`k` is not defined here [undefined-name]}}
        T.evaluate(k)

# -----

@T.prim_func
def string(n: T.int32):
    # expected-error@+1 at `'f)` {{string is not closed, expected `'` before the end of the line [syntax]}}
    T.call_extern("int32", 'f)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def string_with_escaped_quote(n: T.int32):
    # expected-error@+1 at `"f\")` {{string is not closed, expected `"` before the end of the line [syntax]}}
    T.call_extern("int32", "f\")
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def prefixes(n: T.int32):
    # expected-error@+1 at `b"f"` {{string prefix `b` is not supported [unsupported]}}
    T.call_extern("int32", b"f")
    # expected-error@+1 at `f"{n}"` {{string prefix `f` is not supported [unsupported]}}
    T.call_extern("int32", f"{n}")
    # expected-error@+1 at `rb"f"` {{string prefix `b` is not supported [unsupported]}}
    T.call_extern("int32", rb"f")

# -----

@T.prim_func
def escapes(n: T.int32):
    # expected-error@+1 at `\N` {{invalid escape in a string [literal]}}
    T.call_extern("int32", "\N{DASH}")
    # expected-error@+1 at `\u` {{invalid escape in a string [literal]}}
    T.call_extern("int32", "a\ud800")
    # expected-error@+1 at `\U` {{invalid escape in a string [literal]}}
    T.call_extern("int32", "ab\U00110000")
    # expected-error@+1 at `\x` {{invalid escape in a string [literal]}}
    T.call_extern("int32", "abc\x4")
    # expected-error@+1 at `\u` {{invalid escape in a string [literal]}}
    T.call_extern("int32", "abcd\u12")
