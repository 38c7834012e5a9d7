"""The address of an answer: the same for the same, and another for whatever it depends on."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from verify.campaign import addresses
from verify.campaign.addresses import ChangedOrigin, raise_refused
from verify.campaign.load import Target, spoken_region
from verify.campaign.tasks import Task, plan
from verify.model.content import content_of

ROOT = Path(__file__).parents[3]

FILE = """
import beside
import numpy as np
import verify

LIMIT = 2.0
NAMES = {"a", "b", "c"}
TABLE = {"first": np.arange(3.0)}

class Scale:
    factor = 3.0
    def times(self, x):
        return self.factor * x

SCALE = Scale()

def inner(x):
    return x * LIMIT if "a" in NAMES else x

def slope(x):
    return LIMIT + 0 * x

def power(k):
    def raised(x):
        return x**k
    return raised

@verify.case(at=[1.0], claimed=slope)
def first(x):
    return inner(x)

@verify.case(over=[0, 1])
def second(x):
    return np.sin(x) # of an angle

@verify.case(at=[1.0])
def third(x):
    return beside.helped(x) * TABLE["first"][1]

@verify.case(at=[1.0])
def fourth(x):
    return SCALE.times(x)

cube = verify.case(at=[1.0], title="cube")(power(3))
"""

BESIDE = "def helped(x):\n    return x * x\n"

CHANGES = [
    ("x * LIMIT if", "x + LIMIT if", ["first"]),
    ("LIMIT = 2.0", "LIMIT = 2.5", ["first"]),
    ('"b", "c"}', '"b", "d"}', ["first"]),
    ("LIMIT + 0 * x", "LIMIT + 1 * x", ["first"]),
    ("at=[1.0], claimed", "at=[1.5], claimed", ["first"]),
    ("over=[0, 1]", "over=[0, 2]", ["second"]),
    ("np.sin", "np.cos", ["second"]),
    ("of an angle", "of any angle", ["second"]),
    ("np.arange(3.0)", "np.arange(4.0)", ["third"]),
    ("factor = 3.0", "factor = 4.0", ["fourth"]),
    ("self.factor * x", "self.factor + x", ["fourth"]),
    ("power(3)", "power(4)", ["cube"]),
    ('title="cube"', 'title="third power"', ["cube"]),
    ("import beside", "# moved down by a line\nimport beside", []),
    ("LIMIT = 2.0", "UNUSED = 1.0\nLIMIT = 2.0", []),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "beside", raising=False)
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "beside.py").write_text(BESIDE)
    return tmp_path


def keys(**given):
    tasks = [replace(task, **given).add_address() for task in plan([Target("mine.py")])]
    return {task.case.partition(":")[2]: task.key for task in tasks}


def changed(before, after):
    return [name for name in before if after[name] != before[name]]


def test_the_same_has_the_same_address(here):
    assert keys() == keys()
    assert len(set(keys().values())) == 5


@pytest.mark.parametrize(("old", "new", "names"), CHANGES)
def test_what_changed_has_another_address_and_only_it(here, old, new, names):
    before = keys()
    assert old in FILE
    (here / "mine.py").write_text(FILE.replace(old, new, 1))
    assert changed(before, keys()) == names


REGIONS = (
    "[0, 1], box(-1, 1, shape=(2,))",
    "box(0, 1, shape=[(1,), (2,)]), positive()",
    "[0, 1], simplex(3)",
    "integers(0, 15), symmetric(2)",
)


@pytest.mark.parametrize("over", REGIONS)
def test_looking_at_a_region_does_not_change_it(over):
    region = spoken_region(lambda x, y: x, over)
    before = content_of(region)
    for point in itertools.islice(region.points(0), 20):
        region.coordinates(point)
        region.bounds(0, point)
    assert content_of(region) == before
    assert before != content_of(spoken_region(lambda x, y: x, over.replace("1", "7", 1)))


def test_a_module_of_the_user_counts_as_a_whole(here):
    before = keys()
    (here / "beside.py").write_text(BESIDE + "# more\n")
    assert changed(before, keys()) == ["third"]


@pytest.mark.parametrize(
    "given", [{"seed": 1}, {"effort": 0.5}, {"strict": True}, {"memory": False}]
)
def test_it_depends_on_what_was_asked_for(here, given):
    before = keys()
    assert changed(before, keys(**given)) == list(before)


@pytest.mark.parametrize("target", [{"quantity": "hessian"}, {"at": ("1.0",)}, {"over": "[0, 3]"}])
def test_it_depends_on_the_target(here, target):
    tasks = [Task(Target("mine.py:second", **given), "mine.py:second") for given in ({}, target)]
    one, other = (task.add_address().key for task in tasks)
    assert one != other


def test_it_depends_on_versions(here, monkeypatch):
    before = keys()
    monkeypatch.setattr(addresses, "version_of", lambda name: "99")
    assert changed(before, keys()) == list(before)
    assert addresses.address("a", packages=["x"]) != addresses.address("a")


@pytest.mark.long
def test_it_is_the_same_in_another_process(here):
    code = "from tests.verify.campaign.test_addresses import keys; print(keys())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{keys()}\n"


def test_packages_are_those_that_the_function_uses(here):
    (here / "mine.py").write_text(
        "import scipy.special as special\nimport verify\n"
        "@verify.case(at=[1.0])\ndef f(x):\n    return special.expit(x)\n"
    )
    [task] = plan([Target("mine.py")])
    assert task.add_address().packages == ("scipy",)


def test_work_for_other_sources_is_refused(here):
    task = plan([Target("mine.py")])[0].add_address()
    raise_refused(task.run(60.0))
    (here / "mine.py").write_text(FILE.replace("x * LIMIT", "x + LIMIT"))
    with pytest.raises(ChangedOrigin, match=r"mine\.py has changed since"):
        raise_refused(task.run(60.0))


def test_work_for_other_versions_is_refused(here, monkeypatch):
    task = plan([Target("mine.py")])[0].add_address()
    other = replace(task, origin=replace(task.origin, versions=(("numpy", "2.4"),)))
    monkeypatch.setattr(addresses, "version_of", lambda name: "99" if name == "numpy" else "")
    with pytest.raises(ChangedOrigin, match=r"numpy is 99 .* and 2\.4"):
        raise_refused(other.run(60.0))
    monkeypatch.setattr(addresses, "digest", lambda: "another")
    with pytest.raises(ChangedOrigin, match="symtape has other sources"):
        raise_refused(task.run(60.0))


class Unusual:
    """An object that answers nothing about itself."""

    __slots__ = ("secret",)

    def __init__(self, secret):
        self.secret = secret

    def __repr__(self):
        raise RuntimeError


def test_any_value_has_a_content():
    cyclic = [1]
    cyclic.append(cyclic)
    values = [
        cyclic, Unusual(1), {1: "\ud800"}, object(), [None, ...], lambda: cyclic, len, sys, Unusual,
        range(3), frozenset("abc"), memoryview(b"ab"), Path("a"), content_of,
    ]  # fmt: skip
    found = [content_of(value).digest for value in values]
    assert found == [content_of(value).digest for value in values]
    assert len(set(found)) == len(values)
    assert content_of(Unusual(1)) != content_of(Unusual(2))
    assert content_of([1, 2], 3) != content_of([1], 2, 3)
