"""Numbers that come from parameters, and what was done with them while a net was checked and flattened.

A net with other values of its parameters is often the same net with other numbers. So a net that is read again is read
with a `Traced` number for each parameter: what is computed of it is a `Traced` number too, the step that computes it
is kept, and it stands in the flat net. Whoever looks at such a number, to decide or to compute with it otherwise, fixes
it: the steps hold for all values of the parameters that give each fixed number the same value. `Recording.replay`
computes the others anew.

Example: of `place p = n * token  capacity 2 * n`, `2 * n` is a step, the comparison of both is one, and that its value
is false is fixed; `n` tokens and a capacity of `2 * n` are in the net.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

Compute = Callable[..., Any]
MOST_STEPS: Final = 50_000  # of one recording: each takes about half a kilobyte
STEPS_KEPT: Final = 16  # parameters that are turned together, of one recording


class Differs(Exception):
    """Raised where a number that decided something is another with these values, or cannot be computed."""


class Recording:
    """The steps from parameters to the numbers of a net. Steps have the numbers of earlier ones as operands."""

    def __init__(self) -> None:
        self.steps: list[tuple[Compute, tuple[int, ...]] | None] = []  # None for constants and parameters
        self.values: list[Any] = []
        self.fixed: set[int] = set()
        self.inputs: dict[str, list[int]] = {}  # of each parameter: it may be read twice
        self._known: dict[Hashable, int] = {}  # steps by what they do, and constants by their values
        self._after = lru_cache(STEPS_KEPT)(self._steps_after)

    def parameter(self, name: str, value: Any) -> Any:
        """Return the number for a parameter, which is by default computed as `value` is."""
        traced = self._add((_same, (self._operand(value),)), getattr(value, "now", value))
        self.inputs.setdefault(name, []).append(traced.number)
        return traced

    def derive(self, key: Hashable, compute: Compute, operands: Sequence[Any]) -> Any:
        """Return what `compute` gives. key: what it does, so that no step is kept twice. Beyond `MOST_STEPS`, it is a
        plain number, and what it comes from is fixed.
        """
        if len(self.steps) >= MOST_STEPS:
            return compute(*map(looked_at, operands))
        numbers = tuple([self._operand(operand) for operand in operands])
        known = self._known.get((key, numbers))
        if known is not None:
            return Traced(self, known, self.values[known])
        try:
            value = compute(*[self.values[number] for number in numbers])
        except Exception:  # who catches it decides by it
            self.fixed.update(numbers)
            raise
        traced = self._add((compute, numbers), value)
        self._known[key, numbers] = traced.number
        return traced

    def _operand(self, value: Any) -> int:
        if type(value) is Traced:
            return value.number
        key = (type(value), _facts(value))
        if key not in self._known:
            self._known[key] = self._add(None, value).number
        return self._known[key]

    def _add(self, step: tuple[Compute, tuple[int, ...]] | None, value: Any) -> Traced:
        self.steps.append(step)
        self.values.append(value)
        return Traced(self, len(self.steps) - 1, value)

    def replay(self, given: Mapping[str, Any]) -> dict[int, Any]:
        """Return the numbers that are others with these values of parameters. Raises Differs."""
        changed: dict[int, Any] = {}
        values, fixed = self.values, self.fixed
        set_to = {number: value for name, value in given.items() for number in self.inputs[name]}
        for number, compute, operands in self._after(tuple(set_to)):
            if number in set_to:
                new = set_to[number]
            elif changed.keys().isdisjoint(operands):
                continue
            else:
                try:
                    new = compute(
                        *[changed[operand] if operand in changed else values[operand] for operand in operands]
                    )
                except Exception as fault:
                    raise Differs from fault
            if _alike(new, values[number]):
                continue
            if number in fixed or type(new) is not type(values[number]):
                raise Differs
            changed[number] = new
        return changed

    def _steps_after(self, numbers: Sequence[int]) -> list[tuple[int, Compute, tuple[int, ...]]]:
        """Return the steps that depend on these numbers, in order."""
        reached, found = set(numbers), []
        for number, step in enumerate(self.steps):
            if step is not None and (number in reached or not reached.isdisjoint(step[1])):
                reached.add(number)
                found.append((number, *step))
        return found


class Traced:
    """A number that depends on parameters. now: its value, which whoever looks at it fixes.

    It has the class of its value for `isinstance`, as the class of a step's value is always the same.
    """

    __slots__ = ("now", "number", "recording")

    def __init__(self, recording: Recording, number: int, now: Any) -> None:
        self.recording, self.number, self.now = recording, number, now

    def look(self) -> Any:
        """Return the value, and fix it."""
        self.recording.fixed.add(self.number)
        return self.now

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.now)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.look(), name)


def apply(compute: Compute, *operands: Any) -> Any:
    """Return what a function of numbers gives, as a step if one of them depends on parameters."""
    for operand in operands:
        if type(operand) is Traced:
            return operand.recording.derive(compute, compute, operands)
    return compute(*operands)


def known_as(value: Hashable) -> Hashable:
    """Return what tells a number from others in a table, without looking at it."""
    return ("step", value.number) if type(value) is Traced else value


def _same(value: Any) -> Any:
    return value


def _alike(one: Any, other: Any) -> bool:
    """Return whether two values are the same; 0.0 and -0.0 are not, nor 1 and 1.0."""
    return one is other or (type(one) is type(other) and _facts(one) == _facts(other))


def _facts(value: Any) -> Hashable:
    """Return what tells a value from others of its class: a time of the net has more to it than its number."""
    if not isinstance(value, float):
        return value  # type: ignore[no-any-return]
    return value.hex(), *[getattr(value, name) for name in getattr(type(value), "__slots__", ())]


def _step(compute: Compute) -> Compute:
    return lambda self, *others: self.recording.derive(compute, compute, (self, *others))


def _reversed(compute: Compute) -> Compute:
    def turned(one: Any, other: Any) -> Any:
        return compute(other, one)

    return _step(turned)


def _decision(compute: Compute) -> Compute:
    step = _step(compute)
    return lambda self, *others: looked_at(step(self, *others))


def looked_at(value: Any) -> Any:
    """Return a number as it is, which is fixed if it depends on parameters."""
    return value.look() if type(value) is Traced else value


def _looking(compute: Compute) -> Compute:
    return lambda self, *others: compute(self.look(), *others)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Traced, f"__{_name}__", _step(getattr(operator, _name)))
    setattr(Traced, f"__r{_name}__", _reversed(getattr(operator, _name)))
for _name in ("neg", "abs"):
    setattr(Traced, f"__{_name}__", _step(getattr(operator, _name)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Traced, f"__{_name}__", _decision(getattr(operator, _name)))
Traced.__bool__ = _decision(bool)  # type: ignore[attr-defined]
for _compute in (hash, int, float, str, repr, format, round):
    setattr(Traced, f"__{_compute.__name__}__", _looking(_compute))
for _name in ("floor", "ceil", "trunc"):
    setattr(Traced, f"__{_name}__", _looking(getattr(math, _name)))
Traced.__index__ = _looking(operator.index)  # type: ignore[attr-defined]
