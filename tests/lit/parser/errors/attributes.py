# Attributes of functions, targets, pools and other objects.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def func_attr(n: T.int32):
    # expected-error@+1 at `3` {{found an integer, expected a dict [arguments]}}
    T.func_attr(3)
    # expected-error@+1 at `T.func_attr()` {{`func_attr` lacks its argument `attrs` [arguments]}}
    T.func_attr()
    # expected-error@+1 at `1: 2` {{key of a function's attribute, expected a string [arguments]}}
    T.func_attr({1: 2})
    # expected-error@+1 at `n: 2` {{key of a function's attribute, expected a string [arguments]}}
    T.func_attr({n: 2})
    # expected-error@+1 at `T.exp` {{found a function that is not called, expected an expression [type]}}
    T.func_attr({"a": T.exp})
    # expected-error@+1 at `undefined` {{`undefined` is not defined here [undefined-name]}}
    T.func_attr({"b": undefined})

# -----

@T.prim_func
def global_symbol(n: T.int32):
    # expected-error@+1 at `3` {{value of the attribute `global_symbol`, expected a string [arguments]}}
    T.func_attr({"global_symbol": 3})

# -----

@T.prim_func
def externs(n: T.int32):
    # expected-error@+1 at `"z"` {{value of the attribute `tenon.externs`, expected a dict of lists of strings of the letters r, w, o and c, one for each argument [arguments]}}
    T.func_attr({"tenon.externs": {"f": ["r", "z"]}})
    # expected-error@+1 at `["f"]` {{value of the attribute `tenon.externs`, expected a dict of lists of strings of the letters r, w, o and c, one for each argument [arguments]}}
    T.func_attr({"tenon.externs": ["f"]})
    # expected-error@+1 at `"r"` {{value of the attribute `tenon.externs`, expected a dict of lists of strings of the letters r, w, o and c, one for each argument [arguments]}}
    T.func_attr({"tenon.externs": {"f": "r"}})
    # expected-error@+1 at `1` {{value of the attribute `tenon.externs`, expected a dict of lists of strings of the letters r, w, o and c, one for each argument [arguments]}}
    T.func_attr({"tenon.externs": {"f": [1]}})

# -----

@T.prim_func
def outputs(n: T.int32):
    # expected-error@+1 at `"n"` {{value of the attribute `tenon.outputs`, expected a list of strings, the names of parameters [arguments]}}
    T.func_attr({"tenon.outputs": "n"})
    # expected-error@+1 at `1` {{value of the attribute `tenon.outputs`, expected a list of strings, the names of parameters [arguments]}}
    T.func_attr({"tenon.outputs": [1]})

# -----

@T.prim_func
def targets(n: T.int32):
    # expected-error@+1 at `3` {{target is an integer, expected a dict or a string [arguments]}}
    T.func_attr({"a": T.target(3)})
    # expected-error@+1 at `T.target()` {{`target` lacks its argument `target` [arguments]}}
    T.func_attr({"b": T.target()})
    # expected-error@+1 at `3` {{kind of a target, expected a string such as "c" or "llvm" [arguments]}}
    T.func_attr({"c": T.target({"kind": 3})})
    # expected-error@+1 at `{"keys": ["cpu"]}` {{target without `kind` [arguments]}}
    T.func_attr({"d": T.target({"keys": ["cpu"]})})
    # expected-error@+1 at `3: 4` {{key of a target, expected a string [arguments]}}
    T.func_attr({"e": T.target({"kind": "c", 3: 4})})
    # expected-error@+1 at `{"tag": ""}` {{target without `kind` [arguments]}}
    T.func_attr({"f": T.target({"kind": "c", "host": {"tag": ""}})})
    # expected-error@+1 at `foo` {{`target` has no argument `foo` [arguments]}}
    T.func_attr({"g": T.target("c", host=3, foo=4)})

# -----

