"""The DDR4 of the library against arithmetic of its timings: with each pattern the slowest constraint decides."""

import pytest

import petri

CYCLE = 0.625  # ns
READ = {"stream": 4.0, "one_group": 8.0, "new_rows": 35 / 4, "one_bank": 74.0}  # cycles from one read to the next


@pytest.mark.parametrize("pattern", list(READ))
def test_the_slowest_constraint_decides(pattern: str) -> None:
    model = petri.load("patterns/ddr4", pattern=pattern, refresh=False)
    result = model.run(until="30 us", warmup="1 us")
    used = result.measure("efficiency").value
    assert used == pytest.approx(4 / READ[pattern], rel=0.005)


@pytest.mark.slow
def test_a_refresh_costs_its_time_and_that_of_closing_and_opening_the_banks() -> None:
    kept = petri.load("patterns/ddr4").run(until="157 us", warmup="1 us").measure("efficiency").value
    assert kept == pytest.approx(1 - (350 + (12 + 22 + 22) * CYCLE) / 7800, abs=0.003)


def test_hits_are_as_many_as_asked_for() -> None:
    model = petri.load("patterns/ddr4", pattern="random", hits=0.5, waiting=1, refresh=False)
    assert model.run(until="60 us").measure("row_hits").value == pytest.approx(0.5, abs=0.03)
