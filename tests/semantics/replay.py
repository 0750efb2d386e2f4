"""Replays a trace by the rules of docs/semantics.md, written from that page alone and by brute force.

`Replay` finds all bindings of all transitions before each firing of a trace, and checks that the firing is one of the
candidates, that it is the one that the random stream chooses, and that its time and values are right. It has nothing of
an engine: it shares the flat net, the values of expressions, and random draws (R1 to R3).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.engine.firings import TracedFiring
from petri.engine.random import RandomStream
from petri.net import (
    Expr,
    Match,
    Net,
    OutputArc,
    Place,
    Scalar,
    Transition,
    is_memoryless,
    is_shared,
    operations,
    place_of_clocks,
    whole_weight,
)

HORIZON = 2.0**53
GREATEST_RATE = 2.0**900
Values = tuple[Scalar, ...]
Row = tuple[int, Values]  # a token for a place


class Broken(AssertionError):
    """A trace that breaks a rule."""


@dataclass(eq=False)
class Token:
    values: Values
    key: Values
    weight: int = 1
    line: Values = ()
    old: bool = False  # since the last end of an instant (C2)


class Held:
    """The tokens of a place: by position in a bag (S4), otherwise in order of arrival; and the row of lines (S7)."""

    def __init__(self, place: Place) -> None:
        self.place, self.coloured = place, bool(place.colour.slots)
        self.tokens: list[Token] = []
        self.lines: list[Values] = []

    def line_and_weight(self, values: Values) -> tuple[Values, int]:
        """S7, E6."""
        weight = None if self.place.weight is None else evaluate(self.place.weight, Context(values))
        return tuple(values[slot] for slot in self.place.per), 1 if weight is None else whole_weight(weight)

    def add(self, values: Values) -> None:
        keys = (self.place.key, self.place.then)
        token = Token(values, tuple(evaluate(one, Context(values)) for one in keys if one is not None))
        token.line, token.weight = self.line_and_weight(values)
        self._become([*self.tokens, token], token.line)

    def take(self, token: Token) -> None:
        rest = [one for one in self.tokens if one is not token]
        if self.place.discipline == "bag" and self.coloured and token is not self.tokens[-1]:
            rest = [self.tokens[-1] if one is token else one for one in self.tokens[:-1]]
        self._become(rest, token.line)

    def _become(self, tokens: list[Token], line: Values) -> None:
        shown, self.tokens = self._shown(line), tokens
        if not self.place.per or self._shown(line) is shown:
            return
        if shown is not None:
            self.lines[self.lines.index(line)] = self.lines[-1]
            self.lines.pop()
        if self._shown(line) is not None:
            self.lines.append(line)

    def _shown(self, line: Values) -> Token | None:
        return next((token for token in self.in_order() if token.line == line), None)

    def in_order(self) -> list[Token]:
        """Return all tokens, one after the other as the discipline shows them (S3, E9); black ones by age (E3)."""
        if self.coloured and self.place.discipline == "lifo":
            return self.tokens[::-1]
        return sorted(self.tokens, key=lambda token: token.key)

    def seen(self, found: Sequence[Token], every: bool) -> list[Token]:
        """Return the tokens that an arc sees, after arcs have found these (E1, S3, S7)."""
        if self.place.per:
            used = [token.line for token in found if token in self.tokens]
            return [token for line in self.lines if line not in used and (token := self._shown(line))]
        rest = [token for token in self.in_order() if token not in found]
        return rest if every or self.place.discipline == "bag" or not self.coloured else rest[:1]


@dataclass(eq=False)
class Clock:
    """ends: in the virtual time of its transition. left: of one that has stopped. time: None of a shared clock."""

    binding: tuple[Token, ...]
    time: float
    mean: float | None
    ends: float
    left: float | None = None


@dataclass
class Binding:
    found: list[list[Token]]  # arc by arc
    variables: list[Scalar]
    key: tuple[Token, ...] = ()  # what its clocks belong to (C1)
    clock: Clock | None = None  # that has run down


@dataclass
class Clocks:
    """Those of a transition, in the order in which they were set; virtual time is `passed` at tick `since` (C5)."""

    all: list[Clock] = field(default_factory=list)
    speed: float = 1.0
    since: float = 0.0
    passed: float = 0.0

    def running(self, key: tuple[Token, ...]) -> list[Clock]:
        return [one for one in self.all if one.left is None and one.binding == key]

    def virtual(self, now: float) -> float:
        return self.passed + self.speed * (now - self.since)

    def tick_of(self, clock: Clock) -> float:
        """Return when a clock runs down."""
        left = clock.ends - self.passed
        if clock.left is not None or (left > 0 and self.speed == 0):
            return math.inf
        ticks = left / self.speed if left else 0.0
        return self.since + round(ticks) if ticks < 2 * HORIZON else 2 * HORIZON


class Replay:
    """rows: of the stream of each place (S6)."""

    def __init__(self, net: Net, seed: int, replication: int = 0, rows: dict[int, list[Values]] | None = None) -> None:
        self.net, self.stream, self.rows = net, RandomStream(seed, replication), rows or {}
        self.now, self.firings = 0.0, 0
        self.coming: list[tuple[float, int, int, list[Row]]] = []  # end, firing, output with a delay, tokens (S5, I11)
        self.places = [Held(place) for place in net.places]
        self.clocks = {n: Clocks() for n, t in enumerate(net.transitions) if t.clock and not is_shared(t)}
        self.shared = {n: 0 for n, t in enumerate(net.transitions) if is_shared(t)}  # numbers of clocks (C4)
        self.sums, self.common_end, self.chosen = [[0.0]], math.inf, -1
        self.with_clocks = {place_of_clocks(net, one) for one in net.transitions}
        self.deposit((n, token) for n, p in enumerate(net.places) for count, token in p.initial for _ in range(count))

    def context(self, variables: Sequence[Scalar] = (), end: float | None = None) -> Context:
        counts = [len(held.tokens) for held in self.places]
        end = self.now if end is None else end
        return Context(variables, counts.__getitem__, self.now, end, self.stream, self.net.tables)

    # ------------------------------------------------------------ enabling

    def bindings(self, transition: Transition) -> list[Binding]:
        """Return all bindings, in the order of E7."""
        return list(self._bindings(transition, [], [0] * len(transition.variables)))

    def _bindings(self, transition: Transition, found: list[list[Token]], variables: list[Scalar]) -> Iterator[Binding]:
        context = self.context(variables)
        if len(found) == len(transition.inputs):
            if self.allowed(transition, found, context):
                yield Binding(found, variables)
            return
        arc = transition.inputs[len(found)]
        seen = self.places[arc.place].seen([token for group in found for token in group], arc.any)
        if self.places[arc.place].coloured:
            wanted = equalities(arc.pattern, context) if seen else {}
            for token in seen:
                bound = matched(arc.pattern, wanted, token, variables)
                if bound is not None:
                    yield from self._bindings(transition, [*found, [token]], bound)
        elif (number := count(arc.count, context)) <= len(seen):  # E3
            yield from self._bindings(transition, [*found, seen[:number]], list(variables))

    def allowed(self, transition: Transition, found: list[list[Token]], context: Context) -> bool:
        """E4, E5, E6."""
        for arc in transition.inhibitors:
            wanted = equalities(arc.pattern, context)
            found_by = [one for one in self.places[arc.place].tokens if matched((), wanted, one, []) is not None]
            if len(found_by) >= count(arc.threshold, context):
                return False
        if transition.guard is not None and not evaluate(transition.guard, context):
            return False
        given = Counter[Row]()
        for output in transition.outputs:
            if output.each is None and any(self.net.places[place].capacity is not None for place in output.places):
                given.update(self.wanted(output, context))
        return all(self.has_room(transition, found, *line, weight) for line, weight in given.items() if weight)

    def wanted(self, arc: OutputArc, context: Context) -> dict[Row, int]:
        """Return the weight that an output gives to the line of a place with a capacity."""
        number, tokens = destination(arc, context)
        place = self.net.places[number]
        if not tokens or place.capacity is None:
            return {}
        slots = {*place.per, *(int(one.value or 0) for one in operations([place.weight]) if one.op == "var")}
        values = tuple(evaluate(one, context) if slot in slots else 0 for slot, one in enumerate(arc.values))
        line, weight = self.places[number].line_and_weight(values)
        return {(number, line): weight * tokens}

    def has_room(self, transition: Transition, found: list[list[Token]], number: int, line: Values, more: int) -> bool:
        held, capacity = self.places[number], self.net.places[number].capacity
        leaving = held.tokens if number in transition.resets else taken(transition, found)
        there = [(one.line, one.weight) for one in held.tokens if one not in leaving]
        coming = [held.line_and_weight(values) for *_, rows in self.coming for place, values in rows if place == number]
        limit = capacity if held.place.weight is None else whole_weight(capacity or 0)
        return sum(weight for own, weight in there + coming if own == line) + more <= (limit or 0)

    # ------------------------------------------------------------ clocks

    def with_keys(self, number: int) -> list[Binding]:
        """Return the bindings with what their clocks belong to: where each black token has one, by token (C1)."""
        transition = self.net.transitions[number]
        bindings = self.bindings(transition)
        for one in bindings:
            one.key = tuple(token for group in one.found for token in group if token.values)
        place = place_of_clocks(self.net, transition)
        if place is None or not bindings:
            return bindings
        [arc] = [n for n, one in enumerate(transition.inputs) if not one.keep]
        [one] = bindings
        found = [[*one.found[:arc], [token], *one.found[arc + 1 :]] for token in self.places[place].tokens]
        return [Binding(groups, list(one.variables), tuple(groups[arc])) for groups in found]

    def number_of_clocks(self, number: int, binding: Binding, old: bool = False) -> int:
        """Return how many clocks a binding has (C1); of black tokens, how many it keeps by those that are old (C2)."""
        transition = self.net.transitions[number]
        if any(self.places[arc.place].coloured for arc in transition.inputs) or binding.key:
            return 1
        tokens = [sum(token.old or not old for token in held.tokens) for held in self.places]
        finds, takes = Counter[int](), Counter[int]()
        for arc, group in zip(transition.inputs, binding.found, strict=True):
            finds[arc.place] += len(group)
            takes[arc.place] += 0 if arc.keep else len(group)
        if any(tokens[place] < found for place, found in finds.items()):
            return 0
        degree = min((tokens[place] // number for place, number in takes.items() if number), default=1)
        servers = transition.clock.servers if transition.clock else None
        return degree if servers is None else min(servers, degree)

    def kept(self, number: int, binding: Binding) -> list[Clock]:
        """Return the clocks of an enabled binding that go on: those that were set first stop (C2)."""
        running = self.clocks[number].running(binding.key)
        most = min(self.number_of_clocks(number, binding, old) for old in (False, True))
        return running[max(0, len(running) - most) :]

    def due(self, number: int) -> list[Binding]:
        """Return the due bindings of a transition (C3), or the bindings of one without a clock."""
        if number not in self.clocks:
            ready = number not in self.shared or number == self.chosen
            return self.bindings(self.net.transitions[number]) if ready else []
        clocks = self.clocks[number]
        ended = [one for one in clocks.all if clocks.tick_of(one) <= self.now]
        due = self.with_keys(number) if ended else []
        for binding in due:
            binding.clock = next((one for one in self.kept(number, binding) if one in ended), None)
        due = [one for one in due if one.clock is not None]
        if place_of_clocks(self.net, self.net.transitions[number]) is not None:  # black tokens are no choice (E3)
            due = [one for clock in ended for one in due if one.clock is clock][:1]
        return due

    def update_clocks(self) -> None:
        """C2, at the end of an instant."""
        for number in self.clocks:
            bindings = self.with_keys(number)
            self.stop(number, bindings)
            self.set(number, bindings)
        self.set_common()
        for held in self.places:
            for token in held.tokens:
                token.old = True

    def stop(self, number: int, bindings: list[Binding]) -> None:
        clock, clocks = self.net.transitions[number].clock, self.clocks[number]
        kept = [one for binding in bindings for one in self.kept(number, binding)]
        for one in [one for one in clocks.all if one.left is None and one not in kept]:
            if clock and clock.memory == "restart":
                clocks.all.remove(one)
            one.left = one.time if clock and clock.memory == "repeat" else one.ends - clocks.virtual(self.now)

    def set(self, number: int, bindings: list[Binding]) -> None:
        clock, clocks = self.net.transitions[number].clock, self.clocks[number]
        assert clock is not None
        if clock.speed is not None and bindings:
            if all(one.left is not None for one in clocks.all):
                clocks.passed, clocks.since = 0.0, self.now
            speed = positive(evaluate(clock.speed, self.context()))
            if speed != clocks.speed:
                clocks.passed, clocks.since, clocks.speed = clocks.virtual(self.now), self.now, speed
        for binding in bindings:
            running = clocks.running(binding.key)
            for one in running:
                if one.mean is not None and one.mean != self.mean(number, binding):
                    clocks.all[clocks.all.index(one)] = self.new_clock(number, binding)
            stopped = [one for one in clocks.all if one.left is not None and one.binding == binding.key]
            for _ in range(self.number_of_clocks(number, binding) - len(running)):
                if stopped:
                    again = stopped.pop(0)
                    again.ends, again.left = clocks.virtual(self.now) + (again.left or 0.0), None
                else:
                    clocks.all.append(self.new_clock(number, binding))

    def mean(self, number: int, binding: Binding) -> float | None:
        transition = self.net.transitions[number]
        if not is_memoryless(transition) or transition.clock is None:
            return None
        return float(evaluate(transition.clock.time.args[0], self.context(binding.variables)))

    def new_clock(self, number: int, binding: Binding) -> Clock:
        clock = self.net.transitions[number].clock
        assert clock is not None
        mean = self.mean(number, binding)
        time = positive(float(evaluate(clock.time, self.context(binding.variables))), -1.0)
        time = self.ticks(time) if clock.speed is None else time
        return Clock(binding.key, time, mean, self.clocks[number].virtual(self.now) + time)

    def set_common(self) -> None:
        """C4."""
        for number in self.shared:
            bindings = self.with_keys(number)
            self.shared[number] = sum(self.number_of_clocks(number, one) for one in bindings)
        rates = [self.rate(number) for number in self.shared]
        before, self.sums = self.sums[-1], [rates + [0.0] * (2 ** max(0, len(rates) - 1).bit_length() - len(rates))]
        while len(self.sums[-1]) > 1:
            self.sums.append([a + b for a, b in zip(self.sums[-1][::2], self.sums[-1][1::2], strict=True)])
        [rate] = self.sums[-1]
        if [rate] != before or self.common_end <= self.now:
            self.common_end = self.after(self.stream.exponential() / rate) if rate else math.inf
        self.chosen = -1

    def rate(self, number: int) -> float:
        clock, clocks = self.net.transitions[number].clock, self.shared[number]
        assert clock is not None
        if not clocks:
            return 0.0
        speed = 1.0 if clock.speed is None else positive(evaluate(clock.speed, self.context()))
        mean = positive(evaluate(clock.time.args[0], self.context()))
        if not speed:
            return 0.0
        return min(GREATEST_RATE, clocks * (speed / mean)) if mean else GREATEST_RATE

    def choose_common(self) -> int:
        """Return the transition whose clock has run down (C4)."""
        position, x = 0, self.stream.uniform() * self.sums[-1][0] if len(self.shared) > 1 else 0.0
        for level in self.sums[-2::-1]:
            position *= 2
            if level[position + 1] != 0 and x >= level[position]:
                x -= level[position]
                position += 1
        return list(self.shared)[position]

    # ------------------------------------------------------------ an instant

    def advance(self) -> dict[int, list[Binding]]:
        """Let time go on until a transition may fire (I7, I8); return the candidates, none in a dead net (I2)."""
        while not (enabled := self.enabled()):
            self.update_clocks()
            ends = [one.tick_of(clock) for one in self.clocks.values() for clock in one.all]
            earliest = min([*ends, self.common_end, *(end for end, *_ in self.coming)])
            if earliest == math.inf:
                return {}
            if earliest > HORIZON:
                raise ModelError("beyond-horizon", None)
            self.now = max(self.now, earliest)
            ending = sorted(one for one in self.coming if one[0] <= self.now)  # I1
            self.coming = [one for one in self.coming if one[0] > self.now]
            self.deposit(row for *_, rows in ending for row in rows)
            if self.common_end <= self.now:
                self.chosen = self.choose_common()
        highest = max(self.net.transitions[n].priority for n in enabled)
        return {n: due for n, due in enabled.items() if self.net.transitions[n].priority == highest}

    def enabled(self) -> dict[int, list[Binding]]:
        for number, rows in self.rows.items():  # S6
            if rows and not self.places[number].tokens:
                self.places[number].add(rows.pop(0))
        return {number: due for number in range(len(self.net.transitions)) if (due := self.due(number))}

    def choose(self, found: dict[int, list[Binding]]) -> tuple[int, Binding]:
        """I3, I4."""
        weights = [float(evaluate(self.net.transitions[n].weight, self.context())) for n in found if len(found) > 1]
        if weights and (min(weights) < 0.0 or not sum(weights)):
            raise ModelError("weights", None)
        number = list(found)[self.stream.weighted_choice(weights or [1.0])]
        transition, bindings = self.net.transitions[number], found[number]
        prefer = transition.prefer
        if prefer is not None and len(bindings) > 1:
            parts = [one for one in (prefer.key, prefer.then) if one is not None]
            keys = [[evaluate(part, self.context(one.variables)) for part in parts] for one in bindings]
            best = max(keys) if prefer.most else min(keys)
            bindings = [one for one, key in zip(bindings, keys, strict=True) if key == best]
        if transition.inputs and transition.inputs[0].in_turn:
            bindings = [one for one in bindings if one.found[0] == bindings[0].found[0]]
        return number, bindings[self.stream.equal_choice(len(bindings))]

    def fire(self, number: int, binding: Binding) -> TracedFiring:
        """I5, I6."""
        transition, variables = self.net.transitions[number], binding.variables
        sets = self.sets(transition, binding)
        for draw in transition.draws:
            variables[draw.variable] = evaluate(draw.expression, self.context(variables))
        end = self.now + self.ticks(float(evaluate(transition.time, self.context(variables))))
        at_once: list[Row] = []
        ending: list[Row] = []
        later: list[tuple[float, int, int, list[Row]]] = []
        for place, arc in enumerate(transition.outputs):
            delay, rows = self.output(arc, sets, self.context(variables, end))
            when = end if delay is None else self.now + delay
            if when == self.now:
                at_once += rows
            elif delay is None:
                ending += rows
            else:
                later.append((when, self.firings, 1 + place, rows))
        self.take(number, binding, sets)
        self.coming += [*later, *([(end, self.firings, 0, ending)] if end > self.now else [])]
        self.deposit(at_once)
        self.firings += 1
        return TracedFiring(self.now, end, number, variables)

    def sets(self, transition: Transition, binding: Binding) -> list[list[Token]]:
        """Return the tokens of each set; their numbers and totals become variables of the binding (E11)."""
        sets, variables = [], binding.variables
        leaving = taken(transition, binding.found)
        for arc in transition.sets:
            rest = [one for one in self.places[arc.place].in_order() if one not in leaving]
            most = math.inf if arc.most is None else evaluate(arc.most, self.context(variables))
            if most < 0:
                raise ModelError("negative-count", None)
            tokens: list[Token] = []
            for one in rest:
                if len(tokens) < most and (
                    arc.condition is None or evaluate(arc.condition, self.context([*variables, *one.values]))
                ):
                    tokens.append(one)
            variables[arc.number] = len(tokens)
            for total in arc.totals:
                variables[total.variable] = 0.0 if total.value.kind == "real" else 0
                for one in tokens:
                    variables[total.variable] = evaluate(total.value, self.context([*variables, *one.values]))
            sets.append(tokens)
        return sets

    def output(self, arc: OutputArc, sets: list[list[Token]], context: Context) -> tuple[float | None, list[Row]]:
        """Return the delay of an output, None at the end of the firing, and its tokens (I5, I11)."""
        place, tokens = destination(arc, context)
        if not tokens:
            return None, []
        delay = None if arc.delay is None else self.ticks(float(evaluate(arc.delay, context)))
        each: list[Values] = [()] * tokens if arc.each is None else [one.values for one in sets[arc.each]]
        rows = []
        for own in each:
            inside = Context([*context.variables, *own], context.tokens, context.now, context.end)
            values = tuple(evaluate(one, inside) for one in arc.values)
            for found, slot in zip(values, self.net.places[place].colour.slots, strict=True):
                if (slot.low is not None and found < slot.low) or (slot.high is not None and found > slot.high):
                    raise ModelError("colour-range", None)
            rows.append((place, values))
        return delay, rows

    def take(self, number: int, binding: Binding, sets: list[list[Token]]) -> None:
        """Take tokens in the order of arcs, then those of sets, then what is reset (I5)."""
        transition = self.net.transitions[number]
        places = [arc.place for arc in transition.inputs if not arc.keep]
        found = list(zip(places, takes(transition, binding.found), strict=True))
        counts = [arc.count for arc in transition.inputs if not arc.keep]
        if number in self.shared and all(one is None or one.op == "const" for one in counts):
            found = self.by_chance(number, found)
        found += zip((arc.place for arc in transition.sets), sets, strict=True)
        for place, tokens in found:
            self.remove(place, tokens)
        for place in transition.resets:
            self.remove(place, self.places[place].tokens)
        if number in self.clocks:
            self.clocks[number].all = [one for one in self.clocks[number].all if one is not binding.clock]
        self.chosen = -1 if number == self.chosen else self.chosen

    def remove(self, place: int, tokens: list[Token]) -> None:
        for token in list(tokens):
            self.places[place].take(token)
            for clocks in self.clocks.values():
                clocks.all = [one for one in clocks.all if token not in one.binding]

    def by_chance(self, number: int, found: list[tuple[int, list[Token]]]) -> list[tuple[int, list[Token]]]:
        """C3: the common clock takes any of the black tokens that have clocks of other transitions."""
        chosen = []
        weights = Counter(place for place, tokens in found for _ in tokens)
        for place, weight in weights.items():
            row = self.places[place].tokens[: self.shared[number] * weight]
            if place in self.with_clocks:
                chosen.append((place, [row.pop(self.stream.equal_choice(len(row))) for _ in range(weight)]))
        return chosen + [(place, tokens) for place, tokens in found if place not in self.with_clocks]

    def deposit(self, rows: Iterator[Row] | list[Row]) -> None:
        for place, values in rows:
            self.places[place].add(values)

    def ticks(self, time: float) -> float:
        """S1."""
        return self.after(max(time, 1.0)) - self.now if time > 0 else positive(time, -1.0)

    def after(self, time: float) -> float:
        end = int(self.now) + round(time) if time <= HORIZON else 2 * HORIZON  # exact, unlike a sum of floats
        return float(end) if end <= HORIZON else 2 * HORIZON

    # ------------------------------------------------------------ the trace

    def check(self, traced: TracedFiring) -> None:
        """Take in the next firing of a trace. Raises Broken where it breaks a rule, ModelError where the run stops."""
        found = self.advance()
        names = [one.name for one in self.net.transitions]
        what = f"firing {self.firings}, {names[traced.transition]}{tuple(traced.variables)} at {traced.start}"
        if traced.start != self.now or not found:
            raise Broken(f"{what}: {[names[n] for n in found]} can fire at {self.now} (I7, I8, C2)")
        if traced.transition not in found:
            raise Broken(
                f"{what}: {[names[n] for n in found]} are enabled, due and of the highest priority (E, C3, I2)"
            )
        number, binding = self.choose(found)
        if number != traced.transition:
            raise Broken(f"{what}: the stream chooses {names[number]} (I3, R2)")
        right = self.fire(number, binding)
        if list(traced.variables) != right.variables:
            raise Broken(f"{what}: its values are {right.variables} (E7, I4, I5, E11)")
        if traced.end != right.end:
            raise Broken(f"{what}: it ends at {right.end}, not {traced.end} (I5, S1)")

    def marking(self) -> list[list[Values]]:
        """Return the tokens of each place, one line after the other."""
        lines = [held.lines if held.place.per else [()] for held in self.places]
        return [
            [token.values for line in own for token in held.tokens if token.line == line]
            for held, own in zip(self.places, lines, strict=True)
        ]


def equalities(pattern: Sequence[Match], context: Context) -> dict[int, Scalar]:
    """Return the values that slots must have (E2)."""
    return {slot: evaluate(one.equal, context) for slot, one in enumerate(pattern) if one.equal is not None}


def matched(
    pattern: Sequence[Match], wanted: dict[int, Scalar], token: Token, variables: list[Scalar]
) -> list[Scalar] | None:
    """Return the variables with those that the pattern binds; None where the token does not match (E2)."""
    if any(token.values[slot] != right for slot, right in wanted.items()):
        return None
    bound = list(variables)
    for match, found in zip(pattern, token.values, strict=False):
        if match.bind is not None:
            bound[match.bind] = found
    return bound


def takes(transition: Transition, found: list[list[Token]]) -> list[list[Token]]:
    return [group for arc, group in zip(transition.inputs, found, strict=True) if not arc.keep]


def taken(transition: Transition, found: list[list[Token]]) -> list[Token]:
    return [token for group in takes(transition, found) for token in group]


def destination(arc: OutputArc, context: Context) -> tuple[int, int]:
    """Return where an output puts tokens, and how many (I5: condition, number, place)."""
    if arc.condition is not None and not evaluate(arc.condition, context):
        return arc.places[0], 0
    number = count(arc.count, context)
    index = 0 if arc.index is None else int(evaluate(arc.index, context))
    if not 0 <= index < len(arc.places):
        raise ModelError("index-range", None)
    return arc.places[index], number


def count(number: Expr | None, context: Context) -> int:
    return 1 if number is None else int(positive(evaluate(number, context)))


def positive(value: Any, least: float = 0.0) -> Any:
    """Return a number that may not be negative (X2), or, as a time may be, by less than a tick (S1): then 0."""
    if value < 0.0 and value <= least:
        raise ModelError("negative", None)
    return max(value, 0)
