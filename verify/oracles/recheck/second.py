"""What became of a recheck: how many were confirmed, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from verify.oracles.recheck.opinion import Opinion, OpinionStatus


@dataclass(frozen=True, slots=True)
class Second:
    """A second opinion on something that a report says.

    Attributes
    ----------
    about : str
        The case, and the point.
    finding : bool
        Whether the report finds a claim at fault there.
    opinion : Opinion
    """

    about: str
    finding: bool
    opinion: Opinion


@dataclass(slots=True)
class GatheredOpinions:
    """All of them.

    Attributes
    ----------
    findings, others : Counter of OpinionStatus
    contradicted, silent : list of Second
    """

    findings: Counter[OpinionStatus] = field(default_factory=Counter)
    others: Counter[OpinionStatus] = field(default_factory=Counter)
    contradicted: list[Second] = field(default_factory=list)
    silent: list[Second] = field(default_factory=list)

    @property
    def status(self) -> int:
        """Exit status: 1 where something is contradicted, 3 where a finding was not rechecked."""
        if self.contradicted:
            return 1
        return 3 if self.findings[OpinionStatus.SILENT] else 0

    def lines(self) -> Iterator[str]:
        """What there is to say, the worst last."""
        for second in self.silent:
            if second.finding:
                yield f"{second.about}: {second.opinion}"
        reasons = Counter(it.opinion.words for it in self.silent if not it.finding)
        for words, count in reasons.most_common():
            yield f"{count} of what is no finding: not rechecked: {words}"
        for second in self.contradicted:
            yield f"{second.about}: {second.opinion}"
        yield _format_count("findings", self.findings)
        yield _format_count("others", self.others)


def _format_count(name: str, found: Counter[OpinionStatus]) -> str:
    told = ", ".join(f"{found[status]} {status.value}" for status in OpinionStatus)
    return f"{name}: {found.total()} ({told})"


def gather_opinions(
    seconds: Iterable[Second], on_each: Callable[[Second], None] = lambda second: None
) -> GatheredOpinions:
    """Count second opinions, and keep what is not confirmed."""
    found = GatheredOpinions()
    for second in seconds:
        on_each(second)
        (found.findings if second.finding else found.others)[second.opinion.status] += 1
        if second.opinion.status is OpinionStatus.CONTRADICTED:
            found.contradicted.append(second)
        elif second.opinion.status is OpinionStatus.SILENT:
            found.silent.append(second)
    return found
