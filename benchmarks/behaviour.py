"""What behaviour finds of a kept audit: ``python benchmarks/behaviour.py PACKAGE REPORT``.

A report in Markdown has the pairs that all conventions found and that were judged. One is found if
behaviour alone proposes the same claim. Orders and flags of one function are not counted, because
behaviour calls each function in one way.
"""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

from verify.auditing.packages.walking import BEHAVIOUR, find_pairs

_CASE = re.compile(r"^(?:\| [^|]+ \| |- )`([\w.]+:[\w.]+)(?!\[\w+=|\w|\.)")


def main() -> None:
    """Count what is found, and name what is not, and each pair with what speaks for it."""
    package, report = sys.argv[1:]
    judged = Path(report).read_text(encoding="utf-8").partition(">Not judged")[0]
    kept = {case[1] for case in map(_CASE.match, judged.splitlines()) if case}
    pairs = find_pairs(package, [BEHAVIOUR], jobs=1).pairs
    claims = [re.split(r"[\[(]", pair.id)[0] for pair in pairs]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{package}: {len(kept & {*claims})} of {len(kept)} claims, {len(pairs)} pairs, "
        f"{used.ru_utime + used.ru_stime:.0f} s of CPU"
    )
    for claim in sorted(kept - {*claims}):
        print(f"    not found: {claim}")
    for claim, pair in zip(claims, pairs, strict=True):
        known = "as kept" if claim in kept else "new"
        print(f"    {known}: {pair.id} of {pair.function}: {pair.settings['why']}")


if __name__ == "__main__":
    main()
