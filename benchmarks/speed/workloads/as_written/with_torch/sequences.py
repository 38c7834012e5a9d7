"""Labels, alignments and points in time, as users of PyTorch write them."""

from __future__ import annotations

import torch
import torch.nn.functional as FN


def crf(p, X, tags):
    emis = X @ p["W"] + p["b"]
    score = emis.gather(2, tags[:, :, None]).sum() + p["trans"][tags[:, :-1], tags[:, 1:]].sum()
    alpha = emis[:, 0]
    for t in range(1, emis.shape[1]):
        alpha = torch.logsumexp(alpha[:, :, None] + p["trans"], dim=1) + emis[:, t]
    return (torch.logsumexp(alpha, dim=1).sum() - score) / len(tags)


def ctc(logits, labels):
    return FN.ctc_loss(
        FN.log_softmax(logits, dim=1)[:, None],
        labels[None],
        torch.tensor([len(logits)]),
        torch.tensor([len(labels)]),
        reduction="sum",
    )


def soft_dtw(x, y, gamma=0.5):
    D = torch.sum((x[:, None, :] - y[None, :, :]) ** 2, dim=2)
    n, m = D.shape
    last = torch.full((n + 1,), 1e8)
    last[0] = 0.0
    here = torch.full((n + 1,), 1e8)
    for k in range(2, n + m + 1):
        low, high = max(1, k - m), min(n, k - 1)
        i = torch.arange(low, high + 1)
        three = torch.stack([here[low - 1 : high], here[low : high + 1], last[low - 1 : high]])
        found = D[i - 1, k - i - 1] - gamma * torch.logsumexp(-three / gamma, dim=0)
        last, here = here, FN.pad(found, (low, n - high), value=1e8)
    return here[n]


def hawkes(theta, times, T):
    mu, alpha, beta = torch.exp(theta)
    A = torch.zeros(())
    intensities = [mu]
    for decay in torch.exp(-beta * torch.diff(times)):
        A = decay * (1 + A)
        intensities.append(mu + alpha * beta * A)
    ll = torch.log(torch.stack(intensities)).sum()
    return -(ll - mu * T - alpha * torch.sum(1 - torch.exp(-beta * (T - times))))


def gillespie_path(log_rates, states, dts, which, stoich):
    k = torch.exp(log_rates)
    x, y = states.to(torch.float64).T
    a = k * torch.stack([torch.ones_like(x), x, x * y, y], 1)
    chosen = a.gather(1, which[:, None])[:, 0]
    return -torch.sum(torch.log(chosen) - a.sum(1) * dts)


def lindley(theta, u, v, obs):
    lam, mu = torch.exp(theta)
    W = torch.zeros(())
    waits = []
    for step in -torch.log(v) / mu + torch.log(u) / lam:
        W = torch.relu(W + step)
        waits.append(W)
    w = torch.stack(waits)
    return (torch.mean(w) - obs[0]) ** 2 + (torch.quantile(w, 0.9) - obs[1]) ** 2


def theta_logistic(p, counts):
    r, K, th = torch.exp(p["log_r"]), torch.exp(p["log_K"]), torch.exp(p["log_th"])
    n = p["x"]
    lam = torch.exp(n)
    pred = n[:-1] + r * (1 - (lam[:-1] / K) ** th)
    q, s = torch.exp(p["log_q"]), torch.exp(p["log_s"])
    nll = 0.5 * torch.sum(((n[1:] - pred) / q) ** 2) + (len(n) - 1) * p["log_q"]
    seen = ~torch.isnan(counts)
    return nll + torch.sum(lam[seen] - counts[seen] * n[seen]) + s**2
