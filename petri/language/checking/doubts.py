"""What in a net may mean something else than it does, and changes figures: for `pnsim check`, and for each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from petri import net
from petri.diagnostics import Diagnostic, Value
from petri.net import Expr, Net, Span, Transition


def doubts(flat: Net) -> list[Diagnostic]:
    """Return notes, in the order of the transitions; one for what elements of an array share."""
    found: dict[tuple[str, Span | None], Diagnostic] = {}
    declared: set[Span] = set()
    for transition in flat.transitions:
        if transition.span is not None and transition.span in declared:  # an element of an array
            continue
        declared.update([transition.span] if transition.span is not None else [])
        for one in (*_whole_numbers(flat, transition), *_powers(transition), *_rates_at_start(transition)):
            found.setdefault((one.id, one.span), one)
    return [*found.values(), *_without_arrivals(flat)]


def _without_arrivals(flat: Net) -> Iterator[Diagnostic]:
    """Note ports into which nothing comes."""
    names = tuple(place.name for place in flat.places if place.port == "in" and place.stream is None)
    if names:
        yield Diagnostic("port-without-file", values={"names": names, "first": names[0]}, severity="note")


def gives_back(transition: Transition) -> bool:
    """Return whether it gives back all that it takes, perhaps with other values, as a source of arrivals does."""
    taken = Counter(arc.place for arc in transition.inputs if not arc.keep)
    given = Counter(arc.places[0] for arc in transition.outputs if len(arc.places) == 1 and arc.condition is None)
    single = all(arc.count is None for arc in transition.inputs)
    return single and not transition.emptied and taken.total() > 0 and taken <= given


# ---------------------------------------------------------------- uniform(1..3) where time has no unit


def _whole_numbers(flat: Net, transition: Transition) -> Iterator[Diagnostic]:
    """Draw of whole numbers that become times, or values of real fields, as they are."""
    drawn = {draw.variable: draw.expression for draw in transition.draws if draw.expression.op == "uniform_int"}
    times = net.times_of(transition) if flat.seconds is None else []
    values = [value for arc in transition.outputs for value in arc.values]
    direct = [one for e in (*times, *values) for one in _as_it_is(e)]
    compared = [one for e in _all_expressions(transition) for one in _compared(e)]
    for e in (*direct, *compared):
        uniform = drawn.get(int(e.value or 0)) if e.op == "var" else e
        if uniform is not None and uniform.op == "uniform_int":
            yield _of_ints(uniform)


def _as_it_is(e: Expr) -> Iterator[Expr]:
    """Yield the ints that a real may be, without other arithmetic than sums."""
    if e.op in ("ticks", "units"):
        yield from _as_it_is(e.args[0])
    elif e.op in ("add", "sub") or e.op == "choice":
        for part in e.args:
            yield from _as_it_is(part)
    elif e.op == "if":
        for part in e.args[1:]:
            yield from _as_it_is(part)
    elif e.op == "real":
        yield from _ints_in(e.args[0])


def _ints_in(e: Expr) -> Iterator[Expr]:
    if e.op in ("var", "uniform_int"):
        yield e
    elif e.op in ("choice", "if"):
        for part in e.args:
            yield from _ints_in(part)


def _compared(e: Expr) -> Iterator[Expr]:
    """Ints that are compared with a number that is not whole."""
    for part in net.operations([e]):
        if part.op in ("lt", "le", "gt", "ge", "eq", "ne"):
            for one, other in (part.args, part.args[::-1]):
                broken = other.op == "const" and isinstance(other.value, float) and not other.value.is_integer()
                if one.op == "real" and broken:
                    yield from _ints_in(one.args[0])


def _all_expressions(transition: Transition) -> Iterator[Expr]:
    yield transition.time
    yield from (draw.expression for draw in transition.draws)
    for arc in transition.outputs:
        yield from (e for e in (arc.condition, arc.count, arc.index, arc.delay, *arc.values) if e is not None)


def _powers(transition: Transition) -> Iterator[Diagnostic]:
    """Note draws between whole numbers of which one is a power: it is a real, and so is what is drawn."""
    for part in net.operations(_all_expressions(transition)):
        powers = part.op == "uniform" and any(one.op == "pow" for one in net.operations(part.args))
        if powers and all(map(_is_whole, part.args)):
            yield Diagnostic("uniform-of-reals", part.span, severity="note")


def _is_whole(e: Expr) -> bool:
    """Return whether a real is a whole number, by how it is written: not as `1.0`."""
    if e.op == "const":
        return isinstance(e.value, float) and e.value.is_integer() and not _is_literal(e)
    return e.op == "real" or (e.op in ("add", "sub", "mul", "pow", "neg", "min", "max") and all(map(_is_whole, e.args)))


def _of_ints(uniform: Expr) -> Diagnostic:
    low, high = uniform.args
    literal = _is_literal(low) and _is_literal(high)
    reals = f"uniform({low.value}.0..{high.value}.0)" if literal else None
    values: dict[str, Value] = {"reals": reals, "example": None if literal else "1.0..3.0"}
    return Diagnostic("uniform-of-ints", uniform.span, values=values, severity="note")


def _is_literal(e: Expr) -> bool:
    """Return whether it is written as the number that it is."""
    span = e.span if e.op == "const" else None
    return span is not None and span.line == span.end_line and span.end_column - span.column == len(str(e.value))


# ---------------------------------------------------------------- rates that stay as they were


def _rates_at_start(transition: Transition) -> Iterator[Diagnostic]:
    """Exponential times whose mean changes while they pass: of arrivals, and of clocks that are not set anew."""
    clock = transition.clock
    values: dict[str, str | None] = {"name": transition.name}
    if net.is_memoryless(transition) or (clock is None and not gives_back(transition)):
        return
    for part in net.operations([net.time_of(transition)]):
        read = {operation.op for operation in net.operations(part.args)} if part.op == "exp" else set[str]()
        if "now" in read or "tokens" in read:
            form = "after exp(1 / rate)" if "now" in read else "after exp(…)"
            values |= {"follows": None, "scheduled": None, "scheduled" if "now" in read else "follows": form}
            yield Diagnostic("rate-at-start" if clock is None else "rate-when-set", part.span, values, severity="note")
