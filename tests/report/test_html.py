"""The HTML page: nothing in a net can become markup, nothing is loaded, and the figures say what the run has found."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import subprocess
import zlib
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.experiment import Expected, Experiment, Store, stored_outcome
from petri.measure.histogram import Histogram
from petri.measure.intervals import Interval
from petri.model import Model
from petri.net import Net
from petri.report.html import figures as run_figures
from petri.report.html import recorded_report, run_report, sweep_report
from petri.report.html.marks import interval_mark, spark
from petri.report.html.markup import Markup, content, data, paragraphs, plotted, spoken, tag
from petri.report.html.page import MOST_FIGURES, Page, logarithmic, plotly_source
from petri.report.html.palette import DARK, LIGHT
from petri.report.html.tables import bars
from petri.report.notebook.plotly_figures import themed
from petri.report.telling.quantities import Units
from petri.result import Result
from petri.result.history import history
from petri.result.tables import Row
from petri.structs import replace
from tests.installed import BROWSER, needs_browser

from .browser import Browser

HOSTILE = """</script></style></title>--><img src=x onerror=alert(1)><script>alert(2)</script>"'`&amp;\x00\u202e"""

QUEUE = """
## A queue with everything to measure.
net queue
time us
param load = 0.7 in 0..1    ## share of time that the server works
type Packet = { seq: int, born: Time }
place source : int = 0
place wire   : Packet
place line   : Packet
place server = token
transition arrive: source(n) -> source(n + 1), wire(Packet(n, end))  takes exp(10 us / load)
transition cross:  wire(p) -> line(p)  takes exp(20 us)
transition serve:  line(p), server -> server  takes exp(10 us)
measure wait  = now - p.born at serve   record mean, p99, histogram  expect < 1 ns
measure order = reorder(serve, by 0, order p.seq)   record reordered_share
measure rate_ = rate(serve)   expect < 1e9 Hz
measure seen  = now - p.born at serve   record mean, series(1 ms)
run until 40 ms warmup 1 ms replications 3
"""


