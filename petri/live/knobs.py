"""The range of each parameter that a slider covers, from its bounds, or from its value where it has none."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from petri.net import Net, Parameter
from petri.report.telling.quantities import Units, exact, parameter_text

STEPS: Final = 200  # of a slider
DIGITS: Final = 6  # of a value in the field beside a slider
FAR: Final = 100.0  # times the value
WIDE: Final = 50.0  # the slider is logarithmic if its ends are so far apart
_QUANTITY: Final = re.compile(r"(-?[\d.]+(?:e-?\d+)?)\s*(.*)")


def knobs(written: Net, now: Net) -> list[dict[str, Any]]:
    """Return for each parameter its value as text, and how it can be set. written: the net with the values of its
    text, from which the ranges follow, so that they stay while a slider moves.
    """
    units, defaults = Units.of(now), {parameter.name: parameter for parameter in written.parameters}
    return [_knob(units, defaults.get(parameter.name, parameter), parameter) for parameter in now.parameters]


def _knob(units: Units, written: Parameter, now: Parameter) -> dict[str, Any]:
    found = {"name": now.name, "doc": now.doc, "text": parameter_text(units, now, now.value)}
    if isinstance(now.value, bool):
        return found | {"kind": "check"}
    if isinstance(now.value, str) or isinstance(written.value, bool | str):
        return found | ({"kind": "choice", "choices": list(now.labels)} if now.labels else {"kind": "text"})
    per, unit = _unit(units, written)
    size = written.value / per
    whole = now.kind == "int" and per == 1.0
    low, high = (None if bound is None else bound / per for bound in (written.low, written.high))
    return (
        found
        | {"kind": "range", "unit": unit, "per": per}
        | _range(size, low, high, whole)
        | {"value": _even(now.value / per), "text": written_value(now.value / per, whole, unit, DIGITS)}
    )


def _unit(units: Units, parameter: Parameter) -> tuple[float, str]:
    """Return the unit of a parameter's slider, which is that of its default where it has one, and its size in the net's
    own.

    The default is text of the language, `4 min`; where it is an expression, the unit suits its value.
    """
    assert not isinstance(parameter.value, bool | str)
    wanted = _QUANTITY.fullmatch(parameter.text.replace("_", ""))
    factor, known = units.units_of(parameter.dimension)
    named = {name: size / factor for size, name in known}
    if wanted is not None and wanted[2] in named:
        return named[wanted[2]], wanted[2]
    split = _QUANTITY.fullmatch(parameter_text(units, parameter, parameter.value))
    if split is None or not split[2] or not float(split[1]):
        return 1.0, ""
    return parameter.value / float(split[1]), split[2]


def _range(size: float, low: float | None, high: float | None, whole: bool) -> dict[str, Any]:
    """Return the end and the step, in the unit of the slider, for a value of this size.

    The ends are the bounds, as far as they are not beyond a hundredth or a hundred times the value. Where there is no
    bound, or one from 0 to far away, from a quarter of the value to twice it.
    """
    if high is None:
        high = max(2.0 * abs(size) or 1.0, 10.0 if whole else 0.0) if size >= 0.0 else 0.0
        high += max(low or 0.0, 0.0)
    elif size > 0.0:
        high = min(high, FAR * size) if low or high <= 10.0 * size else 2.0 * size
    step = _step(high - max(low or 0.0, size / FAR), whole)
    if low is None:
        low = 2.0 * size if size < 0.0 else 1.0 if whole and 0.0 < size <= 20.0 else _even(size / 4, step)
    elif size > 0.0:
        low = max(low, round(size / FAR) if whole else size / FAR) if low > 0.0 else low
    low, high = _even(low), _even(high)
    logarithmic = low > 0.0 and high / low >= WIDE
    return {"low": low, "high": high, "step": step, "whole": whole, "logarithmic": logarithmic}


def _step(reach: float, whole: bool) -> float:
    step = _neat(reach / STEPS)
    return max(round(step), 1) if whole else step


def _even(value: float, step: float = 0.0) -> float:
    """Without the last digits, which conversions of units leave behind; a multiple of `step`, if there is one."""
    return float(f"{round(value / step) * step if step else value:.10g}")


def _neat(size: float) -> float:
    """1, 2 or 5 times a power of ten, at least `size`."""
    if not size > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(size) + 1e-9)
    return float(exact(next(m * power for m in (1, 2, 5, 10) if m * power >= size * (1 - 1e-9))))


def least(knob: Mapping[str, Any]) -> float:
    """Return from where on a number is varied: of a real whose slider begins at 0 the first step, as many nets cannot
    have a time or a rate of 0.
    """
    found: float = knob["step"] if not knob["low"] and not knob["whole"] and knob["value"] > 0.0 else knob["low"]
    return found


def along(knob: dict[str, Any], count: int) -> list[str]:
    """Return values of a parameter over its range, as texts in the language; of one that is no number, all that it can
    have.

    The ends and the middle come first, so that a curve is coarse before it is fine.
    """
    if knob["kind"] == "check":
        return ["false", "true"]
    if knob["kind"] == "choice":
        return list(knob["choices"])
    if knob["kind"] != "range":
        return [knob["text"]]
    low, high, step, whole = (knob[name] for name in ("low", "high", "step", "whole"))
    shares = sorted((n / (count - 1) for n in range(count)), key=lambda share: _fineness(share, count - 1))
    values: dict[str, None] = {}
    for share in shares:
        if knob["logarithmic"]:
            value = float(f"{low * (high / low) ** share:.3g}")
        else:
            value = low + round(share * (high - low) / step) * step
        values[written_value(min(max(value, low), high), whole, knob["unit"])] = None
    return list(values)


def written_value(value: float, whole: bool, unit: str, digits: int = 10) -> str:
    number = str(round(value)) if whole else exact(float(f"{value:.{digits}g}"))
    return f"{number} {unit}".strip()


def leading(text: str) -> float:
    """Return the number with which a value begins, for the order of values in one unit."""
    split = _QUANTITY.fullmatch(text)
    return float(split[1]) if split else 0.0


def _fineness(share: float, parts: int) -> int:
    """Return how many times the range must be halved to meet this part of it."""
    number = round(share * parts)
    return next((n for n in range(20) if number * 2**n % parts == 0), 20)
