"""Jacobians and Hessians as SciPy's sparse arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, Literal, ParamSpec, get_args

import numpy as np

from symtape.errors import NotOnTape, NotTraceable
from symtape.reading.running import run_of
from symtape.recording.for_programs import MADE, UnmadeOutput, is_unfollowed
from symtape.recording.run import Argnums, Run, checked_argnums
from symtape.recording.tensor import Tensor
from symtape.transforms.gradients import grad
from symtape.transforms.sparsity.pattern import Pattern, pattern_of
from symtape.transforms.sparsity.plan import (
    Plan,
    best_symmetric,
    kept_plan,
    mixed_plan,
    substituted_plan,
)
from symtape.transforms.sparsity.spread import check_within, contain_nonfinite, given_mask

P = ParamSpec("P")

Format = Literal["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
"""SciPy's formats of sparse arrays."""

_FORMATS: Final = get_args(Format)
_RECOVERIES: Final = ("direct", "substitution")


def sparse_jacobian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    pattern: Any = None,
    format: Format = "csr",  # noqa: A002
) -> Callable[P, Any]:
    """The Jacobian of a function as a sparse array, by few products.

    Where entries can be other than 0 is found from the operations that were recorded, and kept for
    calls that take the same path; rows that share no column are pulled back together, or columns
    that share no row are pushed forward together, or some of both where rows and columns are dense.

    Parameters
    ----------
    function : callable ``(*args) -> array``
        Plain NumPy code of real numbers; any shape of output.
    argnums, has_aux
        As in :func:`jacobian`.
    pattern : (m, n) array_like or sparse array, optional
        Where entries can be other than 0, of a function of one argument and one output, instead of
        what is found. One product more shows whether others are there.
    format : {"csr", "csc", "coo", "bsr", "dia", "dok", "lil"}
        Of the sparse array.

    Returns
    -------
    callable
        Returns a sparse array of SciPy's, of shape ``(output.size, argument.size)``, both taken
        flat; one for each argument and output, in their structure.

    Raises
    ------
    ValueError
        There is no such format. (When called.) The pattern is of another shape, or entries outside
        of it are not 0.
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
    ways = (mixed_plan, mixed_plan)
    planned = _PlannedDerivative(
        "sparse_jacobian", ways, given_mask(pattern), _known_format(format)
    )
    return planned.transform(function, argnums, has_aux)


def sparse_hessian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    pattern: Any = None,
    format: Format = "csr",  # noqa: A002
    recovery: Literal["direct", "substitution"] = "direct",
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
    format : {"csr", "csc", "coo", "bsr", "dia", "dok", "lil"}
        Of the sparse array.
    recovery : {"direct", "substitution"}
        Each entry of one argument's Hessian is read off a product as it is, or follows from those
        that were found before it: that takes fewer products, bands of width ``2k + 1`` need
        ``k + 1``, but an entry then carries the rounding of up to as many others as its branch of
        the pattern is long, whatever their sizes are.

    Returns
    -------
    callable
        Returns a sparse array of SciPy's, of shape ``(argument.size, argument.size)``. For a
        sequence of `argnums` the result is a tuple of tuples.

    Raises
    ------
    ValueError
        As :func:`sparse_jacobian`; or there is no such recovery.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> found = symtape.sparse_hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    >>> found.nnz, found.toarray().tolist()
    (2, [[6.0, 0.0], [0.0, 12.0]])
    """
    gradient = grad(function, argnums, has_aux)
    if recovery not in _RECOVERIES:
        raise ValueError(f"recovery is {recovery!r}; expected one of {', '.join(_RECOVERIES)}")
    ways = (mixed_plan, best_symmetric if recovery == "direct" else substituted_plan)
    planned = _PlannedDerivative("sparse_hessian", ways, given_mask(pattern), _known_format(format))
    return planned.transform(gradient, argnums, has_aux)


def jacobian_sparsity(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    format: Format = "csr",  # noqa: A002
) -> Callable[P, Any]:
    """Where the Jacobian of a function can have entries other than 0, on the path of a call.

    For what takes a pattern and finds derivatives itself, such as ``jac_sparsity`` of
    ``scipy.optimize.least_squares`` and ``scipy.integrate.solve_ivp``.

    Parameters
    ----------
    function, argnums, has_aux, format
        As in :func:`sparse_jacobian`.

    Returns
    -------
    callable
        Returns what that of :func:`sparse_jacobian` does, of truth values.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> pattern = symtape.jacobian_sparsity(lambda x: x[1:] * x[:-1])
    >>> pattern(np.zeros(3)).toarray().astype(int).tolist()
    [[1, 1, 0], [0, 1, 1]]
    """
    planned = _PlannedDerivative("jacobian_sparsity", (), None, _known_format(format))
    return planned.transform(function, argnums, has_aux)


