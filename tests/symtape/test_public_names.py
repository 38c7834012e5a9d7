"""Every public name is there without the optional packages; only calling asks for them."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

ABSENT = """
    import inspect, sys

    for name in ("jax", "jaxlib", "torch", "autograd", "tensorflow", "hypothesis"):
        sys.modules[name] = None  # as import finds what is not installed
"""

PROGRAMS = {
    "star": """
        from symtape import *
        from verify import *
        import symtape, verify
        assert {*symtape.__all__, *verify.__all__} <= {*globals()}
    """,
    "looking": """
        import symtape, verify
        for package in (symtape, verify):
            inspect.getmembers(package)
            for name in {*dir(package), *package.__all__}:
                assert hasattr(package, name), name
            assert not hasattr(package, "no_such_name")
        assert {*symtape.__all__} <= {*dir(symtape)}
    """,
    "calling": """
        import symtape
        from symtape.errors import MissingExtra
        for read, library in ((symtape.from_jax, "jax"), (symtape.from_torch, "torch")):
            assert library in read.__doc__.lower()
            try:
                read(lambda x: x)
            except MissingExtra as error:
                words = f"symtape.from_{library} needs {library}, which is not installed; "
                assert str(error) == words + f"pip install 'symtape[{library}]'", error
            else:
                raise AssertionError(library)
    """,
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_public_names_do_not_need_the_optional_packages(program):
    code = textwrap.dedent(ABSENT) + textwrap.dedent(PROGRAMS[program])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
