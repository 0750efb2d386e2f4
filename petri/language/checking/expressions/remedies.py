"""What was probably meant by an expression that has another dimension than the one needed where it is."""

from __future__ import annotations

import re
from fractions import Fraction

from petri.catalogue.operations import DISTRIBUTIONS, OPERATIONS
from petri.catalogue.units import EXAMPLE_UNITS, PLAIN, TIME, UNITS, Dimension
from petri.language.checking.expressions.reader import Reader
from petri.language.meaning.scope import ConstantSymbol
from petri.language.meaning.types import Scalar
from petri.language.meaning.unit_names import per_second, suggested_unit
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.structs import replace

MOST = 10**12  # of a number whose reciprocal is proposed
_RATES = ("rate", "lambda", "lam", "mu", "freq", "frequency")


def remedies(reader: Reader, e: tree.Expr, wanted: Dimension) -> dict[str, str]:
    """Return values for the hints of `type-mismatch`, for an expression that is a number and has no error."""
    while isinstance(e, tree.Paren):
        e = e.inner
    if isinstance(e, tree.Call):
        return _of_draw(reader, e, wanted)
    found = _dimension(reader, e)
    if found is None:
        return {}
    if isinstance(e, tree.Binary) and e.operator in ("*", "/"):
        return _of_product(reader, e, found, wanted)
    if found != PLAIN and found * wanted == PLAIN:
        return {"meant": f"1 / {reader.problems.text(e.span)}"}
    return _with_other_unit(reader, e, wanted)


def of_rate(reader: Reader, e: tree.Call) -> dict[str, str]:
    """Return values for the hints on `expovariate(1/4)`, an exponential distribution by its rate."""
    mean = _mean_of(reader, e.arguments[0], reader.checker.units.time_type.dimension) if len(e.arguments) == 1 else None
    return {"distribution": "exp", "mean": f"exp({mean or '1 / rate'})"}


def _of_draw(reader: Reader, e: tree.Call, wanted: Dimension) -> dict[str, str]:
    """`exp(1/4)`, `exp(rate)`: the rate where the mean was asked for."""
    if not isinstance(e.function, tree.Name) or e.function.name not in DISTRIBUTIONS:
        return {}
    name = e.function.name
    parameters = [parameter.name for parameter in OPERATIONS[name].parameters] if name in OPERATIONS else []
    if "mean" not in parameters or len(parameters) != len(e.arguments):
        return {}
    rate = e.arguments[parameters.index("mean")]
    mean = _mean_of(reader, rate, wanted)
    if mean is None:
        return {}
    texts = [mean if argument is rate else reader.problems.text(argument.span) for argument in e.arguments]
    return {"mean": f"{name}({', '.join(texts)})", "distribution": name}


def _mean_of(reader: Reader, rate: tree.Expr, wanted: Dimension) -> str | None:
    """Return the mean whose rate is probably written: `4 ms` for `1/4`, `1 / rate` for a frequency."""
    text, dimension = reader.problems.text(rate.span), _dimension(reader, rate)
    plain = text if isinstance(rate, (tree.Name, tree.Number, tree.Field, tree.Call)) else f"({text})"
    if dimension is None:
        return None
    if dimension != PLAIN and dimension * wanted == PLAIN:
        if isinstance(rate, tree.Binary) and rate.operator == "/" and reader.problems.text(rate.left.span) == "1":
            return reader.problems.text(rate.right.span)
        return f"1 / {plain}"
    if dimension != PLAIN:
        return None
    unit = reader.checker.units.time_unit if wanted == TIME else ""
    if wanted == TIME and not unit:
        return None
    if found := re.fullmatch(r"(\d+(?:\.\d+)?) ?/ ?(\d+(?:\.\d+)?)", text):
        above, below = Fraction(found[1]), Fraction(found[2])
        return f"{float(below / above):.6g} {unit}".strip() if 0 < above < MOST and 0 < below < MOST else None
    one = f"1 {unit}".strip()
    return f"{one} / {plain}" if isinstance(rate, tree.Name) and rate.name.lower() in _RATES else None


