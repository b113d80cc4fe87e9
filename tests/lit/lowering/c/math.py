# Mathematical functions of <math.h>, in the precision of their operand; quantized products.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), d: T.Buffer((8,), "float64"), q: T.Buffer((8,), "int32"), y: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float64"), p: T.Buffer((8,), "bool"), o: T.Buffer((8,), "int32")):
    for i in range(8):
        # CHECK: y[i] = expf(x[i]) + logf(x[i]) * sqrtf(x[i]);
        y[i] = T.exp(x[i]) + T.log(x[i]) * T.sqrt(x[i])
        # CHECK: z[i] = exp(d[i]) + tanh(d[i]);
        z[i] = T.exp(d[i]) + T.tanh(d[i])
        # CHECK: y[i] = 1.0f / sqrtf(x[i]);
        y[i] = T.rsqrt(x[i])
        # CHECK: y[i] = 1.0f / (1.0f + expf(-(x[i])));
        y[i] = T.sigmoid(x[i])
        # CHECK: z[i] = pow(10.0, d[i]);
        z[i] = T.exp10(d[i])
        # CHECK: y[i] = ldexpf(x[i], (int)(q[i]));
        y[i] = T.ldexp(x[i], q[i])
        # CHECK: p[i] = (int8_t)(isnan(x[i]) != 0);
        p[i] = T.isnan(x[i])
        # CHECK: y[i] = powf(x[i], 2.0f);
        y[i] = T.pow(x[i], T.float32(2))
        # CHECK: y[i] = erff(x[i]);
        y[i] = T.erf(x[i])
        # CHECK: y[i] = roundf(x[i]) + nearbyintf(x[i]) + floorf(x[i]) + ceilf(x[i]) + truncf(x[i]);
        y[i] = T.round(x[i]) + T.nearbyint(x[i]) + T.floor(x[i]) + T.ceil(x[i]) + T.trunc(x[i])
        # CHECK: y[i] = fabsf(x[i]) + atan2f(x[i], x[0]);
        y[i] = T.fabs(x[i]) + T.atan2(x[i], x[0])
        # CHECK: y[i] = fmodf(x[i], x[0]);
        y[i] = T.fmod(x[i], x[0])
        # CHECK: y[i] = expf(x[i]);
        y[i] = T.call_pure_extern("float32", "expf", x[i])
        # CHECK: y[i] = fabsf(x[i]);
        y[i] = T.abs(x[i])
        # CHECK: o[i] = q[i] >= 0 ? q[i] : (int32_t)(0U - (uint32_t)q[i]);
        o[i] = T.abs(q[i])
        # CHECK: o[i] = tenon_q_multiply_shift(q[i], 1518500250, 31, (-3));
        o[i] = T.q_multiply_shift(q[i], 1518500250, 31, -3)
        # CHECK: o[i] = tenon_q_multiply_shift_per_axis(q[i], q[0], q[1], q[2], 31, 1);
        o[i] = T.q_multiply_shift_per_axis(q[i], q[0], q[1], q[2], 31, T.bool(True), T.bool(False))
