"""One net in every mode of the engines: trajectory, marking, errors and all statistics must be equal to the last bit.

Machine code belongs to the compiled net, and every session on a net that has code runs it. So each native mode has a
compiled net of its own, and the session is asked which of the two it ran.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from petri.engine.errors import ModelError
from petri.engine.interface import Limits, Session
from petri.engine.native import MOST_FIRINGS, NativeSession
from petri.model import Model
from petri.net import Net
from petri.result.export import result_dict
from petri.run.session import begin
from petri.structs import replace
from tests.engine.without import without
from tests.fuzz.finding import Finding, no_panics

State = dict[str, Any]

AT_ONCE, LATER = 0, 15  # firings after which machine code is made
LIMITS: Final = Limits(firings_at_an_instant=5000, tokens=60)
PIECES: Final = 2  # before the end of the warm-up, and after it


@dataclass(frozen=True)
class Run:
    """firings: of each piece, after which states are compared. levels: whether the time at each number is recorded.
    without: optimisations that the native engine does without, with commas between them. warmup: in ticks.
    block: rows of a stream read at a time. patience: after how many firings machine code is made; each number costs a
    compilation, so a random case has one.
    """

    seed: int
    firings: int
    levels: bool
    without: str = ""
    warmup: float = 3.0
    block: int | None = None
    patience: tuple[int, ...] = (AT_ONCE, LATER)

    def begin(self, net: Net, engine: str) -> Session:
        net = replace(net, doc=net.doc)
        return begin(net, engine, self.seed, 0, limits=LIMITS, levels=self.levels, block=self.block)


def compare(net: Net, run: Run, expected: Sequence[State] = ()) -> Counter[str]:
    """Return how many sessions ran in which mode.

    Raises Finding where one differs from the reference engine, whose states are given if they are known.
    """
    expected = [without_figures(state) for state in expected or states(run, begun(net, run, "reference"))]
    ran = Counter({"reference": 1})
    for patience in (MOST_FIRINGS, *run.patience):
        mode = "interpreted" if patience == MOST_FIRINGS else f"machine code after {patience} firings"
        with patch("petri.engine.native.PATIENCE", patience), without(run.without), no_panics():
            session = begun(net, run, "native")
            for before, after in zip(expected, states(run, session), strict=True):
                if names := differences(before, after):
                    less = f" without {run.without}" if run.without else ""
                    raise Finding(f"{mode}{less} differs from the reference in {', '.join(names)}")
        ran_code = isinstance(session, NativeSession) and session.ran_code
        if ran_code and mode == "interpreted":
            raise Finding("a session that was to be interpreted has run machine code")
        ran["machine code" if ran_code else "interpreted"] += 1
    return ran


def compare_results(net: Net, run: Run) -> None:
    """Run the net like `pnsim run`, with its `run` line. Raises Finding where engines differ."""
    patience = (0, 15, 300, MOST_FIRINGS)[run.seed % 4]
    with patch("petri.engine.native.PATIENCE", patience):
        one, other = (result_of(replace(net, doc=net.doc), engine, run) for engine in ("reference", "native"))
    if names := differences(one, other):
        raise Finding(f"results of whole runs differ in {', '.join(names)}")


def result_of(net: Net, engine: str, run: Run) -> dict[str, Any]:
    most = 3 * run.firings
    result = Model(net).run(
        engine=engine, seed=run.seed, threads=1, limits=LIMITS, max_firings=most, occupancy=run.levels
    )
    found = result_dict(result)
    del found["manifest"]  # it names the engine
    for replication in found["replications"]:
        del replication["seconds"]
    return found


def begun(net: Net, run: Run, engine: str) -> Session | ModelError:
    try:
        return run.begin(net, engine)
    except ModelError as error:  # a key of an initial token fails
        return error


def states(run: Run, session: Session | ModelError) -> Iterator[State]:
    """Yield the state after each piece; the same number of them for every mode."""
    for until in (run.warmup, math.inf):
        if until == math.inf and not isinstance(session, ModelError):
            session.begin_window()
        for _ in range(PIECES):
            if isinstance(session, ModelError):
                yield {"initial marking": (session.id, session.values)}
            else:
                yield {"reason": session.advance(until, run.firings), **state(session)}


def state(session: Session) -> State:
    observed = session.observe()
    found: dict[str, Any] = {name: getattr(session, name) for name in ("firings", "now", "hash", "error")}
    found |= {"marking": [list(tokens) for tokens in session.marking()], "levels": session.levels()}
    found["clocks"] = session.clocks()
    names = (
        "elapsed", "integral", "nonempty", "maximum", "arrivals", "initial", "firings", "in_progress", "active",
        "set", "dropped",
    )  # fmt: skip
    found |= {f"observed {name}": getattr(observed, name) for name in names}
    for number, probe in enumerate(observed.probes):
        found |= {f"probe {number} {name}": value for name, value in probe.items()}
    return found


def without_figures(state: State) -> State:
    """Return what every mode has: figures are of a telling (`retold.told`)."""
    return {name: value for name, value in state.items() if name != "figures"}


def differences(one: State, other: State) -> list[str]:
    """Return the names of what only one of them has, or what differs."""
    both = one.keys() & other.keys()
    return [name for name in {**one, **other} if name not in both or not same(one[name], other[name])]


def same(one: Any, other: Any) -> bool:
    """Equal, to the last bit for numbers and arrays of them; nan is equal to itself."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.dtype == other.dtype:
        if one.shape == other.shape and one.tobytes() == other.tobytes():  # nearly always, and quickly
            return True
    elif isinstance(one, float) and isinstance(other, float) and one == other:
        return True
    if isinstance(one, (float, np.ndarray)) or isinstance(other, (float, np.ndarray)):
        numbers = np.asarray(one), np.asarray(other)
        return numbers[0].dtype.kind in "iuf" and np.array_equal(*numbers, equal_nan=True)
    return bool(one == other)
