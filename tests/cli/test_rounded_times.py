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


def test_nothing_is_told_of_exact_times(call: Call, write: Callable[..., str]) -> None:
    exact = write(NEARLY.replace("133.333333", "125"))
    assert "rounded" not in call("run", exact).err
    assert "inexact" not in json.loads(call("run", exact, "--json").out)
