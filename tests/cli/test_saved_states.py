"""`pnsim run --save-at` and `--from`, and the same in Python: a run in two parts is the run."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

import petri
from petri.engine.native import available
from petri.run.saved_run import MAGIC, NotSaved, SavedRun
from tests.engines import ENGINES
from tests.sampling import one_in

from .calling import Call

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

LINE = """net line
place source = token
place queue
place server = token
place out
measure waiting = mean(queue)
measure busy = mean(serve)
measure delay = time(arrive -> serve)
measure course = mean(queue)  record series(7)
transition arrive: source -> source, queue  takes exp(1.0)
transition serve: queue, server -> server, out  takes exp({mean})
"""


def shown(result: petri.Result) -> dict[str, Any]:
    """Return all of a result but what tells the parts of a run from the whole."""
    contents = result.to_dict()
    for name in ("manifest", "seconds"):
        contents.pop(name, None)
    for one in contents["replications"]:
        one.pop("seconds", None)
    contents["packed"] = json.loads(zlib.decompress(base64.b64decode(contents["packed"])))
    return contents


@pytest.fixture
def line() -> petri.Model:
    return petri.loads(LINE.format(mean=0.8))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("at", one_in(4, [50, 10, 77.5, 300]))
@pytest.mark.parametrize("replications", one_in(2, [2, 1]))
def test_a_run_in_two_parts_is_the_run(
    line: petri.Model, engine: str, at: float, replications: int, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"until": 300, "warmup": 50, "engine": engine, "seed": 4, "occupancy": True}
    whole = line.run(**asked, replications=replications)
    divided = {**asked, "engine": "native"}
    first = line.run(**{**divided, "until": max(at, 60)}, replications=replications, save_at=at)
    if at == 300:
        asked["until"] = 400
        whole = line.run(**asked, replications=replications)
    assert first.saved is not None
    first.saved.save(tmp_path / "state")
    rest = line.run(start=SavedRun.load(tmp_path / "state"), until=asked["until"], occupancy=True)
    assert [one.hash for one in rest.replications] == [one.hash for one in whole.replications]
    assert shown(rest) == shown(whole)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("at", [15.0, 15.5, 31.5, 16.0])
def test_a_state_is_saved_where_a_batch_is_full(engine: str, at: float, tmp_path: Path) -> None:
    """The sixteenth firing starts at 15. The batch ends when the next one would start, saved or not."""
    model = petri.loads("net clock  place p = token  transition t: p -> p takes 1  measure held = mean(t)")
    whole, saving = model.run(until=80, engine=engine), model.run(until=80, save_at=at)
    assert shown(saving) == shown(whole)
    assert saving.saved is not None
    saving.saved.save(tmp_path / "state")
    rest = model.run(start=SavedRun.load(tmp_path / "state"))
    assert shown(rest) == shown(whole)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("at", [1.5, 40])
def test_a_dead_net_lasts_and_can_be_saved(engine: str, at: float, tmp_path: Path) -> None:
    model = petri.loads(DYING + "measure course = mean(dead)  record series(7)\n")
    asked: dict[str, Any] = {"until": 60, "replications": 3, "occupancy": True}
    whole, saving = model.run(**asked, engine=engine), model.run(**asked, save_at=at)
    assert saving.saved is not None
    saving.saved.save(tmp_path / "state")
    rest = model.run(start=SavedRun.load(tmp_path / "state"), occupancy=True)
    assert shown(rest) == shown(whole) == shown(saving)
    assert [len(one.series[1]) for one in whole.replications] == [8] * 3
    assert all(one.died < 20.0 for one in whole.replications)


def test_one_warm_up_serves_branches(line: petri.Model) -> None:
    saved = line.run(until=100, save_at=100).saved
    assert saved is not None
    branches = line.run(start=saved, until=200, replications=8)
    assert len({one.hash for one in branches.replications}) == 8
    assert all(one.window.elapsed == 100.0 for one in branches.replications)
    again = line.run(start=saved, until=200, replications=2)
    assert [one.hash for one in again.replications] == [one.hash for one in branches.replications[:2]]
    other = line.run(start=saved, until=200, replications=1, seed=2)
    assert other.replications[0].hash != branches.replications[0].hash


DYING = """net dying
place alive = 3 * token
place dead
measure gone = mean(dead)
transition die: alive -> dead  takes exp(1.0)
"""


def test_replications_that_have_ended_are_left_out(tmp_path: Path, call: Call) -> None:
    """The others keep their numbers."""
    net, state = tmp_path / "dying.net", tmp_path / "state"
    net.write_text(DYING)
    whole = petri.loads(DYING).run(until="dead", replications=5, engine="reference")
    late = [one for one in whole.replications if one.time > 2.0]
    assert [one.index for one in late] == [1, 3]
    options = ("--until", "dead", "-n", "5")
    told = call("run", str(net), *options, "--save-at", "2", str(state)).err
    assert "3 of 5 replications ended before 2" in told
    rest = petri.load(net).run(start=SavedRun.load(state))
    assert [(one.index, one.hash) for one in rest.replications] == [(one.index, one.hash) for one in late]


CHANGED = """net line
place source = token
place queue
place server = 2 * token
place exit
place spare = 3 * token
measure waiting = mean(queue)
transition arrive: source -> source, queue  takes exp(1.0)
transition serve: queue, server -> server, exit  takes exp(0.8)
"""


def test_a_changed_net_goes_on(line: petri.Model) -> None:
    saved = line.run(until=100, save_at=100, seed=3).saved
    assert saved is not None
    waiting, out = (saved.replications[0].engine.places[n].tokens for n in (1, 3))
    changed = petri.loads(CHANGED)
    going_on = changed.going_on(saved, until=101)
    assert going_on.starts.left_out == (
        "1 token for `out`, which is not in the net as it was",
        "1 firing of `serve` in progress, whose tokens are deposited at once",
        "`spare` is not in the saved state: it begins with its initial tokens",
        f"{out} tokens of `out`, which is not in the net",
    )
    places = going_on.starts.replications[0].engine.places
    assert [place.tokens for place in places] == [0, waiting, 1, 0, 3]
    ran = changed.run(start=saved, until=200)
    assert ran.replications[0].complete
    assert ran.replications[0].window.elapsed == 100.0


def test_streams_of_transitions_go_on(line: petri.Model, tmp_path: Path, call: Call) -> None:
    """In the same net, in one with another transition, and in branches, whose streams are their own."""
    own = line.with_own_streams()
    whole = own.run(until=200, save_at=100)
    assert whole.saved is not None
    assert own.run(start=whole.saved, until=200).hash == whole.hash
    state = tmp_path / "state"
    whole.saved.save(state)
    rest = json.loads(call("run", "--from", str(state), "--until", "200", "--json").out)
    assert rest["manifest"]["own_streams"]
    assert rest["manifest"]["hash"] == f"{whole.hash:016x}"
    streams = whole.saved.replications[0].engine.own_random
    names = [transition.name for transition in own.net.transitions]
    changed = petri.loads(CHANGED + "transition more: spare -> spare  takes exp(1.0)").with_own_streams()
    begun = changed.going_on(whole.saved, until=200).starts.replications[0].engine.own_random
    kept = dict(zip((transition.name for transition in changed.net.transitions), begun, strict=True))
    assert [kept[name] for name in names if name in kept] == [streams[names.index(n)] for n in names if n in kept]
    assert kept["more"] not in streams
    branches = own.going_on(whole.saved, until=200, replications=2).starts.replications
    assert len({stream for one in branches for stream in one.engine.own_random} | set(streams)) == 3 * len(streams)


SENDING = """net sending
place source = token
place queue
place far
place out
transition send: source -> source in 2, queue in 5, far in {far}, out in 7
transition lose: queue -> nothing  after exp(100)
"""


def test_a_changed_net_goes_on_with_tokens_on_the_way() -> None:
    """Firings start at 0, 2, … 10. In the changed net, `far` has no delay, and there is no `out`."""
    saved = petri.loads(SENDING.format(far=30)).run(until=10, save_at=10).saved
    assert saved is not None
    text = SENDING.format(far=30).replace("far in 30", "far").replace(", out in 7", "").replace("place out\n", "")
    going_on = petri.loads(text).going_on(saved, until=11)
    assert going_on.starts.left_out == (
        "4 tokens for `out`, which is not in the net as it was",
        "10 outputs of `send` on the way, whose tokens are deposited at once",
        "2 tokens of `out`, which is not in the net",
    )
    engine_state = going_on.starts.replications[0].engine
    assert [place.tokens for place in engine_state.places] == [0, saved.replications[0].engine.places[1].tokens, 6]
    assert [one.part for one in engine_state.in_progress] == [2, 1, 2, 2]
    ran = petri.loads(text).run(start=saved, until=50)
    assert ran.replications[0].complete


def test_what_was_in_progress_ends_before_what_starts_in_a_changed_net() -> None:
    """Eight firings are in progress at 7. The last of them ends at 17, as the first one of the changed net does."""
    text = """net ending
    place source : int = 1
    place line : int fifo
    place out : int fifo
    transition send: source(n) -> source(n + 1) in 1, line(n)  takes 9 + min(n, 1)
    transition serve: line(n) -> out(n)
    """
    saved = petri.loads(text).run(until=7, save_at=7).saved
    assert saved is not None
    changed = petri.loads(text + "place new = token  transition late: new -> line(100)  takes 10")
    ran = changed.run(start=saved, until=17, save_at=17).saved
    assert ran is not None
    assert ran.replications[0].engine.places[2].words == (1, 2, 3, 4, 5, 6, 7, 8, 100)


def test_on_the_command_line(tmp_path: Path, call: Call) -> None:
    net, state = tmp_path / "line.net", str(tmp_path / "state.pnsim")
    net.write_text(LINE.format(mean=0.8))
    whole = json.loads(call("run", str(net), "--until", "300", "--json", "-q", "--engine", "reference").out)
    call("run", str(net), "--until", "100", "--save-at", "100", state, "-q")
    rest = json.loads(call("run", "--from", state, "--until", "300", "--json", "-q").out)
    assert rest["replications"][0]["hash"] == whole["replications"][0]["hash"]
    assert rest["measures"] == whole["measures"]
    (tmp_path / "rest.json").write_text(json.dumps(rest))
    repeated = call("rerun", str(tmp_path / "rest.json"))
    assert repeated.status == 2
    assert "went on from a saved state" in repeated.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--from", "no such file"), "`no such file` is not a saved state: No such file or directory"),
        (("--from", __file__), "is not a saved state: it does not begin as a saved state"),
        (("--from", "STATE", "--until", "50"), "the saved state is of 100, and the run ends at 50"),
        (("--from", "STATE", "--set", "a=1"), "the net of a saved state has its parameters already"),
        (("--from", "STATE", "--precision", "2%"), "a precision decides how many replications are run"),
        (("NET", "--until", "9", "--save-at", "10", "x"), "the state cannot be saved at 10"),
        (("NET", "--until", "9", "--save-at", "9", "/no/folder/x"), "/no/folder/x"),
        (("NET", "--until", "9", "--save-at", "9", "x", "--engine", "reference"), "the reference engine was asked for"),
        (("--from", "STATE", "--engine", "reference"), "the reference engine was asked for"),
    ],
)
def test_wrong_command_lines(
    arguments: tuple[str, ...], told: str, tmp_path: Path, line: petri.Model, call: Call
) -> None:
    state, net = tmp_path / "state", tmp_path / "line.net"
    net.write_text(LINE.format(mean=0.8))
    saved = line.run(until=100, save_at=100).saved
    assert saved is not None
    saved.save(state)
    names = {"STATE": str(state), "NET": str(net)}
    ran = call("run", *(names.get(one, one) for one in arguments))
    assert ran.status == 2
    assert told in ran.err


@pytest.mark.parametrize("arguments", [("NET", "--until", "9", "--save-at", "9", "x"), ("--from", "STATE")])
def test_without_the_native_engine(
    arguments: tuple[str, ...], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = tmp_path / "line.net"
    net.write_text(LINE.format(mean=0.8))
    monkeypatch.setattr("petri.engine.native._native", None)
    ran = call("run", *({"NET": str(net)}.get(one, one) for one in arguments))
    assert ran.status == 2
    assert "error[state-needs-native]: only the native engine saves a state or goes on from one" in ran.err
    assert "Rust toolchain" in ran.err


# ---------------------------------------------------------------- files of strangers


def contents(saved: SavedRun, path: Path) -> list[Any]:
    saved.save(path)
    found: list[Any] = msgspec.msgpack.decode(zlib.decompress(path.read_bytes()[len(MAGIC) :]))
    return found


def written(data: list[Any], path: Path) -> Path:
    path.write_bytes(MAGIC + zlib.compress(msgspec.msgpack.encode(data)))
    return path


def leaves(data: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return where the numbers of nested lists are."""
    if not isinstance(data, list):
        return [path]
    return [leaf for n, part in enumerate(data) for leaf in leaves(part, (*path, n))]