class Reader(HTMLParser):
    """What a browser would find: elements with their attributes, and the texts of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attributes)))
        if name == "script":
            self.scripts.append((dict(attributes), ""))

    def handle_data(self, text: str) -> None:
        if self.cdata_elem == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = (attributes, before + text)
        else:
            self.texts.append(text)

    def json(self, identifier: str) -> Any:
        return next(json.loads(text) for attributes, text in self.scripts if attributes.get("id") == identifier)


@pytest.fixture(scope="module")
def result() -> Result:
    return petri.loads(QUEUE).run()


@pytest.fixture(scope="module")
def page(result: Result) -> str:
    return run_report(result)


# ---------------------------------------------------------------- markup


def test_texts_become_escaped_and_markup_stays() -> None:
    assert (
        tag("p", HOSTILE[:12], tag("b", "&"), title='"<')
        == '<p title="&quot;&lt;">&lt;/script&gt;&lt;/s<b>&amp;</b></p>'
    )
    assert content("a", None, ["<", 3]) == "a&lt;3"
    assert isinstance(content("x"), Markup)
    assert tag("p", hidden=True, class_=None, data_step="in") == '<p hidden data-step="in"></p>'
    assert paragraphs("one `two`\n\nthree ` four") == "<p>one <code>two</code></p><p>three ` four</p>"


def test_data_cannot_end_its_element() -> None:
    written = data("x", {"name": HOSTILE})
    assert written.count("</script>") == 1
    assert "<!--" not in written
    inside = re.fullmatch(r'<script type="application/json" id="x">(.*)</script>', written, re.S)
    assert inside is not None
    assert "<" not in inside[1]
    assert json.loads(inside[1]) == {"name": HOSTILE}


def test_plotly_gets_no_markup_of_names() -> None:
    assert plotted('<a href="x">') == '&lt;a href="x"&gt;'


def hostile_net() -> Net:
    """Return a net of which every name and every text is hostile."""
    base = petri.loads(QUEUE).net
    return replace(
        base,
        name=HOSTILE,
        doc=HOSTILE,
        places=tuple(replace(p, name=p.name + HOSTILE, doc=HOSTILE) for p in base.places),
        transitions=tuple(replace(t, name=t.name + HOSTILE, doc=HOSTILE) for t in base.transitions),
        measures=tuple(
            replace(
                m,
                name=m.name + HOSTILE,
                doc=HOSTILE,
                expectations=tuple(replace(e, text=HOSTILE + "< 3") for e in m.expectations),
            )
            for m in base.measures
        ),
        parameters=tuple(replace(p, name=p.name + HOSTILE, doc=HOSTILE) for p in base.parameters),
    )


def check_harmless(text: str) -> Reader:
    """Check that there is no element, attribute or address that the page does not make itself."""
    found = Reader(text)
    names = {name for name, _ in found.elements}
    assert "img" not in names
    assert not names & {"iframe", "object", "embed", "base", "form", "a:script"}
    for name, attributes in found.elements:
        assert not [key for key in attributes if key.startswith("on")], (name, attributes)
        for key in ("href", "src"):
            assert (attributes.get(key) or "#").startswith(("#", "data:image/svg+xml,")), (name, attributes)
    own = [attributes for attributes, _ in found.scripts if not attributes]
    kinds = [attributes.get("id") for attributes, _ in found.scripts if attributes]
    assert len(own) == 1
    assert set(kinds) <= {"themes", "figures", "plotly"}
    assert text.count("<script") == len(kinds) + 1
    return found


def test_a_hostile_net_injects_nothing_into_the_page_of_a_run() -> None:
    net = hostile_net()
    found = check_harmless(run_report(Model(net).run()))
    assert any("<img src=x onerror=alert(1)>" in text for text in found.texts), "it is shown as text"
    for figure in found.json("figures"):
        assert "<img" not in json.dumps(figure)


def test_a_hostile_net_injects_nothing_into_the_page_of_a_sweep(tmp_path: Path) -> None:
    net = hostile_net()
    experiment = Experiment(
        net=lambda **_: net, points=[{HOSTILE: HOSTILE}, {HOSTILE: 2}], replications=2, title=HOSTILE
    )
    outcome = experiment.run(tmp_path / "x.db")
    found = check_harmless(sweep_report(outcome))
    for figure in found.json("figures"):
        assert "<img" not in json.dumps(figure)


def test_a_hostile_result_injects_nothing(result: Result) -> None:
    """Every text of a result may be hostile."""
    recorded = json.loads(json.dumps(result.to_dict()))
    recorded["net"] = recorded["doc"] = recorded["time_unit"] = HOSTILE
    for name in ("version", "engine", "python", "machine", "net_hash", "hash"):
        recorded["manifest"][name] = HOSTILE
    recorded["manifest"]["parameters"] = {HOSTILE: HOSTILE}
    span = {"file": HOSTILE, "line": 1, "column": 1, "end_line": 1, "end_column": 1}
    recorded["failure"] = {"message": HOSTILE, "notes": [HOSTILE], "hints": [HOSTILE], "span": span}
    remark = {"severity": "warning", "message": HOSTILE}
    recorded["recordings"] = [{"place": HOSTILE, "file": HOSTILE, "rows": 1, "complete": False, "remarks": [remark]}]
    recorded["unsettled"] = [{"kind": "measure", "name": HOSTILE, "dimension": HOSTILE, "early": 1.0, "late": 2.0}]
    for measure in recorded["measures"]:
        measure["name"] = measure["doc"] = measure["failure"] = HOSTILE
        for expectation in measure["expectations"]:
            expectation["text"] = f"{HOSTILE} > {HOSTILE}"
    for row in recorded["places"] + recorded["transitions"]:
        row["name"] = HOSTILE
    found = check_harmless(recorded_report(recorded))
    assert any("<img src=x onerror=alert(1)>" in text for text in found.texts), "it is shown as text"


@pytest.mark.parametrize("path", [
    "seconds", "manifest.seed", "manifest.until", "manifest.warmup", "manifest.replications", "replications.0.hash",
    "replications.0.ended", "replications.0.time", "measures.0.value", "measures.0.expectations.0.passed",
    "places.0.mean.value", "failure", "unsettled", "recordings", "packed",
])  # fmt: skip
def test_a_result_with_a_text_in_the_place_of_something_else_is_refused(result: Result, path: str) -> None:
    recorded = json.loads(json.dumps(result.to_dict()))
    *names, last = [int(name) if name.isdigit() else name for name in path.split(".")]
    place = recorded
    for name in names:
        place = place[name]
    place[last] = HOSTILE
    with pytest.raises(ValueError, match=r"Expected|Invalid|invalid|ASCII"):
        recorded_report(recorded)


# ---------------------------------------------------------------- the page


def test_the_page_loads_nothing_and_runs_only_its_own_scripts(page: str) -> None:
    found = check_harmless(page)
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}, "names of formats, not addresses"
    policy = next(a["content"] or "" for name, a in found.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    own = next(text for attributes, text in found.scripts if not attributes)
    for script in (own, plotly_source()):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy


def test_plotly_is_in_the_page_once_and_whole(page: str) -> None:
    packed = Reader(page).json("plotly")
    assert gzip.decompress(base64.b64decode(packed)).decode() == plotly_source()
    assert len(page) < 1_000_000


def test_plotly_is_what_was_published() -> None:
    """The hash of plotly.js-cartesian-dist-min 4.1.1."""
    found = hashlib.sha256(plotly_source().encode()).hexdigest()
    assert found == "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"


def test_colours_are_printed_and_contents_stay_on_a_phone(page: str) -> None:
    """A browser leaves backgrounds out, which the bars of a page are, unless the page asks for them."""
    printed = page.split("@media print")[1].split("</style>")[0]
    assert "print-color-adjust: exact" in printed
    assert ".plot.waiting::before" in printed
    phone = page.split("@media screen and (max-width: 40rem)")[1].split("@media")[0]
    assert re.search(r"nav \{ position: sticky; top: 0;", phone)


def test_a_page_without_figures_has_no_plotly() -> None:
    assert len(Page("empty", "test").html()) < 40_000


def test_headings_and_figures_are_told_to_those_who_do_not_see(page: str) -> None:
    found = Reader(page)
    levels = [int(name[1]) for name, _ in found.elements if re.fullmatch(r"h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    for name, attributes in found.elements:
        if "plot" in (attributes.get("class") or "").split():
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        if attributes.get("class") == "scroll":
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]
        if name == "th":
            assert attributes.get("scope") in ("row", "col")
    ids = {attributes["id"] for _, attributes in found.elements if "id" in attributes}
    links = {(a["href"] or "")[1:] for name, a in found.elements if name == "a"}
    assert links <= ids


def test_the_same_page_from_a_result_and_from_its_json(result: Result, page: str) -> None:
    assert recorded_report(json.loads(json.dumps(result.to_dict()))) == page


def test_the_verdict_stands_first(page: str) -> None:
    texts = " ".join(" ".join(Reader(page).texts).split())
    assert "✗ 1 of 2 expectations failed" in texts
    assert texts.index("1 of 2 expectations failed") < texts.index("value ± 95 %")
    assert "3 replications" in texts


def test_a_net_that_died_says_why() -> None:
    died = petri.loads("net d\nplace p = token\nplace q\nplace r\ntransition t: p, q -> r takes 1\nrun until 5").run()
    texts = " ".join(Reader(run_report(died)).texts)
    assert "The net died at 0" in texts
    assert "needs a token in q, which is empty" in texts


def with_lacks(lacks: list[Any]) -> dict[str, Any]:
    """Return the result of a net that died, as JSON, with other words on what its transitions lack."""
    recorded = petri.loads("place p = token  place q  transition t: p, q -> p takes 1").run(until=9.0).to_dict()
    packed = json.loads(zlib.decompress(base64.b64decode(recorded["packed"])))
    packed["lacks"] = lacks
    return {**recorded, "packed": base64.b64encode(zlib.compress(json.dumps(packed).encode())).decode()}


def test_a_result_of_an_earlier_version_does_not_say_why_its_net_died() -> None:
    page = recorded_report(with_lacks([["t", "needs a token in q, which is empty"]]))
    assert "why no transition can fire" not in page
    now = [{"transition": 0, "kind": "tokens", "places": [1], "needed": 1}]
    assert "needs a token in q" in recorded_report(with_lacks(now))


@pytest.mark.parametrize("wrong", [{"transition": 7}, {"places": [7]}, {"kind": "guard"}, {"kind": "none"}])
def test_a_page_refuses_lacks_that_are_not_of_the_net(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"of which it says|Invalid enum"):
        recorded_report(with_lacks([{"transition": 0, "kind": "tokens", "places": [1], **wrong}]))


def test_colours_have_contrast() -> None:
    """WCAG 2.1, 1.4.3: texts at least 4.5 to 1 against what they stand on."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for palette in (LIGHT, DARK):
        assert set(palette) == set(LIGHT)
        pairs = [(name, "paper") for name in ("ink", "soft", "accent", "pass", "fail", "warn")]
        pairs += [(name, f"{name}-paper") for name in ("pass", "fail", "warn")]
        for text, under in pairs:
            light, dark = sorted((luminance(palette[text]), luminance(palette[under])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, under)


# ---------------------------------------------------------------- figures


def test_plotly_accepts_every_figure(page: str, tmp_path: Path) -> None:
    graph = pytest.importorskip("plotly.graph_objects")
    experiment = Experiment(
        net="mm1",
        points=[{"load": load} for load in (0.2, 0.5, 0.8)],
        replications=2,
        until="2000",
        expected=[Expected("customers", 1.0, point={"load": 0.5}), Expected("customers", 9.0, point={"load": 0.8})],
    )
    sweep = sweep_report(experiment.run(tmp_path / "mm1.db"))
    figures = [*Reader(page).json("figures"), *Reader(sweep).json("figures")]
    assert len(figures) >= 8
    for figure in figures:
        graph.Figure(themed(figure))


def sample_of(values: list[float]) -> run_figures.Distribution:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    sample = run_figures.Distribution.of(histogram)
    assert sample is not None
    return sample


@pytest.mark.parametrize("zeros", [0, 3000])
def test_a_density_is_that_of_the_sample(zeros: int) -> None:
    """Heights times widths are the share of values; near the mean of an exponential sample they are its density."""
    values = np.random.default_rng(4).exponential(10.0, 50_000).tolist()
    sample = sample_of([0.0] * zeros + values)
    share = zeros / (zeros + len(values))
    assert sample.zeros == pytest.approx(share)
    figure = run_figures.density(sample, Units(), "")
    x, y = np.array(figure["data"][0]["x"]), np.array(figure["data"][0]["y"])
    area = float(np.sum(np.diff(x)[::2] * y[::2]))
    assert area == pytest.approx(1.0 - share, abs=0.004)
    middle = int(np.searchsorted(x[::2], 10.0))
    assert y[2 * middle] == pytest.approx((1 - share) * np.exp(-1.0) / 10.0, rel=0.1)


def test_a_wide_density_is_per_decade() -> None:
    values = np.random.default_rng(5).lognormal(0.0, 2.0, 20_000).tolist()
    figure = run_figures.density(sample_of(values), Units(), "")
    assert figure["layout"]["xaxis"]["type"] == "log"
    x, y = np.log10(np.array(figure["data"][0]["x"])), np.array(figure["data"][0]["y"])
    assert float(np.sum(np.diff(x)[::2] * y[::2])) == pytest.approx(1.0, abs=0.01)


def test_few_values_are_bars() -> None:
    figure = run_figures.density(sample_of([3.0] * 30 + [5.0] * 10 + [-2.0] * 10), Units(), "")
    assert figure["data"][0]["type"] == "bar"
    assert figure["data"][0]["x"] == [-2.0, 3.0, 5.0]
    assert figure["data"][0]["y"] == [0.2, 0.6, 0.2]


def test_a_tail_is_the_share_above() -> None:
    values = np.random.default_rng(6).exponential(1.0, 20_000).tolist()
    trace = run_figures.tail(sample_of(values), Units(), "")["data"][0]
    x, y = np.array(trace["x"]), np.array(trace["y"])
    assert np.all(np.diff(y) <= 0.0)
    assert float(np.interp(2.0, x, y)) == pytest.approx(np.exp(-2.0), rel=0.05)


def test_counts_leave_out_what_would_dwarf_them() -> None:
    figure = run_figures.counts([90.0, 6.0, 0.0, 4.0], 0, "n", skip_zero=True, open_ended=True)
    assert figure is not None
    assert figure["data"][0]["x"] == [1, 2, 3]
    assert figure["data"][0]["y"] == [0.06, 0.0, 0.04]
    assert figure["data"][0]["customdata"][-1] == "3 or more"
    assert figure["layout"]["xaxis"]["ticktext"] == ["1", "2", "≥ 3"]
    assert run_figures.counts([5.0, 0.0], 0, "n", skip_zero=True, open_ended=True) is None


def test_the_bar_of_all_greater_numbers_says_so_and_has_room() -> None:
    figure = run_figures.counts([1.0] * 256, 0, "n", skip_zero=False, open_ended=True)
    assert figure is not None
    axis = figure["layout"]["xaxis"]
    assert dict(zip(axis["tickvals"], axis["ticktext"], strict=True)) == {
        **{number: str(number) for number in (0, 50, 100, 150, 200)},
        255: "≥ 255",
    }
    assert axis["range"][0] < 0
    assert axis["range"][1] > 260
    for values, is_open in (([1.0] * 256, False), ([1.0] * 200 + [0.0] * 56, True)):
        closed = run_figures.counts(values, 0, "n", skip_zero=False, open_ended=is_open)
        assert closed is not None
        assert "ticktext" not in closed["layout"]["xaxis"]
    last = run_figures.counts([0.0] * 255 + [1.0], 0, "n", skip_zero=False, open_ended=True)
    assert last is not None
    assert last["layout"]["xaxis"]["ticktext"] == ["≥ 255"]


def test_a_course_has_the_averages_of_the_run() -> None:
    result = petri.load("mm1").run(until=20_000.0, warmup=100.0)
    ran = history(result.replications)
    assert ran is not None
    window = result.replications[0].window
    assert ran.edges[0] == pytest.approx(100.0)
    assert ran.edges[-1] == pytest.approx(20_000.0)
    widths = np.diff(ran.edges)
    assert ran.tokens @ widths == pytest.approx(window.integral, rel=1e-5)
    assert ran.rates @ widths == pytest.approx(window.firings, rel=1e-5)


def test_marks_lie_where_the_figures_do() -> None:
    mark = interval_mark(1.0, 0.5, "<", 4.0, 0.0)
    assert mark is not None
    centre = float(re.search(r'cx="([\d.]+)"', mark)[1])  # type: ignore[index]
    bound = float(re.findall(r'<rect x="([\d.]+)"', mark)[-1])
    assert centre < bound
    assert interval_mark(float("nan"), 1.0, "<", 4.0, 0.0) is None
    assert spark([0.0, 0.0]) is None
    assert spark([0.0, 1.0, 2.0]) is not None


# ---------------------------------------------------------------- sweeps


LOADED = """
param load = 1.0
place source = token
place queue
place server = token
transition arrive: source -> source, queue  takes exp(1 / load)
transition serve: queue, server -> server  takes exp(1)
measure waiting = mean(queue)
measure most = max(queue)
run until 4000
"""


@pytest.mark.parametrize("replications", [1, 4])
def test_points_without_interval_or_that_still_move_are_open(tmp_path: Path, replications: int) -> None:
    path = tmp_path / "queue.net"
    path.write_text(LOADED, encoding="utf-8")
    experiment = Experiment(net=str(path), grid={"load": [0.5, 1.5]}, replications=replications, measures=["waiting"])
    outcome = experiment.run(tmp_path / "queue.db")
    assert [bool(point.unsettled) for point in outcome.points] == [False, True]
    found = Reader(sweep_report(outcome))
    ((line,),) = [one["data"] for one in found.json("figures")]
    settled = "@sheet" if replications == 1 else "@s0"
    assert line["marker"]["color"] == [settled, "@sheet"]
    assert line["marker"]["line"]["color"] == "@s0"
    assert [one == "±?" for one in line["text"]] == [replications == 1] * 2
    assert "Open marks" in " ".join(found.texts)


def test_a_sweep_has_curves_maps_and_what_was_expected(tmp_path: Path) -> None:
    net = "net grid\nparam a = 1\nparam b = 1\nplace p = token\ntransition t: p -> p takes exp(a + b)\n"
    net += "measure speed = rate(t)\nrun until 400\n"
    (tmp_path / "grid.net").write_text(net)
    points = [{"a": a, "b": b} for a in (1, 2, 3) for b in (1, 2, 4)]
    expected = [
        Expected("speed", 0.5, point={"a": 1, "b": 1}, source="by hand"),
        Expected("speed", 9.0, point={"a": 3}, source="wrong"),
    ]
    experiment = Experiment(net=str(tmp_path / "grid.net"), points=points, replications=5, expected=expected)
    outcome = experiment.run(tmp_path / "grid.db")
    text = sweep_report(outcome)
    found = Reader(text)
    curves, heat = found.json("figures")
    assert [trace["name"] for trace in curves["data"]] == ["b 1", "b 2", "b 4", "expected", "missed"]
    for trace, b in zip(curves["data"], (1, 2, 4), strict=False):
        means = [outcome.point(a=a, b=b).interval("speed").mean for a in (1, 2, 3)]
        assert trace["y"] == pytest.approx(means)
        assert trace["error_y"]["array"][0] == pytest.approx(outcome.point(a=1, b=b).interval("speed").half_width)
        assert trace["marker"]["color"].startswith("@s")
    assert "Open marks" not in " ".join(found.texts)
    assert heat["data"][0]["type"] == "heatmap"
    assert heat["data"][0]["z"][2][0] == pytest.approx(outcome.point(a=1, b=4).interval("speed").mean, rel=1e-6)
    texts = " ".join(found.texts)
    assert "3 of 4 expected values were missed" in texts
    assert "by hand" in texts
    with Store.open(tmp_path / "grid.db") as store:
        assert sweep_report(stored_outcome(store)) == text


def test_a_sample_of_points_is_a_cloud_for_each_parameter(tmp_path: Path) -> None:
    values = np.random.default_rng(1).uniform(0.1, 0.8, 12).tolist()
    experiment = Experiment(
        net="mm1", points=[{"load": v} for v in values], replications=2, until="900", measures=["idle"]
    )
    text = sweep_report(experiment.run(tmp_path / "s.db"))
    (figure,) = Reader(text).json("figures")
    assert figure["data"][0]["x"] == sorted(values)


def test_a_page_has_its_limits() -> None:
    made = Page("many", "test")
    for _ in range(MOST_FIGURES + 5):
        last = made.figure({"data": []}, "x")
    assert len(made.figures) == MOST_FIGURES
    assert "left out" in last


@pytest.mark.slow
@needs_browser
def test_a_browser_draws_every_figure_without_scrolling(tmp_path: Path, page: str) -> None:
    """As it must for printing; with each kind of figure that pages have, of which the bundle may lack none."""
    heat = Page("heat", "test")
    kinds: list[dict[str, Any]] = [
        {"type": "heatmap", "z": [[1, 2], [3, 4]]},
        {"type": "bar", "x": [1], "y": [2]},
        {"type": "scatter", "x": [1], "y": [2]},
    ]
    parts = [heat.figure({"data": [one], "layout": {}}, "figure", height=960) for one in kinds]
    heat.section("kinds", "Kinds", *parts)
    for name, text in (("run", page), ("heat", heat.html())):
        dom = in_browser(tmp_path / f"{name}.html", text)
        assert dom.count('data-drawn="') == dom.count("data-figure=") > 1
        assert 'class="plot failed"' not in dom
    assert dom.count("heatmaplayer") >= 1


@pytest.mark.slow
@needs_browser
def test_a_page_that_is_printed_before_it_is_ready_has_its_figures(tmp_path: Path, page: str) -> None:
    """Here it never gets ready by itself: the browser's own way to unpack the script takes forever."""
    path = tmp_path / "run.html"
    path.write_text(page, encoding="utf-8")
    with Browser() as browser:
        never = "Response.prototype.text = () => new Promise(() => {});"
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=never)
        browser.open(path.as_uri(), "document.readyState == 'complete'")
        assert browser.value("typeof Plotly") == "undefined"
        browser.call("Page.printToPDF")
        figures = "document.querySelectorAll('.plot').length"
        assert (
            browser.value(figures)
            == browser.value("document.querySelectorAll('.plot[data-drawn] svg.main-svg').length / 3")
            > 1
        )
        assert browser.told == []


