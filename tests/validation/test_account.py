"""What all studies found in one table, and the papers' tables and pictures beside ours."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from petri.experiment import Experiment
from petri.experiment.design.definition import COMPUTED, ORACLE
from petri.validation import StatementError, Validation, folders, read_statements, run_folder
from petri.validation.account import COMPARED, KINDS, STATEMENT_KINDS, account, deviations, first_kinds
from petri.validation.printed import printed
from petri.validation.statements import statement
from petri.validation.study import read_study
from petri.validation.suite import experiments
from tests.cli.calling import caller
from tests.engines import REFERENCE

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]

NET = """
net levels
param level = 1
param other = 0
type Kind = plain | fancy
param kind: Kind = plain
place start = level * token
transition go: start -> nothing
measure height = count(go) * level
measure twice = 2 * height
run until dead
"""
GRID = """
title: Table 1
net: levels.net
grid: {level: [1, 2, 3, 4], kind: [plain, fancy]}
replications: 2
measures: [height, twice]
expected:
"""


def cell(level: int, kind: str, value: float, more: str = "", measure: str = "height") -> str:
    return f"  - {{at: {{level: {level}, kind: {kind}}}, measure: {measure}, value: {value}, within: 10%{more}}}\n"


TABLE = "".join(cell(level, kind, level**2) for level in (1, 2, 3, 4) for kind in ("plain", "fancy"))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "validation" / "first"
    folder.mkdir(parents=True)
    (folder / "levels.net").write_text(NET, "utf-8")
    (folder / "table_1.yaml").write_text(GRID + TABLE, "utf-8")
    return folder


def claim(role: str, above: int) -> dict[str, object]:
    said = {"says": f"above {above}", "source": "page 2", "experiment": "table_1", "measures": ["height"]}
    return {**said, "above": above, **({"role": role} if role else {})}


def test_the_account_has_a_column_for_each_study_and_a_line_for_each_kind(study: Path, tmp_path: Path) -> None:
    (study / "study.yaml").write_text("fitting: {seed: 1}", "utf-8")
    marked = cell(1, "plain", 1, ", role: input") + cell(2, "plain", 7, ", role: fitted") + cell(3, "plain", 9)
    (study / "table_1.yaml").write_text(GRID + marked + cell(4, "plain", 99), "utf-8")
    (study / "statements.yaml").write_text(yaml.safe_dump([claim("", 0), claim("read", 0), claim("read", 2)]), "utf-8")
    other = study.parent / "second"
    other.mkdir()
    for name in ("levels.net", "table_1.yaml"):
        (other / name).write_text((study / name).read_text("utf-8").replace("99", "16"), "utf-8")
    ran = []
    for folder in (study, other):
        (tmp_path / folder.name).mkdir()
        ran.append(run_folder(folder, tmp_path / folder.name, engine="reference", workers=1))
    assert account(ran) == [
        ("figures, predicted", ["1 of 2, 50%", "–"]),
        ("figures, compared", ["–", "2 of 2"]),
        ("figures, fitting set", ["0 of 1", "–"]),
        ("figures, fitted", ["–", "0 of 1"]),
        ("figures, fixed by an input", ["1 of 1", "1 of 1"]),
        ("statements, compared", ["1 of 1", "–"]),
        ("statements, with our number", ["1 of 2", "–"]),
    ]


def test_the_account_says_how_many_predictions_are_too_noisy_to_judge(study: Path, tmp_path: Path) -> None:
    chance = "net levels\nplace start = token\ntransition go: start -> start  takes exp(1)\n"
    (study / "levels.net").write_text(chance + "measure height = count(go)\nrun until 50\n", "utf-8")
    once = "title: A\nnet: levels.net\nreplications: 2\nmeasures: [height]\nexpected:\n"
    (study / "table_1.yaml").write_text(once + "  - {measure: height, value: 50, within: 5%}\n", "utf-8")
    (study / "study.yaml").write_text("fitting: {seed: 1}", "utf-8")
    ran = run_folder(study, tmp_path, engine="reference", workers=1)
    assert account([ran]) == [("figures, predicted", ["0 of 1, 0%, 1 noisy"])]


@pytest.mark.slow
def test_the_command_prints_the_account_of_several_studies(study: Path, tmp_path: Path, capsys: Capture) -> None:
    where = ["--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    one = caller(capsys)("validate", "first", "--folder", str(study.parent), *where).out
    assert "account" not in one
    other = study.parent / "second"
    other.mkdir()
    for name in ("levels.net", "table_1.yaml"):
        (other / name).write_text((study / name).read_text("utf-8"), "utf-8")
    both = caller(capsys)("validate", "all", "--folder", str(study.parent), *where).out
    assert re.search(r"figures, compared +8 of 8 +8 of 8", both)


def test_columns_that_words_tell_apart_are_judged_apart(study: Path, tmp_path: Path) -> None:
    missed = TABLE.replace(cell(2, "fancy", 4), cell(2, "fancy", 8))
    (study / "table_1.yaml").write_text(GRID + missed, "utf-8")
    plain, fancy = deviations(run_folder(study, tmp_path, engine="reference", workers=1))
    assert (plain.words, plain.rms, plain.greatest) == ("kind=plain", 0.0, 0.0)
    assert fancy.words == "kind=fancy"
    assert fancy.rms == pytest.approx((16 / (1 + 64 + 81 + 256)) ** 0.5)
    assert (fancy.median, fancy.greatest) == (0.0, 0.5)


def test_a_table_is_arranged_as_the_paper_prints_it(study: Path, tmp_path: Path) -> None:
    ran = run_folder(study, tmp_path, engine="reference", workers=1)
    table = printed(ran.figures)
    assert (table.corner, table.rows, table.columns) == (
        "level",
        ["1", "2", "3", "4"],
        ["plain height", "fancy height"],
    )
    assert [one.checked.value for one in table.cells["3", "fancy height"]] == [9]


def test_a_column_says_of_what_its_number_is(study: Path, tmp_path: Path) -> None:
    grid = GRID.replace("kind: [plain, fancy]", "other: [0, 1]")
    cells = [
        cell(level, "plain", level**2).replace("kind: plain", f"other: {n}") for level in (1, 2, 3) for n in (0, 1)
    ]
    (study / "table_1.yaml").write_text(grid + "".join(cells), "utf-8")
    table = printed(run_folder(study, tmp_path, engine="reference", workers=1).figures)
    assert (table.rows, table.columns) == (["1", "2", "3"], ["other=0 height", "other=1 height"])


def test_a_table_with_many_empty_cells_has_a_point_in_each_row(study: Path, tmp_path: Path) -> None:
    some = cell(1, "plain", 1) + cell(2, "fancy", 4) + cell(3, "plain", 18, measure="twice") + cell(1, "plain", 1.05)
    (study / "table_1.yaml").write_text(GRID + some, "utf-8")
    table = printed(run_folder(study, tmp_path, engine="reference", workers=1).figures)
    assert table.rows == ["1, plain", "2, fancy", "3, plain"]
    assert len(table.cells["1, plain", "height"]) == 2


def test_the_page_shows_the_paper_beside_ours(study: Path, tmp_path: Path, capsys: Capture) -> None:
    (study / "table_1.yaml").write_text(GRID + TABLE + cell(4, "plain", 40, ", role: computed", "twice"), "utf-8")
    (study / "statements.yaml").write_text(yaml.safe_dump([claim("read", 0)]), "utf-8")
    pages = tmp_path / "pages"
    where = ["--folder", str(study.parent), "--stores", str(tmp_path / "s"), *REFERENCE, "--quiet"]
    caller(capsys)("validate", "first", *where, "--report", str(pages))
    page = (pages / "index.html").read_text("utf-8")
    assert page.count('class="test within"') == 9, "eight cells, and the legend"
    assert "with our number: 1 of 1" in page or "1 of 1 statements hold" in page
    drawn = re.search(r'id="figures"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert drawn is not None
    ours, paper = json.loads(drawn[1])
    assert [trace["name"] for trace in paper["data"] if trace.get("opacity") != 0] == ["kind plain", "kind fancy"]
    assert paper["data"][0]["y"] == [1, 4, 9, 16]
    assert paper["layout"]["xaxis"] == ours["layout"]["xaxis"]
    assert "twice" not in page.partition("Each figure with its tolerance")[0], "the paper does not state it"


def test_ours_has_the_unit_that_the_paper_has(study: Path, tmp_path: Path, capsys: Capture) -> None:
    timed = "net levels\ntime ns\nplace start = token\ntransition go: start -> start  takes 250 us\n"
    timed += "measure gap = time(go -> go)\nmeasure used = share(firings(go) > 0)\n"
    timed += "measure moved = count(go, 1 KiB)\nrun until 5 ms\n"
    (study / "levels.net").write_text(timed, "utf-8")
    stated = "".join(
        f"  - {{measure: {name}, value: {value}}}\n"
        for name, value in (("gap", "0.25 ms"), ("used", 0.5), ("moved", "21 KiB"))
    )
    once = "title: A\nnet: levels.net\nreplications: 2\nmeasures: [gap, used, moved]\nexpected:\n"
    (study / "table_1.yaml").write_text(once + stated, "utf-8")
    pages = tmp_path / "pages"
    where = ["--folder", str(study.parent), "--stores", str(tmp_path / "s"), *REFERENCE, "--quiet"]
    caller(capsys)("validate", "first", *where, "--report", str(pages))
    page = (pages / "index.html").read_text("utf-8")
    cells = re.findall(r"<span>([^<]*)</span>\s*<b>([^<]*)</b>", page)
    assert cells == [("0.25 ms", "✓ 0.2500 ms"), ("50%", "✗ 100%"), ("21 KiB", "✓ 21 KiB")]


def test_a_role_that_no_statement_has_is_refused() -> None:
    with pytest.raises(StatementError, match=r"`role` must be one of read, fitted"):
        statement({**claim("", 0), "role": "guessed"}, "statement 3")


def test_what_is_computed_or_an_oracle_is_not_the_paper_s(study: Path, tmp_path: Path) -> None:
    roles = ("input", "derived", COMPUTED, ORACLE)
    marked = "".join(cell(level, "plain", level**2, f", role: {role}") for level, role in enumerate(roles, 1))
    (study / "table_1.yaml").write_text(GRID + marked, "utf-8")
    ran = run_folder(study, tmp_path, engine="reference", workers=1)
    assert [one.of_the_paper for one in ran.figures] == [True, True, False, False]


@pytest.mark.slow
def test_the_account_in_the_documentation_is_of_the_studies_as_they_are() -> None:
    """The numbers that are found follow from runs; the numbers of figures and statements from the files alone."""
    text = (ROOT / "docs" / "validation.md").read_text("utf-8")
    block = text.partition("<!-- account -->\n```\n")[2].partition("\n```")[0].splitlines()
    heading, *rows = [re.split(r"\s{2,}", line) for line in block]
    told = {kind: dict(zip(heading[1:], cells, strict=True)) for kind, *cells in rows}
    known = folders(ROOT / "validation")
    for study in heading[1:]:
        folder = known[study.replace(" ", "_")]
        counts = stated_counts(folder)
        shown = {kind: int(found[study].split(" of ")[1].partition(",")[0]) for kind, found in told.items()
                 if found[study] != "–"}  # fmt: skip
        assert shown == counts, f"python validation/write_account.py; {study}"


def stated_counts(folder: Path) -> dict[str, int]:
    roles: Counter[str] = Counter()
    for path in experiments(folder).values():
        one = Experiment.load(path)
        points = [{**one.fixed, **point} for point in one.points]
        roles.update(each.role for each in one.expected for point in points if each.applies(point))
    kinds = {**first_kinds(Validation("", drawn=read_study(folder).fitting is not None)), **KINDS}
    claims = Counter(claim.role for claim in read_statements(folder / "statements.yaml"))
    figures = {f"figures, {kind}": roles[role] for kind, role in kinds.items() if roles[role]}
    said = {COMPARED: "", **STATEMENT_KINDS}
    return figures | {f"statements, {kind}": claims[role] for kind, role in said.items() if claims[role]}
