"""Programs with masks, as libraries write them: with their right gradients, and with wrong ones."""

from math import pi

import numpy as np
from scipy.special import log_ndtr

import verify


def sig(z):
    return 1 / (1 + np.exp(-z))


def stable_sigmoid(z):
    out = np.empty_like(z)
    i = z >= 0
    out[i] = 1 / (1 + np.exp(-z[i]))
    e = np.exp(z[~i])
    out[~i] = e / (1 + e)
    return np.sum(out)


def stable_sigmoid_right(z):
    s = sig(z)
    return s * (1 - s)


def stable_sigmoid_wrong(z):
    s = sig(z)
    return np.where(z >= 0, s * (1 - s), s)


def log_sig_loss(z):
    out = np.zeros(len(z))
    i = z > 0
    out[i] = np.log1p(np.exp(-z[i]))
    out[~i] = -z[~i] + np.log1p(np.exp(z[~i]))
    return np.sum(out)


def log_sig_loss_right(z):
    return -sig(-z)


def log_sig_loss_wrong(z):
    return np.where(z > 0, -sig(-z), -sig(z))


def hinge(w):
    X = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0], [-1.0, 0.3, 0.7]])
    y = np.array([1.0, -1.0, 1.0])
    m = 1 - y * (X @ w)
    return np.sum(m[m > 0]) + 0.5 * np.sum(w**2)


def hinge_right(w):
    X = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0], [-1.0, 0.3, 0.7]])
    y = np.array([1.0, -1.0, 1.0])
    m = 1 - y * (X @ w)
    i = m > 0
    return -(X[i] * y[i][:, None]).sum(0) + w


def hinge_wrong(w):
    X = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0], [-1.0, 0.3, 0.7]])
    y = np.array([1.0, -1.0, 1.0])
    m = 1 - y * (X @ w)
    i = m > 0
    return -(X[i]).sum(0) + w


def huber(r):
    out = np.empty_like(r)
    m = np.abs(r) <= 1.0
    out[m] = 0.5 * r[m] ** 2
    out[~m] = np.abs(r[~m]) - 0.5
    return out.sum()


def huber_right(r):
    return np.clip(r, -1, 1)


def huber_wrong(r):
    return np.where(np.abs(r) <= 1, r, 1.0)


def smooth_l1(r):
    a = np.abs(r)
    small = a < 0.5
    return np.sum(r[small] ** 2 / (2 * 0.5)) + np.sum(a[~small] - 0.25)


def smooth_l1_right(r):
    return np.clip(r / 0.5, -1, 1)


def smooth_l1_wrong(r):
    return np.where(np.abs(r) < 0.5, r, np.sign(r))


def softplus(x):
    out = np.zeros_like(x)
    big = x > 0
    out[big] = x[big] + np.log1p(np.exp(-x[big]))
    out[~big] = np.log1p(np.exp(x[~big]))
    return np.sum(out)


def softplus_right(x):
    return sig(x)


def softplus_wrong(x):
    return np.where(x > 0, 1.0, sig(x))


def leaky(x):
    y = x.copy()
    y[y < 0] *= 0.1
    return np.sum(y)


def leaky_right(x):
    return np.where(x < 0, 0.1, 1.0)


def leaky_wrong(x):
    return np.where(x < 0, 1.0, 0.1)


def elu(x):
    y = np.array(x)
    m = x < 0
    y[m] = np.expm1(x[m])
    return np.sum(y**2)


def elu_right(x):
    return np.where(x < 0, 2 * np.expm1(np.minimum(x, 0)) * np.exp(np.minimum(x, 0)), 2 * x)


def elu_wrong(x):
    return np.where(x < 0, 2 * np.exp(np.minimum(x, 0)), 2 * x)


def trimmed_mean(x):
    s = np.sort(x)
    return np.mean(s[1:-1])


