"""
Tapes in depth
==============

This page shows how to steer a recording, write your own gradients, nest tapes, and compute
Jacobians, Hessians and Jacobians of batches.
"""

import matplotlib.pyplot as plt
import numpy as np

import symtape
import verify
from symtape import nn

plt.rcParams["figure.figsize"] = (8, 6)
draw = np.random.default_rng(0).normal

# %%
# Steering the recording
# ----------------------
#
# You can pause a tape. Values that are computed during the pause are constants to it.

x, y = symtape.Variable(2.0), symtape.Variable(3.0)
with symtape.GradientTape() as tape:
    x_squared = x * x
    with tape.stop_recording():
        y_squared = y * y
    z = x_squared + y_squared
dz = tape.gradient(z, {"x": x, "y": y})
print("dz/dx:", dz["x"].numpy(), " dz/dy:", dz["y"])

# %%
# ``reset`` forgets everything so far.

with symtape.GradientTape() as tape:
    y_squared = y * y
    tape.reset()
    z = x * x + y_squared
dz = tape.gradient(z, {"x": x, "y": y})
print("dz/dx:", dz["x"].numpy(), " dz/dy:", dz["y"])

# %%
# ``stop_gradient`` does the same for one value, on every tape. It does not change the value.

with symtape.GradientTape() as tape:
    z = x**2 + symtape.stop_gradient(y**2)
dz = tape.gradient(z, {"x": x, "y": y})
print("z:", z.numpy(), " dz/dx:", dz["x"].numpy(), " dz/dy:", dz["y"])

# %%
# Your own gradients
# ------------------
#
# ``custom_gradient`` takes a function that returns its value, and a function that pulls a gradient
# back. This identity clips the gradient to the norm 0.5. Without it the slope of v² at 2 would be
# 4.


@symtape.custom_gradient
def clip_gradients(y):
    """The identity; its gradient is clipped to norm 0.5."""

    def backward(dy):
        return dy * (0.5 / np.maximum(np.linalg.norm(dy), 0.5))

    return y, backward


v = symtape.Variable(2.0)
with symtape.GradientTape() as tape:
    output = clip_gradients(v * v)
print(tape.gradient(output, v).numpy())

# %%
# This function rounds a value and keeps its gradient.


@symtape.custom_gradient
def round_keeping_gradient(x):
    """Rounds the value and leaves the gradient alone."""
    return np.round(x), lambda upstream: upstream


with symtape.GradientTape() as tape:
    output = round_keeping_gradient(3.3 * v)
print(output.numpy(), tape.gradient(output, v).numpy())

# %%
# The common reason is numerical. In float32 ``exp(100)`` is infinite, and the chain rule for
# ``log(1 + exp(x))`` then divides infinity by infinity.


def log1pexp_plain(x):
    """log(1 + exp(x)), as it is written."""
    return np.log(1 + np.exp(x))


def slope(function, x):
    """The derivative of `function` at `x` by a tape."""
    source = symtape.Variable(x)
    with np.errstate(over="ignore", invalid="ignore"), symtape.GradientTape() as tape:
        y = function(source)
    with np.errstate(over="ignore", invalid="ignore"):
        return tape.gradient(y, source).numpy()


print(slope(log1pexp_plain, np.float32(100.0)))

# %%
# If the quotient is rearranged, the result is 1, as it should be.


@symtape.custom_gradient
def log1pexp(x):
    """log(1 + exp(x)), whose gradient survives large x."""
    e = np.exp(x)
    return np.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


print(slope(log1pexp, np.float32(100.0)), slope(log1pexp, 1e8))

# %%
# Is it right everywhere? The change fixed large x and broke large negative x, where ``1 - 1/(1 +
# e)`` cancels. The verifier needs only the interval to find that, and it shows how many bits are
# lost.


def softplus(x):
    """log(1 + exp(x)), by a function that does not overflow."""
    return np.logaddexp(0, x)


result = verify.gradient(softplus, claimed=lambda x: slope(log1pexp, x), over=[-60, 60], effort=0.2)
print(result.verdict.value, "at", result.witness.x[0])
print(result.witness.message)

