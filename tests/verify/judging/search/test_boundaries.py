"""Boundaries are looked for in each recording, also where another one is gone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import symtape
import verify
from verify.judging.search.boundaries import Boundaries, event_functions, side_of
from verify.judging.search.tracks import Track, Tracks


class Endless:
    """A stepper that has evaluations left."""

    left = 1


def test_a_recording_in_the_place_of_one_that_is_gone_is_searched_too(monkeypatch):
    graph = symtape.record(np.sin, 1.0)
    boundaries = Boundaries(verify.box(0, 1), Endless(), np.random.default_rng(0))
    searched = []
    monkeypatch.setattr(boundaries, "_search_track", lambda *words: searched.append(1) or iter(()))
    tracks = Tracks(lambda *x: graph)
    for _ in range(20):
        tracks.known = [Track(graph)]
        for _ in range(2):
            assert list(boundaries.search_tracks(tracks, [], 0)) == []
        assert len(boundaries._searched) == 1
    assert len(searched) == 20


COMPARED = {
    "where": lambda z: np.where(z == 0, 1.0, scipy.special.wofz(z)),
    "if": lambda z: scipy.special.wofz(z) if z != 1j else z,
    "beside a number": lambda z: np.where(z == 1 + 2j, z, scipy.special.wofz(z)),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_complex_numbers_that_are_compared_have_a_side(name):
    def profile(x, y):
        return np.real(COMPARED[name](x + 1j * y))

    graph = symtape.record(profile, 0.5, 2.0)
    values = graph.values(0.5, 2.0)
    assert {side_of(event, values) for event in event_functions(graph)} <= {-1.0, 0.0, 1.0, 2.0}
    found = verify.gradient(profile, lambda x, y: (x, y), over=(verify.box(0, 2), verify.box(1, 2)))
    assert "inside symtape" not in str(found)


def test_a_comparison_with_a_real_number_keeps_its_sides():
    graph = symtape.record(lambda x: np.where(x < 1.0, x, 2 * x), 0.5)
    (steering, *_) = event_functions(graph)
    assert [side_of(steering, graph.values(x)) for x in (0.5, 1.0, 2.0)] == [-1.0, 0.0, 1.0]
