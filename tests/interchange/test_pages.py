"""The nets that the documentation shows on both sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import petri
from petri import interchange, language

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = re.compile(
    r"```(?:xml |python )?(greatspn|cpntools|prism|tina|simpy)\n(.*?)```\n\n```net\n(.*?)```", re.DOTALL
)
PAIRS = [
    (page.name, *pair)
    for page in (DOCS / "interchange.md", *sorted((DOCS / "coming").glob("*.md")))
    for pair in BLOCKS.findall(page.read_text(encoding="utf-8"))
]
BROKEN = 1.78125 / 2.21875  # machines that are down, of three with one repairman


def imported(kind: str, foreign: str) -> str:
    name = {"tina": "timeout.net", "prism": "shop.prism"}.get(kind, "shop")
    return interchange.text_of(interchange.read_bytes(foreign.encode(), name))


def test_there_are_pairs() -> None:
    assert [kind for _, kind, _, _ in PAIRS] == ["tina", "cpntools", "greatspn", "prism", "simpy"]


@pytest.mark.parametrize(("page", "kind", "foreign", "own"), PAIRS)
def test_both_sides(page: str, kind: str, foreign: str, own: str) -> None:
    if kind == "simpy":
        pytest.importorskip("simpy")
        names: dict[str, float] = {}
        exec(compile(foreign, page, "exec"), names)
        assert names["broken"] == pytest.approx(BROKEN, rel=0.05)
    else:
        assert imported(kind, foreign).partition("\n")[2] == own


@pytest.mark.parametrize(
    ("kind", "figure", "off"),
    [
        ("greatspn", "mean(down)", 1e-9),
        ("cpntools", "3 - mean(up) - mean(fail)", 1e-9),
        ("prism", "broken", 0.02),  # the repairman begins after 0.01
        ("simpy", "broken", 1e-9),
    ],
)
def test_the_figure_of_each_net(kind: str, figure: str, off: float) -> None:
    own = next(own for _, one, _, own in PAIRS if one == kind)
    solved = petri.loads(f"{own}measure asked = {figure}\n" if figure != "broken" else own).solve()
    assert solved.exact("asked" if figure != "broken" else "broken").value == pytest.approx(BROKEN, rel=off)


COMING = ("packet-simulators", "queueing", "zuberek")


@pytest.mark.parametrize("page", COMING)
def test_the_nets_for_those_who_come_from_elsewhere(page: str) -> None:
    nets = re.findall(
        r"^```net\n(.*?)^```$", (DOCS / "coming" / f"{page}.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(nets) == 1
    assert [one for one in language.checks(nets[0], name="example.net") if one.severity != "note"] == []
    assert petri.loads(nets[0]).run(seed=1).passed
