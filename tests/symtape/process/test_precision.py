"""Balls that know their size: more bits where terms cancel, and no more where they do not help."""

from flint import arb, ctx

from symtape.process.precision import precision, refine_ball


def asked(ball):
    """`ball`, and at which precisions it was computed."""
    at = []

    def counted():
        at.append(ctx.prec)
        return ball()

    return counted, at


def test_terms_that_cancel_are_computed_with_more_bits():
    for lost, times in ((40, 1), (200, 2), (700, 3)):
        ball, at = asked(lambda lost=lost: 2 + arb(3) ** -lost - 2)
        with precision(128):
            found = refine_ball(ball)
        assert len(at) == times
        assert found.rel_accuracy_bits() > 2
        assert found.overlaps(arb(3) ** -lost)


def test_an_accuracy_may_be_asked_for():
    for bits in (2, 100, 300):
        with precision(64):
            found = refine_ball(lambda: 2 + arb(3) ** -20 - 2, bits)
        assert found.rel_accuracy_bits() >= bits


def test_of_a_wide_argument_and_of_zero_more_bits_are_not_asked_for():
    wide, at = asked(lambda: arb(1, 0.5) - 1)
    assert refine_ball(wide).contains(0)
    assert len(at) == 2
    zero, at = asked(lambda: arb(0))
    assert refine_ball(zero).is_zero()
    assert len(at) == 1


def test_what_is_not_finite_may_become_so():
    found = refine_ball(lambda: arb(1) if ctx.prec > 256 else arb.nan())
    assert found == 1
    assert not refine_ball(arb.nan).is_finite()
