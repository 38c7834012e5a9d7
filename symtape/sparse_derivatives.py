"""Jacobians and Hessians as SciPy's sparse arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from symtape.errors import NotOnTape, NotTraceable
from symtape.frontends.running import run_of
from symtape.recording.for_programs import Unmade, is_unfollowed
from symtape.recording.run import Argnums, Run, checked_argnums
from symtape.recording.tensor import Tensor
from symtape.sparsity.given import check_within, given_mask
from symtape.sparsity.pattern import Pattern, pattern_of
from symtape.sparsity.plan import Plan, best_plan, plan_of
from symtape.sparsity.sweeps import entries
from symtape.transforms import grad

__all__ = ["sparse_hessian", "sparse_jacobian"]

P = ParamSpec("P")


def sparse_jacobian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    pattern: Any = None,
) -> Callable[P, Any]:
    """The Jacobian of a function as a sparse array, by few products.

    Where entries can be other than 0 is found from the operations that were recorded, and kept for
    calls that take the same path; rows that share no column are pulled back together, or columns
    that share no row are pushed forward together.

    Parameters
    ----------
    function : callable ``(*args) -> array``
        Plain NumPy code of real numbers; any shape of output.
    argnums, has_aux
        As in :func:`jacobian`.
    pattern : (m, n) array_like or sparse array, optional
        Where entries can be other than 0, of a function of one argument and one output, instead of
        what is found. One product more shows whether others are there.

    Returns
    -------
    callable
        Returns ``scipy.sparse.csr_array`` of shape ``(output.size, argument.size)``, both taken
        flat; one for each argument and output, in their structure.

    Raises
    ------
    ValueError
        (When called.) The pattern is of another shape, or entries outside of it are not 0.
    TypeError
        (When called.) Of complex numbers, or inside another transform or tape.

    Source
    ------
    A. Gebremedhin, F. Manne, A. Pothen, "What color is your Jacobian?", SIAM Review 47 (2005).

    Examples
    --------
    >>> import numpy as np, symtape
    >>> found = symtape.sparse_jacobian(lambda x: x[1:] * x[:-1])(np.array([1.0, 2.0, 3.0]))
    >>> found.nnz, found.toarray().tolist()
    (4, [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]])
    """
    argnums = checked_argnums(argnums)
    planned = _Planned("sparse_jacobian", given_mask(pattern), symmetric=False)

    @functools.wraps(function)
    def sparse_jacobian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums, has_aux, several=True)
        result = planned.derivative(run, argnums)
        return (result, run.aux) if has_aux else result

    return sparse_jacobian_of


def sparse_hessian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    pattern: Any = None,
) -> Callable[P, Any]:
    """The Hessian of a scalar function as a sparse array, by few products.

    As :func:`sparse_jacobian` of the gradient; of one argument, its symmetry is used, too.

    Parameters
    ----------
    function : callable ``(*args) -> ()``
        Plain NumPy code of real numbers with a scalar result.
    argnums, has_aux
        As in :func:`hessian`.
    pattern : (n, n) array_like or sparse array, optional
        As in :func:`sparse_jacobian`; the transpose of each entry is taken to be in it.

    Returns
    -------
    callable
        Returns ``scipy.sparse.csr_array`` of shape ``(argument.size, argument.size)``. For a
        sequence of `argnums` the result is a tuple of tuples.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> found = symtape.sparse_hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    >>> found.nnz, found.toarray().tolist()
    (2, [[6.0, 0.0], [0.0, 12.0]])
    """
    argnums = checked_argnums(argnums)
    gradient = grad(function, argnums, has_aux)
    planned = _Planned("sparse_hessian", given_mask(pattern), symmetric=True)

    @functools.wraps(function)
    def sparse_hessian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(gradient, args, kwargs, argnums, has_aux, several=True)
        result = planned.derivative(run, argnums)
        return (result, run.aux) if has_aux else result

    return sparse_hessian_of


class _Planned:
    """What is known of a derivative before its function is called.

    Parameters
    ----------
    name : str
        Of the transform, for messages.
    mask : bool array or None
        The pattern that the user gave.
    symmetric : bool
        Whether of one argument it is symmetric.
    """

    def __init__(self, name: str, mask: Any, symmetric: bool) -> None:
        self._name = name
        self._symmetric = symmetric
        self._given: Plan | None = None
        if mask is not None:
            pattern = Pattern.of_mask(mask)
            both = symmetric and pattern.shape[0] == pattern.shape[1]
            self._given = best_plan(pattern.symmetric() if both else pattern, both)

    def derivative(self, run: Run, argnums: Argnums) -> Any:
        """The sparse blocks of a run, in the structure of what it took and returned."""
        self._check(run)
        rows = [run.lower(self._blocks(run, output), argnums) for output in run.outputs]
        return run.packed(rows)

    def _check(self, run: Run) -> None:
        for number in (*run.sources, *run.outputs):
            if number.dtype.kind != "f":
                raise NotOnTape(
                    f"symtape.{self._name} is of real numbers; an argument or output has dtype "
                    f"{number.dtype}: take symtape.{self._name.removeprefix('sparse_')}, or the "
                    "real and imaginary parts"
                )
        if not run.plain and not is_unfollowed():
            raise NotTraceable(
                f"symtape.{self._name} returns arrays of SciPy's, which nothing outside of it can "
                f"follow; take symtape.{self._name.removeprefix('sparse_')} inside of another "
                "transform or tape"
            )
        if self._given is None:
            return
        if not run.plain:
            raise NotTraceable(
                f"symtape.{self._name} with pattern= looks at values at each call, which is not "
                "compiled; leave it out, and the pattern is found once"
            )
        if not len(run.sources) == len(run.outputs) == 1:
            raise ValueError(
                f"pattern= is of one argument and one output; there are {len(run.sources)} and "
                f"{len(run.outputs)}: leave it out, and each pattern is found"
            )
        shape = (run.output.size, run.sources[0].size)
        if self._given.pattern.shape != shape:
            raise ValueError(
                f"pattern has shape {self._given.pattern.shape}; expected {shape}: the output's "
                "entries by the argument's"
            )

    def _blocks(self, run: Run, target: Tensor) -> list[Any]:
        symmetric = self._symmetric and len(run.sources) == len(run.outputs) == 1
        if self._given is not None:
            return [_sparse(self._given.pattern, check_within(self._given, run, target))]
        plan = plan_of(run.tape, target, run.sources, symmetric)
        if plan is None:
            plan = best_plan(pattern_of(run.tape, target, run.sources), symmetric)
        found = entries(plan, run.tape, target, run.sources)
        if len(run.sources) == 1:
            return [_sparse(plan.pattern, found)]
        return _split(plan.pattern, found, run.sources)


def _split(pattern: Pattern, found: Any, sources: list[Tensor]) -> list[Any]:
    blocks, first = [], 0
    for source in sources:
        within = (pattern.columns >= first) & (pattern.columns < first + source.size)
        shape = (pattern.shape[0], source.size)
        part = Pattern(pattern.rows[within], pattern.columns[within] - first, shape)
        blocks.append(_sparse(part, found[within].astype(source.dtype)))
        first += source.size
    return blocks


def _sparse(pattern: Pattern, found: Any) -> Any:
    """A sparse array; of what becomes a program, what makes it of the program's numbers."""
    ends = np.searchsorted(pattern.rows, np.arange(pattern.shape[0] + 1))
    made = functools.partial(_by_rows, pattern.columns, ends, pattern.shape)
    return Unmade(found, made) if isinstance(found, Tensor) else made(found)


def _by_rows(columns: Any, ends: Any, shape: tuple[int, int], found: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array((found, columns.copy(), ends.copy()), shape=shape)
