# Calls get memory that lies at the same bytes, given by hand. The names say whether that is right.
# RUN: tenon-opt --split-input-file --verify-diagnostics --pipeline=assign-pool-info,verify-plan %s
from tvm.script import ir as I
from tvm.script import tir as T

# `copy` reads each element just before it stores the one with the same index.
@I.ir_module
class InPlace:
    @T.prim_func(private=True)
    def copy(p: T.Buffer((7,), "int32"), q: T.Buffer((7,), "int32")):
        for i in range(7):
            q[i] = p[i]

    @T.prim_func
    def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        a = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((8,), "int32", data=a)
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "copy", a, b))
        for i in range(7):
            y[i] = b_1[i]
        for i in range(8):
            a_1[i] = x[i]
        # One element earlier is also right.
        T.evaluate(T.call_extern("int32", "copy", T.address_of(a_1[1]), T.address_of(b_1[0])))
        for i in range(7):
            y[i] = b_1[i]
# -----
# It stores one element further on, which it has yet to read.
@I.ir_module
class Later:
    @T.prim_func(private=True)
    def copy(p: T.Buffer((7,), "int32"), q: T.Buffer((7,), "int32")):
        for i in range(7):
            # expected-note@+2 {{overwritten here}}
            # expected-note@+1 {{needed here}}
            q[i] = p[i]

    @T.prim_func
    def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 4 of `a` is needed after `b` has overwritten it}}
        a = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((8,), "int32", data=a)
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "copy", a, T.address_of(b_1[1])))
        for i in range(7):
            y[i] = b_1[i + 1]
# -----
# The same with a pointer that counts elements.
@I.ir_module
class LaterByPointer:
    @T.prim_func(private=True)
    def copy(p: T.Buffer((7,), "int32"), q: T.Buffer((7,), "int32")):
        for i in range(7):
            # expected-note@+2 {{overwritten here}}
            # expected-note@+1 {{needed here}}
            q[i] = p[i]

    @T.prim_func
    def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 4 of `a` is needed after `b` has overwritten it}}
        a = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((8,), "int32", data=a)
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "copy", T.tvm_access_ptr(T.type_annotation("int32"), a, 0, 7, 1), T.tvm_access_ptr(T.type_annotation("int32"), b, 1, 7, 2)))
        for i in range(7):
            y[i] = b_1[i + 1]
# -----
# The code of `f` may store over its first argument; the code of `e` and `g` may not.
@I.ir_module
class Declared:
    I.module_attrs({"tenon.external": {"e": {"symbol": "e", "effects": ["r", "o"]}, "f": {"symbol": "f", "effects": ["r", "o"], "in_place": [[0, 1]]}, "g": {"symbol": "g", "effects": ["r", "o"]}}})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.externs": {"f": ["r", "o"]}})
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "f", a, b))
        for i in range(4):
            y[i] = b_1[i]
# -----
@I.ir_module
class DeclaredForOthers:
    I.module_attrs({"tenon.external": {"e": {"symbol": "e", "effects": ["r", "o"], "in_place": [[0, 1]]}, "f": {"symbol": "f", "effects": ["r", "o"]}, "g": {"symbol": "g", "effects": ["r", "o"], "in_place": [[0, 1]]}}})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
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
# At another place, a byte of `b` may be stored before the same byte of `a` is read.
@I.ir_module
class DeclaredElsewhere:
    I.module_attrs({"tenon.external": {"f": {"symbol": "f", "effects": ["r", "o"], "in_place": [[0, 1]]}}})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.externs": {"f": ["r", "o"]}})
        # expected-error@+1 {{`b` may overwrite byte 4 of `a` while it is needed, because the order of the code's accesses is not known}}
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(4)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
        # expected-note@+1 {{overwritten here}}
        T.evaluate(T.call_extern("int32", "f", a, b))
        for i in range(4):
            y[i] = b_1[i]
# -----
# The pair is of other arguments: the third one does not exist.
@I.ir_module
class DeclaredForOtherArguments:
    I.module_attrs({"tenon.external": {"f": {"symbol": "f", "effects": ["r", "o"], "in_place": [[0, 2], [-1, 1]]}}})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
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
# The pair is of the starts of memory.
@I.ir_module
class DeclaredForStarts:
    I.module_attrs({"tenon.external": {"f": {"symbol": "f", "effects": ["r", "o"], "in_place": [[0, 1]]}}})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.externs": {"f": ["r", "o"]}})
        # expected-error@+1 {{`b` may overwrite byte 0 of `a` while it is needed, because the order of the code's accesses is not known}}
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
        # expected-note@+1 {{overwritten here}}
        T.evaluate(T.call_extern("int32", "f", a, T.address_of(b_1[1])))
        for i in range(3):
            y[i] = b_1[i + 1]
