"""What a column follows, in words: a table of laws, what to know of the values, and a line of the language."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OPERATIONS
from petri.catalogue.units import UNITS
from petri.catalogue.words import OPERATORS, RESERVED
from petri.fit import Fit, Fitted
from petri.fit.fitting import BAD
from petri.report.telling.columns import Column
from petri.report.telling.quantities import NOTHING, compact, counted, joined

SHOWN = 8  # laws
DIGITS = 5  # of parameters
MOST_ROWS = 1_000  # of a table for `empirical`
_TAKEN = frozenset((*RESERVED, *OPERATORS, *UNITS, *DISTRIBUTIONS, *FUNCTIONS, "e"))


def name_of(fit: Fit) -> str:
    """Return a name for the distribution: that of the column, if the language takes it."""
    base = "gap" if fit.column.instants is not None else fit.column.name
    name = re.sub(r"\W+", "_", base.lower(), flags=re.ASCII).strip("_") or "value"
    name = f"x{name}" if name[0].isdigit() else name
    return f"{name}_law" if name in _TAKEN else name


def law_text(one: Fitted, unit: str) -> str:
    """`lognormal(12.3 us, 0.8)`; of mixtures, and beside zeros, `choice(0 us: 0.1, exp(3 us): 0.9)`."""
    parts = [(1.0 - one.zeros, one.law.name, one.parameters)]
    if one.is_mixture:
        share, first, second = one.law.mixed(*one.parameters)
        assert one.law.part is not None
        parts = [(w * (1.0 - one.zeros), one.law.part.name, of) for w, of in ((share, first), (1 - share, second))]
    texts = [(weight, _single(name, parameters, unit)) for weight, name, parameters in parts]
    if one.zeros:
        texts.insert(0, (one.zeros, _value(0.0, unit, real=True)))
    if len(texts) == 1:
        return texts[0][1]
    return f"choice({', '.join(f'{text}: {weight:.4g}' for weight, text in texts)})"


def _single(name: str, parameters: Sequence[float], unit: str) -> str:
    operation = OPERATIONS[name]
    texts = [
        str(round(value))
        if one.kind == "int"
        else _value(value, unit if one.alike else "", one.name in ("low", "high"))
        for one, value in zip(operation.parameters, parameters, strict=True)
    ]
    usage = operation.usage
    if ".." in usage:
        texts[-2:] = [f"{texts[-2]}..{texts[-1]}"]
    return f"{operation.word}({', '.join(texts)})"


def _value(value: float, unit: str, real: bool = False) -> str:
    text = f"{value:.{DIGITS}g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return joined(f"{text}.0" if real and not unit and text.lstrip("-").isdigit() else text, unit)


def line(fit: Fit, table: str | None = None) -> str:
    """Return the line to paste. table: the file that `--table` writes."""
    name, unit = name_of(fit), fit.column.unit
    if fit.chosen is not None:
        return f"dist {name} = {law_text(fit.chosen, unit)}"
    if len(fit.values) == 1:
        return f"const {name} = {_value(fit.values[0][0], unit)}"
    if fit.values:
        return f"dist {name} = choice({', '.join(f'{_value(value, unit)}: {count}' for value, count in fit.values)})"
    if len(fit.sample.low):
        return ""
    drawn = "table" if is_whole(fit) else "empirical"
    return f'dist {name} = {drawn}("{table or name + ".csv"}"){f" * 1 {unit}" if unit else ""}'


def is_whole(fit: Fit) -> bool:
    """Return whether the values are plain whole numbers, of which none is between two."""
    return not fit.column.unit and bool((fit.sample.known == np.round(fit.sample.known)).all())


def table_text(fit: Fit) -> str:
    """Return the values with their weights, as a file for `empirical` or `table`."""
    x = fit.sample.known
    values, counts = np.unique(x, return_counts=True)
    if len(values) > MOST_ROWS and not is_whole(fit):
        values = np.unique(np.quantile(x, np.linspace(0, 1, MOST_ROWS)))
        counts = np.diff(np.searchsorted(np.sort(x), values, side="right"), prepend=0)
    rows = "".join(f"{value:.12g},{count}\n" for value, count in zip(values.tolist(), counts.tolist(), strict=True))
    return f"value,weight\n{rows}"


def schedule_line(fit: Fit) -> str:
    """Return the rate of arrivals as a line of the language; "" if it does not change."""
    if fit.rates is None:
        return ""
    longest = max(at for at, _ in fit.rates.steps)
    unit, size = (
        ("h", 3600.0) if fit.rates.every or longest >= 7200 else ("min", 60.0) if longest >= 120 else ("s", 1.0)
    )
    steps = ", ".join(f"{_value(rate * size, '')} from {_value(at / size, unit)}" for at, rate in fit.rates.steps)
    every = f" every {_value(fit.rates.every / size, unit)}" if fit.rates.every else ""
    return f"schedule arrivals = {steps}{every}  ## per {unit}"


def columns(fit: Fit) -> list[Column]:
    """Return the table of laws, the likeliest first."""
    shown = fit.fitted[:SHOWN]
    best = shown[0].criterion if shown else 0.0
    x, unit = fit.sample.guess, fit.column.unit
    marks = ["✓" if one is fit.chosen else "" for one in shown]
    return [
        Column("Law", [law_text(one, unit) for one in shown], "name"),
        Column("AIC", [f"+{one.criterion - best:.1f}" if place else f"{best:.1f}" for place, one in enumerate(shown)]),
        Column("fits", [_probability(one) for one in shown]),
        Column("median", [_figure(fit, one, 0.5) for one in shown], rank=2),
        Column("99%", [_figure(fit, one, 0.99) for one in shown], rank=1),
        Column("", marks, left=True),
    ] if len(x) else []  # fmt: skip


def _figure(fit: Fit, one: Fitted, share: float) -> str:
    found = one.quantiles(np.array([share]))
    return joined(compact(float(found[0]), 4), fit.column.unit)


def _probability(one: Fitted) -> str:
    if math.isnan(one.fits):
        return NOTHING
    return "no" if one.fits <= BAD else f"p = {one.fits:.2g}"


def heading(fit: Fit) -> str:
    """Return what was read."""
    column, x = fit.column, fit.sample.known
    what = f"gaps between the times of `{column.name}`" if column.instants is not None else f"values of `{column.name}`"
    parts = [f"{len(fit.sample):,} {what} in {column.path}"]
    if bounded := len(fit.sample.low):
        parts.append(f"{bounded:,} of them known only by a bound")
    if column.missing:
        parts.append(f"{counted(column.missing, 'cell')} without a value left out")
    if column.cut:
        parts.append("the rest of the file was not read")
    figures = {"mean": x.mean(), "cv": x.std() / x.mean() if x.mean() else math.nan, "least": x.min(),
               "median": np.median(x), "99%": np.quantile(x, 0.99), "greatest": x.max()}  # fmt: skip
    if bounded:
        return ", ".join(parts)
    texts = [
        f"{name} {joined(compact(float(of), 4), '' if name == 'cv' else column.unit)}" for name, of in figures.items()
    ]
    return f"{', '.join(parts)}\n{', '.join(texts)}"


def remarks(fit: Fit) -> Iterator[str]:
    """Yield what to know before the line is used."""
    zeros = fit.fitted[0].zeros if fit.fitted else 0.0
    if zeros:
        yield f"{zeros:.3g} of the values are 0; each law is that of the others."
    if fit.chosen is not None and fit.chosen.is_mixture:
        yield "No law alone fits, but a mixture of two does: look whether there are two kinds of rows."
    elif fit.chosen is None and not fit.values:
        yield _nothing(fit)
    elif fit.chosen is None:
        yield (
            f"There are only {counted(len(fit.values), 'different value')}."
            if len(fit.values) > 1
            else ("All values are the same.")
        )
    elif fit.chosen is not fit.fitted[0]:
        yield "The marked law is the simplest of those that fit and are near the least AIC: the values support all."
    if fit.dependence is not None and fit.dependence.found:
        yield (
            f"The values are not independent: the correlation of a value with the next is {fit.dependence.lag_one:.2f},"
            f" and sums of {fit.dependence.block} vary {fit.dependence.dispersion:.3g} times as much as those of"
            " independent values. Draws of a `dist` are independent, so the net may show shorter queues than there are:"
            " replay the file with `stream`, or model what the values depend on."
        )
    if text := schedule_line(fit):
        unit = text.rpartition(" ")[2]
        yield f"The rate of arrivals changes. Use a schedule with `after exp(1 {unit} / arrivals)` instead of one law:"


def _nothing(fit: Fit) -> str:
    if len(fit.sample.low):
        return "No law fits, and a table cannot have values of which only a bound is known."
    return "No law fits. A table of the values does: `--table FILE.csv` writes it."
