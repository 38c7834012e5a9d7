"""Source of the built-in suites, in files of their own, imported where there is no symtape."""

import contextlib
import functools
import pickle
import subprocess
import sys

import numpy as np
import pytest

import symtape
import verify
from symtape.errors import Unsupported
from symtape.programs.emitted.derivative import QUANTITIES
from symtape.programs.emitted.source import source
from symtape.symbolic.naming import argument_names
from verify.suites import SUITES

TRANSFORMS = {
    "gradient": symtape.grad,
    "jacobian": symtape.jacobian,
    "hessian": symtape.hessian,
}

LOADER = """
import importlib, pickle, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
points = pickle.load(open(sys.argv[1] + "/points.pickle", "rb"))
found = {}
for module, (name, point) in points.items():
    with np.errstate(all="ignore"):
        found[module] = getattr(importlib.import_module(module), name)(*point)
assert not any(name.partition(".")[0] in ("symtape", "verify") for name in sys.modules)
pickle.dump(found, open(sys.argv[1] + "/found.pickle", "wb"))
"""

FEWEST = 270
"""Of the cases, how many have source in NumPy."""


def leaves(tree):
    return [x for branch in tree for x in leaves(branch)] if isinstance(tree, tuple) else [tree]


def argnums_of(case):
    places = tuple(range(len(case.at[0]))) if case.wrt is None else case.wrt
    return places if len(places) > 1 else places[0]


@functools.cache
def cases():
    return [
        case
        for suite in SUITES.values()
        for case in suite()
        if case.at and case.quantity in TRANSFORMS
    ]


def written(case, language):
    names = argument_names(case.function, len(case.at[0]))
    places = argnums_of(case)
    wrt = [names[k] for k in (places if isinstance(places, tuple) else (places,))]
    return source(case.function, case.at[0], names, "f", language, case.quantity, wrt)


@functools.cache
def sources(language):
    """What can be written, by case."""
    found = {}
    for case in cases():
        with contextlib.suppress(Unsupported):
            found[case.id] = case, written(case, language)
    return found


def function_name(case):
    return f"{QUANTITIES[case.quantity].prefix}_f"


def assert_near(got, wanted):
    assert len(leaves(got)) == len(leaves(wanted))
    for a, b in zip(leaves(got), leaves(wanted), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-9, atol=1e-12)


@pytest.mark.long
def test_most_cases_are_written_and_run_without_symtape(tmp_path):
    made = sources("numpy")
    assert len(made) >= FEWEST
    points = {}
    for k, (case, text) in enumerate(made.values()):
        (tmp_path / f"case{k}.py").write_text(text)
        points[f"case{k}"] = function_name(case), case.at[0]
    (tmp_path / "points.pickle").write_bytes(pickle.dumps(points))
    subprocess.run([sys.executable, "-c", LOADER, str(tmp_path)], check=True)
    found = pickle.loads((tmp_path / "found.pickle").read_bytes())
    for k, (case, _) in enumerate(made.values()):
        with np.errstate(all="ignore"):
            wanted = TRANSFORMS[case.quantity](case.function, argnums_of(case))(*case.at[0])
        assert_near(found[f"case{k}"], wanted)


def loaded(case, text):
    space = {}
    exec(text, space)
    return space[function_name(case)]


def assert_verified(case, text):
    """The verdict is no graver than that on the tape itself."""
    judge = getattr(verify, case.quantity)
    how = {"at": [case.at[0]], **({} if case.wrt is None else {"wrt": case.wrt})}
    claimed = judge(case.function, loaded(case, text), **how)
    if not claimed.verdict.fails:
        return
    assert judge(case.function, **how).verdict.fails, f"{case.id}\n{claimed}\n{text}"


SAMPLED = [case.id for case in cases()[::12]]


@pytest.mark.parametrize("name", SAMPLED)
def test_some_are_verified(name):
    made = sources("numpy")
    if name not in made:
        pytest.skip("has no source in NumPy")
    assert_verified(*made[name])


@pytest.mark.campaign
def test_all_are_verified():
    for case, text in sources("numpy").values():
        assert_verified(case, text)
