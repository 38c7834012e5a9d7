"""Programs of finance and economics groups: calibration, portfolios, utilities, auctions."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from benchmarks.corpus.registry import Group
from verify import box

FINANCE = Group("finance programs")
program = FINANCE.program

RETURNS = np.round(np.random.default_rng(3).normal(0.01, 0.05, size=(10, 3)), 3)
WEIGHTS = box(0.05, 1, shape=(3,))
THREE = box(-1, 1, shape=(3,))
STRIKES = np.array([80.0, 90, 100, 110, 120])
QUOTES = np.array([0.26, 0.22, 0.2, 0.19, 0.2])


def mean_variance(w):
    excess = RETURNS @ w
    return -np.mean(excess) + 2.5 * np.var(excess)


@program(mean_variance, THREE, ("/ 10 -", "/ 10 +"), ("5.0 *", "5.000005 *"))
def mean_variance_gradient(w):
    centred = RETURNS - RETURNS.mean(axis=0)
    return 5.0 * centred.T @ (centred @ w) / 10 - RETURNS.mean(axis=0)


def log_utility(w):
    return -np.mean(np.log(1 + RETURNS @ w))


@program(log_utility, THREE, ("/ 10", ""), ("1 + RETURNS", "1.000001 + RETURNS"))
def log_utility_gradient(w):
    return -RETURNS.T @ (1 / (1 + RETURNS @ w)) / 10


def expected_shortfall(p):
    loss = -RETURNS @ p[:3]
    return p[3] + np.mean(np.maximum(loss - p[3], 0)) / 0.3


@program(
    expected_shortfall,
    box([-1, -1, -1, -0.1], [1, 1, 1, 0.1]),
    ("1 - tail", "tail"),
    ("loss > p[3]", "loss > p[3] + 1e-4"),
)
def expected_shortfall_gradient(p):
    loss = -RETURNS @ p[:3]
    active = (loss > p[3]).astype(float) / 3
    tail = active.sum()
    return np.append(-active @ RETURNS, 1 - tail)


def risk_budgeting(w):
    cov = RETURNS.T @ RETURNS / 10
    vol = np.sqrt(w @ cov @ w)
    share = w * (cov @ w) / vol**2
    return np.sum((share - np.array([0.6, 0.3, 0.1])) ** 2)


@program(risk_budgeting, WEIGHTS, ("- 2 * total", "- total"), ("0.6, 0.3", "0.6000006, 0.3"))
def risk_budgeting_gradient(w):
    cov = RETURNS.T @ RETURNS / 10
    m = cov @ w
    v2 = w @ m
    r = 2 * (w * m / v2 - np.array([0.6, 0.3, 0.1]))
    total = np.sum(r * w * m) / v2
    return (r * m + cov @ (r * w) - 2 * total * m) / v2


def turnover_cost(w):
    old = np.array([0.3, 0.6, 0.1])
    trade = w - old
    return np.sum(0.01 * np.sqrt(trade**2 + 1e-4) + 0.1 * np.abs(trade) ** 1.5)


@program(
    turnover_cost, box([0.35, 0.65, 0.15], [1, 1, 1]), ("0.15 *", "0.1 *"), ("0.1])", "0.1000001])")
)
def turnover_cost_gradient(w):
    t = w - np.array([0.3, 0.6, 0.1])
    return 0.01 * t / np.sqrt(t**2 + 1e-4) + 0.15 * np.sign(t) * np.sqrt(np.abs(t))


def smile_calibration(p):
    k = np.log(STRIKES / 100)
    model = p[0] + p[1] * k + p[2] * k**2
    return np.sum((model - QUOTES) ** 2 / QUOTES)


@program(smile_calibration, THREE, ("/ QUOTES", ""), ("STRIKES / 100", "STRIKES / 100.0001"))
def smile_calibration_gradient(p):
    k = np.log(STRIKES / 100)
    basis = np.stack([np.ones(5), k, k * k])
    return 2 * basis @ ((p @ basis - QUOTES) / QUOTES)


def sabr_smile(p):
    alpha, rho, nu = p
    x = np.log(100 / STRIKES[[0, 1, 3, 4]])
    z = nu / alpha * x
    chi = np.log((np.sqrt(1 - 2 * rho * z + z**2) + z - rho) / (1 - rho))
    return np.sum(nu * x / chi)


@program(
    sabr_smile,
    box([0.1, -0.6, 0.2], [0.4, 0.6, 0.9]),
    ("-z / alpha", "z / alpha"),
    ("1 / (1 - rho)", "1.000001 / (1 - rho)"),
)
def sabr_smile_gradient(p):
    alpha, rho, nu = p
    x = np.log(100 / STRIKES[[0, 1, 3, 4]])
    z = nu / alpha * x
    q = np.sqrt(1 - 2 * rho * z + z**2)
    chi = np.log((q + z - rho) / (1 - rho))
    by_z = 1 / q
    by_rho = (-z / q - 1) / (q + z - rho) + 1 / (1 - rho)
    outer = -nu * x / chi**2
    return np.array(
        [
            np.sum(outer * by_z * (-z / alpha)),
            np.sum(outer * by_rho),
            np.sum(x / chi + outer * by_z * x / alpha),
        ]
    )


def implied_spread(s):
    t = np.arange(1, 6)
    survival = np.exp(-s / 0.6 * t)
    annuity = np.sum(np.exp(-0.03 * t) * survival)
    default = np.sum(np.exp(-0.03 * t) * -np.diff(survival, prepend=1.0))
    return 0.6 * default - s * annuity


@program(implied_spread, box(0.001, 0.3), ("- s * np", "+ s * np"), ("-0.03", "-0.03000003"))
def implied_spread_slope(s):
    t = np.arange(1, 6)
    discount = np.exp(-0.03 * t)
    q = np.exp(-s * t / 0.6)
    dq = -t / 0.6 * q
    default = -(dq - np.append(0.0, dq[:-1]))
    return 0.6 * discount @ default - discount @ q - s * np.sum(discount * dq)


def vasicek_bond(p):
    a, b, r = p
    reach = (1 - np.exp(-a * 5)) / a
    log_a = (b - 0.02**2 / (2 * a**2)) * (reach - 5) - 0.02**2 * reach**2 / (4 * a)
    return np.exp(log_a - reach * r)


@program(
    vasicek_bond,
    box([0.1, 0.01, 0.0], [1, 0.1, 0.1]),
    ("[by_a, reach - 5, -reach]", "[by_a, reach, -reach]"),
    ("0.0004 / a**3", "0.00040001 / a**3"),
)
def vasicek_bond_gradient(p):
    a, b, r = p
    e = np.exp(-5 * a)
    reach = (1 - e) / a
    dreach = (5 * e - reach) / a
    by_a = (
        0.0004 / a**3 * (reach - 5)
        + (b - 0.0002 / a**2) * dreach
        + 0.0001 * reach**2 / a**2
        - 0.0002 * reach * dreach / a
        - dreach * r
    )
    price = np.exp((b - 0.0002 / a**2) * (reach - 5) - 0.0001 * reach**2 / a - reach * r)
    return price * np.array([by_a, reach - 5, -reach])


def barrier_call(s):
    lam = 1.25
    x = np.log(s / 100) / 0.2 + 0.2 * lam
    y = np.log(80**2 / (s * 100)) / 0.2 + 0.2 * lam
    vanilla = s * ndtr(x) - 97 * ndtr(x - 0.2)
    knocked = s * (80 / s) ** 2.5 * ndtr(y) - 97 * (80 / s) ** 0.5 * ndtr(y - 0.2)
    return vanilla - knocked


@program(barrier_call, box(85, 150), ("+ 1.5 *", "- 1.5 *"), ("48.5 *", "48.50005 *"))
def barrier_call_delta(s):
    x = np.log(s / 100) / 0.2 + 0.25
    y = np.log(64 / s) / 0.2 + 0.25
    r = np.sqrt(2 * np.pi)
    nx, nx2, ny, ny2 = (np.exp(-0.5 * z * z) / r for z in (x, x - 0.2, y, y - 0.2))
    vanilla = ndtr(x) + 5 * nx - 97 * 5 * nx2 / s
    h = (80 / s) ** 2.5
    q = np.sqrt(80 / s)
    return (
        vanilla + 1.5 * h * ndtr(y) + 5 * h * ny - 48.5 * q / s * ndtr(y - 0.2) - 485 * q / s * ny2
    )


def binomial_tree(p):
    s, v = p
    up = np.exp(v * 0.5)
    prob = (1.01 - 1 / up) / (up - 1 / up)
    values = [np.maximum(s * up**k - 1, 0) for k in (2, 0, -2)]
    first = prob * values[0] + (1 - prob) * values[1]
    second = prob * values[1] + (1 - prob) * values[2]
    return (prob * first + (1 - prob) * second) / 1.01**2


@program(binomial_tree, box([0.6, 0.1], [1.4, 0.6]), ("0.5 * up", "up"), ("s > 1)", "s > 1.001)"))
def binomial_tree_gradient(p):
    s, v = p
    up = np.exp(v * 0.5)
    width = up - 1 / up
    prob = (1.01 - 1 / up) / width
    dprob = (1 / up**2 - prob * (1 + 1 / up**2)) / width * (0.5 * up)
    on = [float(s * up**2 > 1), float(s > 1), float(s > up**2)]
    pay = [on[0] * (s * up**2 - 1), on[1] * (s - 1), on[2] * (s / up**2 - 1)]
    chance = [prob**2, 2 * prob * (1 - prob), (1 - prob) ** 2]
    dchance = [2 * prob, 2 - 4 * prob, -2 * (1 - prob)]
    by_s = sum(c * o * up**k for c, o, k in zip(chance, on, (2, 0, -2), strict=True))
    by_v = sum(d * y for d, y in zip(dchance, pay, strict=True)) * dprob
    by_v += chance[0] * on[0] * s * up**2 - chance[2] * on[2] * s / up**2
    return np.array([by_s, by_v]) / 1.01**2


def consumption_saving(c):
    wealth, total = 3.0, 0.0
    for t in range(3):
        total = total + 0.95**t * c[t] ** -1.0 / -1.0
        wealth = 1.03 * (wealth - c[t])
    return -(total + 0.95**3 * np.log(wealth))


@program(
    consumption_saving,
    box(0.1, 0.8, shape=(3,)),
    ("1.03 ** (3 - t)", "1.03 ** t"),
    ("0.857375", "0.8573751"),
)
def consumption_saving_gradient(c):
    wealth = 3.0
    for x in c:
        wealth = 1.03 * (wealth - x)
    return np.array(
        [-(0.95**t) / c[t] ** 2 + 0.857375 * 1.03 ** (3 - t) / wealth for t in range(3)]
    )


def nested_logit(v):
    inner = np.exp(v[:2] / 0.6)
    top = np.exp(v[2]) + np.sum(inner) ** 0.6
    return -np.log(inner[0] * np.sum(inner) ** (0.6 - 1) / top)


@program(nested_logit, THREE, ("0.4 / 0.6", "0.4"), ("g[0] -= 1 / 0.6", "g[0] -= 1 / 0.6000006"))
def nested_logit_gradient(v):
    inner = np.exp(v[:2] / 0.6)
    within = inner / inner.sum()
    nest = inner.sum() ** 0.6
    top = np.exp(v[2]) + nest
    g = np.append(0.4 / 0.6 * within + nest / top * within, np.exp(v[2]) / top)
    g[0] -= 1 / 0.6
    return g


def first_price_auction(b):
    value = np.array([0.9, 0.6, 0.7])
    win = b**2
    return -np.sum((value - b) * win)


@program(first_price_auction, WEIGHTS, ("- 2 *", "+ 2 *"), ("0.7]", "0.7000001]"))
def first_price_auction_gradient(b):
    value = np.array([0.9, 0.6, 0.7])
    return b**2 - 2 * (value - b) * b


def cournot_profit(q):
    price = 2 - 0.3 * np.sum(q)
    return q[0] * price - 0.1 * q[0] ** 2


@program(cournot_profit, WEIGHTS, ("- 0.3 * q[0]", ""), ("-0.3 * q[0]]", "-0.3000003 * q[0]]"))
def cournot_profit_gradient(q):
    price = 2 - 0.3 * q.sum()
    own = price - 0.3 * q[0] - 0.2 * q[0]
    return np.array([own, -0.3 * q[0], -0.3 * q[0]])


def yield_curve_spline(y):
    knots = np.array([1.0, 2.0, 4.0])
    curve = np.interp(np.array([1.0, 1.5, 2.0, 2.5, 3.0]), knots, y)
    price = np.sum(0.05 * np.exp(-curve * np.array([1.0, 1.5, 2.0, 2.5, 3.0])))
    return (price - 0.2) ** 2


@program(
    yield_curve_spline,
    box(0.0, 0.2, shape=(3,)),
    ("2 * (e.sum() - 0.2)", "(e.sum() - 0.2)"),
    ("0.25, 0.5]", "0.25, 0.500001]"),
)
def yield_curve_spline_gradient(y):
    t = np.array([1.0, 1.5, 2.0, 2.5, 3.0])
    load = np.array([[1, 0.5, 0, 0, 0], [0, 0.5, 1, 0.75, 0.5], [0, 0, 0, 0.25, 0.5]])
    e = 0.05 * np.exp(-t * (y @ load))
    return 2 * (e.sum() - 0.2) * (load @ (-t * e))


def merton_default(p):
    v, s = p
    d = (np.log(v) + (0.03 - 0.5 * s**2) * 2) / (s * np.sqrt(2))
    return ndtr(-d)


@program(
    merton_default,
    box([0.8, 0.1], [3, 0.6]),
    ("-density / (v", "density / (v"),
    ("+ 0.06)", "+ 0.06000006)"),
)
def merton_default_gradient(p):
    v, s = p
    d = (np.log(v) + 0.06 - s**2) / (s * np.sqrt(2))
    density = np.exp(-0.5 * d**2) / np.sqrt(2 * np.pi)
    by_s = -(np.log(v) + 0.06) / (s**2 * np.sqrt(2)) - 1 / np.sqrt(2)
    return np.array([-density / (v * s * np.sqrt(2)), -density * by_s])
