# from tvm.script import tir as T

@T.prim_func
def main(at: T.Buffer((1024,), "int32"), y: T.Buffer((7200,), "int32"), z: T.Buffer((1024,), "int32")):
    for i in range(7200):
        y[i] = 0
    y[T.Ramp(3, 7, 1024)] = at[0:1024]
    z[at[0:1024]] = at[at[T.Ramp(1023, -1, 1024)]] * T.Broadcast(3, 1024)
