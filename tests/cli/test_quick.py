"""Command lines that are read without click mean what click makes of them."""

from __future__ import annotations

import inspect

import click
import pytest

from petri.net import MOST_REPLICATIONS
from pnsim import quick, running
from pnsim.run import command

LINES = [
    "mm1",
    "-q mm1",
    "mm1 --quiet --all --json",
    "mm1 --until 5 -n 3 --seed=7 --set load=0.5 --set speed=2 --warmup=",
    "--set=a=b=c mm1 --report page.html --replications 12",
]
OTHERS = ["", "-q", "mm1 mm1", "mm1 -qn3", "mm1 -n 0", "mm1 -n x", "mm1 --seed -1", "mm1 --until", "-", "mm1 -- x",
          "mm1 --exact", "mm1 --help", "mm1 --quiet=1", "mm1 -n 1_0", "mm1 -n 100001", "mm1 --nonsense"]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_click_reads_the_same(line: str) -> None:
    params = command.make_context("run", line.split()).params
    found = quick.read(line.split())
    assert found is not None
    assert found == {name: params[name] for name in found}
    for name, value in params.items():
        assert name in found or value in (None, False, "auto", ()), name


@pytest.mark.parametrize("line", OTHERS)
def test_everything_else_is_left_to_click(line: str) -> None:
    assert quick.read(line.split()) is None


def test_what_is_not_given_has_the_default_of_click() -> None:
    params = command.make_context("run", ["mm1"]).params
    for name, parameter in inspect.signature(running.run).parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            assert params[name] == parameter.default, name


def test_whole_numbers_begin_where_those_of_click_do() -> None:
    least = {one.name: one.type.min for one in command.params if isinstance(one.type, click.IntRange)}
    assert {name: least[name] for name in quick.LEAST} == quick.LEAST


def test_no_whole_number_is_too_large_for_click() -> None:
    kinds = {one.name: one.type for one in command.params if isinstance(one.type, click.IntRange)}
    for name in quick.LEAST:
        most = kinds[name].max
        assert most is not None
        assert most >= MOST_REPLICATIONS
