"""
A custom rule in JAX
====================

``jax.custom_vjp`` replaces the derivative that JAX would compute. Nothing checks the replacement.
"""

import jax

import verify


@jax.custom_vjp
def swish(x):
    """X times the logistic function of x."""
    return x * jax.nn.sigmoid(x)


def forward(x):
    """The value, and what the rule needs."""
    return swish(x), x


def backward(x, g):
    """The rule, with the factor x missing from its second term."""
    s = jax.nn.sigmoid(x)
    return (g * (s + s * (1 - s)),)


swish.defvjp(forward, backward)

# %%
# JAX's own derivative is the claim, so there is nothing else to pass. The message names the rule
# and the line of the mistake. The picture shows the error over the region.

r = verify.gradient(swish, over=[-20, 20], effort=0.1)
print(r)
r.plot()

# %%
# Without a custom rule JAX derives the right one. It computes in float32, and the verdict allows
# for exactly that rounding:

r = verify.gradient(jax.nn.swish, over=[-20, 20], effort=0.1)
print(r.verdict.value, "-", r.evidence)
