"""Expressions of the flat net as text: turned into a syntax tree, which the language's own printer writes."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from petri.catalogue.operations import BINARY, COMPARISONS, OPERATIONS
from petri.language.checking.nets.terms import split_term
from petri.language.layout.writing import expression as tree_text
from petri.language.syntax import tree
from petri.language.syntax.parser import parse
from petri.net import (
    DECISION,
    PRIORITIES,
    Clock,
    Expr,
    InputArc,
    Let,
    Match,
    Net,
    OutputArc,
    Place,
    Preference,
    Scalar,
    SetArc,
    Span,
    Transition,
    Variable,
)
from petri.report.telling.quantities import Units, exact, exact_quantity
from petri.report.telling.source import written
from petri.structs import Frozen
from petri.ticks import InTicks

_BINARY: Final = {op: sign for sign, op in BINARY.items()}
_LONGEST_SOURCE: Final = 24
_NOWHERE: Final = Span("", 0, 0, 0, 0)
_BEFORE: Final = "const x = "  # what makes a file of an expression
_SET: Final = re.compile(r"(?:all\s+)?(?:up\s+to\s+)?(.*?)(?:\s+when\s+(.*))?", re.DOTALL)
_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\s*:)")  # that is not one of a field


class _Shown(Frozen):
    """How a value is shown: with the units of its dimension, or by the names of an enumeration."""

    dimension: str = ""
    labels: Sequence[str] = ()
    zero_unit: bool = False  # whether 0 needs its unit too: as a factor it does, as a term it does not


_PLAIN: Final = _Shown()
_TRUTH: Final = ("false", "true")
_NAMED: Final = {  # the first two are those of schedules
    PRIORITIES - 1: "highest priority",
    PRIORITIES - 2: "second highest priority",
    DECISION: "decide",
}


def priority_text(priority: int) -> str:
    return _NAMED.get(priority, f"priority {priority}")


def seen(arc: InputArc) -> str:
    """Return the word of an arc that sees all tokens of its place, with a blank: it takes any, or the first that
    fits.
    """
    return "first " if arc.in_turn else "any " * arc.any


class ExpressionText:
    """Writes the expressions of one net; with `sources`, constants as they stand there (`me` rather than `3`).

    What is written means the same when it is read again: `(1 - w) * x` keeps its parentheses.
    """

    def __init__(self, net: Net, sources: Mapping[str, str] | None = None) -> None:
        self.net = net
        self.sources = sources or {}
        self.units = Units.of(net)
        self.indices: Mapping[str, str] = {}
        self.lets: Sequence[Let] = ()

    def element(self, transition: Transition) -> ExpressionText:
        """Return the same for an element of an array: `takes n * 1 us` of `t[2]` is `2 * 1 us`."""
        found = copy.copy(self)
        values = re.findall(r"\[([^\]]*)\]", transition.name.rpartition(".")[2])
        found.lets = transition.lets
        found.indices = dict(zip(re.findall(r"(\w+)\s+in\b", self.loops(transition)), values, strict=False))
        return found

    def loops(self, transition: Transition) -> str:
        """`n in 0..3` of `transition t[n in 0..3]`, or nothing."""
        head = (written(transition.span, self.sources) or "").partition(":")[0].partition(" if ")[0]
        found = re.search(r"\[(.*)\]", head)
        return found[1] if found else ""

    def _written(self, span: Span | None) -> str | None:
        """Return the text of a span, with the values of the array's indices."""
        text = written(span, self.sources)
        return text and _NAME.sub(lambda name: self.indices.get(name[0], name[0]), text)

    def of(self, e: Expr, variables: Sequence[Variable], dimension: str = "") -> str:
        """Return the expression; `dimension` is that of its value, so that constants are shown with their units."""
        return tree_text(self._tree(e, variables, _Shown(dimension)))

    def as_written(self, e: Expr, variables: Sequence[Variable], dimension: str = "") -> str:
        """Return the expression as it stands in the source where that is at hand, else as `of`."""
        own = e.op == "const" and self._written(e.span) != written(e.span, self.sources)
        return (not own and self._written(e.span)) or self.of(e, variables, dimension)

    def _tree(self, e: Expr, variables: Sequence[Variable], shown: _Shown) -> tree.Expr:
        for let in self.lets:
            if e.op != "const" and (e == let.expression or (let.labels == _TRUTH and e in let.expression.args[:1])):
                return _name(let.name)
        if e.op in ("real", "not", "neg", "if") or e.op in _BINARY:
            return self._operation(e, variables, shown)
        if e.op == "within":  # as the list that it guards is written out
            return self._tree(e.args[0], variables, shown)
        if e.op in ("ticks", "units"):  # silent as well; what is converted to ticks is written in time units
            return self._tree(e.args[0], variables, _PLAIN if e.op == "ticks" else shown)
        if e.op == "const":
            return self._constant(e, shown)
        if e.op == "var":
            return _name(variables[_index(e)].name)
        if e.op == "tokens":
            return _call("tokens", _name(self.net.places[_index(e)].name))
        if e.op in ("table", "empirical"):
            return _call(e.op, tree.Text(self.net.tables[_index(e)].name, _NOWHERE))
        if e.op in ("now", "end"):
            return _name(e.op)
        if e.op in ("uniform", "uniform_int"):
            low, high = (self._tree(a, variables, shown) for a in e.args)
            return _call("uniform", tree.Range(low, high, _NOWHERE))
        if e.op == "choice":
            values = [self._tree(a, variables, shown) for a in e.args[::2]]
            weights = [self._tree(a, variables, _PLAIN) for a in e.args[1::2]]
            return _call("choice", *(tree.Weighted(v, w, _NOWHERE) for v, w in zip(values, weights, strict=True)))
        if e.op == "truncated_normal":
            mean, sd, low, high = (self._tree(a, variables, shown) for a in e.args)
            return _call("normal", mean, sd, tree.Range(low, high, _NOWHERE))
        return _call(e.op, *self._arguments(e, variables, shown))

    def _operation(self, e: Expr, variables: Sequence[Variable], shown: _Shown) -> tree.Expr:
        if e.op == "real" or _is_conversion(e, variables, shown):  # conversions are silent in the language
            return self._tree(e.args[0], variables, shown)
        if e.op == "not":
            return tree.Unary("not", self._tree(e.args[0], variables, _PLAIN), _NOWHERE)
        if e.op == "neg":
            return tree.Unary("-", self._tree(e.args[0], variables, shown), _NOWHERE)
        if (chosen := _element(e, variables)) is not None:
            stem, index = chosen
            return tree.Index(_name(stem), self._tree(index, variables, _PLAIN), _NOWHERE)
        if e.op == "if":
            condition = self._tree(e.args[0], variables, _PLAIN)
            then, otherwise = (self._tree(a, variables, shown) for a in e.args[1:])
            return tree.If(condition, then, otherwise, _NOWHERE)
        left, right = (self._tree(a, variables, s) for a, s in zip(e.args, _sides(e, variables, shown), strict=True))
        return _binary(_BINARY[e.op], left, right)

    def _arguments(self, e: Expr, variables: Sequence[Variable], shown: _Shown) -> list[tree.Expr]:
        parameters = OPERATIONS[e.op].parameters
        return [self._tree(a, variables, shown if p.alike else _PLAIN) for a, p in zip(e.args, parameters, strict=True)]

    def _constant(self, e: Expr, shown: _Shown) -> tree.Expr:
        text = written(e.span, self.sources)
        if text is not None and text != self._written(e.span):  # it has another value in each element of an array
            text = None
        if text is not None and len(text) <= _LONGEST_SOURCE and (found := _parsed(text)) is not None:
            return found
        value = self._in_units(e, shown.dimension)
        if shown.labels:
            return _name(_label(e, shown.labels))
        if e.kind == "bool":
            return _name("true" if value else "false")
        bare = not value and not shown.zero_unit
        quantity = "0" if bare else exact_quantity(self.units, abs(value), shown.dimension)
        number, _, unit = quantity.partition(" ")
        node = tree.Number(Fraction(0), number, unit or None, _NOWHERE)
        return tree.Unary("-", node, _NOWHERE) if value < 0 else node

    def _in_units(self, e: Expr, dimension: str) -> Scalar:
        """Return a constant in the net's time unit.

        One of a net that was read from a file is converted by its dimension.
        """
        value = e.value or 0
        if isinstance(value, InTicks):
            return value.written
        return self.net.tick.quantity(value, dimension) if e.kind == "real" else value

    def preference(self, transition: Transition, prefer: Preference) -> str:
        """`prefer least p.born`"""
        key = self.as_written(prefer.key, transition.variables)
        if prefer.then is not None:
            key = f"({key}, {self.as_written(prefer.then, transition.variables)})"
        return f"prefer {'most' if prefer.most else 'least'} {key}"

    def clock(self, transition: Transition, clock: Clock) -> Iterator[str]:
        """`after exp(5 ms)`, `servers all`, `resume`, `speed 1 / tokens(job)`: the clauses that are no defaults."""
        yield f"after {self.as_written(clock.time, transition.variables, 'Time')}"
        if clock.servers != 1:
            yield f"servers {'all' if clock.servers is None else clock.servers}"
        if clock.memory != "restart":
            yield clock.memory
        if clock.speed is not None:
            yield f"speed {self.as_written(clock.speed, transition.variables)}"

    # ------------------------------------------------------------ places

    def per(self, place: Place) -> str:
        """` per flow`, ` per (port, vc)`, or nothing."""
        names = [place.colour.slots[slot].name or "value" for slot in place.per]
        return "" if not names else f" per {names[0]}" if len(names) == 1 else f" per ({', '.join(names)})"

    def capacity(self, place: Place) -> str:
        """`cap 8`, `cap 32 KB of size`, or nothing."""
        if place.capacity is None or place.weight is None:
            return "" if place.capacity is None else f"cap {place.capacity}"
        limit = self.net.tick.quantity(place.capacity, place.measured_in)
        shown = exact_quantity(self.units, limit, place.measured_in) if limit else exact(limit)
        slots = [Variable(slot.name or "value", slot.kind, slot.labels, slot.dimension) for slot in place.colour.slots]
        return f"cap {shown} of {self.as_written(place.weight, slots, place.measured_in)}"

    # ------------------------------------------------------------ arcs

    def token(self, arc: InputArc | OutputArc, transition: Transition) -> str:
        """Return what an arc takes or gives as it stands in the source, `p with {size: 3}`, where that is at hand."""
        if isinstance(arc, OutputArc) and arc.each is not None:
            term = _in_term((self._written(arc.span) or "").removeprefix("each "))
            return f"each {(term and term[1]) or self.inscription(arc, transition)}"
        return (seen(arc) if isinstance(arc, InputArc) else "") + self._token(arc, transition)

    def set(self, arc: SetArc, transition: Transition) -> tuple[str, str, str]:
        """Return how many tokens a set has, `all` or `up to 8`, and the pattern and the condition of its arc, "" where
        there is none: `{n}` and `n > 3`.

        As they stand in the source where that is at hand; else the condition has both.
        """
        number = "all" if arc.most is None else f"up to {self.of(arc.most, transition.variables)}"
        found = _SET.fullmatch(self._written(arc.span) or "")
        term = found and _in_term(found[1])
        if found and term:
            return number, term[1], found[2] or ""
        variables = (*transition.variables, *self._of_token(arc.place, transition))
        return number, "", "" if arc.condition is None else self.of(arc.condition, variables)

    def _of_token(self, place: int, transition: Transition) -> tuple[Variable, ...]:
        """Return the slots of one token of a set, which are variables behind those of the transition."""
        taken = {variable.name for variable in transition.variables}
        found: list[Variable] = []
        for slot in self.net.places[place].colour.slots:
            name = slot.name or "value"
            name = f"{self.net.places[place].name}.{name}" if name in taken else name
            found.append(Variable(name, slot.kind, slot.labels, slot.dimension))
        return tuple(found)

    def _token(self, arc: InputArc | OutputArc, transition: Transition) -> str:
        text = self._written(arc.span)
        found = None if text is None else _in_term(text.removeprefix("read ").removeprefix("any "))
        place = self.net.places[arc.place if isinstance(arc, InputArc) else arc.places[0]]
        if found is None or bool(found[1]) != bool(place.colour.slots) or bool(found[0]) != (arc.count is not None):
            return self.pattern(arc, transition) if isinstance(arc, InputArc) else self.inscription(arc, transition)
        count, value = found
        if value:
            return "" if value == "_" else f"{count} * ({value})" if count else value
        return "" if arc.count is None else self.as_written(arc.count, transition.variables)

    def pattern(self, arc: InputArc, transition: Transition) -> str:
        """Return an input arc's inscription:

        `p`, `j, 3`, `2` black tokens; "" for one black token or any coloured one.
        """
        place = self.net.places[arc.place]
        if not place.colour.slots:
            return "" if arc.count is None else self.of(arc.count, transition.variables)
        parts = []
        for match, slot in zip(arc.pattern, place.colour.slots, strict=True):
            shown = _Shown(slot.dimension, slot.labels)
            parts.append((slot.name, self._match(match, transition.variables, shown)))
        return _gathered(parts)

    def inscription(self, arc: OutputArc, transition: Transition) -> str:
        """Return what an output arc gives: its number and its values, without its condition."""
        parts, variables = [], transition.variables
        if arc.each is not None:
            variables += self._of_token(transition.sets[arc.each].place, transition)
        for value, slot in zip(arc.values, self.net.places[arc.places[0]].colour.slots, strict=True):
            shown = _Shown(slot.dimension, slot.labels)
            parts.append((slot.name, tree_text(self._tree(value, variables, shown))))
        values = _gathered(parts)
        if arc.count is None or arc.each is not None:
            return values
        count = self._tree(arc.count, transition.variables, _PLAIN)
        return tree_text(_binary("*", count, _name(f"({values})")) if values else count)

    def _match(self, match: Match, variables: Sequence[Variable], shown: _Shown) -> str:
        if match.bind is not None:
            return variables[match.bind].name
        return "_" if match.equal is None else tree_text(self._tree(match.equal, variables, shown))