@T.prim_func
def pools(n: T.int32):
    # expected-error@+1 at `I.AllocatedPoolInfo()` {{`AllocatedPoolInfo` lacks its argument `pool_info` [arguments]}}
    T.func_attr({"a": I.AllocatedPoolInfo()})
    # expected-error@+1 at `I.AllocatedPoolInfo(pool_info=metadata["ir.WorkspacePoolInfo"][0])` {{`AllocatedPoolInfo` lacks its argument `allocated_size` [arguments]}}
    T.func_attr({"b": I.AllocatedPoolInfo(pool_info=metadata["ir.WorkspacePoolInfo"][0])})
    # expected-error@+1 at `I.ConstantPoolInfo()` {{`ConstantPoolInfo` lacks its argument `constant_info_array` [arguments]}}
    T.func_attr({"c": I.ConstantPoolInfo()})
    # expected-error@+1 at `foo` {{`ConstantPoolInfo` has no argument `foo` [arguments]}}
    T.func_attr({"d": I.ConstantPoolInfo([], "name", foo=3)})
    # expected-error@+1 at `I.ConstantInfo("a", 0)` {{`ConstantInfo` lacks its argument `data` [arguments]}}
    T.func_attr({"e": I.ConstantInfo("a", 0)})
    # expected-error@+1 at `I.WorkspacePoolInfo("a")` {{`I.WorkspacePoolInfo` is not supported [unsupported]}}
    T.func_attr({"f": I.WorkspacePoolInfo("a")})
    # expected-error@+1 at `3` {{the name is an integer, expected a string [arguments]}}
    T.func_attr({"g": I.GlobalVar(3)})

# -----

@T.prim_func
def metadata_of_nothing(n: T.int32):
    # expected-error@+1 at `metadata["x"]` {{found `metadata` without a key or an index, expected an expression [type]}}
    T.func_attr({"a": metadata["x"]})
    # expected-error@+1 at `metadata` {{found `metadata` without a key or an index, expected an expression [type]}}
    T.func_attr({"b": metadata})
    # expected-error@+1 at `0` {{the key of `metadata` is an integer, expected a string [arguments]}}
    T.func_attr({"c": metadata[0][0]})
    # expected-error@+1 at `"y"` {{the index is a string, expected an integer [arguments]}}
    T.func_attr({"d": metadata["x"]["y"]})
    # expected-error@+1 at `metadata["x"][0]` {{found an attribute's value, expected an expression [type]}}
    T.evaluate(metadata["x"][0])

# -----

@T.prim_func
def attr_statement(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `T.attr(0, "key")` {{`attr` lacks its argument `value` [arguments]}}
    T.attr(0, "key")
    # expected-error@+1 at `3` {{the key is an integer, expected a string [arguments]}}
    T.attr(0, 3, 1)
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer [type]}}
    T.attr(A, "key", A)
    # expected-error@+1 at `2` {{`attr` has 4 arguments, expected at most 3 [arguments]}}
    T.attr(0, "key", 1, 2)

# -----

@T.prim_func
def linked_parameters(n: T.int32):
    # expected-error@+1 at `"p0"` {{unknown constant `p0`, expected one of `tenon.constants` [undefined-name]}}
    T.func_attr({"link_params": {"p0": I.constant("p0")}})
    T.evaluate(T.lookup_param("p0"))

# -----

@T.prim_func
def lets(n: T.int32, p: T.handle("float32")):
    # expected-error@+1 at `T.LetStmt()` {{`LetStmt` lacks its argument `value` [arguments]}}
    with T.LetStmt() as a:
        T.evaluate(a)
    # expected-error@+1 at `n` {{variable of dtype `float32` is bound to a value of `int32` [type]}}
    with T.LetStmt(n, T.float32) as b:
        T.evaluate(b)
    # expected-error@+1 at `3` {{found an integer, expected a type such as `T.int32` [type]}}
    with T.LetStmt(n, 3) as c:
        T.evaluate(c)
    # expected-error@+1 at `3` {{expected a variable [arguments]}}
    with T.LetStmt(n, var=3):
        T.evaluate(n)
    # expected-error@+1 at `T.evaluate(n)` {{found a statement, expected an expression [type]}}
    with T.LetStmt(T.evaluate(n)) as d:
        T.evaluate(d)
    # expected-error@+1 at `n` {{variable of dtype `handle` is bound to a value of `int32` [type]}}
    q: T.handle("float32") = n

# -----

@T.prim_func
def assert_scope(n: T.int32):
    # expected-error@+1 at `n` {{the condition has dtype `int32`, expected bool [type]}}
    with T.Assert(n, "text"):
        T.evaluate(n)
    # expected-error@+1 at `T.Assert(n < 1)` {{`Assert` lacks its argument `message` [arguments]}}
    with T.Assert(n < 1):
        T.evaluate(n)
    # expected-error@+1 at `3` {{the message of the assertion is an integer, expected a string [arguments]}}
    with T.Assert(n < 1, 3):
        T.evaluate(n)

# -----

@T.prim_func
def index_of_metadata(n: T.int32):
    # expected-error@+1 at `-1` {{the metadata has no object -1 of `x` [metadata]}}
    T.func_attr({"a": metadata["x"][-1]})
    # expected-error@+1 at `18446744073709551615` {{the index does not fit int64 [literal]}}
    T.func_attr({"b": metadata["x"][18446744073709551615]})
