"""Functions of installed packages with their hand-written derivatives, taken as they are.

``pip install -e '.[packages]'`` has the packages; ``python -m benchmarks.packages`` judges the
pairs. Nothing of theirs is copied here: a pair names what a package computes and what it claims.
"""
