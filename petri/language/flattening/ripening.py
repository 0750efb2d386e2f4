"""Guards that read `now`: what lets an engine stop at each instant at which one of them changes (E12).

`now - x.came >= T` changes at an instant that is known as soon as x is bound. There, the clock of another transition
ends, which reads the same tokens and gives nothing: something happens, and guards are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from petri import net
from petri.language.flattening.count import MOST_ELEMENTS
from petri.language.problems import CheckError, Problems
from petri.net import PRIORITIES, Expr, Match, Transition, operations
from petri.structs import Struct, field, replace

MOST_LINES = 8  # of one comparison, which has more with each `min`, `max`, `abs` and `if`
_COMPARED = {"ge": True, "gt": True, "le": False, "lt": False}  # whether the left side is the greater one
_ONE = Expr("const", "real", value=1.0)  # also a tick
_NONE = Expr("const", "real", value=0.0)
_MINUS = Expr("neg", "real", (_ONE,))


class Line(Struct):
    """A value that is `slope · now + start` of which neither reads `now`."""

    slope: Expr
    start: Expr


class Change(Struct):
    """When a comparison changes: where a line is 0. before: whether it has not changed yet."""

    line: Line
    before: Expr


def reads_now(e: Expr | None) -> bool:
    """Return whether an expression depends on the time itself."""
    return any(part.op == "now" for part in operations([e]))


def ripened(flat: net.Net, problems: Problems) -> net.Net:
    """Return the net, in ticks, with what its guards need that read `now`. Tells where that cannot be known."""
    added: list[Transition] = []
    told = set()
    known: dict[int, bool] = {}  # of guards, which the elements of an array share
    there = len(flat.places) + len(flat.transitions)
    for transition in flat.transitions:
        guard = transition.guard
        if id(guard) not in known:
            known[id(guard)] = reads_now(guard)
        if guard is not None and known[id(guard)]:
            try:
                for made in _ripening(flat, transition, guard):
                    added.append(made)
                    if there + len(added) > MOST_ELEMENTS:
                        raise CheckError("net-too-large", guard.span, wanted=there + len(added), limit=MOST_ELEMENTS)
            except CheckError as fault:
                if fault.span not in told:
                    problems.fault(fault)
                told.add(fault.span)
                if fault.identifier == "net-too-large":
                    break
    return replace(flat, transitions=(*flat.transitions, *added)) if added else flat


def _ripening(flat: net.Net, transition: Transition, guard: Expr) -> Iterator[Transition]:
    for number, change in enumerate(_Changes().of(guard), 1):
        name = f"{transition.name}.ripe" + (f"_{number}" if number > 1 else "")
        yield _alarm(flat, transition, change, name)


def _alarm(flat: net.Net, of: Transition, change: Change, name: str) -> Transition:
    """Return the transition whose clock ends at a change. It fires only where the change is not at a whole tick."""
    slope, start = change.line.slope, change.line.start
    at = _binary("div", _negative(start), slope)
    if slope is _ONE or slope is _MINUS:
        at = _negative(start) if slope is _ONE else start
    guard = change.before
    if slope is not _ONE and slope is not _MINUS:
        guard = Expr("and", "bool", (Expr("ne", "bool", (slope, _NONE)), guard))
    time = _binary("max", _binary("sub", at, Expr("now", "real")), _ONE)
    arcs = _needed(of, [guard, time])
    for arc in arcs:
        if flat.places[arc.place].per:
            raise CheckError("guard-of-now-on-per", of.span, name=flat.places[arc.place].name)
    numbers: dict[int, int] = {}
    for arc in arcs:
        for match in arc.pattern:
            if match.bind is not None:
                numbers.setdefault(match.bind, len(numbers))
    return Transition(
        name,
        tuple([of.variables[number] for number in numbers]),
        tuple([_reading(arc, numbers) for arc in arcs]),
        guard=_renumbered(guard, numbers),
        priority=PRIORITIES - 1,
        clock=net.Clock(_renumbered(time, numbers)),
        doc=f"The guard of `{of.name}` changes.",
        span=of.span,
    )


def _needed(of: Transition, expressions: Sequence[Expr]) -> list[net.InputArc]:
    """Return the arcs that bind the variables of some expressions, and those without which they find other tokens."""
    wanted = {part.value for part in operations(expressions) if part.op == "var"}
    needed: list[net.InputArc] = []
    for arc in reversed(of.inputs):
        binds = any(match.bind in wanted for match in arc.pattern if match.bind is not None)
        if arc.pattern and (binds or any(arc.place == later.place for later in needed)):
            needed.insert(0, arc)
            equal = [match.equal for match in arc.pattern]
            wanted.update(part.value for part in operations(equal) if part.op == "var")
    return needed


def _reading(arc: net.InputArc, numbers: dict[int, int]) -> net.InputArc:
    pattern = [
        Match(
            None if match.bind is None else numbers[match.bind],
            None if match.equal is None else _renumbered(match.equal, numbers),
        )
        for match in arc.pattern
    ]
    return replace(arc, pattern=tuple(pattern), keep=True, in_turn=False)


def _renumbered(e: Expr, numbers: dict[int, int]) -> Expr:
    if e.op == "var" and isinstance(e.value, int):
        return replace(e, value=numbers[e.value])
    return replace(e, args=tuple([_renumbered(part, numbers) for part in e.args])) if e.args else e


# ---------------------------------------------------------------- when a condition changes


class _Changes(Struct):
    """Takes a condition apart. asked: conditions of an `if` within a value."""

    asked: list[Expr] = field(default_factory=list)

    def of(self, condition: Expr) -> Iterator[Change]:
        if not reads_now(condition):
            return
        if condition.op in ("and", "or", "not", "if"):
            for part in condition.args:
                yield from self.of(part)
        elif condition.op in _COMPARED and condition.args[0].kind == "real":
            yield from self.compared(condition)
        elif condition.args and condition.args[0].kind == "int":
            for part in condition.args:
                yield from self.chosen(part)
        else:
            raise CheckError("guard-of-now", condition.span)

    def chosen(self, e: Expr) -> Iterator[Change]:
        """Yield the changes of an int, which has other values where a condition holds."""
        if not reads_now(e):
            return
        if e.kind != "int" or e.op in ("floor", "ceil", "round"):
            raise CheckError("guard-of-now", e.span)
        if e.op == "if":
            yield from self.of(e.args[0])
        for part in e.args[1:] if e.op == "if" else e.args:
            yield from self.chosen(part)

    def compared(self, condition: Expr) -> Iterator[Change]:
        """Yield a change for each line that one side minus the other can be."""
        left, right = condition.args
        lines = [line for line in self.lines(_binary("sub", left, right, condition)) if line.slope is not _NONE]
        for line in lines:
            if any(part.op == "tokens" for part in operations((line.slope, line.start))):
                raise CheckError("guard-of-marking", condition.span)
            yield Change(line, _before(condition, line, alone=len(lines) == 1))
        while self.asked:
            yield from self.of(self.asked.pop())

    def lines(self, e: Expr) -> list[Line]:
        if not reads_now(e):
            return [Line(_NONE, e)]
        found = list(self.parts(e))
        if len(found) > MOST_LINES:
            raise CheckError("guard-of-now", e.span)
        return found

    def parts(self, e: Expr) -> Iterator[Line]:
        """Yield the lines of which an expression that reads `now` is one, at each instant."""
        if e.op == "now":
            yield Line(_ONE, _NONE)
        elif e.op in ("add", "sub"):
            left, right = map(self.lines, e.args)
            yield from (_sum(one, other if e.op == "add" else _turned(other)) for one in left for other in right)
        elif e.op == "neg":
            yield from map(_turned, self.lines(e.args[0]))
        elif e.op in ("ticks", "units"):
            yield from (_scaled(line, lambda of: replace(e, args=(of,))) for line in self.lines(e.args[0]))
        elif e.op == "mul" and not reads_now(e.args[0]):
            yield from (_scaled(line, lambda of: _binary("mul", e.args[0], of, e)) for line in self.lines(e.args[1]))
        elif e.op in ("mul", "div") and not reads_now(e.args[1]):
            yield from (_scaled(line, lambda of: _binary(e.op, of, e.args[1], e)) for line in self.lines(e.args[0]))
        elif e.op in ("min", "max"):
            yield from (line for part in e.args for line in self.lines(part))
        elif e.op == "abs":
            yield from (one for line in self.lines(e.args[0]) for one in (line, _turned(line)))
        elif e.op == "if":
            self.asked += [e.args[0]] * reads_now(e.args[0])
            yield from (line for part in e.args[1:] for line in self.lines(part))
        else:
            raise CheckError("guard-of-now", e.span)


def _before(condition: Expr, line: Line, *, alone: bool) -> Expr:
    """Return whether a comparison has not changed yet.

    That of several lines may never change: then it is the line's sign, a tick ago, as it may have been rounded.
    """
    if alone:
        holds, more = condition, _COMPARED[condition.op]
    else:
        ago = _binary("sub", Expr("now", "real"), _ONE)
        value = _binary("add", _binary("mul", line.slope, ago), line.start)
        holds, more = Expr("ge", "bool", (value, _NONE)), True
    failing = _not(holds)
    if line.slope is _ONE or line.slope is _MINUS:
        return failing if (line.slope is _ONE) == more else holds
    rises = Expr("gt" if more else "lt", "bool", (line.slope, _NONE))
    return Expr("or", "bool", (Expr("and", "bool", (rises, failing)), Expr("and", "bool", (_not(rises), holds))))


def _not(e: Expr) -> Expr:
    return Expr("not", "bool", (e,))


def _binary(op: str, left: Expr, right: Expr, at: Expr | None = None) -> Expr:
    return Expr(op, "real", (left, right), None, (at or left).span)


def _negative(e: Expr) -> Expr:
    return _NONE if e is _NONE else Expr("neg", "real", (e,), None, e.span)


def _turned(line: Line) -> Line:
    slope = _MINUS if line.slope is _ONE else _ONE if line.slope is _MINUS else _negative(line.slope)
    return Line(slope, _negative(line.start))


def _sum(one: Line, other: Line) -> Line:
    return Line(_added(one.slope, other.slope), _added(one.start, other.start))


def _added(one: Expr, other: Expr) -> Expr:
    return other if one is _NONE else one if other is _NONE else _binary("add", one, other)


def _scaled(line: Line, scale: Callable[[Expr], Expr]) -> Line:
    return Line(*(part if part is _NONE else scale(part) for part in (line.slope, line.start)))
