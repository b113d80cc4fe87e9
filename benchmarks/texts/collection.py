"""The nests that the benchmark always times: names, layouts, orders."""

from texts.layouts import Conv, Matmul

TO_INT8 = 'T.Cast("int8", T.max(T.min(T.shift_right({}, 8), 127), -128))'
RELU = "T.max({}, T.float32(0))"
BLOCKS = {"order": "h w oo kh kw i oi", "keeps": "row"}
POINTWISE = {"kernel": 1, "size": 11, "out": 64, "into": 64, "order": "h w o i"}
DEPTHWISE = {"depthwise": True, "w": "OIHW", "out": 64, "order": "h w o kh kw"}

CONVOLUTIONS = {
    "nhwc_hwio": Conv(),
    "nhwc_hwio_output": Conv(keeps="output"),
    "nhwc_hwio_row": Conv(order="h w kh kw i o", keeps="row"),
    "nhwc_hwio_taps_outside": Conv(order="kh kw i h w o", keeps="output"),
    "nhwc_oihw": Conv(w="OIHW"),
    "nhwc_k4": Conv(w="K4"),
    "nhwc_param": Conv(constant=False),
    "nhwc_unrolled": Conv(unroll=4),
    "nhwc_condition": Conv(border="condition"),
    "nhwc_select": Conv(border="select"),
    "nhwc_buffer": Conv(border="buffer", ends=RELU),
    "nhwc_stride2": Conv(stride=2, size=7),
    "nhwc_3_channels": Conv(out=3),
    "nhwc_7_channels": Conv(out=7, into=5),
    "nhwc_to_nchw": Conv(y="NCHW"),
    "nhwc_to_nchw4": Conv(y="NCHW4"),
    "nhwc_split16_to_nchw4": Conv(y="NCHW4", split=16, **BLOCKS),
    "nhwc_lanes3": Conv(out=33, split=3, **BLOCKS),
    "nchw_oihw": Conv(x="NCHW", w="OIHW", order="o h w i kh kw"),
    "nchw_oihw_output": Conv(x="NCHW", w="OIHW", order="o h w i kh kw", keeps="output"),
    "nchw_oihw_rows": Conv(x="NCHW", w="OIHW", order="o h i kh kw w", keeps="row"),
    "nchw_oihw_taps_outside": Conv(x="NCHW", w="OIHW", order="o i kh kw h w", keeps="output"),
    "nchw_hwio": Conv(x="NCHW", order="o h w i kh kw"),
    "nchw_param": Conv(x="NCHW", w="OIHW", order="o h w i kh kw", constant=False),
    "nchw_condition": Conv(x="NCHW", w="OIHW", order="o h w i kh kw", border="condition"),
    "nchw_select": Conv(x="NCHW", w="OIHW", order="o h w i kh kw", border="select"),
    "nchw_stride2": Conv(x="NCHW", w="OIHW", order="o h w i kh kw", stride=2, size=7),
    "nchw3_oihw3": Conv(x="NCHW3", w="OIHW3", out=33, into=33, split=3, split_in=3,
                        order="oo h w io kh kw ii oi", keeps="row"),
    "nchw4_oihw4": Conv(x="NCHW4", w="OIHW4", split=4, split_in=4,
                        order="oo h w io kh kw ii oi", keeps="row"),
    "nchw4_oihw4_flat": Conv(x="NCHW4", w="OIHW4", order="o h w i kh kw"),
    "nchw4_oihw16": Conv(x="NCHW4", w="OIHW16", split=16, order="oo h w i kh kw oi", keeps="row"),
    "nchw8_oihw8": Conv(x="NCHW8", w="OIHW8", split=8, split_in=8,
                        order="oo h w io kh kw ii oi", keeps="row"),
    "nchw8_oihw8_output": Conv(x="NCHW8", w="OIHW8", split=8, split_in=8,
                               order="oo h io kh kw ii w oi", keeps="output"),
    "nchw16_oihw16": Conv(x="NCHW16", w="OIHW16", split=16, split_in=16,
                          order="oo h w io kh kw ii oi", keeps="row"),
    "nchw16_scalar": Conv(x="NCHW16", w="OIHW16", split=16, split_in=16,
                          order="oo h w oi io kh kw ii"),
    "nchw4_unrolled": Conv(x="NCHW4", w="OIHW4", split=4, split_in=4, unroll=4,
                           order="oo h w io kh kw ii oi", keeps="row"),
    "pointwise_nhwc": Conv(**POINTWISE),
    "pointwise_nhwc_oihw": Conv(w="OIHW", **POINTWISE),
    "pointwise_nhwc_k4": Conv(w="K4", **POINTWISE),
    "pointwise_nchw": Conv(x="NCHW", w="OIHW", **{**POINTWISE, "order": "o h w i"}),
    "pointwise_nchw4": Conv(x="NCHW4", w="OIHW4", split=4, split_in=4,
                            **{**POINTWISE, "order": "oo h w io ii oi", "keeps": "row"}),
    "pointwise_to_nchw4": Conv(y="NCHW4", **POINTWISE),
    "depthwise_nhwc": Conv(**{**DEPTHWISE, "w": "HWIO"}),
    "depthwise_nhwc_oihw": Conv(**DEPTHWISE),
    "depthwise_nhwc_output": Conv(keeps="output", **{**DEPTHWISE, "w": "HWIO"}),
    "depthwise_nhwc_condition": Conv(border="condition", **{**DEPTHWISE, "w": "HWIO"}),
    "depthwise_nchw": Conv(x="NCHW", **{**DEPTHWISE, "order": "o h w kh kw"}),
    "depthwise_nchw_select": Conv(x="NCHW", border="select",
                                  **{**DEPTHWISE, "order": "o h w kh kw"}),
    "depthwise_nchw4": Conv(x="NCHW4", split=4, **{**DEPTHWISE, "order": "oo h w kh kw oi",
                                                   "keeps": "row"}),
    "depthwise_nchw_stride2": Conv(x="NCHW", stride=2, size=7,
                                   **{**DEPTHWISE, "order": "o h w kh kw"}),
}