def trimmed_mean_right(x):
    o = np.argsort(x)
    g = np.zeros(5)
    g[o[1:-1]] = 1 / 3
    return g


def trimmed_mean_wrong(x):
    o = np.argsort(x)
    g = np.zeros(5)
    g[o[1:-1]] = 1 / 5
    return g


def trimmed_mask(x):
    lo, hi = np.sort(x)[[0, -1]]
    m = (x > lo) & (x < hi)
    return x[m].mean()


def trimmed_mask_right(x):
    m = (x > x.min()) & (x < x.max())
    return m / m.sum()


def trimmed_mask_wrong(x):
    m = (x > x.min()) & (x < x.max())
    return m / 5.0


def trimmed_fixed(x):
    m = np.abs(x) < 1.5
    return x[m].sum() / m.sum()


def trimmed_fixed_right(x):
    m = np.abs(x) < 1.5
    return m / m.sum()


def trimmed_fixed_wrong(x):
    m = np.abs(x) < 1.5
    return m / 5.0


def mean_pos_in(x):
    p = x[x > 0]
    return np.sum(p**2) / len(p)


def mean_pos_in_right(x):
    return 2 * x / 4


def mean_pos_in_wrong(x):
    return 2 * x


def mean_pos(x):
    p = x[x > 0]
    if len(p) == 0:
        return 0.0
    return np.sum(p**2) / len(p)


def mean_pos_right(x):
    m = x > 0
    return 2 * x * m / max(m.sum(), 1)


def mean_pos_wrong(x):
    m = x > 0
    return 2 * x * m


def mean_pos1(x):
    p = x[x > 0]
    return np.mean(np.append(p, 1.0))


def mean_pos1_right(x):
    m = x > 0
    return m / (m.sum() + 1)


def mean_pos1_wrong(x):
    m = x > 0
    return m / 5


def len_times(x):
    return np.sum(x) * len(x[x > 0])


def len_times_right(x):
    return np.ones(4) * np.sum(x > 0)


def len_times_wrong(x):
    return np.ones(4) * (np.sum(x > 0) + 1)


def len_pow(x):
    return np.sum(x**2) * x[x > 0].size


def len_pow_right(x):
    return 2 * x * np.sum(x > 0)


def len_pow_wrong(x):
    return 2 * x * 4


def var_pos(x):
    p = x[x > 0]
    return np.var(p) if p.shape[0] > 1 else 0.0 * x[0]


def var_pos_right(x):
    m = x > 0
    n = m.sum()
    if n < 2:
        return np.zeros(4)
    return m * 2 * (x - x[m].mean()) / n


def var_pos_wrong(x):
    m = x > 0
    n = m.sum()
    if n < 2:
        return np.zeros(4)
    return m * 2 * (x - x[m].mean()) / (n - 1)


def nonzero(x):
    i = np.nonzero(x > 0.5)[0]
    return np.sum(x[i] ** 2 - 0.25)


def nonzero_right(x):
    return np.where(x > 0.5, 2 * x, 0)


def nonzero_wrong(x):
    return np.where(x > 0.5, x, 0)


def flatnonzero(x):
    s = 0.0
    for i in np.flatnonzero(x > 0):
        s = s + x[i] ** 3
    return s


def flatnonzero_right(x):
    return np.where(x > 0, 3 * x**2, 0)


def flatnonzero_wrong(x):
    return np.where(x > 0, 3 * x**2, 1)


def place(x):
    y = x**2
    np.place(y, x < 0, [0.0])
    return y.sum()


def place_right(x):
    return np.where(x < 0, 0, 2 * x)


def place_wrong(x):
    return 2 * x


def putmask(x):
    y = x**2
    np.putmask(y, x < 0, 3 * x**2)
    return y.sum()


def putmask_right(x):
    return np.where(x < 0, 6 * x, 2 * x)


def putmask_wrong(x):
    return np.where(x < 0, 2 * x, 2 * x)


