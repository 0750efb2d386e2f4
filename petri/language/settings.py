"""Nets that are read again with other values of their parameters.

The second time that a net is read, a `Recording` is made of how its numbers come from parameters
(`petri.language.meaning.traced`). From then on, another setting that decides nothing else changes the numbers alone: it
takes a hundredth of the time, and what it does not change are the same objects. Whatever else happens, an error for
one, the net is read from its text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Set
from typing import Any, Final

from petri.language.checking.declarations.parameters import Overrides
from petri.language.meaning.traced import Differs, Recording, Traced
from petri.language.problems import CheckError, Problems
from petri.net import Net, Span
from petri.regular import State, state_of
from petri.structs import Frozen, Struct, fields, replace

NETS_KEPT: Final = 8
RECORDINGS_KEPT: Final = 4  # of one net, which differ in what parameters decide
LARGEST_KEPT: Final = 5_000  # places and transitions: of more, memory matters more than time

Reading = tuple[Net, dict[str, str]]


class Part(Frozen, eq=False):
    """A part of a flat net with numbers from parameters. numbers: all in it. inside: by field, or by position."""

    now: Any
    numbers: frozenset[int]
    inside: tuple[tuple[Any, Part | int], ...]

    def changed(self, new: Mapping[int, Any], others: Set[int], made: dict[int, Any]) -> Any:
        """Return it with other numbers, which are `others`. made: the parts that are ready: a net
        has many of them more than once.
        """
        if self.numbers.isdisjoint(others):
            return self.now
        found = made.get(id(self))
        if found is None:
            values: dict[Any, Any] = {}
            for where, part in self.inside:
                if isinstance(part, Part):
                    if not part.numbers.isdisjoint(others):
                        values[where] = part.changed(new, others, made)
                elif part in new:
                    values[where] = new[part]
            found = made[id(self)] = _replaced(self.now, values)
        return found


class Recorded(Struct):
    """A net as it was read once. overrides: the values of parameters. read: the files."""

    recording: Recording
    net: Part | int | None
    now: Net
    overrides: Overrides
    sources: dict[str, str]
    read: Mapping[str, State | None]

    def again(self, given: Mapping[str, object]) -> Reading:
        """Return the net with other values. Raises Differs."""
        kept = self.overrides.given
        if not given.keys() >= kept.keys():
            raise Differs
        values: dict[str, Any] = {}
        sources = dict(self.sources)
        for name, value in given.items():
            before = kept.get(name, _SAME)
            if value is before or (type(value) is type(before) and type(value) in _PLAIN and value == before):
                sources |= self.overrides.texts.get(name, {})
                continue
            if name not in self.recording.inputs:
                raise Differs
            try:
                values[name], texts = self.overrides.another(name, value)
            except CheckError as fault:
                raise Differs from fault
            sources |= texts
        changed = self.recording.replay(values)
        net = self.net.changed(changed, frozenset(changed), {}) if isinstance(self.net, Part) else self.now
        return net, sources

    @property
    def holds(self) -> bool:
        """Whether the files are those that were read."""
        return all(state is not None and state_of(path) == state for path, state in self.read.items())


_known: dict[Hashable, list[Recorded]] = {}
"""The recordings of each net, the last one used first. A net that was read once has none yet."""


def read_again(
    key: Hashable, given: Mapping[str, object], read: Callable[[Recording | None], tuple[Reading, Recorded | None]]
) -> Reading:
    """Return a net with these values, by a recording or from its text. read: does the latter, and may record it."""
    recordings = _known.pop(key, None)
    if recordings is None:
        reading = read(None)[0]
        if len(reading[0].places) + len(reading[0].transitions) <= LARGEST_KEPT:
            while len(_known) >= NETS_KEPT:
                _known.pop(next(iter(_known)), None)
            _known[key] = []
        return reading
    recordings = _known[key] = [recording for recording in recordings if recording.holds]
    for recording in recordings:
        try:
            found = recording.again(given)
        except Differs:
            continue
        _known[key] = [recording, *(other for other in recordings if other is not recording)]
        return found
    reading, recorded = read(Recording())
    if recorded is not None:
        _known[key] = [recorded, *recordings[: RECORDINGS_KEPT - 1]]
    return reading


def recorded(
    net: Net,
    recording: Recording,
    overrides: Overrides,
    problems: Problems,
    read: Mapping[str, State | None],
) -> Recorded:
    """Return what is kept of a net that was read with a recording. Its numbers are taken out of their steps."""
    parts: dict[int, tuple[Any, Part | None, Any]] = {}
    plain, part = _taken_apart(net, parts)
    texts = {name for text in overrides.texts.values() for name in text}
    sources = {name: text for name, text in problems.sources.items() if name not in texts}
    return Recorded(recording, part, plain, overrides, sources, read)


def _taken_apart(value: Any, known: dict[int, tuple[Any, Part | None, Any]]) -> tuple[Any, Part | int | None]:
    """Return a part of the net with plain numbers, and what is to be changed in it; None if nothing."""
    if type(value) is Traced:
        return value.now, value.number
    if type(value) is Span:
        return value, None
    items = tuple(enumerate(value)) if type(value) is tuple else _fields(value)
    if not items:
        return value, None
    found = known.get(id(value))
    if found is None:
        apart = [(where, item, *_taken_apart(item, known)) for where, item in items]
        inside = tuple([(where, part) for where, _, _, part in apart if part is not None])
        part = None
        plain = value
        if inside:
            plain = _replaced(value, {where: new for where, old, new, _ in apart if new is not old})
            numbers = [{one} if isinstance(one, int) else one.numbers for _, one in inside]
            part = Part(plain, frozenset().union(*numbers), inside)
        found = known[id(value)] = value, part, plain
    return found[2], found[1]


def _fields(value: Any) -> tuple[tuple[Any, Any], ...]:
    return tuple([(name, getattr(value, name)) for name in fields(type(value))]) if isinstance(value, Frozen) else ()


def _replaced(value: Any, changes: Mapping[Any, Any]) -> Any:
    if type(value) is tuple:
        return tuple([changes.get(where, item) for where, item in enumerate(value)])
    return replace(value, **changes)


_SAME: Final = object()
_PLAIN: Final = (int, float, str, bool)


def forget() -> None:
    """Read all nets from their texts again."""
    _known.clear()
