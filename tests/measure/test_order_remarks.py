"""Remarks on figures of order: numbers that wrap around, packets that are too late, flows that are forgotten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import petri
from petri.report.html import recorded_report
from tests.cli.calling import caller
from tests.engines import ENGINES

# Every tenth packet comes two places late; each flow has every FLOWS-th packet.
NET = """
net numbered
param modulo = 65536
param flows = 1
place clock : int = modulo - 300
transition send: clock(n) -> clock(n + 1)  takes 1
fn late(n: int): int = if n mod 10 <= 1 then n + 1 else if n mod 10 == 2 then n - 2 else n
measure order = reorder(send, by n mod flows, order late(n div flows) mod modulo SETTING)
  record reordered_share, duplicate_ack_share
measure share = 100 * order.reordered_share
run until 1000
"""


def load(setting: str = "", **parameters: int) -> petri.Model:
    return petri.loads(NET.replace("SETTING", setting), **parameters)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("modulo", [16, 4096])
def test_numbers_that_wrap_around_are_followed_by_serial_arithmetic(engine: str, modulo: int) -> None:
    result = load(", modulo: modulo", modulo=modulo).run(engine=engine)
    order = result.measure("order")
    assert order.value == pytest.approx(0.1, abs=0.001)
    assert order.recorded["duplicate_ack_share"].mean == pytest.approx(0.2, abs=0.001)
    assert order.remarks == ()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("modulo", "said"), [
    (16, r"985 of 1,001 packets have numbers that came before; if numbers wrap around, add `modulo: 65536`"),
    (600, "the numbers of a flow fell by more than half their range and stayed low; if they wrap around, add"),
    (65536, "701 of 1,001 packets came more than 8,192 numbers late, and are in no figure but `packets` and"),
])  # fmt: skip
def test_numbers_that_wrap_around_are_said_without_it(engine: str, modulo: int, said: str) -> None:
    result = load(modulo=modulo).run(engine=engine)
    for name in ("order", "share"):
        remarks = result.measure(name).remarks
        assert re.match(said, remarks[0])
        assert "modulo: 65536" in remarks[-1]
    page = recorded_report(result.to_dict())
    assert len(re.findall("modulo: 65536", page)) >= 2


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_that_wrap_before_the_modulo_are_said(engine: str) -> None:
    [remark] = load(", modulo: 65536", modulo=4096).run(engine=engine).measure("order").remarks
    assert remark.startswith("the numbers of a flow fell by more than half their range and stayed low; if they wrap")
    assert "earlier than `modulo: 65536` says" in remark


@pytest.mark.slow
def test_flows_that_are_forgotten_are_said() -> None:
    """Each flow comes again after 70,000 others: too many to be followed at once."""
    few, many = (load(flows=flows, modulo=300).run(until=150_000) for flows in (60_000, 70_000))
    assert few.measure("order").remarks == ()
    assert many.measure("order").remarks == (
        "80,001 flows were forgotten, as more than 65,536 came at once; if they came again, they count as new flows",
    )


def test_a_terminal_shows_the_remark_beside_the_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "numbered.net"
    net.write_text(NET.replace("SETTING", ""), encoding="utf-8")
    shown = " ".join(caller(capsys)("run", str(net)).out.split())
    assert re.search(r"order reordered_share .* % 701 of 1,001 packets came more than 8,192 numbers late", shown)
