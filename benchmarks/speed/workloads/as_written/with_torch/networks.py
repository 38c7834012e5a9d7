"""Unrolled, attentive and embedding networks, as users of PyTorch write them."""

from __future__ import annotations

import torch
import torch.nn.functional as FN


def lista(p, Y):
    x = torch.zeros(p["We"].shape[1], Y.shape[1])
    B = p["We"].T @ Y
    for lam in p["lam"]:
        c = B + p["S"] @ x
        x = torch.sign(c) * torch.relu(torch.abs(c) - torch.exp(lam))
    return 0.5 * torch.mean((Y - p["We"] @ x) ** 2) + 0.1 * torch.mean(torch.abs(x))


def segment_softmax(e, seg, n):
    index = seg[:, None].expand_as(e)
    m = torch.full((n, e.shape[1]), -torch.inf).scatter_reduce(0, index, e.detach(), "amax")
    ex = torch.exp(e - m[seg])
    s = torch.zeros(n, e.shape[1]).index_add(0, seg, ex)
    return ex / s[seg]


def graph_attention(p, X, src, dst, labels):
    h, n = X, len(X)
    for layer in p["layers"]:
        z = torch.einsum("nf,fhd->nhd", h, layer["W"])
        e = torch.sum(z * layer["al"], -1)[src] + torch.sum(z * layer["ar"], -1)[dst]
        a = segment_softmax(FN.leaky_relu(e, 0.2), dst, n)
        h = torch.zeros_like(z).index_add(0, dst, a[:, :, None] * z[src])
        h = FN.elu(h.reshape(n, -1))
    return FN.cross_entropy(h @ p["out"], labels)


def sinkhorn(x, y, a, b, eps=0.1):
    C = torch.sum((x[:, None, :] - y[None, :, :]) ** 2, dim=-1)
    f, g = torch.zeros(len(x)), torch.zeros(len(y))
    log_a, log_b = torch.log(a), torch.log(b)
    for _ in range(25):
        f = -eps * torch.logsumexp((g[None, :] - C) / eps + log_b[None, :], dim=1)
        g = -eps * torch.logsumexp((f[:, None] - C) / eps + log_a[:, None], dim=0)
    P = torch.exp((f[:, None] + g[None, :] - C) / eps) * a[:, None] * b[None, :]
    return torch.sum(P * C)


def tsne(Y, P):
    d = torch.sum((Y[:, None] - Y[None, :]) ** 2, dim=-1)
    num = (1 - torch.eye(len(Y))) / (1 + d)
    Q = torch.clamp(num / num.sum(), min=1e-12)
    return torch.sum(P * torch.log(torch.clamp(P, min=1e-12) / Q))


def volume_render(p, z, pixels):
    h = torch.relu(z[..., None] * p["W1"] + p["b1"])
    out = h @ p["W2"] + p["b2"]
    density = torch.logaddexp(out[..., 0], torch.zeros(()))
    colour = torch.sigmoid(out[..., 1:])
    delta = torch.diff(z, dim=1, append=z[:, -1:] + 0.1)
    alpha = 1 - torch.exp(-density * delta)
    T = torch.cumprod(1 - alpha + 1e-10, dim=1)
    T = torch.cat([torch.ones(len(z), 1), T[:, :-1]], dim=1)
    w = alpha * T
    return torch.mean((torch.sum(w[..., None] * colour, dim=1) - pixels) ** 2)
