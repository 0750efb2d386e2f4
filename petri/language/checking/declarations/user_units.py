"""Units that a net declares itself: `unit cycle = 1 / clock`."""

from __future__ import annotations

from petri.language.checking.expressions.reader import Reader, local
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import constant, evaluate
from petri.language.meaning.scope import Scope, UnitSymbol
from petri.language.meaning.types import REAL, Scalar
from petri.language.problems import needed


def read_unit(checker: CheckState, unit: UnitSymbol, scope: Scope) -> None:
    """Compute the value of a user's unit. Raises CheckError if it has none; `node` then stays None."""
    owner = checker.owner_of_unit(unit, scope)
    reader = Reader(checker, owner, "the value of a unit")
    (value,) = reader.values(unit.declaration.value)
    reader.require_number(value, "unit")
    assert isinstance(value.type, Scalar)
    kind = value.type if value.type.kind == "real" else REAL
    (node,) = needed(reader.fit(value, kind))
    unit.dimension = value.type.dimension
    if owner.outer is None:
        unit.node = constant(evaluate(node, ()), "real", unit.span, node.power)
    else:
        unit.node = local(checker.keep_constant(owner, node), kind, unit.span)
