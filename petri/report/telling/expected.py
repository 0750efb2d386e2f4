"""What is expected of a figure, in words that show the number: `2.172 ms within 5%`."""

from __future__ import annotations

import math
import re
from typing import Final

from rich.text import Text

from petri.measure.formula import Verdict
from petri.net import Expectation
from petri.report.telling.quantities import NOTHING, Units, compact, joined

_CLAIM: Final = re.compile(r"(?P<figure>.*?)\s*(?P<sign>[<>=]=|[<>])\s*(?P<bound>.*?)(?:\s+within\b.*)?$")
_PLAIN: Final = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?\s*[A-Za-z%/]*")
_DIGITS: Final = (4, 6, 9, 12, 17)


def expected(expectation: Expectation, units: Units, dimension: str) -> str:
    """`2.172 ms within 5%`, `<= 3 Gbps`, `100,000 within 0.5`: the bound as a number."""
    return bound_text(
        expectation.comparison, expectation.bound, expectation.within, expectation.absolute, units, dimension
    )


def bound_text(comparison: str, bound: float, within: float, absolute: bool, units: Units, dimension: str) -> str:
    """See `expected`; `within` is a share of the bound unless it is `absolute`. Every number is a plain one."""
    shown = show_compactly(bound, units, dimension)
    if comparison != "==":
        return f"{comparison} {shown}"
    if not within:
        return f"exactly {shown}"
    if absolute and dimension == "share":  # a share of what? of the whole, not of the bound
        return f"{shown} within {compact(100.0 * within)} percentage points"
    tolerance = show_compactly(within, units, dimension) if absolute else f"{compact(100.0 * within)}%"
    return f"{shown} within {tolerance}"


def holding(count: int) -> str:
    """Said where no expectation failed, of how many there are."""
    if count == 1:
        return "the expectation holds"
    return "both expectations hold" if count == 2 else f"all {count} expectations hold"


def failing(failed: int, count: int) -> str:
    """Said where `failed` of `count` expectations did not hold, before `failed`."""
    return "the expectation" if count == 1 else f"{failed} of {count} expectations"


def show_compactly(value: float, units: Units, dimension: str, digits: int = 6) -> str:
    """Return a value that a person has set, without zeros at its end."""
    if math.isnan(value):
        return NOTHING
    scale = units.scale(value, dimension)
    return joined(compact(value * scale.factor, digits), scale.unit)


def origin(text: str, measure: str = "") -> str:
    """Return where the bound of an expectation comes from: `load / (1 - load)`; "" where it was written as a number.

    Of an expectation that belongs to no measure, both sides of it.
    """
    said = " ".join(text.split()).removeprefix("expect ")
    found = _CLAIM.fullmatch(said)
    if found is None:
        return said
    if not measure:
        return f"{found['figure']} {found['sign']} {found['bound']}"
    return "" if _PLAIN.fullmatch(found["bound"]) else found["bound"]


def said(expectation: Expectation, units: Units, dimension: str, measure: str = "") -> str:
    """`2.172 ms within 5% (load / (1 - load))`."""
    source = origin(expectation.text, measure)
    return expected(expectation, units, dimension) + (f" ({source})" if source else "")


def verdict_text(expectation: Expectation, verdict: Verdict, units: Units, dimension: str, measure: str = "") -> Text:
    """`✓ 2.172 ms within 5%`, or what was measured and what was expected; then where the bound comes from."""
    wanted = expected(expectation, units, dimension)
    doubt = " (uncertain)" if verdict.certain is False else ""
    if verdict.passed:
        text = Text(f"✓ {wanted}", style="green").append(doubt, style="not bold dim")
    else:
        found = measured(verdict, units, dimension)
        text = Text(f"✗ FAILED: measured {found}, expected {wanted}", style="bold red")
        text.append(doubt, style="dim not bold")
    source = origin(expectation.text, measure)
    return text.append(f" ({source})", style="dim not bold") if source else text


def measured(verdict: Verdict, units: Units, dimension: str) -> str:
    """Return the figure with as many digits as it takes to see that it is not its bound."""
    if math.isnan(verdict.value):
        return "nothing"
    for digits in _DIGITS:
        value, bound = (show_compactly(one, units, dimension, digits) for one in (verdict.value, verdict.bound))
        if value != bound or verdict.value == verdict.bound:
            break
    return units.show(verdict.value, dimension, digits)
