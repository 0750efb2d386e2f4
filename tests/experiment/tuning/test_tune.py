"""The best settings: against optima in closed form, published ones, and exact solutions."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.engine.native import available
from petri.experiment import Experiment
from petri.experiment.tuning.definition import Tuning
from petri.experiment.tuning.procedure import Tuned, run_tuning
from tests.cli.calling import Call, caller
from tests.experiment.tuning.nets import MM1K, STAFF, STOCK, written

pytest.importorskip("optuna")
if not available():
    pytest.skip("too slow on the reference engine", allow_module_level=True)


def cost_of(agents: int, load: float = 6.5) -> float:
    """Return the cost of the staff by Erlang's formula."""
    blocked = 1.0
    for count in range(1, agents + 1):
        blocked = load * blocked / (count + load * blocked)
    waits = blocked / (1 - load / agents * (1 - blocked))
    return 3.0 * agents + 2.0 * waits * load / (agents - load)


def tuned_staff(folder: Path, seed: int, most: int = 100, trials: int | None = None) -> Tuned:
    runs = Experiment(written(folder, STAFF), seed=seed)
    return run_tuning(
        Tuning(
            runs=runs, over={"agents": f"7..{most}"}, least=["cost"], trials=trials, max_replications=64, solve=False
        ),
        workers=2,
    )


def test_staffing(tmp_path: Path) -> None:
    found = tuned_staff(tmp_path, 1, most=12, trials=4)
    assert found.best is not None
    assert found.best.values == {"agents": 8}
    assert min(range(7, 50), key=cost_of) == 8


@pytest.mark.parametrize("solve", [False, True])
def test_settings_that_are_refused_leave_the_others(tmp_path: Path, solve: bool) -> None:
    text = """net held
time us
param spare = 2
place free = (spare - 2) * token
place idle = token
transition work: idle -> idle, free  takes exp(1 us)
transition use: free -> nothing takes exp(0.5 us)
measure held = mean(free)
run until 100 us warmup 10 us
"""
    runs = Experiment(written(tmp_path, text), seed=1)
    found = run_tuning(Tuning(runs=runs, over={"spare": "1..3"}, least=["held"], solve=solve), workers=1)
    assert found.best is not None
    assert [one.values for one in found.failed] == [{"spare": 1}]
    assert "cannot be -1" in found.failed[0].failed
    assert {one.values["spare"] for one in found.tried} == {2, 3}


@pytest.mark.slow
def test_staffing_with_most_seeds(tmp_path: Path) -> None:
    """In 9 of 10 seeds the best staff, or one that costs at most 1 % more; over all seeds with a tenth of the
    replications of grids whose settings have as many as the best one.
    """
    least, good, used, grids = min(map(cost_of, range(7, 101))), 0, 0, 0
    for seed in range(1, 11):
        found = tuned_staff(tmp_path, seed)
        assert found.best is not None
        good += cost_of(int(found.best.values["agents"])) <= 1.01 * least
        used += found.replications
        grids += 94 * found.best.replications
    assert good >= 9
    assert used <= grids / 10


def stock_cost(least: int, full: int) -> float:
    """Return the cost of a period in the long run, by renewal of the stock after an order."""
    demand = np.array([math.exp(-10 + k * math.log(10) - math.lgamma(k + 1)) for k in range(80)])
    levels = np.arange(full + 1)

    def period(level: int) -> float:
        left = level - np.arange(80)
        return float((demand * np.where(left > 0, left, -9 * left)).sum())

    visits = np.zeros(full + 1)  # of each level at the start of a period, between two orders
    visits[full] = 1.0 / (1 - demand[0])
    for level in levels[::-1][1:]:
        if level > least:
            above = np.arange(level + 1, full + 1)
            visits[level] = (visits[above] * demand[np.minimum(above - level, 79)]).sum() / (1 - demand[0])
    periods = float(visits.sum())
    return 64 / periods + float(visits @ [period(int(level)) for level in levels]) / periods


