"""Times from outside the net, such as "20 ms" on the command line."""

from __future__ import annotations

from fractions import Fraction

from petri.catalogue.units import PLAIN, TIME, TIMES, UNITS
from petri.language.checking.checker import Checker
from petri.language.checking.expressions.quantities import as_given
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.given import parsed, wrong
from petri.language.checking.state import Sources
from petri.language.meaning.nodes import as_float, constant, evaluate
from petri.language.meaning.scope import UnitSymbol
from petri.language.meaning.types import REAL, Scalar
from petri.language.problems import CheckError, Problems
from petri.net import Net


def duration(text: str, net: Net) -> float:
    """Return a time given as text ("20 ms", "20 cycle"), in the net's unit. Raises LanguageError.

    A plain number is a time where time has no unit, and where its unit is one that the net declares (`time cycle`).
    """
    problems = Problems()
    checker = Checker(Sources(problems), {})
    known = UNITS.get(net.time_unit)
    if net.seconds is not None:
        checker.units.set_clock(net.time_unit, known.scale if known is not None else Fraction(str(net.seconds)))
    checker.units.examples = () if net.seconds is None else TIMES
    only = parsed(text, "time", "the time given", problems)
    time = checker.units.normal(TIME)
    for name, length in net.units:
        node = constant(Fraction(length), "real", only.span, time.time)
        checker.scope.units[name] = UnitSymbol(name, only.span, only, time, node, state="done")
    reader = Reader(checker, checker.scope, "a time")
    try:
        value = reader.read(only.value)
        plain = known is None and isinstance(value.type, Scalar) and value.type.dimension == PLAIN
        nodes = reader.fit(value, REAL if plain else checker.units.time_type)
        if nodes is not None:
            return as_given(as_float(evaluate(nodes[0], ()), only.value.span), only.value)
    except CheckError as fault:
        problems.fault(fault)
    raise wrong(problems)
