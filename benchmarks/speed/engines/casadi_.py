"""CasADi: scalar expressions in its virtual machine, or as C compiled by gcc.

A function writes the entries that are not 0 into one kept buffer; everyone else returns new arrays.
The data that nobody differentiates by are constants of the program.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.engines.prepared import NotHad, Prepared
from benchmarks.speed.workload import Workload

__all__ = ["prepare"]

MOST_NUMBERS = 1500
"""Larger arguments and data make programs that take minutes to build."""


class Number:
    """An expression that NumPy's arrays of objects can hold: NumPy calls its methods by name."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __neg__(self) -> Number:
        return Number(-self.of)

    def __gt__(self, other: Any) -> Any:
        raise NotHad("comparisons are not written for it")


def binary(name: str) -> Callable[[Number, Any], Any]:
    """An operator between expressions and floats, which leaves arrays to NumPy."""

    def operator(self: Number, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        other = other.of if isinstance(other, Number) else float(other)
        return Number(getattr(self.of, name)(other))

    return operator


def unary(name: str) -> Callable[[Number], Number]:
    return lambda self: Number(getattr(self.of, name)())


for symbol in ("add", "sub", "mul", "truediv", "pow"):
    for side in ("", "r"):
        setattr(Number, f"__{side}{symbol}__", binary(f"__{side}{symbol}__"))
for symbol in ("sin", "cos", "exp", "log", "sqrt", "tanh", "log1p"):
    setattr(Number, symbol, unary(symbol))


def prepare(work: Workload, option: str) -> Prepared:
    """A function of CasADi with its buffers."""
    try:
        casadi = importlib.import_module("casadi")
    except ImportError:
        raise NotHad("casadi is not installed") from None
    if option == "gcc" and shutil.which("gcc") is None:
        raise NotHad("gcc is not installed")
    if sum(np.size(x) for x in work.args) > MOST_NUMBERS or work.transform == "batch_jacobian":
        raise NotHad("for scalar programs")
    symbols = {k: casadi.SX.sym(f"x{k}", int(np.size(work.args[k]))) for k in work.argnums}
    outputs = derivatives(casadi, work, symbols)
    function = casadi.Function("derivative", list(symbols.values()), outputs)
    if option == "gcc":
        function = compiled(casadi, function)
    return buffered(function, work)


def derivatives(casadi: Any, work: Workload, symbols: dict[int, Any]) -> list[Any]:
    args = list(work.args)
    for k, symbol in symbols.items():
        numbers = [Number(symbol[i]) for i in range(symbol.numel())]
        shape = np.shape(args[k])
        args[k] = np.array(numbers, dtype=object).reshape(shape) if shape else numbers[0]
    try:
        y = np.ravel(np.asarray(work.function(np, *args), dtype=object))
    except (TypeError, AttributeError, np.linalg.LinAlgError) as error:
        raise NotHad(f"for scalar programs: {type(error).__name__}") from None
    y = casadi.vertcat(*(one.of for one in y))
    if work.transform == "hessian":
        return [casadi.hessian(y, symbols[0])[0]]
    if work.transform == "jacobian":
        return [casadi.jacobian(y, symbols[0])]
    return [casadi.gradient(y, symbol) for symbol in symbols.values()]


def compiled(casadi: Any, function: Any) -> Any:
    """The function from a shared library, which stays loaded after its folder is gone."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "derivative.c"), Path(folder, "derivative.so")
        generator = casadi.CodeGenerator(source.name)
        generator.add(function)
        generator.generate(f"{folder}/")
        command = ["gcc", "-O1", "-fPIC", "-shared", str(source), "-o", str(library), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
        return casadi.external("derivative", str(library))


def buffered(function: Any, work: Workload) -> Prepared:
    buffer, trigger = function.buffer()
    inputs = [np.ascontiguousarray(work.args[k], dtype=float).ravel() for k in work.argnums]
    outputs = [np.zeros(function.nnz_out(k)) for k in range(function.n_out())]
    for k, array in enumerate(inputs):
        buffer.set_arg(k, memoryview(array))
    for k, array in enumerate(outputs):
        buffer.set_res(k, memoryview(array))
    patterns = [function.sparsity_out(k) for k in range(function.n_out())]

    def arrays(_: Any) -> list[Any]:
        found = []
        for k, values, pattern in zip(work.argnums, outputs, patterns, strict=True):
            full = np.zeros(pattern.shape)
            full[pattern.get_triplet()] = values
            found.append(full.reshape(np.shape(work.args[k])) if work.transform == "grad" else full)
        return found

    # The buffer reads memory of which it holds no reference.
    return Prepared(lambda _kept=(buffer, inputs): trigger(), arrays)