survey = result.survey
plt.figure()
plt.plot(survey.coordinates[:, 0], np.log2(1 + survey.ulps), ".", markersize=3)
plt.xlabel("x")
plt.ylabel("bits of error")
plt.title("The custom gradient of log(1 + exp(x)): every bit is lost in the left tail")
plt.show()

# %%
# A function of several arguments returns one gradient for each.


@symtape.custom_gradient
def product(x, y):
    """The product of x and y."""
    return x * y, lambda upstream: (upstream * y, upstream * x)


with symtape.GradientTape() as tape:
    z = product(x, y)
print([float(g) for g in tape.gradient(z, [x, y])])

# %%
# Several tapes
# -------------
#
# Tapes do not disturb each other. Each sees what it watches.

x0, x1 = symtape.constant(0.0), symtape.constant(0.0)
with symtape.GradientTape() as tape0, symtape.GradientTape() as tape1:
    tape0.watch(x0)
    tape1.watch(x1)
    ys = np.sum(np.sin(x0) + nn.sigmoid(x1))
print(tape0.gradient(ys, x0).numpy(), tape1.gradient(ys, x1).numpy())

# %%
# Higher derivatives
# ------------------
#
# A tape computes its answer in NumPy, so an outer tape records that computation. This gives second
# derivatives of functions of a scalar. For an array it would give the sums of the Hessian's rows.

x = symtape.Variable(1.0)
with symtape.GradientTape() as outer:
    with symtape.GradientTape() as inner:
        y = x * x * x
    dy_dx = inner.gradient(y, x)
print("dy_dx:", dy_dx.numpy(), " d2y_dx2:", outer.gradient(dy_dx, x).numpy())

# %%
# In the same way you can penalise a model for steep slopes. The inner tape computes the gradient
# by the input, and the outer tape differentiates its norm by the weights.

x = symtape.constant(draw(size=(7, 5)))
layer = nn.Dense(10, activation=nn.relu, seed=1)
with symtape.GradientTape() as outer:
    with symtape.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(x)
        total = np.sum(layer(x) ** 2)
    norm = np.linalg.norm(inner.gradient(total, x))
print([g.shape for g in outer.gradient(norm, layer.trainable_variables)])

# %%
# Jacobians
# ---------
#
# If the source is a scalar, the Jacobian has the shape of the target.

axis = np.linspace(-10.0, 10.0, 201)
delta = symtape.Variable(0.0)
with symtape.GradientTape() as tape:
    y = nn.sigmoid(axis + delta)
dy_dx = tape.jacobian(y, delta)
print(y.shape, dy_dx.shape)

plt.figure()
plt.plot(axis, y, label="y")
plt.plot(axis, dy_dx, label="dy/dx")
plt.legend()
plt.xlabel("x")
plt.title("A curve, and its Jacobian by a shift")
plt.show()

# %%
# If the source is an array, the shape of the Jacobian is that of the target followed by that of
# the source. Its sum over the axes of the target is the gradient.

layer = nn.Dense(10, activation=nn.relu, seed=2)
with symtape.GradientTape(persistent=True) as tape:
    y = layer(x)
jacobian = tape.jacobian(y, layer.kernel)
gradient = tape.gradient(y, layer.kernel)
print(y.shape, layer.kernel.shape, jacobian.shape)
print(bool(np.max(np.abs(np.sum(jacobian, axis=(0, 1)) - gradient)) < 1e-12))

# %%
# Hessians
# --------
#
# A Hessian is the Jacobian of a gradient. Here it is the Hessian by the first kernel of two
# layers; the picture has the 40 weights along both sides.

layer1 = nn.Dense(8, activation=nn.relu, seed=3)
layer2 = nn.Dense(6, activation=nn.relu, seed=4)
with symtape.GradientTape() as outer:
    with symtape.GradientTape() as inner:
        loss = np.mean(layer2(layer1(x)) ** 2)
    gradient = inner.gradient(loss, layer1.kernel)
