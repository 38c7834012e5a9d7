"""Programs of biology groups: populations, epidemics, neurons, genes, doses."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

CHEMISTRY = Group("chemistry programs")
BIOLOGY = Group("biology programs")
program, living = CHEMISTRY.program, BIOLOGY.program

POSITIVE = box(0.1, 3, shape=(3,))
PAIR = box(0.1, 2, shape=(2,))
TIMES = np.array([0.5, 1.0, 2.0, 4.0, 8.0])
SEEN = np.array([0.8, 0.6, 0.3, 0.15, 0.05])


def logistic_growth(p):
    r, k = p
    n = 0.1
    for _ in range(10):
        n = n + 0.3 * r * n * (1 - n / k)
    return n


@living(
    logistic_growth, PAIR, ("(1 - 2 * n / k)", "(1 - n / k)"), ("n**2 / k**2", "n**2.000001 / k**2")
)
def logistic_growth_gradient(p):
    r, k = p
    n, d = 0.1, np.zeros(2)
    for _ in range(10):
        d = d + 0.3 * (np.array([n * (1 - n / k), r * n**2 / k**2]) + r * (1 - 2 * n / k) * d)
        n = n + 0.3 * r * n * (1 - n / k)
    return d


def lotka_volterra(s):
    return np.array([s[0] * (1.1 - 0.4 * s[1]), s[1] * (0.1 * s[0] - 0.3)])


@living(
    lotka_volterra,
    PAIR,
    ("-0.4 * s[0]", "0.4 * s[0]"),
    ("- 0.3]", "- 0.3000001]"),
    quantity="jacobian",
)
def lotka_volterra_jacobian(s):
    return np.array([[1.1 - 0.4 * s[1], -0.4 * s[0]], [0.1 * s[1], 0.1 * s[0] - 0.3]])


def epidemic_peak(p):
    beta, gamma = p
    s, i = 0.99, 0.01
    for _ in range(15):
        new = 0.3 * beta * s * i
        s, i = s - new, i + new - 0.3 * gamma * i
    return i


@living(
    epidemic_peak,
    PAIR,
    ("- np.array([0.0, 0.3 * i])", ""),
    ("0.3 * gamma * di", "0.3000003 * gamma * di"),
)
def epidemic_peak_gradient(p):
    beta, gamma = p
    s, i, ds, di = 0.99, 0.01, np.zeros(2), np.zeros(2)
    for _ in range(15):
        new = 0.3 * beta * s * i
        dnew = np.array([0.3 * s * i, 0.0]) + 0.3 * beta * (ds * i + s * di)
        di = di + dnew - 0.3 * gamma * di - np.array([0.0, 0.3 * i])
        ds = ds - dnew
        s, i = s - new, i + new - 0.3 * gamma * i
    return di


def membrane_current(v):
    m = 1 / (1 + np.exp(-(v + 35) / 7))
    return 120 * m**3 * (v - 50) + 0.3 * (v + 54.4)


@living(membrane_current, box(-90, 40), ("m * (1 - m)", "m"), ("120 * m**3", "120.0001 * m**3"))
def membrane_current_slope(v):
    m = 1 / (1 + np.exp(-(v + 35) / 7))
    dm = m * (1 - m) / 7
    return 360 * m**2 * dm * (v - 50) + 120 * m**3 + 0.3


def hodgkin_rate(v):
    x = (v + 40) / 10
    return np.where(np.abs(x) < 1e-6, 1 + x / 2, x / (1 - np.exp(-np.where(x == 0, 1.0, x))))


@living(hodgkin_rate, box(-39, 40), ("10 * (1 - e)", "(1 - e)"), ("x * e", "x * e * 1.000001"))
def hodgkin_rate_slope(v):
    x = (v + 40) / 10
    e = np.exp(-x)
    return (1 - e - x * e) / (10 * (1 - e) ** 2)


def gene_switch(s):
    u, v = s
    return np.array([2 / (1 + v**2.5) - u, 3 / (1 + u**2) - v])


@living(
    gene_switch,
    PAIR,
    ("-5 * v**1.5", "-5 * v**2.5"),
    ("-6 * u", "-6.000006 * u"),
    quantity="jacobian",
)
def gene_switch_jacobian(s):
    u, v = s
    return np.array([[-1, -5 * v**1.5 / (1 + v**2.5) ** 2], [-6 * u / (1 + u * u) ** 2, -1]])


def leslie_growth(f):
    m = np.array([[0.0, f[0], f[1]], [0.6, 0.0, 0.0], [0.0, 0.3, 0.1]])
    n = np.ones(3)
    for _ in range(6):
        n = m @ n
    return np.sum(n)


@living(leslie_growth, PAIR, ("m.T @ b", "m @ b"), ("[0.0, 0.3, 0.1]", "[0.0, 0.3, 0.1000001]"))
def leslie_growth_adjoint(f):
    m = np.array([[0.0, f[0], f[1]], [0.6, 0.0, 0.0], [0.0, 0.3, 0.1]])
    states = [np.ones(3)]
    for _ in range(6):
        states.append(m @ states[-1])
    b, g = np.ones(3), np.zeros(2)
    for n in states[-2::-1]:
        g += b[0] * n[1:]
        b = m.T @ b
    return g


def dose_response(p):
    dose = np.array([0.0, 0.3, 1.0, 3.0, 10.0])
    died = np.array([0.0, 1.0, 4.0, 8.0, 10.0])
    z = p[0] + p[1] * np.log1p(dose)
    return np.sum(10 * np.logaddexp(0, z) - died * z)


@living(dose_response, box(-2, 2, shape=(2,)), ("10 / ", "1 / "), ("3.0, 10.0]", "3.0, 10.00001]"))
def dose_response_gradient(p):
    x = np.log1p([0.0, 0.3, 1.0, 3.0, 10.0])
    r = 10 / (1 + np.exp(-p[0] - p[1] * x)) - np.array([0.0, 1.0, 4.0, 8.0, 10.0])
    return np.array([r.sum(), r @ x])


def pharmacokinetics(p):
    ka, ke = p
    c = ka / (ka - ke) * (np.exp(-ke * TIMES) - np.exp(-ka * TIMES))
    return np.sum((c - SEEN) ** 2)


@living(
    pharmacokinetics,
    box([1.0, 0.1], [3.0, 0.7]),
    ("-ke / (ka - ke)", "ke / (ka - ke)"),
    ("TIMES * q", "TIMES * q * 1.000001"),
)
def pharmacokinetics_gradient(p):
    ka, ke = p
    e, q = np.exp(-ke * TIMES), np.exp(-ka * TIMES)
    f = ka / (ka - ke)
    r = 2 * (f * (e - q) - SEEN)
    by_ka = -ke / (ka - ke) ** 2 * (e - q) + f * TIMES * q
    by_ke = ka / (ka - ke) ** 2 * (e - q) - f * TIMES * e
    return np.array([r @ by_ka, r @ by_ke])


def jukes_cantor(t):
    same = 0.25 + 0.75 * np.exp(-4 / 3 * t)
    return -(80 * np.log(same) + 20 * np.log((1 - same) / 3))


@living(
    jukes_cantor,
    box(0.02, 2),
    ("-np.exp(-4 * t / 3)", "np.exp(-4 * t / 3)"),
    ("20 /", "20.00002 /"),
)
def jukes_cantor_slope(t):
    same = 0.25 + 0.75 * np.exp(-4 * t / 3.0)
    slope = -np.exp(-4 * t / 3)
    return -(80 / same - 20 / (1 - same)) * slope


def felsenstein(t):
    p = 0.5 + 0.5 * np.exp(-2 * t)
    q = 1 - p
    left = p[0] * p[1] + q[0] * q[1]
    right = q[0] * q[1] * 0 + p[0] * q[1]
    return -np.log(0.5 * left * p[2] + 0.5 * right * q[2])


@living(
    felsenstein,
    POSITIVE,
    ("- 0.5 * right", "+ 0.5 * right"),
    ("dp[1] * p[0]", "dp[1] * p[0] * 1.000001"),
)
def felsenstein_gradient(t):
    p, dp = 0.5 + 0.5 * np.exp(-2 * t), -np.exp(-2 * t)
    q = 1 - p
    left, right = p[0] * p[1] + q[0] * q[1], p[0] * q[1]
    like = 0.5 * left * p[2] + 0.5 * right * q[2]
    by0 = dp[0] * (0.5 * (p[1] - q[1]) * p[2] + 0.5 * q[1] * q[2])
    by1 = 0.5 * (dp[1] * p[0] - dp[1] * q[0]) * p[2] - 0.5 * p[0] * dp[1] * q[2]
    by2 = dp[2] * (0.5 * left - 0.5 * right)
    return -np.array([by0, by1, by2]) / like


def hidden_markov(p):
    stay = 1 / (1 + np.exp(-p[0]))
    emit = np.array([[0.9, 0.2], [0.1, 0.8]])
    a = np.array([0.5, 0.5])
    for o in (0, 1, 1, 0):
        a = emit[o] * np.stack([stay * a[0] + (1 - stay) * a[1], (1 - stay) * a[0] + stay * a[1]])
    return -np.log(np.sum(a)) + 0.1 * p[0] ** 2


@living(
    hidden_markov,
    box(-2, 2, shape=(1,)),
    ("stay * (1 - stay)", "stay"),
    ("0.2 * p", "0.2000002 * p"),
)
def hidden_markov_gradient(p):
    stay = 1 / (1 + np.exp(-p[0]))
    ds = stay * (1 - stay)
    emit = np.array([[0.9, 0.2], [0.1, 0.8]])
    a, d = np.array([0.5, 0.5]), np.zeros(2)
    m = np.array([[stay, 1 - stay], [1 - stay, stay]])
    dm = ds * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for o in (0, 1, 1, 0):
        d = emit[o] * (m @ d + dm @ a)
        a = emit[o] * (m @ a)
    return -d.sum() / a.sum() + 0.2 * p


def optimal_foraging(x):
    gain = np.array([1.0, 0.6, 0.3]) * (1 - np.exp(-x))
    return np.sum(gain) / (0.5 + np.sum(x))


@living(optimal_foraging, POSITIVE, ("- rate", ""), ("0.3])", "0.3000003])"))
def optimal_foraging_gradient(x):
    top = np.array([1.0, 0.6, 0.3])
    rate = np.sum(top * (1 - np.exp(-x))) / (0.5 + np.sum(x))
    return (top * np.exp(-x) - rate) / (0.5 + x.sum())
