"""A net that a file holds: a saved state, the store of a sweep, or a result.

`petri.codec` reads the types of its parts. Here is what else holds in each net that the language makes, and what
reports rely on without an engine. Engines hold a net against the rest before they run it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from petri.catalogue.operations import OPERATIONS
from petri.codec import net_from_dict
from petri.measure import histogram, reorder
from petri.measure.catalogue import PLACE_WORDS, TRANSITION_COLUMNS
from petri.measure.figures import recorded_fields
from petri.net import (
    MOST_REPLICATIONS,
    PRIORITIES,
    Chance,
    Content,
    Counter,
    Event,
    Expectation,
    Expr,
    InhibitorArc,
    InputArc,
    Measure,
    Net,
    Order,
    Passage,
    Place,
    Sample,
    Term,
    Transition,
    Watched,
    expressions,
    operations,
    split_unit,
)

_DIMENSION: Final = re.compile(r"|\d*[A-Za-z]\w*(\^\d{1,2})?([*/]\w+(\^\d{1,2})?)*|1(/\w+(\^\d{1,2})?)+", re.ASCII)
_ARITHMETIC: Final = {"neg": 1, **dict.fromkeys(("add", "sub", "mul", "div", "min2", "max2"), 2)}
_OF_PROBES: Final[dict[str, type]] = {
    "counter": Counter,
    "sample": Sample,
    "passage": Passage,
    "order": Order,
    "content": Content,
    "watched": Watched,
}


def read_net(data: Mapping[str, Any]) -> Net:
    """Return the net of `petri.codec.net_to_dict`. Raises ValueError, which says what is wrong, if it is none."""
    net = net_from_dict(data)
    _need(not net.stops_at_decisions, "it stops at decisions, as only components do")
    _check_times(net)
    for place in net.places:
        _check_place(net, place)
    for transition in net.transitions:
        _check_transition(net, transition)
    for probe in net.probes:
        _check_probe(net, probe)
    for table in net.tables:
        _need(len(table.values) == len(table.weights) > 0, f"the table `{table.name}` has no weights")
    for chance in net.chances:
        _check_chance(net, chance)
    for measure in net.measures:
        _check_measure(net, measure)
    _check_expectations(net, net.expectations)
    for named in (net.places, net.transitions, net.measures):
        _need(len({one.name for one in named}) == len(named), "two of its parts have one name")
    return net


def _need(holds: bool, wrong: str) -> None:
    if not holds:
        raise ValueError(f"not a flat net: {wrong}")


def _is_index(value: object, parts: Iterable[object]) -> bool:
    return type(value) is int and 0 <= value < len(tuple(parts))


def _is_positive(value: float | None) -> bool:
    return value is not None and 0.0 < value < math.inf


def _check_times(net: Net) -> None:
    runs = net.run_defaults
    _need(min(net.tick.numerator, net.tick.denominator) > 0, "a tick has no length")
    _need(net.seconds is None or _is_positive(net.seconds), "its time unit has no length")
    _need(all(_is_positive(length) for _, length in net.units), "a unit of time has no length")
    _need(all(math.isfinite(one.time) and math.isfinite(one.ppm) for one in net.inexact), "a time is not finite")
    _need(runs.until is None or runs.until >= 0.0, "its run has no end")
    _need(0.0 <= runs.warmup < math.inf, "its warm-up has no length")
    _need(1 <= runs.replications <= MOST_REPLICATIONS and runs.seed >= 0, "its run has no replications")
    _need(0.0 <= runs.precision < math.inf, "its precision is not a share")
    if runs.stop is not None:
        _check_expectations(net, (runs.stop,))


def _check_dimension(dimension: str) -> None:
    plain, unit, size = split_unit(dimension)
    known = _DIMENSION.fullmatch(plain) is not None and (not unit or _is_positive(size))
    _need(known, f"`{dimension}` is not a dimension")


# ---------------------------------------------------------------- places and transitions


def _check_place(net: Net, place: Place) -> None:
    slots = place.colour.slots
    for slot in slots:
        _check_dimension(slot.dimension)
        _need(slot.low is None or slot.high is None or slot.low <= slot.high, f"`{place.name}` has an empty range")
        _need(all(map(math.isfinite, (slot.low or 0, slot.high or 0))), f"`{place.name}` has no finite range")
        ends = (slot.low, slot.high) == (0, len(slot.labels) - 1)
        _need(not slot.labels or ends, f"`{place.name}` has other values than names of them")
    _need(all(_is_index(index, slots) for index in place.per), f"`{place.name}` has no such field")
    _need(place.discipline != "key" or place.key is not None, f"`{place.name}` has no key")
    _need(
        all(len(token) == len(slots) for _, token in place.initial), f"a token of `{place.name}` is not of its colour"
    )
    _check_expressions(net, expressions(place), len(slots), place.name)
    _check_dimension(place.measured_in)


def _check_transition(net: Net, transition: Transition) -> None:
    arcs: tuple[InputArc | InhibitorArc, ...] = (*transition.inputs, *transition.inhibitors)
    named = all(_is_index(place, net.places) for place in transition.places)
    _need(named, f"`{transition.name}` has an arc to no place")
    chosen = all(len(arc.places) == 1 or (arc.places and arc.index) for arc in transition.outputs)
    shapes = [(len(arc.pattern), arc.place) for arc in arcs]
    shapes += [(len(arc.values), place) for arc in transition.outputs for place in arc.places]
    fits = all(length == len(net.places[place].colour.slots) for length, place in shapes)
    _need(chosen and fits, f"an arc of `{transition.name}` does not fit its place")
    bound = [one.bind for arc in arcs for one in arc.pattern if one.bind is not None]
    bound += [draw.variable for draw in transition.draws]
    bound += [variable for one in transition.sets for variable in one.variables]
    of_sets = (arc.each for arc in transition.outputs if arc.each is not None)
    _need(all(_is_index(one, transition.variables) for one in bound), f"`{transition.name}` has no such variable")
    _need(all(_is_index(one, transition.sets) for one in of_sets), f"`{transition.name}` has no such set")
    _need(abs(transition.priority) <= PRIORITIES, f"the priority of `{transition.name}` is too large")
    _need(
        transition.clock is None or transition.clock.servers is None or transition.clock.servers >= 1,
        f"`{transition.name}` has no servers",
    )
    for variable in transition.variables:
        _check_dimension(variable.dimension)
    more = max((len(net.places[one.place].colour.slots) for one in transition.sets), default=0)
    _check_expressions(net, expressions(transition), len(transition.variables) + more, transition.name)


def _check_expressions(net: Net, checked: Iterable[Expr | None], variables: int, where: str) -> None:
    for e in operations(checked):
        _need(_is_operation(net, e, variables), f"`{where}` has an operation that is none")


def _is_operation(net: Net, e: Expr, variables: int) -> bool:
    value = e.value
    match e.op:
        case "const":
            return value is not None and not e.args
        case "var":
            return not e.args and _is_index(value, range(variables))
        case "tokens":
            return not e.args and _is_index(value, net.places)
        case "table" | "empirical":
            return not e.args and _is_index(value, net.tables)
        case "choice":
            return len(e.args) > 0 and len(e.args) % 2 == 0
        case "ticks" | "units":
            return len(e.args) == 1 and value is not None and _is_positive(value)
        case _:
            return e.op in OPERATIONS and len(e.args) == len(OPERATIONS[e.op].parameters)


# ---------------------------------------------------------------- measures


def _check_probe(net: Net, probe: object) -> None:
    wrong = "a measure is of nothing"
    match probe:
        case Counter():
            _need(_is_index(probe.transition, net.transitions), wrong)
            variables = len(net.transitions[probe.transition].variables)
            _check_expressions(net, (probe.quantity,), variables, "a measure")
        case Sample():
            for one in (probe, *probe.others):
                _check_event(net, Event(one.transition, one.place), (one.value, one.condition))
        case Passage():
            for event in (*probe.start.every, *probe.end.every):
                _check_event(net, event, ())
        case Order():
            _check_event(net, probe.event, (probe.sequence,))
            _need(probe.modulo is None or 4 <= probe.modulo <= reorder.MOST_MODULO, "numbers wrap around nowhere")
            thresholds = (probe.displacement_threshold, probe.buffer_threshold)
            _need(all(1 <= threshold <= 1024 for threshold in thresholds), "a threshold of order is not from 1 to 1024")
        case Content():
            _need(_is_index(probe.place, net.places), wrong)
            _check_expressions(net, (probe.value,), len(net.places[probe.place].colour.slots), "a measure")
        case Watched():
            _check_watched(net, probe)


def _check_event(net: Net, event: Event, more: tuple[Expr | None, ...]) -> None:
    wrong = "a measure is of no event"
    if event.transition is not None:
        _need(_is_index(event.transition, net.transitions) and event.place is None, wrong)
        variables = len(net.transitions[event.transition].variables)
    else:
        _need(_is_index(event.place, net.places), wrong)
        variables = len(net.places[event.place or 0].colour.slots)
    _check_expressions(net, (*event.key, *more), variables, "a measure")


def _check_watched(net: Net, watched: Watched) -> None:
    _need(all(_is_index(firing, net.transitions) for firing in watched.firings), "a measure is of no transition")
    _check_expressions(net, (watched.value,), len(watched.firings), "a measure")


def _check_chance(net: Net, chance: Chance) -> None:
    for one in (chance.hit, chance.stop, chance.begin, chance.importance):
        if one is not None:
            _check_watched(net, one)
    _check_expressions(net, (chance.within,), 0, "a probability")
    _need(chance.trials is None or chance.trials >= 1, "a probability has no trials")
    _need(_is_positive(chance.precision), "a probability has no precision")
    _need(chance.error is None or 0.0 < chance.error < 1.0, "the error of a probability is not one")


def _check_measure(net: Net, measure: Measure) -> None:
    wrong = f"the measure `{measure.name}` is of nothing"
    _check_dimension(measure.dimension)
    _check_term(net, measure.formula, wrong)
    _need(measure.window is None or _is_positive(measure.window), f"the windows of `{measure.name}` have no length")
    _need(measure.window is not None or "series" not in measure.record, wrong)
    if measure.probe is not None:
        _need(_is_index(measure.probe, net.probes), wrong)
        _need(all(_is_figure(net.probes[measure.probe], field) for field in recorded_fields(measure)), wrong)
    _check_expectations(net, measure.expectations)


def _check_expectations(net: Net, expectations: Iterable[Expectation]) -> None:
    for expectation in expectations:
        _check_term(net, expectation.formula, "something is expected of nothing")
        _check_dimension(expectation.dimension)
        _need(
            not math.isnan(expectation.bound) and 0.0 <= expectation.within < math.inf,
            "an expected value is not a number",
        )


def _check_term(net: Net, term: Term, wrong: str) -> None:
    _need(_is_term(net, term), wrong)
    for argument in term.args:
        _check_term(net, argument, wrong)


def _is_term(net: Net, term: Term) -> bool:
    op, value, count = term.op, term.value, len(term.args)
    if op in _ARITHMETIC:
        return count == _ARITHMETIC[op]
    if op == "quantile":
        return count == 1 and isinstance(value, float) and 0.0 < value < 1.0
    if count:
        return False
    if op == "const":
        return isinstance(value, int | float)
    if op == "chance":
        return _is_index(value, net.chances)
    if op == "series":
        return isinstance(value, tuple) and _is_index(value[0], net.measures) and _is_of_windows(value[1])
    if op in _OF_PROBES:
        probe, field = value if isinstance(value, tuple) else (value, None)
        if not isinstance(probe, int) or not _is_index(probe, net.probes):
            return False
        found = net.probes[probe]
        return isinstance(found, _OF_PROBES[op]) and (field is None if op == "counter" else _is_figure(found, field))
    if op in TRANSITION_COLUMNS:
        return _is_index(value, net.transitions)
    return op == "elapsed" or (op in PLACE_WORDS and _is_index(value, net.places))


def _is_of_windows(field: str) -> bool:
    return field in ("mean", "min", "max") or histogram.quantile_share(field) is not None


def _is_figure(probe: object, field: str | None) -> bool:
    """Return whether a probe has such a figure."""
    if field is None:
        return False
    match probe:
        case Order():
            return field in reorder.FIELDS
        case Content() | Watched():
            return field in ("integral", "max", "min", "first")
        case Sample() | Passage():
            return field in histogram.FIELDS or histogram.quantile_share(field) is not None
        case _:
            return False
