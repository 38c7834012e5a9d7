"""Every operation of torch's core opset is read, or refused with a reason."""

from __future__ import annotations

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

from symtape.frontends.aten import rows
from symtape.frontends.aten.table import READINGS, REFUSED, elementwise, reads


def core_operations():
    """The overloads that torch itself calls core, by their names."""
    found = []
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        packet = getattr(torch.ops.aten, name, None) if namespace == "aten" else None
        overload = getattr(packet, schema.overload_name or "default", None)
        if overload is not None and torch.Tag.core in overload.tags:
            found.append(overload)
    return found


def takes_a_tensor(overload):
    return any("Tensor" in str(argument.type) for argument in overload._schema.arguments)


def account(overload):
    """What becomes of an operation."""
    name = overload._opname
    if rows.reading_of(name.removesuffix("_"), overload._overloadname):
        return "read"
    if name.removesuffix("_") in REFUSED:
        return "refused"
    if name in rows.SILENT | rows.LOOKING or not takes_a_tensor(overload):
        return "needs no reading"
    if torch.Tag.nondeterministic_seeded in overload.tags:
        return "refused"
    if overload._can_decompose() or overload in torch._decomp.decomposition_table:
        return "taken apart"
    return "forgotten"


def test_the_core_opset_is_accounted_for():
    accounts = {str(overload): account(overload) for overload in core_operations()}
    assert len(accounts) > 150
    assert [name for name, how in accounts.items() if how == "forgotten"] == []
    refused = {name for name, how in accounts.items() if how == "refused"}
    assert len(refused) <= 10


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_has_a_reason_and_no_reading(name):
    assert len(REFUSED[name]) > 15
    assert name not in READINGS
    assert hasattr(torch.ops.aten, name)


def test_every_reading_is_of_an_operation_that_torch_has():
    unknown = []
    for name in READINGS:
        packet, _, overload = name.partition(".")
        operation = getattr(torch.ops.aten, packet, None) or getattr(
            torch.ops.aten, packet + "_", None
        )
        if operation is None or (overload and overload not in operation.overloads()):
            unknown.append(name)
    assert unknown == []


def test_an_operation_is_read_in_one_place():
    with pytest.raises(ValueError, match="read twice: sin"):
        elementwise({"sin": abs})
    with pytest.raises(ValueError, match="read twice: cat"):
        reads("cat")(list)
