"""Certificates of what is verified, and the command ``symtape check``, which replays them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands.files import probe_folder
from verify.commands.refusals import Refusal, explain_refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.campaign.tasks import Task
    from verify.reporting.model import Report


def write_certificates(report: Report, tasks: Sequence[Task], folder: Path) -> None:
    """Certify what passes in a report, and say how much of it, and why not the rest."""
    from verify.certificates.writer import write_certificate
    from verify.model.verdict import Verdict

    probe_folder(folder)
    passed = {it.id for it in report.cases if it.verdict in (Verdict.CORRECT, Verdict.KINK)}
    without = Counter(write_certificate(task.find(), folder) for task in tasks if task.id in passed)
    written = without.pop("", 0)
    click.echo(f"wrote {written} {'certificate' if written == 1 else 'certificates'} into {folder}")
    for why, count in without.most_common():
        click.echo(f"no certificate of {count}: {why}")


@click.command(
    epilog="""
\b
Examples:
  symtape verify energy.py --certificates proofs
  symtape check proofs

\b
Exit status:
  0  every certificate is accepted
  1  a certificate is rejected
  2  the command was used wrongly
"""
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
def check(folder: Path) -> None:
    """Replay the certificates in a folder.

    This is done by one file, verify/certificates/checker.py, which imports nothing of symtape and
    runs by itself: python checker.py FOLDER.
    """
    with explain_refusals():
        from verify.certificates.checker import replay

        accepted = []
        try:
            for is_accepted, words in replay(folder):
                accepted.append(is_accepted)
                click.echo(words)
        except OSError as error:
            raise Refusal(f"cannot read {str(folder)!r}: {error.strerror}") from error
        if not accepted:
            raise Refusal(f"there are no certificates in {str(folder)!r}")
    raise click.exceptions.Exit(0 if all(accepted) else 1)
