"""The state of a replication between two instants, as the native engine writes it and starts from it.

It is the state that docs/semantics.md speaks of, and nothing else: what an engine keeps to be fast is made again. Here
it is data: `petri/native/engine/src/session/checkpoint.rs` makes it of an engine, and an engine of it; classes and
fields there have the same order.

Times are in ticks. A word is 64 bits as a number without sign: a real by IEEE 754, anything else in two's complement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from petri.engine.trajectory import value_of
from petri.net import Slot, Token
from petri.structs import Frozen

Words = tuple[int, ...]
"""The values of tokens, slot after slot."""

Stream = tuple[int, int, int, int]
"""The state of SFC64."""

Wide = tuple[int, int, int]
"""A whole number as three words, the lowest first, in two's complement."""

Wider = tuple[int, int, int, int]
"""The same as four words."""

WORD: Final = (1 << 64) - 1


def wide(number: int) -> Wide:
    return number & WORD, number >> 64 & WORD, number >> 128 & WORD


def wider(number: int) -> Wider:
    return *wide(number), number >> 192 & WORD


class SavedPlace(Frozen, array_like=True):
    """words: of its tokens, by seat in a bag, else in order of arrival; none of a black place. Since the window began:

    integral: of its tokens over time. busy: the time with any. arrivals: tokens that firings have deposited.
    """

    tokens: int
    words: Words
    integral: Wide
    busy: int
    maximum: int
    arrivals: int


class SavedTransition(Frozen, array_like=True):
    """Since the window began: the integral of firings in progress, or clocks that run, and the time with any (M2)."""

    integral: Wide
    busy: int
    firings: int
    set: int
    dropped: int


class SavedGift(Frozen, array_like=True):
    """What an output arc of a firing in progress will deposit: a number of equal tokens."""

    place: int
    count: int
    words: Words  # of one of them


class SavedFiring(Frozen, array_like=True):
    """A firing in progress, or tokens of an output with a delay that are on the way (I11).

    end: `petri.ticks.NEVER` if that is beyond the horizon. part: 0 of the firing itself; of tokens on the way the
    number of their arc, from 1. gives: of the firing itself, arc by arc without those that have a delay.
    """

    end: int
    transition: int
    part: int
    gives: tuple[SavedGift, ...]


class SavedSharedClock(Frozen, array_like=True):
    """The part of a transition in the common clock (C4). rate: per tick."""

    running: Wide
    rate: float


class SavedOwnClock(Frozen, array_like=True):
    """The clock of a binding (C1). tokens: for each coloured input arc, which one of `SavedPlace.words`.

    time: to which it was set. runs: whether `until` is the virtual tick at which it has run down, or else what it has
    left. mean: of a memoryless clock, otherwise 0.
    """

    tokens: tuple[int, ...]
    time: float
    until: float
    runs: bool
    mean: float


class SavedOwnClocks(Frozen, array_like=True):
    """The clocks of the bindings of a transition, in the order in which they were set.

    At tick t it is virtual tick `virtual + pace · (t - since)` (C5); 0, 0 and 1 if no clock runs, or none has a speed.
    """

    virtual: float
    since: int
    pace: float
    clocks: tuple[SavedOwnClock, ...]


class SavedHistogram(Frozen, array_like=True):
    """Keep a `petri.measure.histogram.Histogram`: its buckets that have values, ascending."""

    count: int = 0
    origin: float = 0.0
    first_moment: float = 0.0
    second_moment: float = 0.0
    minimum: float = float("inf")
    maximum: float = float("-inf")
    buckets: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    excesses: tuple[float, ...] = ()


class SavedWaiting(Frozen, array_like=True):
    """The start of a passage. shape: a 1, and then a bit for each value of the key, which is 1 if the value is real."""

    shape: int
    key: Words
    start: int


class SavedPassage(Frozen, array_like=True):
    """Keep the starts of `petri.measure.passage.Passages`, the oldest first."""

    times: SavedHistogram
    unmatched: int
    forgotten: int
    waiting: tuple[SavedWaiting, ...]
    open_before: float  # ticks


