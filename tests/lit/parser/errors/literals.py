# Numbers and strings.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def range_of_integers():
    T.evaluate(99999999999999999999)  # expected-error {{integer does not fit 64 bits [literal]}}
    T.evaluate(18446744073709551615)  # expected-error {{integer does not fit int64, expected it in `T.uint64(...)`}}
    T.evaluate(T.int8(128))  # expected-error {{128 is out of the range of `int8`}}
    T.evaluate(T.uint8(-1))  # expected-error {{-1 is out of the range of `uint8`}}
    T.evaluate(0xZZ)  # expected-error {{expected a number, found `0xZZ`}}
    T.evaluate(9223372036854775807 + 1)  # expected-error {{the result does not fit 64 bits}}

# -----

@T.prim_func
def division(n: T.int32):
    T.evaluate(1 // 0)  # expected-error {{division of a number by zero}}
    T.evaluate(n // 0)  # expected-error {{division by the constant zero}}
    T.evaluate(n % 0)  # expected-error {{division by the constant zero}}
    T.evaluate(n << 32)  # expected-error {{shift of `int32` by 32 bits}}
    T.evaluate(n >> -1)  # expected-error {{shift of `int32` by -1 bits}}

# -----

@T.prim_func
def strings():
    T.call_extern("int32", "\x4")  # expected-error {{invalid escape in a string}}
    T.call_extern("int32", f"a")  # expected-error {{string prefix `f` is not supported}}
    T.evaluate(T.float32("abc"))  # expected-error {{expected a number, found "abc"}}
    T.evaluate(T.int32("1"))  # expected-error {{expected a value of dtype `int32`, found a string}}
