"""Streams on both engines: the same trajectory, whatever is read at a time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri import language
from petri.analysis.structure import invariants
from petri.codec import net_from_dict, net_to_dict
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.net import Net
from petri.result.export import net_hash
from petri.run import session
from petri.traffic import sealed, with_streams
from tests.engines import ENGINES
from tests.traffic.files import conversation, net, pcap, table

pytestmark = pytest.mark.skipif(not available(), reason="recordings are read by the native engine")


def recorded(path: Path, flow: str = "int") -> Net:
    return with_streams(language.loads(net(flow)), {"packets": path})


def outcome(flat: Net, engine: str, block: int, until: float, seed: int) -> tuple[list[object], list[float]]:
    """Return what happened, and the times of the places' statistics."""
    run = session.begin(flat, engine, seed, 0, block=block)
    reasons = [run.advance(flat.tick.ticks(end), 10**9) for end in (until / 3, until)]
    seen = run.observe()
    numbers = [np.asarray(one).tolist() for one in (seen.arrivals, seen.maximum, seen.firings)]
    return [reasons, run.now, run.hash, run.marking(), numbers], [*seen.integral, *seen.nonempty]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_row_comes_once_and_in_order(engine: str, tmp_path: Path) -> None:
    packets = conversation()
    run = session.begin(recorded(table(packets, tmp_path / "a.csv")), engine, 1, 0, trace=True, block=7)
    assert run.advance(math.inf, 10**9) == "dead"
    names = ["arrive", "send"]
    found = run.trace()
    rows = next(
        list(zip(*found.variables(number, rows), strict=True))
        for number, rows in found.by_transition()
        if names[number] == "arrive"
    )
    first = packets[0].nanoseconds
    assert [row[0] for row in rows] == [(packet.nanoseconds - first) / 1000 for packet in packets]
    assert [row[1] for row in rows] == [packet.size for packet in packets]
    assert run.observe().arrivals[0] == len(packets)