@lru_cache(maxsize=4096)
def _parsed(text: str) -> tree.Expr | None:
    """Return the tree of an expression of the source; None where the text is none by itself."""
    file, wrong = parse(_BEFORE + text, "")
    node = file.declarations[0] if len(file.declarations) == 1 else None
    return node.value if isinstance(node, tree.Const) and not wrong else None


def _in_term(text: str) -> tuple[str, str] | None:
    """Return the number and the value in `2 * place(value)`, "" where there is none; None of what is no term."""
    node = _parsed(text)
    if node is None:
        return None
    count, place, arguments = split_term(node)
    if len(arguments) > 1 or not isinstance(place, tree.Name | tree.Field | tree.Index):
        return None
    source = {"": _BEFORE + text}
    spans = [None if one is None else one.span for one in (count, arguments[0] if arguments else None)]
    number, value = (written(span, source) or "" for span in spans)
    return number, value


def _name(text: str) -> tree.Name:
    """Return a name, or any text that stands like one, such as the path of a place."""
    return tree.Name(text, _NOWHERE)


def _call(function: str, *arguments: tree.Expr) -> tree.Call:
    return tree.Call(_name(function), arguments, _NOWHERE)


def _binary(operator: str, left: tree.Expr, right: tree.Expr) -> tree.Binary:
    return tree.Binary(operator, left, right, _NOWHERE)