def copyto(x):
    y = np.zeros_like(x)
    np.copyto(y, np.exp(x) - 1, where=x > 0)
    return y.sum()


def copyto_right(x):
    return np.where(x > 0, np.exp(x), 0)


def copyto_wrong(x):
    return np.where(x > 0, np.exp(x) - 1, 0)


def extract(x):
    return np.sum(np.extract(x > 0, x) ** 2)


def extract_right(x):
    return np.where(x > 0, 2 * x, 0)


def extract_wrong(x):
    return np.where(x > 0, 2 * x, 1)


def compress(x):
    return np.sum(np.compress(x > 0, np.sin(x)))


def compress_right(x):
    return np.where(x > 0, np.cos(x), 0)


def compress_wrong(x):
    return np.where(x > 0, np.sin(x), 0)


def sigmoid2(z):
    out = np.empty_like(z)
    i = z >= 0
    out[i] = 1 / (1 + np.exp(-z[i]))
    e = np.exp(z[~i])
    out[~i] = e / (1 + e)
    return np.sum(out**2)


def sigmoid2_right(z):
    s = sig(z)
    return 2 * s * s * (1 - s)


def sigmoid2_wrong(z):
    s = sig(z)
    return np.where(z >= 0, 2 * s * s * (1 - s), s * s * (1 - s))


def softplus2(z):
    out = np.zeros(z.shape)
    i = z > 0
    out[i] = z[i] + np.log1p(np.exp(-z[i]))
    out[~i] = np.log1p(np.exp(z[~i]))
    return np.sum(out.mean(axis=0))


def softplus2_right(z):
    return sig(z) / 2


def softplus2_wrong(z):
    return sig(z) / 3


def rows(X):
    m = X[:, 0] > 0
    return np.sum(X[m].sum(0) ** 2)


def rows_right(X):
    m = X[:, 0] > 0
    return m[:, None] * 2 * X[m].sum(0)


def rows_wrong(X):
    m = X[:, 0] > 0
    return 2 * np.ones((3, 1)) * X[m].sum(0)


def residual_rows(w):
    X = np.array([[1.0, 2.0, -1.0, 0.5], [0.5, -1.0, 2.0, 1.0], [-1.0, 0.3, 0.7, 0.1]])
    y = np.array([1.0, -1.0, 1.0])
    r = X @ w - y
    m = r > 0
    return np.sum((X[m] @ w - y[m]) ** 2)


def residual_rows_right(w):
    X = np.array([[1.0, 2.0, -1.0, 0.5], [0.5, -1.0, 2.0, 1.0], [-1.0, 0.3, 0.7, 0.1]])
    y = np.array([1.0, -1.0, 1.0])
    r = X @ w - y
    m = r > 0
    return 2 * X[m].T @ r[m]


def residual_rows_wrong(w):
    X = np.array([[1.0, 2.0, -1.0, 0.5], [0.5, -1.0, 2.0, 1.0], [-1.0, 0.3, 0.7, 0.1]])
    y = np.array([1.0, -1.0, 1.0])
    r = X @ w - y
    m = r > 0
    return X[m].T @ r[m]


D = np.array([[0.1, 0.2], [1.0, 1.1], [0.9, 0.7], [-0.8, 0.3], [2.0, -1.0]])


def kmeans(C):
    d = ((D[:, None, :] - C[None]) ** 2).sum(-1)
    a = d.argmin(1)
    s = 0.0
    for k in range(2):
        s = s + ((D[a == k] - C[k]) ** 2).sum()
    return s


def kmeans_right(C):
    d = ((D[:, None, :] - C[None]) ** 2).sum(-1)
    a = d.argmin(1)
    return np.array([2 * (C[k] - D[a == k]).sum(0) for k in range(2)])


def kmeans_wrong(C):
    return np.array([2 * (C[k] - D).sum(0) for k in range(2)])


