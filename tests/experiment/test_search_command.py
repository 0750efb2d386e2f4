"""`pnsim search` as a user's shell sees it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.calling import Call, caller
from tests.experiment.test_search import FILE, MD1K

OPTIONS = ("--find", "load", "--in", "0.2..1.2", "--while", "loss <= 2%", "--resolution", "0.1", "--until", "500")
SHORT = (*OPTIONS, "--max-replications", "20", "--seed", "3", "--set", "seats=4")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "md1k.net").write_text(MD1K, encoding="utf-8")
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    return caller(capsys)


def test_the_table_and_the_answer(call: Call) -> None:
    found = call("search", "md1k.net", *SHORT)
    assert found.status == 0
    assert found.out.startswith("md1k: largest load with loss <= 2%\n")
    assert re.search(r"^load +n +loss", found.out, re.MULTILINE)
    assert re.search(r"^ 1.2 +fails +\d+ +0\.\d+ ± 0\.\d+", found.out, re.MULTILINE)
    assert re.search(
        r"^load = (0\.\d); it fails at 0\.\d\. Right with a probability of at least \d+%$", found.out, re.MULTILINE
    )
    assert found.err.splitlines()[0] == "load=0.2  n 10  holds"


@pytest.mark.slow
def test_a_file_gives_the_same(call: Call) -> None:
    """Options override the file."""
    options = call("search", "md1k.net", *SHORT, "--confidence", "90%", "--no-growth-check", "--json", "-q")
    file = call("search", "s.yaml", "--json", "-q")
    assert file.status == options.status == 0
    data, other = json.loads(file.out), json.loads(options.out)
    assert data["found"] == other["found"]
    assert data["find"] == "load"
    assert data["while"] == "loss <= 2%"
    assert data["found"][0]["status"] == "found"
    assert [one["holds"] for one in data["found"][0]["tried"]] == sorted(
        (one["holds"] for one in data["found"][0]["tried"]), reverse=True
    )
    coarser = json.loads(call("search", "s.yaml", "--resolution", "0.5", "--json", "-q").out)
    assert [one["value"] for one in coarser["found"][0]["tried"]] == [0.2, 0.7, 1.2]


@pytest.mark.slow
def test_a_grid_gives_a_row_for_each_point(call: Call) -> None:
    found = call("search", "md1k.net", *OPTIONS, "--max-replications", "20", "--grid", "seats=2,8", "-q")
    assert found.status == 0
    assert re.search(r"^seats +load +fails at +right +n +loss", found.out, re.MULTILINE)
    assert len(re.findall(r"^ +[28] +0\.\d", found.out, re.MULTILINE)) == 2


def test_a_page_and_a_table(call: Call, tmp_path: Path) -> None:
    found = call("search", "md1k.net", *SHORT, "--report", "s.html", "--export", "s.csv", "-q")
    assert found.status == 0
    page = (tmp_path / "s.html").read_text(encoding="utf-8")
    assert "What was found" in page
    assert "Right with a probability of at least" in page
    assert "loss along load" in page
    assert "pnsim rerun" not in page  # there is no store
    rows = (tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("load,replication,seed,loss")


REFUSED = [
    (("md1k.net",), "search-option-missing", "`--find` is missing"),
    (("md1k.net", *SHORT, "--find", "scheme"), "search-not-numeric", "true or false"),
    (("md1k.net", *SHORT, "--while", "load < 1"), "search-of-parameter", "known before a run"),
    (("md1k.net", *SHORT, "--confidence", "all"), "search-confidence", "95%"),
    (("s.yaml", "--grid", "seats=1,2"), "grid-of-file", "in the file"),
    (("nothing.net", *SHORT), "unknown-net", "nothing.net"),
]


@pytest.mark.parametrize(("arguments", "identifier", "told"), REFUSED, ids=[one[1] for one in REFUSED])
def test_what_is_refused(call: Call, arguments: tuple[str, ...], identifier: str, told: str) -> None:
    found = call("search", *arguments)
    assert found.status == 2
    assert found.out == ""
    assert f"error[{identifier}]" in found.err
    assert told in found.err


def test_a_range_that_is_too_high_or_too_low(call: Call) -> None:
    high = call("search", "md1k.net", *SHORT, "--in", "1..1.2", "-q")
    assert high.status == 1
    assert (
        "error[search-fails-at-start]: `loss <= 2%` does not hold at the first end of the range, load = 1: loss"
        in high.err
    )
    low = call("search", "md1k.net", *SHORT, "--in", "0.1..0.3", "-q")
    assert low.status == 1
    assert "error[search-holds-to-end]: `loss <= 2%` still holds at the last end of the range, load = 0.3" in low.err
    assert "extend the range" in low.err


def test_the_other_way_round_is_suggested(call: Call) -> None:
    found = call("search", "md1k.net", *SHORT, "--in", "1.2..0.2", "-q")
    assert found.status == 1
    assert "write the range the other way round: 0.2..1.2" in found.err


def test_an_answer_that_is_not_certain_is_noted(call: Call) -> None:
    found = call("search", "md1k.net", *SHORT, "--max-replications", "2", "--resolution", "0.01")
    assert found.status == 0
    assert "?" in found.out
    assert "note[search-uncertain]" in found.err
    assert "--max-replications" in found.err


@pytest.mark.slow
def test_growth_is_noted(call: Call) -> None:
    options = ("--find", "load", "--in", "0.5..1.5", "--while", "loss == 0", "--resolution", "0.25")
    found = call("search", "md1k.net", *options, "--set", "seats=90000", "--until", "2000")
    assert "note[search-grows]: at load = " in found.err
    assert "`queue` still grows at their end" in found.err
    assert "grows" in found.out
