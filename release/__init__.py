"""What a release carries: see :mod:`release.__main__`."""
