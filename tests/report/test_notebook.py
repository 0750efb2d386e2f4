"""What a notebook shows: representations, HTML without scripts, drawings, progress, completion, the example."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import petri
from petri.experiment import Experiment, Outcome
from petri.model import Model
from petri.report.notebook.plots import Axis, round_values
from petri.result import Result
from petri.run.progress import Progress
from tests.report.test_html import HOSTILE, QUEUE, hostile_net

ROOT = Path(__file__).resolve().parents[2]
VOID = {"img", "br"}


class Elements(HTMLParser):
    """The elements of a fragment, which must be closed in order, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def model() -> Model:
    return petri.loads(QUEUE)


@pytest.fixture(scope="module")
def result(model: Model) -> Result:
    return model.run()


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("sweep")
    points = [{"load": load} for load in (0.3, 0.5, 0.7)]
    return Experiment(net="mm1", points=points, replications=3, until=2_000.0).run(folder / "mm1.db")


def test_representations_are_one_short_line(model: Model, result: Result, outcome: Outcome) -> None:
    for shown in (model, result, outcome, model.draw(), result.measures[0]):
        assert "\n" not in repr(shown)
        assert len(repr(shown)) < 300
    assert repr(petri.load("mm1")) == "Model mm1: 3 places, 2 transitions, 4 measures; load = 0.5"
    assert repr(result).startswith(f"Result {result.net.name}: {result.asked} replication")
    assert result.measures[0].name in repr(result)
    assert repr(outcome) == "Outcome mm1: 3 points over load, 9 replications, in mm1.db"


def test_a_result_shows_each_measure_with_its_unit() -> None:
    text = "time us\nplace p = token\ntransition t: p -> p takes exp(2 us)\nrun until 5 ms replications 3\n"
    result = petri.loads(text + "measure gap = time(t -> t) record mean, histogram\n").run()
    assert re.search(r"gap [\d.]+ ± [\d.]+ us", repr(result))
    for html in (result._repr_html_(), result.measure("gap")._repr_html_()):
        found = Elements(html)
        assert any(re.fullmatch(r"[\d.]+ ± [\d.]+ us", text) for text in found.texts)
        assert "path" in [tag for tag, _ in found.found], "the distribution is drawn"


def test_a_sweep_shows_its_points_and_a_curve_with_intervals(outcome: Outcome) -> None:
    found = Elements(outcome._repr_html_())
    tags = [tag for tag, _ in found.found]
    assert tags.count("tr") == 1 + len(outcome.points)
    assert tags.count("figure") == len(outcome.figures)
    assert [found.texts.count(text) for text in ("0.3", "0.5", "0.7")] == [1 + len(outcome.figures)] * 3, "ticks"
    assert tags.count("circle") == len(outcome.points) * len(outcome.figures)


@pytest.mark.parametrize("what", ["model", "result", "outcome", "measure"])
def test_a_hostile_net_injects_nothing(what: str, tmp_path: Path) -> None:
    net = hostile_net()
    result = Model(net).run()
    if what == "outcome":
        points: list[dict[str, int | str]] = [{HOSTILE: HOSTILE}, {HOSTILE: 2}]
        experiment = Experiment(net=lambda **_: net, points=points, replications=2, title=HOSTILE)
        html = experiment.run(tmp_path / "x.db")._repr_html_()
    else:
        shown = {"model": Model(net), "result": result, "measure": result.measures[0]}[what]
        html = shown._repr_html_()
    found = Elements(html)
    tags = {tag for tag, _ in found.found}
    assert not tags & {"script", "iframe", "object", "embed", "base", "form", "a", "link", "meta"}
    for tag, attributes in found.found:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert tag != "img" or (attributes["src"] or "").startswith("data:image/svg+xml;base64,")
    assert any("<img src=x onerror=alert(1)>" in text for text in found.texts), "it is shown as text"
    assert HOSTILE not in html


def test_a_drawing_is_well_formed_is_shown_and_saved(model: Model, tmp_path: Path) -> None:
    drawing = model.draw()
    ElementTree.fromstring(drawing._repr_svg_())
    assert drawing._repr_html_().startswith('<img src="data:image/svg+xml;base64,')
    drawing.save(tmp_path / "net.svg")
    drawing.save(tmp_path / "net.dot")
    assert (tmp_path / "net.svg").read_text(encoding="utf-8") == drawing.svg
    assert (tmp_path / "net.dot").read_text(encoding="utf-8").startswith("digraph")
    with pytest.raises(ValueError, match=r"\.svg or \.dot"):
        drawing.save(tmp_path / "net.png")
    ElementTree.fromstring(Model(hostile_net()).draw().svg)


def test_ticks_are_round_numbers() -> None:
    assert round_values(0.0, 0.17) == [0.0, 0.05, 0.1, pytest.approx(0.15)]
    assert [text for _, text in Axis(0.0, 4e-10, 0.0, 100.0).ticks()] == ["0", "1e-10", "2e-10", "3e-10", "4e-10"]
    assert [text for _, text in Axis(0.0, 3.0, 0.0, 100.0, logarithmic=True).ticks()] == ["1", "10", "100", "1,000"]


def test_light_and_dark_follow_the_notebook(result: Result) -> None:
    html = result._repr_html_()
    assert "prefers-color-scheme:dark" in html
    assert "[data-jp-theme-light=false] .pnsim" in html
    rules = re.search(r"<style>(.*?)</style>", html, re.S)
    assert rules is not None
    for rule in re.findall(r"([^{}]+)\{[^{}]*\}", rules[1]):
        assert all(".pnsim" in one for one in rule.split(",")), "no style reaches the rest of the notebook"


def test_progress_is_one_line_that_is_rewritten(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    model.run(replications=3, progress=True)
    out = capsys.readouterr().out
    assert out.startswith("\r")
    assert out.count("\n") == 1
    assert "100%" in out.rsplit("\r", 1)[1]
    assert "3 of 3 done" in out.rsplit("\r", 1)[1]


def test_the_progress_of_a_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = Experiment(net="mm1", points=[{"load": 0.5}], replications=2, until=2_000.0)
    experiment.run(tmp_path / "x.db", progress=True)
    last = capsys.readouterr().out.rsplit("\r", 1)[1]
    assert last.endswith("100%  1 of 1 points  2 of 2 replications\n")


def test_a_run_that_has_ended_is_at_its_end() -> None:
    assert Progress(2, 10.0, finished=2).time == 10.0
    assert Progress(2, 10.0, finished=1, running={1: (4.0, 9)}).time == 4.0


def test_completion_offers_the_public_names() -> None:
    assert {"load", "loads", "sweep", "Experiment", "compare", "check"} <= set(dir(petri))
    for name in petri.__all__:
        assert getattr(petri, name) is not None


def test_names_are_imported_when_they_are_needed() -> None:
    program = (
        "import sys, petri; dir(petri); print(sorted(set(sys.modules) & {'numpy', 'petri.report', 'petri.model'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_run_that_is_not_shown_loads_no_report() -> None:
    program = (
        "import sys, petri; petri.load('mm1').run(until=2000.0).measure('wait')\n"
        "print([name for name in sys.modules if name.startswith('petri.report') or name == 'petri.experiment'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_example_notebooks_run_in_a_kernel(path: Path, tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs"), "outputs are not kept: they would grow old"
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("<table" in data.get("text/html", "") for data in shown) >= 4
    assert any("image/svg+xml" in data for data in shown)
    streams = [output.text for output in outputs if output.output_type == "stream"]
    assert any("100%" in text for text in streams)
    assert any("did you mean `customers`?" in text for text in streams)
