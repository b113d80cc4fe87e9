"""From the float network to the int8 one: ranges, scales, weights, biases, fixed-point factors."""

import dataclasses

import numpy as np

from training import integer, network


@dataclasses.dataclass
class Layer:
    """One matrix-like operator. Weights have a scale for each output channel and zero point 0."""

    weight: np.ndarray  # int8
    weight_scale: np.ndarray  # float64, one per channel
    bias: np.ndarray  # int32, at scale input x weight
    multiplier: np.ndarray  # int32, [2^30, 2^31), one per channel
    shift: np.ndarray  # int32, right shift beyond the multiplier's 31 bits
    input_zero: int
    output_zero: int


@dataclasses.dataclass
class Model:
    layers: dict  # name -> Layer
    scales: dict  # name of an activation -> (scale, zero point)
    skip_factor: tuple  # (multiplier, exponent) from conv1's output scale to the sum's
    branch_factor: tuple  # the same for the pointwise convolution's output
    add_zero: int


def affine(values):
    """Scale and zero point so that int8 covers the range of `values` and 0 is exact."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = (high - low) / 255.0
    zero = int(np.clip(np.floor(-128.0 - low / scale + 0.5), -128, 127))
    return scale, zero


def make_layer(parameters, name, channel_axis, source, target):
    """source and target: (scale, zero) of the layer's input and output."""
    weight = parameters[name + "_weight"]
    other_axes = tuple(axis for axis in range(weight.ndim) if axis != channel_axis)
    largest = np.abs(weight).max(axis=other_axes)
    weight_scale = np.where(largest > 0.0, largest, 1.0) / 127.0
    shape = [-1 if axis == channel_axis else 1 for axis in range(weight.ndim)]
    rounded = np.floor(weight / weight_scale.reshape(shape) + 0.5)
    sum_scale = source[0] * weight_scale
    factors = [integer.fixed_point(float(s) / target[0]) for s in sum_scale]
    if max(exponent for _, exponent in factors) > 0:
        raise ValueError(f"{name}: a factor of 1 or more")
    return Layer(
        weight=np.clip(rounded, -127, 127).astype(np.int8),
        weight_scale=weight_scale,
        bias=np.floor(parameters[name + "_bias"] / sum_scale + 0.5).astype(np.int32),
        multiplier=np.array([m for m, _ in factors], dtype=np.int32),
        shift=np.array([-e for _, e in factors], dtype=np.int32),
        input_zero=source[1],
        output_zero=target[1],
    )


def quantise(parameters, images):
    """Ranges are taken from `images` (float, the training part)."""
    activations = network.forward(parameters, images)
    image = (1.0 / 255.0, -128)
    ranges = {name: affine(value) for name, value in activations.items() if name != "image"}
    # Pooling keeps the scale of its input.
    ranges["max_pool"], ranges["avg_pool"] = ranges["add"], ranges["conv2"]
    layers = {
        "conv1": make_layer(parameters, "conv1", 3, image, ranges["conv1"]),
        "depthwise": make_layer(parameters, "depthwise", 2, ranges["conv1"], ranges["depthwise"]),
        "pointwise": make_layer(
            parameters, "pointwise", 1, ranges["depthwise"], ranges["pointwise"]
        ),
        "conv2": make_layer(parameters, "conv2", 3, ranges["max_pool"], ranges["conv2"]),
        "dense": make_layer(parameters, "dense", 1, ranges["avg_pool"], ranges["logits"]),
    }
    return Model(
        layers=layers,
        scales=ranges | {"image": image},
        skip_factor=integer.fixed_point(ranges["conv1"][0] / ranges["add"][0]),
        branch_factor=integer.fixed_point(ranges["pointwise"][0] / ranges["add"][0]),
        add_zero=ranges["add"][1],
    )