def kmeans_x(X):
    lab = (X[:, 0] > 0).astype(int)
    s = 0.0
    for k in range(2):
        g = X[lab == k]
        if len(g):
            s = s + ((g - g.mean(0)) ** 2).sum()
    return s


def kmeans_x_right(X):
    lab = (X[:, 0] > 0).astype(int)
    out = np.zeros_like(X)
    for k in range(2):
        if (lab == k).any():
            out[lab == k] = 2 * (X[lab == k] - X[lab == k].mean(0))
    return out


def kmeans_x_wrong(X):
    return 2 * (X - X.mean(0))


def inertia_labels(x):
    c = np.array([-1.0, 0.0, 1.2])
    lab = np.argmin(np.abs(x[:, None] - c), axis=1)
    return np.sum((x - c[lab]) ** 2)


def inertia_labels_right(x):
    c = np.array([-1.0, 0.0, 1.2])
    lab = np.argmin(np.abs(x[:, None] - c), axis=1)
    return 2 * (x - c[lab])


def inertia_labels_wrong(x):
    c = np.array([-1.0, 0.0, 1.2])
    lab = np.argmin(np.abs(x[:, None] - c), axis=1)
    return 2 * x - c[lab]


def otsu(x):
    a, b = x[x < 0.5], x[x >= 0.5]
    if a.size == 0 or b.size == 0:
        return np.sum(x * 0)
    return len(a) * len(b) * (a.mean() - b.mean()) ** 2


def otsu_right(x):
    m = x < 0.5
    na, nb = m.sum(), (~m).sum()
    if na == 0 or nb == 0:
        return np.zeros(5)
    d = x[m].mean() - x[~m].mean()
    return np.where(m, 2 * nb * d, -2 * na * d)


def otsu_wrong(x):
    m = x < 0.5
    na, nb = m.sum(), (~m).sum()
    if na == 0 or nb == 0:
        return np.zeros(5)
    d = x[m].mean() - x[~m].mean()
    return np.where(m, 2 * nb * d, 2 * na * d)


def masked_softmax(x):
    keep = np.array([True, False, True, True])
    z = np.where(keep, x, -np.inf)
    e = np.exp(z - np.max(x[keep]))
    p = e / e.sum()
    return p[0]


def masked_softmax_right(x):
    k = np.array([1.0, 0, 1, 1])
    e = k * np.exp(x)
    p = e / e.sum()
    return p[0] * ((np.arange(4) == 0) - p)


def masked_softmax_wrong(x):
    e = np.exp(x)
    p = e / e.sum()
    return p[0] * ((np.arange(4) == 0) - p)


def masked_softmax2(x):
    m = x > -1
    e = np.zeros_like(x)
    e[m] = np.exp(x[m])
    return np.sum(e * x) / (1 + e.sum())


def masked_softmax2_right(x):
    m = x > -1
    e = m * np.exp(x)
    S = 1 + e.sum()
    return (e * x + e) / S - e * np.sum(e * x) / S**2


def masked_softmax2_wrong(x):
    m = x > -1
    e = m * np.exp(x)
    S = 1 + e.sum()
    return (e * x + e) / S


def censored(t):
    y = np.array([0.0, 0.0, 1.2, 0.7])
    X = np.array([1.0, 0.5, 2.0, -1.0])
    c = y <= 0
    mu = t[0] * X + t[1]
    return np.sum(log_ndtr(-mu[c])) - 0.5 * np.sum((y[~c] - mu[~c]) ** 2)


def censored_right(t):
    y = np.array([0.0, 0.0, 1.2, 0.7])
    X = np.array([1.0, 0.5, 2.0, -1.0])
    c = y <= 0
    mu = t[0] * X + t[1]
    g = np.where(c, -np.exp(-0.5 * mu**2 - log_ndtr(-mu)) / np.sqrt(2 * pi), y - mu)
    return np.array([np.sum(g * X), g.sum()])