def test_the_published_optimum_of_a_stock() -> None:
    """Zheng and Federgruen (Operations Research 39, 1991): (6, 40) costs 35.02."""
    assert stock_cost(6, 40) == pytest.approx(35.022, abs=0.001)


@pytest.mark.slow
def test_stock_with_most_seeds(tmp_path: Path) -> None:
    """In 9 of 10 seeds a setting that costs at most 1 % more than the published optimum, of 1,891 settings."""
    path, good = written(tmp_path, STOCK), 0
    for seed in range(1, 11):
        runs = Experiment(path, seed=seed)
        found = run_tuning(
            Tuning(runs=runs, over={"least": "0..30", "full": "31..91"}, least=["cost"], max_replications=64), workers=2
        )
        assert found.best is not None
        cost = stock_cost(int(found.best.values["least"]), int(found.best.values["full"]))
        good += cost <= 1.01 * 35.022
        assert found.replications <= 1891 * found.best.replications / 10
    assert good >= 9


def test_a_condition_of_an_exact_solution(tmp_path: Path) -> None:
    """Refused are (1 - r) r^5 / (1 - r^6), which is 2 % at a load of 0.5292."""
    runs = Experiment(written(tmp_path, MM1K))
    tuning = Tuning(runs=runs, over={"arrivals": "0.1..2.0"}, greatest=["served"], where="refused <= 2%", trials=20)
    found = run_tuning(tuning)
    assert found.best is not None
    assert found.best.exact
    assert found.replications == 0
    assert found.certain
    assert float(found.best.values["arrivals"]) == pytest.approx(0.5292, rel=0.02)
    assert found.best.mean("refused") <= 0.02


def test_two_aims_give_a_front(tmp_path: Path) -> None:
    runs = Experiment(written(tmp_path, MM1K))
    tuning = Tuning(
        runs=runs, over={"arrivals": "0.1..2.0", "work": "1.0,1.5"}, greatest=["served"], least=["waiting"], trials=16
    )
    found = run_tuning(tuning)
    assert found.best is None
    assert len(found.front) >= 4
    served = [one.mean("served") for one in found.front]
    waiting = [one.mean("waiting") for one in found.front]
    assert np.argsort(served).tolist() == np.argsort(waiting).tolist()


