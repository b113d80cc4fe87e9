"""The arithmetic of the quantised network, on numpy arrays of whole numbers.

A real value r is stored as int8 q with r = scale * (q - zero). Sums are int32. To bring a sum from
its scale (input scale x weight scale) to the output's, it is multiplied by a real factor m < 1,
kept as a 31-bit fraction and a shift: m = multiplier / 2^31 / 2^shift with a multiplier in [2^30,
2^31). The product is rounded half up. The TIR builtins q_multiply_shift and
q_multiply_shift_per_axis compute this, and the functions here must equal them bit for bit.
"""

import math

import numpy as np


def fixed_point(factor):
    """(multiplier, exponent) with factor = multiplier * 2^(exponent - 31), multiplier 31 bits."""
    fraction, exponent = math.frexp(factor)
    multiplier = int(math.floor(fraction * 2**31 + 0.5))
    if multiplier == 2**31:
        multiplier, exponent = 2**30, exponent + 1
    return multiplier, exponent


def checked_int32(values):
    """The values, after a check that all sums fit in 32 bits (the compiled code would wrap)."""
    if values.min() < -(2**31) or values.max() >= 2**31:
        raise OverflowError("a sum of the quantised network does not fit in 32 bits")
    return values


def multiply_shift_per_axis(x, multiplier, left, right):
    """T.q_multiply_shift_per_axis(x, multiplier, left, right, 31, False, True).

    Without a left shift (`left` is 0 for every factor below 1).
    """
    if np.any(left != 0):
        raise ValueError("left shifts, for factors of 1 or more, are not used by this network")
    total = right + 31
    product = x.astype(np.int64) * multiplier
    return checked_int32((product + (np.int64(1) << (total - 1))) >> total)


def multiply_shift(x, multiplier, exponent):
    """T.q_multiply_shift(x, multiplier, 31, exponent), with its own rule for a power of two."""
    if multiplier == 1 << 30:
        if exponent > 1:
            return checked_int32(x << (exponent - 1))
        if exponent == 1:
            raise ValueError("a factor of exactly 1 needs no multiplication")
        amount = 1 - exponent
        return (checked_int32(x + (1 << (amount - 1)))) >> amount
    left, right = max(exponent, 0), max(-exponent, 0)
    product = (x.astype(np.int64) << left) * multiplier
    total = right + 31
    return checked_int32((product + (np.int64(1) << (total - 1))) >> total)


def saturate(x):
    """Clip to the int8 range: with an output zero point of -128 this is also the relu."""
    return np.clip(x, -128, 127)


def requantise(total, layer):
    """An int32 sum, channels last, to the layer's int8 output."""
    scaled = multiply_shift_per_axis(checked_int32(total), layer.multiplier, 0, layer.shift)
    return saturate(scaled + layer.output_zero)


def padded_patches(x, zero):
    """3x3 neighborhoods of (x - zero), 0 outside the image: (n, h, w, 3, 3, c)."""
    padded = np.pad(x - zero, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3)


def conv(x, layer):
    around = padded_patches(x, layer.input_zero)
    total = np.einsum("nhwyxc,yxco->nhwo", around, layer.weight.astype(np.int64))
    return requantise(total + layer.bias, layer)


def depthwise(x, layer):
    around = padded_patches(x, layer.input_zero)
    total = np.einsum("nhwyxc,yxc->nhwc", around, layer.weight[..., 0].astype(np.int64))
    return requantise(total + layer.bias, layer)


def dense(x, layer):
    total = np.einsum("...c,co->...o", x - layer.input_zero, layer.weight.astype(np.int64))
    return requantise(total + layer.bias, layer)


def blocks(x):
    """(n, h, w, c) to its 2x2 blocks (n, h/2, w/2, 4, c)."""
    count, height, width, channels = x.shape
    split = x.reshape(count, height // 2, 2, width // 2, 2, channels)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(count, height // 2, width // 2, 4, channels)


def run(model, images):
    """int8 images (n, 8, 8, 1) to int8 logits (n, 10)."""
    layers = model.layers
    conv1 = conv(images.astype(np.int64), layers["conv1"])
    branch = dense(depthwise(conv1, layers["depthwise"]), layers["pointwise"])
    skip = multiply_shift(conv1 - layers["conv1"].output_zero, *model.skip_factor)
    branch = multiply_shift(branch - layers["pointwise"].output_zero, *model.branch_factor)
    added = saturate(skip + branch + model.add_zero)
    pooled = blocks(added).max(axis=3)
    conv2 = conv(pooled, layers["conv2"])
    # Mean of four, rounded half up; numpy's // rounds down, like TIR's.
    average = (blocks(conv2).sum(axis=3) + 2) // 4
    logits = dense(average.reshape(len(images), -1), layers["dense"])
    return logits.astype(np.int8)