MATMULS = {
    **{f"{order.replace(' ', '')}": Matmul(order=order)
       for order in ("i j k", "i k j", "j i k", "j k i", "k i j", "k j i")},
    "ijk_scalar": Matmul(keeps="scalar"),
    "ijk_constant": Matmul(constant=True),
    "ikj_constant": Matmul(order="i k j", constant=True),
    "ikj_row": Matmul(order="i k j", keeps="row"),
    "ijk_b_transposed": Matmul(b="jk", keeps="scalar"),
    "ijk_b_transposed_constant": Matmul(b="jk", constant=True),
    "ijk_a_transposed": Matmul(a="ki", keeps="scalar"),
    "jik_both_transposed": Matmul(a="ki", b="jk", order="j i k"),
    "kij_a_transposed": Matmul(a="ki", order="k i j"),
    "ijk_k4": Matmul(b="K4", keeps="scalar"),
    "ijk_k4_constant": Matmul(b="K4", constant=True, keeps="scalar"),
    "ikj_k4": Matmul(order="i k j", b="K4"),
    "ijk_panels": Matmul(b="panels", split=16, order="i jo k ji", keeps="row"),
    "jik_panels": Matmul(b="panels", split=16, order="jo i k ji", keeps="row"),
    "ijk_split4": Matmul(y="split4", keeps="scalar"),
    "ijk_split16_split4": Matmul(y="split4", split=16, order="i jo k ji", keeps="row"),
    "ijk_y_transposed": Matmul(y="ji", keeps="scalar"),
    "ijk_strided": Matmul(step=2, keeps="scalar"),
    "ijk_unrolled": Matmul(unroll=8, keeps="scalar"),
    "ikj_unrolled": Matmul(order="i k j", unroll=4),
    "ijk_odd": Matmul(rows=37, columns=51, depth=70, keeps="scalar"),
    "ikj_odd": Matmul(order="i k j", rows=37, columns=51, depth=70),
    "ijk_3_columns": Matmul(rows=200, columns=3, keeps="scalar"),
    "ijk_one_row": Matmul(rows=1, columns=256, depth=256, keeps="scalar"),
    "ijk_one_row_b_transposed": Matmul(rows=1, columns=256, depth=256, b="jk", keeps="scalar"),
    "ijk_one_row_k4": Matmul(rows=1, columns=256, depth=256, b="K4", keeps="scalar"),
    "ikj_one_row": Matmul(order="i k j", rows=1, columns=256, depth=256),
    "ijk_wide": Matmul(rows=32, columns=300, depth=200, keeps="scalar"),
}

INTEGERS = {
    "int8": {"dtype": "int8"},
    "int8_zero": {"dtype": "int8", "zero": 5, "ends": TO_INT8, "result": "int8"},
    "uint8_zero": {"dtype": "uint8", "zero": 128},
    "int16": {"dtype": "int16"},
}
# Names of convolutions and products whose integer versions are timed as well.
WITH_INTEGERS = {
    "int8": ["nhwc_hwio", "nhwc_hwio_row", "nhwc_oihw", "nhwc_k4", "nhwc_select", "nchw_oihw",
             "nchw4_oihw4", "nhwc_split16_to_nchw4", "nhwc_param", "pointwise_nhwc",
             "pointwise_nhwc_k4", "pointwise_nchw", "depthwise_nhwc", "depthwise_nchw",
             "depthwise_nchw4", "ijk", "ijk_scalar", "ikj", "jik", "ijk_b_transposed", "ijk_k4",
             "ijk_k4_constant", "ijk_b_transposed_constant", "ikj_constant", "ijk_split4",
             "ijk_one_row", "ijk_one_row_b_transposed", "ijk_odd"],
    "int8_zero": ["nhwc_hwio", "nhwc_oihw", "nhwc_k4", "nhwc_select", "nchw_oihw",
                  "pointwise_nhwc", "depthwise_nhwc", "depthwise_nchw", "ijk_scalar",
                  "ijk_b_transposed", "ijk_k4_constant"],
    "uint8_zero": ["nhwc_hwio", "nhwc_buffer", "nchw4_oihw4", "pointwise_nhwc_oihw",
                   "depthwise_nhwc", "nhwc_condition"],
    "int16": ["nhwc_hwio", "nhwc_oihw", "nchw4_oihw4", "pointwise_nhwc", "depthwise_nchw",
              "ijk_scalar", "ikj", "ijk_b_transposed", "ijk_k4"],
}


def nests():
    """All nests, in the same order every time."""
    every = {**{f"conv_{name}": form for name, form in CONVOLUTIONS.items()},
             **{f"matmul_{name}": form for name, form in MATMULS.items()}}
    for name, form in every.items():
        yield form.nest(name)
    for kind, names in WITH_INTEGERS.items():
        for name, form in every.items():
            if name.split("_", 1)[1] in names:
                change = dict(INTEGERS[kind])
                # A sum that is kept in the output has its type.
                if form.keeps == "output" or form.ends != "{}":
                    change.pop("ends", None), change.pop("result", None), change.update(ends="{}")
                yield type(form)(**{**vars(form), **change}).nest(f"{name}_{kind}")
