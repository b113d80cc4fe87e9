# Loops.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def serial_arity(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `T.serial()` {{`serial` lacks its argument `start` [arguments]}}
    for i in T.serial():
        A[i] = 0
    # expected-error@+1 at `1` {{`serial` has 4 arguments, expected at most 3 [arguments]}}
    for i in T.serial(0, 8, 1, 1):
        A[i] = 0
    # expected-error@+1 at `foo` {{`parallel` has no argument `foo` [arguments]}}
    for i in T.parallel(8, foo=1):
        A[i] = 0

# -----

@T.prim_func
def step(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `2` {{loop with a step, expected one over the number of steps [unsupported]}}
    for i in range(0, 8, 2):
        A[i] = 0
    # expected-error@+1 at `2` {{loop with a step, expected one over the number of steps [unsupported]}}
    for i in T.serial(0, 8, 2):
        A[i] = 0

# -----

@T.prim_func
def thread(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `T.thread_binding(8)` {{`thread_binding` lacks its argument `thread` [arguments]}}
    for i in T.thread_binding(8):
        A[i] = 0
    # expected-error@+1 at `3` {{the thread is an integer, expected a string [arguments]}}
    for i in T.thread_binding(8, thread=3):
        A[i] = 0

# -----

@T.prim_func
def empty_thread(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `for i in T.thread_binding(8, thread="")` {{a thread loop names no thread [V12-loop]}}
    for i in T.thread_binding(8, thread=""):
        A[i] = 0

# -----

@T.prim_func
def no_integers(A: T.Buffer((8,), "float32"), n: T.int32):
    # expected-error@+1 at `"x"` {{end of a loop is a string, expected an integer [type]}}
    for i in range("x"):
        A[0] = 0
    # expected-error@+1 at `n < 3` {{end of a loop is of dtype `bool`, expected an integer [type]}}
    for i in range(n < 3):
        A[0] = 0
    # expected-error@+1 at `1.5` {{end of a loop is of dtype `float32`, expected an integer [type]}}
    for i in range(1.5):
        A[0] = 0
    # expected-error@+1 at `0.5` {{start of a loop is of dtype `float32`, expected an integer [type]}}
    for i in range(0.5, 3):
        A[0] = 0
    # expected-error@+1 at `T.Broadcast(n, 4)` {{end of a loop is of dtype `int32x4`, expected an integer [type]}}
    for i in range(T.Broadcast(n, 4)):
        A[0] = 0
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer [type]}}
    for i in range(A):
        A[0] = 0

# -----

@T.prim_func
def dtypes_of_the_ends(n: T.int32, m: T.int64):
    # expected-error@+1 at `n, m` {{loop from `int32` over `int64`, expected one dtype [type]}}
    for i in range(n, m):
        T.evaluate(i)

# -----

@T.prim_func
def negative(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `-4` {{loop extent -4 is negative [V12-loop]}}
    for i in T.serial(-4):
        A[i] = 0
    # expected-error@+1 at `3` {{loop extent -5 is negative [V12-loop]}}
    for i in range(8, 3):
        A[i] = 0

# -----

@T.prim_func
def annotations(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `3` {{found an integer, expected a dict [arguments]}}
    for i in T.serial(4, annotations=3):
        A[i] = 0

# -----

@T.prim_func
def targets(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `3` {{found `3`, expected the name of a loop variable [syntax]}}
    for 3 in range(8):
        A[0] = 0
    # expected-error@+1 at `of` {{found `of`, expected `in` [syntax]}}
    for i of range(8):
        A[i] = 0
    # expected-error@+1 at `in` {{found `in`, expected the name of a loop variable [syntax]}}
    for in range(8):
        A[0] = 0
    # expected-error@+1 at `[` {{found `[`, expected `in` [syntax]}}
    for A[0] in range(8):
        A[0] = 0

# -----

@T.prim_func
def one_name_twice(A: T.Buffer((8,), "float32")):
    # expected-error@+2 at `i` {{`i` is already defined [duplicate-name]}}
    # expected-note@+1 at `i` {{the earlier definition is here}}
    for i, i in T.grid(2, 2):
        A[i] = 0

# -----

@T.prim_func
def grid(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `T.grid()` {{1 loop variables for 0 extents [arguments]}}
    for i in T.grid():
        A[0] = 0
    # expected-error@+1 at `annotations` {{`T.grid` takes positional arguments only [arguments]}}
    for i, j in T.grid(4, 4, annotations={}):
        A[i] = 0
    # expected-error@+1 at `"x"` {{end of a loop is a string, expected an integer [type]}}
    for i, j in T.grid(4, "x"):
        A[i] = 0

# -----

@T.prim_func
def over_something_else(A: T.Buffer((8,), "float32"), n: T.int32):
    # expected-error@+1 at `n` {{loop over an expression, expected `range`, `T.grid` or the like [type]}}
    for i in n:
        A[0] = 0
    # expected-error@+1 at `A` {{loop over a buffer, expected `range`, `T.grid` or the like [type]}}
    for i in A:
        A[0] = 0
    # expected-error@+1 at `T.exp(1.0)` {{loop over an expression, expected `range`, `T.grid` or the like [type]}}
    for i in T.exp(1.0):
        A[0] = 0
    # expected-error@+1 at `range` {{loop over a function that is not called, expected `range`, `T.grid` or the like [type]}}
    for i in range:
        A[0] = 0

# -----

@T.prim_func
def thread_extent(x: T.float32):
    # expected-error@+1 at `x` {{extent of a thread, expected an integer [type]}}
    with T.launch_thread("threadIdx.x", x):
        T.evaluate(0)
    # expected-error@+1 at `3` {{the thread is an integer, expected a string [arguments]}}
    with T.launch_thread(3, 4):
        T.evaluate(0)
    # expected-error@+1 at `3` {{the thread tag is an integer, expected a string [arguments]}}
    tx = T.env_thread(3)
