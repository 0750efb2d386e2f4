"""What docs/measures.md claims."""

from __future__ import annotations

import doctest
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petri.measure.reorder import FIELDS, Reordering

PAGE = Path(__file__).parents[2] / "docs" / "measures.md"


def test_the_examples_run() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, tried > 5) == (0, True)


def test_every_field_of_the_order_measure_is_explained() -> None:
    text = PAGE.read_text("utf-8")
    abridged = {f"{name}_share" for name in FIELDS if name.startswith(("retransmit", "three"))}
    assert [field for field in FIELDS if f"`{field}`" not in text and field not in abridged] == []


@pytest.mark.slow
def test_the_table_of_a_link_with_uniform_delay() -> None:
    names = ["reordered", "duplicate_ack", "per_run", "per_duplicate", "per_hole", "missing"]
    names += ["overtaken", "three_reordered"]
    fields = [f"{'retransmit_' if name[:3] in ('per', 'mis', 'ove') else ''}{name}_share" for name in names]
    chance = random.Random(1)
    order = Reordering()
    for time, packet in sorted((n + chance.uniform(0, 32), n) for n in range(100_000)):
        order.arrive((), packet, time)
    figures = order.figures()
    row = " | ".join(["32", *(f"{100 * figures[field]:.1f}" for field in fields)])
    assert f"| {row} |" in PAGE.read_text("utf-8")


@given(st.permutations(range(12)))
def test_the_inequalities_between_the_counts(packets: list[int]) -> None:
    figures = Reordering(first=0)
    for packet in packets:
        figures.arrive((), packet)
    lines = re.findall(r"(?m)^    (\w+(?: ≤ \w+)+)$", PAGE.read_text("utf-8"))
    assert len(lines) == 2
    for chain in lines:
        counts = [figures.figures()[name] for name in chain.split(" ≤ ")]
        assert counts == sorted(counts), chain


def test_the_bound_on_one_retransmission_per_run_is_reached() -> None:
    order = Reordering()
    for block in range(0, 400, 4):
        for packet in (2, 3, 4, 1):
            order.arrive((), block + packet)
    assert order.figures()["retransmit_per_run_share"] == 0.25


def test_the_other_counts_come_near_all_packets() -> None:
    last_first = Reordering(first=1)
    for packet in (*range(2, 1001), 1):
        last_first.arrive((), packet)
    assert last_first.figures()["retransmit_per_duplicate"] == 997
    three_early = Reordering(first=1)
    for packet in (998, 999, 1000, *range(1, 998)):
        three_early.arrive((), packet)
    figures = three_early.figures()
    assert (figures["retransmit_overtaken"], figures["retransmit_per_hole"]) == (997, 997)
