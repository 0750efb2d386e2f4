"""Every figure of places and transitions is the same in every medium, for every net of the library."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from rich.console import Console

import petri
from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS, transition_columns
from petri.report.html import recorded_report, run_page
from petri.report.terminal.summary import print_summary
from petri.result import Result
from tests.sampling import one_in

ROOT = Path(__file__).resolve().parents[2]
FIGURES = {"Places": PLACE_COLUMNS, "Transitions": TRANSITION_COLUMNS}
HEADINGS = {title: [kind.heading for kind in kinds.values()] for title, kinds in FIGURES.items()}

Rows = list[tuple[str, dict[str, str]]]
"""The name of each row and, by their headings, its cells."""

ARRAYS = """net arrays
place queue[0..2]
place pool[0..2] = 2 * token
place source[0..2] = token
transition arrive[i in 0..2]: source[i] -> source[i], queue[i] takes exp(1 + 4 * i)
transition serve[i in 0..2]: queue[i], pool[i] -> pool[i] takes exp(0.7)
run until 2000
"""


def a_twentieth(path: Path) -> Result:
    """Return a run of a twentieth of the usual length. A net whose measures are all probabilities has none."""
    model = petri.load(path)
    defaults = model.net.run_defaults
    if defaults.until is None and model.net.chances:
        return model.run(until=100.0, seed=1)
    if defaults.until is None or math.isinf(defaults.until):
        return model.run(seed=1)
    return model.run(until=defaults.until / 20, warmup=defaults.warmup / 20, seed=1)


def printed(result: Result, width: int, *, every: bool = False) -> str:
    out = StringIO()
    with mock.patch("petri.report.terminal.summary.MOST_ROWS", 10**6):  # a larger net shows only its busiest rows
        print_summary(result, Console(file=out, width=width), seconds=1.0, every=every)
    return out.getvalue()


def on_terminal(text: str, title: str) -> Rows:
    """Return a table that stands side by side: figures end where their headings do."""
    lines = iter(text.splitlines())
    header = next((line for line in lines if re.match(rf"{title}\b", line)), "")
    ends, at = {}, len(title)
    for heading in HEADINGS[title]:
        found = header.find(f"  {heading}", at)
        if found >= 0:
            at = found + 2 + len(heading)
            ends[heading] = at
    rows: Rows = []
    for line in lines:
        if not line.strip() or line.startswith(("no room", "×n", "?:", "±?:")):
            break
        first, *others = ends.items()
        name, *cell = re.split(r"  +", line[: first[1]].strip(), maxsplit=1)
        cells, start = {first[0]: cell[0] if cell else ""}, first[1]
        for heading, end in others:
            cells[heading], start = line[start:end].strip(), end
        rows.append((name, cells))
    return rows


class Tables(HTMLParser):
    """The tables of a page by their label, in order; the first cell of a row starts with its name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, list[list[list[str]]]] = {}
        self.rows: list[list[str]] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        label = dict(attrs).get("aria-label")
        if tag == "div" and dict(attrs).get("role") == "region":
            self.rows = []
            self.found.setdefault(label or "", []).append(self.rows)
        elif self.rows is not None and tag == "tr":
            self.rows.append([])
        elif self.rows and tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.rows = None

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    def table(self, title: str, number: int) -> Rows:
        tables = self.found.get(title, [])
        if not tables:
            return []
        header, *rows = tables[min(number, len(tables) - 1)]
        return [(row[0], dict(zip(header[1:], row[1:], strict=True))) for row in rows if len(row) == len(header)]


def compare(title: str, shown: Rows, expected: Rows) -> None:
    assert len(shown) == len(expected)
    for (name, cells), (wanted, texts) in zip(shown, expected, strict=True):
        assert name.startswith(wanted)
        assert {heading: cells[heading] for heading in HEADINGS[title] if heading in cells} == texts, wanted


CELL = re.compile(
    r"\(?(?P<digits>-?[\d,]+\.?(?P<decimals>\d*))\??( ± <?[\d.,]+\))?(?P<power>e-?\d+)?( ± <?[\d.,]+)?(?P<unit>.*)"
)


def close(brief: str, text: str) -> bool:
    """Return whether a cell is another without its interval, which may have had fewer digits."""
    short, whole = CELL.fullmatch(brief), CELL.fullmatch(text)
    if brief == text or "?" in brief or short is None or whole is None:
        return brief == text or "?" in brief

    def value(cell: re.Match[str]) -> float:
        return float(cell["digits"].replace(",", "") + (cell["power"] or ""))

    rounding = float(f"0.51e-{len(whole['decimals'])}") * 10.0 ** int((whole["power"] or "e0")[1:])
    return short["unit"] == whole["unit"] and abs(value(short) - value(whole)) <= rounding + 1e-3 * abs(value(whole))


