# A text has one dialect: names of the other are errors that show where the text sets its own.
#
# RUN: tenon-opt %s --split-input-file --verify-diagnostics

# expected-note@+1 {{this makes it a text of the dialect `tir`}}
# from tvm.script import tir as T
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`T.sblock` is of the dialect `tirx`, expected `T.block`}}
    with T.sblock("x"):
        A[0] = 1

# -----
# expected-note@+1 {{this makes it a text of the dialect `tirx`}}
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`T.block` is of the dialect `tir`, expected `T.sblock`}}
    with T.block("x"):
        A[0] = 1

# -----
# Without a header, the first name that only one dialect has determines the dialect.
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # expected-note@+1 {{this makes it a text of the dialect `tirx`}}
    with T.sblock("x"):
        A[0] = 1
    # expected-error@+1 {{`T.LetStmt` is of the dialect `tir`, expected `x: T.let[T.int32] = e`}}
    with T.LetStmt(A[0]) as x:
        A[1] = x

# -----
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def f(A: T.Buffer((3,), "int32")):
    # expected-error@+1 {{layouts are not supported, expected `layout=None`}}
    b = T.alloc_buffer((4,), "int32", layout=1)
    # expected-error@+1 {{`T.alloc_buffer` allocates, expected `T.decl_buffer` for existing `data`}}
    c = T.alloc_buffer((4,), "int32", data=A.data)
    # expected-error@+1 {{a view as `int64` has no whole number of elements}}
    d = A.view("int64")
    # expected-error@+1 {{loop with a step, expected one over the number of steps}}
    for i in T.serial(0, 4, step=-2):
        A[0] = 1
    # expected-error@+1 {{the message of an assertion, expected a string or `("RuntimeError", ["text"])`}}
    assert A[0] > 0, ("RuntimeError", "text", 1)

# -----
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
# expected-error@+1 {{a quoted extent, expected an expression}}
def f(A: T.Buffer(("",), "int32")):
    A[0] = 1

# -----
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
# expected-error@+1 {{expected the end of the extent}}
def f(A: T.Buffer(("n m",), "int32")):
    A[0] = 1
