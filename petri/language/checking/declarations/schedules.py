"""Schedules as other declarations: places, a transition that changes the value, and its constants (V1, V2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from petri.language.checking.declarations.gatherer import Gatherer
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.expressions.scheduled import number, stage_name
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import LOCAL, evaluate
from petri.language.meaning.scope import PlaceSymbol, ScheduleSymbol, Scope
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import PRIORITIES, Span
from petri.structs import replace

_FIRST, _SECOND = PRIORITIES - 1, PRIORITIES - 2  # the value changes, and then tokens leave, before all else


def expand_schedules(
    gatherer: Gatherer, scope: Scope, declarations: Sequence[tree.Declaration]
) -> list[tree.Declaration]:
    """Return the declarations of a net or a module, with those that its schedules become."""
    found = list(declarations)
    for d in declarations:
        if isinstance(d, tree.Schedule) and _symbol(scope, d) is not None:
            followers = []
            for position, place in enumerate(found):
                if isinstance(place, tree.Place) and _follows(place, d.name):
                    found[position] = followed = _from_first_value(place, d)
                    symbol = scope.names[place.name]
                    if isinstance(symbol, PlaceSymbol) and symbol.declaration is place:
                        symbol.declaration = followed
                        followers.append(followed)
            for made in _parts(d, followers):
                gatherer.hide(scope, made)
                found.append(made)
    return found


def _symbol(scope: Scope, d: tree.Schedule) -> ScheduleSymbol | None:
    symbol = scope.names.get(d.name)
    return symbol if isinstance(symbol, ScheduleSymbol) and symbol.declaration is d else None


def _follows(place: tree.Place, schedule: str) -> bool:
    """Return whether the initial marking is `schedule * token`."""
    if len(place.initial) != 1 or place.initial[0].loops or place.size:
        return False
    match place.initial[0].value:
        case tree.Binary(operator="*", left=tree.Name(name=name), right=tree.Name(name="token")):
            return name == schedule
        case _:
            return False


def _from_first_value(place: tree.Place, d: tree.Schedule) -> tree.Place:
    (initial,) = place.initial
    assert isinstance(initial.value, tree.Binary)
    value = replace(initial.value, left=tree.Name(stage_name(d.name, 0), initial.value.left.span))
    return replace(place, initial=(replace(initial, value=value),))


def _parts(d: tree.Schedule, followers: Sequence[tree.Place]) -> Iterator[tree.Const | tree.Place | tree.Transition]:
    for position, stage in enumerate(d.stages):
        yield tree.Const(stage_name(d.name, position), stage.value, "", d.name_span, stage.span)
    phase, start = f"{d.name}.phase", f"{d.name}.start"
    yield _place(phase, d, "How often the value has changed in this turn of the schedule.")
    yield _place(start, d, "A turn of the schedule begins.", (tree.Initial(tree.Name("token", d.span), (), d.span),))
    outputs: list[tree.Expr] = [_in(tree.Name(phase, stage.span), stage.start) for stage in d.stages[1:]]
    changes = [(position, stage.start) for position, stage in enumerate(d.stages) if position]
    if d.every is not None:
        outputs.append(_in(tree.Name(start, d.span), d.every))
        changes.append((0, d.every))
    for place in followers:
        outputs += [output for position, time in changes for output in _changes(d, place, position, time)]
        leaving = f"{place.name}.leaving"
        yield _place(leaving, d, f"How many tokens of `{place.name}` leave as soon as they are there.")
        yield _transition(f"{place.name}.leave", d, [_take(place.name, d), _take(leaving, d)], [], _SECOND)
    inputs = [_take(start, d), tree.Arc("reset", False, tree.Name(phase, d.span), d.span)]
    yield _transition(f"{d.name}.turn", d, inputs, outputs, _FIRST)


def _changes(d: tree.Schedule, place: tree.Place, position: int, time: tree.Expr) -> Iterator[tree.Expr]:
    """Yield what comes to a place, or is to leave it, when the value becomes that of a stage."""
    span = d.stages[position].span
    before = tree.Name(stage_name(d.name, (position - 1) % len(d.stages)), span)
    now = tree.Name(stage_name(d.name, position), span)
    for more, less, target in ((now, before, place.name), (before, now, f"{place.name}.leaving")):
        given = tree.Binary("*", tree.Paren(tree.Binary("-", more, less, span), span), tree.Name(target, span), span)
        yield tree.If(tree.Binary(">", more, less, span), _in(given, time), None, span)


def _in(output: tree.Expr, time: tree.Expr) -> tree.Expr:
    return tree.Delayed(output, time, output.span)


def _take(place: str, d: tree.Schedule) -> tree.Arc:
    return tree.Arc("take", False, tree.Name(place, d.span), d.span)


def _place(name: str, d: tree.Schedule, doc: str, initial: tuple[tree.Initial, ...] = ()) -> tree.Place:
    return tree.Place(name, (), None, "bag", None, None, None, None, initial, None, doc, d.name_span, d.span)


def _transition(
    name: str, d: tree.Schedule, inputs: Sequence[tree.Arc], outputs: Sequence[tree.Expr], priority: int
) -> tree.Transition:
    return tree.Transition(
        name=name,
        loops=(),
        condition=None,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        draws=(),
        lets=(),
        time=None,
        clock=None,
        servers=None,
        memory=None,
        speed=None,
        guard=None,
        priority=number(priority, d.span),
        weight=None,
        decide=None,
        prefer=None,
        doc="",
        name_span=d.name_span,
        span=d.span,
    )


def check_schedules(checker: CheckState, scope: Scope, declarations: Sequence[tree.Declaration]) -> None:
    """Report schedules whose times are not known, or do not ascend from 0."""
    for d in declarations:
        if isinstance(d, tree.Schedule):
            checker.problems.attempt(_check, Reader(checker, scope, "a time of a schedule"), d)


def _check(reader: Reader, d: tree.Schedule) -> None:
    replace(reader, where="a value of a schedule").read(tree.List(tuple([stage.value for stage in d.stages]), d.span))
    last: tuple[Fraction, Span] | None = None
    for written in (*(stage.start for stage in d.stages), *([] if d.every is None else [d.every])):
        node = needed(reader.read_fixed(written, reader.checker.units.time_type))
        if node.flags & LOCAL:
            raise CheckError("schedule-time-of-module", written.span)
        time = Fraction(evaluate(node, ()))
        if last is None and time != 0:
            raise CheckError("schedule-start", written.span, text=reader.problems.text(written.span))
        if last is not None and time <= last[0]:
            raise CheckError("schedule-order", written.span, text=reader.problems.text(written.span))
        last = time, written.span
