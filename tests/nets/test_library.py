"""Every net of the library: no complaint of the checker, expectations that hold, and two engines that agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import petri
from petri import library
from petri.engine.native import available
from petri.language import check
from tests.sampling import one_in

NETS = library.net_names()
PARTS = sorted(Path(library.models()).rglob("*.net"))
FEW_FLOWS = {"active_flows": 30}  # the reference engine looks through all that are under way for each packet
SMALLER: dict[str, dict[str, int]] = {
    **dict.fromkeys(("dram_buffering", "dynamic_buffering", "shotnoise"), FEW_FLOWS),
    "patterns/tandem_overflow": {"c": 2},  # the trials of a rarer overflow take the reference engine minutes
}
PROVENANCE = re.compile(r"\b(given|derived|calibrated|estimated)\b")


@pytest.mark.parametrize("name", one_in(3, NETS))
def test_nothing_to_complain_about(name: str) -> None:
    path = library.net(name)
    assert path is not None
    assert check(path) == []


@pytest.mark.parametrize("name", one_in(10, NETS))
def test_expectations_hold(name: str) -> None:
    if not available():
        pytest.skip("takes too long on the reference engine")
    model = petri.load(name)
    assert model.net.doc, "a net says what it is about"
    expected = model.net.expectations or any(measure.expectations for measure in model.net.measures)
    result = model.run(max_firings=None if expected else 1_000_000)
    assert result.failure is None
    assert result.passed, [verdict for measure in result.measures for _, verdict in measure.verdicts]


@pytest.mark.parametrize("name", one_in(6, NETS))
def test_engines_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not available():
        pytest.skip("the native engine is not built")
    model = petri.load(name, **SMALLER.get(name, {}))
    monkeypatch.setattr("petri.engine.native.PATIENCE", 200)  # some of the firings run by machine code
    native, reference = (
        model.run(engine=engine, warmup=0.0, seed=3, replications=1, max_firings=700)
        for engine in ("native", "reference")
    )
    assert native.hash == reference.hash


def test_constants_of_the_models_say_where_they_come_from() -> None:
    for parameter in petri.load("ixp2400").net.parameters:
        assert parameter.doc, parameter.name
        if parameter.kind != "bool":
            assert PROVENANCE.search(parameter.doc), f"{parameter.name}: {parameter.doc}"


@pytest.mark.parametrize("path", one_in(3, PARTS))
def test_models_say_what_they_are(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("## ")
    assert check(path) == []
