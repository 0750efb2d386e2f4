"""Packet reordering: RFC 4737, RFC 5236, and the ACKs of a TCP receiver.

One pass, bounded memory. `docs/measures.md` defines every figure; the Rust twin
(`petri/native/engine/src/observe/reorder/mod.rs`) computes the same integers.

A *flow* is a key. Numbers may start anywhere: the first number of a flow is the least of its first 64 arrivals, unless
`first` is given. At most `flows` flows are followed at once. When another starts, the flow that has been silent longest
is retired: its figures stay in the totals, and if its key returns, it is a new flow, which is counted as `forgotten`.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, deque
from collections.abc import Hashable
from enum import Enum
from typing import Final

from petri.structs import Struct, field

WINDOW: Final = 8192  # how far below the highest number seen a missing number is remembered [packets]
FLOWS: Final = 1 << 16  # flows followed at once
RETIRED: Final = 1 << 20  # keys of retired flows that are remembered
DISPLACEMENT_THRESHOLD: Final = 64  # DT of RFC 5236 [packets]
BUFFER_THRESHOLD: Final = 64  # BT of RFC 5236 [packets]
YOUNG: Final = 64  # arrivals within which the first number of a flow may still decrease
EXTENT_LIMIT: Final = 256  # the last entry of the extent distribution includes all greater values
DEGREE_LIMIT: Final = 64  # the same for degrees of n-reordering
FAST_RETRANSMIT: Final = 3  # duplicate ACKs that make a sender retransmit (RFC 5681, 3.2)
LEAST_RANGE: Final = 64  # numbers below this are not examined for wraps
WRAPPED: Final = 8  # successive ascending arrivals, all more than half a range late, that are counted as a wrap
MOST_MODULO: Final = 1 << 32  # the greatest modulus of sequence numbers

ANSWERS: Final[tuple[str, ...]] = (
    "duplicate_acks",
    "retransmit_per_run",
    "retransmit_per_duplicate",
    "retransmit_per_hole",
    "retransmit_missing",
)
"""Counts that depend on the first number of a flow."""

SUMMED: Final[tuple[str, ...]] = (
    "displacement_packets",
    "displaced",
    "total_displacement",
    "buffer_packets",
    "total_buffer",
)
"""Figures computed from the distributions, not counted."""

COUNTERS: Final[tuple[str, ...]] = (
    "packets",
    "received",
    "duplicates",
    "beyond_window",
    "flows",
    "forgotten",
    "wraps",
    "lost",
    "reordered",
    "total_extent",
    "total_late_time",
    "total_overtaken",
    "discontinuities",
    "total_discontinuity",
    "runs",
    "run_packets",
    "run_squares",
    "gaps",
    "total_gap",
    "three_reordered",
    *ANSWERS,
    "retransmit_overtaken",
    *SUMMED,
)
"""Additive figures: the figure of a window is the difference of two snapshots."""

MAXIMA: Final[tuple[str, ...]] = ("max_extent", "max_late_time", "max_overtaken", "max_buffer")
"""Figures since the start of the measurement, which are not differences of snapshots."""

RATIOS: Final[dict[str, tuple[str, str]]] = {
    "reordered_share": ("reordered", "received"),
    "three_reordered_share": ("three_reordered", "received"),
    "retransmit_overtaken_share": ("retransmit_overtaken", "received"),
    "displaced_share": ("displaced", "displacement_packets"),
    "duplicate_ack_share": ("duplicate_acks", "packets"),
    "retransmit_per_run_share": ("retransmit_per_run", "packets"),
    "retransmit_per_duplicate_share": ("retransmit_per_duplicate", "packets"),
    "retransmit_per_hole_share": ("retransmit_per_hole", "packets"),
    "retransmit_missing_share": ("retransmit_missing", "packets"),
    "mean_extent": ("total_extent", "reordered"),
    "mean_late_time": ("total_late_time", "reordered"),
    "mean_overtaken": ("total_overtaken", "reordered"),
    "mean_discontinuity": ("total_discontinuity", "discontinuities"),
    "mean_run": ("run_packets", "runs"),
    "mean_gap": ("total_gap", "gaps"),
    "mean_displacement": ("total_displacement", "displacement_packets"),
    "mean_buffer": ("total_buffer", "buffer_packets"),
}
"""Figures that are the quotient of two counters; nan if the divisor is 0."""

FIELDS: Final[tuple[str, ...]] = COUNTERS + MAXIMA + tuple(RATIOS)
"""Every figure that a measure of the language may name, as in `order.reordered_share`."""

DISTRIBUTIONS: Final[tuple[str, ...]] = ("extent", "degree", "displacement", "buffer")
"""Arrays of counts. `extent[e]`, `degree[n]` and `buffer[b]` count from 0, `displacement[d + DT]` from -DT."""


def ratios(counters: dict[str, float]) -> dict[str, float]:
    """Return the `RATIOS` of a set of counters."""
    return {
        name: counters[above] / counters[below] if counters[below] else math.nan
        for name, (above, below) in RATIOS.items()
    }


class Acceptance(Enum):
    """The reaction of a cumulative receiver to a packet."""

    OLD = 0  # the receiver already had it, or had given it up
    HELD = 1  # held until an earlier one arrives
    ADVANCED = 2  # the next expected number advanced


class Receiver:
    """A receiver that delivers in order and holds early packets (the algorithm of RFC 5236, section 5).

    When more than `threshold` packets would be held, the expected one is given up as lost.
    """

    def __init__(self, expected: int, threshold: int) -> None:
        self.expected = expected
        self.threshold = threshold
        self.held = 0
        self.blocks: deque[list[int]] = deque()  # held numbers as disjoint intervals [low, high], ascending

    def accept(self, sequence: int) -> Acceptance:
        if sequence == self.expected:
            self.expected += 1
            self.release()
            return Acceptance.ADVANCED
        if sequence < self.expected or not self.store(sequence):
            return Acceptance.OLD
        if self.held <= self.threshold:
            return Acceptance.HELD
        self.expected = self.blocks[0][0]
        self.release()
        return Acceptance.ADVANCED

    def missing_from(self, number: int) -> int:
        """Return the number of missing packets from `number` up to the greatest one held."""
        start = max(number, self.expected)
        missing = self.blocks[-1][1] + 1 - start if self.blocks else 0
        for low, high in reversed(self.blocks):
            if high < start:
                break
            missing -= high + 1 - max(low, start)
        return max(missing, 0)

    def release(self) -> None:
        """Deliver the held packets from the expected number on."""
        if self.blocks and self.blocks[0][0] == self.expected:
            low, high = self.blocks.popleft()
            self.held -= high - low + 1
            self.expected = high + 1

    def store(self, sequence: int) -> bool:
        """Hold a packet; False if it is already held."""
        above = len(self.blocks)  # the first block above the packet
        while above and self.blocks[above - 1][0] > sequence:
            above -= 1
        if above and self.blocks[above - 1][1] >= sequence:
            return False
        self.held += 1
        touches_below = above > 0 and self.blocks[above - 1][1] + 1 == sequence
        touches_above = above < len(self.blocks) and self.blocks[above][0] - 1 == sequence
        if touches_below and touches_above:
            self.blocks[above - 1][1] = self.blocks[above][1]
            del self.blocks[above]
        elif touches_below:
            self.blocks[above - 1][1] = sequence
        elif touches_above:
            self.blocks[above][0] = sequence
        else:
            self.blocks.insert(above, [sequence, sequence])
        return True


class Answers(Struct):
    """Counts that depend on the first number of a flow."""

    count: Counter[str] = field(default_factory=Counter)  # by the names of `ANSWERS`
    buffer: list[int] = field(default_factory=list)  # packets by occupancy of the reorder buffer (RBD)

    def add(self, other: Answers) -> None:
        self.count.update(other.count)
        self.buffer = [a + b for a, b in zip(self.buffer, other.buffer, strict=True)]


class Acknowledger:
    """The cumulative ACKs of a TCP receiver, and the occupancy of a bounded reorder buffer."""

    def __init__(self, first: int, window: int, buffer_threshold: int) -> None:
        self.receiver = Receiver(first, window)
        self.buffer = Receiver(first, buffer_threshold)
        self.run = 0  # duplicate ACKs since the last new one
        self.hole_counted = False  # whether the expected number has been counted as a hole
        self.resent = first  # all numbers below, if still missing, have been counted as resent

    def accept(self, sequence: int, answers: Answers) -> None:
        if self.buffer.accept(sequence) is not Acceptance.OLD:
            answers.buffer[self.buffer.held] += 1
        if self.receiver.accept(sequence) is Acceptance.ADVANCED:
            self.run = 0
            self.hole_counted = False
        else:
            self.run += 1
            answers.count["duplicate_acks"] += 1
            answers.count["retransmit_per_run"] += self.run == FAST_RETRANSMIT
            answers.count["retransmit_per_duplicate"] += self.run >= FAST_RETRANSMIT
            if self.run >= FAST_RETRANSMIT and self.receiver.blocks:
                answers.count["retransmit_missing"] += self.receiver.missing_from(self.resent)
                self.resent = self.receiver.blocks[-1][1]
        if self.receiver.held >= FAST_RETRANSMIT and not self.hole_counted:
            self.hole_counted = True
            answers.count["retransmit_per_hole"] += 1


class Displacements:
    """Reorder density: the displacement of each packet from its receive index (RFC 5236, section 4).

    The last DT + 1 arrivals are in `waiting`. A receive index that is neither there nor among the early packets
    belongs to a lost packet, and is skipped.
    """

    def __init__(self, threshold: int) -> None:
        self.threshold = threshold
        self.index: int | None = None  # the receive index, once the first packet is assessed
        self.waiting: deque[int] = deque()
        self.early: list[int] = []

    def accept(self, sequence: int, density: list[int]) -> None:
        """Process the next arrival, which is not a duplicate; `density[d + DT]` counts packets of displacement d."""
        if len(self.waiting) > self.threshold:
            self.assess(density)
        if self.index is None or sequence >= self.index:
            self.waiting.append(sequence)

    def assess(self, density: list[int]) -> None:
        """Compute the displacement of the packet that has waited longest."""
        index = self.present_index()
        sequence = self.waiting.popleft()
        displacement = index - sequence
        if abs(displacement) > self.threshold:
            self.index = index
            return
        density[displacement + self.threshold] += 1
        if index in self.early:
            self.early.remove(index)
        if displacement < 0:
            self.early.append(sequence)
        self.index = index + 1

    def present_index(self) -> int:
        """Return the next receive index, skipping those of lost packets."""
        if self.index is not None and (self.waiting[0] == self.index or self.index in self.early):
            return self.index
        present = [*self.waiting, *self.early]
        return min(present if self.index is None else [number for number in present if number >= self.index])

    def drain(self, density: list[int]) -> None:
        """Assess the waiting packets as if no more came."""
        while self.waiting:
            self.assess(density)

    def copy(self) -> Displacements:
        """Return a copy of the state."""
        twin = Displacements(self.threshold)
        twin.index, twin.waiting, twin.early = self.index, self.waiting.copy(), self.early.copy()
        return twin


class Missing(Struct):
    """Numbers `low` to `high` that were passed over by the arrival at `position` (counted from 1) and `time`."""

    low: int
    high: int
    position: int
    time: float


class Stair(Struct):
    """A run of packets with successive numbers and positions, starting from these."""

    sequence: int
    position: int
    length: int


class Flow:
    """The memory of one flow."""

    def __init__(self, sequence: int, time: float, first: int | None, total: Reordering) -> None:
        self.first = sequence if first is None else first
        self.least = min(self.first, sequence)
        self.next = sequence  # one more than the highest number seen (NextExp of RFC 4737)
        self.position = 0  # packets seen, without duplicates
        self.run = 0  # packets in order since the last reordered one
        self.missing: deque[Missing] = deque([Missing(sequence - total.window, sequence - 1, 1, time)])
        self.found: list[int] = []  # positions of the reordering discontinuities met so far, ascending
        self.fallen = 0  # successive ascending arrivals that came more than half a range late
        self.fallen_to = 0  # the last of them
        self.stairs: deque[Stair] = deque()  # each packet that no smaller one has followed yet
        self.below = 0  # position of the last stair that was forgotten
        self.displacements = Displacements(total.displacement_threshold)
        self.young: list[int] | None = []  # the first arrivals
        self.counted_from = 0  # how many of `young` arrived before the figures were last set to zero
        self.answers = total.no_answers()  # to the young flow; the totals' own later
        self.acknowledger = total.acknowledger(self.first)

    def climb(self, sequence: int, floor: int) -> int:
        """Record an arrival; returns how many packets directly before it have greater numbers (its degree)."""
        while self.stairs and self.stairs[-1].sequence > sequence:
            self.stairs.pop()
        last = self.below
        if self.stairs:
            top = self.stairs[-1]
            last = top.position + top.length - 1
            if last + 1 == self.position and top.sequence + top.length == sequence:
                top.length += 1
                return 0
        self.stairs.append(Stair(sequence, self.position, 1))
        while self.stairs[0].sequence + self.stairs[0].length <= floor:
            stair = self.stairs.popleft()
            self.below = stair.position + stair.length - 1
        return self.position - last - 1

    def find(self, sequence: int) -> tuple[int, int] | None:
        """Return the index of the interval of a missing number, and how many greater numbers are missing too."""
        above = 0
        for index in range(len(self.missing) - 1, -1, -1):
            interval = self.missing[index]
            if interval.low <= sequence:
                return (index, above + interval.high - sequence) if sequence <= interval.high else None
            above += interval.high - interval.low + 1
        return None

    def fill(self, index: int, sequence: int) -> None:
        """Remove a number from its interval."""
        interval = self.missing[index]
        del self.missing[index]
        if sequence < interval.high:
            self.missing.insert(index, Missing(sequence + 1, interval.high, interval.position, interval.time))
        if interval.low < sequence:
            self.missing.insert(index, Missing(interval.low, sequence - 1, interval.position, interval.time))

    def gap(self, position: int) -> int | None:
        """Record a reordering discontinuity; by how much all gaps together grow, None if there is no new gap.

        One that is met between two others divides their gap into two.
        """
        below = len(self.found)
        while below and self.found[below - 1] > position:
            below -= 1
        if below and self.found[below - 1] == position:
            return None
        grown = max(0, self.found[0] - position, position - self.found[-1]) if self.found else None
        self.found.insert(below, position)
        oldest = self.missing[0].position if self.missing else self.position
        while len(self.found) > 1 and self.found[1] <= oldest:
            del self.found[0]
        return grown

    def unwrapped(self, sequence: int, modulo: int) -> int:
        """Return the number nearest to the highest one that equals `sequence` modulo `modulo` (RFC 1982, section 3.2).

        Of two numbers that are equally near, the lower one.
        """
        half = modulo // 2
        highest = self.next - 1
        return highest + (sequence - highest + half) % modulo - half

    def wraps(self, sequence: int) -> bool:
        """Return whether the numbers seem to have restarted: the last arrivals ascend, all far below the highest
        number.

        The range of a flow is the least power of two above its highest number.
        """
        late = self.next > LEAST_RANGE and self.next - sequence > 1 << ((self.next - 1).bit_length() - 1)
        known = self.fallen
        if not late:
            self.fallen, sequence = 0, 0
        elif known < WRAPPED:
            self.fallen = known + 1 if known and sequence > self.fallen_to else 1
        self.fallen_to = sequence
        return known < self.fallen == WRAPPED


class Reordering:
    """The figures of all flows together. `figures()` returns `FIELDS`, `distributions()` returns `DISTRIBUTIONS`.

    `first` is the number that every flow starts with (None: determined for each); `modulo` that at which numbers wrap
    around (None: they do not); `window` limits the memory of missing numbers and of packets held for them; the
    thresholds are DT and BT of RFC 5236.
    """

    def __init__(
        self,
        *,
        first: int | None = None,
        modulo: int | None = None,
        window: int = WINDOW,
        flows: int = FLOWS,
        retired: int = RETIRED,
        displacement_threshold: int = DISPLACEMENT_THRESHOLD,
        buffer_threshold: int = BUFFER_THRESHOLD,
    ) -> None:
        if min(window, flows, displacement_threshold, buffer_threshold) < 1:
            raise ValueError("window, flows and thresholds must be at least 1")
        self.first = first
        self.modulo = modulo
        self.window = window
        self.flow_limit = flows
        self.displacement_threshold = displacement_threshold
        self.buffer_threshold = buffer_threshold
        self.flows: OrderedDict[Hashable, Flow] = OrderedDict()  # in order of their last packets
        self.retired: set[Hashable] = set()
        self.retired_limit = retired
        self.restart()

    def restart(self) -> None:
        """Set all figures to zero (the warm-up is over). The memory of the flows is kept."""
        self.count = dict.fromkeys(COUNTERS, 0)
        self.total_late_time = 0.0
        self.max_extent = 0
        self.max_late_time = 0.0
        self.max_overtaken = 0
        self.extent = [0] * (EXTENT_LIMIT + 1)
        self.degree = [0] * (DEGREE_LIMIT + 1)
        self.displacement = [0] * (2 * self.displacement_threshold + 1)
        self.answers = self.no_answers()
        for flow in self.flows.values():
            flow.answers = self.answers if flow.young is None else self.no_answers()
            flow.counted_from = len(flow.young or ())

    def no_answers(self) -> Answers:
        return Answers(buffer=[0] * (self.buffer_threshold + 1))

    def acknowledger(self, first: int) -> Acknowledger:
        return Acknowledger(first, self.window, self.buffer_threshold)

    # ------------------------------------------------------------ arrivals

    def arrive(self, key: Hashable, sequence: int, time: float = 0.0) -> None:
        """Take packet `sequence` of flow `key`, which arrives at `time` (any unit)."""
        self.count["packets"] += 1
        flow = self.flow(key, sequence, time)
        if self.modulo is not None:
            sequence = flow.unwrapped(sequence, self.modulo)
        if flow.wraps(sequence):
            self.count["wraps"] += 1
        if sequence < flow.next - self.window:
            self.count["beyond_window"] += 1
            return
        if sequence >= flow.next:
            self.in_order(flow, sequence, time)
        elif (found := flow.find(sequence)) is not None:
            self.reordered(flow, sequence, time, *found)
        else:
            self.count["duplicates"] += 1
            self.acknowledge(flow, sequence)
            return
        self.count["received"] += 1
        flow.displacements.accept(sequence, self.displacement)
        self.acknowledge(flow, sequence)

    def flow(self, key: Hashable, sequence: int, time: float) -> Flow:
        """Return the flow of a key, which becomes the most recent one."""
        flow = self.flows.get(key)
        if flow is not None:
            self.flows.move_to_end(key)
            return flow
        if len(self.flows) >= self.flow_limit:
            self.retire()
        if key in self.retired:
            self.retired.remove(key)
            self.count["forgotten"] += 1
        self.count["flows"] += 1
        flow = self.flows[key] = Flow(sequence, time, self.first, self)
        self.count["lost"] += sequence - flow.least
        return flow

    def in_order(self, flow: Flow, sequence: int, time: float) -> None:
        """Type-P-Reordered is false (RFC 4737, section 3): the number is as high as expected, or higher."""
        flow.position += 1
        flow.run += 1
        self.count["run_packets"] += 1
        floor = sequence + 1 - self.window
        if sequence > flow.next:
            self.count["discontinuities"] += 1
            self.count["total_discontinuity"] += sequence - flow.next
            self.count["lost"] += sequence - flow.next
            flow.missing.append(Missing(flow.next, sequence - 1, flow.position, time))
            while flow.missing and flow.missing[0].high < floor:
                flow.missing.popleft()
        flow.next = sequence + 1
        self.degree[flow.climb(sequence, floor)] += 1

    def reordered(self, flow: Flow, sequence: int, time: float, index: int, missing_above: int) -> None:
        """Type-P-Reordered is true: the packet fills a gap that a later packet has left."""
        flow.position += 1
        interval = flow.missing[index]
        extent = flow.position - interval.position
        overtaken = flow.next - 1 - sequence - missing_above
        self.late(extent, time - interval.time, overtaken)
        flow.fill(index, sequence)
        if (gap := flow.gap(interval.position)) is not None:
            self.count["gaps"] += 1
            self.count["total_gap"] += gap
        degree = flow.climb(sequence, flow.next - self.window)
        self.degree[min(degree, DEGREE_LIMIT)] += 1
        self.count["three_reordered"] += degree >= FAST_RETRANSMIT
        self.count["runs"] += 1
        self.count["run_squares"] += flow.run**2
        flow.run = 0
        if sequence < flow.least:
            self.count["lost"] += flow.least - sequence - 1
            flow.least = sequence
        else:
            self.count["lost"] -= 1

    def late(self, extent: int, late_time: float, overtaken: int) -> None:
        """Add up the lateness of a reordered packet (RFC 4737, sections 4.2, 4.3 and, in packets, 4.4)."""
        self.count["reordered"] += 1
        self.count["total_extent"] += extent
        self.count["total_overtaken"] += overtaken
        self.count["retransmit_overtaken"] += overtaken >= FAST_RETRANSMIT
        self.total_late_time += late_time
        self.extent[min(extent, EXTENT_LIMIT)] += 1
        self.max_extent = max(self.max_extent, extent)
        self.max_late_time = max(self.max_late_time, late_time)
        self.max_overtaken = max(self.max_overtaken, overtaken)

    def acknowledge(self, flow: Flow, sequence: int) -> None:
        """Pass a packet to the flow's receiver, which starts again if the first number of a young flow decreases."""
        if flow.young is None:
            flow.acknowledger.accept(sequence, flow.answers)
            return
        flow.young.append(sequence)
        if self.first is None and sequence < flow.first:
            flow.first = sequence
            flow.acknowledger = self.acknowledger(sequence)
            flow.answers = self.no_answers()
            for index, earlier in enumerate(flow.young):
                flow.acknowledger.accept(earlier, flow.answers if index >= flow.counted_from else self.no_answers())
        else:
            flow.acknowledger.accept(sequence, flow.answers)
        if len(flow.young) == YOUNG:
            self.answers.add(flow.answers)
            flow.answers = self.answers
            flow.young = None

    def retire(self) -> None:
        """Forget the flow that has been silent longest, or count it as forgotten if its return would not be noticed."""
        key, flow = self.flows.popitem(last=False)
        if len(self.retired) < self.retired_limit:
            self.retired.add(key)
        else:
            self.count["forgotten"] += 1
        flow.displacements.drain(self.displacement)
        if flow.young is not None:
            self.answers.add(flow.answers)

    # ------------------------------------------------------------ results

    def distributions(self) -> dict[str, list[int]]:
        """Count of packets, including those not yet assessed as if no more came."""
        displacement = list(self.displacement)
        for flow in self.flows.values():
            flow.displacements.copy().drain(displacement)
        return {
            "extent": list(self.extent),
            "degree": list(self.degree),
            "displacement": displacement,
            "buffer": self.all_answers().buffer,
        }

    def all_answers(self) -> Answers:
        """Return the answers to all flows, including young ones."""
        answers = self.no_answers()
        answers.add(self.answers)
        for flow in self.flows.values():
            if flow.young is not None:
                answers.add(flow.answers)
        return answers

    def figures(self) -> dict[str, float]:
        """Return every figure of `FIELDS`, in order, since the start."""
        answers = self.all_answers()
        density = self.distributions()
        threshold = self.displacement_threshold
        displacement = density["displacement"]
        counters = {name: float(count) for name, count in (self.count | answers.count).items()}
        counters["total_late_time"] = self.total_late_time
        counters["displacement_packets"] = float(sum(displacement))
        counters["displaced"] = float(sum(displacement) - displacement[threshold])
        counters["total_displacement"] = float(sum(abs(i - threshold) * n for i, n in enumerate(displacement)))
        counters["buffer_packets"] = float(sum(answers.buffer))
        counters["total_buffer"] = float(sum(held * n for held, n in enumerate(answers.buffer)))
        maxima = {
            "max_extent": float(self.max_extent),
            "max_late_time": self.max_late_time,
            "max_overtaken": float(self.max_overtaken),
            "max_buffer": float(max((held for held, n in enumerate(answers.buffer) if n), default=0)),
        }
        return {**counters, **maxima, **ratios(counters)}

    def snapshot(self) -> dict[str, float | list[int]]:
        """Figures and distributions together; `petri.measure.formula` computes differences of them."""
        return {**self.figures(), **self.distributions()}
