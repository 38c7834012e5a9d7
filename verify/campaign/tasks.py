"""Tasks: cases by their places, which can cross to a worker process."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symtape.one_line import OneLineRepr
from verify.campaign.addresses import (
    ChangedOrigin,
    Origin,
    address,
    distributions_of,
    encode_refusal,
)
from verify.campaign.deciding import Judge, decide, judge_case, undecided_result
from verify.campaign.load import Target
from verify.errors import IncompleteInstallation, UsageError
from verify.files import cache
from verify.model.case import Case
from verify.model.content import content_of
from verify.model.result import Result
from verify.model.source import source_of
from verify.options.command_lines import command_line


@dataclass(frozen=True, slots=True, repr=False)
class Task(OneLineRepr):
    """A case by its place; all that crosses to a worker process.

    It is a unit of work, see :class:`verify.campaign.work.Work`, once it is :meth:`add_address`.

    Attributes
    ----------
    target : Target
        Where the case is from.
    case : str
        Its id.
    effort : float, optional
        Of its search, whatever it says itself.
    strict : bool
        Whether what is noted fails, whatever it says itself.
    seed : int
        Of its search; 0 for that which the case itself names.
    memory : bool
        Whether counterexamples of earlier runs are tried, and new ones kept. An answer depends on
        them: what is to be the same wherever it is found goes without.
    judge : callable
        Decides the case; importable by name, to cross to another process.
    key : str
        Its content address; empty until it is addressed.
    packages : tuple of str
        The distributions that it uses, beside those that all verdicts depend on.
    origin : Origin, optional
        What it was when it was addressed.
    folder : str
        Where it was addressed, from where the places of files are seen; empty for the present one.
    """

    target: Target
    case: str
    effort: float | None = None
    strict: bool = False
    seed: int = 0
    memory: bool = True
    judge: Judge = judge_case
    key: str = ""
    packages: tuple[str, ...] = ()
    origin: Origin | None = None
    folder: str = ""

    @property
    def id(self) -> str:
        """What people call it."""
        return self.case

    def find(self) -> Case:
        """The case itself."""
        found = _cases(self.target)[self.case]
        effort = found.effort if self.effort is None else self.effort
        return replace(found, effort=effort, strict=found.strict or self.strict)

    def add_address(self) -> Task:
        """The same with its content address.

        That is a hash of the function and of the claim (see :mod:`verify.model.content`), of
        their text, of points, region, quantity, directions, effort, strictness, seed, of the
        words that name the case, of the sources of symtape, and of the versions of Python and of
        the distributions that it uses. The budget in seconds is no part of it: searches count
        their work, and seconds are only where they stop at last.
        """
        case = self.find()
        made_of = content_of(
            *(case.function, case.claimed, dict(case.modes), case.at, case.over, case.accuracy),
            *(case.wrt, self.judge),
        )
        words = (case.id, case.title, case.suite, self.replay)
        asked = (case.quantity, case.directions, case.mode, case.seed, case.effort, case.strict)
        texts = [_text(each) for each in (case.function, case.claimed)]
        packages = distributions_of(made_of.modules)
        given = (self.seed, self.memory)
        return replace(
            self,
            key=address("case", words, asked, texts, given, made_of.digest, packages=packages),
            packages=packages,
            origin=Origin.from_environment(packages, made_of.files),
            folder=os.getcwd(),
        )

    def run(self, seconds: float) -> str:
        """The verdict within so many seconds, as the JSON of a report.

        A refusal instead, where it cannot be judged as it was asked for, or where sources or
        versions of packages are others than when it was addressed.
        """
        # On another machine there may be no such folder; files are then not found, modules are.
        folder = self.folder if os.path.isdir(self.folder) else "."
        with contextlib.chdir(folder), cache.disable_memory(not self.memory):
            try:
                self._check_origin()
                case = self.find()
                self._check_origin()  # what was imported is no later than this
                found = decide(case, seconds, self.seed, self.judge, self.target.has_points)
            except (UsageError, IncompleteInstallation, ChangedOrigin) as error:
                return encode_refusal(error)
            return self._encode_result(found)

    def _check_origin(self) -> None:
        if self.origin is not None:
            self.origin.check()

    def describe_end(self, words: str) -> str:
        """What stands for the verdict where there is none, for the reason in `words`."""
        return self._encode_result(undecided_result(self.find(), words))

    def _encode_result(self, found: Result) -> str:
        from verify.reporting.codec import encode  # slow to import

        return json.dumps(encode(replace(found, replay=self.replay)), separators=(",", ":"))

    @property
    def replay(self) -> str:
        """The shell line that runs this case again."""
        target = self.target
        found_by_id = target.is_suite or "#" in self.case
        options = {
            "--case": self.case if found_by_id else None,
            "--at": target.at,
            "--over": target.over,
            "--quantity": target.quantity,
            "--claimed": target.claimed,
            "--compiled": target.compiled,
            "--effort": self.effort,
            "--strict": self.strict,
            "--seed": self.seed,
        }
        name = target.name if target.is_suite else self._function
        return command_line(["symtape", "verify", name], options)

    @property
    def _function(self) -> str:
        return self.case.partition("#")[0]


def _cases(target: Target) -> dict[str, Case]:
    return _cases_in(os.getcwd(), target.changed(), target)


@functools.lru_cache(maxsize=1024)  # folders, states of files, and what a command names
def _cases_in(folder: str, changed: int, target: Target) -> dict[str, Case]:
    return {case.id: case for case in target.cases()}


def _text(function: Any) -> str:
    """The source, which a report quotes, and of which comments are a part."""
    found = None if function is None else source_of(function)
    return "" if found is None else found.code


def plan(
    targets: Iterable[Target],
    only: Sequence[str] = (),
    effort: float | None = None,
    strict: bool = False,
) -> list[Task]:
    """One task for each case of `targets`, or for those whose ids are in `only`.

    Raises
    ------
    UsageError
        A target that cannot be loaded, or an id that none has.
    """
    tasks = {
        name: Task(target, name, effort, strict) for target in targets for name in _cases(target)
    }
    for wanted in only:
        if wanted not in tasks:
            raise UsageError(_no_such_case(wanted, list(tasks)))
    return [tasks[name] for name in only] if only else list(tasks.values())


def _no_such_case(wanted: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(wanted, known, n=3, cutoff=0.4)
    shown = ", ".join(close or known[:8])
    return (
        f"--case {wanted!r}: there is no such case; {'close ones' if close else 'some'}: {shown}."
    )
