"""What is said of samples: never as of a certificate."""

from __future__ import annotations

from typing import Final

from verify.judging.sampled.outputs import Output

NOT_FINITE: Final = (
    "sampled: the claim is not finite here, where the function is; samples cannot say whether "
    "there is a derivative"
)

NOT_LINEAR: Final = "a product along zero is zero, whatever the function, and the claim is not"
NO_CLAIM: Final = (
    "evidence='sampled' is about a derivative that is given, claimed=...; symtape's tape has none"
)


def wrong(found: Output, where: str, order: float) -> str:
    """Of a claim that the samples exclude."""
    said = (
        f"sampled: along {where} the claim is {found.claimed:.10g}; the values of the function "
        f"give {found.value:.10g} (± {found.bar:.1g})"
    )
    if order == order:
        said += f"; the remainder of Taylor's theorem shrinks with order {order:.2f}, not 2"
    cause = _cause(found)
    return f"{said}; {cause}" if cause else said


def _cause(found: Output) -> str:
    if abs(found.claimed) <= found.bar:
        return "zero" if found.claimed == 0 else ""
    if abs(found.value) <= found.bar:
        return ""
    ratio = found.claimed / found.value
    if abs(ratio + 1) <= 4 * found.bar / abs(found.value):
        return "the sign is wrong"
    for factor in (2, 3, 4, 10):
        for near, way in ((float(factor), "large"), (1 / factor, "small")):
            if abs(ratio - near) <= 4 * near * found.bar / abs(found.value):
                return f"{factor} times too {way}"
    return ""


def close(found: Output, where: str) -> str:
    """Of a claim that is off by little, which rounding or a solver's tolerance may explain."""
    return (
        f"sampled: along {where} the values of the function give {found.value:.12g} "
        f"(± {found.bar:.1g}), and the claim {found.claimed:.12g}; the difference is too small to "
        "tell a wrong rule from rounding, or from the tolerance of a solver"
    )


def kink(found: Output, where: str) -> str:
    """Of a point with different slopes on either side."""
    assert found.sides is not None
    left, right = found.sides
    return (
        f"sampled: along {where} the slopes on either side differ, {left:.6g} and {right:.6g}; "
        f"the claim says {found.claimed:.6g}"
    )


def power(relative: float, directions: int, level: bool) -> str:
    """Of what would have been seen, where the function is `level` or not."""
    beside = "what the slope is a unit away" if level else "the largest entry"
    return (
        f"sampled, no certificate: along {directions} direction{'s' * (directions != 1)} a fault "
        f"above {relative:.1g} of {beside} would have been seen"
    )


def blind(fault: float, largest: float) -> str:
    """Of samples that could not have told right from wrong."""
    if largest > 0:
        much = f"faults below {fault:.1g}, beside a derivative of about {largest:.1g},"
    else:
        much = f"a derivative below {fault:.1g}"
    if fault == 0:
        return "sampled: the function is constant here, so samples cannot exclude a wrong claim"
    if fault == float("inf"):
        return (
            "sampled: the function has no values on both sides of the point, or they are too "
            "uneven, so the samples cannot judge the claim"
        )
    return f"sampled: {much} cannot be seen through the noise of the function's values here"