@pytest.mark.skipif(not available(), reason="the native engine is not built")
@settings(max_examples=25, deadline=None)
@given(
    gaps=st.lists(st.sampled_from([0, 0, 1, 3, 500, 20_000]), min_size=1, max_size=40),
    block=st.integers(1, 45),
    until=st.sampled_from([0.0, 0.25, 3.0, 30.0, math.inf]),
    seed=st.integers(0, 3),
)
def test_engines_and_block_sizes_agree(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[int], block: int, until: float, seed: int
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    times = np.cumsum(gaps)
    path.write_text("flow,size,time [ns]\n" + "".join(f"{n % 3},{64 + n},{t}\n" for n, t in enumerate(times)))
    flat = recorded(path)
    expected, expected_times = outcome(flat, "reference", 65_536, until, seed)
    for engine in ("native", "reference"):
        happened, measured = outcome(flat, engine, block, until, seed)
        assert happened == expected
        assert measured == expected_times


@pytest.mark.skipif(not available(), reason="the native engine is not built")
def test_rows_that_are_not_of_the_colour_are_refused(tmp_path: Path) -> None:
    """What the native engine assumes of tokens must not be left to the readers."""
    from petri import _native
    from petri.engine.native import compiled

    flat = recorded(table(conversation(3), tmp_path / "a.csv"), "0..4")
    run = _native.Session(compiled(flat).program, (1, 2, 3), (1000, 1000, 1000), False, False)
    assert run.advance(1.0, 10) == "input"
    assert run.wanted == 0
    for block, place in ((b"\0" * 8, 0), (b"\0" * 24, 1), (b"\0" * 24, 99), (b"\0" * 16 + b"\5" + b"\0" * 7, 0)):
        with pytest.raises(ValueError, match="row"):
            run.feed(place, block)
    run.feed(0, b"\0" * 24)
    run.feed(0, b"")
    assert run.advance(math.inf, 10) == "dead"


@pytest.mark.parametrize("engine", ENGINES)
def test_two_streams_wait_for_each_other(engine: str, tmp_path: Path) -> None:
    text = """
    time us
    place a : { time: Time } = stream()
    place b : { time: Time } = stream()
    place at : Time fifo
    transition join: a({time: t}), b({time: u}) -> at(t)  takes max(t - now, 0 us)
    """
    for name, count in (("a", 10), ("b", 7)):
        (tmp_path / f"{name}.csv").write_text("time [us]\n" + "".join(f"{n}\n" for n in range(count)))
    flat = with_streams(language.loads(text), {name: tmp_path / f"{name}.csv" for name in "ab"})
    for block in (1, 2, 100):
        run = session.begin(flat, engine, 1, 0, block=block)
        assert run.advance(math.inf, 10**6) == "dead"
        assert [len(row) for row in run.marking()] == [1, 0, 7]


def test_the_flat_net_as_json_has_the_stream(tmp_path: Path) -> None:
    flat = sealed(recorded(table(conversation(3), tmp_path / "a.csv")))
    stream = flat.places[0].stream
    assert stream is not None
    assert len(stream.digest) == 64
    assert net_from_dict(net_to_dict(flat)) == flat
    elsewhere = recorded(table(conversation(3), tmp_path / "b.csv"))
    assert net_hash(elsewhere) == net_hash(flat)
    assert net_hash(recorded(table(conversation(4), tmp_path / "b.csv"))) != net_hash(flat)


def test_a_place_with_a_stream_is_in_no_invariant() -> None:
    flat = language.loads(
        "place rows : int = stream() place kept : int = 1, 2 place other : int "
        "transition go: rows(n) -> other(n) transition turn: kept(n) -> kept(n)"
    )
    found = invariants(flat)
    assert found is not None
    assert [dict(one.weights) for one in found] == [{1: 1}]


@pytest.mark.skipif(not available(), reason="the native engine is not built")
@pytest.mark.parametrize(
    "name", ["cell.csv", "range.csv", "back.csv", "bytes.csv", "long.csv", "cut.pcap", "empty.parquet"]
)
def test_rows_before_a_wrong_one_come_first(name: str, tmp_path: Path) -> None:
    """A run ends where a row is wrong, whatever the format, the engine, and the rows that are read at a time."""
    packets, path = conversation(60), tmp_path / name
    if name == "cut.pcap":
        path.write_bytes(pcap(packets, nano=True)[:-5])
    elif name == "empty.parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        arrow = pytest.importorskip("pyarrow")
        times = [packet.nanoseconds - packets[0].nanoseconds for packet in packets]
        sizes = [*(packet.size for packet in packets[:-1]), None]
        columns = {"time [ns]": times, "flow": [0] * len(packets), "size": sizes}
        parquet.write_table(arrow.table(columns), path)
    else:
        *lines, _ = table(packets, path).read_bytes().splitlines(keepends=True)
        wrong = {"cell": b"9e18,1,x", "range": b"9e18,9,1", "back": b"0,1,1", "bytes": b"\xff", "long": b"1" * 70_000}
        path.write_bytes(b"".join(lines) + wrong[path.stem] + b"\n")
    flat = recorded(path, "0..4")
    found = set()
    for engine in ("native", "reference"):
        for block in (1, 7, 65_536):
            run = session.begin(flat, engine, 1, 0, block=block)
            with pytest.raises(LanguageError) as error:
                run.advance(math.inf, 10**9)
            found.add((error.value.diagnostics[0].message, run.now, run.hash, run.observe().arrivals[0]))
    assert len(found) == 1
    assert found.pop()[-1] == len(packets) - 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fault_of_a_measure_at_a_row(engine: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("value\n1\n0\n")
    text = (
        "place rows : int = stream() place server = token place done : int "
        "transition serve: rows(n), server -> server, done(n) takes 1 "
        "measure m = time(rows(n) -> done(k), by 6 div n -> k)"
    )
    flat = with_streams(language.loads(text), {"rows": tmp_path / "rows.csv"})
    run = session.begin(flat, engine, 1, 0)
    assert run.advance(math.inf, 100) == "error"
    assert run.error is not None
    assert (run.error.id, run.now, run.firings) == ("division-by-zero", 0.0, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_net_without_transitions(engine: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("value\n1\n0\n")
    flat = with_streams(language.loads("place rows : int = stream()"), {"rows": tmp_path / "rows.csv"})
    run = session.begin(flat, engine, 1, 0)
    assert run.advance(math.inf, 100) == "dead"
    assert run.marking() == [[(1,)]]
