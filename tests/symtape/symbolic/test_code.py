"""``code(language)``: one name, arrays where there are arrays."""

import re

import numpy as np
import pytest

import symtape
from symtape.programs.emitted.source import LANGUAGES as WRITTEN_WHOLE
from symtape.symbolic.languages import ARRAY_LANGUAGES, LANGUAGES

KNOWN = [*dict.fromkeys((*ARRAY_LANGUAGES, *LANGUAGES))]


def softmax_loss(W, X):
    return np.sum(np.log(np.sum(np.exp(X @ W), axis=1)))


ARGS = np.linspace(-1, 1, 6).reshape(3, 2), np.linspace(0, 1, 18).reshape(6, 3)


@pytest.fixture(scope="module")
def loss():
    return symtape.derive(softmax_loss, *ARGS)


def test_the_table_of_languages_of_arrays_is_that_of_their_writers():
    assert set(ARRAY_LANGUAGES) == set(WRITTEN_WHOLE)


@pytest.mark.parametrize("language", ARRAY_LANGUAGES)
def test_a_form_in_array_notation_is_written_in_arrays(loss, language):
    code = loss.gradient.code(language)
    assert code == loss.code(language, "gradient")
    assert max(map(len, code.splitlines())) <= 100
    assert "X[5, 2]" not in code


@pytest.mark.parametrize("language", [x for x in LANGUAGES if x not in ARRAY_LANGUAGES])
def test_other_languages_are_known_to_the_whole_derivation(language):
    derivation = symtape.derive(lambda x: x * np.sin(x), 0.5)
    assert derivation.code(language) == derivation.gradient.code(language)
    with pytest.raises(ValueError, match=f"{language} code computes entry by entry"):
        derivation.code(language, "hvp")


def test_numpy_code_of_arrays_computes_the_gradient(loss):
    space = {}
    exec(loss.gradient.code("numpy"), space)
    (function,) = (it for name, it in space.items() if name.startswith("grad"))
    for found, exact in zip(
        function(*ARGS), symtape.grad(softmax_loss, (0, 1))(*ARGS), strict=True
    ):
        np.testing.assert_allclose(found, exact, rtol=1e-12)


@pytest.mark.parametrize("of", ["derivation", "form"])
def test_an_unknown_language_is_answered_with_all_known_ones(loss, of):
    words = f"language='cobol': expected one of {', '.join(KNOWN)}"
    with pytest.raises(ValueError, match=re.escape(words)):
        (loss if of == "derivation" else loss.gradient).code("cobol")
