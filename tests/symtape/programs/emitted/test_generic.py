"""Source for all shapes: run at others, against derivatives that are recorded there."""

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.programs.emitted.source import source_at
from tests.symtape.programs.emitted.test_emitted_suites import TRANSFORMS, assert_near


def logistic(w, X, y):
    z = y * (X @ w)
    return np.mean(np.log1p(np.exp(-z)))


def least_squares(x, A, b):
    r = A @ x - b
    return np.sum(r**2)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    weights = special.softmax(scores, axis=1)
    return np.sum((weights @ V) ** 2)


def gaussian_process(theta, X, y):
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=2)
    K = np.exp(theta[0]) * np.exp(-0.5 * d2 * np.exp(theta[1])) + np.exp(theta[2]) * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(K, y)
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))


def mixture(alphas, means, X):
    diff = X[:, None, :] - means[None, :, :]
    logp = alphas - 0.5 * np.sum(diff**2, axis=2)
    return np.sum(special.logsumexp(logp, axis=1)) - len(X) * special.logsumexp(alphas)


def network(W1, b1, W2, b2, X, Y):
    h = np.tanh(X @ W1 + b1)
    return np.mean((h @ W2 + b2 - Y) ** 2)


def likelihood(mu, S, X):
    d = X - mu
    half = 0.5 * np.sum(d * np.linalg.solve(S, d.T).T)
    return -half - 0.5 * len(X) * np.linalg.slogdet(S)[1]


def factors(U, V, M):
    return np.sum((M - U @ V.T) ** 2)


def huber(x, A, b):
    r = A @ x - b
    a = np.abs(r)
    return np.sum(np.where(a < 1.0, 0.5 * r**2, a - 0.5))


def potential(x, m):
    d = x[:, None, :] - x[None, :, :]
    r2 = np.sum(d**2, axis=2) + 1e-2
    return -0.5 * np.sum(m[:, None] * m[None, :] / np.sqrt(r2))


def standardised(X):
    Z = (X - np.mean(X, axis=0)) / np.std(X, axis=0, ddof=1)
    return np.sum(Z**3)


def residuals(w, X, y):
    return np.exp(-X @ w) - y


def joined(a, b):
    c = np.concatenate([a, 2.0 * b])
    return np.sum(c**2) / c.size


def grid(u):
    return np.sum(np.diff(u, axis=0) ** 2) + np.sum(np.diff(u, axis=1) ** 2)


SHAPES = {
    logistic: (("d",), ("n", "d"), ("n",)),
    least_squares: (("d",), ("n", "d"), ("n",)),
    rosenbrock: (("n",),),
    attention: (("n", "d"), ("m", "d"), ("m", "p")),
    gaussian_process: ((3,), ("n", "d"), ("n",)),
    mixture: (("m",), ("m", "d"), ("n", "d")),
    network: (("d", "m"), ("m",), ("m", "p"), ("p",), ("n", "d"), ("n", "p")),
    likelihood: (("d",), ("d", "d"), ("n", "d")),
    factors: (("n", "d"), ("m", "d"), ("n", "m")),
    huber: (("d",), ("n", "d"), ("n",)),
    potential: (("n", "d"), ("n",)),
    standardised: (("n", "d"),),
    residuals: (("d",), ("n", "d"), ("n",)),
    joined: (("n",), ("m",)),
    grid: (("n", "d"),),
}
HESSIANS = (logistic, huber, joined)
LENGTHS = ({"n": 4, "d": 2, "m": 3, "p": 5}, {"n": 6, "d": 3, "m": 2, "p": 4}, {"n": 3, "d": 4})


