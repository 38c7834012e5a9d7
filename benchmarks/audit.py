"""Cost of an audit of float64 first derivatives: ``python benchmarks/audit.py [jax]``.

The goal for JAX is less than 5 minutes on two cores, exact values at 3,000 points for each of some
70 derivatives and the second opinion by mpmath included.
"""

from __future__ import annotations

import sys

from verify.auditing.libraries.run import audit
from verify.errors import UsageError


def main() -> None:
    """Audit a library, and say how long it took."""
    name = sys.argv[1] if len(sys.argv) > 1 else "symtape"
    try:
        found = audit(name, ["float64"], [1])
    except UsageError as error:
        print(error)
        return
    judged = sum(entry.judged for entry in found.entries)
    print(f"{name}: {len(found.entries)} derivatives at {judged:,} points in {found.seconds} s")


if __name__ == "__main__":
    main()
