# Constants whose lists do not fit.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def truncated():
    c = T.allocate_const([1, 2, 3], "int8", [4])  # expected-error {{expected 4 elements, found 3; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
    T.evaluate(0)

# -----

@T.prim_func
def too_many():
    c = T.allocate_const([1, 2, 3], "int8", [2])  # expected-error {{expected 2 elements, as the extents say; found 3 [constant-shape]}}
    T.evaluate(0)

# -----

@T.prim_func
def four_gibibytes_of_three_bytes():
    c = T.allocate_const([1, 2, 3], "int8", [65536, 65536])  # expected-error {{expected 4294967296 elements, found 3; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
    T.evaluate(0)

# -----

@T.prim_func
def huge():
    c = T.allocate_const([1], "int8", [1000000000000000000, 1000000000000000000])  # expected-error {{the size is 2^62 bytes or more [limit]}}
    T.evaluate(0)

# -----

@T.prim_func
def variable_extent(n: T.int32):
    c = T.allocate_const([1], "int8", [n])  # expected-error {{extent of a constant, expected an integer}}
    T.evaluate(0)

# -----

@T.prim_func
def unclosed():
    c = T.allocate_const([1, 2, 3  # expected-error {{`[` is not closed}}

# -----

@T.prim_func
def no_list(n: T.int32):
    c = T.allocate_const(n, "int8", [1])  # expected-error {{the data is an expression, expected a list or `I.constant(...)`}}
    T.evaluate(0)

# -----

I.metadata  # expected-error {{expected `@I.ir_module`}}

# -----

metadata = tvm.ir.load_json(3)  # expected-error {{found `3`, expected the text of the metadata}}

# -----

metadata = tvm.ir.load_json("""{ \"root\": 1 }""")  # expected-error {{[metadata]}}

@T.prim_func
def broken_metadata():
    T.evaluate(0)
