"""Tokens, variables and guards with their values, as people read them: `seq 4, size 64 B`, `12 us < 11 us`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from petri.catalogue.operations import COMPARISONS
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.engine.lets import Known, readable, value_of
from petri.net import Expr, Let, Net, Scalar, Slot, Token, Transition, Variable
from petri.report.telling.expressions import ExpressionText, operand_shown
from petri.report.telling.quantities import Units, compact, joined

_COMPARED: Final = {op: sign for sign, op in COMPARISONS.items()}
_DIGITS: Final = 6


class Values:
    """Writes the values of one net; they come as the engine keeps them, with times in ticks."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.units = Units.of(net)
        self.words = ExpressionText(net)

    def time(self, ticks: float) -> str:
        return self._shown(self.net.tick.time(ticks), "Time", 8)

    def scalar(self, value: Scalar, dimension: str = "", labels: Sequence[str] = ()) -> str:
        """Return a number with its unit, or the name of an enumeration's value."""
        if labels and isinstance(value, int) and 0 <= value < len(labels):
            return labels[value]
        if isinstance(value, int) and not dimension:
            return f"{value}"
        return self._shown(self.net.tick.quantity(value, dimension), dimension, _DIGITS)

    def _shown(self, value: float, dimension: str, digits: int) -> str:
        scale = self.units.scale(value, dimension)
        return joined(compact(value * scale.factor, digits), scale.unit)

    def token(self, token: Token, slots: Sequence[Slot]) -> str:
        """`seq 4, size 64 B, s [shared, invalid]`; of a colour of one value this alone."""
        texts = [self.scalar(value, slot.dimension, slot.labels) for value, slot in zip(token, slots, strict=True)]
        return named_values([slot.name for slot in slots], texts)

    def slots(self, wanted: Mapping[int, Scalar], slots: Sequence[Slot]) -> str:
        """Return some of a token's values."""
        return self.token(tuple(wanted.values()), [slots[slot] for slot in wanted])

    def variables(self, transition: Transition, values: Sequence[Scalar | None], known: Known | None = None) -> str:
        """`i = 1, s = 64 B`: those that have a value, and what the transition calls by a name (`let`)."""
        bound: list[tuple[Variable | Let, Scalar | None]] = [*zip(transition.variables, values, strict=False)]
        if transition.lets and len(values) == len(transition.variables) and (not values or set(values) != {None}):
            known = known or Known()
            bound += [(let, value_of(let, self.net, values, known)) for let in readable(transition.lets, known)]
        pairs = [(one, value) for one, value in bound if value is not None]
        texts = [self.scalar(value, one.dimension, one.labels) for one, value in pairs]
        return named_values([one.name for one, _ in pairs], texts, " = ")

    def condition(self, e: Expr, variables: Sequence[Variable], context: Context) -> str:
        """Return a condition in which values stand on both sides of each comparison: `12 us < 11 us`."""
        if e.op == "not":
            return f"not ({self.condition(e.args[0], variables, context)})"
        if e.op in ("and", "or"):
            parts = [(a.op, self.condition(a, variables, context)) for a in e.args]
            return f" {e.op} ".join(f"({text})" if op in ("and", "or") and op != e.op else text for op, text in parts)
        if e.op in _COMPARED:
            shown = next((one for a in e.args if any(one := operand_shown(a, variables))), ("", ()))
            return f" {_COMPARED[e.op]} ".join(self._value(a, shown, context) for a in e.args)
        return self._value(e, operand_shown(e, variables), context)

    def _value(self, e: Expr, shown: tuple[str, Sequence[str]], context: Context) -> str:
        try:
            value = evaluate(e, context)
        except ModelError:
            return "…"
        return str(value).lower() if isinstance(value, bool) else self.scalar(value, *shown)


def named_values(names: Sequence[str], texts: Sequence[str], between: str = " ") -> str:
    """`seq 4, s [shared, invalid]`: the elements of a vector, which follow one another, behind its name."""
    shown: list[str] = []
    pairs = zip(names, texts, strict=True)
    for name, group in groupby(pairs, lambda pair: pair[0].rpartition("[")[0] if pair[0].endswith("]") else pair[0]):
        values = list(group)
        vector = values[0][0] != name
        text = f"[{', '.join(text for _, text in values)}]" if vector else values[0][1]
        shown.append(f"{name}{between}{text}" if name else text)
    return ", ".join(shown)
