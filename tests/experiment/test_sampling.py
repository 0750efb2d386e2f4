"""Ranges, grids and samples."""

from __future__ import annotations

import pytest

from petri.experiment.design.sampling import (
    Axis,
    BadRange,
    grid,
    latin_hypercube,
    parse_range,
    parse_value,
    parse_values,
    random_sample,
    without_duplicates,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2,4,8", [1, 2, 4, 8]),
        ("1..5", [1, 2, 3, 4, 5]),
        ("1..9 step 4", [1, 5, 9]),
        ("1..64 times 4", [1, 4, 16, 64]),
        ("0.1..0.5 step 0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("1..3, 8", [1, 2, 3, 8]),
        ("10 us, 20 us", ["10 us", "20 us"]),
        ("1..3 us", ["1 us", "2 us", "3 us"]),
        ("0.5..1.5 us step 0.5 us", ["0.5 us", "1.0 us", "1.5 us"]),
        ("gold, silver", ["gold", "silver"]),
        ("true,false", [True, False]),
        ("-2..2 step 2", [-2, 0, 2]),
        ("1e3, 2.5", [1000.0, 2.5]),
    ],
)
def test_values_of_an_axis(text: str, values: list[object]) -> None:
    found = parse_values(text)
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0.1:0.9:0.1", "0.1..0.9 step 0.1"),
        ("1:8", "1..8"),
        ("0.1:0.9", "0.1..0.9 step 0.1"),
        ("0.1..0.9..0.2", "0.1..0.9 step 0.2"),
        ("0.1..0.9 by 0.2", "0.1..0.9 step 0.2"),
        ("1 to 8", "1..8"),
        ("np.arange(0, 1, 0.1)", "0..1 step 0.1"),
        ("[1, 2]", "1,2"),
        ("1 2 4", "1,2,4"),
        ("1; 2", "1,2"),
    ],
)
def test_ranges_and_lists_of_other_languages(text: str, meant: str) -> None:
    with pytest.raises(BadRange) as caught:
        parse_values(text)
    assert (caught.value.reason, caught.value.meant) == ("grid-range", meant)
    assert parse_values(meant)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0.1..0.9", "range-without-step"),
        ("5..1", "range-empty"),
        ("1..5 step 0", "range-step"),
        ("1..5 times 1", "range-step"),
        ("0..5 times 2", "range-step"),
        ("1 us..5 ms", "range-units"),
        ("1..1000000", "range-too-long"),
    ],
)
def test_bad_ranges(text: str, reason: str) -> None:
    with pytest.raises(BadRange) as caught:
        parse_values(text)
    assert caught.value.reason == reason


def test_what_is_no_range() -> None:
    assert parse_range("gold") is None
    assert parse_range("a..b") is None
    assert parse_range("..") is None
    assert parse_value("1e999") == "1e999"


def test_the_last_axis_of_a_grid_changes_fastest() -> None:
    assert grid({"a": [1, 2], "b": ["x", "y"]}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_equal_points_are_one_but_types_differ() -> None:
    assert without_duplicates([{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": True, "b": 2}]) == [
        {"a": 1, "b": 2},
        {"a": True, "b": 2},
    ]


AXES = {
    "load": Axis(between=parse_range("0.1..0.9")),
    "threads": Axis(between=parse_range("1..4")),
    "size": Axis(between=parse_range("1..1000"), logarithmic=True),
    "scheme": Axis(("fifo", "priority")),
}


def test_latin_hypercube_has_one_point_in_each_part_of_each_axis() -> None:
    points = latin_hypercube(AXES, 40, seed=3)
    loads = sorted(float(point["load"]) for point in points)
    assert [int((load - 0.1) / 0.8 * 40) for load in loads] == list(range(40))
    assert sorted(point["threads"] for point in points) == [1] * 10 + [2] * 10 + [3] * 10 + [4] * 10
    assert sum(point["scheme"] == "fifo" for point in points) == 20
    assert sum(float(point["size"]) < 31.62 for point in points) == 20


def test_samples_depend_on_their_seed_alone() -> None:
    assert latin_hypercube(AXES, 10, seed=3) == latin_hypercube(AXES, 10, seed=3)
    assert latin_hypercube(AXES, 10, seed=3) != latin_hypercube(AXES, 10, seed=4)
    assert random_sample(AXES, 5, seed=3) == random_sample(AXES, 10, seed=3)[:5]


def test_a_range_with_a_unit_is_written_with_it() -> None:
    (point,) = random_sample({"gap": Axis(between=parse_range("1..9 us"))}, 1, seed=1)
    value, unit = str(point["gap"]).split()
    assert 1.0 <= float(value) <= 9.0
    assert unit == "us"
