"""Lints: what is allowed but probably a mistake.

Files of the library are not linted, and neither are intended alternatives: a guard on a `fifo` place is reported only
if no other transition takes the tokens for which it is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

from petri import net
from petri.diagnostics import Diagnostic, Value
from petri.language.checking.black_clocks import black_clocks
from petri.language.checking.checker import Checker
from petri.language.checking.conflicts import conflicts
from petri.language.checking.doubts import doubts, gives_back
from petri.language.checking.endless import endless
from petri.language.checking.growth import multiplied
from petri.language.meaning.nodes import NOW, Node
from petri.language.meaning.scope import (
    ConstantSymbol,
    DistSymbol,
    FnSymbol,
    ModuleSymbol,
    PlaceSymbol,
    Scope,
    TypeSymbol,
)
from petri.language.meaning.templates import Body, InputTemplate
from petri.language.meaning.types import Scalar
from petri.structs import replace


def lint(flat: net.Net, checker: Checker, deprived: Set[int]) -> None:
    """Report everything suspicious in a net without errors.

    deprived: places that would get tokens from what a condition leaves out of the net.
    """
    for body in checker.bodies.values():
        _guards_on_disciplines(checker, body)
        _streams_without_file(checker, body)
    if checker.gatherer.part:
        return
    _unused(checker, checker.scope)
    _lookups_in_queues(flat, checker)
    _clocks(flat, checker)
    marked = _markable(flat, deprived)
    _doubts(flat, checker)
    _competing(flat, checker)
    _endless(flat, checker)
    _never_fires(flat, checker, marked)
    _never_given_back(flat, checker, deprived)
    _multiplied(flat, checker, marked)
    if not flat.transitions:
        checker.problems.warning("no-transition", None, name=flat.name)
    if not flat.measures and not flat.expectations:
        declared = checker.gatherer.net
        checker.problems.note("no-measures", declared.name_span if declared is not None else None)


def _is_own(checker: Checker, file: str) -> bool:
    return file not in checker.sources.library_files


# ---------------------------------------------------------------- what nothing uses


def _unused(checker: Checker, scope: Scope) -> None:
    of_constants = _types_of_constants(scope)
    for symbol in scope.names.values():
        if not _is_own(checker, symbol.span.file):
            continue
        if isinstance(symbol, ModuleSymbol):
            if not symbol.used and symbol.span.file == checker.sources.files[0].path:
                checker.problems.warning("unused-module", symbol.span, name=symbol.name)
            if symbol.scope is not None:
                _unused(checker, symbol.scope)
        elif isinstance(symbol, PlaceSymbol):
            if not (symbol.taken or symbol.given or symbol.mentioned):
                identifier = "unused-port" if symbol.direction != "own" else "unused-place"
                checker.problems.warning(identifier, symbol.span, name=symbol.name)
            elif symbol.outside and not (symbol.taken if symbol.direction == "in" else symbol.given):
                idle = "port-in-idle" if symbol.direction == "in" else "port-out-idle"
                checker.problems.warning(idle, symbol.span, name=symbol.name)
        elif isinstance(symbol, TypeSymbol) and symbol.name in of_constants:
            continue
        elif isinstance(symbol, (ConstantSymbol, TypeSymbol, DistSymbol, FnSymbol)) and not symbol.used:
            is_parameter = isinstance(symbol, ConstantSymbol) and symbol.role in ("parameter", "module parameter")
            identifier = "unused-parameter" if is_parameter else "unused-constant"
            if isinstance(symbol, TypeSymbol):
                identifier = "unused-type"
            if symbol.span.file == checker.sources.files[0].path or scope.outer is not None:
                checker.problems.warning(identifier, symbol.span, name=symbol.name)


def _types_of_constants(scope: Scope) -> set[str]:
    """Return the enumerations that constants are of without naming them:

    `param mode = slow` takes any value of its type.
    """
    kinds = (
        symbol.type
        for symbol in scope.names.values()
        if isinstance(symbol, ConstantSymbol) and symbol.role != "enumeration value"
    )
    return {kind.name for kind in kinds if isinstance(kind, Scalar) and kind.kind == "enum"}


# ---------------------------------------------------------------- guards that block


def _guards_on_disciplines(checker: Checker, body: Body) -> None:
    """Note guards for which other tokens wait; not those that come true with time, as the first has waited longest."""
    takers: dict[int, int] = {}
    for transition in body.transitions:
        for taken in {id(arc.place.symbol) for arc in transition.inputs if not arc.keep}:
            takers[taken] = takers.get(taken, 0) + 1
    for transition in body.transitions:
        if not _is_own(checker, transition.span.file):
            continue
        for arc in transition.inputs:
            place = arc.place.symbol
            if arc.keep or arc.any or place.discipline == "bag" or takers.get(id(place)) != 1:
                continue
            word = "by …" if place.discipline == "by" else place.discipline
            if transition.guard is not None and _tests(transition.guard, arc) and not transition.guard.flags & NOW:
                checker.problems.note("guard-on-fifo", transition.guard.span, place=place.name, discipline=word)
            elif (
                not transition.loops
                and not place.per
                and any(isinstance(wanted, Node) and wanted.fixed for wanted in arc.pattern)
            ):
                checker.problems.note("pattern-on-fifo", arc.span, place=place.name, discipline=word)


def _tests(guard: Node, arc: InputTemplate) -> bool:
    """Return whether a guard tests the token of an arc."""
    asked = set(_variables(guard))
    return any(wanted in asked for wanted in arc.pattern if isinstance(wanted, int))


def _lookups_in_queues(flat: net.Net, checker: Checker) -> None:
    """Patterns that look for a token with a value from elsewhere in a place that shows only one of its tokens.

    If the place is ordered by that value, as a buffer by sequence number is, the token it shows is the one looked for.
    """
    for transition in flat.transitions:
        if transition.span is None or not _is_own(checker, transition.span.file):
            continue
        for arc in transition.inputs:
            place = flat.places[arc.place]
            if arc.any or place.discipline == "bag" or place.per or place.stream is not None:
                continue
            found = {slot for slot, match in enumerate(arc.pattern) if _depends_on_tokens(match.equal)}
            order = {operation.value for operation in net.operations([place.key, place.then]) if operation.op == "var"}
            if found and not (order and order <= found):
                word = "by …" if place.discipline == "key" else place.discipline
                checker.problems.warning("lookup-on-fifo", arc.span, place=place.name, discipline=word)


def _depends_on_tokens(value: net.Expr | None) -> bool:
    return any(operation.op in ("var", "tokens") for operation in net.operations([value]))


# ---------------------------------------------------------------- what changes figures


def _doubts(flat: net.Net, checker: Checker) -> None:
    for one in (*doubts(flat), *_tokens_at_start(flat)):
        if one.span is None or _is_own(checker, one.span.file):
            checker.problems.report(one.id, one.span, one.values, severity=one.severity)


def _tokens_at_start(flat: net.Net) -> Iterator[Diagnostic]:
    """Note measures of a source that lasts: they read the marking when its firing starts, an arrival earlier (M4)."""
    for probe in flat.probes:
        measured = [probe] if isinstance(probe, net.Counter) else getattr(probe, "others", ())
        for one in (probe, *measured) if isinstance(probe, net.Sample) else measured:
            transition = None if one.transition is None else flat.transitions[one.transition]
            if transition is None or not net.lasts(transition) or not gives_back(transition):
                continue
            taken = {arc.place for arc in transition.inputs}
            arrivals = [flat.places[arc.places[0]].name for arc in transition.outputs if arc.places[0] not in taken]
            value = one.quantity if isinstance(one, net.Counter) else one.value
            read = next((part for part in net.operations([value]) if part.op == "tokens"), None)
            if read is not None:
                place = flat.places[int(read.value or 0)].name
                arrival = arrivals[0] if arrivals else None
                values: dict[str, Value] = {"place": place, "name": transition.name, "arrival": arrival}
                yield Diagnostic("tokens-at-start", read.span, values, severity="note")


# ---------------------------------------------------------------- clocks


def _clocks(flat: net.Net, checker: Checker) -> None:
    """Note what is strange about transitions that race, once for all elements of an array."""
    told = set()
    for transition in flat.transitions:
        span, clock = transition.span, transition.clock
        if clock is None or span is None or span in told or not _is_own(checker, span.file):
            continue
        told.add(span)
        if clock.memory == "resume" and _has_no_memory(transition, clock):
            checker.problems.note("resume-of-exponential", clock.time.span)
        hidden = _patience_of_one(flat, transition)
        if hidden is None:
            for one in black_clocks(flat, transition):
                checker.problems.report(one.id, one.span, one.values, severity=one.severity)
            continue
        place = flat.places[hidden.place]
        if place.colour.slots:
            checker.problems.note("any-for-patience", hidden.span, name=transition.name, place=place.name)
        elif clock.servers == 1:  # black tokens are alike: not which of them has a clock is to be said, but how many
            checker.problems.note("servers-for-patience", hidden.span, name=transition.name, place=place.name)


def _has_no_memory(transition: net.Transition, clock: net.Clock) -> bool:
    """Return whether clocks that go on where they stopped are as those that are set again."""
    changing = any(part.op == "tokens" for part in net.operations([clock.time]))
    return not changing and net.is_memoryless(replace(transition, clock=replace(clock, memory="restart")))


def _patience_of_one(flat: net.Net, transition: net.Transition) -> net.InputArc | None:
    """Return the only arc, on a place that shows one token, where another transition takes these tokens with something
    else.

    Such a transition looks like one that limits how long tokens wait.
    """
    arcs = [arc for arc in transition.inputs if not arc.keep]
    if len(transition.inputs) != 1 or not arcs or arcs[0].any or flat.places[arcs[0].place].discipline == "bag":
        return None
    takers = ([arc.place for arc in other.inputs] for other in flat.transitions if other is not transition)
    return arcs[0] if any(arcs[0].place in places and len(places) > 1 for places in takers) else None


# ---------------------------------------------------------------- choices by chance, instants without end


def _competing(flat: net.Net, checker: Checker) -> None:
    """Transitions that take tokens of others by chance, unless the text says that chance is meant."""
    templates = (transition for body in checker.bodies.values() for transition in body.transitions)
    decided = {template.span for template in templates if template.weight or template.priority or template.decides}
    for found in conflicts(flat, decided):
        span = found.free.span
        if span is not None and _is_own(checker, span.file):
            names: dict[str, Value] = {"name": found.free.name, "other": found.blocked.name}
            if found.kind == "even":
                checker.problems.note("choice-of-equals", span, **names)
            else:
                identifier = "patience-that-holds" if found.kind == "patience" else "choice-by-chance"
                checker.problems.warning(identifier, span, **names)


def _endless(flat: net.Net, checker: Checker) -> None:
    told = set()
    for group in endless(flat):
        span = group[0].span
        if span not in told and (span is None or _is_own(checker, span.file)):
            told.add(span)
            checker.problems.warning("instant-without-end", span, names=[one.name for one in group])


# ---------------------------------------------------------------- recordings


def _streams_without_file(checker: Checker, body: Body) -> None:
    """Report a missing file of a stream.

    A run may set another one, so only a check reports that the file it names is missing.
    """
    for place in body.places:
        stream = place.stream
        if stream is not None and stream.path and not Path(stream.path).is_file():
            checker.problems.warning("stream-file-missing", place.span, path=stream.name, place=place.symbol.name)


def _variables(node: Node) -> Iterator[object]:
    if node.op == "var":
        yield node.value
    for arg in node.args:
        yield from _variables(arg)


# ---------------------------------------------------------------- transitions that cannot fire


def _never_fires(flat: net.Net, checker: Checker, marked: Set[int]) -> None:
    """Transitions of which no element can fire, because some input place always stays empty."""
    given = {place for transition in flat.transitions for arc in transition.outputs for place in arc.places}
    alive: set[object] = set()
    dead: dict[object, tuple[str, str, bool, net.Span | None]] = {}
    for transition in flat.transitions:
        lacking = [place for place in _needed(transition) if place not in marked]
        if not lacking:
            alive.add(transition.span)
        else:
            cause = next((place for place in lacking if place not in given), lacking[0])
            one = (transition.name, flat.places[cause].name, cause not in given, transition.span)
            dead.setdefault(transition.span, one)
    found = [one for span, one in dead.items() if span not in alive]
    roots = [one for one in found if one[2]] or found
    for name, place, _, span in roots:
        if span is None or _is_own(checker, span.file):
            checker.problems.warning("never-fires", span, name=name, place=place)


def _needed(transition: net.Transition) -> list[int]:
    """Return the places that hold a token whenever the transition fires."""
    return [arc.place for arc in transition.inputs if _takes_some(arc)]


def _takes_some(arc: net.InputArc) -> bool:
    """Return whether an arc finds a token in any case: not `0 * p`, nor `n * p` where n may be 0."""
    return arc.count is None or (arc.count.op == "const" and arc.count.value != 0)


def _never_given_back(flat: net.Net, checker: Checker, deprived: Set[int]) -> None:
    """Note initial black tokens that are used up by a transition to which others keep bringing work."""
    given = {place for transition in flat.transitions for arc in transition.outputs for place in arc.places}
    told = set()
    for transition in flat.transitions:
        taken = [place for arc in transition.inputs if _takes_some(arc) for place in arc.takes_from]
        own = {place for arc in transition.outputs for place in arc.places}
        if transition.span in told or not any(place in given and place not in own for place in taken):
            continue
        for place in taken:
            found = flat.places[place]
            if place in given or place in deprived or found.colour.slots or not found.initial:
                continue
            told.add(transition.span)
            if transition.span is None or _is_own(checker, transition.span.file):
                name = transition.name
                checker.problems.note("never-given-back", transition.span, name=name, place=found.name)


def _multiplied(flat: net.Net, checker: Checker, marked: Set[int]) -> None:
    """Tokens each of which comes back as several."""
    for transition, place, count in multiplied(flat, marked):
        if transition.span is None or _is_own(checker, transition.span.file):
            name = flat.places[place].name
            checker.problems.warning("tokens-multiply", transition.span, place=name, count=count)


def _markable(flat: net.Net, deprived: Set[int]) -> set[int]:
    """Places that can ever hold a token, ignoring guards and numbers of tokens."""
    waiting: dict[int, list[int]] = {}
    missing = []
    for index, transition in enumerate(flat.transitions):
        needed = set(_needed(transition))
        missing.append(len(needed))
        for place in needed:
            waiting.setdefault(place, []).append(index)
    marked = {
        index
        for index, place in enumerate(flat.places)
        if place.initial or place.stream or place.port == "in" or index in deprived
    }
    sources = [transition for transition, needed in zip(flat.transitions, missing, strict=True) if not needed]
    marked.update(place for transition in sources for arc in transition.outputs for place in arc.places)
    found = list(marked)
    while found:
        for index in waiting.get(found.pop(), ()):
            missing[index] -= 1
            if missing[index]:
                continue
            for arc in flat.transitions[index].outputs:
                fresh = [place for place in arc.places if place not in marked]
                marked.update(fresh)
                found += fresh
    return marked
