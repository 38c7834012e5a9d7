"""Options of the commands that run campaigns: where the work is done, and where it is kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from verify.commands.options import RegularFile, workers

if TYPE_CHECKING:
    from verify.campaign.executors import Executor
    from verify.campaign.store import Store

EXECUTORS: Final = ("local", "dask", "ray")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """What a campaign was told on the command line."""

    jobs: int | None
    store: Path | None
    retry: bool
    executor: str
    scheduler: str | None
    memory: str | None

    def open_store(self) -> Store:
        """The store, to be used as a context manager; a temporary one where none is named."""
        from verify.campaign.store import Store
        from verify.errors import UsageError

        if self.retry and self.store is None:
            raise UsageError("--retry: which campaign? Name its file with --store")
        return Store(self.store)

    def starting(self, planned: int, start: Callable[[int], None]) -> Callable[[int], None]:
        """`start`, and say how many answers are there already, where there are any."""

        def start_and_say(missing: int) -> None:
            start(missing)
            if self.store is not None and missing < planned:
                kept = planned - missing
                self.say(f"{self.store} keeps {kept:,} of {planned:,} answers; {missing:,} to go.")

        return start_and_say

    @staticmethod
    def say(words: str) -> None:
        """Say something beside the report."""
        click.echo(words, err=True)

    def choose_executor(self) -> Executor:
        """Who does the work."""
        from verify.campaign.executors import executor_of

        return executor_of(
            self.executor, jobs=self.jobs, scheduler=self.scheduler, memory=self.memory
        )


_OPTIONS: Final = (
    workers,
    click.option(
        "--store",
        type=RegularFile(dir_okay=False),
        metavar="FILE.sqlite",
        help="Save each answer in this file as soon as it is known. The same command later "
        "resumes with what is missing or has changed. Implies --no-memory.",
    ),
    click.option(
        "--retry",
        is_flag=True,
        help="Also repeat the cases that ended without an answer: that crashed, ran out of time or "
        "memory, or used up their budget.",
    ),
    click.option(
        "--executor",
        type=click.Choice(EXECUTORS),
        default="local",
        show_default=True,
        help="Where the cases run: in processes on this machine, or on the workers of a cluster.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="The address of the cluster's scheduler, such as tcp://host:8786.",
    ),
    click.option(
        "--memory",
        metavar="SIZE",
        help="The memory limit for one case, such as '2 GiB'.  [default: no limit]",
    ),
)


def campaign_options(command: F) -> F:
    """Give a command the options of campaigns, as the one argument ``campaign``."""

    @functools.wraps(command)
    def collect_options(*args: Any, **given: Any) -> Any:
        told = {one.name: given.pop(one.name) for one in fields(CampaignOptions)}
        return command(*args, campaign=CampaignOptions(**told), **given)

    found: Any = collect_options
    for option in reversed(_OPTIONS):
        found = option(found)
    decorated: F = found
    return decorated
