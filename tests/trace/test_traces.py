"""Traces are read back by programs that know nothing of the writer, and compared with the run."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import petri
from petri import library
from petri.engine.firings import TracedFiring
from petri.model import Model
from petri.result import Result
from petri.trace import TIMELINES, timeline, writer_of
from petri.trace.timeline import short_names
from petri.trace.waves import identifier_codes, timescale
from petri.traffic import recordings
from tests.report.test_why import loaded
from tests.traffic.files import net as recorded_net

ENGINE = """
## Two engines of two threads share a memory; `free` is held over several firings.
net chip
time ns

type Context = { engine: 0..1, thread: 0..1 }
type Job = { at: Context, left: int }
type Kind = red | green

place free : Context = {engine: i, thread: k} for i in 0..1 for k in 0..1
place alu[0..1] = token
place ready : Job
place asked : Job fifo
place memory = 2 * token
place credit = 6 * token
place source : int = 0
place paint : Kind = red
place seen[0..1]

transition begin: source(n), free(c) -> source(n + 1), ready({at: c, left: 2})  takes exp(40 ns)
transition work[e in 0..1]: ready(j), alu[e] -> alu[e], asked(j)  takes 10 ns  when j.at.engine == e and j.left > 0
transition fetch: asked(j), memory -> memory, ready({at: j.at, left: j.left - 1})  takes exp(25 ns)
transition done: ready(j), 2 * credit -> free(j.at), seen[j.at.engine], 2 * credit  when j.left == 0
transition repaint: paint(k) -> paint(if k == red then green else red)  takes 30 ns
run until 20 us
"""


@pytest.fixture(scope="module")
def model() -> Model:
    return petri.loads(ENGINE)


Traced = tuple[Result, list[TracedFiring], bytes]


def traced(model: Model, suffix: str, **options: Any) -> Traced:
    """Return a run, its firings, and the file that was written of them in small pieces."""
    file = io.BytesIO()
    options = {"replications": 1, **options}
    plan, _ = model.plan(**options)
    firings: list[TracedFiring] = []
    result = model.run(**options, threads=1, trace=lambda index, found: firings.extend(found))
    writer = writer_of(f"trace{suffix}", model.net, file, plan.until)
    for start in range(0, len(firings), 7):
        writer(0, firings[start : start + 7])
    writer.close()
    return result, firings, file.getvalue()


# ---------------------------------------------------------------- waves

VARIABLE = re.compile(r"\$var (integer|event) (\d+) (\S+) (\S+)( \[31:0\])? \$end")


def read_waves(text: str) -> tuple[dict[str, str], list[tuple[int, dict[str, int]]], int]:
    """Names with their kinds, the state after each time, and picoseconds per tick; strict about the syntax."""
    header, _, body = text.partition("$enddefinitions $end\n")
    scopes: list[str] = []
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    unit = 0
    for line in header.splitlines():
        if line.startswith("$scope"):
            found = re.fullmatch(r"\$scope module (\S+) \$end", line)
            assert found
            scopes.append(found[1])
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var"):
            found = VARIABLE.fullmatch(line)
            assert found, line
            assert found[3] not in names, "an identifier that is used twice"
            names[found[3]] = ".".join([*scopes, found[4]])
            kinds[names[found[3]]] = found[1]
        elif line.startswith("$timescale"):
            found = re.fullmatch(r"\$timescale (1|10|100) (s|ms|us|ns|ps|fs) \$end", line)
            assert found
            unit = int(found[1]) * {"ps": 1, "ns": 1000, "us": 10**6}[found[2]]
    assert not scopes
    states: list[tuple[int, dict[str, int]]] = []
    state: dict[str, int] = {}
    now = -1
    for line in body.splitlines():
        if line.startswith("#"):
            if now >= 0:
                states.append((now, dict(state)))
            assert int(line[1:]) > now, "time that does not advance"
            now = int(line[1:])
        elif line.startswith("b"):
            value, code = line[1:].split(" ")
            assert kinds[names[code]] == "integer"
            state[names[code]] = int(value, 2)
        elif line not in ("$dumpvars", "$end"):
            assert line[0] == "1"
            assert kinds[names[line[1:]]] == "event"
            state[names[line[1:]]] = state.get(names[line[1:]], 0) + 1
    states.append((now, dict(state)))
    return kinds, states, unit


def test_waves_have_the_tokens_and_firings_of_the_run(model: Model) -> None:
    result, firings, data = traced(model, ".vcd")
    kinds, states, unit = read_waves(data.decode())
    assert unit == 1
    assert kinds["chip.transitions.done"] == "event"
    assert kinds["chip.places.alu[1]"] == "integer"
    window = result.replications[0].window
    lengths = [later - earlier for (earlier, _), (later, _) in pairwise(states)]
    assert states[-1][0] == 20_000_000
    for index, place in enumerate(model.net.places):
        name = f"chip.places.{place.name}"
        integral = sum(state[name] * length for (_, state), length in zip(states, lengths, strict=False)) / 1000.0
        assert integral == pytest.approx(window.integral[index], rel=1e-4, abs=0.1), name
        assert states[-1][1][name] == len(result.replications[0].marking[index])
    for index, transition in enumerate(model.net.transitions):
        name = f"chip.transitions.{transition.name}"
        if kinds[name] == "integer":
            busy = sum(state[name] * length for (_, state), length in zip(states, lengths, strict=False)) / 1000.0
            assert busy == pytest.approx(window.in_progress[index], rel=1e-4, abs=0.1), name
    assert len(firings) == window.firings.sum()


def test_waves_and_timelines_know_of_outputs_with_a_delay() -> None:
    model = loaded("delays")
    result, _, data = traced(model, ".vcd")
    _, states, _ = read_waves(data.decode())
    marking = result.replications[0].marking
    assert [states[-1][1][f"banks.places.{place.name}"] for place in model.net.places] == list(map(len, marking))
    window = result.replications[0].window
    steps = [(later - now, state) for (now, state), (later, _) in pairwise(states)]
    for index, place in enumerate(model.net.places):
        integral = sum(length * state[f"banks.places.{place.name}"] for length, state in steps) / 1000.0
        assert integral == pytest.approx(window.integral[index], rel=1e-3, abs=0.1)
    _, firings, data = traced(model, ".trace.json")
    uses = [one for one in json.loads(data)["traceEvents"] if one.get("name") == "in use" and one["ph"] == "B"]
    assert len(uses) >= sum(model.net.transitions[one.transition].name == "activate" for one in firings)


def test_waves_are_understood_by_pyvcd(model: Model) -> None:
    reader = pytest.importorskip("vcd.reader")
    _, _, data = traced(model, ".vcd")
    tokens = list(reader.tokenize(io.BytesIO(data)))
    variables = [token.var for token in tokens if token.kind is reader.TokenKind.VAR]
    assert len(variables) == len(model.net.places) + len(model.net.transitions)
    assert {variable.reference for variable in variables} >= {"free", "memory"}


def test_each_variable_of_waves_has_its_own_code() -> None:
    codes = identifier_codes()
    found = [next(codes) for _ in range(20_000)]
    assert len(set(found)) == len(found)
    assert all("!" <= character <= "~" for code in found for character in code)


def test_the_timescale_is_a_thousandth_of_the_unit(model: Model) -> None:
    for net, expected in ((model.net, -12), (petri.loads("net n\nplace p = token").net, -9)):
        exponent, ticks = timescale(net)
        assert exponent == expected
        assert ticks == pytest.approx(1000.0)


def test_what_ends_after_the_run_is_left_in_progress() -> None:
    model = petri.loads("net n\nplace p = token\nplace q\ntransition t: p -> q takes 10\nrun until 5")
    _, states, _ = read_waves(traced(model, ".vcd")[2].decode())
    assert states[-1][1] == {"n.places.p": 0, "n.places.q": 0, "n.transitions.t": 1}


@pytest.mark.parametrize("block", [1, 2, 65_536])
def test_waves_show_that_the_last_row_of_a_stream_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(recordings, "BLOCK", block)
    (tmp_path / "rows.csv").write_text("time [us],size,flow\n0,100,0\n1,100,0\n5,100,0\n")
    model = petri.loads(recorded_net()).with_streams({"packets": tmp_path / "rows.csv"})
    _, states, _ = read_waves(traced(model, ".vcd")[2].decode())
    shown = [(tick, state["recorded.places.packets"]) for tick, state in states]
    assert [tokens for tick, tokens in shown if tick < 1000] == [1, 1]
    assert {tokens for tick, tokens in shown if tick >= 1000} == {0}, "the third row was taken at 1 us"


# ---------------------------------------------------------------- the timeline


def read_timeline(data: bytes) -> list[dict[str, Any]]:
    """Return the events, which obey the rules of the Trace Event Format: slices of a track nest, time never falls."""
    document = json.loads(data, parse_float=Decimal)  # a day in nanoseconds, and more, keeps all digits
    assert document["displayTimeUnit"] in ("ns", "ms")
    events: list[dict[str, Any]] = document["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    stacks: dict[tuple[int, int], list[float]] = defaultdict(list)
    now = 0.0
    for event in events:
        assert event["ph"] in ("M", "X", "B", "E", "C", "i")
        if event["ph"] == "M":
            continue
        assert nanoseconds(event["ts"]) >= now, "events in order of time"
        now = nanoseconds(event["ts"])
        if event["ph"] == "C":
            assert event["args"]["tokens"] >= 0
            continue
        track = (event["pid"], event["tid"])
        assert track in named
        stack = stacks[track]
        while stack and stack[-1] <= now:
            stack.pop()
        match event["ph"]:
            case "X":
                end = now + nanoseconds(event["dur"])
                assert all(end <= outer for outer in stack), "a slice that does not fit in the one around it"
                stack.append(end)
            case "B":
                assert len(stack) < 2
                assert stack or event["name"] == "in use"
                stack.append(float("inf"))
            case "E":
                assert stack[-1:] == [float("inf")], "an end without its begin, or with a slice still open"
                stack.pop()
    return events


def nanoseconds(micro: Decimal | int) -> int:
    """Return what a viewer makes of it: whole ones."""
    assert micro * 1000 == int(micro * 1000)
    return int(micro * 1000)


def names_of(events: list[dict[str, Any]], kind: str) -> dict[tuple[int, int], str]:
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == kind}


def test_the_timeline_has_a_track_for_each_token_of_a_resource(model: Model) -> None:
    _, _, data = traced(model, ".json")
    events = read_timeline(data)
    processes = {process: name for (process, _), name in names_of(events, "process_name").items()}
    tracks: dict[str, set[str]] = defaultdict(set)
    for (process, _), name in names_of(events, "thread_name").items():
        tracks[processes[process]].add(name)
    assert tracks["free"] == {f"free engine {i}, thread {k}" for i in (0, 1) for k in (0, 1)}
    assert tracks["alu[0]"] == {"alu[0]"}
    assert tracks["memory"] == {"memory 1", "memory 2"}
    assert tracks["source"] == {"source"}, "a number that changes is not a name"
    assert "credit" not in tracks, "taken two at a time, it is a counter"
    assert any(e["ph"] == "C" and e["name"] == "credit" for e in events)


def test_what_tracks_show_is_what_the_firings_were(model: Model) -> None:
    """A thread's track has its begin, its work and its fetches within the slice of its use, and nothing of others."""
    result, firings, data = traced(model, ".json")
    events = read_timeline(data)
    names = names_of(events, "thread_name")
    free = next(p for (p, _), name in names_of(events, "process_name").items() if name == "free")
    for engine, thread in ((0, 0), (1, 1)):
        wanted = f"free engine {engine}, thread {thread}"
        track = next(key for key, name in names.items() if key[0] == free and name == wanted)
        begun = [e for e in events if (e["pid"], e.get("tid")) == track and e["ph"] == "B"]
        carried = Counter(
            model.net.transitions[f.transition].name.partition("[")[0]
            for f in firings
            if f.end > f.start and tuple(binding(model, f, "engine", "thread")) == (engine, thread)
        )
        shown = Counter(e["name"].partition("[")[0] for e in begun)
        assert shown.pop("in use") == pytest.approx(shown["begin"], abs=1)
        assert shown == carried
        assert carried["fetch"] > 10
    memory = next(p for (p, _), name in names_of(events, "process_name").items() if name == "memory")
    busy = float(sum(e["dur"] for e in events if e["ph"] == "X" and e["pid"] == memory)) * 1000.0
    index = next(i for i, t in enumerate(model.net.transitions) if t.name == "fetch")
    assert busy == pytest.approx(result.replications[0].window.in_progress[index], rel=0.01)


