"""Expressions of the flat net as text, in the spelling of the `.net` language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri.net import Expr, InputArc, Match, Net, OutputArc, Transition, Variable
from petri.report.quantities import Units, exact, exact_quantity
from petri.report.source import written

_INFIX = {
    "or": (1, " or "),
    "and": (2, " and "),
    "eq": (4, " == "),
    "ne": (4, " != "),
    "lt": (4, " < "),
    "le": (4, " <= "),
    "gt": (4, " > "),
    "ge": (4, " >= "),
    "add": (6, " + "),
    "sub": (6, " - "),
    "mul": (7, " * "),
    "div": (7, " / "),
    "idiv": (7, " div "),
    "mod": (7, " mod "),
}
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ATOM = 9
_LONGEST_NAME = 24
# Which arguments have the dimension of the result.
_ALIKE = {"add", "sub", "neg", "min", "max", "abs", "exp", "uniform", "real"}
_LAST_ALIKE = {"erlang", "pareto"}


class ExpressionText:
    """Writes the expressions of one net; with `sources`, constants as written there (`me` instead of `3`)."""

    def __init__(self, net: Net, sources: Mapping[str, str] | None = None) -> None:
        self.net = net
        self.sources = sources or {}
        self.units = Units(net.seconds)

    def of(self, e: Expr, variables: Sequence[Variable], dimension: str = "") -> str:
        """The expression; `dimension` is that of its value, so constants are shown with their units."""
        return self._write(e, variables, dimension, 0)

    def _write(self, e: Expr, variables: Sequence[Variable], dimension: str, outer: int) -> str:
        text, strength = self._with_strength(e, variables, dimension)
        return f"({text})" if strength < outer else text

    def _with_strength(self, e: Expr, variables: Sequence[Variable], dimension: str) -> tuple[str, int]:
        if e.op == "real":  # conversions are silent in the language
            return self._with_strength(e.args[0], variables, dimension)
        if e.op in _INFIX:
            return self._infix(e, variables, dimension), _INFIX[e.op][0]
        if e.op == "not":
            return f"not {self._write(e.args[0], variables, '', 4)}", 3
        if e.op == "neg":
            return f"-{self._write(e.args[0], variables, dimension, 8)}", 8
        if e.op == "if":
            condition = self._write(e.args[0], variables, "", 1)
            then, otherwise = (self._write(a, variables, dimension, 1) for a in e.args[1:])
            return f"if {condition} then {then} else {otherwise}", 0
        return self._atom(e, variables, dimension), _ATOM

    def _infix(self, e: Expr, variables: Sequence[Variable], dimension: str) -> str:
        strength, sign = _INFIX[e.op]
        inner = ""
        if e.op in _ALIKE:
            inner = dimension
        elif e.op in _COMPARISONS:
            inner = next((found for a in e.args if (found := _dimension(a, variables))), "")
        left = self._write(e.args[0], variables, inner, strength + (e.op in _COMPARISONS))
        labels: Sequence[str] = next((names for a in e.args if (names := _labels(a, variables))), ())
        if e.op in _COMPARISONS and labels and e.args[1].op == "const":
            return f"{left}{sign}{_label(e.args[1], labels)}"
        return left + sign + self._write(e.args[1], variables, inner, strength + 1)

    def _atom(self, e: Expr, variables: Sequence[Variable], dimension: str) -> str:
        if e.op == "const":
            return self._constant(e, dimension)
        if e.op == "var":
            return variables[_index(e)].name
        if e.op == "tokens":
            return f"tokens({self.net.places[_index(e)].name})"
        if e.op == "table":
            return f'table("{self.net.tables[_index(e)].name}")'
        if e.op in ("now", "end"):
            return e.op
        if e.op == "uniform" or e.op == "uniform_int":
            low, high = (self._write(a, variables, dimension, 6) for a in e.args)
            return f"uniform({low}..{high})"
        if e.op == "choice":
            values = [self._write(a, variables, dimension, 1) for a in e.args[::2]]
            weights = [self._write(a, variables, "", 1) for a in e.args[1::2]]
            return "choice(" + ", ".join(f"{v}: {w}" for v, w in zip(values, weights, strict=True)) + ")"
        return f"{e.op}({self._arguments(e, variables, dimension)})"

    def _arguments(self, e: Expr, variables: Sequence[Variable], dimension: str) -> str:
        dimensions = [dimension if e.op in _ALIKE else ""] * len(e.args)
        if e.op in _LAST_ALIKE:
            dimensions[-1] = dimension
        elif e.op == "lognormal":
            dimensions[0] = dimension
        return ", ".join(self._write(a, variables, d, 1) for a, d in zip(e.args, dimensions, strict=True))

    def _constant(self, e: Expr, dimension: str) -> str:
        name = written(e.span, self.sources)
        if name is not None and len(name) <= _LONGEST_NAME:
            return name
        if e.kind == "bool":
            return "true" if e.value else "false"
        if e.value == 0 and dimension:
            return "0"
        return exact_quantity(self.units, e.value or 0, dimension)

    # ------------------------------------------------------------ arcs

    def pattern(self, arc: InputArc, transition: Transition) -> str:
        """An input arc's inscription: `p`, `j, 3`, `2` black tokens; "" for one black token or any coloured one."""
        place = self.net.places[arc.place]
        if not place.colour.slots:
            return "" if arc.count is None else self.of(arc.count, transition.variables)
        parts = []
        for match, slot in zip(arc.pattern, place.colour.slots, strict=True):
            parts.append((slot.name, self._match(match, slot.labels, transition.variables, slot.dimension)))
        return _gathered(parts)

    def inscription(self, arc: OutputArc, transition: Transition) -> str:
        """The inscription of an output arc: its number and its values, without its condition."""
        slots = self.net.places[arc.places[0]].colour.slots
        count = "" if arc.count is None else self.of(arc.count, transition.variables)
        parts = []
        for value, slot in zip(arc.values, slots, strict=True):
            text = (
                _label(value, slot.labels)
                if value.op == "const" and slot.labels
                else self.of(value, transition.variables, slot.dimension)
            )
            parts.append((slot.name, text))
        values = _gathered(parts)
        return f"{count} * ({values})" if count and values else count or values

    def _match(self, match: Match, labels: Sequence[str], variables: Sequence[Variable], dimension: str) -> str:
        if match.bind is not None:
            return variables[match.bind].name
        if match.equal is None:
            return "_"
        if labels and match.equal.op == "const":
            return _label(match.equal, labels)
        return self.of(match.equal, variables, dimension)


