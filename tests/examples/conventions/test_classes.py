"""Conventions of classes find the derivatives of small libraries, and the lies among them."""

import json
from dataclasses import replace

import pytest

from symtape_conventions import (
    derivative_methods,
    equations_of_state,
    eval_gradient,
    excess_energies,
    fit_deriv,
    likelihoods,
)
from tests.examples.conventions import libraries
from verify.auditing import NotPosed, Pair
from verify.judging.judge import verify_case

CONVENTIONS = {
    module.CONVENTION.name: module.CONVENTION
    for module in (
        *(derivative_methods, equations_of_state, eval_gradient, excess_energies),
        *(fit_deriv, likelihoods),
    )
}

RIGHT, WRONG = "CORRECT", "WRONG"

SAID = {
    "Bell.fit_deriv[height]": RIGHT,
    "Bell.fit_deriv[centre]": RIGHT,
    "Bell.fit_deriv[width]": WRONG,
    "Swapped.fit_deriv[height]": RIGHT,
    "Swapped.fit_deriv[centre]": WRONG,
    "Swapped.fit_deriv[width]": WRONG,
    "Divided.fit_deriv[height]": WRONG,
    "Divided.fit_deriv[centre]": RIGHT,
    "Divided.fit_deriv[width]": RIGHT,
    "Turned.fit_deriv[width]": RIGHT,
    "LogOdds.deriv": RIGHT,
    "LogOdds.deriv2": RIGHT,
    "LogOdds.inverse_deriv": WRONG,
    "Pseudo.psi": RIGHT,
    "Pseudo.psi_deriv": "differentiates numerically",
    "Counts.score[p=1]": RIGHT,
    "Counts.score[p=2]": RIGHT,
    "Counts.score_obs[p=1]": RIGHT,
    "Counts.score_obs[p=2]": RIGHT,
    "Counts.score_factor[p=1]": RIGHT,
    "Counts.score_factor[p=2]": RIGHT,
    "Counts.hessian[p=1]": RIGHT,
    "Counts.hessian[p=2]": WRONG,
    "Cloud.__call__": RIGHT,
    "Cloud.__call__[nu=0.5]": RIGHT,
    "Cloud.__call__[nu=1.5]": WRONG,
    "Cloud.__call__[nu=2.5]": RIGHT,
    "Cloud.__call__[nu=inf]": RIGHT,
    "Cloud.__call__[nu=0.9]": RIGHT,
    "Mixture.dGE_dT": RIGHT,
    "Mixture.d2GE_dT2": WRONG,
    "Mixture.dGE_dxs": RIGHT,
    "Gas.a_alpha_and_derivatives_pure[da_alpha_dT]": RIGHT,
    "Gas.a_alpha_and_derivatives_pure[d2a_alpha_dT2]": RIGHT,
    "Ideal.a_alpha_and_derivatives_pure[da_alpha_dT]": RIGHT,
    "Ideal.a_alpha_and_derivatives_pure[d2a_alpha_dT2]": RIGHT,
    "Named.a_alpha_and_derivatives_pure[da_alpha_dT]": RIGHT,
    "Named.a_alpha_and_derivatives_pure[d2a_alpha_dT2]": RIGHT,
    "Named.dV_dT_g": RIGHT,
    "Named.dV_dP_g": WRONG,
}
"""What is found, and what is said of it."""


def found():
    """The pairs of all conventions, as they arrive on another machine."""
    for convention in CONVENTIONS.values():
        for pair in convention.find(libraries):
            assert isinstance(pair, Pair)
            yield replace(pair, settings=json.loads(json.dumps(dict(pair.settings))))


PAIRS = {pair.id.partition(":")[2]: pair for pair in found()}


def test_all_of_them_are_found_and_nothing_else():
    assert sorted(PAIRS) == sorted(SAID)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_a_pair(name):
    pair, said = PAIRS[name], SAID[name]
    convention = CONVENTIONS[pair.convention]
    if said not in (RIGHT, WRONG):
        with pytest.raises(NotPosed, match=said):
            convention.pose(pair)
        return
    result = verify_case(convention.pose(pair), effort=0.02)
    assert result.verdict.value == said, result.message


def test_a_lie_is_told_with_its_parameter():
    result = verify_case(CONVENTIONS["fit-deriv"].pose(PAIRS["Bell.fit_deriv[width]"]), effort=0.02)
    assert "with respect to width" in result.message


def test_a_link_is_not_judged_where_it_is_cut_off():
    region = CONVENTIONS["derivative-methods"].pose(PAIRS["LogOdds.deriv"]).over
    assert not region.contains((-0.1,))
    assert not region.contains((1.0,))


def test_what_is_gone_cannot_be_posed():
    gone = replace(PAIRS["LogOdds.deriv"], function="NoLink")
    with pytest.raises(NotPosed, match="NoLink"):
        CONVENTIONS["derivative-methods"].pose(gone)
