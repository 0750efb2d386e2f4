"""`pnsim sensitivity` as a user's shell sees it, its page, and what a notebook shows."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

import petri
from petri.experiment.sensitivity import overall
from tests.cli.calling import Call, caller

SHORT = ("--until", "6_000 min", "-q")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return caller(capsys)


def test_the_table_is_ordered_by_effect(call: Call) -> None:
    found = call("sensitivity", "mm1k", "--exact", "--measure", "refused")
    assert found.status == 0
    rows = [line.split()[0] for line in found.out.splitlines()[5:]]
    assert sorted(rows) == ["arrive", "load", "seats", "seats", "serve"]
    changes = [abs(float(one)) for one in re.findall(r"([+-]\d+\.\d+)%", found.out)]
    assert changes == sorted(changes, reverse=True)
    assert "+31.32%" in found.out
    assert "exact differences" in found.out


def test_runs_have_intervals_and_name_what_is_noise(call: Call) -> None:
    found = call("sensitivity", "reneging", *SHORT, "-n", "10", "--measure", "lost_fixed")
    assert found.status == 0
    assert re.search(r"^service +\+10% +\+\d+\.?\d* ± \d", found.out, re.MULTILINE)
    assert "no change at all: leave_1" in found.out
    assert all(len(line) <= 80 for line in found.out.splitlines())
    every = call("sensitivity", "reneging", *SHORT, "-n", "10", "--measure", "lost_fixed", "--all")
    assert re.search(r"^leave_1 .* none$", every.out, re.MULTILINE)


def test_json_has_everything(call: Call) -> None:
    only = ("--measure", "idle", "--over", "load")
    data = json.loads(call("sensitivity", "mm1k", "--until", "3_000", "-q", *only, "--json").out)
    assert (data["replications"], data["seed"], data["exact"]) == (10, 1, False)
    (one,) = data["effects"]["idle"]
    assert (one["name"], one["kind"], one["change"], one["certain"]) == ("load", "parameter", "+10%", True)
    assert one["slope"]["value"] == pytest.approx(one["effect"]["value"] / 0.08)
    assert one["relative"]["value"] == pytest.approx(one["effect"]["value"] / data["measures"]["idle"]["value"])


def test_the_page_has_a_tornado_for_each_figure(call: Call, tmp_path: Path) -> None:
    assert call("sensitivity", "mm1k", "--exact", "--measure", "refused", "--report", "page.html").status == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"orientation":"h"' in page.replace(" ", "")
    assert "seats 5 → 4" in page
    assert "5 → 6" in page


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("mm1k", "--over", "lod"), "did you mean `load`?"),
        (("mm1k", "--over", "load=0.1..0.2"), "only --global follows figures over ranges"),
        (("mm1k", "--report", "page.txt"), "page.html"),
        (("md1", "--exact"), "or simulate"),
        (("mm1k", "--global", "--over", "load=1:2"), "1..2"),
        (("nothing",), "nothing"),
    ],
)
def test_refusals_say_what_works(call: Call, arguments: tuple[str, ...], sentence: str) -> None:
    found = call("sensitivity", *arguments, "-q")
    assert found.status == 2 or "exact" in found.err
    assert sentence in found.err


def test_a_net_on_stdin_can_be_changed_and_the_time_limit_keeps_what_is_done(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "net t\nparam x = 1.0\nparam sizes = [1, 2]\nplace a = token\ntransition t: a -> a  takes exp(x)\n"
    for limit, status, told in (("1 h", 0, "`sizes` could not be changed"), ("0.000001 s", 130, "interrupted after")):
        stdin = io.TextIOWrapper(io.BytesIO((text + "measure f = rate(t)\nrun until 2_000\n").encode()))
        monkeypatch.setattr("sys.stdin", stdin)
        found = call("sensitivity", "-", "--time-limit", limit)
        assert found.status == status
        assert told in found.out + found.err
        assert ("+10%" in found.out) == (status == 0)


def test_without_the_library_global_is_refused_in_a_sentence(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "SALib.sample", None)
    found = call("sensitivity", "mm1k", "--global", "-q")
    assert found.status == 2
    assert "pip install 'pnsim[sensitivity]'" in found.err


@pytest.mark.slow
def test_global_tables_have_shares_of_the_variance(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("SALib")
    monkeypatch.setattr(overall, "PATHS", 4)
    found = call("sensitivity", "mm1k", "--global", "--exact", "--samples", "4", "--measure", "idle", "--over", "load")
    assert found.status == 0
    assert re.search(r"^load +±10% +\d+ ± \d+ %", found.out, re.MULTILINE)
    assert "deviation" in found.out


def test_a_notebook_shows_the_tables() -> None:
    found = petri.load("mm1k").sensitivity(exact=True, measures=["refused"])
    assert repr(found).startswith("Sensitivity mm1k: exact differences of 15 nets; refused: seats")
    assert "<table" in found._repr_html_()
    assert len(found.to_pandas()) == 5
    drawn = found.figure("refused").to_dict()
    assert drawn["data"][0]["orientation"] == "h"
    assert list(drawn["data"][0]["x"]) == sorted(drawn["data"][0]["x"], key=abs)
