# The host of a target: an argument after a string, an item of a dict.
# RUN: tenon-opt %s --verify-roundtrip | FileCheck %s
# RUN: tenon-opt %s | tenon-opt | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def dict_of_host():
        # CHECK: T.func_attr({"target": T.target("nvidia/nvidia-a100", host={"kind": "llvm", "tag": ""})})
        T.func_attr({"target": T.target("nvidia/nvidia-a100", host={"kind": "llvm", "tag": ""})})
        T.evaluate(0)

    @T.prim_func
    def item():
        # CHECK: T.func_attr({"target": T.target({"host": "llvm", "keys": ["gpu"], "kind": "cuda"})})
        T.func_attr({"target": T.target({"keys": ["gpu"], "kind": "cuda"}, host=T.target("llvm"))})
        T.evaluate(0)

    @T.prim_func
    def string():
        # CHECK: T.func_attr({"target": T.target("cuda", host="llvm -opt-level=0")})
        T.func_attr({"target": T.target("cuda", host="llvm -opt-level=0")})
        T.evaluate(0)
