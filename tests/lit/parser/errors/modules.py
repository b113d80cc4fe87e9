# Modules: the class, its decorator, its attributes, and other statements in the file.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

# expected-error@+1 at `I` {{found `I`, expected `@I.ir_module`, `@T.prim_func`, `import` or `metadata =` [syntax]}}
I.module_attrs({})

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `3` {{found an integer, expected a dict [arguments]}}
    I.module_attrs(3)
    # expected-error@+1 at `3` {{found an integer, expected a dict [arguments]}}
    I.module_global_infos(3)

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `b` {{`b` is not defined here [undefined-name]}}
    I.module_attrs({"a": b, "c": 1})

    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@I.ir_module
class Module:
    # expected-error@+2 at `1` {{key of a module's attribute is an integer, expected a string [arguments]}}
    # expected-error@+1 at `None` {{key of a module's attribute is `None`, expected a string [arguments]}}
    I.module_attrs({1: 2, None: 3})

# -----

@I.ir_module
class Module:
    I.module_attrs({"a": 1})
    # expected-error@+1 at `I.module_attrs({"a": 2})` {{`I.module_attrs` is given already [duplicate-name]}}
    I.module_attrs({"a": 2})

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `"a": 2` {{key `a` is given twice [duplicate-name]}}
    I.module_attrs({"a": 1, "a": 2})

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `I.module_attrs()` {{`module_attrs` lacks its argument `attrs` [arguments]}}
    I.module_attrs()
    # expected-error@+1 at `I.module_attributes({"a": 1})` {{`I.module_attributes` is not supported [unsupported]}}
    I.module_attributes({"a": 1})

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `"x"` {{value of the attribute `tenon.externs`, expected a dict of lists of strings of the letters r, w, o and c, one for each argument [arguments]}}
    I.module_attrs({"tenon.externs": {"f": ["r", "x"]}})

# -----

@I.ir_module
class Module:
    @T.prim_func
    # expected-error@+1 at `@T.prim_func` {{more than one decorator [syntax]}}
    @T.prim_func
    def f(n: T.int32):
        T.evaluate(n)

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `@I.ir_module` {{decorator of a module above a function, expected `@T.prim_func` [syntax]}}
    @I.ir_module
    def f(n: T.int32):
        T.evaluate(n)

# -----

# expected-error@+1 at `@I.ir_module` {{decorator of a module above a function, expected `@T.prim_func` [syntax]}}
@I.ir_module
def f(n: T.int32):
    T.evaluate(n)

# -----

# expected-error@+1 at `@T.prim_func` {{decorator of a function above a class, expected `@I.ir_module` [syntax]}}
@T.prim_func
class Module:
    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@I.ir_module
# expected-error@+1 at `(` {{base class of a module [unsupported]}}
class Module(Base):
    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@I.ir_module
# expected-error@+1 at `:` {{found `:`, expected the name of the module [syntax]}}
class:
    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@I.ir_module
# expected-error@+1 at `` {{found end of line, expected `:` [syntax]}}
class Module
    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@I.ir_module
class Module:
# expected-error@+1 at `pass` {{found `pass`, expected an indented block [indentation]}}
pass

# -----

@I.ir_module
class Module:
# expected-error@+1 at `@` {{found `@`, expected an indented block [indentation]}}
@T.prim_func
def f(n: T.int32):
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@I.ir_module
class Module:
    # expected-error@+2 at `3` {{`private` is an integer, expected True or False [arguments]}}
    # expected-error@+1 at `foo` {{the decorator has no argument `foo` [arguments]}}
    @T.prim_func(private=3, foo=2)
    def f(n: T.int32):
        T.evaluate(n)

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `primfunc` {{unknown name `T.primfunc`; did you mean `T.prim_func`? [undefined-name]}}
    @T.primfunc
    def f(n: T.int32):
        T.evaluate(m)

    @T.prim_func
    def g(n: T.int32):
        # expected-error@+1 at `k` {{`k` is not defined here [undefined-name]}}
        T.evaluate(k)

# -----

# expected-error@+1 at `class` {{`class` without decorator, expected `@I.ir_module` above it [syntax]}}
class Module:
    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@T.prim_func
def f(n: T.int32):
    T.evaluate(n)

# expected-error@+1 at `@T.prim_func` {{more than one function outside of a module [syntax]}}
@T.prim_func
def g(n: T.int32):
    T.evaluate(n)

# -----

@I.ir_module
class Module:
    pass

# expected-error@+1 at `@T.prim_func` {{expected no function after the module [syntax]}}
@T.prim_func
def g(n: T.int32):
    T.evaluate(n)

# -----

from tvm.script import relax as R
# expected-error@+2 at `)` {{found `)`, expected `:` and a type [syntax]}}
@R.function
def f(x):
    return x

# -----

# expected-error@+1 at `` {{found end of line, expected the name of a module [syntax]}}
import
# expected-error@+1 at `` {{found end of line, expected `import` [syntax]}}
from tvm.script
# expected-error@+1 at `` {{found end of line, expected a name after `as` [syntax]}}
from tvm.script import tir as
# expected-error@+1 at `3` {{found `3`, expected the name of a module [syntax]}}
from tvm.script import 3

# -----

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `Module.g` {{found a function that is not called, expected an expression [type]}}
        Module.g
        # expected-error@+1 at `n` {{calls of functions take positional arguments only [arguments]}}
        Module.g(n=n)
        # expected-error@+1 at `Module` {{the module can't be called [type]}}
        Module(n)
        # expected-error@+1 at `h` {{the module has no function `h` [undefined-name]}}
        Module.h(n)
        # expected-error@+1 at `cls` {{`cls` is not defined here [undefined-name]}}
        cls.g(n)

    @T.prim_func(private=True)
    def g(n: T.int32):
        T.evaluate(n)

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `def` {{`def` without decorator, expected `@T.prim_func` above it [syntax]}}
    def f(n: T.int32):
        T.evaluate(n)

    # expected-error@+1 at `x` {{statement in the module, expected `I.module_attrs(...)` or a function [syntax]}}
    x = 3

    # expected-error@+1 at `for` {{statement in the module, expected `I.module_attrs(...)` or a function [syntax]}}
    for i in range(3):
        pass

    # expected-error@+1 at `n` {{`n` is not defined here [undefined-name]}}
    n + 1