def check_tables_for_people(result: Result, data: dict[str, Any]) -> None:
    page, notebook = Tables(recorded_report(data)), Tables(result._repr_html_())
    wide, narrow, every = printed(result, 2000), printed(result, 80), printed(result, 2000, every=True)
    for title in FIGURES:
        folded, each = on_terminal(wide, title), on_terminal(every, title)
        assert folded
        compare(title, page.table(title, 0), folded[:1000])
        compare(title, page.table(title, 1), each[:1000])
        compare(title, notebook.table(title, 0), folded[:1000])
        for (_, cells), (name, texts) in zip(on_terminal(narrow, title), folded, strict=True):
            assert [(cell, texts[at]) for at, cell in cells.items() if not close(cell, texts[at])] == [], name


def check_tables_for_programs(result: Result, data: dict[str, Any]) -> None:
    frames, sets = result.to_pandas(), result.to_xarray()
    for title, kinds in (("Places", PLACE_COLUMNS), ("Transitions", transition_columns(result.net))):
        kind = title.lower()
        assert [row["name"] for row in data[kind]] == list(frames[kind].index)
        for name in kinds:
            for field, suffix in (("value", ""), ("half_width", "_half_width")):
                stored = [math.nan if row[name][field] is None else row[name][field] for row in data[kind]]
                for other in (frames[kind][f"{name}{suffix}"], sets[f"{kind[:-1]}.{name}{suffix}"].to_numpy()):
                    finite = [value if math.isfinite(value) else math.nan for value in other]
                    assert stored == pytest.approx(finite, rel=0, abs=0, nan_ok=True), name


@pytest.mark.parametrize("path", one_in(24, sorted((ROOT / "nets").rglob("*.net"), key=lambda path: path.stem)))
def test_all_media_have_the_same_figures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_page, "picture", lambda *given: "")  # which takes most of the time
    result = a_twentieth(path)
    data = json.loads(json.dumps(result.to_dict()))
    check_tables_for_people(result, data)
    check_tables_for_programs(result, data)


CLOCKS = """net clocks
place queue : int fifo
place source = token
place gone
transition arrive: source -> source, queue(1)  takes exp(1)
transition serve: queue(n) -> nothing  after exp(1.0 * n)
transition renege[i in 0..1]: any queue(n) -> gone  after 2.0
run until 400
"""


def test_figures_of_clocks_are_in_all_media_of_a_net_that_has_clocks() -> None:
    result = petri.loads(CLOCKS).run(seed=1, engine="reference")
    data = json.loads(json.dumps(result.to_dict()))
    check_tables_for_people(result, data)
    check_tables_for_programs(result, data)
    rows = dict(on_terminal(printed(result, 120), "Transitions"))
    assert (rows["arrive"]["set"], rows["arrive"]["in progress"]) == ("", rows["arrive"]["in progress"])
    fired, was_set, dropped = (int(rows["serve"][heading]) for heading in ("firings", "set", "dropped"))
    assert 0 <= was_set - fired - dropped <= 1
    assert dropped > 0


def test_the_figures_of_an_array_are_of_all_that_was_observed() -> None:
    """Tokens and shares are averages over the elements; a sojourn is the average over the tokens."""
    result = petri.loads(ARRAYS).run(seed=1)
    whole = json.loads(json.dumps(result.to_dict()))
    check_tables_for_people(result, whole)
    data = whole["arrays"]
    assert [row["name"] for row in data["places"]] == ["queue[*]", "pool[*]", "source[*]"]
    queue, pool, _ = data["places"]
    tokens, arrivals, busy = (
        getattr(result.places, name).value for name in ("mean", "arrival_rate", "utilisation")
    )  # fmt: skip
    assert queue["mean"]["value"] == pytest.approx(tokens[:3].mean())
    assert queue["sojourn"]["value"] == pytest.approx(tokens[:3].sum() / arrivals[:3].sum())
    assert queue["sojourn"]["value"] != pytest.approx(result.places.sojourn.value[:3].mean(), rel=0.01)
    assert queue["maximum"]["value"] == result.places.maximum.value[:3].max()
    assert queue["spread"]["arrival_rate"] == [arrivals[:3].min(), arrivals[:3].max()]
    assert pool["utilisation"]["value"] == pytest.approx(busy[3:6].mean())
    assert pool["arrivals"]["half_width"] is None
