"""The float network and its training, in plain numpy.

    image 8x8x1 -> conv1 3x3, relu -> depthwise 3x3, relu -> pointwise -> + (output of conv1), relu
      -> max pool 2x2 -> conv2 3x3, relu -> average pool 2x2 -> dense -> 10 logits

Activations are (n, height, width, channels), weights (ky, kx, input, output); padding is "same".
"""

import numpy as np

CHANNELS = 16
CHANNELS2 = 32
CLASSES = 10
EPOCHS = 80
BATCH = 32
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-4
SMOOTHING = 0.05

SHAPES = {
    "conv1": (3, 3, 1, CHANNELS),
    "depthwise": (3, 3, CHANNELS, 1),
    "pointwise": (CHANNELS, CHANNELS),
    "conv2": (3, 3, CHANNELS, CHANNELS2),
    "dense": (2 * 2 * CHANNELS2, CLASSES),
}


def initial_parameters(random):
    """He initialization; the branch parallel to the skip connection starts small to stabilize
    training."""
    parameters = {}
    for name, shape in SHAPES.items():
        fan_in = 9 if name == "depthwise" else int(np.prod(shape[:-1]))
        gain = 0.5 if name == "pointwise" else 2.0
        parameters[name + "_weight"] = random.normal(0.0, np.sqrt(gain / fan_in), size=shape)
        outputs = CHANNELS if name == "depthwise" else shape[-1]
        parameters[name + "_bias"] = np.zeros(outputs)
    return parameters


