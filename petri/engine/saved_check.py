"""Whether a state that somebody has written is one of a net: a file may say anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from petri.engine.checkpoint import (
    WORD,
    SavedEngine,
    SavedFiring,
    SavedGift,
    SavedHistogram,
    SavedOrder,
    SavedOwnClocks,
    SavedPassage,
    Words,
    chunks,
    token_of,
)
from petri.engine.clocks import GREATEST_RATE
from petri.measure.reorder import (
    ANSWERS,
    COUNTERS,
    DEGREE_LIMIT,
    EXTENT_LIMIT,
    FLOWS,
    RETIRED,
    SUMMED,
    WRAPPED,
    YOUNG,
)
from petri.net import (
    MOST_TOKENS,
    Content,
    Counter,
    Net,
    Order,
    OutputArc,
    Passage,
    Place,
    Sample,
    Transition,
    Watched,
    is_shared,
    place_of_clocks,
)
from petri.ticks import HORIZON, NEVER

MOST_FIRINGS = 1 << 48
COUNTED: Final = tuple(name for name in COUNTERS if name not in {"total_late_time", *ANSWERS, *SUMMED})
"""The counts of `Reordering`, in the order in which they are saved."""


def check(net: Net, saved: SavedEngine) -> None:
    """Raise ValueError, which says what is wrong, for a state that is not one of the net."""
    _check_sizes(net, saved)
    _need(0 <= saved.window <= saved.now <= HORIZON, "its time is not one of a run")
    _need(0 <= saved.firings < MOST_FIRINGS, "it has too many firings")
    streams = (saved.random, *saved.own_random)
    _need(_are_words((saved.hash, *chain.from_iterable(streams))), "its random numbers are not words")
    for place, of_place in zip(net.places, saved.places, strict=True):
        _need(0 <= of_place.tokens <= MOST_TOKENS, f"`{place.name}` has too many tokens")
        _check_tokens(place, of_place.words, of_place.tokens)
        _need(min(of_place.busy, of_place.maximum, of_place.arrivals) >= 0, f"the figures of `{place.name}`")
    for transition in saved.transitions:
        _need(
            min(transition.busy, transition.firings, transition.set, transition.dropped) >= 0,
            "the figures of a transition",
        )
    for firing in saved.in_progress:
        _check_firing(net, saved, firing)
    _need(all(a.end <= b.end for a, b in zip(saved.in_progress, saved.in_progress[1:], strict=False)), "firings' order")
    _check_clocks(net, saved)
    _check_probes(net, saved)
    _need(all(0 <= time <= saved.now for time in saved.levels or ()), "the times at numbers of tokens")


def _need(holds: bool, wrong: str) -> None:
    if not holds:
        raise ValueError(wrong)


def _are_words(words: Iterable[int]) -> bool:
    return all(0 <= word <= WORD for word in words)


def _check_sizes(net: Net, saved: SavedEngine) -> None:
    racing = [transition for transition in net.transitions if transition.clock is not None]
    shared = sum(map(is_shared, racing))
    streams = sum(place.stream is not None for place in net.places)
    sizes = (
        (saved.places, len(net.places), "places"),
        (saved.transitions, len(net.transitions), "transitions"),
        (saved.own_random, len(net.transitions) if net.own_streams else 0, "random streams"),
        (saved.shared, shared, "clocks"),
        (saved.own, len(racing) - shared, "clocks"),
        (saved.rows, streams, "streams"),
        *((found, _probes(net, kind), "measures") for found, kind in _by_kind(saved)),
    )
    for found, wanted, what in sizes:
        _need(len(found) == wanted, f"it has {len(found)} {what} of a kind, the net {wanted}")


def _by_kind(saved: SavedEngine) -> tuple[tuple[Sequence[object], type], ...]:
    return (
        (saved.counters, Counter),
        (saved.samples, Sample),
        (saved.passages, Passage),
        (saved.orders, Order),
        (saved.contents, Content),
        (saved.watched, Watched),
    )


def _probes(net: Net, kind: type) -> int:
    return sum(isinstance(probe, kind) for probe in net.probes)


# ---------------------------------------------------------------- tokens and firings


def _check_tokens(place: Place, words: Words, count: int) -> None:
    slots = place.colour.slots
    _need(len(words) == count * len(slots) and _are_words(words), f"the tokens of `{place.name}` are not whole")
    for token in chunks(words, len(slots)) if slots else ():
        for value, slot in zip(token_of(token, slots), slots, strict=True):
            within = (slot.low is None or value >= slot.low) and (slot.high is None or value <= slot.high)
            _need(within and math.isfinite(value), f"a token of `{place.name}` is not of its colour")


def _check_firing(net: Net, saved: SavedEngine, firing: SavedFiring) -> None:
    _need(0 <= firing.transition < len(net.transitions), "a firing in progress is of no transition")
    transition = net.transitions[firing.transition]
    wrong = f"a firing of `{transition.name}` in progress is not one"
    arcs = arcs_of(transition, firing.part)
    _need(arcs is not None and _is_end(saved, firing.end), wrong)
    assert arcs is not None
    _need(len(firing.gives) == len(arcs), wrong)
    for gift, arc in zip(firing.gives, arcs, strict=True):
        _need(gives(arc, gift) and (firing.part == 0 or gift.count > 0), wrong)
        _check_tokens(net.places[gift.place], gift.words, gift.count if arc.each is not None else min(gift.count, 1))


def arcs_of(transition: Transition, part: int) -> list[OutputArc] | None:
    """Return the arcs that the gifts of a saved firing belong to; `part` as in `SavedFiring`.

    None if no firing has such a part: firings of a transition with a clock are immediate, and never in progress.
    """
    if part == 0:
        return [arc for arc in transition.outputs if arc.delay is None] if transition.clock is None else None
    arcs = transition.outputs[part - 1 : part] if part > 0 else ()
    return list(arcs) if arcs and arcs[0].delay is not None else None


def gives(arc: OutputArc, gift: SavedGift) -> bool:
    """Return whether an output arc may give this number of tokens to this place."""
    constant = arc.count is None or arc.count.op == "const"
    number = 1 if arc.count is None else arc.count.value
    right = not constant or gift.count == number or (arc.condition is not None and gift.count == 0)
    return gift.place in arc.places and 0 <= gift.count <= MOST_TOKENS and right


def _is_end(saved: SavedEngine, end: int) -> bool:
    return saved.now < end <= HORIZON or end == NEVER


# ---------------------------------------------------------------- clocks


def _check_clocks(net: Net, saved: SavedEngine) -> None:
    for one in saved.shared:
        _need(_are_words(one.running) and 0.0 <= one.rate <= GREATEST_RATE, "a clock has no rate")
    runs = any(one.rate > 0.0 for one in saved.shared)
    right = _is_end(saved, saved.common) if saved.common is not None else not runs
    _need(right and (runs or saved.common is None), "the end of the common clock is not one")
    own = (one for one in net.transitions if one.clock is not None and not is_shared(one))
    for transition, clocks in zip(own, saved.own, strict=True):
        _check_own(net, saved, transition, clocks)


def _check_own(net: Net, saved: SavedEngine, transition: Transition, clocks: SavedOwnClocks) -> None:
    wrong = f"a clock of `{transition.name}` is not one"
    places = [arc.place for arc in transition.inputs if net.places[arc.place].colour.slots]
    _need(math.isfinite(clocks.virtual) and 0.0 <= clocks.pace < math.inf and 0 <= clocks.since <= saved.now, wrong)
    for clock in clocks.clocks:
        _need(len(clock.tokens) == len(places), wrong)
        tokens = (0 <= n < saved.places[place].tokens for place, n in zip(places, clock.tokens, strict=True))
        _need(all(tokens), wrong)
        _need(all(math.isfinite(time) for time in (clock.time, clock.until, clock.mean)), wrong)
        _need(abs(clock.until) <= 2 * NEVER, wrong)
    bindings = {clock.tokens for clock in clocks.clocks}
    _need(not places or len(bindings) == len(clocks.clocks), wrong)
    place = place_of_clocks(net, transition)
    _need(place is None or len(clocks.clocks) <= saved.places[place].tokens, wrong)


# ---------------------------------------------------------------- measures


def _check_probes(net: Net, saved: SavedEngine) -> None:
    for sample in saved.samples:
        _check_histogram(sample)
    for passage in saved.passages:
        _check_passage(saved, passage)
    orders = (probe for probe in net.probes if isinstance(probe, Order))
    for probe, order in zip(orders, saved.orders, strict=True):
        _check_order(probe, order)
    for content in saved.contents:
        _need(all(map(_are_words, (content.sum, content.integral, content.greatest))), "the content of a place")
    for watched in saved.watched:
        known = (watched.value, watched.integral, watched.least or (), watched.greatest or ())
        _need(all(map(_are_words, known)), "a measure of the marking")
        _need((watched.least is None) == (watched.greatest is None), "a measure of the marking")


def _check_histogram(histogram: SavedHistogram) -> None:
    cells = {len(histogram.buckets), len(histogram.counts), len(histogram.excesses)}
    _need(len(cells) == 1 and min(histogram.counts, default=0) >= 0 <= histogram.count, "a sample has no counts")
    _need(all(abs(number) < 1 << 18 for number in histogram.buckets), "a sample has no such bucket")


def _check_passage(saved: SavedEngine, passage: SavedPassage) -> None:
    _check_histogram(passage.times)
    counts = (passage.unmatched, passage.forgotten, passage.open_before)
    _need(min(counts) >= 0 and passage.open_before < math.inf, "the counts of a passage")
    for one in passage.waiting:
        is_key = one.shape > 0 and len(one.key) == one.shape.bit_length() - 1 and _are_words(one.key)
        _need(is_key and 0 <= one.start <= saved.now, "the start of a passage")


def _check_order(probe: Order, order: SavedOrder) -> None:
    sizes = (
        (order.counts, len(COUNTED)),
        (order.extent, EXTENT_LIMIT + 1),
        (order.degree, DEGREE_LIMIT + 1),
        (order.displacement, 2 * probe.displacement_threshold + 1),
    )
    _need(all(len(found) == wanted for found, wanted in sizes), "the counts of a measure of order")
    _need(len(order.flows) <= FLOWS and all(map(_are_words, order.counts)), "the flows of a measure of order")
    keys = [*order.retired, *(flow.key for flow in order.flows)]
    _need(len(order.retired) <= RETIRED and len({*keys}) == len(keys), "the keys of a measure of order")
    for key in keys:
        _need(len(key) == len(probe.event.key) and _are_words(key), "a key of a measure of order")
    answers = [order.answers, *(flow.young.answers for flow in order.flows if flow.young is not None)]
    for answer in answers:
        right = len(answer.counts) == len(ANSWERS) and len(answer.buffer) == probe.buffer_threshold + 1
        _need(right and _are_words((*answer.counts, *answer.buffer)), "the answers of a measure of order")
    for flow in order.flows:
        wrong = "a flow of a measure of order"
        _need(0 <= flow.fallen[0] <= WRAPPED, wrong)
        climbed = flow.stairs[-1][1] + flow.stairs[-1][2] - 1 if flow.stairs else flow.below
        _need(climbed == flow.position >= 0 and flow.run >= 0, wrong)
        _need(all(stair[0] + stair[2] <= flow.next and stair[2] > 0 for stair in flow.stairs), wrong)
        _need(all(low <= high < flow.next for low, high, _, _ in flow.missing), wrong)
        _need(all(1 <= position <= flow.position for _, _, position, _ in flow.missing), wrong)
        _need(len(flow.waiting) <= probe.displacement_threshold + 1, wrong)
        _need(flow.young is None or 0 <= flow.young.counted_from <= len(flow.young.arrivals) < YOUNG, wrong)
        for receiver in (flow.receiver, flow.buffer):
            held = sum(high - low + 1 for low, high in receiver.blocks)
            _need(all(low <= high for low, high in receiver.blocks) and held >= 0, wrong)
        _need(sum(high - low + 1 for low, high in flow.buffer.blocks) <= probe.buffer_threshold, wrong)