def censored_wrong(t):
    y = np.array([0.0, 0.0, 1.2, 0.7])
    X = np.array([1.0, 0.5, 2.0, -1.0])
    c = y <= 0
    mu = t[0] * X + t[1]
    g = np.where(c, np.exp(-0.5 * mu**2 - log_ndtr(-mu)) / np.sqrt(2 * pi), y - mu)
    return np.array([np.sum(g * X), g.sum()])


def censored_value(y):
    lim = 1.0
    c = y >= lim
    return np.sum(np.log(y[~c])) + np.sum(c) * np.log(lim)


def censored_value_right(y):
    return np.where(y < 1, 1 / y, 0)


def censored_value_wrong(y):
    return np.where(y < 1, 1 / y, 1)


def tweedie(mu):
    y = np.array([0.0, 1.0, 2.5])
    out = np.zeros_like(mu)
    z = y == 0
    out[z] = 2 * mu[z] ** 0.5 / 0.5
    out[~z] = 2 * (
        y[~z] ** 0.5 / (0.5 * -0.5) - y[~z] * mu[~z] ** -0.5 / -0.5 + mu[~z] ** 0.5 / 0.5
    )
    return out.sum()


def tweedie_right(mu):
    y = np.array([0.0, 1.0, 2.5])
    return 2 * (mu**-0.5 - y * mu**-1.5)


def tweedie_wrong(mu):
    y = np.array([0.0, 1.0, 2.5])
    return 2 * (mu**-0.5 + y * mu**-1.5)


def tri_cdf(x):
    out = np.zeros_like(x)
    a = (x >= 0) & (x < 1)
    b = (x >= 1) & (x < 2)
    c = x >= 2
    out[a] = x[a] ** 2 / 2
    out[b] = 1 - (2 - x[b]) ** 2 / 2
    out[c] = 1.0
    return out.sum()


def tri_pdf(x):
    return np.where((x < 0) | (x > 2), 0, np.minimum(x, 2 - x))


def tri_cdf_right(x):
    return tri_pdf(x)


def tri_cdf_wrong(x):
    return np.where((x < 0) | (x > 2), 0, x)


def piecewise(x):
    return np.sum(
        np.piecewise(
            x,
            [x < 0, (x >= 0) & (x < 1)],
            [lambda t: 0 * t, lambda t: t**3 / 3, lambda t: t - 2 / 3],
        )
    )


def piecewise_right(x):
    return np.where(x < 0, 0, np.where(x < 1, x**2, 1.0))


def piecewise_wrong(x):
    return np.where(x < 0, 0, np.where(x < 1, x**2, 2.0))


def ufunc_where(x):
    y = np.zeros_like(x)
    np.exp(x, where=x < 0, out=y)
    z = np.ones_like(x)
    np.add(x, 1, out=z, where=x >= 0)
    return np.sum(y) + np.sum(z)


def ufunc_where_right(x):
    return np.where(x < 0, np.exp(x), 1.0)


def ufunc_where_wrong(x):
    return np.where(x < 0, np.exp(x), 2.0)


def divide_where(x):
    y = np.divide(np.sin(x), x, out=np.ones_like(x), where=x != 0)
    return y.sum()


def divide_where_right(x):
    return (np.cos(x) - np.sin(x) / x) / x


def divide_where_wrong(x):
    return np.cos(x)


def log_where(x):
    y = np.zeros_like(x)
    np.log1p(x, out=y, where=x > 0)
    return np.sum(y)


def log_where_right(x):
    return np.where(x > 0, 1 / (1 + np.abs(x)), 0)


def log_where_wrong(x):
    return np.where(x > 0, 1 / (1 + np.abs(x)), 1.0)


def nested_where(x):
    return np.sum(np.where(x > 1, 2 * x - 1, np.where(x > 0, x**2, 0)))