def patches(x):
    """(n, h, w, c) to its 3x3 neighborhoods (n, h, w, 3, 3, c), zero outside."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3)


def unpatches(gradient):
    """Adjoint of patches()."""
    count, height, width, _, _, channels = gradient.shape
    padded = np.zeros((count, height + 2, width + 2, channels))
    for ky in range(3):
        for kx in range(3):
            padded[:, ky : ky + height, kx : kx + width] += gradient[:, :, :, ky, kx]
    return padded[:, 1:-1, 1:-1]


def blocks(x):
    """(n, h, w, c) to its 2x2 blocks (n, h/2, w/2, 4, c)."""
    count, height, width, channels = x.shape
    split = x.reshape(count, height // 2, 2, width // 2, 2, channels)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(count, height // 2, width // 2, 4, channels)


def unblocks(x):
    """Inverse of blocks()."""
    count, height, width, _, channels = x.shape
    split = x.reshape(count, height, width, 2, 2, channels).transpose(0, 1, 3, 2, 4, 5)
    return split.reshape(count, height * 2, width * 2, channels)


def conv(p, name, x):
    columns = patches(x).reshape(-1, 9 * x.shape[-1])
    weight = p[name + "_weight"].reshape(columns.shape[1], -1)
    return (columns @ weight + p[name + "_bias"]).reshape(*x.shape[:3], -1)


def conv_gradient(p, name, x, upstream, gradients):
    columns = patches(x).reshape(-1, 9 * x.shape[-1])
    weight = p[name + "_weight"].reshape(columns.shape[1], -1)
    rows = upstream.reshape(-1, upstream.shape[-1])
    gradients[name + "_weight"] = (columns.T @ rows).reshape(SHAPES[name])
    gradients[name + "_bias"] = rows.sum(axis=0)
    return unpatches((rows @ weight.T).reshape(*x.shape[:3], 3, 3, x.shape[-1]))


def depthwise(p, x):
    weight = p["depthwise_weight"][..., 0]
    return (patches(x) * weight).sum(axis=(3, 4)) + p["depthwise_bias"]


def depthwise_gradient(p, x, upstream, gradients):
    weight = p["depthwise_weight"][..., 0]
    spread = upstream[:, :, :, None, None, :]
    gradients["depthwise_weight"] = (patches(x) * spread).sum(axis=(0, 1, 2))[..., None]
    gradients["depthwise_bias"] = upstream.sum(axis=(0, 1, 2))
    return unpatches(spread * weight)


def dense(p, name, x):
    return x @ p[name + "_weight"] + p[name + "_bias"]


def dense_gradient(p, name, x, upstream, gradients):
    rows = upstream.reshape(-1, upstream.shape[-1])
    gradients[name + "_weight"] = x.reshape(-1, x.shape[-1]).T @ rows
    gradients[name + "_bias"] = rows.sum(axis=0)
    return upstream @ p[name + "_weight"].T


def forward(p, x):
    """Every activation by name; activations of the quantized model have the same names."""
    a = {"image": x}
    a["conv1"] = np.maximum(conv(p, "conv1", x), 0.0)
    a["depthwise"] = np.maximum(depthwise(p, a["conv1"]), 0.0)
    a["pointwise"] = dense(p, "pointwise", a["depthwise"])
    a["add"] = np.maximum(a["conv1"] + a["pointwise"], 0.0)
    a["max_pool"] = blocks(a["add"]).max(axis=3)
    a["conv2"] = np.maximum(conv(p, "conv2", a["max_pool"]), 0.0)
    a["avg_pool"] = blocks(a["conv2"]).mean(axis=3)
    a["logits"] = dense(p, "dense", a["avg_pool"].reshape(len(x), -1))
    return a


def backward(p, a, upstream):
    """Gradients of every parameter from the gradient of the logits."""
    g = {}
    count = len(upstream)
    d = dense_gradient(p, "dense", a["avg_pool"].reshape(count, -1), upstream, g)
    d = d.reshape(a["avg_pool"].shape)[:, :, :, None, :] / 4.0
    d = unblocks(np.broadcast_to(d, d.shape[:3] + (4, d.shape[-1])))
    d = conv_gradient(p, "conv2", a["max_pool"], d * (a["conv2"] > 0.0), g)
    winners = blocks(a["add"])
    # argmax picks one of equal maxima, so that a block's gradient is never counted twice.
    first = winners.argmax(axis=3)[:, :, :, None, :] == np.arange(4)[:, None]
    d = unblocks(d[:, :, :, None, :] * first) * (a["add"] > 0.0)
    skip = d
    d = dense_gradient(p, "pointwise", a["depthwise"], d, g)
    d = depthwise_gradient(p, a["conv1"], d * (a["depthwise"] > 0.0), g)
    conv_gradient(p, "conv1", a["image"], (d + skip) * (a["conv1"] > 0.0), g)
    return g


def loss_gradient(logits, labels):
    """Gradient of the mean softmax cross-entropy of a batch, with smoothed labels."""
    shifted_logits = logits - logits.max(axis=1, keepdims=True)
    powers = np.exp(shifted_logits)
    probabilities = powers / powers.sum(axis=1, keepdims=True)
    wanted = np.full(logits.shape, SMOOTHING / CLASSES)
    wanted[np.arange(len(labels)), labels] += 1.0 - SMOOTHING
    return (probabilities - wanted) / len(labels)


def train(images, labels, augment, random):
    """Adam with decoupled weight decay and a learning rate that falls as a half cosine.

    images: float (n, 8, 8, 1); augment(images, random) gives a changed copy of a batch.
    """
    p = initial_parameters(random)
    mean = {name: np.zeros_like(value) for name, value in p.items()}
    square = {name: np.zeros_like(value) for name, value in p.items()}
    steps = EPOCHS * (len(images) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            a = forward(p, augment(images[chosen], random))
            gradients = backward(p, a, loss_gradient(a["logits"], labels[chosen]))
            schedule = 0.5 * (1.0 + np.cos(np.pi * step / steps))
            step += 1
            for name, gradient in gradients.items():
                mean[name] += 0.1 * (gradient - mean[name])
                square[name] += 0.001 * (gradient * gradient - square[name])
                unbiased_mean = mean[name] / (1.0 - 0.9**step)
                unbiased_square = square[name] / (1.0 - 0.999**step)
                update = unbiased_mean / (np.sqrt(unbiased_square) + 1e-8)
                decay = WEIGHT_DECAY if name.endswith("_weight") else 0.0
                p[name] = p[name] * (1.0 - schedule * decay) - schedule * LEARNING_RATE * update
    return p
