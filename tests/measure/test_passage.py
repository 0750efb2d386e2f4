from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petri.measure.passage import Passages

EVENTS = st.lists(st.tuples(st.sampled_from(["start", "end"]), st.integers(0, 2)), max_size=60)


@given(EVENTS, st.integers(1, 6))
def test_each_end_takes_the_oldest_start_of_its_key(events: list[tuple[str, int]], limit: int) -> None:
    passages = Passages(limit)
    waiting: list[tuple[int, float]] = []
    times: list[float] = []
    unmatched = forgotten = 0
    for now, (kind, key) in enumerate(events):
        getattr(passages, kind)((key,), float(now * now))
        matching = [start for start in waiting if start[0] == key]
        if kind == "start":
            if len(waiting) == limit:
                forgotten += 1
                del waiting[0]
            waiting.append((key, float(now * now)))
        elif matching:
            times.append(float(now * now) - matching[0][1])
            waiting.remove(matching[0])
        else:
            unmatched += 1
    end = float(len(events) ** 2)
    snapshot = passages.snapshot(end)
    assert snapshot["open"] == sum(end - start for _, start in waiting)
    assert (snapshot["unmatched"], snapshot["waiting"], snapshot["forgotten"]) == (unmatched, len(waiting), forgotten)
    assert (snapshot["count"], passages.times.sum) == (len(times), sum(times))
    assert sum(map(len, passages.by_key.values())) == len(waiting)


def test_a_passage_counts_when_it_ends() -> None:
    passages = Passages()
    passages.start("a", 1.0)
    passages.end("b", 2.0)
    passages.restart(3.0)
    assert passages.open_before == 2.0
    passages.end("a", 4.0)
    assert (passages.times.count, passages.times.mean, passages.unmatched) == (1, 3.0, 0)


def test_the_limit_must_be_positive() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Passages(0)
