"""A net that stands in a program, which puts tokens into its ports, lets time go on, and takes what leaves (I12).

The engine is at an instant that is over; a component is at one before which all has happened. Therefore what comes at
it is in time, and the trajectory does not depend on the steps in which time goes on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from petri.diagnostics import Diagnostic, LanguageError, RunError, Value, did_you_mean
from petri.engine.interface import Limits, Session
from petri.latest import kept_for_latest
from petri.measure.formula import evaluate
from petri.net import DECISION, Net, Place, Slot, Token, Variable
from petri.result.figures import run_failure
from petri.run.session import begin
from petri.structs import Frozen, replace
from petri.ticks import HORIZON, NEVER

UNLIMITED = 2**62  # firings
SURELY_WHOLE = 2.0**52  # a product of floats below that is whole is the nearest whole number


@kept_for_latest
def deciding(net: Net) -> Net:
    """Return a net that stops at decisions, if any of its transitions waits for one."""
    waits = any(transition.priority == DECISION for transition in net.transitions)
    return replace(net, stops_at_decisions=True) if waits else net


class Output(NamedTuple):
    """A token that has left through a port, and when, in the net's unit."""

    time: float
    token: Any


class Choice(NamedTuple):
    """What may be decided: a transition, and the values of its variables, in the net's units."""

    transition: str
    values: dict[str, Any]


class Snapshot(Frozen):
    """The state of a component at an instant."""

    session: Session
    now: float
    over: bool


