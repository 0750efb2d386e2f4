"""What a net says of the figures that its runs will have: what they cannot tell, or tell too low."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from petri.analysis.constancy import Constancy, constancy_of, tokens_read
from petri.analysis.heavy import OF_VALUES, heavy_tails_of
from petri.diagnostics import Diagnostic
from petri.net import Expectation, Net, Order, Passage, Sample, Term, Watched


def notes(net: Net) -> list[Diagnostic]:
    """Yield notes of `pnsim check`."""
    return [*exact_expectations(net), *_cold_start(net), *_infinite_variances(net)]


# ---------------------------------------------------------------- a random figure that is expected to be a number


def is_exact(expectation: Expectation) -> bool:
    """Return whether an average is expected to be a number, within rounding, which is neither 0 nor 1."""
    wanted = expectation.comparison == "==" and not expectation.within and expectation.bound not in (0.0, 1.0)
    return wanted and not _is_count(expectation.formula)


def _is_count(term: Term) -> bool:
    """Return whether a figure has only few values: a number of firings, an extreme, a quantile."""
    if isinstance(term.value, tuple):
        return term.value[1] not in ("mean", "std", "sum", "integral") and not term.value[1].endswith("_share")
    if term.op in ("add", "sub", "mul", "neg", "min2", "max2", "quantile"):
        return all(map(_is_count, term.args))
    return term.op in ("const", "firings", "arrivals", "counter", "max", "clocks_set", "clocks_dropped", "series")


def exact_expectations(net: Net) -> Iterator[Diagnostic]:
    """Yield a note for each random average that is expected to be a number."""
    said = constancy_of(net)
    for one in (*net.expectations, *(expectation for measure in net.measures for expectation in measure.expectations)):
        if is_exact(one) and _is_random(net, said, one.formula):
            yield Diagnostic("exact-of-random", one.span, {"text": one.text}, severity="note")


def _is_random(net: Net, said: Constancy, term: Term) -> bool:
    """Return whether a formula may differ from run to run."""
    if term.op == "chance":
        return True
    transitions, places = said.random
    if isinstance(term.value, tuple):
        return term.op != "series" and _sees_chance(net, said, term.value[0])
    if term.op == "counter":
        return not said.is_alike(net.probes[int(term.value or 0)])  # type: ignore[arg-type]
    if term.value is not None and term.op != "const":
        of_transition = term.op in ("firings", "rate", "in_progress", "active", "clocks_set", "clocks_dropped")
        return int(term.value) in (transitions if of_transition else places) and not said.is_constant(term)
    return any(_is_random(net, said, one) for one in term.args) and not said.is_constant(term)


def _sees_chance(net: Net, said: Constancy, number: int) -> bool:
    probe, (transitions, places) = net.probes[number], said.random
    if isinstance(probe, Sample):
        return not all(map(said.is_alike, (probe, *probe.others)))
    if isinstance(probe, Passage | Order):
        ends = (probe.start, probe.end) if isinstance(probe, Passage) else (probe.event,)
        every = [one for end in ends for one in end.every]
        return any(one.transition in transitions or one.place in places for one in every)
    if isinstance(probe, Watched):
        return bool(tokens_read([probe.value]) & places or transitions.intersection(probe.firings))
    return getattr(probe, "place", None) in places


# ---------------------------------------------------------------- runs that begin empty


def _cold_start(net: Net) -> Iterator[Diagnostic]:
    """Yield a note on a line without bound that begins empty, behind endless arrivals, in runs of a fixed length."""
    run = net.run_defaults
    if run.until is None or not math.isfinite(run.until) or run.warmup > 0.0 or not _measures_averages(net):
        return
    empty = ((place, t) for place, t in constancy_of(net).open_lines.items() if not net.places[place].held)
    for place, t in islice(empty, 1):
        values = {"name": net.transitions[t].name, "place": net.places[place].name}
        yield Diagnostic("no-warm-up", net.transitions[t].span, values, severity="note")


def _measures_averages(net: Net) -> bool:
    """Return whether it asks for averages over the run, and for no course of one."""
    if any(measure.window for measure in net.measures):
        return False
    return any(not _is_count(measure.formula) and not _is_first(measure.formula) for measure in net.measures)


def _is_first(term: Term) -> bool:
    """Return whether it is made of the time until something happens, or of trials, which are runs of their own."""
    first = isinstance(term.value, tuple) and term.value[1] == "first"
    return first or term.op == "chance" or (bool(term.args) and all(map(_is_first, term.args)))


# ---------------------------------------------------------------- infinite variances


def _infinite_variances(net: Net) -> Iterator[Diagnostic]:
    for t, tail in heavy_tails_of(net).times.items():
        values = {"name": net.transitions[t].name, "shape": f"{tail.shape:.6g}"}
        identifier = "infinite-variance" if tail.shape <= OF_VALUES else "infinite-variance-of-waits"
        if identifier == "infinite-variance" or heavy_tails_of(net).places:
            yield Diagnostic(identifier, tail.span, values, severity="note")
