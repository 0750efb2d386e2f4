"""The units of a net's own numbers, as data frames and files name them: `us`, `B`, `B/us`, `1/us`."""

from __future__ import annotations

from petri.net import Net, split_unit


def unit_of(net: Net, dimension: str) -> str:
    """Return the unit of a value of this dimension in the net's numbers; "" for plain numbers, and shares between 0 and
    1.

    In a net without a unit of time, times are plain numbers, and a rate is in "B per time unit".
    """
    dimension, time = split_unit(dimension)[0], net.time_unit
    if dimension == "Bytes":
        return "B"
    if dimension == "Rate":
        return f"B/{time}" if time else "B per time unit"
    if dimension == "Time":
        return time
    return f"1/{time}" if dimension in ("Freq", "events") and time else ""


def with_unit(name: str, unit: str) -> str:
    """`goodput [B/us]`, which is also how the columns of a stream may be named."""
    return f"{name} [{unit}]" if unit else name
