"""``symtape selftest``: how good the verifier is."""

from __future__ import annotations

import reprlib
from pathlib import Path

import click

from verify.commands.files import probed
from verify.commands.options import into, takes, workers
from verify.commands.refusals import UNDECIDED, Refusal, refusing


@click.command(
    epilog="""
\b
Examples:
  symtape selftest
  symtape selftest --quick
  symtape selftest --only tanh:sign
  symtape selftest --only 'rule tanh by x'
  symtape selftest --corpus benchmarks.corpus

Exit status: 0 if no fault survived and no right claim was called wrong; 1 otherwise; 3 if some of
it was skipped, not judged, or not done before an interrupt.
"""
)
@click.option("--quick", is_flag=True, help="A sample of about a tenth, drawn by the seed.")
@workers
@takes("seed", words="Of the points, and of the sample.", default=True)
@takes("budget", words="Seconds for all of it; what is not done by then is left out.")
@click.option(
    "--only",
    default="",
    metavar="TEXT",
    help="Only the faults and claims whose id holds this; or ROW:OPERATOR.",
)
@click.option(
    "--corpus",
    default="",
    metavar="MODULE",
    help="More right claims: those that rows() of this module gives.",
)
@click.option("--equivalents", is_flag=True, help="List the changes that change nothing.")
@into("Write the score into this folder, as selftest.json.")
def selftest(
    quick: bool,
    jobs: int | None,
    seed: int,
    budget: float | None,
    only: str,
    corpus: str,
    equivalents: bool,
    out: Path | None,
) -> None:
    """Verify the verifier: planted faults, and right claims.

    Thousands of faults are planted in the rules of the vocabulary and in derivatives written by
    hand; each must be refuted. Thousands of right derivatives are claimed; none may be called
    wrong. A full score is kept, and every report shows the last one.
    """
    with refusing():
        from verify.commands.progress import ticks
        from verify.selftest.run import QUICK, plan, run
        from verify.selftest.score import keep_score
        from verify.selftest.table import show

        file = None if out is None else out / "selftest.json"
        if file is not None:
            probed(file.parent, [file])
        tasks = plan(seed, QUICK if quick else 1.0, only, corpus)
        with ticks(len(tasks), "planting faults") as tell:
            score = run(tasks, jobs=jobs, budget=budget, on_done=lambda task: tell(task.name))
        if only and not (score.faults or score.claims or score.doubtful):
            raise Refusal(
                f"no fault and no claim has {reprlib.repr(only)} in its id; see docs/selftest.md."
            )
        show(score, equivalents)
        keep_score(score)
        if file is not None:
            file.write_text(score.to_json(), encoding="utf-8")
            click.echo(f"wrote {file}")
    raise click.exceptions.Exit(1 if not score.clean else UNDECIDED if score.doubtful else 0)
