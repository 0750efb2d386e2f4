"""When machine code is made: by whom, and what becomes of it where the engines that wait for it end."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from petri import language
from petri.engine import native
from petri.engine.interface import Session
from petri.engine.native import MOST_FIRINGS
from petri.net import Net
from petri.run.session import begin
from petri.structs import replace

if not native.available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native

PIECE = 500
LONGEST = 60.0  # seconds until there is code, on a machine that is busy
TASKS = Path("/proc/self/task")

RING = """net ring
place a[0..9] = 3 * token
transition t[i in 0..9]: a[i] -> a[(i + 1) mod 10]  takes exp(1.0)
"""


def unlike(transitions: int) -> str:
    """Return a net whose code takes a while, as no two transitions are alike."""
    lines = [f"net unlike\nplace a[0..{transitions - 1}] : 0..99 = 3 * (7)"]
    for i in range(transitions):
        value = " + ".join(f"max(x, {i}) * {j + 1}" if i >> j & 1 else f"abs(x - {i})" for j in range(7))
        lines.append(f"transition t{i}: a[{i}](x) -> a[{(i + 1) % transitions}](({value}) mod 100)  takes exp(1.0)")
    return "\n".join(lines)


def fresh(text: str) -> Net:
    """Return a net for which there is no code: a text that was read before gives the same net again."""
    return replace(language.loads(text))


def session(net: Net) -> Session:
    return begin(net, "native", 1, 0)


def until(run: Session, ready: Callable[[], bool]) -> None:
    """Advance by pieces until something holds."""
    end = time.monotonic() + LONGEST
    while not ready():
        assert time.monotonic() < end
        assert run.advance(math.inf, PIECE) == "budget"


def has_code(run: Session) -> Callable[[], bool]:
    return lambda: run.ran_code  # type: ignore[attr-defined]


def is_being_made() -> bool:
    """Return whether a thread makes machine code."""
    return "machine code\n" in map(name_of, TASKS.iterdir())


def name_of(task: Path) -> str:
    """Return the name of a thread, or nothing if it has ended meanwhile."""
    try:
        return (task / "comm").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.fixture
def free_core() -> Iterator[None]:
    """Act as if there were a free core, whatever else this machine does."""
    _native.assume_free_core(True)
    yield
    _native.assume_free_core(None)


def beside(test: Callable[[], None]) -> Callable[[], None]:
    """Return a test of what happens while another thread makes code."""
    return pytest.mark.usefixtures("free_core")(pytest.mark.skipif(not TASKS.exists(), reason="needs /proc")(test))


def test_a_run_is_the_same_whenever_its_code_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native.PATIENCE is None
    run = session(fresh(RING))
    until(run, has_code(run))
    run.advance(math.inf, PIECE)
    monkeypatch.setattr(native, "PATIENCE", MOST_FIRINGS)
    interpreted = session(fresh(RING))
    interpreted.advance(math.inf, run.firings)
    assert not has_code(interpreted)()
    assert (run.now, run.hash) == (interpreted.now, interpreted.hash)


def test_code_is_made_after_a_number_of_firings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "PATIENCE", 700)
    net = fresh(RING)
    first, second = session(net), session(net)
    assert first.advance(math.inf, 700) == "budget"
    assert not has_code(first)()
    second.advance(math.inf, 1)  # of both together
    assert has_code(second)()


@beside
def test_an_engine_goes_on_while_its_code_is_made() -> None:
    run = session(fresh(unlike(40)))
    until(run, is_being_made)
    before = run.firings
    run.advance(math.inf, PIECE)
    assert run.firings == before + PIECE
    until(run, has_code(run))


@beside
def test_engines_that_end_while_code_is_made_leave_it_to_the_next() -> None:
    """The thread gives up, or, if what was spent has paid for the code by then, as on a busy machine, it goes on."""
    net = fresh(unlike(40))
    run = session(net)
    until(run, is_being_made)
    del run
    end = time.monotonic() + LONGEST
    while is_being_made():
        assert time.monotonic() < end
        time.sleep(0.001)
    run = session(net)
    until(run, has_code(run))


@beside
def test_a_net_may_go_while_its_code_is_made() -> None:
    run = session(fresh(unlike(40)))
    until(run, is_being_made)
    del run
    other = session(fresh(RING))  # in place of the net that was compiled last
    until(other, has_code(other))


@beside
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_fork_of_a_process_makes_its_own_code() -> None:
    run = session(fresh(unlike(40)))
    until(run, is_being_made)
    child = os.fork()
    if child == 0:
        try:
            until(run, has_code(run))
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_sessions_on_all_cores_share_code() -> None:
    net, cores = fresh(RING), os.cpu_count() or 1
    sessions = [session(net) for _ in range(cores + 1)]

    def work(run: Session) -> None:
        until(run, has_code(run))

    threads = [threading.Thread(target=work, args=(run,)) for run in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(has_code(run)() for run in sessions)


@pytest.mark.skipif(not TASKS.exists(), reason="needs /proc")
def test_without_a_free_core_one_engine_makes_the_code() -> None:
    _native.assume_free_core(False)
    try:
        run = session(fresh(RING))
        until(run, lambda: has_code(run)() or is_being_made())
        assert has_code(run)()
    finally:
        _native.assume_free_core(None)