# -----
# A function of the module says that its code may store over its first argument.
@I.ir_module
class OfAFunction:
    @T.prim_func(private=True)
    def one(p: T.Buffer((4,), "int32"), q: T.Buffer((4,), "int32")):
        T.func_attr({"Compiler": "test", "tenon.external": {"symbol": "code_of_one", "effects": ["r", "o"], "in_place": [[0, 1]]}})
        for i in range(4):
            q[3 - i] = p[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "one", a, b))
        for i in range(4):
            y[i] = b_1[i]
# -----
# Calls of such code by its symbol. The code of `one` may not store over its first argument.
@I.ir_module
class BySymbol:
    @T.prim_func(private=True)
    def one(p: T.Buffer((4,), "int32"), q: T.Buffer((4,), "int32")):
        T.func_attr({"Compiler": "test", "tenon.external": {"symbol": "code_of_one", "effects": ["r", "o"]}})
        for i in range(4):
            q[3 - i] = p[i]

    @T.prim_func(private=True)
    def two(p: T.Buffer((4,), "int32"), q: T.Buffer((4,), "int32")):
        T.func_attr({"Compiler": "test", "tenon.external": {"symbol": "code_of_two", "effects": ["r", "o"], "in_place": [[0, 1]]}})
        for i in range(4):
            q[3 - i] = p[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.externs": {"code_of_one": ["r", "o"], "code_of_two": ["r", "o"]}})
        # expected-error@+1 {{`c` may overwrite byte 0 of `b` while it is needed, because the order of the code's accesses is not known}}
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        c = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        c_1 = T.Buffer((4,), "int32", data=c)
        for i in range(4):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "code_of_two", a, b))
        # expected-note@+1 {{overwritten here}}
        T.evaluate(T.call_extern("int32", "code_of_one", b, c))
        for i in range(4):
            y[i] = c_1[i]
# -----
# The body of `one` says nothing about the order of its code.
@I.ir_module
class BodyOfCode:
    @T.prim_func(private=True)
    def one(p: T.Buffer((4,), "int32"), q: T.Buffer((4,), "int32")):
        T.func_attr({"Compiler": "test", "tenon.external": {"symbol": "code_of_one", "effects": ["r", "o"]}})
        for i in range(4):
            q[i] = p[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        # expected-error@+1 {{`b` may overwrite byte 0 of `a` while it is needed, because the order of its code's accesses is not known}}
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
        # expected-note@+1 {{overwritten here}}
        T.evaluate(T.call_extern("int32", "one", a, b))
        for i in range(4):
            y[i] = b_1[i]
# -----
# After code has stored in place, its input is lost.
@I.ir_module
class ReadAgain:
    I.module_attrs({"tenon.external": {"f": {"symbol": "f", "effects": ["r", "o"], "in_place": [[0, 1]]}}})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.externs": {"f": ["r", "o"]}})
        # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 0 of `a` is needed after `b` has overwritten it}}
        a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
        # expected-note@+1 {{overwritten here}}
        T.evaluate(T.call_extern("int32", "f", a, b))
        for i in range(4):
            # expected-note@+1 {{needed here}}
            y[i] = b_1[i] + a_1[i]
# -----
# Code stores to its second argument.
@T.prim_func
def second_argument(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    T.func_attr({"tenon.externs": {"f": ["r", "o"]}})
    # expected-error@+1 {{`a` and `b` overlap in pool `ram`: byte 0 of `a` is needed after `b` has overwritten it}}
    a = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    b = T.allocate([4], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(0)]})
    a_1 = T.Buffer((4,), "int32", data=a)
    b_1 = T.Buffer((4,), "int32", data=b)
    for i in range(4):
        a_1[i] = x[i]
    # expected-note@+1 {{overwritten here}}
    T.evaluate(T.call_extern("int32", "f", x.data, b))
    for i in range(4):
        # expected-note@+1 {{needed here}}
        y[i] = b_1[i] + a_1[i]
