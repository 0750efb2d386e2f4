"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from petri.report.telling.quantities import NOTHING, Units, exact_quantity, number

NANOSECONDS = Units(1e-9)
PLAIN = Units()


@pytest.mark.parametrize(
    ("value", "dimension", "text"),
    [
        (1234.5, "Time", "1.234 us"),
        (0.5, "Time", "500 ps"),
        (0.0, "Time", "0 s"),
        (20e6, "Time", "20 ms"),
        (1000.0 * (1 - 1e-13), "Time", "1 us"),
        (0.3125, "Rate", "2.500 Gbps"),
        (0.6, "Freq", "600 MHz"),
        (0.0015, "events", "1.500 M/s"),
        (64.0, "Bytes", "64 B"),
        (123456.0, "Bytes", "123.5 KB"),
        (0.25, "share", "25%"),
        (1234567.0, "", "1,234,567"),
        (0.123456, "", "0.1235"),
        (math.nan, "Time", NOTHING),
        (math.inf, "", "∞"),
        (-3.25, "", "-3.250"),
    ],
)
def test_figures_with_units(value: float, dimension: str, text: str) -> None:
    assert NANOSECONDS.show(value, dimension) == text


def test_without_a_time_unit_times_and_rates_are_plain() -> None:
    assert PLAIN.show(12.5, "Time") == "12.50"
    assert PLAIN.show(0.8, "events") == "0.8000"
    assert PLAIN.show(64.0, "Bytes") == "64 B"
    assert PLAIN.show(3.5, "Rate") == "3.500 B per time unit"


@pytest.mark.parametrize(
    ("value", "half_width", "dimension", "text"),
    [
        (0.37012345, 0.00053, "Rate", "2.9610 ± 0.0042 Gbps"),
        (4.02, 0.31, "", "4.02 ± 0.31"),
        (1234.5, 120.0, "", "1,234 ± 120"),
        (5.0, 0.0, "", "5"),
        (5.0, math.nan, "", "5"),
        (5.0, 1e-12, "", "5"),
        (math.nan, math.nan, "", NOTHING),
        (0.5, 0.01, "share", "50.0 ± 1.0 %"),
        (189.90545563e6, 0.48, "Time", "189.905 ± <0.001 ms"),
        (0.9995174, 1.5e-6, "", "0.999517 ± 0.000002"),
        (14e6, 34e6, "Time", "14? ± 34 ms"),
        (1.0, 5000.0, "Time", "0.0? ± 5.0 us"),
        (0.0, 0.3, "", "0.00? ± 0.30"),
        (3e-12, 2.5e-13, "", "(3.00 ± 0.25)e-12"),
        (123456.7, 0.01, "", "123,457 ± <1"),
    ],
)
def test_a_value_is_as_exact_as_its_interval(value: float, half_width: float, dimension: str, text: str) -> None:
    assert NANOSECONDS.show_with_error(value, half_width, dimension) == text


def test_a_difference_may_well_be_nothing() -> None:
    assert NANOSECONDS.show_with_error(-3.0, 5.0, "Time", difference=True) == "-3.0 ± 5.0 ns"


def test_what_is_not_known_is_marked_without_its_interval_too() -> None:
    assert NANOSECONDS.show_without_error(14e6, 34e6, "Time") == "14? ms"
    assert NANOSECONDS.show_without_error(14e6, 3e6, "Time") == "14 ms"
    assert NANOSECONDS.show_without_error(14e6, math.nan, "Time") == "14 ms"


def test_a_range_is_in_one_unit() -> None:
    assert NANOSECONDS.show_range(0.12, 350.0, "Time") == "0.120..350 ns"
    assert NANOSECONDS.show_range(100_000, 400_000, "count") == "100..400 k"
    assert NANOSECONDS.show_range(12_499, 12_501, "count") == "12.499..12.501 k"


@pytest.mark.parametrize(
    ("value", "dimension", "text"),
    [
        (0.3125, "Rate", "2.5 Gbps"),
        (1518, "Bytes", "1518 B"),
        (213.0, "Time", "213 ns"),
        (0.6, "Freq", "600 MHz"),
        (0.8, "", "0.8"),
        (7, "", "7"),
        (1e-7, "", "1e-7"),
    ],
)
def test_parameters_keep_all_their_digits(value: float, dimension: str, text: str) -> None:
    assert exact_quantity(NANOSECONDS, value, dimension) == text


def test_extreme_numbers_stay_short() -> None:
    assert number(1.5e20) == "1.500e20"
    assert number(1.5e-9) == "1.500e-9"


def test_a_net_of_minutes_or_hours_is_read_in_them() -> None:
    minutes, hours = Units(60.0), Units(3600.0)
    assert [minutes.show(value, "Time") for value in (90, 2.5, 0.5, 0)] == ["1.500 h", "2.500 min", "30 s", "0 min"]
    assert [hours.show(value, "events") for value in (12, 90, 7200)] == ["12 /h", "1.500 /min", "2 /s"]
    assert minutes.show(30, "Freq") == "30 /min"
    assert Units(1.0).show(90, "Time") == "90 s"


def test_a_range_of_equal_ends_is_one_figure() -> None:
    assert NANOSECONDS.show_range(0.0, 0.0, "count") == "0"
    assert NANOSECONDS.show_range(2.5, 2.5, "Time") == "2.500 ns"
