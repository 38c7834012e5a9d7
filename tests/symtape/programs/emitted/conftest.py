"""Frameworks in double precision, and afterwards as they were."""

import pytest


@pytest.fixture
def in_double():
    """Ask for a framework; skips where it is not installed."""
    changed = []

    def ask(language):
        if language == "numpy":
            return
        framework = pytest.importorskip(language)
        if language == "jax":
            changed.append((framework, framework.config.jax_enable_x64))
            framework.config.update("jax_enable_x64", True)

    yield ask
    for framework, before in changed:
        framework.config.update("jax_enable_x64", before)