def _gathered(parts: list[tuple[str, str]]) -> str:
    """The values of a colour's slots as a list; a whole record (`p.seq, p.size`) is written `p` again."""
    if all(text == "_" for _, text in parts):
        return ""
    return ", ".join(_whole(parts))


def _whole(parts: list[tuple[str, str]]) -> list[str]:
    slot, text = parts[0]
    stem = text.removesuffix("." + slot) if slot else text
    if stem != text and all(value == f"{stem}.{name}" for name, value in parts):
        return [stem]
    if not slot:
        return [text]
    fields: dict[str, list[tuple[str, str]]] = {}
    for name, value in parts:
        field, _, rest = name.partition(".")
        fields.setdefault(field, []).append((rest, value))
    return [text for field in fields.values() for text in _whole(field)]


def _index(e: Expr) -> int:
    assert isinstance(e.value, int)
    return e.value


def _label(e: Expr, labels: Sequence[str]) -> str:
    index = int(e.value or 0)
    return labels[index] if 0 <= index < len(labels) else exact(index)


def _labels(e: Expr, variables: Sequence[Variable]) -> Sequence[str]:
    return variables[_index(e)].labels if e.op == "var" else ()


def _dimension(e: Expr, variables: Sequence[Variable]) -> str:
    """The dimension that an operand of a comparison shows on its own."""
    if e.op == "var":
        return variables[_index(e)].dimension
    if e.op in ("now", "end"):
        return "Time"
    return next((found for a in e.args if (found := _dimension(a, variables))), "") if e.op in _ALIKE else ""
