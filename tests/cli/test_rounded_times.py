"""A run says which constant times are rounded to ticks, and by how much."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import petri

from .calling import Call

NET = """
time ns{resolution}
place a = token
place b = token
transition ea: a -> a  takes 1 / (133.333333 MHz)
transition eb: b -> b  takes 1 / (156.25 MHz)
transition ec: b -> b  takes 1 / (161.1328125 MHz)
run until 1 us
"""
NEARLY, COARSE = NET.format(resolution=""), NET.format(resolution=" resolution 1 ns")


def test_a_run_tells_what_is_rounded(call: Call, write: Callable[..., str]) -> None:
    nearly, coarse = write(NEARLY), write(COARSE, "coarse.net")
    assert "note[rounded-times]: constant times are rounded to ticks of " in call("run", nearly).err
    assert call("run", nearly, "--quiet").err == ""
    told = call("run", coarse, "--quiet").err
    assert "warning[rounded-times]" in told
    assert "ticks of 1 ns: 7.500000019 ns (+6.67e+04 ppm), 6.4 ns (-6.25e+04 ppm) and" in told


def test_json_and_pages_tell_it_too(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    nearly, coarse = write(NEARLY), write(COARSE, "coarse.net")
    ((time, error, ppm),) = (one.values() for one in json.loads(call("run", nearly, "--json").out)["inexact"])
    assert time == 7.50000001875
    assert error == pytest.approx(time * ppm / 1e6)
    assert 0 < abs(ppm) < 1e-6
    page = tmp_path / "page.html"
    call("run", coarse, "--report", str(page))
    said = "Constant times are rounded to ticks of 1 ns: 7.500000019 ns (+6.67e+04 ppm)"
    assert said in page.read_text(encoding="utf-8")
    assert said in petri.load(coarse).run()._repr_html_()


@pytest.mark.parametrize(
    "study",
    [
        ("sweep", "coarse.net", "-n", "1"),
        ("search", "coarse.net", "--find", "load", "--in", "0..1", "--while", "loss < 2", "--max-replications", "2"),
        ("rfc2544", "coarse.net", "--in", "0.5..1", "--max-replications", "2", "-n", "1"),
    ],
)
def test_pages_of_studies_tell_it(
    call: Call, write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(COARSE + "param load = 0.5\nmeasure loss = mean(a) * load\n", "coarse.net")
    call(*study, "-q", "--report", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("Constant times are rounded to ticks of 1 ns: 7.500000019 ns (+6.67e+04 ppm)") == 1


SHORT = """
time h
place up = token
place down : Bytes = 64 B
place twin = token
transition fail: up -> up  takes {fail}
transition back: down(x) -> down(x)  takes {back}
transition draw_: twin -> twin  draw w ~ {back}  takes w
run until 1_000_000_000 h
"""


@pytest.mark.parametrize(
    ("time", "becomes"),
    [
        ("lognormal(2 us, 3)", "about 7.3e-07 h instead of 5.6e-10 h"),
        ("uniform(0 us..2 us)", "about 7.3e-07 h instead of 2.8e-10 h"),
        ("0.5 * erlang(2, 0.2 ms)", "about 7.3e-07 h instead of 2.8e-08 h"),
        ("choice(exp(1 ms): 1, exp(3 ms): 2)", "about 9.6e-07 h instead of 6.5e-07 h"),
    ],
)
def test_a_run_tells_what_becomes_of_random_times(
    call: Call, write: Callable[..., str], tmp_path: Path, time: str, becomes: str
) -> None:
    short = write(SHORT.format(fail="exp(100_000 h)", back=time))
    said = f"random times of `back` are rounded to ticks of 7.275957614e-07 h: their mean becomes {becomes}"
    for told in (call("check", short).out, call("run", short, "--max-firings", "50", "--quiet").err):
        assert f"warning[coarse-time]: {said}" in told
        assert f"warning[coarse-time]: {said.replace('back', 'draw_')}" in told
    page = tmp_path / "page.html"
    told = call("run", short, "--max-firings", "50", "--report", str(page), "--json").out
    assert [one["message"] for one in json.loads(told)["cautions"]] == [said, said.replace("back", "draw_")]
    assert "Random times of back are rounded" in page.read_text(encoding="utf-8").replace("`", "")


def test_a_run_tells_that_times_were_short_where_only_it_can_know(call: Call, write: Callable[..., str]) -> None:
    """The mean depends on the token; there is no room for times of that many bytes."""
    short = write(SHORT.format(fail="exp(100_000 h)", back="exp(x / 1 Gbps)").replace("transition draw_", "# "))
    assert "coarse-time" not in call("check", short).out
    told = call("run", short, "--max-firings", "500").err
    assert (
        "note[short-times]: random times of `back` have had 1 ticks on average, and are rounded to whole ticks of"
        in told
    )
    assert "rounded-times" not in told


def test_nothing_is_told_of_random_times_with_many_ticks(call: Call, write: Callable[..., str]) -> None:
    long = write(SHORT.format(fail="exp(100_000 h)", back="exp(200 ms)"))
    assert "coarse-time" not in call("check", long).out
    told = call("run", long, "--max-firings", "500", "--json")
    assert "cautions" not in json.loads(told.out)


def test_nothing_is_told_of_exact_times(call: Call, write: Callable[..., str]) -> None:
    exact = write(NEARLY.replace("133.333333", "125"))
    assert "rounded" not in call("run", exact).err
    assert "inexact" not in json.loads(call("run", exact, "--json").out)
