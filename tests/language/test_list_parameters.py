"""Parameters that are lists: set on the command line, from Python, by an import, and in experiments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import petri
from petri.catalogue.operations import FUNCTIONS
from petri.diagnostics import LanguageError

NET = """
time us
type Class = gold | silver
param quota = [4, 1, 1] in 0..8   ## turns of each class
param gaps  = [1 us, 2 us]
param order = [gold, silver]
place turn : int = 0
place all_of : int = quota[c] for c in 0..len(quota)-1
transition next: turn(n) -> turn(n + 1)   takes gaps[n mod len(gaps)]   when order[0] == gold
run until 30 us
"""


def quotas(**settings: object) -> Sequence[int]:
    model = petri.loads(NET, **settings)  # type: ignore[arg-type]
    return [value for count, (value,) in model.net.places[1].initial for _ in range(count)]  # type: ignore[misc]


def test_a_list_is_set_as_text_or_from_python() -> None:
    assert "len" in FUNCTIONS
    assert quotas() == [4, 1, 1]
    assert quotas(quota="[8, 2 * 3]") == [8, 6]
    assert quotas(quota=[1, 2, 3, 4]) == [1, 2, 3, 4]
    assert petri.loads(NET, gaps="[500 ns]").run(engine="reference").replications[0].firings == 61
    assert petri.loads(NET, gaps=[3.0]).run(engine="reference").replications[0].firings == 11
    assert petri.loads(NET, order="[silver]").run(engine="reference").replications[0].firings == 0


def test_the_flat_net_shows_it_as_written() -> None:
    quota, gaps, _ = petri.loads(NET, gaps=(3.0, 4.0)).net.parameters
    assert (quota.value, quota.kind, quota.text, quota.low, quota.high) == ("[4, 1, 1]", "list", "[4, 1, 1]", 0, 8)
    assert (gaps.value, gaps.dimension) == ("[3.0, 4.0]", "Time")
    assert quota.doc == "turns of each class"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("4", "parameter-value"),
        (4, "parameter-value"),
        (["a"], "parameter-value"),
        ([1.5], "parameter-value"),
        ("[4, 9]", "parameter-out-of-bounds"),
        ([4, 9], "parameter-out-of-bounds"),
        ("[1 us]", "type-mismatch"),
        ("[]", "parameter-value"),
        ([], "parameter-value"),
    ],
)
def test_what_is_no_list_of_such_values(value: object, found: str) -> None:
    with pytest.raises(LanguageError) as told:
        quotas(quota=value)
    assert [diagnostic.id for diagnostic in told.value.diagnostics] == [found]


def test_an_import_sets_a_list(tmp_path: Path) -> None:
    (tmp_path / "part.net").write_text("param costs = [1, 2]\nconst total = costs[0] + costs[1]\n", encoding="utf-8")
    net = tmp_path / "whole.net"
    net.write_text(
        'import "part.net" as part with costs = [own, 5]\nparam own = 3\nplace p = part.total * token\n'
        "transition t: p -> p   takes 1\n",
        encoding="utf-8",
    )
    assert petri.load(net).net.places[0].held == 8
    assert petri.load(net, **{"part.costs": "[1, 1, 1]"}).net.places[0].held == 2