def binding(model: Model, firing: TracedFiring, *slots: str) -> list[Any]:
    variables = model.net.transitions[firing.transition].variables
    ends = {v.name.rpartition(".")[2]: value for v, value in zip(variables, firing.variables, strict=True)}
    return [ends.get(slot) for slot in slots]


def test_labels_are_words_in_the_timeline(model: Model) -> None:
    events = read_timeline(traced(model, ".json")[2])
    assert {e["args"]["k"] for e in events if e.get("name") == "repaint"} == {"red", "green"}


def test_the_timeline_ends_where_it_is_full(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_EVENTS", 400)
    file = io.BytesIO()
    writer = writer_of("t.json", model.net, file)
    model.run(threads=1, trace=writer)
    writer.close()
    assert len(read_timeline(file.getvalue())) < 420
    assert writer.full_at is not None
    assert 0.0 < writer.full_at < 20_000


@pytest.mark.slow
def test_every_net_of_the_library_has_a_timeline_that_nests() -> None:
    for name in library.net_names():
        _, _, data = traced(petri.load(name), ".json", until="inf", warmup=0.0, max_firings=400)
        assert len(read_timeline(data)) > 20, name


def test_short_names_tell_transitions_apart() -> None:
    names = ["a.send", "b.send", "recv", "x.y.go", "z.y.go"]
    assert short_names(names) == names
    assert short_names(["chip.a.run", "chip.b.stop"]) == ["run", "stop"]


# ---------------------------------------------------------------- tables


def test_csv_has_a_line_for_each_firing(model: Model) -> None:
    _, firings, data = traced(model, ".csv")
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert len(rows) == len(firings)
    assert [float(row["start"]) for row in rows] == [model.net.tick.time(firing.start) for firing in firings]
    first = next(row for row in rows if row["transition"] == "repaint")
    assert first["binding"] == "k=red"


def test_parquet_has_a_column_for_each_variable(model: Model, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    _, firings, data = traced(model, ".parquet")
    table = parquet.read_table(pyarrow.BufferReader(data))
    assert table.num_rows == len(firings)
    assert table["end"].to_pylist() == [model.net.tick.time(firing.end) for firing in firings]
    names = [t.name for t in model.net.transitions]
    rows = table.to_pylist()
    for row, firing in zip(rows, firings, strict=True):
        assert row["transition"] == names[firing.transition]
        for variable, value in zip(model.net.transitions[firing.transition].variables, firing.variables, strict=True):
            assert row[variable.name] == (variable.labels[int(value)] if variable.labels else value)
    assert {row["k"] for row in rows} == {"red", "green", None}
    assert table.schema.metadata[b"pnsim.time_unit"] == b"ns"


def test_parquet_is_written_in_groups(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """So memory is bounded however long the trace is."""
    pytest.importorskip("pyarrow")
    from petri.trace import rows

    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(rows, "ROWS", 100)
    _, firings, data = traced(model, ".parquet")
    file = parquet.ParquetFile(pyarrow.BufferReader(data))
    assert file.num_row_groups == -(-len(firings) // 100)


# ---------------------------------------------------------------- the file


@pytest.mark.slow
def test_timelines_have_replication_0_alone(model: Model) -> None:
    for suffix in TIMELINES:
        one, two = io.BytesIO(), io.BytesIO()
        for file, count in ((one, 1), (two, 2)):
            writer = writer_of(f"t{suffix}", model.net, file, 20_000.0)
            model.run(threads=1, replications=count, trace=writer)
            writer.close()
        assert one.getvalue() == two.getvalue()


def test_a_suffix_that_is_none_is_refused(model: Model) -> None:
    with pytest.raises(ValueError, match=r"must end in one of \.csv"):
        writer_of("trace.xyz", model.net, io.BytesIO())


def event_log(model: Model) -> bytes:
    """Return the log of two replications, written in small pieces."""
    file = io.BytesIO()
    writer = writer_of("log.xes", model.net, file)

    def write(replication: int, firings: Iterable[TracedFiring]) -> None:
        found = list(firings)
        for start in range(0, len(found), 7):
            writer(replication, found[start : start + 7])

    model.run(threads=1, replications=2, trace=write)
    writer.close()
    return file.getvalue()


def test_an_event_log_has_an_event_for_each_firing(model: Model) -> None:
    """Read by a parser that knows nothing of it: cases, events in the order of their starts, exact times, variables."""
    _, firings, _ = traced(model, ".csv")
    root = ElementTree.fromstring(event_log(model))
    space = root.tag.removesuffix("log")
    cases = root.findall(f"{space}trace")
    assert [one[0].attrib["value"] for one in cases] == ["0", "1"]
    events = [{one.attrib["key"]: one.attrib["value"] for one in event} for event in cases[0].iter(f"{space}event")]
    assert [float(one["start"]) for one in events] == [model.net.tick.time(firing.start) for firing in firings]
    assert [one["concept:name"] for one in events] == [model.net.transitions[one.transition].name for one in firings]
    first = next(one for one in events if one["concept:name"] == "repaint")
    assert (first["start"], first["end"], first["k"]) == ("0.0", "30.0", "red")
    assert first["time:timestamp"] == "1970-01-01T00:00:30.000000+00:00"


def test_pm4py_reads_an_event_log(model: Model, tmp_path: Path) -> None:
    pm4py = pytest.importorskip("pm4py")
    _, firings, _ = traced(model, ".csv")
    (tmp_path / "log.xes").write_bytes(event_log(model))
    log = pm4py.read_xes(str(tmp_path / "log.xes"))
    assert set(log["case:concept:name"]) == {"0", "1"}
    assert (log["case:concept:name"] == "0").sum() == len(firings)
    held = (log["time:timestamp"] - log["start_timestamp"]).dt.total_seconds()
    assert list(held[log["concept:name"] == "repaint"].unique()) == [30.0]
