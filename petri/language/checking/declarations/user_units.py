"""Units that a net declares itself: `unit cycle = 1 / clock`."""

from __future__ import annotations

from petri.language.checking.expressions.reader import Reader, local
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import constant, evaluate
from petri.language.meaning.scope import Scope, UnitSymbol
from petri.language.meaning.types import REAL, Scalar, Unknown, plainly
from petri.language.problems import CheckError


def resolve_unit(checker: CheckState, unit: UnitSymbol, scope: Scope) -> None:
    """Compute the value of a user's unit; if it has none, the error is reported and `node` stays None."""
    if unit.state != "waiting":
        if unit.state == "busy":
            checker.problems.error("circular-definition", unit.span, name=unit.name)
        return
    unit.state = "busy"
    owner = checker.owner_of_unit(unit, scope)
    reader = Reader(checker, owner, "the value of a unit")
    value = reader.read(unit.declaration.value)
    unit.state = "done"
    if isinstance(value.type, Unknown):
        return
    if not isinstance(value.type, Scalar) or value.type.kind not in ("int", "real"):
        text = checker.problems.text(value.span)
        checker.problems.error("not-a-number", value.span, text=text, kind=plainly(value.type), operator="unit")
        return
    nodes = reader.fit(value, value.type if value.type.kind == "real" else REAL)
    if nodes is None:
        return
    unit.dimension = value.type.dimension
    if owner.outer is None:
        try:
            unit.node = constant(evaluate(nodes[0], ()), "real", unit.span, nodes[0].power)
        except CheckError as fault:
            checker.problems.fault(fault)
    else:
        number = checker.keep_constant(owner, nodes[0])
        unit.node = local(number, value.type if value.type.kind == "real" else REAL, unit.span)
