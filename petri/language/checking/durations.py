"""Times from outside the net, such as "20 ms" on the command line."""

from __future__ import annotations

from fractions import Fraction

from petri.diagnostics import LanguageError
from petri.language.checking.checker import Checker
from petri.language.checking.expressions import Reader
from petri.language.checking.state import Space
from petri.language.meaning.nodes import as_float, evaluate
from petri.language.meaning.units import UNITS
from petri.language.problems import CheckError, Problems
from petri.language.syntax import tree
from petri.language.syntax.parser import parse


def duration(text: str, time_unit: str, seconds: float | None) -> float:
    """A time given as text ("20 ms"), in a net's unit of this many seconds. Raises LanguageError."""
    problems = Problems()
    checker = Checker(problems, Space(), {}, lambda table: None, lambda stream: None, lambda *column: None)
    if seconds is not None:
        known = UNITS.get(time_unit)
        checker.units.set_clock(time_unit, known.scale if known is not None else Fraction(str(seconds)))
    prefix = "const time_given = "
    path = "the time given"
    file, found = parse(prefix + text, path)
    problems.sources[path] = prefix + text
    only = file.declarations[0] if len(file.declarations) == 1 else None
    if found or not isinstance(only, tree.Const):
        reason = found[0].message if found else "not one expression"
        problems.error("parameter-value", None, name="time", text=text, reason=reason)
    else:
        reader = Reader(checker, checker.scope, "a time")
        node = reader.read_fixed(only.value, checker.units.time_type)
        try:
            if node is not None:
                return as_float(evaluate(node, ()), only.value.span)
        except CheckError as fault:
            problems.fault(fault)
    raise LanguageError(problems.found, problems.sources)