def point(f, lengths, seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for shape in SHAPES[f]:
        full = [lengths.get(n, 6) if isinstance(n, str) else n for n in shape]
        x = rng.normal(size=full)
        made.append(x @ x.T + np.eye(len(x)) if shape == ("d", "d") else x)
    return made


def run(text, name, args):
    space = {}
    exec(text, space)
    return space[name](*args)


def described(f):
    return "jacobian" if f is residuals else "gradient"


CASES = [(f, described(f)) for f in SHAPES] + [(f, "hessian") for f in HESSIANS]


@pytest.mark.parametrize("language", ["numpy", "jax", "torch"])
@pytest.mark.parametrize(("f", "what"), CASES)
def test_it_holds_at_other_shapes(f, what, language, in_double):
    in_double(language)
    text = source_at(f, point(f, LENGTHS[0]), language, what, wrt_of(f))
    assert "fixed" not in text
    prefix = "grad" if what == "gradient" else what
    for seed, lengths in enumerate(LENGTHS):
        args = point(f, lengths, seed)
        wanted = TRANSFORMS[what](f, places(f))(*args)
        assert_near(plain(run(text, f"{prefix}_{f.__name__}", args)), wanted)


def plain(tree):
    return tuple(map(plain, tree)) if isinstance(tree, tuple) else np.asarray(tree)


def wrt_of(f):
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    return [names[k] for k in places(f)] if isinstance(places(f), tuple) else [names[places(f)]]


def places(f):
    return (0, 1) if f in (mixture, factors, likelihood, joined) else 0


def test_lengths_are_read_from_matrices_first():
    lines = source_at(logistic, point(logistic, LENGTHS[0]), wrt="w").splitlines()
    assert "    n, d = X.shape" in lines
    assert "    if w.shape != (d,) or y.shape != (n,) or n < 1:" in lines


@pytest.mark.parametrize("f", SHAPES)
def test_what_does_not_belong_together_is_refused(f):
    text = source_at(f, point(f, LENGTHS[0]))
    args = point(f, LENGTHS[0])
    for k, shape in enumerate(SHAPES[f]):
        wrong = [*args[:k], args[k][None], *args[k + 1 :]]
        with pytest.raises(ValueError, match=r"expected|unpack"):
            run(text, f"{'jacobian' if f is residuals else 'grad'}_{f.__name__}", wrong)
        for axis, n in enumerate(shape):
            if sum(s.count(n) for s in SHAPES[f]) > 1:
                longer = np.concatenate([args[k], args[k].take([0], axis=axis)], axis=axis)
                wrong = [*args[:k], longer, *args[k + 1 :]]
                with pytest.raises(ValueError, match="expected"):
                    run(text, f"{'jacobian' if f is residuals else 'grad'}_{f.__name__}", wrong)


WEIGHTS = np.array([1.0, 2.0, 4.0])


def weighted(x):
    return np.sum(WEIGHTS * x**2)


def looped(x):
    total = 0.0
    for k in range(len(x)):
        total = total + x[k] ** (k + 1)
    return total


def special_at_three(x):
    return np.sum(x**3) if len(x) == 3 else np.sum(x**2)


def harmonic(x):
    return np.sum(x**2) * sum(1 / k for k in range(1, len(x) + 1))


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (weighted, "the function takes no other"),
        (looped, "takes other operations"),
        (special_at_three, "computes something else|takes other operations"),
        (harmonic, "cannot be computed from them"),
    ],
)
def test_what_holds_at_one_shape_says_why(f, reason):
    text = source_at(f, (np.array([0.5, 1.5, 2.5]),))
    flat = " ".join(text.replace("#", " ").split())
    assert "The shapes are fixed: " in flat
    assert any(one in flat for one in reason.split("|"))
    np.testing.assert_allclose(
        run(text, f"grad_{f.__name__}", [np.ones(3)]), symtape.grad(f)(np.ones(3))
    )
    with pytest.raises(ValueError, match=r"expected x of shape \(3,\)"):
        run(text, f"grad_{f.__name__}", [np.ones(4)])


def margins(w, X, y):
    return np.mean(np.logaddexp(0, -y * (X @ w)))


def test_lists_of_numbers_are_written_as_the_arrays_that_they_are():
    lists = [0.1, 0.2], [[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]], [1.0, -1.0, 1.0]
    text = source_at(margins, lists, wrt="w")
    assert text == source_at(margins, list(map(np.array, lists)), wrt="w")
    assert "n, d = X.shape" in text


def test_what_constants_decide_is_not_asked():
    text = source_at(margins, [np.ones(2), np.ones((3, 2)), np.ones(3)], wrt="w")
    assert "False" not in text
    assert "inf" not in text
