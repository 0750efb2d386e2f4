"""Sweeps: rows depend on the experiment alone, and what is there already is not done again."""

from __future__ import annotations

import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from petri import language
from petri.experiment import Experiment, ExperimentError, Precision, Store, sweep
from petri.experiment.design.task import PILOT, ReplicationRecord, Task, TaskResult, perform
from petri.experiment.design.warmup import Warmup
from petri.experiment.procedure.campaign import PointState, State
from petri.experiment.procedure.workers import Processes, Threads, Workers
from petri.experiment.store.database import SILENCE, is_alive, writing
from petri.measure.sequential import looks
from petri.model import Model
from tests.engines import ENGINES, FASTEST, NATIVE_FIRST
from tests.experiment.nets import FAILING, QUEUE, TIMED, stored_rows, write_net

POINTS = [{"load": 0.3}, {"load": 0.6}, {"load": 0.6, "servers": 2}]


def queue(folder: Path, **options: Any) -> Experiment:
    values: dict[str, Any] = {"net": write_net(folder), "points": POINTS, "replications": 4, "seed": 3, **options}
    return Experiment(**values)


def test_rows_are_those_of_a_run(tmp_path: Path) -> None:
    outcome = queue(tmp_path).run(tmp_path / "s.db", engine=FASTEST, workers=1)
    result = language_model(0.6).run(seed=3, replications=4, engine=FASTEST)
    point = outcome.points[1]
    assert [row.hash for row in point.rows] == [r.hash for r in result.replications]
    measured = result.measure("customers").interval
    assert point.interval("customers").mean == pytest.approx(measured.mean)
    assert point.interval("customers").half_width == pytest.approx(measured.half_width)
    assert outcome.done
    assert [row["replication"] for row in stored_rows(tmp_path / "s.db")] == [0, 1, 2, 3] * 3


def language_model(load: float) -> Model:
    return Model(language.loads(QUEUE, {"load": load}))


def test_a_net_that_is_made_already_has_its_tables() -> None:
    experiment = Experiment(net=language_model(0.6), tables={"sizes.csv": "mine.csv"})
    with pytest.raises(ExperimentError, match=r"the tables of a flat net cannot be replaced \(`sizes\.csv`\)"):
        experiment.prepare("reference")


@pytest.mark.slow
@pytest.mark.parametrize("precision", [None, Precision(0.15)])
def test_rows_do_not_depend_on_the_workers(tmp_path: Path, precision: Precision | None) -> None:
    experiment = queue(tmp_path, precision=precision, max_replications=25, warmup="auto")
    with ThreadPoolExecutor(3) as pool:
        sweep(experiment, tmp_path / "one.db", engine=FASTEST, executor=pool)
    workers = Processes(2)
    sweep(experiment, tmp_path / "two.db", engine=FASTEST, workers=workers)
    workers.close()
    sweep(experiment, tmp_path / "three.db", engine=FASTEST, workers=Threads(1))
    rows = stored_rows(tmp_path / "one.db")
    assert len(rows) >= 12
    assert rows == stored_rows(tmp_path / "two.db") == stored_rows(tmp_path / "three.db")


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_replications_stop_at_the_first_look_that_is_precise(tmp_path: Path, engine: str) -> None:
    wanted = {"customers": Precision(0.2)}
    experiment = queue(tmp_path, points=[{"load": 0.6}], precision=wanted, replications=5, max_replications=60)
    outcome = experiment.run(tmp_path / "s.db", engine=engine)
    point = outcome.points[0]
    number = len(point.rows)
    assert number in list(looks(5, 60))[1:-1]
    assert not point.imprecise
    everything = experiment.with_overrides(precision={"customers": Precision(1e-9)})
    more = everything.run(tmp_path / "more.db", engine=engine).points[0]
    assert len(more.rows) == 60
    assert more.imprecise == ["customers"]
    values = list(more.values("customers").values())
    from petri.measure.intervals import student_interval
    from petri.measure.sequential import widened

    for look in looks(5, 60):
        if look < number:
            assert not Precision(0.2).met(widened(student_interval(values[:look])))
    assert values[:number] == list(point.values("customers").values())


