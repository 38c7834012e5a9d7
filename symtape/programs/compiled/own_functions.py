"""Functions that are written in LLVM's own operations, and in those of libraries.

Those of integers are given their bits as floats.
"""

from __future__ import annotations

from typing import Final

import numpy as np

_READ_BITS: Final = ("%x = bitcast T %a to I", "%y = bitcast T %b to I")
_WRITE_BITS: Final = "%r = bitcast I %z to T"
_LEAST: Final = "{-0.0}"
"""The float whose bits are those of the least integer."""

_INTEGERS: Final = {
    **{
        f"{name}_integers": (*_READ_BITS, f"%z = {operation} I %x, %y", _WRITE_BITS)
        for name, operation in (("add", "add"), ("subtract", "sub"), ("multiply", "mul"))
    },
    "square_integers": (_READ_BITS[0], "%z = mul I %x, %x", _WRITE_BITS),
    "negative_integers": (_READ_BITS[0], "%z = sub I zeroinitializer, %x", _WRITE_BITS),
    **{
        f"{name}_integers": (*_READ_BITS, f"%r = icmp {comparison} I %x, %y")
        for name, comparison in (
            *(("less", "slt"), ("less_equal", "sle"), ("greater", "sgt")),
            *(("greater_equal", "sge"), ("equal", "eq"), ("not_equal", "ne")),
        )
    },
    **{
        f"{name}_integers": (
            *_READ_BITS,
            f"%first = icmp {comparison} I %x, %y",
            "%r = select B %first, T %a, T %b",
        )
        for name, comparison in (("maximum", "sgt"), ("minimum", "slt"))
    },
    **{
        f"{name}_integers": (
            *_READ_BITS,
            "%rest = srem I %x, %y",
            "%is_low = icmp slt I %rest, zeroinitializer",
            *lines,
            _WRITE_BITS,
        )
        for name, lines in (
            (
                "remainder",
                ("%high = add I %rest, %y", "%z = select B %is_low, I %high, I %rest"),
            ),
            (
                "floor_divide",
                ("%q = sdiv I %x, %y", "%one = sext B %is_low to I", "%z = add I %q, %one"),
            ),
        )
    },
    "to_floats": ("%x = bitcast T %a to I", "%r = sitofp I %x to T"),
    "to_integers": (
        # C says nothing of what is beyond an integer; on x86 it becomes the least one.
        "%size = call T @llvm.fabs.S(T %a)",
        "%fits = fcmp olt T %size, {9.223372036854775808e18}",
        "%z = fptosi T %a to I",
        "%bits = bitcast I %z to T",
        f"%r = select B %fits, T %bits, T {_LEAST}",
    ),
}

