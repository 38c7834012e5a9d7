"""
A PyTorch function that forgets a sum
=====================================

Where the forward pass broadcasts, the backward pass has to sum. This one returns the first row
instead. Its shape is right, so PyTorch accepts it.
"""

import torch

import verify


class Scale(torch.autograd.Function):
    """Multiply each row of x by w."""

    @staticmethod
    def forward(ctx, x, w):
        """Compute the product."""
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        """Compute the gradients; that by w lacks a sum."""
        x, w = ctx.saved_tensors
        return g * w, g[0] * x[0]


def loss(x, w):
    """Some loss that uses it."""
    return torch.sum(Scale.apply(x, w) ** 2)


where = verify.box(-2, 2, shape=(3, 2)), verify.box(-2, 2, shape=(2,))
r = verify.gradient(loss, over=where, effort=0.1)
print(r)
r.plot()

# %%
# ``torch.sum(g * x, dim=0)`` instead of ``g[0] * x[0]`` corrects it. PyTorch's own rule is right:

r = verify.gradient(lambda x, w: torch.sum((x * w) ** 2), over=where, effort=0.1)
print(r.verdict.value, "-", r.evidence)