def _is_conversion(e: Expr, variables: Sequence[Variable], shown: _Shown) -> bool:
    """Return whether `e` is what the loader makes of a bool that comes from a slot (`b != 0`) or goes to one (`b ? 1 :
    0`).

    The constants of such a conversion have the span of the whole.
    """
    zero, one = (Expr("const", "int", value=value, span=e.span) for value in (0, 1))
    if e.op == "ne" and e.args[1] == zero:
        return e.span is not None or _shown(e.args[0], variables).labels == _TRUTH
    return e.op == "if" and e.args[1:] == (one, zero) and (e.span is not None or shown.labels == _TRUTH)


def _element(e: Expr, variables: Sequence[Variable]) -> tuple[str, Expr] | None:
    """Return the vector and the index of `s[p]`, of which the loader makes a choice among the variables `s[0]`,
    `s[1]`, …
    """
    index: Expr | None = None
    names: list[str] = []
    waiting = [e]
    while waiting:
        part = waiting.pop()
        if part.op == "if" and part.args[0].op == "lt" and part.args[0].args[1].span is None:
            own = part.args[0].args[0]
            own = own.args[0] if own.op == "within" else own
            if index is not None and own != index:
                return None
            index = own
            waiting += [part.args[2], part.args[1]]
        elif part.op == "var":
            names.append(variables[_index(part)].name)
        else:
            return None
    stem = names[0].rpartition("[")[0]
    found = index is not None and stem and names == [f"{stem}[{number}]" for number in range(len(names))]
    return (stem, index) if found and index is not None else None