def nested_where_right(x):
    return np.where(x > 1, 2.0, np.where(x > 0, 2 * x, 0))


def nested_where_wrong(x):
    return np.where(x > 1, 2.0, np.where(x > 0, x, 0))


def searchsorted(x):
    k = np.array([0.0, 1.0, 2.5, 4.0])
    v = np.array([0.0, 1.0, 3.0, 2.0])
    i = np.clip(np.searchsorted(k, x) - 1, 0, 2)
    s = (v[i + 1] - v[i]) / (k[i + 1] - k[i])
    return np.sum(v[i] + s * (x - k[i]))


def searchsorted_right(x):
    k = np.array([0.0, 1.0, 2.5, 4.0])
    v = np.array([0.0, 1.0, 3.0, 2.0])
    i = np.clip(np.searchsorted(k, x) - 1, 0, 2)
    return (v[i + 1] - v[i]) / (k[i + 1] - k[i])


def searchsorted_wrong(x):
    k = np.array([0.0, 1.0, 2.5, 4.0])
    v = np.array([0.0, 1.0, 3.0, 2.0])
    i = np.clip(np.searchsorted(k, x) - 1, 0, 2)
    return v[i + 1] - v[i]


def digitize(x):
    i = np.digitize(x, [1.0, 2.0, 3.0])
    r = np.array([0.1, 0.2, 0.3, 0.4])
    base = np.array([0.0, 0.1, 0.3, 0.6])
    return np.sum(base[i] + r[i] * (x - i))


def digitize_right(x):
    return np.array([0.1, 0.2, 0.3, 0.4])[np.digitize(x, [1.0, 2.0, 3.0])]


def digitize_wrong(x):
    return np.array([0.1, 0.2, 0.4, 0.3])[np.digitize(x, [1.0, 2.0, 3.0])]


def digitize_groups(x):
    i = np.digitize(x, [1.0, 2.0])
    s = 0.0
    for k in range(3):
        s = s + (k + 1) * np.sum(x[i == k] ** 2)
    return s


def digitize_groups_right(x):
    return 2 * x * (np.digitize(x, [1.0, 2.0]) + 1)


def digitize_groups_wrong(x):
    return 2 * x * (np.digitize(x, [1.0, 2.0]))


def argsort_w(x):
    o = np.argsort(x)
    return np.sum(x[o] * np.array([1.0, 2.0, 3.0, 4.0]))


def argsort_w_right(x):
    g = np.empty(4)
    g[np.argsort(x)] = [1.0, 2.0, 3.0, 4.0]
    return g


def argsort_w_wrong(x):
    return np.array([1.0, 2.0, 3.0, 4.0])[np.argsort(x)]


def top_k(x):
    i = np.argpartition(x, -2)[-2:]
    return np.sum(x[i] ** 2)


def top_k_right(x):
    g = np.zeros(5)
    i = np.argsort(x)[-2:]
    g[i] = 2 * x[i]
    return g


def top_k_wrong(x):
    g = np.zeros(5)
    i = np.argsort(x)[-3:]
    g[i] = 2 * x[i]
    return g


def cvar(x):
    q = np.quantile(x, 0.6)
    return x[x >= q].mean()


def cvar_right(x):
    m = x >= np.quantile(x, 0.6)
    return m / m.sum()


def cvar_wrong(x):
    m = x >= np.quantile(x, 0.6)
    return m / 5


def masked_array(x):
    m = x > 0
    return np.where(m, x, 0).sum() / np.maximum(np.count_nonzero(m), 1)


def masked_array_right(x):
    m = x > 0
    return m / max(m.sum(), 1)


def masked_array_wrong(x):
    m = x > 0
    return m / 4


def gather_concat(x):
    return np.sum(np.concatenate([x[x < 0] ** 2, np.sin(x[x >= 0])]))


def gather_concat_right(x):
    return np.where(x < 0, 2 * x, np.cos(x))


