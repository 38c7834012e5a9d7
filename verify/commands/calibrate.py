"""``symtape calibrate``: how this machine rounds."""

from __future__ import annotations

import click

from verify.commands.options import takes
from verify.commands.refusals import explain_refusals


@click.command(
    epilog="""
\b
Examples:
  symtape calibrate
  symtape calibrate exp gammaln --points 5000
  symtape calibrate --tolerances --points 32

Exit status: 0 if every constant holds on this machine; 1 if one is too small.
"""
)
@click.argument("rows", nargs=-1, metavar="[ROW]...")
@click.option(
    "--points",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="The number of points for each row and dtype.",
)
@takes("seed", words="The random seed of the points.", default=True)
@click.option(
    "--tolerances",
    is_flag=True,
    help="Measure instead how much of the verifier's tolerances hand-written derivatives use.",
)
def calibrate(rows: tuple[str, ...], points: int, seed: int, tolerances: bool) -> None:
    """Measure the rounding of NumPy and SciPy on this machine.

    The verifier computes from constants of each operation how much honest rounding may cost. This
    command measures them again against enclosures. It prints the constants that are too small, or
    those of each ROW that is named.
    """
    if tolerances:
        with explain_refusals():
            _tolerances(rows, points, seed)
        return
    with explain_refusals():
        from verify.judging.rounding.calibration import calibrate as measured
        from verify.judging.rounding.calibration import format_measurement

        found = []
        for one in measured(rows, points, seed):
            found.append(one)
            if rows or one.exceeds:
                click.echo(format_measurement(one))
    exceeding = sum(one.exceeds for one in found)
    tried = sum(one.points for one in found)
    click.echo(
        f"{len(found)} roundings measured at {tried} points: "
        + (f"{exceeding} exceed their constants" if exceeding else "all constants hold here")
    )
    raise click.exceptions.Exit(1 if exceeding else 0)


def _tolerances(rows: tuple[str, ...], points: int, seed: int) -> None:
    if rows:
        from verify.errors import UsageError

        raise UsageError(
            f"--tolerances is not about rows, and {' '.join(rows)} was named; leave one of them out"
        )
    from verify.selftest.tolerances import needs

    found = needs(points, seed)
    for need in found:
        click.echo(str(need))
    raise click.exceptions.Exit(1 if any(need.exceeds for need in found) else 0)