def _gathered(parts: list[tuple[str, str]]) -> str:
    """Return the values of a colour's slots as a list; a whole record (`p.seq, p.size`) is written `p` again."""
    if all(text == "_" for _, text in parts):
        return ""
    return ", ".join(_whole(parts))


def _whole(parts: list[tuple[str, str]]) -> list[str]:
    slot, text = parts[0]
    stem = text.removesuffix(_behind(slot)) if slot else text
    if stem != text and all(value == stem + _behind(name) for name, value in parts):
        return [stem]
    if not slot:
        return [text]
    fields: dict[str, list[tuple[str, str]]] = {}
    for name, value in parts:
        field = re.match(r"\[[^\]]*\]|[^.\[]*", name)
        assert field is not None
        fields.setdefault(field[0], []).append((name[field.end() :].removeprefix("."), value))
    texts = [text for field in fields.values() for text in _whole(field)]
    return [f"[{', '.join(texts)}]"] if slot.startswith("[") else texts


def _behind(name: str) -> str:
    """Return the name of a slot behind that of what it is a part of: `.seq`, `[2]`."""
    return name if name.startswith("[") else f".{name}"


def _index(e: Expr) -> int:
    assert isinstance(e.value, int)
    return e.value


def _label(e: Expr, labels: Sequence[str]) -> str:
    index = int(e.value or 0)
    return labels[index] if 0 <= index < len(labels) else exact(index)