def _of_product(reader: Reader, e: tree.Binary, found: Dimension, wanted: Dimension) -> dict[str, str]:
    """`1500 B / 10 GB`, `10 Gbps / 64 B`, `64 B * 10 Gbps`, `1500 / 10 Gbps`."""
    left, right = _dimension(reader, e.left), _dimension(reader, e.right)
    if left is None or right is None:
        return {}
    a, b = (reader.problems.text(side.span) for side in (e.left, e.right))
    if a == "1" and e.operator == "/" and right == wanted:
        return {"meant": b}
    ways = {f"{a} * {b}": left * right, f"{a} / {b}": left / right, f"{b} / {a}": right / left}
    simple = not any(isinstance(side, (tree.Binary, tree.If)) for side in (e.left, e.right))
    if simple and wanted in ways.values() and found != PLAIN:
        return {"meant": next(text for text, dimension in ways.items() if dimension == wanted)}
    of_right, of_left = (left / wanted, wanted * right) if e.operator == "/" else (wanted / left, wanted / right)
    return _with_other_unit(reader, e.right, of_right) or _with_other_unit(reader, e.left, of_left)


def _with_other_unit(reader: Reader, e: tree.Expr, needed: Dimension) -> dict[str, str]:
    """`10 GBps` for `10 GB`, or for a constant that has this value; `1500 B` for the number 1500."""
    written, constant = _written(reader, e)
    found = re.fullmatch(r"([\d._e]+) ?([A-Za-z]*)", written)
    if found is None:
        return {}
    if found[2]:
        unit = next((one for one in (f"{found[2]}ps", found[2].removesuffix("ps")) if _is_of(one, needed)), None)
    else:
        unit = reader.checker.units.time_unit if needed == TIME else EXAMPLE_UNITS.get(needed)
    if not unit:
        return {}
    shown = {"constant": constant} if constant else {"number": written}
    return {"operand_meant": f"{found[1]} {unit}", "written": written, **shown}


def _written(reader: Reader, e: tree.Expr) -> tuple[str, str]:
    """Return the text of an expression; of a constant, that of its value, and its name."""
    symbol = reader.scope.find(e.name) if isinstance(e, tree.Name) else None
    declared = symbol.declaration if isinstance(symbol, ConstantSymbol) else None
    if isinstance(declared, tree.Const):
        return reader.problems.text(declared.value.span), declared.name
    if isinstance(declared, tree.Param) and declared.default is not None:
        return reader.problems.text(declared.default.span), declared.name
    return reader.problems.text(e.span), ""


def _is_of(unit: str, dimension: Dimension) -> bool:
    return unit in UNITS and UNITS[unit].dimension == dimension


def _dimension(reader: Reader, e: tree.Expr) -> Dimension | None:
    """Return the dimension of a number; None of anything else."""
    kind = reader.read(e).type
    return kind.dimension if isinstance(kind, Scalar) and kind.kind in ("int", "real") else None


def refuse_unit_per_time(reader: Reader, e: tree.Binary) -> None:
    """Raise CheckError for `100 Gbit/s`: a number with a unit, divided by what is only the name of a unit of time."""
    number = e.left.right if isinstance(e.left, tree.Binary) and e.left.operator in ("*", "/") else e.left
    assert isinstance(e.right, tree.Name)
    time = suggested_unit(e.right.name, (), only_times=True)
    if not isinstance(number, tree.Number) or time is None or (number.unit is None and e.right.name not in UNITS):
        return
    unit = _per_second(number.unit) if time == "s" else None
    whole = f"{number.text} {number.unit}" if number.unit else number.text
    suggestion = f"{number.text} {unit}" if unit else f"({whole} / 1 {time})"
    span = replace(number.span, end_line=e.right.span.end_line, end_column=e.right.span.end_column)
    raise CheckError("unit-per-time", span, text=reader.problems.text(span), suggestion=suggestion)


def _per_second(unit: str | None) -> str | None:
    """`Gbps` for Gbit; `Hz` where no unit of the language is counted, as for packets."""
    known = unit is not None and (unit in UNITS or suggested_unit(unit, ()) is not None)
    return per_second(unit) or (None if known else "Hz")