class SavedAnswers(Frozen, array_like=True):
    """Counts that depend on the first number of a flow: `petri.measure.reorder.ANSWERS`, and by occupancy."""

    counts: tuple[int, ...]
    buffer: tuple[int, ...]


class SavedReceiver(Frozen, array_like=True):
    """What a receiver holds: intervals that are apart, ascending."""

    expected: int
    blocks: tuple[tuple[int, int], ...]


class SavedYoung(Frozen, array_like=True):
    """The first arrivals of a flow, from which its first number is found."""

    arrivals: tuple[int, ...]
    counted_from: int
    answers: SavedAnswers


class SavedFlow(Frozen, array_like=True):
    """Keep a `petri.measure.reorder.Flow`.

    missing: low, high, position, time. stairs: sequence, position, length. index, waiting, early: of its
    displacements; early numbers ascend. fallen: how many, and the last.
    """

    key: Words
    first: int
    least: int
    next: int
    position: int
    run: int
    missing: tuple[tuple[int, int, int, float], ...]
    found: tuple[int, ...]
    fallen: tuple[int, int]
    stairs: tuple[tuple[int, int, int], ...]
    below: int
    index: int | None
    waiting: tuple[int, ...]
    early: tuple[int, ...]
    young: SavedYoung | None
    receiver: SavedReceiver
    buffer: SavedReceiver
    duplicates: int
    hole_counted: bool
    resent: int


class SavedOrder(Frozen, array_like=True):
    """Keep a `petri.measure.reorder.Reordering`; counts: `petri.engine.saved_check.COUNTED`.

    The flow heard last comes last. retired: the keys of retired flows, in order.
    """

    counts: tuple[Wide, ...]
    total_late_time: float
    max_extent: int
    max_late_time: float
    max_overtaken: int
    extent: tuple[int, ...]
    degree: tuple[int, ...]
    displacement: tuple[int, ...]
    answers: SavedAnswers
    flows: tuple[SavedFlow, ...]
    retired: tuple[Words, ...]


class SavedContent(Frozen, array_like=True):
    """The sum over the tokens of a place, its integral and its maximum since the window began; of reals, in parts."""

    sum: Wider
    integral: Wider
    greatest: Wider


class SavedWatched(Frozen, array_like=True):
    """A value of the marking, and since the window began its integral, its extremes, and when it first was not 0."""

    value: Wider
    integral: Wider
    least: Wider | None
    greatest: Wider | None
    first: int | None


class SavedEngine(Frozen, array_like=True):
    """All that happens at instant `now` has happened.

    in_progress: by end, those of equal ends by start, and those of one firing by part.
    shared, own: of the transitions with such clocks, in order. common: the end of the common clock; None if it does not
    run. Between instants it is set for the sum of the rates, and no transition is chosen. rows: of each stream, how
    many have arrived. window: when statistics began (M3). counters to watched: of the net's probes of each kind, in
    order. levels: the time at each number of tokens, as `Session.levels` has it; None if not recorded. settled: whether
    clocks and measures of the marking know all that has happened, as they do when an instant is over. own_random: the
    stream of each transition, if each has one (R5).
    """

    now: int
    firings: int
    hash: int
    random: Stream
    places: tuple[SavedPlace, ...]
    transitions: tuple[SavedTransition, ...]
    in_progress: tuple[SavedFiring, ...]
    shared: tuple[SavedSharedClock, ...]
    common: int | None
    own: tuple[SavedOwnClocks, ...]
    rows: tuple[int, ...]
    window: int
    counters: tuple[float, ...]
    samples: tuple[SavedHistogram, ...]
    passages: tuple[SavedPassage, ...]
    orders: tuple[SavedOrder, ...]
    contents: tuple[SavedContent, ...]
    watched: tuple[SavedWatched, ...]
    levels: tuple[int, ...] | None
    settled: bool
    own_random: tuple[Stream, ...] = ()


def token_of(words: Words, slots: Sequence[Slot]) -> Token:
    return tuple(value_of(word, slot.kind) for word, slot in zip(words, slots, strict=True))


def chunks(words: Words, width: int) -> Iterable[Words]:
    """Return the words of each token."""
    return (words[start : start + width] for start in range(0, len(words), width))
