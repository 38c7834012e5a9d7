"""``symtape selftest``: how good the verifier is."""

from __future__ import annotations

import reprlib
from pathlib import Path

import click

from verify.commands.files import probe_folder
from verify.commands.options import folder_option, takes, workers
from verify.commands.refusals import UNDECIDED, Refusal, explain_refusals


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
@click.option("--quick", is_flag=True, help="Run a random sample of about a tenth.")
@workers
@takes("seed", words="The random seed of the points and of the sample.", default=True)
@takes("budget", words="The time limit for the whole run in seconds; the rest is skipped.")
@click.option(
    "--only",
    default="",
    metavar="TEXT",
    help="Run only the faults and claims with this in their ids, or ROW:OPERATOR.",
)
@click.option(
    "--corpus",
    default="",
    metavar="MODULE",
    help="Add the right claims that rows() of this module returns.",
)
@click.option("--equivalents", is_flag=True, help="List the planted changes that have no effect.")
@folder_option("Write the score into this folder, as selftest.json.")
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
    """Verify the verifier with planted faults and right claims.

    The self-test plants thousands of faults in the rules of the vocabulary and in derivatives
    written by hand; the verifier must refute each. It also claims thousands of right derivatives;
    the verifier must not call any of them wrong. Every report shows the last full score.
    """
    with explain_refusals():
        from verify.commands.progress import progress
        from verify.selftest.run import QUICK, plan, run
        from verify.selftest.score import keep_score
        from verify.selftest.table import show

        file = None if out is None else out / "selftest.json"
        if file is not None:
            probe_folder(file.parent, [file])
        tasks = plan(seed, QUICK if quick else 1.0, only, corpus)
        with progress("planting faults") as (start, tell):
            start(len(tasks))
            score = run(tasks, jobs=jobs, budget=budget, on_done=lambda it: tell(it.name, False))
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
