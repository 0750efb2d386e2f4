"""Quantities in the flat net: in the net's time unit and bytes, converted exactly and rounded once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from petri import language
from petri.catalogue.units import BYTES, FREQ, RATE, TIME, UNITS, Dimension, dimension_name
from petri.codec import net_from_dict, net_to_dict
from petri.diagnostics import LanguageError
from petri.language.meaning.unit_names import suggested_unit

NET = "param x = {quantity}  place p = token  transition t: p -> p"


@pytest.mark.parametrize(
    ("clock", "quantity", "value", "dimension"),
    [
        ("ns", "2.5 Gbps", 0.3125, "Rate"),
        ("ns", "600 MHz", 0.6, "Freq"),
        ("us", "20 ms", 20000.0, "Time"),
        ("ps", "1 s", 1e12, "Time"),
        ("min", "1.5 h", 90.0, "Time"),
        ("h", "45 min", 0.75, "Time"),
        ("s", "2 min", 120.0, "Time"),
        ("s", "64B", 64.0, "Bytes"),
        ("s", "1 KiB", 1024.0, "Bytes"),
        ("s", "1 KB", 1000.0, "Bytes"),
        ("s", "12 b", 1.5, "Bytes"),
        ("s", "1 Kib", 128.0, "Bytes"),
        ("ns", "64 B / 2.5 Gbps", 204.8, "Time"),
        ("ns", "1 / 600 MHz", 1 / 0.6, "Time"),
        ("ns", "64 B * 600 MHz", 38.4, "Rate"),
        ("ns", "64 B * 64 B", 4096.0, "Bytes^2"),
        ("ns", "sqrt(64 B * 1 B)", 8.0, "Bytes"),
        ("ns", "3 ns / 1 ns", 3.0, ""),
        ("ns", "1 ns + 0", 1.0, "Time"),
        ("ns", "0.1 s + 0.2 s", 300000000.0, "Time"),
    ],
)
def test_quantity(clock: str, quantity: str, value: float, dimension: str) -> None:
    net = language.loads(f"time {clock}  " + NET.format(quantity=quantity))
    assert net.parameters[0].value == value
    assert net.parameters[0].dimension == dimension


def test_conversion_is_rounded_once() -> None:
    net = language.loads("time us  " + NET.format(quantity="0.1 ns * 3"))
    assert net.parameters[0].value == float(Fraction(3, 10000))


def test_own_units_and_an_own_clock() -> None:
    text = "time cycle  param clock = 600 MHz  unit cycle = 1 / clock  unit word = 4 B  place p = token"
    net = language.loads(text + "  transition t: p -> p  takes 40 cycle + 2 word / 3 Gbps  run until 1 us")
    assert net.time_unit == "cycle"
    assert net.seconds == float(Fraction(1, 600_000_000))
    assert net.parameters[0].value == 1.0
    assert Fraction(net.transitions[0].time.value or 0) * net.tick.length == 40 + Fraction(8 * 600, 375)
    assert net.run_defaults.until == 600.0
    assert language.duration("1 us", net) == pytest.approx(600.0, rel=1e-12)
    assert language.duration("20 cycle", net) == language.duration("20", net) == 20.0
    with pytest.raises(LanguageError):
        language.duration("20 word", net)


def test_without_a_clock_time_is_a_number() -> None:
    net = language.loads(
        "type T = { a: Time, b: Bytes }  place p : T = T(3, 1 B)  transition t: p(x) -> p(x) takes x.a"
    )
    assert [slot.dimension for slot in net.places[0].colour.slots] == ["", "Bytes"]
    assert net.time_unit == ""
    assert net.seconds is None


def test_duration() -> None:
    net = language.loads("time ns place p = token  transition t: p -> p  takes 1 ns")
    assert language.duration("20 ms", net) == 2e7
    assert language.duration("1 s / 4", net) == 2.5e8
    for wrong in ("20", "20 B", "ms", "3 ms )", ""):
        with pytest.raises(LanguageError):
            language.duration(wrong, net)


@pytest.mark.parametrize(
    ("clock", "length", "times", "others"),
    [("time ns", "1 / (600 MHz)", ("20 cycle", "20 * 1 cycle"), ("h", "min", "s")), ("", "5 / 3", ("20 cycle",), ())],
)
def test_a_duration_in_units_of_the_net(
    clock: str, length: str, times: tuple[str, ...], others: tuple[str, ...]
) -> None:
    text = f"{clock} unit cycle = {length} unit word = 4 B place p = token  transition t: p -> p  takes 1 cycle"
    net = net_from_dict(net_to_dict(language.loads(text)))
    assert [language.duration(time, net) for time in times] == [pytest.approx(100 / 3)] * len(times)
    with pytest.raises(LanguageError) as raised:
        language.duration("20 cycles", net)
    (told,) = raised.value.diagnostics
    assert told.values["suggestion"] == "cycle"
    units = told.values["units"]
    assert isinstance(units, tuple)
    assert units[: 1 + len(others)] == ("cycle", *others)
    assert "B" not in units
    assert "\n1 | 20 cycles\n  | ^^^^^^^^^\n" in str(raised.value)


def test_names_of_dimensions() -> None:
    assert [dimension_name(d) for d in (TIME, BYTES, RATE, FREQ, Dimension())] == ["Time", "Bytes", "Rate", "Freq", ""]
    assert dimension_name(Dimension(2, 0)) == "Time^2"
    assert dimension_name(Dimension(-2, 0)) == "1/Time^2"
    assert dimension_name(Dimension(-1, 2)) == "Bytes^2/Time"


def test_bits_and_bytes() -> None:
    assert UNITS["Gbps"].scale * 8 == UNITS["GBps"].scale
    assert UNITS["KiB"].scale == 1024


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("mim", "min"), ("minutes", "min"), ("Min", "min"), ("hours", "h"), ("hr", "h"), ("sec", "s"), ("seconds", "s"),
        ("µs", "us"), ("msec", "ms"), ("bytes", "B"), ("bit", "b"), ("Gpbs", "Gbps"), ("Mbs", "Mbps"), ("Mhz", "MHz"),
        ("cicle", "cycle"), ("elephants", None),
    ],
)  # fmt: skip
def test_what_a_wrong_unit_was_meant_to_be(word: str, meant: str | None) -> None:
    assert suggested_unit(word, ["cycle"]) == meant


def test_the_message_for_a_wrong_unit_of_the_clock_speaks_of_time_alone() -> None:
    with pytest.raises(LanguageError) as raised:
        language.loads("time bytes  place p = token  transition t: p -> p")
    assert raised.value.diagnostics[0].values["units"] == ("h", "min", "s", "ms", "us", "ns", "ps", "fs")
    assert raised.value.diagnostics[0].values["suggestion"] is None