@pytest.mark.parametrize("first", one_in(6, range(6)))
def test_any_number_may_be_changed(line: petri.Model, tmp_path: Path, first: int) -> None:
    """Each sixth number of a file becomes one that it is not: it is refused, or the run goes on without a crash."""
    saved = line.run(until=30, save_at=30).saved
    assert saved is not None
    original = contents(saved, tmp_path / "state")
    engine = original[4][0][2]
    refused = ran = 0
    for leaf in [*leaves(engine)][first::6]:
        for value in (-1, 1e308):
            changed = msgspec.msgpack.decode(msgspec.msgpack.encode(original))
            part = changed[4][0][2]
            for n in leaf[:-1]:
                part = part[n]
            part[leaf[-1]] = value
            path = written(changed, tmp_path / "changed")
            try:
                line.run(start=SavedRun.load(path), until=40, max_firings=10_000)
                ran += 1
            except (NotSaved, petri.LanguageError):
                refused += 1
    assert refused > 8
    assert ran > 0


@pytest.mark.parametrize("numbers", [(1, 1), (1, 0), (-1, 0), (0, 1 << 40)])
def test_replications_are_numbered_in_order(line: petri.Model, tmp_path: Path, numbers: tuple[int, int]) -> None:
    saved = line.run(until=30, save_at=30, replications=2).saved
    assert saved is not None
    changed = contents(saved, tmp_path / "state")
    for replication, number in zip(changed[4], numbers, strict=True):
        replication[0] = number
    with pytest.raises(NotSaved, match="not numbered in order"):
        SavedRun.load(written(changed, tmp_path / "changed"))


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.run.saved_run.LARGEST", 2 << 20)
    bomb = tmp_path / "bomb"
    with open(bomb, "wb") as file:
        file.write(MAGIC)
        compress = zlib.compressobj()
        for _ in range(3):
            file.write(compress.compress(bytes(1 << 20)))
        file.write(compress.flush())
    with pytest.raises(NotSaved, match="larger than a saved state may be"):
        SavedRun.load(bomb)


def test_a_file_that_is_cut_off_is_refused(line: petri.Model, tmp_path: Path) -> None:
    saved = line.run(until=30, save_at=30).saved
    assert saved is not None
    saved.save(tmp_path / "state")
    whole = (tmp_path / "state").read_bytes()
    for size in (0, 5, len(MAGIC), len(MAGIC) + 1, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:size])
        with pytest.raises(NotSaved):
            SavedRun.load(tmp_path / "cut")