@pytest.mark.slow
def test_a_store_goes_on(tmp_path: Path) -> None:
    """What was killed ends as if it had not been."""
    path = written(tmp_path, STAFF.replace("2000 h", "40000 h"))
    options = "--least cost --over agents=7..12 --trials 8 --json -q --simulate --threads 1 --max-replications 8"
    command = [sys.executable, "-m", "pnsim", "tune", str(path), *options.split()]
    whole = subprocess.run([*command, "--store", str(tmp_path / "a.db")], capture_output=True, check=True, text=True)
    store = tmp_path / "b.db"
    killed = subprocess.Popen([*command, "--store", str(store)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not store.exists() and killed.poll() is None:
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    again = subprocess.run([*command, "--store", str(store)], capture_output=True, check=True, text=True)
    assert json.loads(again.stdout) == json.loads(whole.stdout)


# ---------------------------------------------------------------- the command


@pytest.fixture(name="call")
def _call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, MM1K)
    return caller(capsys)


def test_the_command(call: Call) -> None:
    arguments = ("--greatest", "served", "--where", "refused < 5%", "--over", "arrivals=0.1..1.9", "--trials", "8")
    shown = call("tune", "mm1k.net", *arguments)
    assert shown.status == 0
    assert "best: --set arrivals=" in shown.out
    assert "exact  ✓" in shown.out


def test_a_file_of_measured_figures(call: Call) -> None:
    Path("m.csv").write_text("measure,value,error\nrefused,5%,0.2%\nserved,0.7 Hz,0.01 Hz\n", encoding="utf-8")
    shown = call("tune", "mm1k.net", "--match", "m.csv", "--over", "arrivals=0.1..1.9", "--over", "work=0.2..2.5")
    assert shown.status == 0, shown.err
    assert "0.737" in shown.out
    assert " ± " in shown.out


FILE = """net: mm1k.net
title: As many as possible
until: 4000 s
tune:
  over: {arrivals: 0.1..1.9, work: [0.5, 1.0]}
  greatest: served
  where: refused < 5%
  trials: 8
"""


def test_what_may_meet_the_condition_is_replicated_until_that_is_known(tmp_path: Path) -> None:
    """With eight agents, the cheapest, 2.10 calls wait (Erlang's formula); four runs say 2.37 ± 0.15."""

    def best(most: int) -> Tuned:
        options: dict[str, Any] = {"max_replications": most, "solve": False, "seed": 5}
        return petri.tune(
            written(tmp_path, STAFF), where="waiting < 2.25", over={"agents": [8, 9]}, least="cost", **options
        )

    few, more = best(4), best(128)
    assert few.best is not None
    assert more.best is not None
    assert (few.best.values["agents"], few.certain) == (9, False)
    assert (more.best.values["agents"], more.certain) == (8, True)


def test_a_file_asks_what_options_ask(call: Call) -> None:
    Path("best.yaml").write_text(FILE, encoding="utf-8")
    options = "--greatest served --over arrivals=0.1..1.9 --over work=0.5,1.0 --trials 8 --until".split()
    plain = call("tune", "mm1k.net", *options, "4000 s", "--where", "refused < 5%", "--json")
    assert plain.status == 0
    assert call("tune", "best.yaml", "--json").out == plain.out
    assert json.loads(call("tune", "best.yaml", "--trials", "4", "--json").out) != json.loads(plain.out)


def test_a_file_of_measured_figures_is_named_in_a_file(call: Call) -> None:
    Path("m.csv").write_text("measure,value,error\nrefused,5%,0.2%\n", encoding="utf-8")
    Path("match.yaml").write_text("net: mm1k.net\ntune: {over: {work: 0.2..2.5}, match: m.csv}\n", encoding="utf-8")
    found = json.loads(call("tune", "match.yaml", "--json").out)
    assert found["figures"]["refused"]["net"] == pytest.approx(0.05, abs=0.001)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("  ovr: {work: 1..2}\n", "best.yaml:9:3"),
        ("  match: ../../m.csv\n", "best.yaml:9:10"),
        ("replications: 5\n", "`replications` has no meaning beside `tune`"),
        ("grid: {work: [1, 2]}\n", "`over` says what varies"),
        ("  max-replications: 0\n", "a whole number of at least 1"),
        ("  within: 200%\n", "`200%` is not a tolerance"),
        ("  least: {served: 1}\n", "`least` must be a list of names"),
    ],
)
def test_mistakes_in_a_file_are_told_with_their_place(call: Call, wrong: str, said: str) -> None:
    Path("best.yaml").write_text(FILE + wrong, encoding="utf-8")
    shown = call("tune", "best.yaml")
    assert shown.status == 1
    assert said in shown.err


def test_ranges_in_a_file_are_told_with_their_place(call: Call) -> None:
    Path("best.yaml").write_text(FILE.replace("0.1..1.9", "1.9..0.1"), encoding="utf-8")
    assert "best.yaml:5:20" in call("tune", "best.yaml").err


def test_files_of_other_commands(call: Call) -> None:
    Path("best.yaml").write_text(FILE, encoding="utf-8")
    Path("sweep.yaml").write_text("net: mm1k.net\ngrid: {work: [1.0, 2.0]}\n", encoding="utf-8")
    assert "run it with `pnsim tune best.yaml`" in call("sweep", "best.yaml").err
    assert "run it with `pnsim sweep sweep.yaml`" in call("tune", "sweep.yaml").err


