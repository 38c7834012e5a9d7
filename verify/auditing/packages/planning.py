"""The pairs that an audit of a package judges: those that were found and those of a manifest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from verify.auditing.packages.manifest import Manifest
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.walking import Found
from verify.auditing.packages.work import PairWork
from verify.auditing.run import Plan, not_judged
from verify.errors import UsageError
from verify.reporting.model import NotJudged
from verify.reporting.wording import count_noun


def plan_pairs(found: Found, manifest: Manifest, only: Sequence[str] = (), **options: Any) -> Plan:
    """The pairs of a package and those of a manifest, less what is excluded.

    Parameters
    ----------
    found : Found
    manifest : Manifest
    only : sequence of str
        Only what has one of these in its name.
    **options
        Of the works: `seed`, `effort`, `strict`, `judged`.

    Raises
    ------
    UsageError
        There is nothing with one of these in its name.
    """
    declared = {pair.id for pair in manifest.pairs}
    pairs = [pair for pair in found.pairs if pair.id not in declared]
    every: list[Pair] = [*manifest.pairs, *(_apply_region(pair, manifest) for pair in pairs)]
    unpaired = [each for each in found.unpaired if each.id not in declared]
    for text in only:
        names = [*(each.id for each in every), *(each.id for each in unpaired)]
        if not any(text in name for name in names):
            raise UsageError(
                f"--only {text!r}: nothing that was found in {found.package or 'the manifest'} has "
                "this in its name; see --list"
            )
    kept = [each for each in every if _is_chosen(each, only)]
    excluded = {each.id: gone for each in kept if (gone := manifest.find_exclusion(each))}
    told = [*excluded.values(), *(each for each in unpaired if _is_chosen(each, only))]
    modules = [] if only else _modules(found)
    distribution = found.distribution
    works = (
        PairWork(each, distribution=distribution, **options)
        for each in kept
        if each.id not in excluded
    )
    return Plan(
        title_of(found),
        found.package,
        tuple(works),
        tuple(sorted((*map(not_judged, told), *modules), key=lambda it: (it.kind, it.id))),
        {distribution: found.version} if distribution else {},
    )


def _apply_region(pair: Pair, manifest: Manifest) -> Pair:
    over = manifest.region_of(pair)
    return replace(pair, settings={**pair.settings, "over": dict(over)}) if over else pair


def _is_chosen(each: Pair | Unpaired, only: Sequence[str]) -> bool:
    return not only or any(text in each.id for text in only)


def _modules(found: Found) -> Iterable[NotJudged]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, words in found.unimported:
        reasons[words].append(name)
    for words, names in reasons.items():
        first, *others = names
        more = f" and {count_noun(len(others), 'other module')}" if others else ""
        yield NotJudged(first + more, "module", f"{words} ({_some(names)})" if others else words)
    yield from (NotJudged(words, "convention", "left out") for words in found.broken)
    if not found.pairs and found.package:
        words = (
            f"nothing in its {count_noun(found.modules, 'module')} that takes numbers alone "
            "behaves or is named as the derivative of another; a manifest can declare pairs"
        )
        yield NotJudged(f"{found.package}: no pairs", "module", words)
    if found.left_out:
        words = (
            f"{count_noun(len(found.left_out), 'module')} of tests, examples and benchmarks: "
            f"{_some(found.left_out)}; --include tests,examples,benchmarks audits them, too"
        )
        yield NotJudged(found.package, "module", words)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


def title_of(found: Found) -> str:
    """Of the report of a package."""
    if not found.package:
        return "Audit of a manifest"
    behind = f" {found.version}" if found.version else ""
    beside = found.distribution or found.package
    of = f" ({beside}{behind})" if beside != found.package else behind
    return f"Audit of {found.package}{of}"
