"""Times and values of infinite variance, as the distributions of a net say.

A Pareto or log-logistic variate of shape a has moments below a only. Averages of such values, or of times that they
make, have an infinite variance if a is at most 2; and behind a server that takes such times, so have those of the line
if a is at most 3, as the wait has one moment less (Pollaczek and Khinchine). No interval of a mean holds then.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

from petri.analysis.constancy import constancy_of, expressions, tokens_read
from petri.latest import kept_for_latest
from petri.net import Content, Event, Expr, Net, Passage, Probe, Sample, Span, Term, Watched, operations, times_of
from petri.structs import Frozen

HEAVY: Final = ("pareto", "loglogistic")
OF_VALUES, OF_LINES = 2.0, 3.0  # shapes up to which averages, and those of lines, have an infinite variance


class Tail(Frozen):
    """The least shape of the variates that a value is made of, and where they are drawn; infinite without any."""

    shape: float = math.inf
    span: Span | None = None


NONE: Final = Tail()
NOW, END = -1, -2  # beside the numbers of variables


class HeavyTails:
    """Find the heavy tails of one net, each answer when it is asked for first."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self._slots: dict[tuple[int, int], Tail] = {}

    @cached_property
    def _variables(self) -> list[dict[int, Tail]]:
        """Find the heavy variables of each transition; those of tokens have what goes into the slots of places."""
        found: list[dict[int, Tail]] = [{} for _ in self.net.transitions]
        changed = True
        while changed:
            changed = False
            for t, transition in enumerate(self.net.transitions):
                for arc in transition.inputs:
                    for slot, match in enumerate(arc.pattern):
                        if match.bind is not None and (arc.place, slot) in self._slots:
                            found[t][match.bind] = self._slots[arc.place, slot]
                for draw in transition.draws:
                    if (tail := self._tail(draw.expression, found[t])).shape < math.inf:
                        found[t][draw.variable] = tail
                for out in transition.outputs:
                    for slot, value in enumerate(out.values):
                        tail = self._tail(value, found[t])
                        for place in out.places:
                            if tail.shape < self._slots.get((place, slot), NONE).shape:
                                self._slots[place, slot], changed = tail, True
        return found

    def _tail(self, e: Expr, variables: dict[int, Tail]) -> Tail:
        if e.op in ("var", "now", "end"):
            return variables.get({"now": NOW, "end": END}.get(e.op, int(e.value or 0)), NONE)
        parts = [self._tail(part, variables) for part in e.args]
        if e.op in HEAVY:
            shape = e.args[0]
            return Tail(float(shape.value or 0), e.span) if shape.op == "const" else NONE
        if not parts or e.op in ("ln", "mod", "idiv") or e.kind == "bool":
            return NONE
        if e.op == "min":
            return max(parts, key=lambda tail: tail.shape)  # what is bounded has all moments
        if e.op in ("sqrt", "pow"):
            power = 0.5 if e.op == "sqrt" else float(e.args[1].value or 1) if e.args[1].op == "const" else 1.0
            return Tail(parts[0].shape / power, parts[0].span) if power > 0.0 else NONE
        heavy = parts[:1] if e.op == "div" else parts[1:] if e.op == "if" else parts
        return min(heavy, key=lambda tail: tail.shape)

    @cached_property
    def times(self) -> dict[int, Tail]:
        """The transitions whose times, or delays of outputs, have few moments."""
        found: dict[int, Tail] = {}
        if not any(part.op in HEAVY for one in self.net.transitions for part in operations(expressions(one))):
            return found
        for t, transition in enumerate(self.net.transitions):
            tail = min((self._tail(one, self._variables[t]) for one in times_of(transition)), key=lambda one: one.shape)
            if tail.shape <= OF_LINES:
                found[t] = tail
        return found

    @cached_property
    def transitions(self) -> frozenset[int]:
        """Find the transitions whose averages over time have an infinite variance."""
        return self._reached[0]

    @cached_property
    def places(self) -> frozenset[int]:
        return self._reached[1]

    @cached_property
    def _reached(self) -> tuple[frozenset[int], frozenset[int]]:
        said = constancy_of(self.net)
        transitions: frozenset[int] = frozenset()
        places: frozenset[int] = frozenset()
        for t, tail in self.times.items():
            given = {place for arc in self.net.transitions[t].outputs for place in arc.places}
            reached = said.reached((), given)
            if tail.shape <= OF_VALUES:
                transitions, places = transitions | reached[0] | {t}, places | reached[1]
            elif math.isfinite(said.in_progress(t)[1]) or self._is_one_clock(t):
                places |= {place for place in reached[1] if math.isinf(said.tokens(place)[1])}
        return transitions, frozenset(place for place in places if len({*said.tokens(place)}) > 1)

    def _is_one_clock(self, t: int) -> bool:
        clock = self.net.transitions[t].clock
        return clock is not None and clock.servers is not None

    def of_term(self, term: Term) -> bool:
        """Return whether a formula has an infinite variance."""
        if term.op in ("mean", "sojourn"):
            return term.value in self.places
        if term.op == "in_progress":
            return term.value in self.transitions
        if isinstance(term.value, tuple) and term.op != "series":
            probe, field = self.net.probes[term.value[0]], term.value[1]
            return field in ("mean", "std", "integral") and self._of_probe(probe)
        return any(map(self.of_term, term.args))

    def _of_probe(self, probe: Probe) -> bool:
        """Return whether the mean of what a probe sees has an infinite variance."""
        if isinstance(probe, Sample):
            return any(map(self._of_sample, (probe, *probe.others)))
        if isinstance(probe, Watched):
            heavy = tokens_read([probe.value]) & self.places or self.transitions.intersection(probe.firings)
            return probe.value.kind != "bool" and bool(heavy)
        if isinstance(probe, Content):
            return probe.place in self.places
        return isinstance(probe, Passage) and any(map(self._ends_late, probe.end.every))

    def _of_sample(self, sample: Sample) -> bool:
        """Return whether its values, or the tokens of which they are made, have an infinite variance."""
        of_transitions, place = self._variables, sample.place
        if sample.transition is not None:
            variables = of_transitions[sample.transition]
        else:
            variables = {slot: tail for (where, slot), tail in self._slots.items() if where == place}
        late = {key: Tail(OF_VALUES) for key in self._late(sample)}
        is_heavy = self._tail(sample.value, variables | late).shape <= OF_VALUES
        return is_heavy or bool(tokens_read([sample.value]) & self.places)

    def _late(self, sample: Sample) -> list[int]:
        """Return which of the instants `now` and `end` come after a time without a variance: so do waits until then."""
        if sample.transition is None:
            return [NOW, END] if sample.place in self.places else []
        inputs = self.net.transitions[sample.transition].inputs
        if any(place in self.places for arc in inputs for place in arc.takes_from):
            return [NOW, END]
        return [END] if sample.transition in self.transitions else []

    def _ends_late(self, event: Event) -> bool:
        """Return whether it waits for what takes such a time, or for a line behind it."""
        if event.transition is None:
            return event.place in self.places
        taken = {place for arc in self.net.transitions[event.transition].inputs for place in arc.takes_from}
        return event.transition in self.transitions or bool(taken & self.places)


@kept_for_latest
def heavy_tails_of(net: Net) -> HeavyTails:
    """Return the heavy tails of a net, which the replications of a run share."""
    return HeavyTails(net)
