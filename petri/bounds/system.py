"""What every run of a net obeys in the long run, as rows of a linear programme.

The quantities are averages over time: of each transition the rate x of its firings and how many are in progress, h; of
each place its tokens m.

- **Flow**: what comes to a place leaves it, or gathers there; so do the values of its tokens (`flows.py`).
- **Little's law**: h is the flow of the firing time. A clock that runs down for each firing has run for its time.
- **Marking**: m is the initial marking, with what starts and ends of firings have taken and given (the state equation).
  All place invariants follow from it, and with Little's law they say that a resource is busy at most all of the time.
- **Structure**: capacities, places that are empty whenever time passes, and transitions of which one is chosen by
  weights.

Guards, colours and orders may prevent more than these rows do, and never less. Campos, Chiola and Silva, Properties
and Performance Bounds for Closed Free Choice Synchronized Monoclass Queueing Networks, IEEE Trans. Automatic Control
36 (1991), have the programme for nets without colours.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from petri.analysis.constancy import constancy_of
from petri.bounds.domains import ANY, Domain, Domains, initial, is_fed
from petri.bounds.flows import Flow, Flows, shape_of
from petri.bounds.programme import ONE, Linear, Programme, plus, total
from petri.net import (
    Expr,
    InputArc,
    Net,
    OutputArc,
    Slot,
    Transition,
    Variable,
    constant_count,
    constant_weight,
    is_memoryless,
    lasts,
)
from petri.ticks import HORIZON


class System:
    """scale: ticks of a time unit of the programme. rates, progress, tokens: x, h and m. into: arrivals by place."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.known = constancy_of(net)
        self.domains = Domains(net)
        usual = sorted(min(max(time, 1.0), HORIZON) for time in self.known.usual_times if time > 0.0)
        self.scale = usual[len(usual) // 2] if usual else 1.0
        programme = self.programme = Programme()
        self.rates = [programme.variable() for _ in net.transitions]
        self.tokens = [programme.variable() for _ in net.places]
        self.progress: list[Linear] = [{} for _ in net.transitions]
        self.flows = [Flows(net, programme, rate) for rate in self.rates]
        self.into: list[list[Linear]] = [[] for _ in net.places]
        self._in: list[list[tuple[Linear, list[Flow]]]] = [[] for _ in net.places]
        self._out: list[list[tuple[Linear, list[Flow]]]] = [[] for _ in net.places]
        self._change: list[Linear] = [{} for _ in net.places]  # of tokens, from the start on
        self._starts = [programme.variable() for _ in net.transitions]
        self._meetings: list[dict[object, Linear]] = [{} for _ in net.transitions]
        # Of a run until the net is dead, how many such runs there are in a time unit.
        self._ends = programme.variable() if net.run_defaults.until == math.inf else None
        for t, transition in enumerate(net.transitions):
            self._transition(t, transition)
        for p in range(len(net.places)):
            self._place(p)
        self._equal_conflicts()

    def a_time_unit(self, flow: Linear) -> Linear:
        """Return a flow in the net's unit of time."""
        return plus((float(1 / (self.net.tick.length * Fraction(self.scale))), flow))

    # ------------------------------------------------------------ transitions

    def _transition(self, t: int, transition: Transition) -> None:
        flows = self.flows[t]
        if not self.domains.possible[t]:
            self.programme.equal({self.rates[t]: 1.0})
        self._bind(t, transition)
        for draw in transition.draws:
            flows.variables[draw.variable] = flows.of(draw.expression)
        if transition.guard is not None:
            self.programme.equal(plus((1.0, flows.of(transition.guard).linear), (-1.0, flows.rate)))
        if transition.clock is not None:
            self._clock(t, transition)
        elif lasts(transition):
            self.progress[t] = self._lasting(flows.of(transition.time))
        ends = plus((1.0, {self._starts[t]: 1.0}), (-1.0, self.progress[t] if transition.clock is None else {}))
        given = [(arc, self._output(t, transition, arc, ends)) for arc in transition.outputs]
        self._keep_values(flows, [(arc, shares) for arc, shares in given if arc.count is None and arc.each is None])

    def _keep_values(self, flows: Flows, given: Sequence[tuple[OutputArc, list[list[Flow]]]]) -> None:
        """Let no value get lost where one of several places gets a token, by an index or by `if … then … else …`.

        given: arcs that give at most one token, with the flows of its values at each place.
        """
        named = [(arc.condition, tuple(map(shape_of, arc.values)), arc.values, shares) for arc, shares in given]
        found = {(shape_of(condition), token): shares for condition, token, _, shares in named if condition is not None}
        for condition, token, values, shares in named:
            others: list[list[Flow]] | None = []
            if condition is not None:
                others = found.get((shape_of(Expr("not", "bool", (condition,))), token))
            if others is not None and len(shares) + len(others) > 1:
                for value, *parts in zip(values, *shares, *others, strict=True):
                    self._keep_value(flows.of(value), parts)

    def _keep_value(self, value: Flow, parts: Sequence[Flow]) -> None:
        """Let each of a value's few numbers go to one of several places."""
        shares = [part.parts for part in parts if part.parts is not None]
        if value.parts is not None and len(shares) == len(parts):
            for number, flow in value.parts.items():
                self.programme.equal(plus((-1.0, flow), *((1.0, share.get(number, {})) for share in shares)))

    def _lasting(self, time: Flow) -> Linear:
        """Return the flow of a time; a negative one counts as 0 (S1)."""
        flow = plus((1.0 / self.scale, time.linear))
        if time.domain.low >= 0.0:
            return flow
        longer = {self.programme.variable(): 1.0}
        self.programme.at_least(plus((1.0, longer), (-1.0, flow)))
        return longer

    def _bind(self, t: int, transition: Transition) -> None:
        """Give variables their flows, and take tokens."""
        flows, starts = self.flows[t], {self._starts[t]: 1.0}
        found = self.domains.variables[t]
        for arc in transition.inputs:
            for match in arc.pattern:
                if match.bind is not None and match.bind not in flows.variables:
                    unit = self._unit(transition.variables[match.bind])
                    flows.variables[match.bind] = flows.unknown(found.get(match.bind, ANY), unit)
        for arc in transition.inputs:
            count = self._count(flows, arc.count)
            if arc.keep:
                continue
            self._out[arc.place].append((count.linear, list(self._taken_values(flows, arc))))
            self._changes(arc.place, -1.0, self._number(count.domain, starts))
        for place in transition.emptied:
            self._out[place].append(self._any_number(place))
            self._changes(place, -1.0, {self.programme.variable(): 1.0})

    def _any_number(self, place: int) -> tuple[Linear, list[Flow]]:
        """Return a flow of any number of tokens that the place may hold."""
        rate = self.programme.variable()
        return {rate: 1.0}, list(map(Flows(self.net, self.programme, rate).unknown, self.domains.places[place]))

    def _come_in_any_number(self, place: int) -> None:
        """Let tokens come to a place, of which nothing else is known."""
        coming = self._any_number(place)
        self._in[place].append(coming)
        self.into[place].append(coming[0])
        self._changes(place, 1.0, {self.programme.variable(): 1.0})

    def _unit(self, of: Slot | Variable) -> float:
        """Return about how large a value of this dimension is."""
        return self.scale if of.dimension == "Time" else 1.0

    def _taken_values(self, flows: Flows, arc: InputArc) -> Iterator[Flow]:
        for match, held in zip(arc.pattern, self.domains.places[arc.place], strict=True):
            if match.bind is not None:
                yield flows.variables[match.bind]
            elif match.equal is not None:
                yield flows.of(match.equal)
            else:
                yield flows.unknown(held)

    def _count(self, flows: Flows, count: Expr | None) -> Flow:
        return flows.constant(1.0) if count is None else flows.of(count)

    def _number(self, count: Domain, times: Linear) -> Linear:
        """Return the tokens of some firings, each of which has a number in this domain."""
        if count.constant is not None:
            return plus((count.constant, times))
        number = {self.programme.variable(): 1.0}
        self.programme.at_least(plus((1.0, number), (-max(count.low, 0.0), times)))
        if math.isfinite(count.high):
            self.programme.at_least(plus((count.high, times), (-1.0, number)))
        return number

    def _changes(self, place: int, sign: float, number: Linear) -> None:
        self._change[place] = plus((1.0, self._change[place]), (sign, number))

    def _output(self, t: int, transition: Transition, arc: OutputArc, ends: Linear) -> list[list[Flow]]:
        """Give tokens: how many a time unit, of which values, and how many from the start on.

        Returns the flows of their values for each place.
        """
        flows, places = self.flows[t], dict.fromkeys(arc.places)
        times = ends
        if arc.delay is not None:
            times = plus((1.0, {self._starts[t]: 1.0}), (-1.0, self._lasting(flows.of(arc.delay))))
        if arc.each is not None:  # one for each token of a set
            for place in places:
                self._come_in_any_number(place)
            return []
        number = self._count(flows, arc.count)
        if arc.condition is not None:
            number = flows.product(flows.of(arc.condition), number)
        values = [flows.of(value) for value in arc.values]
        if arc.condition is None or arc.count is not None or arc.delay is not None:
            change = self._number(number.domain, times)
        else:
            change = self._meeting(t, arc.condition, number.domain, times)
        index = None if arc.index is None else flows.of(arc.index)
        simple = index is not None and index.parts is not None and number.domain.constant == 1.0
        rates, changes = {}, {}
        for place in places:
            if len(places) == 1:
                rate, given = number.linear, change
            else:
                rate, given = {self.programme.variable(): 1.0}, {self.programme.variable(): 1.0}
                if simple and index is not None and index.parts is not None:
                    rate = total(index.parts.get(float(at), {}) for at, one in enumerate(arc.places) if one == place)
            rates[place], changes[place] = rate, given
            self._in[place].append((rate, self._given_values(flows, number, rate, values, place)))
            if arc.count is None:
                self._narrow(flows, arc, place, self._in[place][-1])
            self.into[place].append(rate)
            self._changes(place, 1.0, given)
        if len(places) > 1:
            if not simple:
                self.programme.equal(plus((-1.0, number.linear), (1.0, total(rates.values()))))
            self.programme.equal(plus((-1.0, change), (1.0, total(changes.values()))))
        return [self._in[place][-1][1] for place in places]

    def _meeting(self, t: int, condition: Expr, holds: Domain, ends: Linear) -> Linear:
        """Return how many ends of firings, from the start on, meet a condition; all others meet the contrary."""
        if condition.op == "not":
            contrary = Domain(1.0 - holds.high, 1.0 - holds.low)
            return plus((1.0, ends), (-1.0, self._meeting(t, condition.args[0], contrary, ends)))
        known, shape = self._meetings[t], shape_of(condition)
        if shape not in known:
            known[shape] = self._number(holds, ends)
        return known[shape]

    def _narrow(self, flows: Flows, arc: OutputArc, place: int, given: tuple[Linear, list[Flow]]) -> None:
        """Let tokens that come to a place have values with which an arc gives them, and gives them there."""
        rate, values = given
        tests = [arc.condition] if arc.condition is not None else []
        if arc.index is not None:
            here = [Expr("const", "int", (), at) for at, one in enumerate(arc.places) if one == place]
            chosen = [Expr("eq", "bool", (arc.index, at)) for at in here]
            tests.append(functools.reduce(lambda one, other: Expr("or", "bool", (one, other)), chosen))
        for test in tests:
            if (meeting := flows.where(test, test)) is not None:
                self.programme.at_least(plus((1.0, total(meeting.values())), (-1.0, rate)))
            for value, flow in zip(arc.values, values, strict=True):
                meeting = flows.where(test, value)
                if meeting is not None and flow.parts is not None:
                    for one, share in flow.parts.items():
                        self.programme.at_least(plus((1.0, meeting.get(one, {})), (-1.0, share)))

    def _given_values(self, flows: Flows, number: Flow, rate: Linear, values: Sequence[Flow], place: int) -> list[Flow]:
        """Return the flows of the values of tokens that come to a place at this rate."""
        if rate == number.linear and number.domain.constant is not None:
            return [flows.repeated(value, number.domain.constant) for value in values]
        found = []
        for value in values:
            part = Flows(self.net, self.programme, self._named(rate))
            flow = part.unknown(value.domain)
            if math.isfinite(number.domain.high) and flow.parts is not None and value.parts is not None:
                for one, share in flow.parts.items():  # no more than all firings with this value give
                    most = plus((number.domain.high, value.parts.get(one, {})))
                    self.programme.at_least(plus((1.0, most), (-1.0, share)))
            elif rate == number.linear and flow.parts is None:
                self.programme.equal(plus((1.0, flow.linear), (-1.0, flows.product(number, value).linear)))
            found.append(flow)
        return found

    def _named(self, linear: Linear) -> int:
        """Return a variable that equals a quantity which is at least 0."""
        variable = self.programme.variable()
        self.programme.equal(plus((1.0, linear), (-1.0, {variable: 1.0})))
        return variable

    # ------------------------------------------------------------ clocks

    def _clock(self, t: int, transition: Transition) -> None:
        """Let the clocks that run be enough for the firings."""
        clock, flows = transition.clock, self.flows[t]
        assert clock is not None
        speed = Domain(1.0, 1.0) if clock.speed is None else flows.of(clock.speed).domain
        running, time = {self.programme.variable(): 1.0}, flows.of(clock.time)
        self.progress[t] = running
        if is_memoryless(transition) or self._is_fair(t, transition):
            spent = self._lasting(time)
        else:  # short times are more often over before something disables the transition
            spent = plus((max(time.domain.low, 0.0) / self.scale, flows.rate))
        if math.isfinite(speed.high):
            self.programme.at_least(plus((speed.high, running), (-1.0, spent)))
        if is_memoryless(transition):
            self.programme.at_least(plus((1.0, spent), (-max(speed.low, 0.0), running)))
        self._most_clocks(t, transition, running)

    def _is_fair(self, t: int, transition: Transition) -> bool:
        """Return whether each time to which a clock is set is waited for: nothing else takes its tokens."""
        coloured = sum(bool(self.net.places[arc.place].colour.slots) for arc in transition.inputs)
        return coloured <= 1 and self.known.is_persistent(t)

    def _most_clocks(self, t: int, transition: Transition, running: Linear) -> None:
        """Let no more clocks run than a transition has bindings (C1)."""
        if not transition.inputs:
            limit = plus((1.0, {ONE: 1.0}), (-1.0, running))
            free = self._needs_only_tokens(transition)
            (self.programme.equal if free else self.programme.at_least)(limit, ("clock", t))
            return
        if not any(self.net.places[arc.place].colour.slots for arc in transition.inputs):
            self._most_black_clocks(t, transition, running)
            return
        most = [self._shown(arc) for arc in transition.inputs]
        for number, arc in enumerate(transition.inputs):
            others = math.prod(most[:number] + most[number + 1 :])
            if math.isfinite(others) and constant_count(arc.count):
                self.programme.at_least(plus((others, {self.tokens[arc.place]: 1.0}), (-1.0, running)))
        if math.isfinite(every := math.prod(most)):
            self.programme.at_least({ONE: every, **plus((-1.0, running))}, ("clock", t))

    def _most_black_clocks(self, t: int, transition: Transition, running: Linear) -> None:
        """Let no more clocks run than the black tokens that a transition takes allow, and those that it reads (C1)."""
        assert transition.clock is not None
        taking = [arc for arc in transition.inputs if not arc.keep]
        servers = transition.clock.servers if taking else 1
        if servers is not None:
            self.programme.at_least({ONE: float(servers), **plus((-1.0, running))}, ("servers", t))
        for arc in transition.inputs:
            several = servers if arc.keep else 1  # the clocks that the same tokens serve
            if (count := constant_count(arc.count)) and several is not None:
                tokens = {self.tokens[arc.place]: float(several)}
                self.programme.at_least(plus((1.0, tokens), (-float(count), running)))
        if self._needs_only_tokens(transition) and servers is None and len(transition.inputs) == 1:
            [arc] = taking
            if constant_count(arc.count) == 1:
                self.programme.equal(plus((1.0, {self.tokens[arc.place]: 1.0}), (-1.0, running)))

    def _needs_only_tokens(self, transition: Transition) -> bool:
        """Return whether neither a guard, nor an inhibitor arc, nor a capacity may keep it from firing."""
        room = all(self.net.places[place].capacity is None for arc in transition.outputs for place in arc.places)
        return transition.guard is None and not transition.inhibitors and room

    def _shown(self, arc: InputArc) -> float:
        """Return how many tokens an arc finds at most."""
        place = self.net.places[arc.place]
        if not place.colour.slots or (place.discipline != "bag" and not place.per and not arc.any):
            return 1.0
        return self.known.tokens(arc.place)[1]

    # ------------------------------------------------------------ places

    def _place(self, p: int) -> None:
        place, programme, m = self.net.places[p], self.programme, {self.tokens[p]: 1.0}
        low, high = self.known.tokens(p)
        if place.port == "out":  # the environment takes them
            programme.equal(m)
            return
        if is_fed(place):
            self._come_in_any_number(p)
        programme.equal(plus((float(place.held), {ONE: 1.0}), (1.0, self._change[p]), (-1.0, m)), ("tokens", p))
        if math.isfinite(high):
            programme.at_least(plus((high, {ONE: 1.0}), (-1.0, m)), ("capacity", p))
        if low:
            programme.at_least(plus((1.0, m), (-low, {ONE: 1.0})), ("capacity", p))
        gathered = None if math.isfinite(high) and self._ends is None else programme.variable()
        if self._ends is not None and gathered is not None:
            if place.held:
                self._in[p].append(self._given_at_first(p, {self._ends: float(place.held)}))
            if math.isfinite(high):
                programme.at_least(plus((high, {self._ends: 1.0}), (-1.0, {gathered: 1.0})))
        self._balance(p, gathered)

    def _given_at_first(self, p: int, rate: Linear) -> tuple[Linear, list[Flow]]:
        """Return the initial tokens as a flow of a run that ends: what was there at first comes once."""
        flows = Flows(self.net, self.programme, self._named(rate))
        return rate, list(map(flows.unknown, initial(self.net.places[p])))

    def _balance(self, p: int, gathered: int | None) -> None:
        """Let what comes leave, or gather: tokens, and their values."""
        programme = self.programme
        left = [] if gathered is None else [(1.0, {gathered: 1.0})]

        def even(coming: Sequence[Linear], leaving: Sequence[Linear], rest: Sequence[tuple[float, Linear]]) -> None:
            programme.equal(plus((1.0, total(coming)), (-1.0, total(leaving)), (-1.0, plus(*rest))))

        even([rate for rate, _ in self._in[p]], [rate for rate, _ in self._out[p]], left)
        for k, held in enumerate(self.domains.places[p]):
            unit = self._unit(self.net.places[p].colour.slots[k])
            coming, leaving = ([values[k] for _, values in side] for side in (self._in[p], self._out[p]))
            if not (math.isinf(held.low) and math.isinf(held.high)):
                even([one.linear for one in coming], [one.linear for one in leaving], self._grown(held, left, unit))
            if held.values is None or not all(one.parts is not None for one in (*coming, *leaving)):
                continue
            of_values = {
                value: [] if gathered is None else [(1.0, {programme.variable(): 1.0})] for value in held.values
            }
            for value, rest in of_values.items():
                first, then = ([(one.parts or {}).get(value, {}) for one in side] for side in (coming, leaving))
                even(first, then, rest)

    def _grown(self, held: Domain, left: Sequence[tuple[float, Linear]], unit: float) -> list[tuple[float, Linear]]:
        """Return by how much the sum of values in a place may grow in a time unit, with tokens that gather."""
        if math.isinf(held.high):  # also the values of the same tokens may grow
            return [(unit, {self.programme.variable(): 1.0}), *((held.low, gathered) for _, gathered in left)]
        if math.isinf(held.low):
            return [(-unit, {self.programme.variable(): 1.0}), *((held.high, gathered) for _, gathered in left)]
        grown = [(1.0, {self.programme.variable(): 1.0})] if left else []
        for _, gathered in left:  # between both ends of the domain
            grown.append((held.low, gathered))
            self.programme.at_least(plus((held.high - held.low, gathered), (-1.0, grown[0][1])))
        return grown

    # ------------------------------------------------------------ choices

    def _equal_conflicts(self) -> None:
        """Let transitions that are always enabled together fire in the ratio of their weights (I3)."""
        alike: dict[object, list[int]] = defaultdict(list)
        for t, transition in enumerate(self.net.transitions):
            free = self._needs_only_tokens(transition) and transition.clock is None
            if free and transition.inputs and constant_weight(transition) is not None:
                arcs = tuple((arc.place, constant_count(arc.count), arc.keep, arc.any) for arc in transition.inputs)
                bound = [match.bind for arc in transition.inputs for match in arc.pattern if match.bind is not None]
                plain = all(match.equal is None for arc in transition.inputs for match in arc.pattern)
                if plain and len(bound) == len({*bound}) and all(count is not None for _, count, _, _ in arcs):
                    alike[transition.priority, arcs].append(t)
        for first, *others in alike.values():
            for other in others:
                weights = [float(constant_weight(self.net.transitions[t]) or 0.0) for t in (first, other)]
                self.programme.equal({self.rates[first]: weights[1], self.rates[other]: -weights[0]})