def hessian_sparsity(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    format: Format = "csr",  # noqa: A002
) -> Callable[P, Any]:
    """Where the Hessian of a scalar function can have entries other than 0.

    As :func:`jacobian_sparsity` of the gradient.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> pattern = symtape.hessian_sparsity(lambda x: x[0] * x[1] + x[2])
    >>> pattern(np.zeros(3)).toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    return jacobian_sparsity(grad(function, argnums, has_aux), argnums, has_aux, format=format)


def _known_format(name: Any) -> Any:
    if name not in _FORMATS:
        raise ValueError(f"format is {name!r}; expected one of {', '.join(_FORMATS)}")
    return name


Ways = tuple[Callable[[Pattern], Plan], ...]


class _PlannedDerivative:
    """What is known of a derivative before its function is called.

    Parameters
    ----------
    name : str
        Of the transform, for messages.
    ways : (callable, callable) or ()
        How a plan is made of a pattern; the second of a symmetric one. None for the pattern alone.
    mask : bool array or None
        The pattern that the user gave.
    format : str
        Of the sparse arrays.
    """

    def __init__(self, name: str, ways: Ways, mask: Any, format: Format) -> None:  # noqa: A002
        self._name = name
        self._ways = ways
        self._format = format
        self._given: Plan | None = None
        if mask is not None:
            pattern = Pattern.from_mask(mask)
            way = ways[pattern.shape[0] == pattern.shape[1]]
            symmetric = way is not mixed_plan
            self._given = way(pattern.symmetric() if symmetric else pattern)

    def transform(
        self, function: Callable[P, Any], argnums: Argnums, has_aux: bool
    ) -> Callable[P, Any]:
        """The function that returns this derivative of `function`."""
        argnums = checked_argnums(argnums, function)

        @functools.wraps(function)
        def derivative_of(*args: P.args, **kwargs: P.kwargs) -> Any:
            run = run_of(function, args, kwargs, argnums, has_aux, several=True)
            self._check(run)
            rows = [run.lower(self._blocks(run, output), argnums) for output in run.outputs]
            result = run.pack_results(rows)
            return (result, run.aux) if has_aux else result

        return derivative_of

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
        if not self._ways:
            pattern = pattern_of(run.tape, target, run.sources)
            return self._split(pattern, np.ones(len(pattern), bool), run)
        if self._given is not None:
            found = check_within(self._given, run, target)
            return self._split(self._given.pattern, found, run)
        # Of one argument that the output is of the gradient by, or not.
        way = self._ways[len(run.sources) == len(run.outputs) == 1]
        plan = kept_plan(way, run.tape, target, run.sources)
        if plan is None:
            plan = way(pattern_of(run.tape, target, run.sources))
        found = contain_nonfinite(plan, run, target)
        return self._split(plan.pattern, found, run)

    def _split(self, pattern: Pattern, found: Any, run: Run) -> list[Any]:
        """The parts by each source."""
        if len(run.sources) == 1:
            return [self._sparse(pattern, found, run)]
        blocks, first = [], 0
        for source in run.sources:
            within = (pattern.columns >= first) & (pattern.columns < first + source.size)
            shape = (pattern.shape[0], source.size)
            part = Pattern(pattern.rows[within], pattern.columns[within] - first, shape)
            data = found[within] if found.dtype == bool else found[within].astype(source.dtype)
            blocks.append(self._sparse(part, data, run))
            first += source.size
        return blocks

    def _sparse(self, pattern: Pattern, found: Any, run: Run) -> Any:
        ends = np.searchsorted(pattern.rows, np.arange(pattern.shape[0] + 1))
        make = functools.partial(_build_by_rows, pattern.columns, ends, pattern.shape, self._format)
        if not run.plain:
            return UnmadeOutput(found, make)
        whole = make(found)
        if (made := MADE.get()) is not None:
            made.append(whole)
        return whole


def _build_by_rows(
    columns: Any,
    ends: Any,
    shape: tuple[int, int],
    format: Format,  # noqa: A002
    found: Any,
) -> Any:
    from scipy.sparse import csr_array

    whole = csr_array((found, columns.copy(), ends.copy()), shape=shape)
    return whole if format == "csr" else whole.asformat(format)
