"""A net, or part of one, with one thing changed: what distinguishes transitions that are otherwise alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from petri.catalogue.operations import OPERATIONS
from petri.net import Clock, Draw, Expr, InhibitorArc, InputArc, Match, OutputArc, Place, Slot
from petri.structs import Frozen, fields, replace

ONE = Expr("const", "int", value=1)
TWO = Expr("const", "int", value=2)
HALF = Expr("const", "real", value=0.5)
TRUE = Expr("const", "bool", value=True)
# What may stand where there is nothing.
MISSING: dict[tuple[type, str], tuple[object, ...]] = {
    (Place, "capacity"): (1, 7),
    (Slot, "low"): (0,),
    (Slot, "high"): (3, 9),
    (Match, "equal"): (ONE,),
    (Clock, "servers"): (2,),
    (Clock, "speed"): (HALF, Expr("sqrt", "real", (HALF,))),
    (InputArc, "count"): (TWO, Expr("abs", "int", (TWO,))),
    (InhibitorArc, "threshold"): (TWO,),
    (OutputArc, "count"): (TWO, Expr("abs", "int", (TWO,))),
    (OutputArc, "condition"): (TRUE, Expr("not", "bool", (TRUE,))),
}
# What a net cannot do without, or what is not the engine's business.
FIXED = {"name", "span", "doc", "kind", "labels", "dimension", "variables", "stream", "colour.name"}


def distributions() -> Iterator[tuple[str, ...]]:
    """Yield those whose parameters are of the same kinds, and their values too."""
    groups = defaultdict(list)
    for name, one in OPERATIONS.items():
        if one.draws and one.kind and one.parameters:
            groups[one.kind, *(parameter.kind for parameter in one.parameters)].append(name)
    return map(tuple, groups.values())


# Operations of as many operands of the same kinds.
SIBLINGS = (
    ("add", "sub", "mul", "min", "max"),
    ("idiv", "mod", "within"),
    ("abs", "neg"),
    ("floor", "ceil", "round"),
    ("sqrt", "ln"),
    ("eq", "ne", "lt", "le", "gt", "ge"),
    ("and", "or"),
    ("now", "end"),
    ("table", "empirical"),
    *distributions(),
)

# Words of the flat net.
WORDS = (("bag", "fifo", "lifo"), ("restart", "resume", "repeat"))


def variants(value: Any) -> Iterator[Any]:
    """Yield all that a value becomes when one thing in it changes. Some of it may be part of no net."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        yield value - 1
    elif isinstance(value, float):
        yield from (0.0, 1.0, value + 0.5)
    elif isinstance(value, str):
        yield from (other for group in (*SIBLINGS, *WORDS) if value in group for other in group)
    elif isinstance(value, tuple):
        for i, entry in enumerate(value):
            yield value[:i] + value[i + 1 :]
            yield (*value[: i + 1], *value[i:])
            yield from ((*value[:i], other, *value[i + 1 :]) for other in variants(entry))
    elif isinstance(value, Frozen):
        yield from of_fields(value)


def of_fields(value: Frozen) -> Iterator[Frozen]:
    for name in fields(type(value)):
        if name in FIXED:
            continue
        now = getattr(value, name)
        others = [*variants(now)]
        if now is None:
            others += MISSING.get((type(value), name), ())
        elif (type(value), name) in MISSING or name in ("guard", "key"):
            others.append(None)
        yield from (replace(value, **{name: other}) for other in others if other != now)
    if isinstance(value, Expr) and value.op not in ("var", "tokens", "table") and value.kind == "real":
        yield from (replace(value, op=op, args=args, value=None) for op, args in REAL)
    if isinstance(value, Draw):
        yield replace(value, expression=Expr("const", value.expression.kind, value=1))


MEAN = Expr("const", "real", value=3.0)
REAL = (("exp", (MEAN,)), ("exp", (Expr("now", "real"),)), ("now", ()), ("sqrt", (MEAN,)))
