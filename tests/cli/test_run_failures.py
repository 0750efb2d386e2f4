"""What the command line says of a run that fails, and of figures near the greatest double."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Call, caller
from tests.engines import ENGINES


@pytest.fixture
def pnsim(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


def written(folder: Path, text: str) -> str:
    path = folder / "a.net"
    path.write_text(f"net a\n{text}\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("time", "given"),
    [
        ("exp(0.0 - n)", "mean = -1"),
        ("uniform(3.5 * n..2.0)", "low = 3.5 and high = 2"),
        ("normal(0.0, 1.0, 40.0 * n..50.0)", "mean = 0, sd = 1, low = 40 and high = 50"),
    ],
)
def test_a_parameter_outside_its_domain_is_shown(
    pnsim: Call, tmp_path: Path, engine: str, time: str, given: str
) -> None:
    net = written(tmp_path, f"place a : int = 1\ntransition t: a(n) -> nothing  takes {time}\nrun until dead")
    ran = pnsim("run", net, "--engine", engine)
    assert f"\n  note: here {given}\n" in ran.err


@pytest.mark.parametrize("engine", ENGINES)
def test_firings_without_end_at_an_instant_have_a_place_in_the_source(pnsim: Call, tmp_path: Path, engine: str) -> None:
    net = written(tmp_path, "place a = token\nplace b\ntransition t: a -> b\ntransition u: b -> a\nrun until 10")
    ran = pnsim("run", net, "--engine", engine, "--max-instant", "100")
    assert "a.net:4:1" in ran.err
    assert "\n4 | transition t: a -> b\n" in ran.err


@pytest.mark.parametrize("replications", ["1", "3"])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_mean_of_values_near_the_greatest_double_is_one(
    pnsim: Call, tmp_path: Path, engine: str, replications: str
) -> None:
    """Their sum is none: the mean is then that of the buckets."""
    body = "place a = 4 * token\ntransition t: a -> a  takes 1\n"
    figure = "if tokens(a) > 2 then 1.6e308 else if tokens(a) > 1 then 0.0 - 1.7e308 else 1.7e308"
    net = written(tmp_path, f"{body}measure big = {figure} at t  record mean, std\nrun until 100")
    ran = pnsim("run", net, "--json", "--engine", engine, "--replications", replications)
    record = json.loads(ran.out)["measures"][0]["record"]
    # Two of four values are 1.6, one is 1.7, one is −1.7.
    assert record["mean"]["value"] == pytest.approx(0.8e308, rel=0.02)
    assert record["std"]["value"] == pytest.approx(1.444e308, rel=0.02)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("after 1  speed tokens(p) - 99", "the speed of the clock is negative"),
        ("after 1.0 * n", "the net would have more than 200 clocks"),
        ("after 3.0 - n", "the firing time is negative"),
    ],
)
def test_the_errors_of_clocks_name_the_transition(
    pnsim: Call, tmp_path: Path, engine: str, clauses: str, message: str
) -> None:
    places = "place p : int = i for i in 1..20"
    net = written(tmp_path, f"{places}\ntransition pair: p(n), p(m) -> nothing  {clauses}\nrun until 100")
    ran = pnsim("run", net, "--engine", engine, "--max-tokens", "200")
    assert message in ran.err
    assert "transition `pair`" in ran.err
