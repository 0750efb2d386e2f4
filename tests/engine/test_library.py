"""Every net of the library and of the benchmarks: machine code that knows the habits of a run changes nothing."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import petri
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.run.session import begin
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

ROOT = Path(__file__).parents[2]
NETS = sorted([*(ROOT / "nets").rglob("*.net"), *(ROOT / "benchmarks" / "nets").glob("*.net")])
LIMITS = Limits(firings_at_an_instant=1 << 40, tokens=1 << 40)
BASE_MODEL = ROOT / "nets" / "ixp2400.net"
# Other parameters show other habits, and so have other code.
VARIANTS = (
    {"engines": "1", "threads": "1"},
    {"engines": "3", "threads": "5", "flows": "1"},
    {"packet": "1500 B"},
    {"packet": "40 B", "strided": "true"},
    {"memory_exponential": "false", "work_exponential": "false"},
    {"command_entries": "1", "engine_line": "1", "output_memory": "1"},
)
# With so many firings in progress, or tokens, the engine fetches what it will touch.
LARGE = (
    ("ring", {"stations": "6000", "share": "1"}),
    ("folded_ring", {"stations": "6000"}),
    ("keyed_bag", {"waiting": "6000"}),
    ("in_progress", {"firings": "6000"}),
)
CASES = (
    *((path, {}) for path in NETS),
    *((BASE_MODEL, variant) for variant in VARIANTS),
    *((ROOT / "benchmarks" / "nets" / f"{net}.net", parameters) for net, parameters in LARGE),
)


def name_of(case: tuple[Path, dict[str, str]]) -> str:
    path, parameters = case
    return "-".join((path.stem, " ".join(f"{k}={v}" for k, v in parameters.items())))


@pytest.mark.parametrize("case", one_in(8, CASES, name_of))
def test_code_changes_nothing(case: tuple[Path, dict[str, str]]) -> None:
    path, parameters = case
    net = petri.load(path, **parameters).net
    hashes = []
    for patience in (10**9, 3_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("petri.engine.native.PATIENCE", patience)
            session = begin(net, "native", 1, 0, limits=LIMITS)
        reasons = [session.advance(math.inf, firings) for firings in (2_000, 8_000, 10_000)]
        hashes.append((session.hash, session.firings, reasons))
    assert hashes[0] == hashes[1]
