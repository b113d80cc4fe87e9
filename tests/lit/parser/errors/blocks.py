# Blocks: axes, regions, and statements that they may contain once.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def axes(A: T.Buffer((8,), "float32"), n: T.int32):
    for i in range(8):
        with T.block("b"):
            # expected-error@+1 at `"x"` {{the domain is a string, expected an integer or a pair of them [type]}}
            a = T.axis.reduce("x", n)
            # expected-error@+1 at `"x"` {{binding is a string, expected an integer [type]}}
            b = T.axis.spatial(8, "x")
            # expected-error@+1 at `0.5` {{binding is of dtype `float32`, expected an integer [type]}}
            c = T.axis.spatial(8, 0.5)
            # expected-error@+1 at `"x"` {{end of the domain is a string, expected an integer [type]}}
            d = T.axis.spatial((0, "x"), i)
            # expected-error@+1 at `T.axis.spatial()` {{`spatial` lacks its argument `dom` [arguments]}}
            e = T.axis.spatial()
            # expected-error@+1 at `[i, i]` {{unknown kind of an axis, expected `S` or `R` [arguments]}}
            f = T.axis.remap("SX", [i, i])
            # expected-error@+1 at `3` {{the string of kinds is an integer, expected a string [arguments]}}
            g = T.axis.remap(3, [i])
            A[0] = 1

# -----

@T.prim_func
def one_axis_twice(A: T.Buffer((8,), "float32"), n: T.int32):
    with T.block("b"):
        # expected-note@+1 at `v` {{the earlier definition is here}}
        v = T.axis.spatial(8, n)
        # expected-error@+1 at `v` {{`v` is already defined [duplicate-name]}}
        v = T.axis.spatial(8, n)
        A[v] = 1

# -----

@T.prim_func
def once(A: T.Buffer((8,), "float32"), n: T.int32):
    with T.block("b"):
        T.where(n < 3)
        # expected-error@+1 at `T.where(n < 4)` {{`T.where` is given already [duplicate-name]}}
        T.where(n < 4)
        T.reads(A[0])
        # expected-error@+1 at `T.reads(A[1])` {{`T.reads` is given already [duplicate-name]}}
        T.reads(A[1])
        T.writes(A[0])
        # expected-error@+1 at `T.writes(A[1])` {{`T.writes` is given already [duplicate-name]}}
        T.writes(A[1])
        T.block_attr({"a": 1})
        # expected-error@+1 at `T.block_attr({"b": 1})` {{`T.block_attr` is given already [duplicate-name]}}
        T.block_attr({"b": 1})
        A[0] = 1

# -----

@T.prim_func
def two_inits(A: T.Buffer((8,), "float32")):
    with T.block("b"):
        with T.init():
            A[0] = 0
        # expected-error@+1 at `T.init()` {{`T.init` is given already [duplicate-name]}}
        with T.init():
            A[1] = 0
        A[0] = 1

# -----

@T.prim_func
def forms(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `3` {{the name of the block is an integer, expected a string [arguments]}}
    with T.block(3):
        A[0] = 1
    # expected-error@+1 at `foo` {{`block` has no argument `foo` [arguments]}}
    with T.block("b", foo=3):
        A[0] = 1
    # expected-error@+1 at `3` {{`block` has 3 arguments, expected at most 2 [arguments]}}
    with T.block("b", True, 3):
        A[0] = 1
    # expected-error@+1 at `3` {{`init` has 1 arguments, expected at most 0 [arguments]}}
    with T.init(3):
        A[0] = 1

# -----

@T.prim_func
def attributes(A: T.Buffer((8,), "float32")):
    with T.block("b"):
        # expected-error@+1 at `3` {{found an integer, expected a dict [arguments]}}
        T.block_attr(3)
        # expected-error@+1 at `z` {{`z` is not defined here [undefined-name]}}
        T.block_attr({"a": z})
        # expected-error@+1 at `"x"` {{the condition is a string, expected bool [type]}}
        T.where("x")
        # expected-error@+1 at `1.5` {{the condition has dtype `float32`, expected bool [type]}}
        T.where(1.5)
        A[0] = 1

# -----

@T.prim_func
def regions(A: T.Buffer((8, 8), "float32"), n: T.int32):
    with T.block("b"):
        # expected-error@+1 at `n` {{found an expression, expected a region of a buffer [type]}}
        T.reads(n, A[0, 0])
        # expected-error@+1 at `[0]` {{wrong number of indices of `A`: expected 2, found 1 [type]}}
        T.writes(A[0])
        # expected-error@+1 at `"x"` {{found a string, expected a region of a buffer [type]}}
        T.writes([A[0, 0], "x"])
        # expected-error@+1 at `1.5` {{index is of dtype `float32`, expected an integer [type]}}
        T.writes(A[0, 0:1.5])
        A[0, 0] = 1

# -----

@T.prim_func
def binding_without_realize(A: T.Buffer((8,), "float32"), n: T.int32):
    with T.block("b", no_realize=True):
        # expected-error@+1 at `T.axis.spatial(8, n)` {{binding of an axis in a block with `no_realize` [arguments]}}
        v = T.axis.spatial(8, n)
        A[v] = 1

# -----

@T.prim_func
def matched_region(A: T.Buffer((8, 8), "float32")):
    with T.block("b"):
        # expected-error@+1 at `T.match_buffer(A[0:4, 0:4], (4, 5))` {{buffer `B` has extent 5 where the region it is matched to has 4 [V18-buffer]}}
        B = T.match_buffer(A[0:4, 0:4], (4, 5))
        # expected-error@+1 at `T.match_buffer(A[0, 0:4], (2, 2, 1))` {{buffer `C` has 3 dimensions, the region it is matched to 2 [V18-buffer]}}
        C = T.match_buffer(A[0, 0:4], (2, 2, 1))
        # expected-error@+1 at `T.match_buffer(A[0:2, 0:4], (4,))` {{buffer `D` has extent 1 where the region it is matched to has 2 [V18-buffer]}}
        D = T.match_buffer(A[0:2, 0:4], (4,))
        # expected-error@+1 at `T.match_buffer(A[0:4, 0:4], (4, 4), "int32")` {{buffer `E` of `int32` matched to a region of `float32` [V18-buffer]}}
        E = T.match_buffer(A[0:4, 0:4], (4, 4), "int32")
        B[0, 0] = C[0, 0, 0] + D[0]

# -----

@T.prim_func
def matched_outside(A: T.Buffer((8, 8), "float32")):
    # expected-error@+1 at `T.match_buffer(A[0:4, 0:4], (4, 4))` {{`T.match_buffer` of a region outside of a block [type]}}
    B = T.match_buffer(A[0:4, 0:4], (4, 4))
    B[0, 0] = 1