@pytest.mark.slow
@needs_browser
def test_the_tables_of_a_printed_page_are_not_cut_off(tmp_path: Path) -> None:
    """On A4 with usual margins, of the net of the library with the longest names."""
    path = tmp_path / "ixp2400.html"
    path.write_text(run_report(petri.load("ixp2400").run(until="100 us", replications=4)), encoding="utf-8")
    with Browser() as browser:
        browser.resize(717, 1000)
        browser.call("Emulation.setEmulatedMedia", media="print")
        browser.open(path.as_uri(), "document.readyState == 'complete'")
        wide = "[...document.querySelectorAll('.scroll')].map(one => one.scrollWidth - one.clientWidth)"
        assert max(browser.value(wide)) <= 0


@pytest.mark.slow
@needs_browser
def test_on_a_phone_tables_of_measures_and_parameters_are_not_cut_off(tmp_path: Path) -> None:
    """Nor does a name lie over its value: of the net of the library with the longest names."""
    path = tmp_path / "ixp2400.html"
    path.write_text(run_report(petri.load("ixp2400").run(until="100 us", replications=4)), encoding="utf-8")
    over = """[...document.querySelectorAll('.stacked tbody th')].filter(one => {
        const text = document.createRange(); text.selectNodeContents(one);
        const value = one.nextElementSibling.getBoundingClientRect();
        return value.width && text.getBoundingClientRect().right > value.left;
    }).map(one => one.textContent)"""
    with Browser() as browser:
        browser.resize(390, 844)
        browser.open(path.as_uri(), "document.readyState == 'complete'")
        assert browser.value("document.querySelectorAll('.stacked').length") == 2
        wide = "[...document.querySelectorAll('.stacked')].map(one => one.scrollWidth - one.parentNode.clientWidth)"
        assert max(browser.value(wide)) <= 0
        assert browser.value(over) == []


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.586, 0.589, "58.7% (58.6% to 58.9%)"), (0.58699, 0.58701, "58.7%")]
)
def test_the_spread_of_an_array_has_the_digits_of_its_average(low: float, high: float, said: str) -> None:
    row = Row("line[*].idle", (0, 1), {"used": Interval(0.587, 0.01, 0.95, 10)}, {"used": (low, high)})
    reader = Reader(bars([row], "used", "Resources"))
    assert reader.texts[-1] == said