def gather_concat_wrong(x):
    return np.where(x < 0, x, np.cos(x))


def sum_where(x):
    return np.sum(x**2, where=x > 0) + np.mean(np.exp(x), where=np.array([True, False, True, True]))


def sum_where_right(x):
    return np.where(x > 0, 2 * x, 0) + np.exp(x) * np.array([1, 0, 1, 1]) / 3


def sum_where_wrong(x):
    return np.where(x > 0, 2 * x, 0) + np.exp(x) / 4


PROGRAMS = {
    "stable sigmoid": (
        stable_sigmoid,
        verify.box(-5, 5, shape=(4,)),
        stable_sigmoid_right,
        stable_sigmoid_wrong,
    ),
    "log sig loss": (
        log_sig_loss,
        verify.box(-5, 5, shape=(4,)),
        log_sig_loss_right,
        log_sig_loss_wrong,
    ),
    "hinge": (hinge, verify.box(-3, 3, shape=(3,)), hinge_right, hinge_wrong),
    "huber": (huber, verify.box(-3, 3, shape=(4,)), huber_right, huber_wrong),
    "smooth l1": (smooth_l1, verify.box(-3, 3, shape=(4,)), smooth_l1_right, smooth_l1_wrong),
    "softplus": (softplus, verify.box(-30, 30, shape=(3,)), softplus_right, softplus_wrong),
    "leaky": (leaky, verify.box(-3, 3, shape=(4,)), leaky_right, leaky_wrong),
    "elu": (elu, verify.box(-3, 3, shape=(4,)), elu_right, elu_wrong),
    "trimmed mean": (
        trimmed_mean,
        verify.box(-3, 3, shape=(5,)),
        trimmed_mean_right,
        trimmed_mean_wrong,
    ),
    "trimmed mask": (
        trimmed_mask,
        verify.box(-3, 3, shape=(5,)),
        trimmed_mask_right,
        trimmed_mask_wrong,
    ),
    "trimmed fixed": (
        trimmed_fixed,
        verify.box(-3, 3, shape=(5,)),
        trimmed_fixed_right,
        trimmed_fixed_wrong,
    ),
    "mean pos in": (
        mean_pos_in,
        verify.box(0.1, 3, shape=(4,)),
        mean_pos_in_right,
        mean_pos_in_wrong,
    ),
    "mean pos": (mean_pos, verify.box(-3, 3, shape=(4,)), mean_pos_right, mean_pos_wrong),
    "mean pos1": (mean_pos1, verify.box(-3, 3, shape=(4,)), mean_pos1_right, mean_pos1_wrong),
    "len times": (len_times, verify.box(-3, 3, shape=(4,)), len_times_right, len_times_wrong),
    "len pow": (len_pow, verify.box(-3, 3, shape=(4,)), len_pow_right, len_pow_wrong),
    "var pos": (var_pos, verify.box(-3, 3, shape=(4,)), var_pos_right, var_pos_wrong),
    "nonzero": (nonzero, verify.box(-3, 3, shape=(4,)), nonzero_right, nonzero_wrong),
    "flatnonzero": (
        flatnonzero,
        verify.box(-3, 3, shape=(4,)),
        flatnonzero_right,
        flatnonzero_wrong,
    ),
    "place": (place, verify.box(-3, 3, shape=(4,)), place_right, place_wrong),
    "putmask": (putmask, verify.box(-3, 3, shape=(4,)), putmask_right, putmask_wrong),
    "copyto": (copyto, verify.box(-3, 3, shape=(4,)), copyto_right, copyto_wrong),
    "extract": (extract, verify.box(-3, 3, shape=(4,)), extract_right, extract_wrong),
    "compress": (compress, verify.box(-3, 3, shape=(4,)), compress_right, compress_wrong),
    "sigmoid2": (sigmoid2, verify.box(-3, 3, shape=(2, 3)), sigmoid2_right, sigmoid2_wrong),
    "softplus2": (softplus2, verify.box(-3, 3, shape=(2, 3)), softplus2_right, softplus2_wrong),
    "rows": (rows, verify.box(-3, 3, shape=(3, 2)), rows_right, rows_wrong),
    "residual rows": (
        residual_rows,
        verify.box(-3, 3, shape=(4,)),
        residual_rows_right,
        residual_rows_wrong,
    ),
    "kmeans": (kmeans, verify.box(-2, 2, shape=(2, 2)), kmeans_right, kmeans_wrong),
    "kmeans x": (kmeans_x, verify.box(-2, 2, shape=(4, 1)), kmeans_x_right, kmeans_x_wrong),
    "inertia labels": (
        inertia_labels,
        verify.box(-2, 2, shape=(5,)),
        inertia_labels_right,
        inertia_labels_wrong,
    ),
    "otsu": (otsu, verify.box(0, 1, shape=(5,)), otsu_right, otsu_wrong),
    "masked softmax": (
        masked_softmax,
        verify.box(-2, 2, shape=(4,)),
        masked_softmax_right,
        masked_softmax_wrong,
    ),
    "masked softmax2": (
        masked_softmax2,
        verify.box(-2, 2, shape=(4,)),
        masked_softmax2_right,
        masked_softmax2_wrong,
    ),
    "censored": (censored, verify.box(-2, 2, shape=(2,)), censored_right, censored_wrong),
    "censored value": (
        censored_value,
        verify.box(0.1, 2, shape=(4,)),
        censored_value_right,
        censored_value_wrong,
    ),
    "tweedie": (tweedie, verify.box(0.2, 3, shape=(3,)), tweedie_right, tweedie_wrong),
    "tri cdf": (tri_cdf, verify.box(-1, 3, shape=(4,)), tri_cdf_right, tri_cdf_wrong),
    "piecewise": (piecewise, verify.box(-1, 3, shape=(4,)), piecewise_right, piecewise_wrong),
    "ufunc where": (
        ufunc_where,
        verify.box(-2, 2, shape=(4,)),
        ufunc_where_right,
        ufunc_where_wrong,
    ),
    "divide where": (
        divide_where,
        verify.box(0.4, 2, shape=(4,)),
        divide_where_right,
        divide_where_wrong,
    ),
    "log where": (log_where, verify.box(-2, 2, shape=(4,)), log_where_right, log_where_wrong),
    "nested where": (
        nested_where,
        verify.box(-2, 2, shape=(4,)),
        nested_where_right,
        nested_where_wrong,
    ),
    "searchsorted": (
        searchsorted,
        verify.box(0, 4, shape=(3,)),
        searchsorted_right,
        searchsorted_wrong,
    ),
    "digitize": (digitize, verify.box(0, 4, shape=(3,)), digitize_right, digitize_wrong),
    "digitize groups": (
        digitize_groups,
        verify.box(0, 3, shape=(4,)),
        digitize_groups_right,
        digitize_groups_wrong,
    ),
    "argsort w": (argsort_w, verify.box(-3, 3, shape=(4,)), argsort_w_right, argsort_w_wrong),
    "top k": (top_k, verify.box(-3, 3, shape=(5,)), top_k_right, top_k_wrong),
    "cvar": (cvar, verify.box(-3, 3, shape=(5,)), cvar_right, cvar_wrong),
    "masked array": (
        masked_array,
        verify.box(-3, 3, shape=(4,)),
        masked_array_right,
        masked_array_wrong,
    ),
    "gather concat": (
        gather_concat,
        verify.box(-3, 3, shape=(3,)),
        gather_concat_right,
        gather_concat_wrong,
    ),
    "sum where": (sum_where, verify.box(-3, 3, shape=(4,)), sum_where_right, sum_where_wrong),
}
"""Function, region, right gradient, wrong gradient."""
