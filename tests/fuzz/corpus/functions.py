# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"a": [1, 2], "b": {"c": None}, "runtime": "crt"})
    @T.prim_func
    def caller(A: T.Buffer((4,), "float32"), p: T.handle("float32", "global"), q: T.handle("int8"), h: T.handle, n: T.int32, b: T.bool):
        T.func_attr({"calling_conv": 1, "global_symbol": "other_name", "target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True), "x": T.float32(0.5)})
        Module.private(A.data)
        T.call_extern("int32", "f", p, q, h, n, b)

    @T.prim_func(private=True)
    def private(p: T.handle("float32", "global")):
        A = T.Buffer((4,), data=p)
        A[0] = T.float32(1)

    @T.prim_func
    def returns(n: T.int32) -> T.int32:
        T.ret(n + 1)

    @T.prim_func
    def shared_handle(a: T.handle):
        A = T.match_buffer(a, (4,))
        assert not T.isnullptr(a), "null"
        A[0] = T.float32(1)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((), "int64")):
        A[0] = T.float32(2)
        B[()] = T.int64(1)
