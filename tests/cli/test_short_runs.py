"""What a user sees of figures whose run was too short for an interval."""

from __future__ import annotations

import json
import re

import pytest

from petri.report.telling.run_length import run_length_note
from tests.cli.calling import Call


def test_the_summary_marks_them_and_says_what_length_would_do(call: Call) -> None:
    out = call("run", "mm1", "--set", "load=0.9", "--until", "5000").out
    assert re.search(r"^customers +\d\.\d+ ±\?  ✗ FAILED", out, re.MULTILINE)
    note = " ".join(out[out.index("±?: ") :].split())
    assert re.match(r"±\?: the run is too short .* a run until about \d+,000 should give (one|the first)", note)


def test_a_long_run_has_no_note(call: Call) -> None:
    out = call("run", "mm1", "--set", "load=0.5", "--until", "50000").out
    assert re.search(r"^customers +[\d.]+ ± [\d.]+ ", out, re.MULTILINE)
    assert "±?" not in out


def test_replications_need_no_length(call: Call) -> None:
    assert "±?" not in call("run", "mm1", "--set", "load=0.9", "--until", "1000", "--replications", "3").out


def test_json_tells_how_much_longer(call: Call) -> None:
    found = json.loads(call("run", "mm1", "--set", "load=0.9", "--until", "5000", "--json").out)
    customers = found["measures"][0]
    assert customers["half_width"] is None
    assert customers["longer"] > 1.5
    assert customers["expectations"][0]["certain"] is None
    long = json.loads(call("run", "mm1", "--until", "50000", "--json").out)
    assert "longer" not in long["measures"][0]


@pytest.mark.parametrize(
    ("longer", "extensible", "said"),
    [
        ([float("nan")], True, ""),
        ([2.0], True, "a run until about 200 should give one"),
        ([1.52, 3.7], True, "a run until about 200 should give the first, until about 400 all of them"),
        ([float("inf")], True, "too short for a 95 % interval; --replications 10 gives one"),
        ([2.0], False, "too short for a 95 % interval; --replications 10 gives one"),
    ],
)
def test_the_note(longer: list[float], extensible: bool, said: str) -> None:
    note = run_length_note(longer, 0.0, 100.0, extensible, lambda time: f"{time:g}")
    assert said in note
    assert bool(note) == bool(said)
