"""What an experiment file says about its net, checked against the net: every error with its place in the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from petri import structs
from petri.diagnostics import Diagnostic, LanguageError, did_you_mean
from petri.experiment.design.definition import CASE, Definition, Expected
from petri.experiment.design.preparation import expected_value
from petri.experiment.design.sampling import Value, parse_value
from petri.experiment.errors import ExperimentError
from petri.experiment.yaml.table import read_table
from petri.experiment.yaml.tree import Items, YamlNode, YamlTable, YamlText
from petri.measure.figures import UnknownFigure, default_names, figures
from petri.measure.selection import ENDS
from petri.model import Model, load
from petri.net import Parameter, Span
from petri.regular import irregular
from petri.wording import message

MOST_VALUES = 32  # different ones of parameters that are tried one by one; preparation finds the rest


def check_against_net(root: YamlTable, definition: Definition, refused: bool) -> list[Diagnostic]:
    """Return the errors of a file that only its net shows.

    If the net cannot be loaded, preparation will report that; only for a file that is `refused` anyway, and will not be
    prepared, a missing net is an error here.
    """
    if not isinstance(definition.net, str) or not definition.net:
        return []
    kind = _irregular(definition.net)
    if kind is not None:
        return [Diagnostic("net-not-regular", root.entries["net"].span, {"path": definition.net, "kind": kind})]
    try:
        base = _base(definition.net, definition)
    except LanguageError as error:
        first = error.diagnostics[0]
        missing = refused and first.id == "file-missing" and "net" in root.entries
        return [structs.replace(first, span=root.entries["net"].span)] if missing else []
    check = _Check(root, definition, base)
    return [*check.parameters(), *check.tables(), *check.times(), *check.figures()]


def _irregular(net: str) -> str | None:
    """Return a pipe or device, which might never end; a folder is reported elsewhere."""
    try:
        kind = irregular(Path(net))
    except (OSError, ValueError):
        return None
    return None if kind == "a folder" else kind


def _base(net: str, definition: Definition) -> Model:
    """Return the net with what is the same at all points, which decides what it measures; without it if a value is
    wrong.
    """
    try:
        return load(net, **definition.fixed)
    except LanguageError:
        return load(net)


def _refusal(attempt: Callable[[], object]) -> str | None:
    """Return the first error that an attempt to use a value raises."""
    try:
        attempt()
    except LanguageError as error:
        first = next(diagnostic for diagnostic in error.diagnostics if diagnostic.severity == "error")
        return message(first.id, first.values)
    return None


class _Check:
    def __init__(self, root: YamlTable, definition: Definition, base: Model) -> None:
        self.root = root
        self.definition = definition
        self.base = base
        self.names = [parameter.name for parameter in base.net.parameters]
        self.tried: dict[tuple[str, str], str | None] = {}  # why a value is refused, by parameter and value
        self.wrong_names: set[str] = set()  # of measures: reported once

    # ------------------------------------------------------------ parameters

    def parameters(self) -> Iterator[Diagnostic]:
        """Yield names that are not parameters of the net, and values that do not fit."""
        for table in self.parameter_tables():
            for name, node in table.entries.items():
                if name not in self.names:
                    yield self.unknown(name, table.keys[name])
                    continue
                for text in _texts(node):
                    yield from self.value(name, text)

    def parameter_tables(self) -> Iterator[YamlTable]:
        entries = self.root.entries
        sample, points = entries.get("sample"), entries.get("points")
        found = [entries.get("set"), entries.get("grid")]
        found += points.items if isinstance(points, Items) else ()
        found.append(sample.entries.get("parameters") if isinstance(sample, YamlTable) else None)
        cases = entries.get("cases")
        found += cases.entries.values() if isinstance(cases, YamlTable) else ()
        for node in found:
            if isinstance(node, YamlTable):
                yield node

    def unknown(self, name: str, span: Span) -> Diagnostic:
        near = did_you_mean(name, self.names)
        known = self.names or None
        values = {"name": name, "suggestion": near, "known": known, "none": None if known else "no parameters"}
        return Diagnostic("unknown-parameter", span, values)

    def value(self, name: str, text: YamlText) -> Iterator[Diagnostic]:
        parameter = next(one for one in self.base.net.parameters if one.name == name)
        if ".." in text.value or _fits(parse_value(text.value), parameter):
            return
        tried = name, text.value.strip()
        if tried not in self.tried:
            if len(self.tried) >= MOST_VALUES:
                return
            self.tried[tried] = _refusal(partial(self.load, *tried))
        yield from self.refused(name, text, self.tried[tried])

    def load(self, name: str, value: str) -> None:
        load(str(self.definition.net), **{name: parse_value(value)})

    def refused(self, name: str, text: YamlText, reason: str | None) -> Iterator[Diagnostic]:
        """Yield why a value is refused, if it is, at its place in the file."""
        if reason is not None:
            yield Diagnostic("experiment-value", text.span, {"text": text.value, "name": name, "reason": reason})

    # ------------------------------------------------------------ files and times

    def tables(self) -> Iterator[Diagnostic]:
        table = self.root.entries.get("tables")
        for name, span in table.keys.items() if isinstance(table, YamlTable) else ():
            try:
                load(str(self.definition.net), {name: self.definition.tables.get(name, "")})
            except LanguageError as error:
                yield structs.replace(error.diagnostics[0], span=span, labels=())

    def times(self) -> Iterator[Diagnostic]:
        """Yield the end by itself, then the warm-up against the end of the experiment, or of the net if it states
        none.
        """
        until, warmup = self.definition.until, self.definition.warmup
        first = None if warmup is None else 0.0  # the net's own warm-up does not matter if there is another
        wrong = list(self.time("until", until, partial(self.base.plan, until=until, warmup=first)))
        yield from wrong
        yield from self.time(
            "warmup", warmup, partial(self.base.plan, until=math.inf if wrong else until, warmup=warmup)
        )

    def time(self, name: str, value: float | str | None, attempt: Callable[[], object]) -> Iterator[Diagnostic]:
        node = self.root.entries.get(name)
        if isinstance(node, YamlText) and value is not None and value not in ("auto", "dead"):
            yield from self.refused(name, node, _refusal(attempt))

    # ------------------------------------------------------------ measures

    def figures(self) -> Iterator[Diagnostic]:
        entries = self.root.entries
        for node in _items(entries.get("measures")):
            if isinstance(node, YamlText):
                yield from self.figure(node.value.strip(), node.span)
        kept = self.kept()
        precision = entries.get("precision")
        for name, span in precision.keys.items() if isinstance(precision, YamlTable) else ():
            yield from self.figure(name, span, kept, "precision-of-unkept")
        best = entries.get("best")
        for name in ENDS:
            wanted = best.entries.get(name) if isinstance(best, YamlTable) else None
            if isinstance(wanted, YamlText):
                yield from self.figure(wanted.value.strip(), wanted.span, kept, "best-of-unkept")
        parts = entries.get("parts")
        for measures in parts.entries.values() if isinstance(parts, YamlTable) else ():
            for node in _items(measures):
                if isinstance(node, YamlText):
                    yield from self.figure(node.value.strip(), node.span, kept, "parts-of-unkept")
        expected = entries.get("expected")
        for node in (expected,) if isinstance(expected, YamlTable) else _items(expected):
            if isinstance(node, YamlTable):
                yield from self.expected_table(node, kept) if "table" in node.entries else self.expected(node, kept)

    def kept(self) -> list[str]:
        names = self.definition.measures
        return list(default_names(self.base.net) if names is None else names)

    def figure(self, name: str, span: Span, kept: list[str] | None = None, unkept: str = "") -> Iterator[Diagnostic]:
        """Yield the error of a name that the net does not measure, or that is not kept."""
        try:
            figures(self.base.net, [name])
        except UnknownFigure as error:
            if name not in self.wrong_names:
                yield structs.replace(error.diagnostic, span=span)
            self.wrong_names.add(name)
            return
        if kept is not None and name not in kept and not self.wrong_names.intersection(kept):
            yield Diagnostic(unkept, span, {"name": name, "kept": kept})

    def expected(self, table: YamlTable, kept: list[str]) -> Iterator[Diagnostic]:
        at = table.entries.get("at")
        for name, span in at.keys.items() if isinstance(at, YamlTable) else ():
            if name not in self.names and not (name == CASE and self.definition.cases):
                yield self.unknown(name, span)
        measure, value = table.entries.get("measure"), table.entries.get("value")
        if not isinstance(measure, YamlText):
            return
        name = measure.value.strip()
        wrong = list(self.figure(name, measure.span, kept, "expected-of-unkept"))
        yield from wrong
        if wrong or name not in kept or name in self.wrong_names or not isinstance(value, YamlText):
            return
        one = next((one for one in self.definition.expected if (one.measure, one.value) == (name, value.value)), None)
        try:
            if one is not None:
                expected_value(one, self.base.net, kept)
        except ExperimentError as error:
            yield structs.replace(error.diagnostic, span=value.span)

    def expected_table(self, table: YamlTable, kept: list[str]) -> Iterator[Diagnostic]:
        text = table.entries["table"]
        parameters = {name for point in self.definition.points for name in point}
        told: set[str] = set()
        for cell in read_table(text, parameters, lambda *_, **__: None) if isinstance(text, YamlText) else ():
            if cell.measure in told:
                continue
            wrong = list(self.figure(cell.measure, cell.span, kept, "expected-of-unkept"))
            yield from wrong
            if wrong or cell.measure in self.wrong_names:
                told.add(cell.measure)
                continue
            try:
                expected_value(Expected(cell.measure, cell.value), self.base.net, kept)
            except ExperimentError as error:
                yield structs.replace(error.diagnostic, span=cell.span)


def _fits(value: Value, parameter: Parameter) -> bool:
    """Return whether a plain number certainly is a value of the parameter; only the language can judge anything
    else.
    """
    if parameter.dimension or isinstance(value, bool | str) or parameter.kind not in ("int", "real"):
        return False
    if parameter.kind == "int" and not isinstance(value, int):
        return False
    return (parameter.low is None or value >= parameter.low) and (parameter.high is None or value <= parameter.high)


def _texts(node: YamlNode) -> Iterator[YamlText]:
    """Yield the values of an axis, or of one parameter."""
    if isinstance(node, YamlText):
        yield node
    for item in _items(node):
        yield from _texts(item)


def _items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    return node.items if isinstance(node, Items) else ()