# ---------------------------------------------------------------- dimensions

_Powers = tuple[int, int]  # of time and of bytes
_DIMENSIONS: Final[Mapping[str, _Powers]] = {
    "": (0, 0),
    "Time": (1, 0),
    "Bytes": (0, 1),
    "Rate": (-1, 1),
    "Freq": (-1, 0),
}
_NAMES: Final = {powers: name for name, powers in _DIMENSIONS.items()}


def _sides(e: Expr, variables: Sequence[Variable], shown: _Shown) -> tuple[_Shown, _Shown]:
    """Return how the operands of a binary operation are shown, whose value is of the dimension of `shown`."""
    if e.op in ("mul", "div"):
        return _factors(e, variables, _DIMENSIONS.get(shown.dimension, (0, 0)))
    if e.op in COMPARISONS.values():
        shown = next((found for a in e.args if (found := _shown(a, variables)) != _PLAIN), _PLAIN)
    elif not OPERATIONS[e.op].alike(e.args):
        shown = _PLAIN
    return shown, shown


def _factors(e: Expr, variables: Sequence[Variable], whole: _Powers) -> tuple[_Shown, _Shown]:
    """Do as `_sides` for a product or quotient: what is not known of one side follows from the other and the whole."""
    sign = 1 if e.op == "mul" else -1
    left, right = (_powers(a, variables) for a in e.args)
    if right is None:
        right = (0, 0) if left is None else (sign * (whole[0] - left[0]), sign * (whole[1] - left[1]))
    if left is None:
        left = (whole[0] - sign * right[0], whole[1] - sign * right[1])
    return _Shown(_NAMES.get(left, ""), zero_unit=True), _Shown(_NAMES.get(right, ""), zero_unit=True)


def _powers(e: Expr, variables: Sequence[Variable]) -> _Powers | None:
    """Return the dimension of an expression as far as its variables tell; None where it may be any."""
    if e.op == "const":
        return None
    if e.op == "var":
        return _DIMENSIONS.get(variables[_index(e)].dimension, (0, 0))
    if e.op in ("now", "end"):
        return _DIMENSIONS["Time"]
    if e.op in ("mul", "div"):
        left, right = (_powers(a, variables) for a in e.args)
        sign = 1 if e.op == "mul" else -1
        return None if left is None or right is None else (left[0] + sign * right[0], left[1] + sign * right[1])
    args = OPERATIONS[e.op].alike(e.args)
    found = (_powers(a, variables) for a in args)
    return next((powers for powers in found if powers is not None), None) if args else (0, 0)


def operand_shown(e: Expr, variables: Sequence[Variable]) -> tuple[str, Sequence[str]]:
    """Return the dimension of an operand as far as it is known by itself, and the names of an enumeration's values."""
    shown = _shown(e, variables)
    return shown.dimension, shown.labels


def _shown(e: Expr, variables: Sequence[Variable]) -> _Shown:
    """Return how an operand of a comparison is shown by itself."""
    if e.op == "var":
        variable = variables[_index(e)]
        return _Shown(variable.dimension, variable.labels)
    if e.op == "if":  # of an element of a vector
        return _shown(e.args[1], variables)
    return _Shown(_NAMES.get(_powers(e, variables) or (0, 0), ""))
