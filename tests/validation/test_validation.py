"""Stated figures and statements: read, run, judged, printed, and what is said when something is wrong with them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from petri.experiment import Experiment
from petri.validation import StatementError, folders, read_statements, run_folder
from petri.validation.margins import every, margin, some
from petri.validation.statements import bent, statement
from petri.validation.suite import experiments
from tests.cli.calling import caller
from tests.engines import REFERENCE

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]

NET = """
net levels
param level = 1
param other = 0
place start = level * token
place never
transition go: start -> nothing
transition not_once: never -> never
measure height = count(go) * level
measure nothing_at_all = count(not_once)
run until dead
"""
EXPERIMENT = """
title: Figure 1
description: What figure 1 shows.
net: levels.net
grid: {level: [1, 2, 4], other: [0, 1]}
replications: 2
measures: [height, nothing_at_all]
expected:
  - {at: {level: 2, other: 0}, measure: height, value: 4, within: 1%, source: page 1}
  - {at: {level: 4, other: 0}, measure: height, value: 20, within: 10%, source: page 1}
"""


def claim(**form: Any) -> dict[str, Any]:
    return {"says": "so", "source": "page 2", "experiment": "figure_1", "measures": ["height"], **form}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "validation" / "study"
    inside.mkdir(parents=True)
    (inside / "levels.net").write_text(NET, "utf-8")
    (inside / "figure_1.yaml").write_text(EXPERIMENT, "utf-8")
    return inside


def judged(folder: Path, tmp_path: Path, claims: Sequence[dict[str, Any]]) -> list[bool]:
    (folder / "statements.yaml").write_text(yaml.safe_dump(list(claims)), "utf-8")
    return [one.holds for one in run_folder(folder, tmp_path, engine="reference", workers=1).statements]


def test_figures_are_judged_by_their_tolerances(folder: Path, tmp_path: Path) -> None:
    result = run_folder(folder, tmp_path, engine="reference", workers=1)
    assert [check.passed for check in result.figures] == [True, False]
    assert [check.difference for check in result.figures] == pytest.approx([0.0, -0.2])
    assert (result.found, result.statements) == (1, [])


def test_the_forms_of_statements(folder: Path, tmp_path: Path) -> None:
    """The heights are 1, 4 and 16."""
    one, two, four = ({"level": level, "other": 0} for level in (1, 2, 4))
    true = [
        claim(increasing="level"),
        claim(bent="level"),
        claim(higher=four, lower=one),
        claim(higher=four, lower=two, factor=4),
        claim(near=[one, {"level": 1, "other": 1}], within="1%"),
        claim(apart=[one, two]),
        claim(greatest=four),
        claim(greatest=two, at={"other": 0}, within=3),
        claim(greatest={"level": 2, "other": 0}, within="301%"),
        claim(zero=True, measures=["nothing_at_all"]),
        claim(decreasing="level", at={"level": 1}),
        claim(below=17),
        claim(below="410%", at={"level": 2}),
        claim(higher={"level": 4}, lower={"level": 1}, at={"other": 1}),
        claim(gap=[four, one], **{"is": 14, "within": 1}),
        claim(above=3.9, at={"level": 2}),
    ]
    false = [
        claim(increasing="other"),
        claim(bent="level", at={"level": 1}),
        claim(higher=one, lower=four),
        claim(higher=four, lower=two, factor=4.1),
        claim(near=[two, four], within=0.7),
        claim(apart=[one, {"level": 1, "other": 1}]),
        claim(greatest=two, within=2.9),
        claim(greatest=one, at={"other": 0}),
        claim(zero=True),
        claim(decreasing="level"),
        claim(decreasing="other"),
        claim(below=16),
        claim(higher={"level": 2}, lower={"level": 2}, at={"other": 1}),
        claim(gap=[four, one], **{"is": 14, "within": 0.9}),
        claim(gap=[one, four], **{"is": 15, "within": 1}),
        claim(above=4),
    ]
    assert judged(folder, tmp_path, true + false) == [True] * len(true) + [False] * len(false)


def test_the_values_that_tell_are_shown(folder: Path, tmp_path: Path) -> None:
    one, four = {"level": 1, "other": 0}, {"level": 4, "other": 0}
    claims = [
        claim(increasing="level"),
        claim(higher=one, lower=four),
        claim(near=[one, four], within="1%"),
        claim(greatest=one, at={"other": 0}),
        claim(apart=[one, {"level": 1, "other": 1}], measures=["height", "nothing_at_all"]),
    ]
    (folder / "statements.yaml").write_text(yaml.safe_dump(claims), "utf-8")
    result = run_folder(folder, tmp_path, engine="reference", workers=1)
    assert [one.values for one in result.statements] == [
        "0: 1 → 4 → 16, 1: 1 → 4 → 16",
        "1 ≤ 16",
        "1 ≠ 16",
        "1; at most 16 elsewhere",
        "height: 1 ≈ 1; nothing_at_all: 0 ≈ 0",
    ]


def ran(*values: float, seed: int = 1) -> Any:
    """Return a point whose replications gave these values."""
    return SimpleNamespace(seed=seed, values=lambda _: dict(enumerate(values)))


def test_a_straight_line_is_not_bent() -> None:
    def verdicts(last: float) -> list[str]:
        curve = [(1.0, ran(2.0, 2.0)), (5.0, ran(10.0, 10.0)), (10.0, ran(last, last))]
        return [one.verdict for one in bent("m", curve)]

    assert verdicts(20.4) == ["fails"]
    assert verdicts(23.0) == ["holds"]


def test_a_comparison_is_undecided_within_its_noise() -> None:
    """The same values differ significantly in pairs (5 ± 2.5), but not as independent runs (5 ± 23.3)."""
    first, values = ran(10.0, 20.0, 30.0), (14.0, 26.0, 35.0)
    assert margin("m", [(1.0, ran(*values)), (-1.0, first)]).verdict == "holds"
    assert margin("m", [(1.0, first), (-1.0, ran(*values))]).verdict == "fails"
    unpaired = margin("m", [(1.0, ran(*values, seed=2)), (-1.0, first)])
    assert unpaired.verdict == "undecided"
    assert unpaired.interval.half_width == pytest.approx(23.31, abs=0.01)
    assert margin("m", [(1.0, ran(14.0)), (-1.0, ran(10.0))]).verdict == "undecided", "one run has no interval"


def test_a_statement_is_undecided_if_one_of_its_parts_is() -> None:
    assert every(["holds", "undecided"]) == some(["fails", "undecided"]) == "undecided"
    assert every(["holds", "undecided", "fails"]) == "fails"
    assert some(["holds", "undecided", "fails"]) == "holds"


@pytest.mark.parametrize(
    "wrong",
    [
        "increasing",
        claim(),
        claim(increasing="level", zero=True),
        claim(higher={"level": 1}),
        claim(near=[{}, {}]),
        claim(zero=True, colour="red"),
        {**claim(zero=True), "measures": "height"},
        claim(gap=[{}, {}], within=1),
        claim(zero=True, predicted="perhaps"),
    ],
    ids=str,
)
def test_a_statement_that_makes_no_sense_is_told(wrong: Any) -> None:
    with pytest.raises(StatementError, match="statement 3: "):
        statement(wrong, "statement 3")


@pytest.mark.parametrize(
    "wrong",
    [
        claim(higher={"level": 1}, lower={"level": 2}),
        claim(zero=True, measures=["depth"]),
        claim(increasing="hops"),
        claim(near=[{"level": 1, "other": 0}, {"level": 2, "other": 0}], within="wide"),
        {**claim(zero=True), "experiment": "figure_2"},
    ],
    ids=str,
)
def test_a_statement_about_what_is_not_there_is_told(folder: Path, tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(StatementError, match=r"so|wide"):
        judged(folder, tmp_path, [wrong])


def test_a_file_that_is_no_list_is_told(tmp_path: Path) -> None:
    for text in ("says: so", "[", ""):
        (tmp_path / "statements.yaml").write_text(text, "utf-8")
        with pytest.raises(StatementError, match=r"statements\.yaml"):
            read_statements(tmp_path / "statements.yaml")


OURS = [path for one in folders(ROOT / "validation").values() for path in experiments(one).values()]


@pytest.mark.slow
@pytest.mark.parametrize("path", OURS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_project_s_experiments_make_sense(path: Path) -> None:
    """Points with each value of each parameter flatten, and a quarter of the rest; an expected value belongs to one."""
    experiment = Experiment.load(path)
    assert [one for one in experiment.expected if not any(map(one.applies, experiment.points))] == []
    seen: set[tuple[str, Any]] = set()
    chosen = []
    for number, point in enumerate(experiment.points):
        if number % 4 == 0 or not seen.issuperset(point.items()):
            chosen.append(point)
        seen.update(point.items())
    experiment.with_overrides(points=chosen).prepare()


def test_the_project_s_statements_can_be_read() -> None:
    for one in folders(ROOT / "validation").values():
        if (one / "statements.yaml").exists():
            names = experiments(one)
            assert all(claim.experiment in names for claim in read_statements(one / "statements.yaml"))


def test_the_command_prints_both_tables_and_fails_for_what_is_missed(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    (folder / "statements.yaml").write_text(yaml.safe_dump([claim(increasing="level"), claim(zero=True)]), "utf-8")
    where = ["--folder", str(folder.parent), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    pages = tmp_path / "pages"
    outcome = caller(capsys)("validate", "study", *where, "--report", str(pages))
    assert outcome.status == 1
    assert "1 of 2 figures within their tolerances" in outcome.out
    assert "1 of 2 statements hold" in outcome.out
    assert "-20.0%" in outcome.out
    page = (pages / "index.html").read_text("utf-8")
    assert "1 of 2 statements hold" in page
    assert 'href="study/figure_1.html"' in page
    assert "<td><td" not in page, "a cell in a cell is drawn outside the table"
    assert "What figure 1 shows." in (pages / "study" / "figure_1.html").read_text("utf-8")
    for unknown in ("other", "study/figure_2"):
        assert caller(capsys)("validate", unknown, *where).status == 2


def test_an_experiment_of_one_point_has_its_distribution_and_a_run_in_full(tmp_path: Path, capsys: Capture) -> None:
    inside = tmp_path / "validation" / "study"
    inside.mkdir(parents=True)
    (inside / "queue.net").write_text(
        "net queue param mean: real = 1 place start = token place line : real "
        "transition come: start -> start, line(now) takes exp(mean) transition go: line(t) -> nothing takes exp(5) "
        "measure born = t at go record mean, p10, series(10) run until 100"
    )
    shares = "".join(f", born.p{share}" for share in (10, 25, 50, 75, 90))
    (inside / "figure_1.yaml").write_text(
        f"title: Figure 1\nnet: queue.net\npoints: [{{mean: 2}}]\nreplications: 2\nmeasures: [born{shares}]\n"
    )
    pages = tmp_path / "pages"
    where = ["--folder", str(inside.parent), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    assert caller(capsys)("validate", "study", *where, "--report", str(pages)).status == 0
    page = (pages / "study" / "figure_1.html").read_text("utf-8")
    assert "distribution of born" in page
    assert '"y":[10.0,25.0,50.0,75.0,90.0]' in page.replace(" ", "")
    assert "figure_1_run.html" in (pages / "index.html").read_text("utf-8")
    in_full = (pages / "study" / "figure_1_run.html").read_text("utf-8")
    assert "Distributions and series" in in_full


def test_the_command_passes_where_all_is_found(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (folder / "figure_1.yaml").write_text(EXPERIMENT.replace("value: 20", "value: 16"), "utf-8")
    where = ["--folder", str(folder.parent), "--stores", str(tmp_path / "stores"), *REFERENCE]
    assert caller(capsys)("validate", "study/figure_1", *where).status == 0


def test_figures_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("table_2", "figure_10", "figure_9", "table_1"):
        (tmp_path / f"{name}.yaml").write_text("", "utf-8")
    assert list(experiments(tmp_path)) == ["figure_9", "figure_10", "table_1", "table_2"]


QUANTITIES = """
net sizes
param size = 64 B
place start = token
transition go: start -> nothing
measure twice = 2 * count(go, size)
run until dead
"""


def of_sizes(folder: Path, values: str) -> None:
    (folder / "levels.net").write_text(QUANTITIES, "utf-8")
    (folder / "figure_1.yaml").write_text(
        f"net: levels.net\ngrid: {{size: [{values}]}}\nreplications: 2\nmeasures: [twice]\n", "utf-8"
    )


def test_curves_run_along_quantities_in_the_order_of_their_size(folder: Path, tmp_path: Path) -> None:
    of_sizes(folder, "1 KiB, 64 B, 512 B")
    rising = claim(increasing="size", measures=["twice"])
    assert judged(folder, tmp_path, [rising, claim(bent="size", measures=["twice"])]) == [True, False]


def test_a_curve_along_words_is_refused(folder: Path, tmp_path: Path) -> None:
    of_sizes(folder, "64 B, 2 * 64 B")
    with pytest.raises(StatementError, match=r"size=2 \* 64 B is not a number or a quantity"):
        judged(folder, tmp_path, [claim(increasing="size", measures=["twice"])])


@pytest.mark.slow
def test_the_command_runs_studies_at_any_depth(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    nested = folder / "deeper" / "still"
    nested.mkdir(parents=True)
    for name in ("levels.net", "figure_1.yaml"):
        (nested / name).write_text((folder / name).read_text("utf-8"), "utf-8")
    where = ["--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    pages = tmp_path / "pages"
    whole = caller(capsys)("validate", "all", "--folder", str(tmp_path / "validation"), *where, "--report", str(pages))
    assert "study/deeper/still" in whole.out
    assert (pages / "study" / "deeper" / "still" / "figure_1.html").exists()
    one = caller(capsys)("validate", "deeper/still/figure_1", "--folder", str(folder), *where)
    assert one.status == 1
    assert "1 of 2 figures" in one.out
    itself = caller(capsys)("validate", "still", "--folder", str(nested), *where)
    assert "1 of 2 figures" in itself.out


def test_a_folder_that_is_not_there_or_has_no_studies_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert "there is no folder" in caller(capsys)("validate", "--folder", str(tmp_path / "none")).err
    (tmp_path / "empty").mkdir()
    assert "there are no experiments" in caller(capsys)("validate", "--folder", str(tmp_path / "empty")).err


MARKED = """
title: Figure 1
net: levels.net
points: [{level: 1}, {level: 2}, {level: 3}, {level: 4}]
replications: 2
measures: [height]
expected:
  - {at: {level: 1}, measure: height, value: 1, role: input}
  - {at: {level: 2}, measure: height, value: 9, role: fitted}
  - {at: {level: 3}, measure: height, value: 9, predicted: 8.7}
  - {at: {level: 4}, measure: height, value: 9, predicted: 12}
