# Numbers as they are written, and whether they fit.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def no_numbers():
    # expected-error@+1 at `0x` {{expected a number, found `0x` [literal]}}
    T.evaluate(0x)
    # expected-error@+1 at `0b12` {{expected a number, found `0b12` [literal]}}
    T.evaluate(0b12)
    # expected-error@+1 at `0o9` {{expected a number, found `0o9` [literal]}}
    T.evaluate(0o9)
    # expected-error@+1 at `.3` {{found `.3`, expected `,` or `)` [syntax]}}
    T.evaluate(1.2.3)
    # expected-error@+1 at `1e` {{expected a number, found `1e` [literal]}}
    T.evaluate(1e)
    # expected-error@+1 at `3j` {{expected a number, found `3j` [literal]}}
    T.evaluate(3j)
    # expected-error@+1 at `5x` {{expected a number, found `5x` [literal]}}
    T.evaluate(5x)
    # expected-error@+1 at `1_000__0` {{expected a number, found `1_000__0` [literal]}}
    T.evaluate(1_000__0)

# -----

@T.prim_func
def leading_zeros():
    # expected-error@+1 at `012` {{leading zeros in `012`, octal numbers are written `0o...` [literal]}}
    T.evaluate(012)
    # expected-error@+1 at `00000001` {{leading zeros in `00000001`, octal numbers are written `0o...` [literal]}}
    T.evaluate(00000001)

# -----

@T.prim_func
def huge_integers():
    # expected-error@+1 at `123456789012345678901234567890123456789012345678901234567890` {{integer does not fit 64 bits [literal]}}
    T.evaluate(123456789012345678901234567890123456789012345678901234567890)
    # expected-error@+1 at `0xFFFFFFFFFFFFFFFFF` {{integer does not fit 64 bits [literal]}}
    T.evaluate(0xFFFFFFFFFFFFFFFFF)
    # expected-error@+1 at `18446744073709551616` {{integer does not fit 64 bits [literal]}}
    T.evaluate(T.uint64(18446744073709551616))
    # expected-error@+1 at `9223372036854775808` {{9223372036854775808 is out of the range of `int64` [literal]}}
    T.evaluate(T.int64(9223372036854775808))
    # expected-error@+1 at `-9223372036854775809` {{the result does not fit 64 bits [literal]}}
    T.evaluate(-9223372036854775809)
    # expected-error@+1 at `1 << 64` {{the result does not fit 64 bits [literal]}}
    T.evaluate(1 << 64)
    # expected-error@+1 at `4611686018427387904 * 2` {{the result does not fit 64 bits [literal]}}
    T.evaluate(4611686018427387904 * 2)

# -----

@T.prim_func
def narrow_integers():
    # expected-error@+1 at `2147483648` {{2147483648 is out of the range of `int32` [literal]}}
    T.evaluate(T.int32(2147483648))
    # expected-error@+1 at `-32769` {{-32769 is out of the range of `int16` [literal]}}
    T.evaluate(T.int16(-32769))
    # expected-error@+1 at `256` {{256 is out of the range of `uint8` [literal]}}
    T.evaluate(T.uint8(256))
    # expected-error@+1 at `-1` {{-1 is out of the range of `uint32` [literal]}}
    T.evaluate(T.uint32(-1))
    # expected-error@+1 at `300` {{300 is out of the range of `int8` [literal]}}
    T.evaluate(T.IntImm("int8", 300))

# -----

@T.prim_func
def huge_floats():
    # expected-error@+1 at `1e400` {{number does not fit float64, expected `T.float32("inf")` or the like [literal]}}
    T.evaluate(1e400)
    # expected-error@+1 at `1e309` {{number does not fit float64, expected `T.float32("inf")` or the like [literal]}}
    T.evaluate(-1e309)
    # expected-error@+1 at `1e39` {{1e+39 is out of the range of `float32` [literal]}}
    T.evaluate(1e39)
    # expected-error@+1 at `1e39` {{1e+39 is out of the range of `float32` [literal]}}
    T.evaluate(T.float32(1e39))
    # expected-error@+1 at `-3.5e38` {{-3.5e+38 is out of the range of `float32` [literal]}}
    T.evaluate(T.float32(-3.5e38))
    # expected-error@+1 at `65536` {{65536 is out of the range of `float16` [literal]}}
    T.evaluate(T.float16(65536))
    # expected-error@+1 at `1e39` {{1e+39 is out of the range of `bfloat16` [literal]}}
    T.evaluate(T.bfloat16(1e39))
    # expected-error@+1 at `1000.0` {{1000 is out of the range of `e4m3_float8` [literal]}}
    T.evaluate(T.e4m3_float8(1000.0))
    # expected-error@+1 at `1e6` {{1000000 is out of the range of `float16` [literal]}}
    T.evaluate(T.FloatImm("float16", 1e6))

