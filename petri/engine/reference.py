"""The reference engine: `docs/semantics.md` in plain Python, without optimisation.

All bindings of a transition are listed, and listed again whenever a place that they depend on has changed. The comments
cite the rules by number.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any

from petri.engine.binding import Binding as Binding
from petri.engine.binding import Held as Held
from petri.engine.clocks import NOWHERE, Clocks, CommonClock, clocks_of
from petri.engine.dependence import dependence
from petri.engine.errors import STOPPED, Fault, ModelError, known
from petri.engine.expression import Context, evaluate, key_of, ticks_of
from petri.engine.interface import Limits, Reason, RowSource
from petri.engine.observer import Observer
from petri.engine.random import RandomStream, own_streams
from petri.engine.seeds import seed_words
from petri.engine.trajectory import TrajectoryHash
from petri.net import (
    DECISION,
    Expr,
    InhibitorArc,
    InputArc,
    Match,
    Net,
    OutputArc,
    Scalar,
    Token,
    Transition,
    place_of_clocks,
    room_slots,
    time_of,
    whole_weight,
)
from petri.structs import Struct, replace
from petri.structs import field as struct_field
from petri.ticks import HORIZON


@dataclass(order=True, slots=True)
class Firing:
    """In progress: `deposits` are a place and its tokens for each arc, in the order of the arcs (S5, I9).

    Or tokens on the way: those of output arc `part - 1`, which has a delay; `part` is 0 of the firing itself.
    """

    end: float
    serial: int
    part: int
    transition: int = field(compare=False)
    deposits: list[tuple[int, list[Held]]] = field(compare=False)


class Rows(Struct):
    """The next rows of a stream's place, whether others follow, and how many have arrived."""

    waiting: deque[Token] = struct_field(default_factory=deque)
    ended: bool = False
    arrived: int = 0


@dataclass(order=True, slots=True)
class Arrival:
    """A token that is to come into a port from outside: of file number `rank`, or put, which is behind all files."""

    time: float
    rank: int
    place: int = field(compare=False)
    token: Token = field(compare=False)