"""


def test_fitted_input_and_predicted_figures_are_marked_and_counted_apart(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    (folder / "figure_1.yaml").write_text(MARKED, "utf-8")
    claims = [claim(above=0, predicted="holds"), claim(above=0, predicted="fails")]
    (folder / "statements.yaml").write_text(yaml.safe_dump(claims), "utf-8")
    pages = tmp_path / "pages"
    where = ["--folder", str(folder), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    shown = caller(capsys)("validate", "all", *where, "--report", str(pages)).out
    page = (pages / "index.html").read_text("utf-8")
    for said in (
        "2 of 4 figures within their tolerances",
        "compared: 1 of 2; fitted: 0 of 1; fixed by an input: 1 of 1",
        "2 of 4 predictions of figures and statements not yet seen came true",
        "predicted 8.7",
    ):
        assert said in shown
        assert said in page


def test_what_the_paper_does_not_state_is_in_a_table_of_its_own(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    heights = [(1, 0, 1, ""), (2, 0, 5, ""), (4, 0, 16, ""), (4, 1, 20, ""), (2, 1, 4, "computed"), (1, 1, 1, "oracle")]
    stated = "".join(
        f"  - {{at: {{level: {level}, other: {other}}}, measure: height, value: {value}, within: 10%"
        f"{role and f', role: {role}'}}}\n"
        for level, other, value, role in heights
    )
    (folder / "figure_1.yaml").write_text(EXPERIMENT[: EXPERIMENT.index("  - {at")] + stated, "utf-8")
    pages = tmp_path / "pages"
    where = ["--folder", str(folder.parent), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    shown = caller(capsys)("validate", "study", *where, "--report", str(pages)).out
    paper, _, computed = shown.partition("computed")
    assert "oracle" not in paper
    assert all(word in computed for word in ("oracle", "computed: 1 of 1", "exact solutions: 1 of 1"))
    # Missed by 0, -1, 0 and -4, of 1, 5, 16 and 20: √(17/682), and half of 20 %.
    assert (
        "Figure 1, height, 4 figures: root mean square of the differences 15.8%, median 10.0%, greatest 20.0%"
        in " ".join(shown.split())
    )
    page = (pages / "index.html").read_text("utf-8")
    assert page.index("computed") < page.index("oracle")


@pytest.mark.parametrize("wrong", ["role: guessed", "predicted: much", "predicted: 3 Gbps"])
def test_a_mark_that_makes_no_sense_is_refused(folder: Path, tmp_path: Path, capsys: Capture, wrong: str) -> None:
    (folder / "figure_1.yaml").write_text(MARKED.replace("role: fitted", wrong), "utf-8")
    outcome = caller(capsys)("validate", "all", "--folder", str(folder), "--stores", str(tmp_path), "--quiet")
    assert outcome.status in (1, 2)
    assert wrong.partition(": ")[2] in outcome.err


def test_noise_is_neither_within_nor_a_true_statement(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    """Two runs of one exponential time each: the interval is many times as wide as the tolerance."""
    (folder / "levels.net").write_text(
        "net guesses param level = 1.0 place start = token place over "
        "transition go: start -> over takes exp(level) transition last: over -> nothing "
        "measure length = now at last run until dead",
        "utf-8",
    )
    (folder / "figure_1.yaml").write_text(
        "net: levels.net\ngrid: {level: [1.0, 1.1]}\nreplications: 3\nmeasures: [length]\nstreams: independent\n"
        "expected: [{at: {level: 1.0}, measure: length, value: 1, within: 200%},\n"
        "           {at: {level: 1.1}, measure: length, value: 1000, within: 1%}]\n",
        "utf-8",
    )
    claims = [{**claim(increasing="level"), "measures": ["length"]}]
    (folder / "statements.yaml").write_text(yaml.safe_dump(claims), "utf-8")
    pages = tmp_path / "pages"
    where = ["--folder", str(folder), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    outcome = caller(capsys)("validate", "all", *where, "--report", str(pages))
    page = (pages / "index.html").read_text("utf-8")
    assert outcome.status == 1
    assert "0 of 2 figures within their tolerances, 1 too noisy to judge" in outcome.out
    assert "0 of 1 statements hold, 1 undecided at this length" in outcome.out
    assert "OUTSIDE" in outcome.out, "far outside is outside, however wide the interval"
    assert "margin" in outcome.out
    assert "? too noisy to judge" in page
    assert "? undecided at this length" in page
    assert "(uncertain)" not in outcome.out, "a figure that is too noisy has no verdict, and one far outside is certain"


def test_a_point_is_replicated_until_its_figures_can_be_judged(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    """At 1 % noise: 5 runs judge a wide tolerance and a figure that is far off; a narrow tolerance takes more."""
    (folder / "levels.net").write_text(
        "net guesses param level = 1.0 place start = token place over "
        "transition go: start -> over takes level * uniform(0.97..1.03) transition last: over -> nothing "
        "measure length = now at last run until dead",
        "utf-8",
    )
    (folder / "figure_1.yaml").write_text(
        "net: levels.net\ngrid: {level: [1.0, 2.0, 3.0, 4.0]}\nmeasures: [length]\n"
        "replications: 5\nprecision: expected\nmax-replications: 50\n"
        "expected: [{at: {level: 1.0}, measure: length, value: 1, within: 50%},\n"
        "           {at: {level: 2.0}, measure: length, value: 2, within: 2%},\n"
        "           {at: {level: 3.0}, measure: length, value: 9, within: 0.1%},\n"
        "           {at: {level: 4.0}, measure: length, value: 4, within: 0.1%}]\n",
        "utf-8",
    )
    where = ["--folder", str(folder), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    out = caller(capsys)("validate", "all", *where).out
    assert "2 of 4 figures within their tolerances, 1 too noisy to judge" in out
    with sqlite3.connect(tmp_path / "stores" / folder.name / "figure_1.db") as store:
        counts = [n for (n,) in store.execute("SELECT count(*) FROM replications GROUP BY point ORDER BY point")]
    assert (counts[0], counts[2], counts[3]) == (5, 5, 50)
    assert 5 < counts[1] < 50


def test_a_verdict_at_the_edge_is_uncertain_in_the_terminal_and_on_both_pages(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    """The mean of uniform times is 1, which is just within 0.08 of 1.08, but its interval reaches beyond."""
    (folder / "levels.net").write_text(
        "net guesses place start = token place over transition go: start -> over takes uniform(0.9..1.1) "
        "transition last: over -> nothing measure length = now at last run until dead",
        "utf-8",
    )
    (folder / "figure_1.yaml").write_text(
        "net: levels.net\nreplications: 40\nmeasures: [length]\n"
        "expected: [{measure: length, value: 1.08, within: 0.08}, {measure: length, value: 1, within: 0.08}]\n",
        "utf-8",
    )
    pages = tmp_path / "pages"
    where = ["--folder", str(folder), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    out = caller(capsys)("validate", "all", *where, "--report", str(pages)).out
    assert out.count("(uncertain)") == 1
    assert re.search(r"1\.080 .*(within|OUTSIDE) \(uncertain\)", out)
    for page in (pages / "index.html", pages / "study" / "figure_1.html"):
        assert page.read_text("utf-8").count("(uncertain)") == 1
    swept = caller(capsys)("sweep", str(folder / "figure_1.yaml"), "--store", str(tmp_path / "s.db"), "--quiet").out
    assert swept.count("(uncertain)") == 1
