"""Which values each place of a thread must keep: those that a later step uses before it binds them anew (T5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from petri.language.checking.expressions.names import names_in, nodes_in
from petri.language.checking.nets.targets import split_path
from petri.language.checking.threads.graph import Output, State, Transition
from petri.language.syntax import tree

Measured = Mapping[tuple[str, str], frozenset[str]]


def find_live(
    states: Sequence[State], transitions: Sequence[Transition], measured: Mapping[str, frozenset[str]]
) -> None:
    """Set `live` of the states. measured: the names that measures mention, by the name of the transition."""
    for waiting in states:
        key = None if waiting.order is None else waiting.order.key
        waiting.live = frozenset(name for name in names_in(key) if name in waiting.scope)
    fixed = {id(t): frozenset((*_own_names(t), *measured.get(t.name, ()))) for t in transitions}
    changed = True
    while changed:
        changed = False
        for transition in reversed(transitions):
            state = transition.source
            if state is None:
                continue
            found = set(fixed[id(transition)])
            for output in transition.outputs:
                found.update(_kept_names(output))
            live = state.live | (found & (state.scope.keys() | state.reply_names))
            changed = changed or live != state.live
            state.live = live


def _own_names(t: Transition) -> Iterator[str]:
    values = (*(draw.distribution for draw in t.draws), *(let.value for let in t.lets))
    for part in (*(arc.term for arc in t.arcs), *values, t.time, t.clock, t.guard, t.prefer and t.prefer.key):
        yield from names_in(part)
    for output in t.outputs:
        yield from names_in(output.condition)
        yield from names_in(output.term)
        for target in output.targets:
            yield from names_in(target.condition)


def _kept_names(output: Output) -> Iterator[str]:
    """Yield the names in the values that go to the next place."""
    for target in output.targets:
        for name in target.state.kept:
            yield from names_in(target.values[name]) if name in target.values else (name,)


def measured_names(declarations: Sequence[tree.Declaration]) -> Measured:
    """Return the names that measures mention together with a step, by (thread, step): `p.born at forward.finish`."""
    found: dict[tuple[str, str], set[str]] = {}

    def keep(target: tree.Expr, value: object) -> None:
        for side in (target.start, target.end) if isinstance(target, tree.Passage) else (target,):
            path = split_path(side)
            if path is not None and len(path) > 1:
                found.setdefault((path[-2][0], path[-1][0]), set()).update(names_in(value))

    for declaration in declarations:
        written: object = ()
        if isinstance(declaration, tree.Measure):
            written = declaration.formula
        elif isinstance(declaration, tree.Expect):
            written = declaration.formula, declaration.bound
        for e in nodes_in(written):
            if isinstance(e, tree.At):
                keep(e.event, e.value)
            elif isinstance(e, tree.Call) and len(e.arguments) >= 2:
                for argument in e.arguments:
                    keep(argument, e.arguments)
    return {step: frozenset(mentioned) for step, mentioned in found.items()}