def test_a_browser_does_not_break_a_line_within_an_option() -> None:
    assert spoken("use --replications 10 - or --all") == (
        'use <span class="option">--replications 10</span> - or <span class="option">--all</span>'
    )
    assert spoken("a--b -- c") == "a--b -- c"


def in_browser(path: Path, text: str) -> str:
    """Return the elements of a page after its scripts have run.

    The browser's own clock may run ahead of its threads on a busy machine, so it gets more time if figures are missing.
    """
    path.write_text(text, encoding="utf-8")
    for seconds in (30, 300, 3_000):
        dom = dumped(path, seconds)
        if dom.count('data-drawn="') == dom.count("data-figure="):
            break
    return dom


def dumped(path: Path, seconds: int) -> str:
    """Return the elements of a page after so many seconds of the browser's clock, which it lets pass as fast as it
    can.
    """
    assert BROWSER is not None, "there is no Chromium on the path"
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={path.parent / 'browser'}"]
    ran = subprocess.run(
        [BROWSER, *arguments, f"--virtual-time-budget={seconds}000", "--dump-dom", path.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8", timeout=120, check=True,
    )  # fmt: skip
    return ran.stdout


@pytest.mark.slow
def test_the_net_on_a_page_shows_how_much_is_used() -> None:
    import petri
    from petri.report.html import run_report

    model = petri.load("ixp2400", packets=50)
    page = run_report(model.run(), model.sources)
    assert 'class="heat"' in page
    assert 'width="-' not in page
    assert "busiest: router.chip.core.sram.access, " in page
    assert "Inside <code>router.chip</code>" in page


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.004, 0.3, ["0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]),
        (11.0, 2e5, ["10", "100", "1,000", "10,000", "100,000"]),
        (2e-6, 0.5, ["1e-6", "1e-5", "0.0001", "0.001", "0.01", "0.1", "1"]),
        (5.0, 5.0, ["5", "10"]),
    ],
)
def test_each_label_of_a_logarithmic_axis_is_a_whole_number(low: float, high: float, labels: list[str]) -> None:
    made = logarithmic(low, high)
    assert made["ticktext"] == labels
    assert [float(label.replace(",", "")) for label in labels] == made["tickvals"]
