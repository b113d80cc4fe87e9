# Indentation.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def unexpected(n: T.int32):
    T.evaluate(n)
      T.evaluate(n)  # expected-error {{unexpected indentation [indentation]}}
    T.evaluate(n)

# -----

@T.prim_func
def no_outer_level(n: T.int32):
    for i in range(n):
            T.evaluate(i)
        T.evaluate(n)  # expected-error {{indentation of 8 does not match any outer level, the nearest has 4}}
    T.evaluate(n)

# -----

@T.prim_func
def no_body(n: T.int32):
    for i in range(n):
    T.evaluate(n)  # expected-error {{found `T`, expected an indented block}}

# -----

@T.prim_func
def tab(n: T.int32):
	T.evaluate(n)  # expected-error {{tab in the indentation, expected spaces}}

# -----

@T.prim_func
def empty(n: T.int32):
# expected-error@+1 {{expected an indented block}}
