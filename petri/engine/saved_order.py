"""The figures of reordering write their state (`petri.engine.checkpoint`), and go on from one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Any, Final, cast

from petri.engine.checkpoint import SavedAnswers, SavedFlow, SavedOrder, SavedReceiver, SavedYoung, Words, narrow, wide
from petri.engine.probes import Key
from petri.engine.trajectory import bits, value_of
from petri.measure.reorder import ANSWERS, COUNTERS, SUMMED, Answers, Flow, Missing, Receiver, Reordering, Stair

COUNTED: Final = tuple(name for name in COUNTERS if name not in {"total_late_time", *ANSWERS, *SUMMED})
"""The counts of `Reordering`, in the order in which they are saved."""


def words_of_key(key: Key) -> Words:
    return tuple(bits(float.fromhex(part) if isinstance(part, str) else part) for part in key)


def key_of_words(words: Words, kinds: Sequence[str]) -> Key:
    """As `petri.engine.probes.key_of` makes it."""
    values = (value_of(word, kind) for word, kind in zip(words, kinds, strict=True))
    return tuple(value.hex() if isinstance(value, float) else int(value) for value in values)


def saved_order(order: Reordering) -> SavedOrder:
    return SavedOrder(
        tuple(wide(order.count[name]) for name in COUNTED),
        float(order.total_late_time),
        order.max_extent,
        float(order.max_late_time),
        order.max_overtaken,
        tuple(order.extent),
        tuple(order.degree),
        tuple(order.displacement),
        _saved_answers(order.answers),
        tuple(_saved_flow(key, flow) for key, flow in order.flows.items()),
        tuple(sorted(words_of_key(cast(Key, key)) for key in order.retired)),
    )


def resume_order(order: Reordering, kinds: Sequence[str], saved: SavedOrder) -> None:
    """kinds: of the values of a key."""
    order.count |= dict(zip(COUNTED, map(narrow, saved.counts), strict=True))
    order.total_late_time, order.max_late_time = saved.total_late_time, saved.max_late_time
    order.max_extent, order.max_overtaken = saved.max_extent, saved.max_overtaken
    order.extent, order.degree = list(saved.extent), list(saved.degree)
    order.displacement, order.answers = list(saved.displacement), _answers(saved.answers)
    for of_flow in saved.flows:
        order.flows[key_of_words(of_flow.key, kinds)] = _flow(order, of_flow)
    order.retired = {key_of_words(key, kinds) for key in saved.retired}


def _saved_answers(answers: Answers) -> SavedAnswers:
    return SavedAnswers(tuple(answers.count[name] for name in ANSWERS), tuple(answers.buffer))


def _answers(saved: SavedAnswers) -> Answers:
    return Answers(Counter(dict(zip(ANSWERS, saved.counts, strict=True))), list(saved.buffer))


def _saved_flow(key: Any, flow: Flow) -> SavedFlow:
    young = None
    if flow.young is not None:
        young = SavedYoung(tuple(flow.young), flow.counted_from, _saved_answers(flow.answers))
    displacements, acknowledger = flow.displacements, flow.acknowledger
    return SavedFlow(
        words_of_key(key),
        flow.first,
        flow.least,
        flow.next,
        flow.position,
        flow.run,
        tuple((gap.low, gap.high, gap.position, float(gap.time)) for gap in flow.missing),
        tuple(flow.found),
        (flow.fallen, flow.fallen_to),
        tuple((stair.sequence, stair.position, stair.length) for stair in flow.stairs),
        flow.below,
        displacements.index,
        tuple(displacements.waiting),
        tuple(sorted(displacements.early)),
        young,
        _saved_receiver(acknowledger.receiver),
        _saved_receiver(acknowledger.buffer),
        acknowledger.run,
        acknowledger.hole_counted,
        acknowledger.resent,
    )


def _flow(order: Reordering, saved: SavedFlow) -> Flow:
    flow = Flow(saved.first, 0.0, saved.first, order)
    flow.least, flow.next, flow.position, flow.run = saved.least, saved.next, saved.position, saved.run
    flow.missing = deque(Missing(*gap) for gap in saved.missing)
    flow.found, flow.below = list(saved.found), saved.below
    flow.fallen, flow.fallen_to = saved.fallen
    flow.stairs = deque(Stair(*stair) for stair in saved.stairs)
    displacements = flow.displacements
    displacements.index, displacements.waiting = saved.index, deque(saved.waiting)
    displacements.early = list(saved.early)
    flow.young, flow.answers = None, order.answers
    if saved.young is not None:
        flow.young, flow.counted_from = list(saved.young.arrivals), saved.young.counted_from
        flow.answers = _answers(saved.young.answers)
    acknowledger = flow.acknowledger
    _resume_receiver(acknowledger.receiver, saved.receiver)
    _resume_receiver(acknowledger.buffer, saved.buffer)
    acknowledger.run, acknowledger.hole_counted = saved.duplicates, saved.hole_counted
    acknowledger.resent = saved.resent
    return flow


def _saved_receiver(receiver: Receiver) -> SavedReceiver:
    return SavedReceiver(receiver.expected, tuple((low, high) for low, high in receiver.blocks))


def _resume_receiver(receiver: Receiver, saved: SavedReceiver) -> None:
    receiver.expected = saved.expected
    receiver.blocks = deque([low, high] for low, high in saved.blocks)
    receiver.held = sum(high - low + 1 for low, high in saved.blocks)