def test_a_store_is_continued(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    queue(tmp_path, points=POINTS[:2], replications=2).run(store, engine=FASTEST, workers=1)
    done: list[Task] = []

    class Watched(Threads):
        def submit(self, task: Task) -> Future[TaskResult]:
            done.append(task)
            return super().submit(task)

    sweep(queue(tmp_path), store, engine=FASTEST, workers=Watched(2))
    assert sorted(index for task in done for index in task.indices) == [0, 1, 2, 2, 2, 3, 3, 3]
    queue(tmp_path).run(tmp_path / "fresh.db", engine=FASTEST, workers=1)
    assert stored_rows(store) == stored_rows(tmp_path / "fresh.db")
    outcome = queue(tmp_path, replications=3).run(store, engine=FASTEST, workers=1)
    assert [len(point.rows) for point in outcome.points] == [3, 3, 3]


def test_a_store_that_keeps_more_measures_is_continued_with_all_of_them(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    queue(tmp_path, points=POINTS[:1], replications=1).run(store, engine=FASTEST, workers=1)
    fewer = queue(tmp_path, replications=2, measures=["busy"]).run(store, engine=FASTEST, workers=1)
    assert [list(point.intervals) for point in fewer.points] == [["busy"]] * len(POINTS)
    queue(tmp_path, replications=2).run(tmp_path / "all.db", engine=FASTEST, workers=1)
    assert stored_rows(store) == stored_rows(tmp_path / "all.db")


KILLED = """
import sys
from petri.experiment import Experiment
Experiment(net=sys.argv[1], points=[{"load": 0.3}, {"load": 0.6}], replications=12, until=300, warmup="auto",
           seed=3).run(sys.argv[2], engine="reference", workers=2)
"""


def run_script(script: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # Worker processes import the main module, so it must be a file.
    return subprocess.Popen([sys.executable, script, *arguments], env=environment)


def rows_in(path: Path) -> int:
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return int(connection.execute("SELECT count(*) FROM replications").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:
        return 0


def wait_until(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


@pytest.mark.slow
def test_killed_and_started_again(tmp_path: Path) -> None:
    net, store = write_net(tmp_path), tmp_path / "s.db"
    script = tmp_path / "killed.py"
    script.write_text("if __name__ == '__main__':\n    " + KILLED.strip().replace("\n", "\n    "), encoding="utf-8")
    for rows in (1, 6):
        process = run_script(str(script), str(net), str(store))
        wait_until(lambda rows=rows: rows_in(store) >= rows)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert rows_in(store) < 24
    before = rows_in(store)
    again = run_script(str(script), str(net), str(store))
    assert again.wait(timeout=120) == 0
    assert before < rows_in(store) == 24
    assert run_script(str(script), str(net), str(tmp_path / "whole.db")).wait(timeout=120) == 0
    assert stored_rows(store) == stored_rows(tmp_path / "whole.db")
    check = sqlite3.connect(store)
    assert check.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert check.execute("SELECT count(*) FROM claims").fetchone()[0] == 0
    check.close()


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    """Both finish, together they do everything, and nothing twice."""
    experiment = queue(tmp_path, points=[{"load": 0.3}, {"load": 0.5}], replications=12)
    store = tmp_path / "s.db"
    counts: list[int] = []

    def work() -> None:
        done = []

        class Watched(Threads):
            def submit(self, task: Task) -> Future[TaskResult]:
                done.append(task)
                return super().submit(task)

        crew = Watched(1)
        outcome = sweep(experiment, store, engine=FASTEST, workers=crew)
        crew.close()
        assert outcome.done
        counts.append(sum(len(task.indices) for task in done))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 24
    assert len(stored_rows(store)) == 24


def test_claims_of_the_dead_are_void(tmp_path: Path) -> None:
    experiment = queue(tmp_path, points=[{"load": 0.3}])
    prepared = experiment.prepare("reference")
    with Store.create(tmp_path / "s.db", prepared.identity, {}) as store:
        (number,) = store.add_points(prepared.points)
        with Store.create(tmp_path / "s.db", prepared.identity, {}) as other:
            assert other.claim([(number, (0,))]) == [(number, 0)]
            assert store.claim([(number, (0, 1))]) == [(number, 1)]
            assert other.claim([(number, (0,))]) == [(number, 0)]
            beat = "UPDATE owners SET beat = beat - ? WHERE owner = ?"
            other.connection.execute(beat, (SILENCE + 1, other.owner))
            assert store.claim([(number, (0,))]) == [(number, 0)]


def test_what_another_process_has_finished_is_not_granted(tmp_path: Path) -> None:
    experiment = queue(tmp_path, points=[{"load": 0.3}], warmup="auto")
    prepared = experiment.prepare("reference")
    path = tmp_path / "s.db"
    with Store.create(path, prepared.identity, {}) as store, Store.create(path, prepared.identity, {}) as other:
        (number,) = store.add_points(prepared.points)
        point = prepared.points[0]
        found = perform(Task(point.packed, point.plan, (0,), point.names))
        assert isinstance(found, tuple)
        [row] = found
        assert store.claim([(number, (0,)), (number, (PILOT,))]) == [(number, 0), (number, PILOT)]
        store.add([(number, row)])
        store.set_warmup(number, Warmup(3.0))
        assert other.claim([(number, (0, 1)), (number, (PILOT,))]) == [(number, 1)]
        assert other.rows() == [(number, row)]


ORPHANS = """
import time
from petri.experiment.design.task import Task
from petri.experiment.procedure.workers import Processes
if __name__ == "__main__":
    workers = Processes(1)
    try:
        workers.submit(Task(b"", None, (0,), ())).result()
    except Exception:
        pass
    print(workers.processes[0], flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
def test_workers_go_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "orphans.py").write_text(ORPHANS, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    arguments = [sys.executable, str(tmp_path / "orphans.py")]
    with subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
        parent.wait()
    wait_until(lambda: not is_alive(child), 20)


def test_a_replication_that_stops_inside_the_model_is_kept_and_told(tmp_path: Path) -> None:
    net = write_net(tmp_path, FAILING, "failing.net")
    wanted = {"steps": Precision(1e-9)}
    experiment = Experiment(net=net, points=[{"bad": 0}, {"bad": 1}], precision=wanted, max_replications=20)
    outcome = experiment.run(tmp_path / "s.db", engine=FASTEST, workers=1)
    fine, bad = outcome.points
    assert (len(fine.rows), fine.failures) == (20, [])
    assert len(bad.rows) == 10, "after a failure, no further looks"
    assert bad.failures[0].failure is not None
    assert bad.failures[0].failure["transition"] == "step"
    assert math.isnan(bad.interval("steps").mean) or len(bad.complete) > 0
    assert outcome.failed
    again = experiment.run(tmp_path / "s.db", engine=FASTEST, workers=1)
    assert [len(point.rows) for point in again.points] == [20, 10]


def test_common_and_independent_streams(tmp_path: Path) -> None:
    experiment = queue(tmp_path, points=[{"load": 0.3}, {"load": 0.31}], measures=["customers", "arrive.rate"])
    common = experiment.run(tmp_path / "c.db", engine=FASTEST, workers=1)
    independent = experiment.with_overrides(streams="independent").run(tmp_path / "i.db", engine=FASTEST, workers=1)
    assert {row.seed for point in common.points for row in point.rows} == {3}
    seeds = [{row.seed for row in point.rows} for point in independent.points]
    assert len(seeds[0] | seeds[1]) == 2


def test_what_belongs_to_another_experiment_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    experiment = queue(tmp_path, replications=1)
    experiment.run(store, engine=FASTEST, workers=1)
    cases: list[tuple[Experiment, str, str]] = [
        (experiment.with_overrides(seed=4), "store-of-other-experiment", "there seed is 3, here 4"),
        (experiment.with_overrides(until=100.0), "store-of-other-experiment", "end of the run"),
        (experiment.with_overrides(warmup=1.0), "store-of-other-experiment", "warm-up"),
        (experiment.with_overrides(measures=["busy", "serve.rate"]), "store-without-measure", "`serve.rate`"),
        (queue(tmp_path, net=write_net(tmp_path, TIMED, "t.net"), points=[{}]), "store-of-other-experiment", "net is"),
    ]
    for other, identifier, text in cases:
        with pytest.raises(ExperimentError) as caught:
            other.run(store, engine=FASTEST, workers=1)
        assert caught.value.diagnostic.id == identifier
        assert text in str(caught.value)
    write_net(tmp_path, QUEUE.replace("exp(1)", "exp(2)"))
    with pytest.raises(ExperimentError) as caught:
        experiment.run(store, engine=FASTEST, workers=1)
    assert caught.value.diagnostic.id == "store-of-other-net"
    assert any("`--fresh`" in hint for hint in caught.value.diagnostic.hints)


def test_files_that_are_no_stores(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database at all, but long enough to be looked at", encoding="utf-8")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    later = tmp_path / "later.db"
    queue(tmp_path, replications=1).run(later, engine=FASTEST, workers=1)
    connection = sqlite3.connect(later)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for name, identifier in [
        ("text.db", "not-a-store"),
        ("other.db", "not-a-store"),
        ("later.db", "store-version"),
        ("nowhere/s.db", "store-unwritable"),
    ]:
        with pytest.raises(ExperimentError) as caught:
            queue(tmp_path, replications=1).run(tmp_path / name, engine=FASTEST, workers=1)
        assert caught.value.diagnostic.id == identifier


def test_mistakes_are_found_before_anything_runs(tmp_path: Path) -> None:
    from petri.diagnostics import LanguageError

    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"points": [{"load": 0.3}, {"load": 1.5}]}, LanguageError, "at load=1.5"),
        ({"points": [{"lod": 0.3}]}, LanguageError, "lod"),
        ({"measures": ["customer"]}, ExperimentError, "did you mean `customers`?"),
        ({"measures": ["line.means"]}, ExperimentError, "did you mean `line.mean`?"),
        ({"precision": {"idle.mean": Precision(0.1)}}, ExperimentError, "not kept"),
        ({"until": "dead", "warmup": "auto"}, ExperimentError, "give the run an end"),
        ({"points": []}, ExperimentError, "no points"),
    ]
    for options, kind, text in cases:
        with pytest.raises(kind) as caught:
            queue(tmp_path, **options).run(tmp_path / "s.db")
        assert text in str(caught.value)
    assert not (tmp_path / "s.db").exists()


class Mortal(Workers):
    """An executor whose workers die now and then: each task is lost the first time."""

    slots = 2

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.seen: dict[int, int] = {}

    def submit(self, task: Task) -> Future[TaskResult]:
        future: Future[TaskResult] = Future()
        first = task.indices[0]
        self.seen[first] = self.seen.get(first, 0) + 1
        if self.seen[first] <= self.deaths:
            future.set_exception(ConnectionError("gone"))
        else:
            future.set_result(perform(task))
        return future

    def is_lost(self, error: BaseException) -> bool:
        return isinstance(error, ConnectionError)

    def close(self, *, at_once: bool = False) -> None:
        pass


def test_replications_of_workers_that_died_are_handed_out_again(tmp_path: Path) -> None:
    experiment = queue(tmp_path, points=[{"load": 0.3}])
    sweep(experiment, tmp_path / "m.db", engine=FASTEST, workers=Mortal(2))
    sweep(experiment, tmp_path / "s.db", engine=FASTEST, workers=1)
    assert stored_rows(tmp_path / "m.db") == stored_rows(tmp_path / "s.db")
    with pytest.raises(ExperimentError) as caught:
        sweep(experiment, tmp_path / "n.db", engine=FASTEST, workers=Mortal(99))
    assert caught.value.diagnostic.id == "workers-lost"


@pytest.mark.slow
def test_a_killed_worker_process_is_replaced(tmp_path: Path) -> None:
    experiment = queue(tmp_path, points=[{"load": 0.5}], replications=16, until=400)
    workers = Processes(2)
    killed: list[int] = []

    def watch(state: State) -> None:
        if state.here >= 3 and not killed:
            killed.append(workers.processes[0])
            os.kill(killed[0], signal.SIGKILL)

    sweep(experiment, tmp_path / "k.db", engine=FASTEST, workers=workers, watch=watch)
    workers.close()
    assert killed
    sweep(experiment, tmp_path / "s.db", engine=FASTEST, workers=1)
    assert stored_rows(tmp_path / "k.db") == stored_rows(tmp_path / "s.db")


def test_interrupted(tmp_path: Path) -> None:
    experiment = queue(tmp_path, replications=50, until=1000)

    pressed: list[int] = []

    def watch(state: State) -> None:
        if state.here >= 5 and not pressed:
            pressed.append(state.here)
            raise KeyboardInterrupt

    outcome = sweep(experiment, tmp_path / "s.db", engine=FASTEST, workers=Threads(2), watch=watch)
    assert outcome.interrupted
    assert not outcome.done
    kept = len(stored_rows(tmp_path / "s.db"))
    assert 5 <= kept < 150
    assert sum(len(point.rows) for point in outcome.points) == kept


def test_interrupted_while_rows_are_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that had been read when Ctrl-C came are told, too."""
    taken = PointState.add
    calls: list[int] = []

    def add(state: PointState, row: ReplicationRecord) -> None:
        calls.append(row.index)
        if len(calls) == 3:
            raise KeyboardInterrupt
        taken(state, row)

    monkeypatch.setattr(PointState, "add", add)
    outcome = sweep(queue(tmp_path, replications=50, until=1000), tmp_path / "s.db", engine=FASTEST, workers=1)
    assert outcome.interrupted
    kept = len(stored_rows(tmp_path / "s.db"))
    assert kept >= 3
    assert sum(len(point.rows) for point in outcome.points) == kept


class Interrupted:
    """A connection at which Ctrl-C is pressed as soon as a statement is done."""

    def __init__(self, connection: sqlite3.Connection, statement: str) -> None:
        self.connection = connection
        self.statement: str | None = statement

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction

    def execute(self, statement: str) -> None:
        self.connection.execute(statement)
        if statement == self.statement:
            self.statement = None
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("statement", "rows"), [("BEGIN IMMEDIATE", 1), ("INSERT INTO t VALUES (1)", 1), ("COMMIT", 2)]
)
def test_interrupted_while_writing(tmp_path: Path, statement: str, rows: int) -> None:
    """Whenever Ctrl-C comes, all of a transaction has happened or nothing, and the next one can begin."""
    real = sqlite3.connect(tmp_path / "t.db", isolation_level=None)
    real.execute("CREATE TABLE t (i INTEGER)")
    connection: Any = Interrupted(real, statement)
    with pytest.raises(KeyboardInterrupt), writing(connection, tmp_path / "t.db"):
        connection.execute("INSERT INTO t VALUES (1)")
    with writing(connection, tmp_path / "t.db"):
        connection.execute("INSERT INTO t VALUES (2)")
    assert len(real.execute("SELECT * FROM t").fetchall()) == rows
    real.close()


def test_progress_is_told(tmp_path: Path) -> None:
    states: list[State] = []
    queue(tmp_path).run(tmp_path / "s.db", engine=FASTEST, workers=1, watch=states.append)
    assert (states[0].done, states[0].replications, states[0].left) == (0, 12, None)
    assert (states[-1].done, states[-1].points_done, states[-1].left) == (12, 3, 0.0)
    assert sum(len(state.closed) for state in states) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_task_that_takes_long_begins_no_other_replication(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """What a process loses that is killed; the rest is handed out again."""
    [point] = queue(tmp_path, points=[{"load": 0.3}], until=2_000).prepare(engine).points
    monkeypatch.setattr("petri.experiment.design.task.LONGEST", 0.0)
    monkeypatch.setattr("petri.run.together.PIECE", 0.0)
    some = perform(Task(point.packed, point.plan, tuple(range(20)), point.names))
    assert isinstance(some, tuple)
    assert [row.index for row in some] == [0]
    sweep(queue(tmp_path, points=[{"load": 0.3}]), tmp_path / "a.db", engine=engine, workers=1)
    monkeypatch.undo()
    sweep(queue(tmp_path, points=[{"load": 0.3}]), tmp_path / "b.db", engine=engine, workers=1)
    assert stored_rows(tmp_path / "a.db") == stored_rows(tmp_path / "b.db")