class Component:
    """A net with open ports at an instant, of `Model.component`.

    Times are in the net's unit. A token is None where it is black, a value where its type is one number or enumeration,
    and otherwise a dict of its fields by name; `put` takes a tuple as well. Enumerations are names. Wrong calls raise
    LanguageError and change nothing; an error of the model raises RunError, and so does every call after it.
    """

    def __init__(self, net: Net, engine: str = "native", seed: int = 1, limits: Limits = Limits()) -> None:
        self._net = net = deciding(net)
        self._session: Session = begin(net, engine, seed, 0, limits=limits)
        self._session.keep_outputs()
        self._ports = {place.name: index for index, place in enumerate(net.places)}
        self._now, self._over = 0.0, False  # in ticks; and whether what happens at the engine's instant has happened

    @property
    def now(self) -> float:
        """The instant at which it is: what happens before has happened."""
        return self._net.tick.time(self._now)

    @property
    def hash(self) -> int:
        """The trajectory hash so far (R4): the same for any steps of time, and on both engines."""
        return self._session.hash

    @property
    def firings(self) -> int:
        """Firings started since time 0."""
        return self._session.firings

    def put(self, port: str, time: float, token: Any = None) -> None:
        """Let a token come into a `port in`, now or later. Of several at one instant, the one put first comes first."""
        self._check_error()
        place = self._port(port, "in")
        values = _values(self._net, self._net.places[place], token)
        self._session.put(place, self._ticks(time), values)

    def next(self) -> float:
        """Return the instant before which nothing happens, unless a token is put that comes earlier.

        It is inf if nothing will happen. Something may happen then, and need not. After `advance` has stopped at an
        output, it is that instant.
        """
        return self._net.tick.time(found) if (found := self._next()) < NEVER else math.inf

    def advance(self, until: float, stop_at_output: bool = False) -> float:
        """Do all that happens before an instant, and then it is that instant; return it.

        stop_at_output: or end at the instant of the first output before. What is put then at this instant still comes.
        It ends at the instant of a decision in any case, and stays there until `decide` is called.
        """
        self._check_error()
        end = self._ticks(until)
        if end > self._next():
            self._session.keep_outputs(stop_at_output)
            reason = self._session.advance(end - 1, UNLIMITED)
            self._check_error()
            self._over = reason not in ("output", "decision")
            if not self._over:
                end = self._session.now
        self._now = end
        return self.now

    def choices(self) -> list[Choice]:
        """Return what may be decided now (I13), in order; empty where the net does not wait for a decision."""
        return [
            Choice(self._net.transitions[one].name, self._named(one, values)) for one, values in self._session.choices()
        ]

    def decide(self, transition: str | None, values: Mapping[str, Any] = {}) -> None:
        """Let a transition fire that waits for a decision, with these values of variables: `decide(*choice)`.

        Of several choices that have them, the net chooses (I4). None: let time go on; at the next instant at which
        something happens it waits again.
        """
        self._check_error()
        if transition is None:
            self._session.pass_over()
            return
        for one, known in self._session.choices():
            named = self._named(one, known)
            if self._net.transitions[one].name == transition and all(
                name in named and named[name] == value for name, value in values.items()
            ):
                wanted = {at: known[at] for name, at in self._bound(one).items() if name in values}
                self._session.decide(one, wanted)
                self._check_error()
                return
        text = ", ".join([transition, *(f"{name} = {value}" for name, value in values.items())])
        raise LanguageError([Diagnostic("component-choice", values={"net": self._net.name, "text": text})])

    def _bound(self, transition: int) -> dict[str, int]:
        """Return the variables that arcs bind, by name."""
        one = self._net.transitions[transition]
        bound = (match.bind for arc in one.inputs for match in arc.pattern if match.bind is not None)
        return {one.variables[at].name: at for at in bound}

    def _named(self, transition: int, values: Sequence[int | float]) -> dict[str, Any]:
        variables = self._net.transitions[transition].variables
        return {
            name: _value_shown(self._net, variables[at], values[at]) for name, at in self._bound(transition).items()
        }

    def take(self, port: str) -> list[Output]:
        """Return what has left through a `port out` since the last call."""
        place = self._port(port, "out")
        slots, tick = self._net.places[place].colour.slots, self._net.tick
        rows = self._session.outputs(place)
        return [Output(tick.time(time), _shown(self._net, slots, tuple(token))) for time, *token in rows]

    def snapshot(self) -> Snapshot:
        """Return the state, to return to by `restore`, as often as one likes."""
        return Snapshot(self._session.copied(), self._now, self._over)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a state of this component, or go on from one of another component of the same net."""
        self._session = snapshot.session.copied()
        self._now, self._over = snapshot.now, snapshot.over

    @property
    def marking(self) -> dict[str, list[Any]]:
        """The tokens of each place, in order of arrival, or in a bag by position."""
        places = zip(self._net.places, self._session.marking().in_ticks(), strict=True)
        return {place.name: [_shown(self._net, place.colour.slots, one) for one in row] for place, row in places}

    def figures(self) -> dict[str, float]:
        """Return the measures of the net from time 0 to now. One that needs several runs, or trials, is nan."""
        seen = self._session.observe(self._now)
        return {measure.name: evaluate(measure.formula, seen) for measure in self._net.measures}

    def _next(self) -> float:
        session = self._session
        if session.error is not None:
            return NEVER
        return max(self._now, session.next_event()) if self._over else session.now

    def _port(self, name: str, direction: str) -> int:
        ports = [place.name for place in self._net.places if place.port == direction]
        if name not in ports:
            known = name in self._ports
            values: dict[str, Value] = {"net": self._net.name, "name": name, "suggestion": did_you_mean(name, ports)}
            raise LanguageError([Diagnostic("component-port" if known else "component-place", values=values)])
        return self._ports[name]

    def _ticks(self, time: float) -> float:
        """Return an instant that has not passed, in ticks."""
        tick = self._net.tick
        ticks = time * tick.denominator
        if not (tick.numerator == 1 and ticks == ticks // 1 and abs(ticks) < SURELY_WHOLE):  # which is quicker to see
            ticks = tick.ticks(time)
        if ticks < self._now:
            raise self._wrong("component-past", time)
        if not ticks <= HORIZON:
            raise self._wrong("component-horizon", time)
        return ticks

    def _wrong(self, identifier: str, time: float) -> LanguageError:
        shown = (time, self.now, self._net.tick.time(float(HORIZON)))
        texts = (f"{one:.15g} {self._net.time_unit}".rstrip() for one in shown)
        return LanguageError([Diagnostic(identifier, values=dict(zip(("time", "now", "horizon"), texts, strict=True)))])

    def _check_error(self) -> None:
        """Raise RunError if the model has broken a rule."""
        if self._session.error is not None:
            raise RunError(run_failure(self._net, self._session.error))


def _values(net: Net, place: Place, token: Any) -> Token:
    """Return the values of a token as the engine keeps them. Raises LanguageError."""
    slots = place.colour.slots
    given = _in_order(place, token)
    if len(given) != len(slots):
        values: dict[str, Value] = {"name": place.name, "wanted": len(slots), "count": len(given)}
        raise LanguageError([Diagnostic("component-values", values=values)])
    return tuple(_value(net, place, slot, value) for slot, value in zip(slots, given, strict=True))


def _in_order(place: Place, token: Any) -> Sequence[Any]:
    if token is None:
        return ()
    if isinstance(token, Mapping):
        names = [slot.name for slot in place.colour.slots]
        for name in token:
            if name not in names:
                known: dict[str, Value] = {"field": str(name), "name": place.name, "names": names}
                raise LanguageError([Diagnostic("stream-no-field", values=known)])
        return [token[name] for name in names if name in token]
    return token if isinstance(token, (tuple, list)) else (token,)


def _value(net: Net, place: Place, slot: Slot, value: Any) -> int | float:
    if slot.labels and value in slot.labels:
        return slot.labels.index(value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if number and slot.kind == "real":
        kept: int | float = float(value / net.tick.quantity(1.0, slot.dimension))
    else:
        kept = int(value) if number and value == int(value) and not slot.labels else math.nan
    low, high = slot.low, slot.high
    if not ((low is None or kept >= low) and (high is None or kept <= high) and abs(kept) < 2.0**63):
        told: dict[str, Value] = {"name": place.name, "field": slot.name or place.name, "value": repr(value)}
        raise LanguageError([Diagnostic("component-value", values=told)])
    return kept


def _value_shown(net: Net, of: Slot | Variable, value: int | float) -> Any:
    return of.labels[int(value)] if of.labels else net.tick.quantity(value, of.dimension)


def _shown(net: Net, slots: Sequence[Slot], token: Token) -> Any:
    """Return a token as users have it."""
    shown = [_value_shown(net, slot, value) for slot, value in zip(slots, token, strict=True)]
    if not slots:
        return None
    return shown[0] if not slots[0].name else dict(zip((slot.name for slot in slots), shown, strict=True))
