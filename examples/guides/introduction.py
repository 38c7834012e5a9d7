"""
Gradients with a tape
=====================

A tape records what NumPy computes, and then goes back through the recording to compute gradients.
This page shows what a tape watches, what it returns, and when it returns ``None``.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import symtape
import verify
from symtape import nn

plt.rcParams["figure.figsize"] = (8, 6)

# %%
# A first gradient
# ----------------
#
# A tape watches a variable as soon as the block reads it. After the block you can differentiate
# what the block computed. The derivative of the square at 3 is 6.

x = symtape.Variable(3.0)
with symtape.GradientTape() as tape:
    y = x**2
print(tape.gradient(y, x).numpy())

# %%
# If you pass several sources in a list, the result is a list. Each gradient has the shape of its
# source. The data may be a plain nested list.

w = symtape.Variable(np.random.default_rng(0).normal(size=(3, 2)), name="w")
b = symtape.Variable(np.zeros(2), name="b")
row = [[1.0, 2.0, 3.0]]
with symtape.GradientTape(persistent=True) as tape:
    loss = np.mean((row @ w + b) ** 2)
dl_dw, dl_db = tape.gradient(loss, [w, b])
print(w.shape, dl_dw.shape)

# %%
# Dictionaries work as well, and so does any nesting of lists, tuples and dictionaries.

by_name = tape.gradient(loss, {"w": w, "b": b})
print(sorted(by_name), by_name["b"].shape)

# %%
# Models
# ------
#
# A layer creates its weights at its first call. They are in its ``trainable_variables``.

layer = nn.Dense(2, activation="relu")
with symtape.GradientTape() as tape:
    loss = np.mean(layer(symtape.constant(row)) ** 2)
for variable, gradient in zip(
    layer.trainable_variables, tape.gradient(loss, layer.trainable_variables), strict=True
):
    print(f"{variable.name}, shape: {gradient.shape}")

# %%
# What a tape watches
# -------------------
#
# By default a tape watches trainable variables and nothing else. The gradient by a variable that
# is not trainable, by a tensor (such as ``variable + 1``) or by a constant is ``None``.

x0 = symtape.Variable(3.0, name="x0")
x1 = symtape.Variable(3.0, name="x1", trainable=False)
x2 = symtape.Variable(2.0, name="x2") + 1.0
x3 = symtape.constant(3.0)
with symtape.GradientTape() as tape:
    y = x0**2 + x1**2 + x2**2
print([None if g is None else float(g) for g in tape.gradient(y, [x0, x1, x2, x3])])
print([variable.name for variable in tape.watched_variables()])

# %%
# With ``watch`` the tape watches any tensor of floats.

x = symtape.constant(3.0)
with symtape.GradientTape() as tape:
    tape.watch(x)
    y = x**2
print(tape.gradient(y, x).numpy())

# %%
# With ``watch_accessed_variables=False`` a tape watches nothing by default.

x0, x1 = symtape.Variable(0.0), symtape.Variable(10.0)
with symtape.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x1)
    y = np.sum(np.sin(x0) + nn.softplus(x1))
by = tape.gradient(y, {"x0": x0, "x1": x1})
print("dy/dx0:", by["x0"])
print("dy/dx1:", by["x1"].numpy())

# %%
# Intermediate results, and several gradients
# -------------------------------------------
#
# The source may be an intermediate result: the slope of z = y·y by y is 2·y, which is 18 where x
# is 3.

x = symtape.constant(3.0)
with symtape.GradientTape() as tape:
    tape.watch(x)
    y = x * x
    z = y * y
print(tape.gradient(z, y).numpy())

# %%
# A tape computes one gradient and then releases its memory. A second request is an error.

try:
    tape.gradient(y, x)
except RuntimeError as error:
    print(str(error).partition(", applied at")[0])

# %%
# With ``persistent=True`` it computes as many gradients as you like, until you delete it.

x = symtape.constant([1, 3.0])
with symtape.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = y * y
print(tape.gradient(z, x).numpy(), tape.gradient(y, x).numpy())
del tape

# %%
# Targets that are not scalars
# ----------------------------
#
# For several targets, or for an array, the result is the gradient of the sum.

x = symtape.Variable(2.0)
with symtape.GradientTape(persistent=True) as tape:
    y0 = x**2
    y1 = 1 / x
    y = x * [3.0, 4.0]
print(tape.gradient(y0, x).numpy(), tape.gradient(y1, x).numpy())
print(tape.gradient({"y0": y0, "y1": y1}, x).numpy())
print(tape.gradient(y, x).numpy())

# %%
# If each element of the target depends on one element of the source, that gradient holds the
# derivative of each element. Here are the logistic curve and its slope at 201 points; Matplotlib
# draws tensors directly.

x = symtape.constant(np.linspace(-10.0, 10.0, 201))
with symtape.GradientTape() as tape:
    tape.watch(x)
    y = nn.sigmoid(x)
dy_dx = tape.gradient(y, x)

plt.figure()
plt.plot(x, y, label="y")
plt.plot(x, dy_dx, label="dy/dx")
plt.legend()
plt.xlabel("x")
plt.title("The logistic function and its slope")
plt.show()

# %%
# ``if`` and ``while``
# --------------------
#
# Python chooses the branch as always, and the tape records what ran. The gradient by the variable
# of the other branch is ``None``, and so is the gradient by the condition.

x = symtape.constant(1.0)
v0, v1 = symtape.Variable(2.0), symtape.Variable(2.0)
with symtape.GradientTape(persistent=True) as tape:
    tape.watch(x)
    result = v0 if x > 0.0 else v1**2
print(*tape.gradient(result, [v0, v1]), tape.gradient(result, x))

# %%
# The tape records each iteration of a loop. This loop multiplies 1.5 with itself until the product
# exceeds 10, which takes six factors.

x = symtape.Variable(1.5)
with symtape.GradientTape() as tape:
    power, factors = x, 1
    while power < 10.0:
        power, factors = power * x, factors + 1
print(factors, tape.gradient(power, x).numpy(), factors * 1.5 ** (factors - 1))

# %%
# Reasons for ``None``
# --------------------
#
# **Not connected.** The target was not computed from the source.

x, y = symtape.Variable(2.0), symtape.Variable(3.0)
with symtape.GradientTape() as tape:
    z = y * y
print(tape.gradient(z, x))

# %%
# **A variable replaced by a tensor.** ``x = x + 1`` makes a tensor, which the tape does not watch
# in the second iteration. ``x.assign_add(1.0)`` keeps the variable.

x = symtape.Variable(2.0)
for _ in range(2):
    with symtape.GradientTape() as tape:
        y = x + 1
    print(type(x).__name__, ":", tape.gradient(y, x))
    x = x + 1

# %%
# **A value that leaves the tape.** A value that is converted to plain numbers is a constant
# afterwards. Unlike in TensorFlow, NumPy functions of tensors do not leave the tape. The tape's
# warning names the line at which the value left.

x = symtape.Variable([[1.0, 2.0], [3.0, 4.0]])
with symtape.GradientTape(persistent=True) as tape:
    around = symtape.constant(np.mean((x**2).numpy(), axis=0))
    through = np.mean(x**2, axis=0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(tape.gradient(around, x))
print(str(caught[0].message).partition(":")[0])
print(tape.gradient(through, x).numpy())

# %%
# **Integers.** They have no derivative, and the tape warns. It is easy to write ``constant(10)``
# and mean 10.0.

x = symtape.constant(10)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    print(tape.gradient(y, x))
print(caught[0].message)

# %%
# **State.** A variable has only its present value. The tape sees the new value of ``state``, but
# not how it was computed.

moved, state = symtape.Variable(3.0), symtape.Variable(0.0)
with symtape.GradientTape(persistent=True) as tape:
    state.assign_add(moved)
    y = state**2
print(tape.gradient(y, moved), tape.gradient(y, state).numpy())

# %%
# Operations without a gradient
# -----------------------------
#
# Some operations have no gradient rule. The function runs, and the tape names the operation when
# you ask for the gradient.


@symtape.register_op("StretchContrast")
def stretch_contrast(image, factor):
    """The image, its distance from the mean brightness stretched."""
    mean = np.mean(image, axis=(0, 1), keepdims=True)
    return (image - mean) * factor + mean


image = symtape.Variable([[[0.5, 0.0, 0.25], [0.25, 0.75, 1.0]]])
factor = symtape.Variable(0.5)
with symtape.GradientTape(persistent=True) as tape:
    adjusted = stretch_contrast(image, factor)
try:
    tape.gradient(adjusted, [image, factor])
except LookupError as error:
    print(str(error).partition(", applied at")[0])

# %%
# Either register a rule, or write the operation in terms of others that have one. The sum of the
# image does not change with the contrast, so its derivative by the factor is 0.


@symtape.RegisterGradient("StretchContrast")
def stretch_contrast_gradient(op, upstream):
    """Pull back through the stretching; the mean is taken away from both."""
    image, factor = op.inputs
    centred = upstream - np.mean(upstream, axis=(0, 1), keepdims=True)
    by_image = centred * factor + np.mean(upstream, axis=(0, 1), keepdims=True)
    by_factor = np.sum(upstream * (image - np.mean(image, axis=(0, 1), keepdims=True)))
    return by_image, by_factor


by_image, by_factor = tape.gradient(adjusted, [image, factor])
print(by_image.numpy().ravel(), by_factor.numpy())

# %%
# Is the rule right? We give the verifier the function in NumPy, and as its claimed derivative the
# gradient of a tape that uses our rule.


def brightness(image, factor):
    """Sum of the squares of the adjusted image."""
    mean = np.mean(image, axis=(0, 1), keepdims=True)
    return np.sum(((image - mean) * factor + mean) ** 2)


def by_our_rule(image, factor):
    """The gradient of :func:`brightness` through the rule above."""
    sources = symtape.Variable(image), symtape.Variable(factor)
    with symtape.GradientTape() as tape:
        y = np.sum(stretch_contrast(*sources) ** 2)
    return tuple(g.numpy() for g in tape.gradient(y, list(sources)))


print(verify.gradient(brightness, claimed=by_our_rule, at=[(image.numpy(), 0.5)]))

# %%
# Zeros in place of ``None``
# --------------------------

x, y = symtape.Variable([2.0, 2.0]), symtape.Variable(3.0)
with symtape.GradientTape() as tape:
    z = y**2
print(tape.gradient(z, x, unconnected_gradients=symtape.UnconnectedGradients.ZERO))