class Engine:
    """One replication of one net. `marking[p]` lists the tokens of place p in order of arrival, or of position (S4)."""

    def __init__(
        self, net: Net, seed: int, replication: int, limits: Limits = Limits(), observers: Sequence[Observer] = ()
    ) -> None:
        self.net = net
        self.stream = RandomStream(seed, replication)
        self.own_streams = own_streams(net, seed_words(seed, replication))
        self.limits = limits
        self.observers = list(observers)
        self.now = 0.0
        self.firings = 0
        self.hash = TrajectoryHash()
        self.error: Fault | None = None
        self.marking: list[list[Held]] = [[] for _ in net.places]
        # The weight of what firings in progress will deposit, by line.
        self.reserved = [Counter[Token]() for _ in net.places]
        self.deposits_due = 0  # tokens that firings in progress will deposit
        self.in_progress: list[Firing] = []
        clocked = [index for index, transition in enumerate(net.transitions) if transition.clock is not None]
        self.common = CommonClock(self)
        self.clocks: dict[int, Clocks] = {index: clocks_of(self, index) for index in clocked}
        of_tokens = (place_of_clocks(net, transition) for transition in net.transitions)
        self.with_clocks = {place for place in of_tokens if place is not None}  # places whose black tokens have clocks
        self.settled = False  # whether clocks have been looked at since something happened
        self.at_this_instant: list[int] = []
        self.known: list[list[Binding] | None] = [None for _ in net.transitions]  # None: to be listed again
        self.watchers: list[list[int]] = [[] for _ in net.places]
        self.clock_watchers: list[int] = []
        for index, transition in enumerate(net.transitions):
            looks_at = dependence(net, transition)
            for watched in looks_at.places:
                self.watchers[watched].append(index)
            if looks_at.clock:
                self.clock_watchers.append(index)
        self.stopped: Callable[[], bool] = lambda: False  # whether a search for bindings should end
        self.attempt: tuple[int, Sequence[Scalar]] = (0, ())  # the transition being evaluated, and its variables
        self.streams = {index: Rows() for index, place in enumerate(net.places) if place.stream is not None}
        self.arrivals: list[Arrival] = []  # in order (I12)
        self.ports_out = [index for index, place in enumerate(net.places) if place.port == "out"]
        self.put_out: list[tuple[int, float, Token]] | None = None  # what has left: port, instant, token; if it is kept
        self.stops_at_output = False
        self.wanted: int | None = None  # the place that waits for rows
        self.awaiting = False  # whether somebody has to decide
        self.passed_at = -1.0  # the instant at which nothing more is decided (I13)
        for index, place in enumerate(net.places):
            for count, token in place.initial:
                for _ in range(count):
                    self.enter(index, self.hold(index, token))

    # ------------------------------------------------------------ the loop

    def advance(self, until: float, firings: int) -> Reason:
        """Run to the end of instant `until` (I7, I10), or for `firings` more firings. May be called again to go on.

        "input": the place `wanted` needs rows, and nothing was decided without them. "output": tokens have left through
        ports out, and the run was to stop then. "decision": somebody has to decide what fires (I13).
        """
        if self.error is not None:
            return "error"
        try:
            while True:
                self.come()
                while self.refill() and (candidates := self.candidates()):
                    if self.net.stops_at_decisions and is_decision(self.net, candidates):
                        if self.passed_at == self.now:
                            break
                        self.awaiting = True
                        return "decision"
                    if firings == 0:
                        return "budget"
                    self.start(*self.choose(candidates))
                    firings -= 1
                if self.wanted is not None:
                    return "input"
                if self.leave() and self.stops_at_output:
                    return "output"
                self.settle()
                end = min(self.next_end(), self.next_arrival())
                if self.wanted is not None:
                    return "input"
                if end == NOWHERE:
                    return "dead"
                if end > min(until, HORIZON):
                    self.check_horizon(until)
                    self.move_to(max(self.now, until))
                    return "until"
                self.end_firings(end)
        except ModelError as error:
            self.error = self.fault_of(error)
            return "error"

    def refill(self) -> bool:
        """Let the next row arrive in each stream's place that is empty (S6). False if rows must be fed first."""
        for place, rows in self.streams.items():
            if self.marking[place] or self.net.places[place].port:
                continue
            if rows.waiting:
                self.attempt = (0, [0] * len(self.net.transitions[0].variables) if self.net.transitions else [])
                rows.arrived += 1
                self.arrive(place, [self.hold(place, rows.waiting.popleft())])
            elif not rows.ended:
                self.wanted = place
                return False
        return True

    def next_arrival(self) -> float:
        """Return when the next token comes from outside; `wanted` is set where the rows of a port must be fed first."""
        for place, rows in self.streams.items():
            waits = self.net.places[place].port and not rows.ended
            if waits and not any(
                arrival.place == place for arrival in self.arrivals if arrival.rank < len(self.streams)
            ):
                self.wanted = place
        return self.arrivals[0].time if self.arrivals else NOWHERE

    def come(self) -> None:
        """Let what comes from outside at this instant arrive, in its order (I12)."""
        while self.arrivals and self.arrivals[0].time <= self.now:
            arrival = self.arrivals.pop(0)
            self.attempt = (0, [0] * len(self.net.transitions[0].variables) if self.net.transitions else [])
            self.check_tokens(1)
            if arrival.rank < len(self.streams):
                self.streams[arrival.place].arrived += 1
            self.arrive(arrival.place, [self.hold(arrival.place, arrival.token)])

    def put(self, place: int, time: float, token: Token) -> None:
        """Let a token come into a port at an instant, which has not passed."""
        assert time >= self.now
        insort(self.arrivals, Arrival(time, len(self.streams), place, token))

    def leave(self) -> bool:
        """Let the tokens in the ports out leave, when nothing is left to fire at an instant (I12). False if none do."""
        leaving = [(place, token) for place in self.ports_out for token in list(self.marking[place])]
        for place, token in leaving:
            self.remove(place, token)
            if self.put_out is not None:
                self.put_out.append((place, self.now, token.value))
        return bool(leaving)

    def feed(self, place: int, rows: Sequence[Token]) -> None:
        """Take the next rows of a stream's place, or of a port, which begin with the instant; no rows mark the end."""
        if self.net.places[place].port:
            rank = list(self.streams).index(place)
            for time, *token in rows:
                insort(self.arrivals, Arrival(time, rank, place, tuple(token)))
        else:
            self.streams[place].waiting.extend(rows)
        self.streams[place].ended = not rows
        if self.wanted == place:
            self.wanted = None

    def candidates(self) -> list[tuple[int, Sequence[Binding]]]:
        """Return the enabled transitions of the highest priority, each with its bindings (E7, I2) that are due (C3)."""
        all_ready = ((index, self.ready(index)) for index in range(len(self.known)))
        enabled = [(index, bindings) for index, bindings in all_ready if bindings]
        highest = max((self.net.transitions[index].priority for index, _ in enabled), default=0)
        return [(index, b) for index, b in enabled if self.net.transitions[index].priority == highest]

    def choose(self, candidates: list[tuple[int, Sequence[Binding]]]) -> tuple[int, Binding]:
        """Return one transition by weight, one of its bindings evenly (I3, I4)."""
        index, bindings = candidates[self.stream.weighted_choice(self.weights([index for index, _ in candidates]))]
        return index, self.one_of(index, bindings)

    def one_of(self, index: int, bindings: Sequence[Binding]) -> Binding:
        """Return one of a transition's bindings, evenly of those that it prefers (I4)."""
        preferred = self.preferred(index, bindings)
        chosen = preferred[self.stream.equal_choice(len(preferred))]
        return Binding(list(chosen.variables), chosen.found)  # its draws do not belong to the next firing

    def decidable(self) -> list[tuple[int, tuple[Scalar, ...]]]:
        """Return what waits for a decision (I13): each transition with the values of its variables, in order (E7)."""
        waiting = self.candidates() if self.awaiting else []
        return [(index, tuple(one.variables)) for index, bindings in waiting for one in bindings]

    def decide(self, index: int, wanted: Mapping[int, Scalar]) -> bool:
        """Fire a transition that waits for a decision, with these values of variables. False if no binding has them."""
        waiting = self.awaiting and self.net.transitions[index].priority == DECISION
        known = self.known_bindings(index) if waiting else []
        bindings = [one for one in known if all(one.variables[v] == wanted[v] for v in wanted)]
        if bindings:
            self.awaiting = False
            try:
                self.start(index, self.one_of(index, bindings))
            except ModelError as error:
                self.error = self.fault_of(error)
        return bool(bindings)

    def pass_over(self) -> None:
        """Decide nothing more at this instant."""
        if self.awaiting:
            self.passed_at, self.awaiting = self.now, False

    def weights(self, indices: Sequence[int]) -> list[float]:
        """Return the weights of transitions among which one is chosen (I3)."""
        if len(indices) == 1:
            return [1.0]
        weights = [self.weight_of_transition(index) for index in indices]
        if not 0.0 < sum(weights) < math.inf:
            self.attempt = (indices[0], [0] * len(self.net.transitions[indices[0]].variables))
            raise ModelError("no-weight", self.net.transitions[indices[0]].weight.span)
        return weights

    def weight_of_transition(self, index: int) -> float:
        transition = self.net.transitions[index]
        self.attempt = (index, [0] * len(transition.variables))
        weight = float(evaluate(transition.weight, self.context(())))
        if weight < 0.0:
            raise ModelError("negative-weight", transition.weight.span, weight=weight)
        return weight

    def preferred(self, index: int, bindings: Sequence[Binding]) -> Sequence[Binding]:
        """Return those of several bindings with the least or greatest key; of these, those whose turn it is (I4)."""
        prefer = self.net.transitions[index].prefer
        if len(bindings) == 1:
            return bindings
        if prefer is None:
            return self.in_turn(index, bindings)
        keys = []
        for binding in bindings:
            self.attempt = (index, binding.variables)
            keys.append(key_of(prefer.key, prefer.then, self.context(binding.variables)))
        best = max(keys) if prefer.most else min(keys)
        return self.in_turn(index, [binding for binding, key in zip(bindings, keys, strict=True) if key == best])

    def in_turn(self, index: int, bindings: Sequence[Binding]) -> Sequence[Binding]:
        """If the first arc takes tokens in turn, those with the token that comes first (I4): they are in order (E7)."""
        arcs = self.net.transitions[index].inputs
        if not arcs or not arcs[0].in_turn:
            return bindings
        return [binding for binding in bindings if binding.found[0] == bindings[0].found[0]]

    def settle(self) -> None:
        """End the instant: measures read the marking (M6); clocks are set, stopped and dropped, in order (C2)."""
        if self.settled:
            return
        self.settled = True
        if self.net.transitions:
            self.attempt = (0, [0] * len(self.net.transitions[0].variables))  # an error of a measure has no transition
            for observer in self.observers:
                observer.over(self.now)
        for index, clocks in self.clocks.items():
            changes = clocks.settle(self.known_bindings(index))
            for observer in self.observers:
                observer.settled(index, clocks.running, changes, self.now)
        self.common.settle()

    def next_end(self) -> float:
        """Return when the first firing in progress ends or the first clock has run down;

        `NOWHERE` if there is none (I8).
        """
        ends = [clocks.end() for clocks in self.clocks.values()]
        return max(self.now, min([*ends, *(firing.end for firing in self.in_progress[:1])], default=NOWHERE))

    def end_firings(self, instant: float) -> None:
        """Time advances; all firings that end then deposit, in order of start (I1, I8)."""
        if instant > self.now:
            self.at_this_instant.clear()
        self.move_to(instant)
        self.settled = False
        if self.common.ends <= instant:
            self.common.ring()
        while self.in_progress and self.in_progress[0].end == instant:
            self.finish(self.in_progress.pop(0))

    def finish(self, firing: Firing) -> None:
        """Deposit what was in progress, or on the way."""
        for place, tokens in firing.deposits:
            self.reserve(place, tokens, -1)
            self.deposits_due -= len(tokens)
            self.forget(place)
        self.attempt = (firing.transition, ())
        if firing.part == 0:
            self.over(firing.transition)
        for place, tokens in firing.deposits:
            self.arrive(place, tokens)

    def over(self, index: int) -> None:
        """Note that a firing has ended."""
        self.attempt = (index, ())
        for observer in self.observers:
            observer.ended(index, self.now)

    def move_to(self, instant: float) -> None:
        self.now = instant
        for index in self.clock_watchers:
            self.known[index] = None

    def forget(self, place: int) -> None:
        """Invalidate the bindings of the transitions that depend on this place."""
        for index in self.watchers[place]:
            self.known[index] = None

    # ------------------------------------------------------------ enabling

    def ready(self, index: int) -> Sequence[Binding]:
        """Return the bindings that may fire now: all, or those whose clock has run down (C3)."""
        clocks = self.clocks.get(index)
        if clocks is None:
            return self.known_bindings(index)
        return clocks.due(self.known_bindings(index), self.now) if clocks.end() <= self.now else ()

    def known_bindings(self, index: int) -> list[Binding]:
        """Return all bindings of a transition, listed again if they may have changed."""
        known = self.known[index]
        if known is None:
            known = self.known[index] = self.bindings(index)
        return known

    def bindings(self, index: int) -> list[Binding]:
        """Return all bindings of a transition, in order (E7)."""
        transition = self.net.transitions[index]
        variables: list[Scalar] = [0] * len(transition.variables)
        self.attempt = (index, variables)
        return list(self.extend(transition, variables, []))

    def extend(self, transition: Transition, variables: list[Scalar], found: list[list[Held]]) -> Iterator[Binding]:
        """Complete a binding whose first `len(found)` arcs have their tokens."""
        if len(found) == len(transition.inputs):
            if self.admits(transition, variables, found):
                yield Binding(list(variables), list(found))
            return
        arc = transition.inputs[len(found)]
        for tokens in self.choices(transition, arc, variables, found):
            if self.stopped():
                raise ModelError(STOPPED)
            for slot, match in enumerate(arc.pattern):
                if match.bind is not None:
                    variables[match.bind] = tokens[0].value[slot]
            yield from self.extend(transition, variables, [*found, tokens])

    def choices(
        self, transition: Transition, arc: InputArc, variables: list[Scalar], found: list[list[Held]]
    ) -> list[list[Held]]:
        """Return the choices of an arc: each is one coloured token, or a number of black ones, the oldest (E1–E3)."""
        earlier = zip(transition.inputs, found, strict=False)
        used = {id(token) for other, tokens in earlier if other.place == arc.place for token in tokens}
        there = self.marking[arc.place]
        left = [token for token in there if id(token) not in used] if used else there
        if not self.net.places[arc.place].colour.slots:
            count = self.count(arc.count, self.context(variables))
            return [left[:count]] if count <= len(left) else []
        visible = self.in_order(arc.place, left) if arc.any else self.visible(arc.place, left)
        wanted = self.equalities(arc.pattern, variables) if visible else {}
        return [[token] for token in self.matching(visible, wanted)]

    def visible(self, place: int, tokens: list[Held]) -> list[Held]:
        """Return those of `tokens` that an arc may see (S3): of a place with lines, the first of each, if left (S7)."""
        if self.net.places[place].discipline == "bag" or not tokens:
            return tokens
        if not self.net.places[place].per:
            return [self.shown(place, tokens)]
        left = {id(token) for token in tokens}
        first = (self.shown(place, line) for line in self.lines(place))
        return [token for token in first if id(token) in left]

    def shown(self, place: int, line: Sequence[Held]) -> Held:
        """Return the one of some tokens that the discipline shows (S3)."""
        discipline = self.net.places[place].discipline
        if discipline == "fifo":
            return line[0]
        # min takes the first of equals, which is the oldest.
        return line[-1] if discipline == "lifo" else min(line, key=lambda token: token.key)

    def lines(self, place: int) -> list[list[Held]]:
        """Return the tokens of each key of a place with `per`, in order of arrival; the lines are in their row (S7)."""
        grouped = groupby(self.marking[place], lambda token: self.line_of(place, token.value))
        return [list(line) for _, line in grouped]

    def line_of(self, place: int, token: Token) -> Token:
        """Return the key of the line in which a token stands; all have the same in a place without `per`."""
        return tuple([token[slot] for slot in self.net.places[place].per])

    def in_order(self, place: int, tokens: list[Held]) -> list[Held]:
        """Return all of `tokens`, as the place would show one after the other (S3)."""
        discipline = self.net.places[place].discipline
        if discipline == "lifo":
            return tokens[::-1]
        return sorted(tokens, key=lambda token: token.key) if discipline == "key" else tokens

    def equalities(self, pattern: Sequence[Match], variables: Sequence[Scalar]) -> dict[int, Scalar]:
        """Return the values that a pattern requires, by slot."""
        context = self.context(variables)
        return {slot: evaluate(m.equal, context) for slot, m in enumerate(pattern) if m.equal is not None}

    def matching(self, tokens: list[Held], wanted: dict[int, Scalar]) -> list[Held]:
        """Return those of `tokens` that have the required values."""
        for slot, value in wanted.items():
            tokens = [token for token in tokens if token.value[slot] == value]
        return tokens

    def admits(self, transition: Transition, variables: Sequence[Scalar], found: list[list[Held]]) -> bool:
        """Inhibitors, guard and capacities, in this order (E4–E6)."""
        context = self.context(variables)
        return (
            not any(self.inhibits(arc, context) for arc in transition.inhibitors)
            and (transition.guard is None or bool(evaluate(transition.guard, context)))
            and self.has_room(transition, context, found)
        )

    def inhibits(self, arc: InhibitorArc, context: Context) -> bool:
        wanted = self.equalities(arc.pattern, context.variables)
        return len(self.matching(self.marking[arc.place], wanted)) >= self.count(arc.threshold, context)

    def has_room(self, transition: Transition, context: Context, found: list[list[Held]]) -> bool:
        """Return whether no place that the firing puts tokens in would exceed its capacity (E6)."""
        if not any(self.takes_room(arc) for arc in transition.outputs):
            return True
        return all(
            weight == 0 or self.left_in(place, line, transition, found) + weight <= self.capacity(place)
            for (place, line), weight in self.given(transition, context).items()
        )

    def takes_room(self, arc: OutputArc) -> bool:
        """Return whether an arc's tokens need room: not where they take the room of those of a set."""
        return arc.each is None and any(self.net.places[place].capacity is not None for place in arc.places)

    def given(self, transition: Transition, context: Context) -> dict[tuple[int, Token], int]:
        """Return the weight of what a firing would give to each line of places with a capacity."""
        given: Counter[tuple[int, Token]] = Counter()
        for arc in transition.outputs:
            if self.takes_room(arc):
                place, count = self.destination(arc, context)
                if count and self.net.places[place].capacity is not None:
                    line, weight = self.token_to_be(place, arc, context)
                    given[place, line] += count * weight
        return given

    def capacity(self, place: int) -> float:
        """Return a number of tokens, or their weight; of a place that has a capacity."""
        capacity = self.net.places[place].capacity
        assert capacity is not None
        return capacity if self.net.places[place].weight is None else whole_weight(capacity)

    def token_to_be(self, place: int, arc: OutputArc, context: Context) -> tuple[Token, int]:
        """Return the line and weight of a token that the arc would put in the place; evaluate no other slots."""
        slots = room_slots(self.net.places[place])
        token = tuple([evaluate(value, context) if slot in slots else 0 for slot, value in enumerate(arc.values)])
        return self.line_of(place, token), self.weight(place, token)

    def weight(self, place: int, token: Token) -> int:
        weight = self.net.places[place].weight
        return 1 if weight is None else whole_weight(evaluate(weight, Context(token)))

    def left_in(self, place: int, line: Token, transition: Transition, found: list[list[Held]]) -> int:
        """Return the weight of tokens in and reserved for a line of a place once the firing has taken its own."""
        if place in transition.resets:
            return self.reserved[place][line]
        taken = (
            token
            for arc, tokens in zip(transition.inputs, found, strict=True)
            if arc.place == place and not arc.keep
            for token in tokens
        )
        there, gone = (
            sum(token.weight for token in tokens if self.line_of(place, token.value) == line)
            for tokens in (self.marking[place], taken)
        )
        return there - gone + self.reserved[place][line]

    def reserve(self, place: int, tokens: Sequence[Held], sign: int) -> None:
        """Room for tokens that a firing will deposit is kept, or no longer (sign -1)."""
        for token in tokens:
            self.reserved[place][self.line_of(place, token.value)] += sign * token.weight

    # ------------------------------------------------------------ firing

    def start(self, index: int, binding: Binding) -> None:
        """Evaluate, then take, then empty; an immediate firing also ends, and what has a delay goes (I5, I6, I11)."""
        transition = self.net.transitions[index]
        self.attempt = (index, binding.variables)
        self.check_limits(index)
        context = self.context(binding.variables, self.stream_of(index))
        sets = self.sets(transition, binding)
        for draw in transition.draws:
            binding.variables[draw.variable] = evaluate(draw.expression, context)
        duration = self.duration(transition.time, context)
        end = context.end = self.now + duration
        taken = sum(len(tokens) for arc, tokens in zip(transition.inputs, binding.found, strict=True) if not arc.keep)
        taken += sum(map(len, sets))
        given = [self.outputs(arc, context, sets, taken) for arc in transition.outputs]
        self.check_tokens(sum(len(tokens) for _, _, tokens in given) - taken)
        for observer in self.observers:  # a measure that fails stops the firing before anything counts it (X4)
            observer.started(index, binding.variables, self.now, end)
        self.hash.add(index, binding.variables, int(self.now), int(end))
        serial = self.firings
        self.firings += 1
        self.settled = False
        if index in self.clocks:
            self.clocks[index].fired(binding, self.now)
        self.take(transition, binding, sets)
        if duration == 0.0:
            self.over(index)
        else:
            arcs = zip(transition.outputs, given, strict=True)
            own = [(place, tokens) for arc, (_, place, tokens) in arcs if arc.delay is None]
            self.begin(Firing(end, serial, 0, index, own))
        for part, (arrival, place, tokens) in enumerate(given, 1):
            if (end if arrival is None else arrival) == self.now:
                self.arrive(place, tokens)
            elif arrival is not None:
                self.begin(Firing(arrival, serial, part, index, [(place, tokens)]))

    def sets(self, transition: Transition, binding: Binding) -> list[list[Held]]:
        """Return the tokens that each set arc takes, in the order of the place; totals get their values (E11)."""
        arcs = zip(transition.inputs, binding.found, strict=True)
        gone = {id(token) for arc, tokens in arcs if not arc.keep for token in tokens}
        found = []
        for arc in transition.sets:
            left = [token for token in self.in_order(arc.place, self.marking[arc.place]) if id(token) not in gone]
            most = len(left) if arc.most is None else self.count(arc.most, self.context(binding.variables))
            taken: list[Held] = []
            for token in left:
                if len(taken) < most and self.belongs(token, arc.condition, binding.variables):
                    taken.append(token)
            binding.variables[arc.number] = len(taken)
            for total in arc.totals:
                binding.variables[total.variable] = 0.0 if total.value.kind == "real" else 0
                for token in taken:
                    context = self.context([*binding.variables, *token.value])
                    binding.variables[total.variable] = evaluate(total.value, context)
            found.append(taken)
        return found

    def belongs(self, token: Held, condition: Expr | None, variables: Sequence[Scalar]) -> bool:
        """Return whether a token is in a set."""
        return condition is None or bool(evaluate(condition, self.context([*variables, *token.value])))

    def take(self, transition: Transition, binding: Binding, sets: list[list[Held]]) -> None:
        for arc, tokens in zip(transition.inputs, binding.found, strict=True):
            if not arc.keep:
                for token in tokens:
                    self.remove(arc.place, token)
        for set_arc, tokens in zip(transition.sets, sets, strict=True):
            for token in tokens:
                self.remove(set_arc.place, token)
        for place in transition.resets:
            self.marking[place].clear()
            self.changed(place)

    def begin(self, firing: Firing) -> None:
        for place, tokens in firing.deposits:
            self.reserve(place, tokens, 1)
            self.deposits_due += len(tokens)
            self.forget(place)
        insort(self.in_progress, firing)

    def arrive(self, place: int, tokens: Sequence[Held]) -> None:
        """Deposit the tokens of one arc: all are in the place when measures evaluate the first (X4)."""
        self.settled = False
        for token in tokens:
            self.enter(place, token)
            self.changed(place)
        for token in tokens:
            for observer in self.observers:
                observer.arrived(place, token.value, self.now)

    def enter(self, place: int, token: Held) -> None:
        """Put a token at the end of its line; one that shows another token goes to the end of the row (S7)."""
        if not self.net.places[place].per:
            self.marking[place].append(token)
            return
        lines, key = self.lines(place), self.line_of(place, token.value)
        line = next((line for line in lines if self.line_of(place, line[0].value) == key), [])
        before = self.shown(place, line) if line else None
        line.append(token)
        if before is None:
            lines.append(line)
        elif self.shown(place, line) is not before:
            move_last_to(lines.index(line), lines)
            lines.append(line)
        self.marking[place] = list(chain(*lines))

    def remove(self, place: int, token: Held) -> None:
        """Remove a token; in a coloured bag the last moves to its position (S4), among lines the last line (S7)."""
        row = self.marking[place]
        if self.net.places[place].per:
            lines = self.lines(place)
            at = next(at for at, line in enumerate(lines) if token in line)
            line = lines[at]
            line.remove(token)
            move_last_to(at, lines)
            self.marking[place] = list(chain(*lines, line))
        elif self.net.places[place].discipline == "bag" and token.value:
            move_last_to(row.index(token), row)
        else:
            row.remove(token)
        for observer in self.observers:
            observer.left(place, token.value, self.now)
        self.changed(place)

    # ------------------------------------------------------------ evaluation

    def stream_of(self, index: int) -> RandomStream:
        """Return the stream of the draws in a transition's expressions (R1, R5)."""
        return self.own_streams[index] if self.own_streams else self.stream

    def context(self, variables: Sequence[Scalar], stream: RandomStream | None = None) -> Context:
        return Context(variables, lambda p: len(self.marking[p]), self.now, self.now, stream, self.net.tables)

    def hold(self, place: int, token: Token) -> Held:
        key, then = self.net.places[place].key, self.net.places[place].then
        return Held(token, () if key is None else key_of(key, then, Context(token)), self.weight(place, token))

    def count(self, expression: Expr | None, context: Context) -> int:
        """Return a number of tokens: 1 by default, never negative (X2)."""
        count = 1 if expression is None else int(evaluate(expression, context))
        if count < 0:
            raise ModelError("negative-count", expression.span if expression else None, count=count)
        return count

    def duration(self, expression: Expr, context: Context) -> float:
        """Return a whole number of ticks (S1).

        A time that is less than a tick below 0 is 0: it is the difference of instants of which one was rounded.
        """
        return ticks_of(self.work(expression, context), self.now)

    def work(self, expression: Expr, context: Context) -> float:
        """Return a time in ticks, perhaps with a fraction; not negative (X2)."""
        exact = float(evaluate(expression, context))
        if exact <= -1.0:
            raise ModelError("negative-time", expression.span, duration=self.net.tick.time(exact))
        return max(exact, 0.0)

    def destination(self, arc: OutputArc, context: Context) -> tuple[int, int]:
        """Return where an arc puts tokens, and how many: none if its condition fails."""
        if arc.condition is not None and not evaluate(arc.condition, context):
            return arc.places[0], 0
        count = self.count(arc.count, context)
        index = 0 if arc.index is None else int(evaluate(arc.index, context))
        if not 0 <= index < len(arc.places):
            raise ModelError("index-range", arc.index.span if arc.index else None, index=index, size=len(arc.places))
        return arc.places[index], count

    def outputs(
        self, arc: OutputArc, context: Context, sets: list[list[Held]], taken: int
    ) -> tuple[float | None, int, list[Held]]:
        """Return when an arc deposits tokens (None: at the end of the firing), where, and which.

        `taken`: how many the firing takes.
        """
        place, count = self.destination(arc, context)
        if count == 0:
            return None, place, []
        self.check_tokens(count - taken)
        arrival = None if arc.delay is None else self.now + self.duration(arc.delay, context)
        if arc.each is None:
            return arrival, place, [self.hold(place, self.token(arc, place, context)) for _ in range(count)]
        own = (replace(context, variables=[*context.variables, *token.value]) for token in sets[arc.each])
        return arrival, place, [self.hold(place, self.token(arc, place, one)) for one in own]

    def token(self, arc: OutputArc, place: int, context: Context) -> Token:
        """Return the values of a token that an arc puts in a place; each is in the range of its slot (X2)."""
        token = tuple(evaluate(value, context) for value in arc.values)
        for slot, value, expression in zip(self.net.places[place].colour.slots, token, arc.values, strict=True):
            if (slot.low is not None and value < slot.low) or (slot.high is not None and value > slot.high):
                name = self.net.places[place].name
                raise ModelError("colour-range", expression.span, value=value, slot=slot.name, place=name)
        return token

    # ------------------------------------------------------------ limits and errors

    def check_limits(self, index: int) -> None:
        """Report a loop in zero time with the transitions of its last iteration (X3)."""
        self.at_this_instant.append(index)
        if len(self.at_this_instant) > self.limits.firings_at_an_instant:
            loop = sorted(set(self.at_this_instant[-1000:]))
            names = [self.net.transitions[t].name for t in loop]
            limit = self.limits.firings_at_an_instant
            held = self.held()
            crowd: dict[str, Any] = {"tokens": held} if 4 * held >= limit else {}
            raise ModelError("instant-limit", limit=limit, transitions=names, **crowd)

    def check_horizon(self, until: float) -> None:
        """End a run that cannot go on beyond the horizon, as all firings in progress and all clocks end there (X2)."""
        if until > HORIZON:
            clocked = (index for index, clocks in self.clocks.items() if clocks.end() < NOWHERE)
            first = self.in_progress[0].transition if self.in_progress else next(clocked)
            transition = self.net.transitions[first]
            self.attempt = (first, [0] * len(transition.variables))
            part = self.in_progress[0].part if self.in_progress else 0
            lasts = time_of(transition)
            span = ((part and transition.outputs[part - 1].delay) or lasts).span
            raise ModelError("beyond-horizon", span, horizon=self.net.tick.time(HORIZON))

    def check_tokens(self, more: int) -> None:
        """Check that a firing adds no tokens to a net that cannot hold them (X3)."""
        if more > 0 and self.held() + more > self.limits.tokens:
            raise ModelError("token-limit", limit=self.limits.tokens)

    def held(self) -> int:
        """Return the number of tokens in the net, with those that firings in progress will deposit."""
        return sum(map(len, self.marking)) + self.deposits_due

    def fault_of(self, error: ModelError) -> Fault:
        """Return the error with its position in the run (X4)."""
        index, variables = self.attempt
        binding = known(self.net, index, variables, error.id, error.span)
        return Fault(error.id, index, binding, self.net.tick.time(self.now), error.span, error.values)

    def changed(self, place: int) -> None:
        self.forget(place)
        for observer in self.observers:
            observer.changed(place, len(self.marking[place]), self.now)


def is_decision(net: Net, candidates: Sequence[tuple[int, Any]]) -> bool:
    """Return whether the candidates are transitions that wait for a decision (I13)."""
    return net.transitions[candidates[0][0]].priority == DECISION


def move_last_to(position: int, row: list[Any]) -> None:
    """Move the last of a row to a position, from which one has gone (S4, S7)."""
    row[position] = row[-1]
    row.pop()


def advance(engine: Engine, rows: RowSource | None, until: float, firings: int) -> Reason:
    """Do as `engine.advance`, but the next rows are fed as they are wanted (S6). rows: None only of a net without
    streams.

    Raises LanguageError for rows that cannot be read.
    """
    last = engine.firings + firings
    while (reason := engine.advance(until, last - engine.firings)) == "input":
        assert rows is not None
        assert engine.wanted is not None
        engine.feed(engine.wanted, rows.tokens(engine.wanted))
    return reason
