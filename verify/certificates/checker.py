"""Checks certificates: that claims are derivatives, on the boxes that the certificates name.

    python checker.py FOLDER

A certificate holds programs over real numbers, of a function and of what is said to be its
derivative. The first is differentiated, both are written as polynomials over Q in generators, and
their difference has to be 0 modulo the relations of these. Intervals show that all of it is defined
over the boxes; what they do not show is listed, as an assumption.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Any

from mpmath import iv

FORMAT = "symtape certificate 1"
_MOST_PRODUCTS = 300_000
_MOST_CASES = 256
_MOST_EVALUATIONS = 10_000
_HALF = Fraction(1, 2)

_Box = tuple[tuple[Fraction, Fraction], ...]
_Monomial = tuple[tuple[int, Fraction], ...]
_Form = dict[_Monomial, Fraction]
_Conditions = list[tuple[int, str]]


class Rejected(Exception):
    """The certificate does not prove what it says."""


_ATOMS = ("atan", "asin", "erf")
_REAL = ("input", "pi", "log", "root", *_ATOMS)
# The arguments of each operation: rows, integers, rational numbers.
_SHAPES = {
    **dict.fromkeys(("add", "mul"), "rr"),
    **dict.fromkeys(("exp", "log", "sin", "cos", *_ATOMS), "r"),
    **dict.fromkeys(("power", "rounded"), "rq"),
    **dict.fromkeys(("step", "loggamma"), "ri"),
    "input": "i",
    "number": "q",
    "pi": "",
}


class _Program:
    """Rows, each once."""

    def __init__(self, inputs: int) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._known: dict[tuple[Any, ...], int] = {}
        self.inputs = [self.place("input", k) for k in range(inputs)]

    def place(self, name: str, *arguments: Any) -> int:
        row = (name, *arguments)
        if row not in self._known:
            self._known[row] = len(self.rows)
            self.rows.append(row)
        return self._known[row]

    def number(self, value: Fraction | int) -> int:
        return self.place("number", Fraction(value))

    def multiply(self, *factors: int) -> int:
        first, *others = [at for at in factors if at != self.number(1)] or factors
        for other in others:
            first = self.place("mul", first, other)
        return first

    def power(self, a: int, exponent: Fraction | int) -> int:
        return self.place("power", a, Fraction(exponent))

    def add_square(self, a: int, sign: int) -> int:
        square = self.multiply(self.number(sign), self.power(a, 2))
        return self.place("add", self.number(1), square)

    def bell(self, a: int) -> int:
        exponential = self.place("exp", self.multiply(self.number(-1), self.power(a, 2)))
        return self.multiply(self.number(2), self.power(self.place("pi"), -_HALF), exponential)

    def references(self, at: int) -> list[int]:
        name, *arguments = self.rows[at]
        return [a for a, kind in zip(arguments, _SHAPES[name], strict=True) if kind == "r"]

    def needed(self, wanted: Sequence[int]) -> list[int]:
        found = set(wanted)
        for at in range(len(self.rows) - 1, -1, -1):
            found.update(self.references(at) if at in found else ())
        return sorted(found)

    def read(self, rows: Sequence[Any]) -> list[int]:
        places: list[int] = []
        for name, *given in rows:
            shape = _SHAPES[name]
            arguments = [_read(kind, x, places) for x, kind in zip(given, shape, strict=True)]
            places.append(self.place(name, *arguments))
        return places

    def apply(self, at: int, table: dict[str, Any], found: dict[int, Any], *context: Any) -> Any:
        name, *arguments = self.rows[at]
        shape = _SHAPES[name]
        given = [found[x] if k == "r" else x for x, k in zip(arguments, shape, strict=True)]
        return table[name](*context, *given)

    def differentiate(self, output: int) -> list[int]:
        total: dict[int, int] = {output: self.number(1)}
        for at in reversed(self.needed([output])):
            name, *arguments = self.rows[at]
            if at in total and name in _RULES:
                slopes = _RULES[name](self, at, *arguments)
                for a, slope in zip(self.references(at), slopes, strict=True):
                    passed = self.multiply(total[at], slope)
                    total[a] = self.place("add", total[a], passed) if a in total else passed
        return [total.get(at, self.number(0)) for at in self.inputs]

    def derivative(self, claim: dict[str, Any], outputs: Sequence[int]) -> list[int]:
        directions = [self.inputs[_read("i", k)] for k in claim["directions"]]

        def slopes(output: int) -> list[int]:
            found = self.differentiate(output)
            return [found[_read("i", k)] for k in claim["by"]]

        def along(entries: Sequence[int]) -> int:
            total = self.number(0)
            for entry, direction in zip(entries, directions, strict=True):
                total = self.place("add", total, self.multiply(entry, direction))
            return total

        quantity = claim["quantity"]
        if quantity in ("hessian", "hvp"):
            [outputs] = map(slopes, outputs)
        if quantity in ("vjp", "hvp"):
            return slopes(along(outputs))
        if quantity == "jvp":
            return [along(slopes(output)) for output in outputs]
        if quantity in ("gradient", "jacobian", "hessian"):
            return [entry for output in outputs for entry in slopes(output)]
        raise Rejected(f"nothing is known of {quantity!r}")

    def enclose(self, box: _Box, wanted: Sequence[int]) -> dict[int, Any]:
        found = {at: _interval(*ends) for at, ends in zip(self.inputs, box, strict=True)}
        for at in wanted:
            found[at] = found[at] if at in found else self.apply(at, _BOUNDS, found)
        return found

    def conditions(self, rows: Sequence[int]) -> Iterator[tuple[int, str]]:
        for at in rows:
            name, *arguments = self.rows[at]
            if name == "step":
                yield arguments[0], "is not 0"
            elif name in ("log", "loggamma"):
                yield arguments[0], "is positive"
            elif name == "asin":
                yield self.add_square(arguments[0], -1), "is not negative"
            elif name == "power" and arguments[1].denominator != 1:
                yield arguments[0], "is positive" if arguments[1] < 0 else "is not negative"
            elif name == "power" and arguments[1] < 0:
                yield arguments[0], "is not 0"

    def undecided(self, boxes: Sequence[_Box], asked: _Conditions, most: int) -> _Conditions:
        """The conditions that intervals do not show, over the boxes or over parts of them."""
        wanted = self.needed([at for at, _ in asked])
        waiting, failed = [(box, asked) for box in boxes], set[tuple[int, str]]()
        left = most // (1 + len(wanted))
        while waiting:
            box, here = waiting.pop(0)
            found = self.enclose(box, wanted)
            here = [(at, words) for at, words in here if not _HOLDS[words](found[at])]
            if here and left > 0:
                at = max(range(len(box)), key=lambda k: box[k][1] - box[k][0])
                low, high = box[at]
                for half in ((low, (low + high) / 2), ((low + high) / 2, high)):
                    waiting.append(((*box[:at], half, *box[at + 1 :]), here))
            elif here:
                failed |= set(here)
            left -= 1
        return [pair for pair in asked if pair in failed]

    def write(self, at: int, depth: int = 6) -> str:
        name, *arguments = self.rows[at]
        if name in ("input", "number"):
            return f"x{arguments[0]}" if name == "input" else str(arguments[0])
        pairs = zip(arguments, _SHAPES[name], strict=True)
        words = [self.write(x, depth - 1) if kind == "r" else str(x) for x, kind in pairs if depth]
        return f"{name}({', '.join(words) or '...'})"


def _read(kind: str, x: Any, places: Sequence[int] = ()) -> Any:
    if kind == "box":
        return tuple((_read("q", low), _read("q", high)) for low, high in x)
    if kind == "q" and type(x) is str:
        return Fraction(x)
    if kind == "q" or type(x) is not int or x < 0:
        raise Rejected(f"{x!r} stands where something else is expected")
    return places[x] if kind == "r" else x


# The derivatives of a row by each of its arguments; none passes a step.
_RULES: dict[str, Callable[..., list[int]]] = {
    "add": lambda p, at, a, b: [p.number(1), p.number(1)],
    "mul": lambda p, at, a, b: [b, a],
    "power": lambda p, at, a, n: [p.multiply(p.number(n), p.power(a, n - 1))],
    "exp": lambda p, at, a: [at],
    "log": lambda p, at, a: [p.power(a, -1)],
    "sin": lambda p, at, a: [p.place("cos", a)],
    "cos": lambda p, at, a: [p.multiply(p.number(-1), p.place("sin", a))],
    "atan": lambda p, at, a: [p.power(p.add_square(a, 1), -1)],
    "asin": lambda p, at, a: [p.power(p.add_square(a, -1), -_HALF)],
    "erf": lambda p, at, a: [p.bell(a)],
    "rounded": lambda p, at, a, value: [p.number(1)],
    "loggamma": lambda p, at, a, order: [p.place("loggamma", a, order + 1)],
}

_ONE: _Form = {(): Fraction(1)}
_MINUS: _Form = {(): Fraction(-1)}


class _OpenStep(Exception):
    """The sign of a form is asked for that nobody has said."""


class _Ring:
    """Polynomials over Q in generators, with exponents that may be negative, modulo relations.

    Generators: input k; pi; i, with square -1; exp m and turn m = exp(i m), of a monomial m, to
    rational powers; root f, to powers between 0 and 1; below f, to negative powers; log f, ...
    """

    def __init__(self, positive: set[int]) -> None:
        self.generators: list[tuple[str, Any]] = []
        self.signs: dict[Any, int] = {}
        self._known: dict[Any, int] = {}
        self._positive_inputs = positive
        self._products = 0

    def of(self, kind: str, argument: Any = None, exponent: Fraction | int = 1) -> _Form:
        key = (kind, frozenset(argument.items()) if isinstance(argument, dict) else argument)
        if key not in self._known:
            self._known[key] = len(self.generators)
            self.generators.append((kind, argument))
        return self.reduce(((self._known[key], Fraction(exponent)),))

    def sum(self, f: _Form, g: _Form, factor: Fraction | int = 1) -> _Form:
        result = dict(f)
        for monomial, coefficient in g.items():
            result[monomial] = result.get(monomial, Fraction(0)) + factor * coefficient
        return {monomial: c for monomial, c in result.items() if c}

    def product(self, f: _Form, g: _Form) -> _Form:
        self._products += len(f) * len(g)
        result: _Form = {}
        for m, c in f.items():
            for n, d in g.items():
                exponents = dict(m)
                for at, e in n:
                    exponents[at] = exponents.get(at, Fraction(0)) + e
                merged = tuple(sorted((at, e) for at, e in exponents.items() if e))
                for monomial, factor in self.reduce(merged).items():
                    result[monomial] = result.get(monomial, Fraction(0)) + factor * c * d
            if self._products > _MOST_PRODUCTS:
                raise Rejected("its polynomials are too long")
        return {monomial: c for monomial, c in result.items() if c}

    def reduce(self, monomial: _Monomial) -> _Form:
        kept, factors = [], []
        for at, e in monomial:
            kind, argument = self.generators[at]
            if kind == "i" and not 0 <= e < 2:
                factors.append(_ONE if e % 4 < 2 else _MINUS)
                e %= 2
            elif kind == "root" and not 0 <= e < 1:
                factors.append(self.whole_power(argument, int(e // 1)))
                e %= 1
            elif kind == "below" and e > 0:
                factors.append(self.whole_power(argument, int(e)))
                e = Fraction(0)
            if e:
                kept.append((at, e))
        result: _Form = {tuple(kept): Fraction(1)}
        for factor in factors:
            result = self.product(result, factor)
        return result

    def whole_power(self, f: _Form, n: int) -> _Form:
        base, result = self.invert(f) if n < 0 else f, _ONE
        for _ in range(abs(n)):
            result = self.product(result, base)
        return result

    def split(self, f: _Form) -> tuple[Fraction, _Monomial, _Form]:
        """A number, a monomial and a polynomial of which a form is the product."""
        least: dict[int, Fraction] = {}
        for at in {at for monomial in f for at, _ in monomial if self.generators[at][0] != "i"}:
            least[at] = min(dict(monomial).get(at, Fraction(0)) for monomial in f)
        shared = tuple((at, e) for at, e in sorted(least.items()) if e)
        rest = self.product(f, {tuple((at, -e) for at, e in shared): Fraction(1)}) if shared else f
        leading = rest[max(rest)]
        return leading, shared, {monomial: c / leading for monomial, c in rest.items()}

    def invert(self, f: _Form) -> _Form:
        leading, shared, rest = self.split(f)
        result = self.product({(): 1 / leading}, self.reduce(tuple((at, -e) for at, e in shared)))
        return result if rest == _ONE else self.product(result, self.of("below", rest, -1))

    def factors(self, f: _Form) -> tuple[_Form, list[tuple[_Form, Fraction]]]:
        """A form e, and forms with exponents: f is exp(e) times these powers, all positive."""
        leading, shared, rest = self.split(f)
        inner: _Form = {}
        powers: list[tuple[_Form, Fraction]] = []
        powers += [({(): prime}, sign) for prime, sign in _factorise(abs(leading))]
        rest = rest if leading > 0 else self.product(_MINUS, rest)
        for at, e in shared:
            kind, argument = self.generators[at]
            if kind == "exp" and all(self.generators[k][0] in _REAL for k, _ in argument):
                inner = self.sum(inner, {argument: e})
            elif kind == "pi" or (kind == "input" and argument in self._positive_inputs):
                powers.append(({((at, Fraction(1)),): Fraction(1)}, e))
            else:
                rest = self.product(rest, self.reduce(((at, e),)))
        return inner, powers if rest == _ONE else [*powers, (rest, Fraction(1))]

    def power(self, f: _Form, exponent: Fraction) -> _Form:
        if exponent.denominator == 1:
            return self.whole_power(f, int(exponent))
        inner, powers = self.factors(f)
        result = self.exp(self.product({(): exponent}, inner))
        for base, e in powers:
            result = self.product(result, self.of("root", base, e * exponent))
        return result

    def log(self, f: _Form) -> _Form:
        result, powers = self.factors(f)
        for base, e in powers:
            result = self.sum(result, self.of("log", base), e)
        return result

    def exp(self, f: _Form, kind: str = "exp") -> _Form:
        result = _ONE
        for monomial, c in f.items():
            is_plain = [e for _, e in monomial] == [1]
            inner, argument = self.generators[monomial[0][0]] if is_plain else ("", {})
            if kind == "exp" and inner == "log":
                factor = self.power(argument, c)
            elif kind == "turn" and inner == "pi" and (2 * c).denominator == 1:
                factor = self.of("i", None, 2 * c % 4)
            else:
                factor = self.of(kind, monomial, c)
            result = self.product(result, factor)
        return result

    def circular(self, f: _Form, sign: int) -> _Form:
        both = self.sum(self.exp(f, "turn"), self.exp(self.product(_MINUS, f), "turn"), sign)
        return self.product(self.product({(): _HALF}, both), self.of("i", None, 3 * (sign < 0)))

    def odd(self, kind: str, f: _Form) -> _Form:
        sign = _ONE if f and f[max(f)] > 0 else _MINUS
        return self.product(sign, self.of(kind, self.product(sign, f))) if f else f

    def step(self, f: _Form, side: int) -> _Form:
        """1 where f is positive and 0 where it is negative, by the sign that it is said to have."""
        if set(f) <= {()}:
            return _ONE if f.get((), side) > 0 else {}
        scaled = self.product({(): 1 / abs(f[max(f)])}, f)
        if scaled[max(scaled)] < 0:
            return self.sum(_ONE, self.step(self.product(_MINUS, scaled), side), -1)
        if (key := frozenset(scaled.items())) not in self.signs:
            raise _OpenStep(key)
        return _ONE if self.signs[key] else {}

    def is_zero(self, f: _Form) -> bool:
        """Whether a form is 0, once it is multiplied by all that divides in it, the last first."""
        while f:
            dividing = [p for m in f for p in m if self.generators[p[0]][0] == "below"]
            if not dividing:
                return False
            last = max(at for at, _ in dividing)
            depth = -min(e for at, e in dividing if at == last)
            f = self.product(f, {((last, depth),): Fraction(1)})
        return True


def _factorise(number: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """Numbers, of which small ones are primes, and exponents: these powers make `number`."""
    for part, sign in ((number.numerator, 1), (number.denominator, -1)):
        for prime in range(2, 1000):
            while part % prime == 0:
                part //= prime
                yield Fraction(prime), Fraction(sign)
        if part > 1:
            yield Fraction(part), Fraction(sign)


_FORMS: dict[str, Callable[..., _Form]] = {
    "input": lambda ring, k: ring.of("input", k),
    "number": lambda ring, value: {(): value} if value else {},
    "pi": lambda ring: ring.of("pi"),
    "add": _Ring.sum,
    "mul": _Ring.product,
    "power": _Ring.power,
    "exp": _Ring.exp,
    "log": _Ring.log,
    "sin": lambda ring, a: ring.circular(a, -1),
    "cos": lambda ring, a: ring.circular(a, 1),
    **{kind: lambda ring, a, kind=kind: ring.odd(kind, a) for kind in _ATOMS},
    "loggamma": lambda ring, a, order: ring.of(f"loggamma {order}", a),
    "step": _Ring.step,
    "rounded": lambda ring, a, value: a,
}

_ANYTHING = iv.mpf(["-inf", "inf"])


def _interval(low: Fraction, high: Fraction) -> Any:
    ends = [iv.mpf(end.numerator) / iv.mpf(end.denominator) for end in (low, high)]
    return iv.mpf([ends[0].a, ends[1].b])


def _bound_power(a: Any, exponent: Fraction) -> Any:
    if exponent < 0:
        below = _bound_power(a, -exponent)
        return _ANYTHING if 0 in below else 1 / below
    if exponent.denominator == 1:
        return a ** int(exponent)
    if not a.a >= 0:
        return _ANYTHING
    power = _interval(exponent, exponent)
    ends = [iv.exp(power * iv.log(end)) if end > 0 else iv.mpf(0) for end in (a.a, a.b)]
    return iv.mpf([ends[0].a, ends[1].b])


def _bound_rounded(a: Any, value: Fraction) -> Any:
    meant = _interval(value, value)
    if not abs(a - meant).b <= (abs(meant) / 2**52).a:
        raise Rejected("a constant stands for another number")
    return a


_BOUNDS: dict[str, Callable[..., Any]] = {
    "number": lambda value: _interval(value, value),
    "pi": lambda: +iv.pi,
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a**2 if a is b is not _ANYTHING else a * b,
    "power": _bound_power,
    "exp": lambda a: iv.exp(a) if abs(a).b < 10**6 else iv.mpf([0, "inf"]),
    "log": lambda a: iv.log(a) if a.a > 0 else _ANYTHING,
    "sin": lambda a: iv.sin(a) if a.delta < 7 else iv.mpf([-1, 1]),
    "cos": lambda a: iv.cos(a) if a.delta < 7 else iv.mpf([-1, 1]),
    **dict.fromkeys(_ATOMS, lambda a: iv.mpf([-2, 2])),
    "loggamma": lambda a, order: _ANYTHING,
    "step": lambda a, side: iv.mpf([1 if a.a > 0 else 0, 0 if a.b < 0 else 1]),
    "rounded": _bound_rounded,
}

_HOLDS: dict[str, Callable[[Any], bool]] = {
    "is not 0": lambda a: a.a > 0 or a.b < 0,
    "is positive": lambda a: a.a > 0,
    "is not negative": lambda a: a.a >= 0,
    "is 0": lambda a: a.a == 0 == a.b,
    "is 1": lambda a: a.a == 1 == a.b,
}


@dataclass
class Proof:
    """What a certificate proves: entries of a quantity, on a share of the region."""

    case: str
    quantity: str
    share: Fraction
    assumptions: list[str] = field(default_factory=list)


def digest(certificate: dict[str, Any]) -> str:
    """The SHA-256 of all of a certificate but its digest."""
    body = {key: value for key, value in certificate.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def check(certificate: dict[str, Any]) -> Proof:
    """What a certificate proves; Rejected is raised if that is nothing."""
    try:
        if certificate["format"] != FORMAT or certificate["digest"] != digest(certificate):
            raise Rejected("its digest is that of something else")
        claim, region = certificate["claim"], _read("box", certificate["region"])
        boxes = [[_read("box", box) for box in part["boxes"]] for part in certificate["parts"]]
        share = _share_of([box for each in boxes for box in each], region)
        proof = Proof(claim["case"], claim["quantity"], share)
        for part, own in zip(certificate["parts"], boxes, strict=True):
            _check_part(part, claim, own, proof)
    except Rejected:
        raise
    except Exception as error:  # whatever the file holds
        raise Rejected(f"it cannot be read: {error!r}") from error
    return proof


def _share_of(boxes: Sequence[_Box], region: _Box) -> Fraction:
    """How much of the region the boxes are, which lie in it and do not overlap."""
    for box in boxes:
        if not all(a <= c < d <= b for (a, b), (c, d) in zip(region, box, strict=True)):
            raise Rejected("a box is not inside of the region")
    for box, other in combinations(boxes, 2):
        if all(a < d and c < b for (a, b), (c, d) in zip(box, other, strict=True)):
            raise Rejected("two boxes overlap")
    sizes = [prod(high - low for low, high in box) for box in (region, *boxes)]
    return Fraction(sum(sizes[1:])) / sizes[0]


def _check_part(part: Any, claim: Any, boxes: Sequence[_Box], proof: Proof) -> None:
    iv.prec = 120
    p = _Program(len(boxes[0]))
    places = p.read(part["program"])
    outputs, claimed = ([places[at] for at in part[name]] for name in ("function", "claimed"))
    exact = p.derivative(claim, outputs)
    if not exact or len(exact) != len(claimed):
        raise Rejected(f"{len(claimed)} entries are claimed of {len(exact)}")
    rows = p.needed([*outputs, *claimed, *exact, *(places[at] for at in part["defined"])])
    chosen = [(places[at], f"is {value}") for at, value in part["conditions"]]
    if p.undecided(boxes, chosen, _MOST_EVALUATIONS):
        raise Rejected("a condition of its path does not hold all over the boxes")
    fixed: dict[int, _Form] = {}
    for words, value in (("is 0", {}), ("is 1", _ONE)):
        asked = [(at, words) for at in rows if p.rows[at][0] == "step"]
        fixed |= {at: value for at, _ in set(asked) - set(p.undecided(boxes, asked, 0))}
    asked = list(dict.fromkeys(p.conditions([at for at in rows if at not in fixed])))
    _check_call(p, part["call"], boxes, asked, (outputs, claimed))
    ring = _Ring({k for k in range(len(boxes[0])) if all(box[k][0] > 0 for box in boxes)})
    for k, pair in enumerate(zip(claimed, exact, strict=True)):
        if not _is_equal(p, ring, pair, fixed):
            raise Rejected(f"entry {k} is not shown to be the derivative")
    told = [f"{p.write(at)} {what}" for at, what in p.undecided(boxes, asked, _MOST_EVALUATIONS)]
    proof.assumptions = list(dict.fromkeys([*proof.assumptions, *told]))


def _is_equal(p: _Program, ring: _Ring, pair: tuple[int, int], fixed: dict[int, _Form]) -> bool:
    """Whether two rows are equal in every case of the steps that are not fixed."""
    rows, cases = p.needed(pair), [dict[Any, int]()]
    for _ in range(_MOST_CASES):
        if not cases:
            return True
        ring.signs = cases.pop()
        forms = dict(fixed) if ring.signs else fixed  # which holds what depends on no step
        try:
            for at in rows:
                forms[at] = forms[at] if at in forms else p.apply(at, _FORMS, forms, ring)
        except _OpenStep as step:
            cases += [{**ring.signs, step.args[0]: value} for value in (0, 1)]
        else:
            if not ring.is_zero(ring.sum(forms[pair[0]], forms[pair[1]], -1)):
                return False
    raise Rejected("it has too many cases")


def _check_call(p: _Program, call: Any, boxes: Any, asked: Any, programs: Any) -> None:
    """See that at a point all is defined, and computes what function and claim have returned."""
    x, *returned = ([_read("q", number) for number in numbers] for numbers in call)
    sides = [zip(x, box, strict=True) for box in boxes]
    if not any(all(low <= each <= high for each, (low, high) in side) for side in sides):
        raise Rejected("it was not called in its boxes")
    wanted = p.needed([*programs[0], *programs[1], *(at for at, _ in asked)])
    found = p.enclose(tuple((each, each) for each in x), wanted)
    if not all(_HOLDS[words](found[at]) for at, words in asked):
        raise Rejected("it is not defined where it was called")
    for rows, values in zip(programs, returned, strict=True):
        scale = max(map(abs, values)) / 2**20
        for at, value in zip(rows, values, strict=True):
            near = _interval(value - scale, value + scale)
            if not (found[at].a <= near.b and near.a <= found[at].b):
                raise Rejected("a program does not compute what was returned")


def replay(folder: Path) -> Iterator[tuple[bool, str]]:
    """Whether each certificate in a folder is accepted, and what it proves, in words."""
    for path in sorted(folder.glob("*.json")):
        try:
            proof = check(json.loads(path.read_text()))
        except (Rejected, ValueError, RecursionError) as error:
            yield False, f"{path.name}: REJECTED: {error}"
        else:
            words = (
                f"{path.name}: {proof.quantity} of {proof.case} proved on {float(proof.share):.2%}"
            )
            yield True, "\n  assuming that ".join([words, *proof.assumptions])


if __name__ == "__main__":
    results = list(replay(Path(sys.argv[1])))
    print(*(told for _, told in results), sep="\n")
    sys.exit(not results or not all(is_accepted for is_accepted, _ in results))
