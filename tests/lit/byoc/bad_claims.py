# Claims that cannot be read are located errors. A loop that counts twice would never end.
# RUN: tenon-opt %s --split-input-file --verify-diagnostics --pipeline='annotate-targets{targets=body trust=true}'
# RUN: tenon-opt %s --split-input-file --verify-diagnostics --pipeline='annotate-targets{targets=body}'
# RUN: tenon-opt %s --split-input-file --verify-diagnostics --pipeline='merge-regions'

@I.ir_module
class Module:
    @T.prim_func
    # expected-error@+1 {{the claim `tenon.op` of `total` cannot be read: a store and a reduction in its value count the loop `i`; correct it, or leave it out and run recognise-ops [wrong-operator]}}
    def total(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "reduce", "loops": [["i", 4]],
            "operands": [["param", 0, "int32", 4], ["param", 1, "int32", 4]],
            "accesses": [[0, [0, [["i", 1]]]], [1, [0, [["i", 1]]]]],
            "steps": [["const", "int32", 0], ["read", 0], ["reduce", "add", ["i"], 0, 1]],
            "stores": [[1, 2, ["i"]]]}})
        for i in range(4):
            y[i] = x[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.call_extern("int32", "total", x.data, y.data)

# -----

@I.ir_module
class Module:
    # expected-error@+1 {{the claim `tenon.op` of `sort` cannot be read: expected a string under `kind`}}
    I.module_attrs({"tenon.externs": {"sort": ["r", "o"]}, "tenon.ops": {"sort": {"macs": 3}}})

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.call_extern("int32", "sort", x.data, y.data)
