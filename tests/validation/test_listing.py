"""The list of studies with their processor times, and the estimate while they run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from petri.validation import folders
from petri.validation.estimate import Estimate
from petri.validation.study import read_study
from petri.validation.suite import experiments
from petri.validation.wording import processor_time
from pnsim.terminal.validate_progress import ValidationProgress
from tests.cli.calling import caller
from tests.engines import REFERENCE

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]

NET = "net one place start = token transition go: start -> nothing measure fired = count(go) run until dead"
TIMES = "title: Buffers of routers\ntimes: {measured: today at home, seconds: {figure_1: 60, figure_2: 360}}\n"


@pytest.fixture
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write two studies below the current folder, one of them with times; processors are two."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for name in ("buffers", "queues"):
        folder = tmp_path / "validation" / name
        folder.mkdir(parents=True)
        (folder / "one.net").write_text(NET, "utf-8")
        for figure in ("figure_1", "figure_2"):
            (folder / f"{figure}.yaml").write_text("net: one.net\nreplications: 2\n", "utf-8")
    (tmp_path / "validation" / "buffers" / "study.yaml").write_text(TIMES, "utf-8")
    return tmp_path / "validation"


def test_without_a_name_the_studies_are_listed_with_their_times(studies: Path, capsys: Capture) -> None:
    found = caller(capsys)("validate")
    lines = [line.split() for line in found.out.splitlines()]
    assert found.status == 0
    assert ["buffers", "2", "7", "min", "Buffers", "of", "routers"] in lines, "420 s, on however many processors"
    assert ["queues", "2", "–"] in lines
    assert ["all", "4", "–"] in lines, "the time of all is unknown if that of one is"
    said = "Processor time is that of all processors together; the 2 processors of this machine, if idle, share it."
    assert f"{said} Measured: today at home." in " ".join(found.out.split())
    assert not Path("validation-results").exists(), "nothing ran"
    (studies / "queues" / "study.yaml").write_text("times: {seconds: {figure_1: 7000, figure_2: 5000.5}}", "utf-8")
    again = [line.split() for line in caller(capsys)("validate").out.splitlines()]
    assert ["queues", "2", "3", "h", "20", "min"] in again
    assert ["all", "4", "3", "h", "27", "min"] in again


def test_an_option_of_a_run_without_a_name_is_refused(studies: Path, capsys: Capture) -> None:
    found = caller(capsys)("validate", "--report", "pages")
    assert found.status == 2
    assert "name a study, or run all with `pnsim validate all --report …`" in found.err
    assert not Path("pages").exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("[1]", "expected title"),
        ("titel: x", "expected title"),
        ("times: 7 min", "expected title"),
        ("times: {seconds: {figure_1: long}}", "the seconds of figure_1 are not a positive number"),
        ("times: {seconds: {figure_1: 0}}", "the seconds of figure_1 are not a positive number"),
        ("times: {", "study.yaml"),
    ],
)
def test_a_study_file_that_makes_no_sense_is_refused(studies: Path, capsys: Capture, wrong: str, said: str) -> None:
    (studies / "buffers" / "study.yaml").write_text(wrong, "utf-8")
    for arguments in ([], ["buffers"]):
        found = caller(capsys)("validate", *arguments)
        assert found.status in (1, 2)
        assert said in found.err
        assert "study.yaml" in found.err


@pytest.mark.parametrize("name", folders(ROOT / "validation"))
def test_the_project_s_studies_have_titles_and_times(name: str) -> None:
    folder = folders(ROOT / "validation")[name]
    study = read_study(folder)
    assert study.title
    assert study.measured
    assert set(study.seconds) == set(experiments(folder)), "run `python validation/usual_times.py`"


def test_the_progress_says_how_much_is_left_of_all(studies: Path, capsys: Capture) -> None:
    found = caller(capsys)("validate", "all", *REFERENCE)
    headings = [line for line in found.err.splitlines() if line.startswith(("buffers/", "queues/"))]
    assert headings[0] == "buffers/figure_1  1 of 4 experiments  all: 14:00 left", "unknown: the mean of the others"
    assert [line.split("  ")[0] for line in headings] == [
        "buffers/figure_1",
        "buffers/figure_2",
        "queues/figure_1",
        "queues/figure_2",
    ]
    again = caller(capsys)("validate", "all", *REFERENCE, "--quiet")
    assert again.err == ""


def test_the_estimate_learns_the_speed_of_this_machine() -> None:
    estimate = Estimate([100.0, 300.0], workers=2)
    estimate.begin()
    assert estimate.left == pytest.approx(200.0), "as usual, on two processors"
    estimate.look(share=0.5, here=0.5, seconds=100.0)
    assert 500.0 < (estimate.left or 0) < 700.0, "350 are left, at two seconds for each, less what was usual"
    estimate.look(share=1.0, here=1.0, seconds=200.0)
    estimate.begin()
    assert 500.0 < (estimate.left or 0) < 600.0
    estimate.look(share=1.0, here=1.0, seconds=800.0)
    assert estimate.left == 0.0


def test_what_is_in_a_store_is_done_but_says_nothing_of_the_speed() -> None:
    estimate = Estimate([100.0, 300.0], workers=1)
    estimate.begin()
    estimate.look(share=1.0, here=0.0, seconds=0.01)
    assert estimate.left == pytest.approx(300.0)


def test_without_usual_times_the_estimate_waits_for_the_first_work() -> None:
    estimate = Estimate([None, None], workers=1)
    estimate.begin()
    assert estimate.left is None
    estimate.look(share=0.5, here=0.5, seconds=10.0)
    assert estimate.left == pytest.approx(30.0)


@pytest.mark.parametrize("room", [20, 30, 40, 60, 100])
def test_a_heading_is_never_cut(room: int) -> None:
    estimate = Estimate([100.0, 300.0], workers=1)
    progress = ValidationProgress(["dynamic_buffering/figure_10", "reordering/figure_1"], estimate)
    estimate.begin()
    parts = "dynamic_buffering/figure_10  1 of 2 experiments  all: 6:40 left".split("  ")
    heading = progress.heading(room)
    assert len(heading) <= room
    assert heading
    assert set(heading.split("  ")) <= set(parts)


def test_seconds_are_shown_as_long_as_they_are_short() -> None:
    assert [processor_time(work) for work in (0.1, 50, 89, 95, 60 * 90, 60 * 130)] == [
        "1 s",
        "50 s",
        "89 s",
        "2 min",
        "90 min",
        "2 h 10 min",
    ]


def usual_times() -> ModuleType:
    spec = importlib.util.spec_from_file_location("usual_times", ROOT / "validation" / "usual_times.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_measured_times_leave_the_other_entries_of_a_study(studies: Path) -> None:
    study = studies / "buffers" / "study.yaml"
    study.write_text(TIMES + "fitting: {seed: 25, offered: {transmit: load}}\n", "utf-8")
    before = read_study(studies / "buffers")
    usual_times().measure(studies / "buffers")
    after = read_study(studies / "buffers")
    assert after.measured != before.measured
    assert (after.title, after.fitting) == (before.title, before.fitting)


def test_the_times_of_one_experiment_leave_those_of_the_others(studies: Path) -> None:
    usual_times().measure(studies / "buffers", "figure_1")
    after = read_study(studies / "buffers")
    assert after.seconds["figure_1"] < 60
    assert after.seconds["figure_2"] == 360
