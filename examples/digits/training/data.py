"""The 8x8 digits of scikit-learn, split into a training part and a held-out part."""

import numpy as np
from sklearn.datasets import load_digits

SEED = 20240607
HELD_OUT_FRACTION = 0.3
# A pixel is 0..16. The network reads it as an affine int8: pixel = INPUT_SCALE * (q - INPUT_ZERO).
INPUT_SCALE = 16.0 / 255.0
INPUT_ZERO = -128


def quantise_images(images):
    """Pixels (n, 8, 8) of 0..16 to int8 (n, 8, 8, 1)."""
    levels = np.floor(images / INPUT_SCALE + 0.5).astype(np.int64) + INPUT_ZERO
    return np.clip(levels, -128, 127).astype(np.int8)[..., None]


def dequantise_images(quantised):
    """The input of the float network: the pixel value of an int8, scaled to 0..1."""
    return (quantised.astype(np.float64) - INPUT_ZERO) / 255.0


def load_split():
    """Returns ((images, labels) for training, (images, labels) held out), images as int8.

    Stratified: the same fraction of each class is held out, chosen with a fixed seed.
    """
    digits = load_digits()
    images = quantise_images(digits.images)
    labels = digits.target.astype(np.uint8)
    random = np.random.Generator(np.random.PCG64(SEED))
    held_out = np.zeros(len(labels), dtype=bool)
    for label in range(10):
        members = np.flatnonzero(labels == label)
        count = int(round(len(members) * HELD_OUT_FRACTION))
        held_out[random.permutation(members)[:count]] = True
    return (images[~held_out], labels[~held_out]), (images[held_out], labels[held_out])


def shifted(images, random):
    """Each image moved by at most one pixel in each direction, background shifted in."""
    count = len(images)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = random.integers(0, 3, size=(count, 2))
    rows = moves[:, :1] + np.arange(8)
    columns = moves[:, 1:] + np.arange(8)
    return padded[np.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