hessian = outer.jacobian(gradient, layer1.kernel)
print(layer1.kernel.shape, hessian.shape)

matrix = hessian.numpy().reshape(40, 40)
print("symmetric:", bool(np.allclose(matrix, matrix.T, rtol=0, atol=1e-15)))


def show(matrix, title, **options):
    """Draw a matrix, blue below zero and red above."""
    limit = np.max(np.abs(matrix))
    plt.figure()
    plt.imshow(matrix, cmap="seismic", vmin=-limit, vmax=limit, **options)
    plt.colorbar()
    plt.title(title)


show(matrix, "Hessian by the first kernel")
plt.show()

# %%
# A step of Newton's method solves a system with it. We add a little to the diagonal, because some
# weights do not affect the loss.

step = np.linalg.solve(matrix + 1e-3 * np.eye(40), gradient.numpy().reshape(40, 1))
before = float(loss)
layer1.kernel.assign_sub(step.reshape(layer1.kernel.shape))
print("the loss falls:", float(np.mean(layer2(layer1(x)) ** 2)) < before)

# %%
# If you need only the product with a vector, you need no Hessian: the outer tape differentiates
# the inner product of the gradient and the vector.

vector = draw(size=(5, 8))
with symtape.GradientTape(persistent=True) as outer:
    with symtape.GradientTape() as inner:
        loss = np.mean(layer2(layer1(x)) ** 2)
    gradient = inner.gradient(loss, layer1.kernel)
    along = np.sum(gradient * vector)
cheap = outer.gradient(along, layer1.kernel)
dear = np.einsum("ijkl,kl->ij", outer.jacobian(gradient, layer1.kernel), vector)
print(bool(np.allclose(cheap, dear)))

# %%
# Jacobians of batches
# --------------------
#
# The layers treat each row of a batch separately, so most of the Jacobian is zero.


def patches(jacobian, title, x_label="input"):
    """Draw every (batch, batch) slice of a Jacobian, with a margin around it."""
    limit = np.max(np.abs(jacobian))
    image = np.pad(
        np.transpose(jacobian, (1, 0, 3, 2)),
        ((0, 0), (1, 1), (0, 0), (1, 1)),
        constant_values=-limit,
    )
    outputs, height, inputs, width = image.shape
    extent = (-0.5, inputs - 0.5, outputs - 0.5, -0.5)
    show(image.reshape(outputs * height, inputs * width), title, extent=extent)
    plt.xlabel(x_label)
    plt.ylabel("output")
    plt.show()


layer1 = nn.Dense(8, activation=nn.elu, seed=5)
layer2 = nn.Dense(6, activation=nn.elu, seed=6)
with symtape.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(layer1(x))
full = tape.jacobian(y, x).numpy()
print(y.shape, full.shape)
show(full[:, 0, :, 0], "A (batch, batch) slice")
plt.xlabel("batch")
plt.ylabel("batch")
plt.show()

# %%
# All the slices, side by side:

patches(full, "All (batch, batch) slices are diagonal")

# %%
# Only the diagonals matter. ``batch_jacobian`` computes them alone, in the time of one row.

rows = tape.batch_jacobian(y, x).numpy()
print(np.sum(full, axis=2).shape, np.einsum("bxby->bxy", full).shape, rows.shape)
print("agree:", bool(np.allclose(rows, np.einsum("bxby->bxy", full), rtol=0, atol=1e-12)))

# %%
# If the rows depend on each other, as with normalisation over the batch, the slices are not
# diagonal. ``batch_jacobian`` cannot notice that, and its result is then not the derivative that
# you want.

normalised = nn.BatchNormalization()
with symtape.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(normalised(layer1(x), training=True))
full = tape.jacobian(y, x).numpy()
rows = tape.batch_jacobian(y, x).numpy()
print(full.shape, rows.shape)
print("agree:", bool(np.allclose(rows, np.einsum("bxby->bxy", full), rtol=0, atol=0.1)))
patches(full, "These slices are not diagonal", "Don't use batch_jacobian")
