"""Boundaries are looked for in each recording, also where another one is gone."""

import numpy as np

import symtape
import verify
from verify.judging.search.boundaries import Boundaries
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
