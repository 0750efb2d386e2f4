"""Events of measures: a transition's start, or a token's arrival in a place, with keys computed from their values."""

from __future__ import annotations

from collections.abc import Sequence

from petri import net
from petri.language.checking.expressions.reader import Reader, slots_of
from petri.language.checking.nets.patterns import PatternReader
from petri.language.checking.nets.targets import Flat, Loops, Target, find_target
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node, to_slot
from petri.language.meaning.scope import Scope, TransitionSymbol
from petri.language.meaning.types import Type, Unknown, layout, plainly, same
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct, replace


class EventTemplate(Struct):
    """An event, its keys, and a reader for more expressions of its values."""

    target: Target
    keys: tuple[Node, ...]
    types: tuple[Type, ...]
    reader: Reader

    def build(self, flat: Flat) -> net.Event:
        """Return the event; for all of an array, that of the first element with those of the others."""
        if self.target.is_place:
            events = [net.Event(place=place, key=self._key(flat, None)) for place in flat.places(self.target)]
        else:
            events = [net.Event(transition=t, key=self._key(flat, t)) for t in flat.transitions(self.target)]
        return replace(events[0], others=tuple(events[1:]))

    def _key(self, flat: Flat, transition: int | None) -> tuple[net.Expr, ...]:
        return tuple(flat.expression(node, transition) for node in self.keys)


def event_of(checker: CheckState, scope: Scope, e: tree.Expr, keys: Sequence[tree.Expr], loops: Loops) -> EventTemplate:
    """`send`, or `wire(p)`. Raises CheckError if it is not an event."""
    pattern = None
    if isinstance(e, tree.Call):
        if len(e.arguments) != 1:
            raise CheckError("not-an-event", e.span, text=checker.problems.text(e.span))
        pattern, path = e.arguments[0], e.function
    else:
        path = e
    wanted = "a place" if pattern is not None else "a place or a transition"
    target = find_target(checker, scope, path, wanted, loops)
    if target.is_place:
        reader = _arrival_reader(checker, scope, target, pattern, loops)
    else:
        reader = firing_reader(checker, scope, target, loops)
    values = reader.values(*keys)
    nodes = tuple([to_slot(node) for value in values for node in value.nodes])
    return EventTemplate(target, nodes, tuple([value.type for value in values]), reader)


def _arrival_reader(
    checker: CheckState, scope: Scope, target: Target, pattern: tree.Expr | None, loops: Loops
) -> Reader:
    """Read expressions that use the names which a pattern gives to the slots of an arriving token."""
    kind = target.symbol.type  # type: ignore[union-attr]
    names: dict[str, tuple[Type, tuple[Node, ...]]] = {}
    reader = Reader(checker, scope, "a measure", variables=names, loops=loops)
    if pattern is None:
        return reader
    if isinstance(kind, Unknown):
        raise Reported
    if not layout(kind):
        raise CheckError("pattern-on-black", pattern.span, name=target.text)
    for part in PatternReader(reader).parts(pattern, kind):
        if part.name is None or part.name in names:
            raise CheckError("equality-in-event", part.span, text=checker.problems.text(part.span))
        names[part.name] = (part.type, slots_of(part.type, part.span, part.start))
    return reader


def check_keys(start: EventTemplate, end: EventTemplate, span: Span) -> None:
    """Raise CheckError if the keys at both ends can never be equal."""
    if len(start.types) != len(end.types) or not all(map(same, start.types, end.types)):
        shown = [", ".join(plainly(kind) for kind in event.types) or "none" for event in (start, end)]
        raise CheckError("keys-differ", span, start=shown[0], end=shown[1])


def firing_reader(checker: CheckState, scope: Scope, target: Target, loops: Loops) -> Reader:
    """Read expressions in the variables of a transition, as a measure sees a firing (M4)."""
    assert isinstance(target.symbol, TransitionSymbol)
    template = needed(checker.firing(target.symbol))
    allowed = frozenset({"now", "end", "tokens"})
    return Reader(checker, scope, "a measure", allowed, template.names, loops)  # type: ignore[arg-type]