# -----

@T.prim_func
def floats_as_text():
    # expected-error@+1 at `"1e999"` {{expected a number, found "1e999" [literal]}}
    T.evaluate(T.float32("1e999"))
    # expected-error@+1 at `""` {{expected a number, found "" [literal]}}
    T.evaluate(T.float32(""))
    # expected-error@+1 at `"infinite"` {{expected a number, found "infinite" [literal]}}
    T.evaluate(T.float32("infinite"))
    # expected-error@+1 at `"1,5"` {{expected a number, found "1,5" [literal]}}
    T.evaluate(T.float32("1,5"))

# -----

@T.prim_func
def immediates_of_another_dtype():
    # expected-error@+1 at `"float32"` {{`T.IntImm` of `float32` [type]}}
    T.evaluate(T.IntImm("float32", 300))
    # expected-error@+1 at `"int32"` {{`T.FloatImm` of `int32` [type]}}
    T.evaluate(T.FloatImm("int32", 300))
    # expected-error@+1 at `1.5` {{expected a value of dtype `int32`, found a floating number [type]}}
    T.evaluate(T.IntImm("int32", 1.5))
    # expected-error@+1 at `"1"` {{expected a number [arguments]}}
    T.evaluate(T.IntImm("int32", "1"))
    # expected-error@+1 at `3` {{the value is an integer, expected a string [arguments]}}
    T.evaluate(T.StringImm(3))

# -----

@T.prim_func
def python_arithmetic():
    # expected-error@+1 at `1 / 0` {{division of a number by zero [literal]}}
    T.evaluate(1 / 0)
    # expected-error@+1 at `1.0 // 0.0` {{division of a number by zero [literal]}}
    T.evaluate(1.0 // 0.0)
    # expected-error@+1 at `1 % 0` {{division of a number by zero [literal]}}
    T.evaluate(1 % 0)
    # expected-error@+1 at `1 << -1` {{the result does not fit 64 bits [literal]}}
    T.evaluate(1 << -1)
    # expected-error@+1 at `~1.5` {{bitwise operator on a floating number [literal]}}
    T.evaluate(~1.5)
    # expected-error@+1 at `1.5 & 1` {{bitwise operator on a floating number [type]}}
    T.evaluate(1.5 & 1)

# -----

@T.prim_func
def stored(A: T.Buffer((8,), "int8"), B: T.Buffer((8,), "uint16"), C: T.Buffer((8,), "float16")):
    # expected-error@+1 at `128` {{128 is out of the range of `int8` [literal]}}
    A[0] = 128
    # expected-error@+1 at `-129` {{-129 is out of the range of `int8` [literal]}}
    A[1] = -129
    # expected-error@+1 at `-1` {{-1 is out of the range of `uint16` [literal]}}
    B[0] = -1
    # expected-error@+1 at `65536` {{65536 is out of the range of `uint16` [literal]}}
    B[1] = 65536
    # expected-error@+1 at `1e6` {{1000000 is out of the range of `float16` [literal]}}
    C[0] = 1e6

# -----

@T.prim_func
def compared(a: T.int8, b: T.uint8):
    # expected-error@+1 at `128` {{128 is out of the range of `int8` [literal]}}
    T.evaluate(a < 128)
    # expected-error@+1 at `-1` {{-1 is out of the range of `uint8` [literal]}}
    T.evaluate(b > -1)
    # expected-error@+1 at `300` {{300 is out of the range of `uint8` [literal]}}
    T.evaluate(300 == b)
