# RUN: tenon-opt --verify-diagnostics %s

@I.ir_module
class Module:
    # Not lowered yet: TVM prints such tensors, and can't read them either.
    @T.prim_func
    def producer(A: T.Buffer((4,), "float32")):
        # expected-error@+1 {{`T.ProducerRealize` is printed for tensor expressions that are not lowered yet, and cannot be read}}
        with T.ProducerRealize(C[0:8], T.bool(True)):
            C[1] = T.float32(1)
            A[0] = C[1]

    @T.prim_func
    def reduce(A: T.Buffer((4,), "float32")):
        k = T.int32()
        # expected-error@+1 {{combiner is a string, expected a `T.comm_reducer`}}
        A[0] = T.reduce("sum", source=[A[k]], init=[], axis=[T.iter_var(k, T.Range(0, 4), "CommReduce", "")], condition=T.bool(True), value_index=0)
        # expected-error@+1 {{2 sources and 0 initial values for a reducer of 1 values}}
        A[1] = T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), source=[A[k], A[k]], init=[], axis=[T.iter_var(k, T.Range(0, 4), "CommReduce", "")], condition=T.bool(True), value_index=0)
        # expected-error@+1 {{value 1 of a reducer of 1 values}}
        A[2] = T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), source=[A[k]], init=[], axis=[T.iter_var(k, T.Range(0, 4), "CommReduce", "")], condition=T.bool(True), value_index=1)
        # expected-error@+1 {{expected a `T.iter_var`}}
        A[3] = T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), source=[A[k]], init=[], axis=[k], condition=T.bool(True), value_index=0)

    @T.prim_func
    def maps(A: T.Buffer((4,), "float32")):
        # expected-error@+1 {{`j` is not defined here}}
        T.func_attr({"m": T.index_map(lambda i: (i, j))})
        A[0] = T.float32(1)

    @T.prim_func
    def maps_2(A: T.Buffer((4,), "float32")):
        # expected-error@+1 {{expected `inverse_index_map=`}}
        T.func_attr({"m": T.index_map(lambda i: (i,), 4)})
        A[0] = T.float32(1)

    @T.prim_func
    def maps_3(A: T.Buffer((4,), "float32")):
        # expected-error@+1 {{expected `lambda`}}
        T.func_attr({"m": T.index_map(4)})
        A[0] = T.float32(1)
