# Each function has its memory at the same bytes, given by hand. The names say whether that is right.
# RUN: tenon-opt --split-input-file --verify-diagnostics --pipeline=assign-pool-info,verify-plan %s
from tvm.script import ir as I
from tvm.script import tir as T

# Different arms never run both.
@T.prim_func
def arms(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    if x[0] > 0:
        for i in range(4):
            a_1[i] = x[i]
        for i in range(4):
            y[i] = a_1[3 - i]
    else:
        for i in range(4):
            b_1[i] = x[i]
        for i in range(4):
            y[i] = b_1[3 - i]
# -----
# An arm that may not run does not certainly store `a` again.
@T.prim_func
def arm_after(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 12 of `a` is needed after `b` has overwritten it}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for i in range(4):
        a_1[i] = x[i]
    for i in range(4):
        # expected-note@+1 {{overwritten here}}
        b_1[i] = x[3 - i]
    y[0] = b_1[1]
    if x[0] > 0:
        for i in range(4):
            a_1[i] = x[i]
    for i in range(4):
        # expected-note@+1 {{needed here}}
        y[i] = a_1[3 - i]
# -----
# Each iteration stores all of `a` before it reads `a`.
@T.prim_func
def turns(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for t in range(4):
        for i in range(4):
            a_1[i] = x[i] + t
        y[t] = a_1[3]
        for i in range(4):
            b_1[3 - i] = x[i] - t
        y[t] = y[t] + b_1[2]
# -----
# The next iteration reads what this one has stored.
@T.prim_func
def carried(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 4 of `a` is needed after `b` has overwritten it}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for i in range(4):
        a_1[i] = x[i]
    for t in range(4):
        # expected-note@+1 {{needed here}}
        y[t] = a_1[1]
        for i in range(4):
            # expected-note@+1 {{overwritten here}}
            b_1[i] = x[i]
        y[t] = y[t] + b_1[2]
# -----
# A while may run no times.
@T.prim_func
def whiles(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 0 of `a` is needed after `b` has overwritten it}}
    a = T.allocate([1], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([1], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((1,), "int32", data=a)
    b_1 = T.Buffer((1,), "int32", data=b)
    a_1[0] = x[0]
    # expected-note@+1 {{overwritten here}}
    b_1[0] = x[1]
    y[1] = b_1[0]
    while y[1] < 4:
        y[1] = y[1] + 1
        a_1[0] = y[1]
    # expected-note@+1 {{needed here}}
    y[0] = a_1[0]
# -----
# Iterations that run at the same time would share the bytes.
@T.prim_func
def concurrent(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    for t in T.parallel(4):
        # expected-error@+1 {{`a` is in pool `ram`, but iterations of a parallel loop use it at the same time}}
        with T.allocate([1], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]}) as a:
            a_1 = T.Buffer((1,), "int32", data=a)
            a_1[0] = x[t]
            y[t] = a_1[0]
# -----
# In a parallel loop, another iteration may store `b` while this one reads `a`.
@T.prim_func
def parallel(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`b` may overwrite byte 4 of `a` while it is needed, because the order of their accesses is not known}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(4)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for i in range(4):
        a_1[i] = x[i]
    for t in T.parallel(4):
        b_1[t] = a_1[t]
    for i in range(4):
        y[i] = b_1[i]
# -----
# The code of `f` may store to its second argument before it reads the first one.
@T.prim_func
def external(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    T.func_attr({"tenon.externs": {"f": ["r", "o"]}})
    # expected-error@+1 {{`b` may overwrite byte 0 of `a` while it is needed, because the order of the code's accesses is not known}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for i in range(4):
        a_1[i] = x[i]
    # expected-note@+1 {{overwritten here}}
    T.evaluate(T.call_extern("int32", "f", a, b))
    for i in range(4):
        y[i] = b_1[i]
# -----
# A pointer that is one of two buffers reads both.
@T.prim_func
def selected(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    # expected-error@+1 {{`a` and `s` overlap in pool `ram`: byte 0 of `a` is needed after `s` has overwritten it}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(16)]})
    s = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    s_1 = T.Buffer((4,), "int32", data=s)
    p: T.handle("int32", "global") = T.Select(x[0] > 0, a, b)
    p_1 = T.Buffer((4,), "int32", data=p)
    for i in range(4):
        a_1[i] = x[i]
        b_1[i] = x[3 - i]
    for i in range(4):
        # expected-note@+1 {{overwritten here}}
        s_1[i] = x[i]
    y[0] = s_1[3]
    for i in range(4):
        # expected-note@+1 {{needed here}}
        y[i] = p_1[i]
# -----
# The address is kept, so `a` may be read later.
@T.prim_func
def kept(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), h: T.Buffer((1,), "handle")):
    # expected-error@+1 {{`b` may overwrite byte 0 of `a` while it is needed, because a pointer to it may still be used}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for i in range(4):
        a_1[i] = x[i]
    h[0] = a
    for i in range(4):
        # expected-note@+1 {{overwritten here}}
        b_1[i] = x[i]
    for i in range(4):
        y[i] = b_1[i]