OPERATIONS: Final[dict[str, tuple[str, ...]]] = {
    **_INTEGERS,
    "sqrt": ("%r = call T @llvm.sqrt.S(T %a)",),
    "fabs": ("%r = call T @llvm.fabs.S(T %a)",),
    "floor": ("%r = call T @llvm.floor.S(T %a)",),
    "ceil": ("%r = call T @llvm.ceil.S(T %a)",),
    "trunc": ("%r = call T @llvm.trunc.S(T %a)",),
    "rint": ("%r = call T @llvm.rint.S(T %a)",),
    "copysign": ("%r = call T @llvm.copysign.S(T %a, T %b)",),
    **{
        f"{name}_singles": (
            f"%x = {operation} T %a, %b",
            "%y = fptrunc T %x to F",
            "%r = fpext F %y to T",
        )
        for name, operation in (("add", "fadd"), ("multiply", "fmul"))
    },
    "to_singles": ("%x = fptrunc T %a to F", "%r = fpext F %x to T"),
    "reciprocal": ("%r = fdiv T {1.0}, %a",),
    **{
        name: (
            f"%better = fcmp {comparison} T %a, %b",
            f"%nan = fcmp uno T {tested}, {tested}",
            "%first = or B %better, %nan",
            "%r = select B %first, T %a, T %b",
        )
        for name, comparison, tested in (
            *(("maximum", "ogt", "%a"), ("minimum", "olt", "%a")),
            *(("fmax", "ogt", "%b"), ("fmin", "olt", "%b")),
        )
    },
    "sign": (
        "%more = fcmp ogt T %a, {0.0}",
        "%less = fcmp olt T %a, {0.0}",
        "%zero = fcmp oeq T %a, {0.0}",
        "%low = select B %less, T {-1.0}, T %a",
        "%high = select B %more, T {1.0}, T %low",
        "%r = select B %zero, T {0.0}, T %high",
    ),
    "cube": ("%s = fmul T %a, %a", "%r = fmul T %s, %a"),
    "fourth": ("%s = fmul T %a, %a", "%r = fmul T %s, %s"),
    **{
        name: (
            "%root = call T @llvm.sqrt.S(T %a)",
            *lines,
            "%low = fcmp oeq T %a, {-inf}",
            # Of a root of -0.0 some products are -0.0.
            "%size = call T @llvm.fabs.S(T %p)",
            f"%r = select B %low, T {{{of_low}}}, T %size",
        )
        for name, of_low, lines in (
            ("root_cubed", "inf", ("%p = fmul T %root, %a",)),
            ("root_to_fifth", "inf", ("%s = fmul T %a, %a", "%p = fmul T %root, %s")),
            ("inverse_root", "0.0", ("%p = fdiv T {1.0}, %root",)),
            ("inverse_root_cubed", "0.0", ("%i = fdiv T {1.0}, %root", "%p = fdiv T %i, %a")),
        )
    },
    "inverse_square": ("%i = fdiv T {1.0}, %a", "%r = fdiv T %i, %a"),
    "isnan": ("%r = fcmp uno T %a, %a",),
    "isfinite": ("%size = call T @llvm.fabs.S(T %a)", "%r = fcmp olt T %size, {inf}"),
    "isinf": ("%size = call T @llvm.fabs.S(T %a)", "%r = fcmp oeq T %size, {inf}"),
    "signbit": ("%one = call T @llvm.copysign.S(T {1.0}, T %a)", "%r = fcmp olt T %one, {0.0}"),
    "expit": (
        "%less = fneg T %a",
        "%e = call T @{exp}(T %less)",
        "%s = fadd T {1.0}, %e",
        "%r = fdiv T {1.0}, %s",
    ),
    "tanh": (
        # By one function that vectors have quickly, and accurate near 0 as it is.
        "%size = call T @llvm.fabs.S(T %a)",
        "%x = fmul T {-2.0}, %size",
        "%e = call T @{expm1}(T %x)",
        "%less = fneg T %e",
        "%s = fadd T {2.0}, %e",
        "%q = fdiv T %less, %s",
        "%r = call T @llvm.copysign.S(T %q, T %a)",
    ),
    "logaddexp": (
        "%less = fsub T %a, %b",
        "%size = call T @llvm.fabs.S(T %less)",
        "%low = fneg T %size",
        "%e = call T @{exp}(T %low)",
        "%rest = call T @{log1p}(T %e)",
        "%same = fcmp oeq T %a, %b",  # infinities among them, of which the difference is NaN
        "%most = call T @{maximum}(T %a, T %b)",
        "%added = select B %same, T {0.6931471805599453}, T %rest",
        "%r = fadd T %most, %added",
    ),
    "ndtr": (
        "%x = fmul T %a, {-0.7071067811865476}",
        "%e = call T @{erfc}(T %x)",
        "%r = fmul T {0.5}, %e",
    ),
    **{
        name: (
            "%low = call T @{minimum}(T %a, T {60.0})",
            "%x = call T @{maximum}(T %low, T {-60.0})",
            "%short = fptrunc T %x to F",
            "%high = fpext F %short to T",
            "%less = fsub T %x, %high",
            "%sum = fadd T %x, %high",
            "%rest = fmul T %less, %sum",
            "%square = fmul T %high, %high",
            f"%p = fmul T {{{factor}}}, %square",
            f"%q = fmul T {{{factor}}}, %rest",
            "%e = call T @{exp}(T %p)",
            "%f = call T @{exp}(T %q)",
            "%g = fmul T %e, %f",
            f"%r = fmul T {{{scale}}}, %g",
        )
        for name, factor, scale in (
            ("normal_density", -0.5, 1 / np.sqrt(2 * np.pi)),
            ("erf_slope", -1.0, 2 / np.sqrt(np.pi)),
            ("erfi_slope", 1.0, 2 / np.sqrt(np.pi)),
        )
    },
}
"""Functions of ``%a`` and ``%b`` that give ``%r``.

Of floats T, with truth values B, float32s F and int64s I.
"""

FAR: Final[dict[str, tuple[str, ...]]] = {
    **{
        name: (
            # What underflows is a square of what does not.
            f"%low = fcmp olt T %a, {{{least}}}",
            "%half = fmul T {0.5}, %a",
            f"%deep = fcmp olt T %half, {{{0.6 * least}}}",
            f"%cut = select B %deep, T {{{0.6 * least}}}, T %half",
            "%x = select B %low, T %cut, T %a",
            "%e = call T @{near}(T %x)",
            "%f = select B %deep, T {0.0}, T %e",
            "%s = fmul T %e, %f",
            "%r = select B %low, T %s, T %e",
        )
        for name, least in (("exp", -707.0), ("exp2", -1021.0))
    },
    "expm1": (
        "%low = fcmp olt T %a, {-50.0}",
        "%x = select B %low, T {-50.0}, T %a",
        "%r = call T @{near}(T %x)",
    ),
}
"""Functions of vectors where a library computes them one by one, as in the tail of a Gaussian.

The first operation is the test for it; the others give the function by the library's elsewhere.
"""
