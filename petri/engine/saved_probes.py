"""Probes of the reference engine write their states (`petri.engine.checkpoint`), and go on from them."""

from __future__ import annotations

from typing import Any, TypeVar

from petri.engine.checkpoint import (
    SavedContent,
    SavedEngine,
    SavedHistogram,
    SavedPassage,
    SavedWaiting,
    SavedWatched,
    narrow,
    wider,
)
from petri.engine.probes import (
    ContentState,
    CounterState,
    OrderState,
    PassageState,
    Probes,
    ProbeState,
    SampleState,
    WatchedState,
)
from petri.engine.saved_order import key_of_words, resume_order, saved_order, words_of_key
from petri.measure.histogram import Histogram
from petri.measure.passage import Passages

Kind = TypeVar("Kind", bound=ProbeState)


def saved_probes(probes: Probes, now: float) -> dict[str, Any]:
    """The fields of `SavedEngine` that are about probes."""
    return {
        "counters": tuple(one.sum for one in _of(probes, CounterState)),
        "samples": tuple(saved_histogram(one.values) for one in _of(probes, SampleState)),
        "passages": tuple(_saved_passage(one.passages) for one in _of(probes, PassageState)),
        "orders": tuple(saved_order(one.order) for one in _of(probes, OrderState)),
        "contents": tuple(_saved_content(one, int(now)) for one in _of(probes, ContentState)),
        "watched": tuple(_saved_watched(one, int(now)) for one in _of(probes, WatchedState)),
    }


def resume_probes(probes: Probes, saved: SavedEngine) -> None:
    for counter, total in zip(_of(probes, CounterState), saved.counters, strict=True):
        counter.sum = total
    for sample, values in zip(_of(probes, SampleState), saved.samples, strict=True):
        sample.values = histogram_of(values)
    for passage, passages in zip(_of(probes, PassageState), saved.passages, strict=True):
        _resume_passage(passage.passages, passages)
    for order, flows in zip(_of(probes, OrderState), saved.orders, strict=True):
        resume_order(order.order, order.kinds, flows)
    for content, of_content in zip(_of(probes, ContentState), saved.contents, strict=True):
        _resume_content(content, of_content, saved.now)
    for watched, of_watched in zip(_of(probes, WatchedState), saved.watched, strict=True):
        _resume_watched(watched, of_watched, saved)


def _of(probes: Probes, kind: type[Kind]) -> list[Kind]:
    return [probe for probe in probes.probes if isinstance(probe, kind)]


# ---------------------------------------------------------------- samples and passages


def saved_histogram(histogram: Histogram) -> SavedHistogram:
    filled = sorted(histogram.buckets.items())
    return SavedHistogram(
        histogram.count,
        histogram.origin,
        histogram.first_moment,
        histogram.second_moment,
        histogram.minimum,
        histogram.maximum,
        tuple(number for number, _ in filled),
        tuple(count for _, (count, _) in filled),
        tuple(excess for _, (_, excess) in filled),
    )


def histogram_of(saved: SavedHistogram) -> Histogram:
    histogram = Histogram()
    histogram.count, histogram.origin = saved.count, saved.origin
    histogram.first_moment, histogram.second_moment = saved.first_moment, saved.second_moment
    histogram.minimum, histogram.maximum = saved.minimum, saved.maximum
    cells = zip(saved.counts, saved.excesses, strict=True)
    histogram.buckets = dict(zip(saved.buckets, cells, strict=True))
    return histogram


def _saved_passage(passages: Passages) -> SavedPassage:
    waiting = (_saved_waiting(key, int(start)) for key, start in passages.waiting.values())
    counts = (passages.unmatched, passages.forgotten)
    return SavedPassage(saved_histogram(passages.times), *counts, tuple(waiting), passages.open_before)


def _saved_waiting(key: Any, start: int) -> SavedWaiting:
    shape = 1
    for part in key:
        shape = shape << 1 | isinstance(part, str)
    return SavedWaiting(shape, words_of_key(key), start)


def _resume_passage(passages: Passages, saved: SavedPassage) -> None:
    for waiting in saved.waiting:
        kinds = f"{waiting.shape:b}"[1:]
        key = key_of_words(waiting.key, ["real" if bit == "1" else "int" for bit in kinds])
        passages.start(key, waiting.start)
    passages.times = histogram_of(saved.times)
    passages.unmatched, passages.forgotten = saved.unmatched, saved.forgotten
    passages.open_before = saved.open_before


# ---------------------------------------------------------------- values in time


def _saved_content(content: ContentState, now: int) -> SavedContent:
    integral, _ = content.level.at(now)
    return SavedContent(wider(content.level.value), wider(integral), wider(content.level.maximum))


def _resume_content(content: ContentState, saved: SavedContent, now: int) -> None:
    level = content.level
    level.value, level.maximum, level.integral = narrow(saved.sum), narrow(saved.greatest), narrow(saved.integral)
    level.since = level.busy_since = now


def _saved_watched(watched: WatchedState, now: int) -> SavedWatched:
    least, greatest = (wider(value) for value in watched.seen) if watched.seen else (None, None)
    return SavedWatched(wider(watched.now), wider(watched.integral_at(now)), least, greatest, watched.first)


def _resume_watched(watched: WatchedState, saved: SavedWatched, engine: SavedEngine) -> None:
    firings = [one.transition for one in engine.in_progress if one.part == 0]
    watched.running = [firings.count(index) for index in watched.firings]
    watched.now, watched.integral, watched.since = narrow(saved.value), narrow(saved.integral), engine.now
    watched.seen = [narrow(value) for value in (saved.least, saved.greatest) if value is not None]
    watched.first, watched.window = saved.first, engine.window