def test_pages_show_every_setting(call: Call) -> None:
    aims = ("--greatest", "served", "--over", "arrivals=0.1..1.9", "--over", "work=0.5,1.0", "--trials", "8")
    assert call("tune", "mm1k.net", *aims, "--report", "one.html").status == 0
    assert call("tune", "mm1k.net", *aims, "--least", "waiting", "--report", "two.html").status == 0
    Path("m.csv").write_text("measure,value,error\nrefused,5%,0.2%\n", encoding="utf-8")
    match = ("--match", "m.csv", "--over", "work=0.2..2.5", "--report", "match.html")
    assert call("tune", "mm1k.net", *match).status == 0
    plots = {name: Path(name).read_text(encoding="utf-8").count('class="plot waiting"') for name in (
        "one.html", "two.html", "match.html",
    )}  # fmt: skip
    assert plots == {"one.html": 2, "two.html": 5, "match.html": 1}


@pytest.mark.slow
def test_a_cluster_comes_to_the_same_end(call: Call) -> None:
    pytest.importorskip("distributed")
    arguments = ("tune", "mm1k.net", "--least", "waiting", "--over", "arrivals=0.5..1.9", "--where", "served > 0.6")
    how = ("--simulate", "--trials", "8", "--max-replications", "8", "--json", "-q")
    assert call(*arguments, *how, "--dask", "local").out == call(*arguments, *how).out


def test_in_python(tmp_path: Path) -> None:
    over = {"arrivals": "0.1..1.9", "work": [0.5, 1.0]}
    found = petri.tune(written(tmp_path, MM1K), where="refused < 5%", over=over, greatest="served", trials=8)
    assert found.best is not None
    assert found.best.values["work"] == 0.5
    with pytest.raises(TypeError, match="greates"):
        petri.tune("mm1k", greates="served")


def test_no_setting_meets_the_condition(call: Call) -> None:
    arguments = ("--least", "served", "--where", "refused < 0", "--over", "arrivals=0.5..1.9", "--trials", "4")
    shown = call("tune", "mm1k.net", *arguments)
    assert shown.status == 1
    assert "nearest to it: arrivals=" in shown.out
    assert "✗" in shown.out


def test_the_time_limit(call: Call, tmp_path: Path) -> None:
    written(tmp_path, STAFF)
    arguments = ("--least", "cost", "--over", "agents=7..40", "--until", "4000000 h", "--time-limit", "50 ms")
    shown = call("tune", "staff.net", *arguments)
    assert shown.status == 130
    assert "No setting has all its replications yet" in shown.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--over", "arrivals=0.1..1.9"), "write `--least cost`"),
        (("--least", "served"), "name one with its values"),
        (("--least", "served", "--over", "arrivals"), "--over buffer=1..64"),
        (("--least", "served", "--over", "arrival=1..2"), "did you mean `arrivals`?"),
        (("--least", "serve", "--over", "arrivals=0.1..2.0"), "no measure `serve`"),
        (("--least", "served", "--over", "arrivals=2.0..1.0"), "write the smaller end first"),
        (("--least", "served", "--over", "arrivals=0.1..2.0", "--set", "arrivals=1"), "`arrivals` is fixed"),
        (("--match", "m.csv", "--least", "served", "--over", "arrivals=0.1..2.0"), "calibrate first"),
        (("--match", "m.csv", "--over", "arrivals=0.1..2.0"), "name a file whose rows are"),
        (("--match", "mm1k.net", "--over", "arrivals=0.1..2.0"), "its first line is `measure,value,error`"),
    ],
)
def test_refusals(call: Call, arguments: tuple[str, ...], said: str) -> None:
    shown = call("tune", "mm1k.net", *arguments)
    assert shown.status == 2
    assert said in shown.err


def test_without_optuna(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    shown = call("tune", "mm1k.net", "--least", "served", "--over", "arrivals=0.1..1.9")
    assert shown.status == 2
    assert "pip install 'pnsim[tune]'" in shown.err
