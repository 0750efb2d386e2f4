"""What of a net can be changed to see what follows: its parameters, and the times of its transitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from petri.catalogue.operations import OPERATIONS
from petri.diagnostics import Diagnostic, did_you_mean
from petri.experiment.design.definition import shown
from petri.experiment.design.sampling import Value
from petri.experiment.errors import ExperimentError, problem
from petri.model import Model
from petri.net import PRIORITIES, Expr, Net, Parameter, Transition, is_draw, times_of
from petri.result.tables import row_members
from petri.structs import replace

SHARE: Final = 0.1  # the change that effects are told for
STEP: Final = 0.05  # from which differences begin, as a share of the value
SCHEDULED: Final = PRIORITIES - 2  # the least priority of transitions that schedules become


@dataclass(frozen=True)
class Factor:
    """One change of a net. text: how it is changed, such as `+10%` or `4 → 5`. to: the other value, where it has one.

    at: the net with a share of the value more, from `low` to `high`, a multiple of `grain`; or, with any share, that
    with the other value. change: the share that `text` says. value: of a real parameter.
    """

    name: str
    kind: Literal["parameter", "transition"]
    text: str
    at: Callable[[float], Net] = field(repr=False)
    to: Value | None = None
    change: float = SHARE
    low: float = -math.inf
    high: float = math.inf
    grain: float = 0.0
    value: float = math.nan

    @property
    def smooth(self) -> bool:
        """Whether it can be changed as little as one likes."""
        return self.to is None

    def step(self, share: float) -> float:
        """Return the step that is nearest to a share of the value."""
        return max(round(share / self.grain), 1) * self.grain if self.grain else share


def factors(model: Model, names: Iterable[str] | None = None) -> list[Factor]:
    """Return what can be changed: all, or what has these names. Raises ExperimentError for a name of nothing else."""
    found = [*_of_parameters(model), *_of_transitions(model.net)]
    if names is None:
        return found
    known = dict.fromkeys(one.name for one in found)
    for name in names:
        if name not in known:
            raise _unknown(model, name, list(known))
    return [one for one in found if one.name in set(names)]


def unvaried(model: Model, found: Sequence[Factor]) -> dict[str, Diagnostic]:
    """Return why parameters are not among all factors of a net."""
    left = {parameter.name for parameter in model.net.parameters} - {
        one.name for one in found if one.kind == "parameter"
    }
    return {name: _unknown(model, name, []).diagnostic for name in sorted(left)}


def _unknown(model: Model, name: str, known: Sequence[str]) -> ExperimentError:
    if any(parameter.name == name for parameter in model.net.parameters):
        if model.origin is None:
            return problem("net-without-parameters", parameters=[name])
        return problem("sensitivity-unvaried", name=name)
    if any(transition.name == name for transition in model.net.transitions):
        return problem("sensitivity-timeless", name=name)
    near = did_you_mean(name, known)
    return problem("sensitivity-unknown", name=name, suggestion=near, known=None if near else list(known[:20]) or None)


# ---------------------------------------------------------------- parameters


def _of_parameters(model: Model) -> Iterator[Factor]:
    for parameter in model.net.parameters if model.origin is not None else ():
        if parameter.kind == "real" and parameter.value:
            yield from _real(model, parameter, float(parameter.value))
        else:
            for value in neighbours(parameter):
                text = f"{shown(parameter.value)} → {shown(value)}"
                yield Factor(
                    parameter.name, "parameter", text, _setting(model, parameter.name, value), value, change=1.0
                )


def neighbours(parameter: Parameter) -> list[Value]:
    """Return the values beside that of an int, or of a real 0; or all others that a bool or an enumeration has."""
    now = parameter.value
    if isinstance(now, bool):
        return [not now]
    if isinstance(now, str):
        return [label for label in parameter.labels if label != now]
    low, high = (math.nan if end is None else end for end in (parameter.low, parameter.high))
    step = max(round(STEP * abs(now)), 1) if parameter.kind == "int" else SHARE * (high - low)
    beside = [value for value in (now - step, now + step) if math.isfinite(value)]  # a 0 without a range has none
    return [value for value in beside if value != now and not (value < low or value > high)]


def _real(model: Model, parameter: Parameter, value: float) -> Iterator[Factor]:
    low = -math.inf if parameter.low is None else float(parameter.low)
    high = math.inf if parameter.high is None else float(parameter.high)
    if low == high:
        return
    least, most = sorted(((low - value) / value, (high - value) / value))

    def at(share: float) -> Net:
        return _setting(model, parameter.name, float(f"{value * (1.0 + share):.12g}"))(1.0)

    yield Factor(parameter.name, "parameter", f"{SHARE:+.0%}", at, low=least, high=most, value=value)


def _setting(model: Model, name: str, value: Value) -> Callable[[float], Net]:
    def at(share: float) -> Net:
        return net_with(model, {name: value}) if share else model.net

    return at


def net_with(model: Model, values: dict[str, Value]) -> Net:
    """Return the net with other values of its parameters. Raises LanguageError."""
    assert model.origin is not None
    return model.origin.model(values).net


# ---------------------------------------------------------------- times


def _of_transitions(net: Net) -> Iterator[Factor]:
    """Yield a factor for each transition that takes time, or for an array of them."""
    for name, members in row_members([transition.name for transition in net.transitions], fold=True).items():
        timed = [index for index in members if _takes_time(net.transitions[index])]
        if timed:
            times = {time for index in timed for time in map(_constant, times_of(net.transitions[index])) if time}
            constant = times.pop() if len(times) == 1 else None
            grain = 1.0 / constant if constant and math.isfinite(constant) else 0.0
            text = f"{SHARE:.0%} faster"

            def at(share: float, timed: Sequence[int] = timed) -> Net:
                return slower(net, timed, 1.0 + share)

            yield Factor(name, "transition", text, at, change=-SHARE, low=-1.0, grain=grain)


def _takes_time(transition: Transition) -> bool:
    return transition.priority < SCHEDULED and any(_constant(time) != 0.0 for time in times_of(transition))


def _constant(time: Expr) -> float:
    """Return a constant time in ticks; infinite if it is not constant."""
    return float(time.value or 0.0) if time.op == "const" else math.inf


def slower(net: Net, members: Iterable[int], factor: float) -> Net:
    """Return the net in which the times of some transitions are multiplied by a factor: the same draws, scaled."""
    transitions = list(net.transitions)
    for index in members:
        one = transitions[index]
        outputs = tuple(
            arc if arc.delay is None else replace(arc, delay=_scaled(arc.delay, factor)) for arc in one.outputs
        )
        clock = None if one.clock is None else replace(one.clock, time=_scaled(one.clock.time, factor))
        transitions[index] = replace(one, time=_scaled(one.time, factor), clock=clock, outputs=outputs)
    return replace(net, transitions=tuple(transitions))


def _scaled(time: Expr, factor: float) -> Expr:
    """Return a time multiplied by a factor. A distribution stays one, with its parameters that are times scaled."""
    if time.op in ("const", "ticks"):
        return replace(time, value=float(time.value or 0.0) * factor)
    if is_draw(time) and time.kind == "real" and time.op != "choice" and OPERATIONS[time.op].alike(time.args):
        parameters = zip(time.args, OPERATIONS[time.op].parameters, strict=True)
        return replace(time, args=tuple(_scaled(arg, factor) if one.alike else arg for arg, one in parameters))
    return Expr("mul", "real", (Expr("const", "real", value=factor), time), None, time.span)
