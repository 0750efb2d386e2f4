"""The reference engine's probes, told of events by hand; measures of passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petri import net as flat
from petri.engine.probes import Probes
from petri.measure.observation import probe_figure
from petri.measure.passage import Passages
from petri.net import Event, Expr, Net


def variable(index: int, kind: flat.Kind = "int") -> Expr:
    return Expr("var", kind, value=index)


NOW = Expr("now", "real")
END = Expr("end", "real")


def probes(*declared: flat.Probe) -> Probes:
    return Probes(Net("test", probes=declared))


def test_a_counter_sums_over_the_firings_of_its_transition() -> None:
    all_probes = probes(flat.Counter(1), flat.Counter(1, variable(0)), flat.Counter(0))
    for size in (3, 4):
        all_probes.started(1, [size], 0.0, 1.0)
    assert [snapshot["sum"] for snapshot in all_probes.snapshots(9.0)] == [2.0, 7.0, 0.0]
    all_probes.restart(2.0)
    all_probes.started(0, [], 2.0, 2.0)
    assert [snapshot["sum"] for snapshot in all_probes.snapshots(9.0)] == [0.0, 0.0, 1.0]


def test_a_sample_sees_variables_the_marking_now_and_end() -> None:
    tokens = Expr("real", "real", (Expr("tokens", "int", value=5),))
    value = Expr("add", "real", (Expr("sub", "real", (END, NOW)), tokens))
    all_probes = probes(flat.Sample(0, value), flat.Sample(0, variable(0, "real")))
    all_probes.tokens = lambda place: 100 * place
    all_probes.started(0, [0.25], 2.0, 5.0)
    all_probes.started(1, [0.75], 2.0, 5.0)
    assert [probe_figure(snapshot, "sum") for snapshot in all_probes.snapshots(9.0)] == [503.0, 0.25]


def test_a_sample_at_a_place_sees_arriving_tokens_and_the_marking() -> None:
    tokens = Expr("real", "real", (Expr("tokens", "int", value=5),))
    value = Expr("add", "real", (variable(0, "real"), tokens))
    early = Expr("lt", "bool", (NOW, Expr("const", "real", value=3.0)))
    other = flat.Sample(None, variable(0, "real"), place=4)
    all_probes = probes(flat.Sample(None, value, early, (other,), place=2))
    all_probes.tokens = lambda place: 100 * place
    for place, token, now in ((2, 0.25, 2.0), (2, 0.5, 3.0), (4, 7.0, 9.0), (3, 1.0, 1.0)):
        all_probes.arrived(place, (token,), now)
    all_probes.started(2, [0.25], 2.0, 5.0)
    (snapshot,) = all_probes.snapshots(9.0)
    assert (probe_figure(snapshot, "count"), probe_figure(snapshot, "sum")) == (2.0, 507.25)


def test_a_passage_pairs_events_of_equal_key() -> None:
    start, end = Event(transition=0, key=(variable(0),)), Event(place=3, key=(variable(1),))
    all_probes = probes(flat.Passage(start, end))
    all_probes.started(0, [7], 1.0, 9.0)
    all_probes.started(0, [8], 2.0, 9.0)
    all_probes.arrived(3, (0, 8), 5.0)
    all_probes.arrived(2, (0, 7), 6.0)
    all_probes.arrived(3, (0, 9), 6.0)
    snapshot = all_probes.snapshots(9.0)[0]
    assert (probe_figure(snapshot, "count"), probe_figure(snapshot, "mean")) == (1.0, 3.0)
    assert (snapshot["unmatched"], snapshot["waiting"], snapshot["forgotten"]) == (1, 1, 0)


def test_a_passage_from_a_transition_to_itself_is_the_time_between_firings() -> None:
    event = Event(transition=0)
    all_probes = probes(flat.Passage(event, event))
    for now in (1.0, 3.0, 7.0):
        all_probes.started(0, [], now, now)
    assert probe_figure(all_probes.snapshots(9.0)[0], "sum") == 6.0


def test_keys_of_integers_and_reals_are_different() -> None:
    start, end = Event(transition=0, key=(variable(0),)), Event(transition=1, key=(variable(0, "real"),))
    all_probes = probes(flat.Passage(start, end))
    all_probes.started(0, [1], 0.0, 0.0)
    all_probes.started(1, [1.0], 1.0, 1.0)
    assert all_probes.snapshots(9.0)[0]["unmatched"] == 1


def test_an_order_follows_the_sequence_of_each_key() -> None:
    all_probes = probes(
        flat.Order(Event(place=0, key=(variable(0),)), variable(1)), flat.Order(Event(transition=0), variable(0))
    )
    for flow, sequence in ((1, 0), (2, 0), (1, 2), (2, 1), (1, 1)):
        all_probes.arrived(0, (flow, sequence), 1.0)
        all_probes.arrived(1, (flow, sequence), 1.0)
        all_probes.started(0, [sequence], 1.0, 1.0)
        all_probes.started(1, [sequence], 1.0, 1.0)
    place, transition = all_probes.snapshots(9.0)
    names = ("packets", "reordered", "flows", "duplicates")
    assert [place[name] for name in names] == [5, 1, 2, 0]
    assert [transition[name] for name in names] == [5, 1, 1, 2]


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
