"""Events of measures: a transition's start, or a token's arrival in a place, with keys computed from their values."""

from __future__ import annotations

from collections.abc import Sequence

from petri import net
from petri.language.checking.expressions.reader import Reader, variable
from petri.language.checking.nets.patterns import PatternReader
from petri.language.checking.nets.targets import Flat, Loops, Target, find_target
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node, to_slot, truth
from petri.language.meaning.scope import Scope, TransitionSymbol
from petri.language.meaning.types import INT, Type, Unknown, layout, plainly, same
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
        """The event; for all of an array, that of the first element with those of the others."""
        if self.target.is_place:
            events = [net.Event(place=place, key=self._key(flat, None)) for place in flat.places(self.target)]
        else:
            events = [net.Event(transition=t, key=self._key(flat, t)) for t in flat.transitions(self.target)]
        return replace(events[0], others=tuple(events[1:]))

    def _key(self, flat: Flat, transition: int | None) -> tuple[net.Expr, ...]:
        return tuple(flat.expression(node, transition) for node in self.keys)

    def sequence(self, e: tree.Expr) -> Node | None:
        return self.reader.read_scalar(e, INT)


def event_of(
    checker: CheckState, scope: Scope, e: tree.Expr, keys: Sequence[tree.Expr], loops: Loops
) -> EventTemplate | None:
    """`send`, or `wire(p)`; reports an error and returns None if it is not an event."""
    pattern = None
    if isinstance(e, tree.Call):
        if len(e.arguments) != 1:
            checker.problems.error("not-an-event", e.span, text=checker.problems.text(e.span))
            return None
        pattern, path = e.arguments[0], e.function
    else:
        path = e
    wanted = "a place" if pattern is not None else "a place or a transition"
    target = find_target(checker, scope, path, wanted, loops)
    if target is None:
        return None
    if target.is_place:
        reader = _arrival_reader(checker, scope, target, pattern, loops)
    else:
        reader = firing_reader(checker, scope, target, loops)
    if reader is None:
        return None
    nodes: list[Node] = []
    types: list[Type] = []
    for key in keys:
        value = reader.read(key)
        if isinstance(value.type, Unknown):
            return None
        nodes += [to_slot(node) for node in value.nodes]
        types.append(value.type)
    return EventTemplate(target, tuple(nodes), tuple(types), reader)


def _arrival_reader(
    checker: CheckState, scope: Scope, target: Target, pattern: tree.Expr | None, loops: Loops
) -> Reader | None:
    """Reads expressions that use the names which a pattern gives to the slots of an arriving token."""
    kind = target.symbol.type  # type: ignore[union-attr]
    names: dict[str, tuple[Type, tuple[Node, ...]]] = {}
    reader = Reader(checker, scope, "a measure", variables=names, loops=loops)
    if pattern is None:
        return reader
    if not layout(kind):
        if not isinstance(kind, Unknown):
            checker.problems.error("pattern-on-black", pattern.span, name=target.text)
        return None
    for part in PatternReader(reader).parts(pattern, kind):
        if part.name is None or part.name in names:
            checker.problems.error("equality-in-event", part.span, text=checker.problems.text(part.span))
            return None
        nodes = []
        for offset, (_, scalar) in enumerate(layout(part.type)):
            node = variable(part.start + offset, scalar, part.span)
            nodes.append(truth(node) if scalar.kind == "bool" else node)
        names[part.name] = (part.type, tuple(nodes))
    return reader


def check_keys(checker: CheckState, start: EventTemplate, end: EventTemplate, span: Span) -> bool:
    """Whether the keys at both ends can ever be equal."""
    if len(start.types) == len(end.types) and all(map(same, start.types, end.types)):
        return True
    shown = [", ".join(plainly(kind) for kind in event.types) or "none" for event in (start, end)]
    checker.problems.error("keys-differ", span, start=shown[0], end=shown[1])
    return False


def firing_reader(checker: CheckState, scope: Scope, target: Target, loops: Loops) -> Reader | None:
    """Reads expressions in the variables of a transition, as a measure sees a firing (M4)."""
    assert isinstance(target.symbol, TransitionSymbol)
    template = checker.firing(target.symbol)
    if template is None:
        return None
    allowed = frozenset({"now", "end", "tokens"})
    return Reader(checker, scope, "a measure", allowed, template.names, loops)  # type: ignore[arg-type]
