"""An experiment from its YAML file: all errors are reported at once, each with its line and column.

title: Throughput against threads
net: ixp2400                      # a net of the library, or a file beside this one
set: {line: 5 Gbps}               # parameters that are the same at all points
grid:                             # or points: [...], or sample: {...}
  threads: [1, 2, 4, 8]
  engines: 1..8
until: 2 ms
warmup: auto
replications: 10
precision: 2%
measures: [throughput, delay.p99]
expected:
  - {at: {threads: 8, engines: 8}, measure: throughput, value: 2.96 Gbps, within: 5%, source: figure 5}
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from petri import library, structs
from petri.diagnostics import Diagnostic, LanguageError, did_you_mean, in_order
from petri.diagnostics import Value as DiagnosticValue
from petri.experiment.design import sampling
from petri.experiment.design.definition import (
    EXPECTED,
    ROLES,
    Definition,
    Expected,
    Tolerance,
    in_cases,
)
from petri.experiment.design.options import Option, options_of
from petri.experiment.design.sampling import MOST_POINTS, Axis, BadRange, Value, Values, parse_range, parse_value
from petri.experiment.design.settings import parse_best, parse_bound, parse_confidence, parse_tolerance
from petri.experiment.errors import ExperimentError
from petri.experiment.yaml.against_net import check_against_net
from petri.experiment.yaml.table import read_table
from petri.experiment.yaml.tree import Items, YamlNode, YamlTable, YamlText, read
from petri.measure.selection import Best
from petri.measure.sequential import Precision
from petri.net import Span

KEYS: Final = {
    "title": "title: Throughput against threads",
    "description": "description: What the paper's figure 5 shows",
    "net": "net: ixp2400",
    "set": "set: {line: 5 Gbps}",
    "grid": "grid: {threads: [1, 2, 4, 8], engines: 1..8}",
    "points": "points: [{threads: 1}, {threads: 8}]",
    "sample": "sample: {method: latin-hypercube, count: 50, seed: 1, parameters: {load: 0.1..0.9}}",
    "cases": "cases: {slow: {line: 1 Gbps}, fast: {line: 10 Gbps, threads: 8}}",
    **{one.key: one.line for one in options_of(Definition).values()},
    "parts": "parts: {enqueueing: [link_cycles, copy_cycles]}",
    "recordings": "recordings: {packets: capture.pcap}",
    "columns": "columns: {time: 'frame.time_epoch [s]'}",
    "tables": "tables: {lengths.csv: mine.csv}",
    "expected": "expected: [{at: {threads: 8}, measure: goodput, value: 2.96 Gbps, within: 5%, source: table 2}]",
    "search": "search: {find: load, in: 0.5..1, while: loss == 0, resolution: 1%}",
    "rfc2544": "rfc2544: {load: load, size: size, loss: loss, delay: delay}",
    "tune": "tune: {over: {buffer: 1..64}, least: cost, where: loss < 1%}",
}
OTHERS: Final = {"search": "experiment-is-search", "rfc2544": "experiment-is-rfc", "tune": "experiment-is-tune"}
"""Keys of files that are not for `pnsim sweep`, with the error that says so."""
BEST_KEYS: Final = {
    "greatest": "greatest: goodput",
    "least": "least: delay",
    "within": "within: 1%",
    "confidence": "confidence: 95%",
}
SAMPLE_KEYS: Final = {
    "method": "method: latin-hypercube",
    "count": "count: 50",
    "seed": "seed: 1",
    "parameters": "parameters: {load: 0.1..0.9, threads: [1, 2, 4, 8]}",
}
AXIS_KEYS: Final = {"range": "range: 1..1000", "scale": "scale: log"}
EXPECTED_KEYS: Final = {
    "at": "at: {threads: 8}",
    "measure": "measure: goodput",
    "value": "value: 2.96 Gbps",
    "within": "within: 5%",
    "source": "source: table 2",
    "role": "role: fitted",
    "predicted": "predicted: 2.90 Gbps",
}
TABLE_KEYS: Final = {
    "table": "table: |\n  threads  goodput\n        8  2.96 Gbps",
    "within": EXPECTED_KEYS["within"],
    "source": EXPECTED_KEYS["source"],
    "role": EXPECTED_KEYS["role"],
}
PARSERS: Final = {"share": parse_confidence, "tolerance": parse_tolerance}
LARGEST_INTEGER: Final = 2**63 - 1

T = TypeVar("T", bound=YamlNode)
Made = TypeVar("Made")


def load_experiment(path: Path, root: Path | None = None) -> Definition:
    """Return the experiment of a file; root: see `Reading`. Raises LanguageError with all its errors."""
    reading = Reading(path, root)
    experiment = reading.experiment()
    for name, identifier in OTHERS.items():
        if name in reading.entries:
            reading.error(identifier, reading.keys[name], path=str(path))
    return reading.checked(experiment)


class Reading:
    """Reads one file; errors are collected, and wrong parts are skipped.

    root: the folder in which and below which it may name files; that of the file if None. Raises LanguageError if the
    file cannot be read at all.
    """

    def __init__(self, path: Path, root: Path | None = None) -> None:
        self.path = path
        self.root = os.path.realpath(path.parent if root is None else root)
        self.node, self.text_read, problems = read(path)
        self.problems = list(problems)
        self.entries = self.node.entries if isinstance(self.node, YamlTable) else {}
        self.keys = self.node.keys if isinstance(self.node, YamlTable) else {}
        self.knows_points = True  # all of them; else what is expected at a point may be of one that could not be read

    def error(self, identifier: str, span: Span, **values: DiagnosticValue) -> None:
        self.problems.append(Diagnostic(identifier, span, values))

    def checked(self, experiment: Definition | None) -> Definition:
        """Return the experiment, if it fits its net and nothing is wrong.

        Raises LanguageError with all errors of the file.
        """
        if experiment is not None and isinstance(self.node, YamlTable):
            self.problems += check_against_net(self.node, experiment, bool(self.problems))
        if self.problems or experiment is None:
            raise LanguageError(in_order(self.problems), {str(self.path): self.text_read})
        return experiment

    # ------------------------------------------------------------ the whole

    def study(
        self, key: str, missing: str, no_meaning: Mapping[str, str]
    ) -> tuple[Definition | None, YamlTable | None]:
        """Return the runs of a study that is not a sweep, and the table under its key.

        missing: the error of a file without the key. no_meaning: why other keys mean nothing in such a file.
        """
        runs = self.experiment()
        if runs is not None and key not in self.entries:
            self.error(missing, Span(str(self.path), 1, 1, 1, 2), path=str(self.path))
        for name, reason in no_meaning.items():
            if name in self.entries:
                self.error("search-key", self.keys[name], name=name, key=key, reason=reason)
        return runs, self.expect(self.entries.get(key), YamlTable, key, "a mapping", KEYS[key])

    def attempt(self, node: YamlNode | None, make: Callable[[], Made]) -> Made | None:
        """Return what `make` makes of a text; None, with its error at the place of the text, if that is wrong."""
        if not isinstance(node, YamlText):
            return None
        try:
            return make()
        except ExperimentError as error:
            self.problems.append(structs.replace(error.diagnostic, span=node.span))
            return None

    def experiment(self) -> Definition | None:
        node = self.node
        if node is None:
            self.error("experiment-empty", Span(str(self.path), 1, 1, 1, 2))
            return None
        if not isinstance(node, YamlTable):
            self.wrong_kind(node, "the experiment", "lines of the form name: value", KEYS["net"])
            return None
        self.known_keys(node, KEYS)
        entries = node.entries
        if "net" not in entries:
            self.error("experiment-missing", first_line(node.span), name="net", example=KEYS["net"])
        fixed = self.parameters(entries.get("set"), "set", KEYS["set"])
        before = len(self.problems)
        cases = self.cases(entries.get("cases"))
        points = self.in_cases(node, cases, self.points(node, fixed), fixed)
        self.knows_points = len(self.problems) == before
        return Definition(
            net=self.net(entries.get("net")),
            points=points,
            fixed=fixed,
            **self.options(node, Definition),
            parts=self.parts(entries.get("parts")),
            recordings=self.files(entries, "recordings"),
            columns=self.texts(entries, "columns"),
            tables=self.files(entries, "tables"),
            expected=self.expected(entries.get("expected"), points),
            title=self.text(entries.get("title"), "title", KEYS["title"]),
            description=self.text(entries.get("description"), "description", KEYS["description"]),
            cases=cases,
        )

    def options(self, table: YamlTable, study: type) -> dict[str, Any]:
        """Return the values of the options of a study that a table has, by the names of their fields."""
        entries = table.entries
        values = {
            name: self.value(entries[one.key], one) for name, one in options_of(study).items() if one.key in entries
        }
        return {name: value for name, value in values.items() if value is not None}

    def value(self, node: YamlNode, option: Option) -> Any:
        """Return the value of an option; None, with an error, if it is wrong."""
        key = option.key
        match option.kind:
            case "count" | "seed":
                return self.whole(node, key, 1 if option.kind == "count" else 0)
            case "switch":
                written = self.one_of(node, key, ("true", "false"))
                return None if written is None else written == "true"
            case "choice":
                return self.one_of(node, key, option.choices)
            case "values":
                return self.values(node, key) or None
            case "names":
                return self.measures(node)
            case "figures":
                return self.measures(
                    Items((node,), node.span) if isinstance(node, YamlText) else node, key, option.line
                )
            case "ranges":
                return self.ranges(node, key, option.line)
            case "time":
                return self.duration(node, key, option.line)
            case "precision":
                return self.precision(node)
            case "best":
                return self.best(node)
            case "share" | "tolerance":
                text = self.text(node, key, option.line)
                return self.attempt(node, lambda: PARSERS[option.kind](text))
            case "file":
                return self.file(node, key, option.line)
        return self.text(node, key, option.line) or None

    def net(self, node: YamlNode | None) -> str:
        """Return a file beside the experiment, whose name may lack `.net`, or otherwise a net of the library."""
        name = self.text(node, "net", KEYS["net"])
        known = not name or library.net(name) is not None
        names = [name] if known else [name, name + library.SUFFIX]
        beside = next((str(path) for one in names if (path := self.path.parent / one).is_file()), None)
        if beside is None and known:
            return name
        file = beside or library.find(name) or str(self.path.parent / name)
        return (beside or name) if self.may_read(file, name, node) else ""

    def may_read(self, file: str, written: str, node: YamlNode | None) -> bool:
        """Return whether a file is in the folder of the experiment; an error if it is not."""
        try:
            inside = library.is_inside(os.path.realpath(file), self.root)
        except (OSError, ValueError):
            inside = False
        if not inside and node is not None:
            self.error("experiment-outside", node.span, path=written)
        return inside

    # ------------------------------------------------------------ points

    def points(self, root: YamlTable, fixed: dict[str, Value]) -> list[dict[str, Value]]:
        given = [name for name in ("grid", "points", "sample") if name in root.entries]
        if len(given) > 1:
            self.error("experiment-two-designs", root.keys[given[1]], first=given[0], second=given[1])
        if not given:
            return [{}]
        designs = {"grid": self.grid, "points": self.listed, "sample": self.sample}
        points, *_ = [designs[name](root.entries[name]) for name in given]
        for name in {name for point in points for name in point} & set(fixed):
            self.error("experiment-same-parameter", root.keys[given[0]], name=name, where=given[0])
        if len(points) > MOST_POINTS:
            self.error("too-many-points", root.keys[given[0]], count=len(points), limit=MOST_POINTS)
        return points or [{}]

    def cases(self, node: YamlNode | None) -> dict[str, dict[str, Value]]:
        """Named sets of parameters."""
        entries = self.mapping(node, "cases", "names with parameters", KEYS["cases"])
        return {name: self.parameters(entry, name, "slow: {line: 1 Gbps}") for name, entry in entries.items()}

    def in_cases(
        self, root: YamlTable, cases: Mapping[str, Values], points: list[dict[str, Value]], fixed: Mapping[str, Value]
    ) -> list[dict[str, Value]]:
        """Return every point in every case.

        A parameter has one value: a case cannot set what the file or a point sets.
        """
        if not cases:
            return points
        for name in dict.fromkeys(name for values in cases.values() for name in values if name in fixed):
            self.error("experiment-same-parameter", root.keys["cases"], name=name, where="cases")
        try:
            crossed = [dict(point) for point in in_cases(cases, points)]
        except ExperimentError as error:
            self.problems.append(structs.replace(error.diagnostic, span=root.keys["cases"]))
            return points
        if len(crossed) > MOST_POINTS:
            self.error("too-many-points", root.keys["cases"], count=len(crossed), limit=MOST_POINTS)
            return points
        return crossed

    def parts(self, node: YamlNode | None) -> dict[str, list[str]]:
        """Return measures that add up to a whole, by its name."""
        entries = self.mapping(node, "parts", "names with measures", KEYS["parts"])
        return {name: self.measures(one) or [] for name, one in entries.items()}

    def grid(self, node: YamlNode) -> list[dict[str, Value]]:
        table = self.expect(node, YamlTable, "grid", "parameters with their values", KEYS["grid"])
        if table is None:
            return []
        axes = {name: self.values(entry, name) for name, entry in table.entries.items()}
        if (size := sampling.grid_size(axes)) > MOST_POINTS:
            self.error("too-many-points", table.span, count=size, limit=MOST_POINTS)
            return []
        return sampling.without_duplicates(sampling.grid(axes))

    def values(self, node: YamlNode, name: str) -> list[Value]:
        """Return the values of one axis of a grid."""
        if isinstance(node, Items):
            found = [value for item in node.items for value in self.scalars(item, name)]
            if not found:
                self.wrong_kind(node, name, "a list with values", f"{name}: [1, 2, 4, 8]")
            return found
        return self.scalars(node, name)

    def ranges(self, node: YamlNode, name: str, example: str) -> dict[str, str | list[Value]]:
        """Return ranges as texts, and lists of values, by parameter."""
        found: dict[str, str | list[Value]] = {}
        for key, entry in self.mapping(node, name, "parameters with their values", example).items():
            found[key] = entry.value if isinstance(entry, YamlText) else self.values(entry, key)
            between = self.range_of(entry) if isinstance(entry, YamlText) else None
            if between is not None and between.low >= between.high:
                self.error("range-empty", entry.span, text=str(found[key]))
        return found

    def scalars(self, node: YamlNode, name: str) -> list[Value]:
        """Return a value, or all of a range."""
        text = self.expect(node, YamlText, name, "a value, a list or a range", f"{name}: [1, 2, 4, 8]")
        if text is None:
            return []
        between = self.range_of(text)
        if between is None:
            return [value_of(text)]
        try:
            return between.values()
        except BadRange as bad:
            self.error(bad.reason, text.span, text=text.value, meant=bad.meant)
            return []

    def range_of(self, text: YamlText) -> sampling.Range | None:
        try:
            return parse_range(text.value) if text.plain else None
        except BadRange as bad:
            self.error(bad.reason, text.span, text=text.value, meant=bad.meant)
            return None

    def listed(self, node: YamlNode) -> list[dict[str, Value]]:
        items = self.expect(node, Items, "points", "a list of points", KEYS["points"])
        if items is None:
            return []
        points = [self.parameters(item, "a point", "{threads: 1, engines: 2}") for item in items.items]
        return sampling.without_duplicates(points)

    def sample(self, node: YamlNode) -> list[dict[str, Value]]:
        table = self.expect(node, YamlTable, "sample", "a mapping", KEYS["sample"])
        if table is None:
            return []
        self.known_keys(table, SAMPLE_KEYS)
        for name in ("count", "parameters"):
            if name not in table.entries:
                self.error("experiment-missing", first_line(table.span), name=name, example=SAMPLE_KEYS[name])
        method = self.one_of(table.entries.get("method"), "method", tuple(sampling.METHODS)) or sampling.DEFAULT_METHOD
        count = self.whole(table.entries.get("count"), "count", 1, MOST_POINTS)
        seed = self.whole(table.entries.get("seed"), "seed", 0)
        axes = self.axes(table.entries.get("parameters"))
        if count is None or not axes:
            return []
        return sampling.without_duplicates(sampling.METHODS[method](axes, count, 1 if seed is None else seed))

    def axes(self, node: YamlNode | None) -> dict[str, Axis]:
        entries = self.mapping(node, "parameters", "a mapping", SAMPLE_KEYS["parameters"])
        axes = {name: self.axis(entry, name) for name, entry in entries.items()}
        return {name: axis for name, axis in axes.items() if axis is not None}

    def axis(self, node: YamlNode, name: str) -> Axis | None:
        """Return a list to choose from, a range, or {range: …, scale: log}."""
        if isinstance(node, Items):
            choices = tuple(self.values(node, name))
            return Axis(choices) if choices else None
        logarithmic = False
        if isinstance(node, YamlTable):
            self.known_keys(node, AXIS_KEYS)
            logarithmic = self.one_of(node.entries.get("scale"), "scale", ("linear", "log")) == "log"
            if "range" not in node.entries:
                self.error("experiment-missing", first_line(node.span), name="range", example=AXIS_KEYS["range"])
                return None
            node = node.entries["range"]
        text = self.expect(node, YamlText, name, "a range or a list", f"{name}: 0.1..0.9")
        if text is None:
            return None
        before = len(self.problems)
        between = self.range_of(text)
        if between is None:
            if len(self.problems) == before:
                self.wrong_kind(text, name, "a range or a list", f"{name}: 0.1..0.9")
            return None
        if between.low > between.high or (logarithmic and between.low <= 0):
            self.error("range-empty" if between.low > between.high else "range-step", text.span, text=text.value)
            return None
        return Axis(between=between, logarithmic=logarithmic)

    # ------------------------------------------------------------ precision and expected values

    def precision(self, node: YamlNode) -> Precision | dict[str, Precision] | str | None:
        if isinstance(node, YamlText) and node.value == EXPECTED:
            return EXPECTED
        if isinstance(node, YamlTable):
            each = {name: self.bound(entry, "precision-form") for name, entry in node.entries.items()}
            return {name: Precision(*bound) for name, bound in each.items() if bound is not None}
        bound = self.bound(node, "precision-form")
        return None if bound is None else Precision(*bound)

    def best(self, node: YamlNode) -> Best | None:
        """`{greatest: goodput, within: 1%, confidence: 95%}`."""
        table = self.expect(node, YamlTable, "best", "a mapping", KEYS["best"])
        if table is None:
            return None
        self.known_keys(table, BEST_KEYS)
        known = {name: entry for name, entry in table.entries.items() if name in BEST_KEYS}
        texts = {name: self.text(entry, name, BEST_KEYS[name]) for name, entry in known.items()}
        try:
            return parse_best(texts or {"best": ""})
        except ExperimentError as error:
            wrong = known.get({"within-form": "within", "search-confidence": "confidence"}.get(error.diagnostic.id, ""))
            self.problems.append(structs.replace(error.diagnostic, span=(wrong or table).span))
            return None

    def bound(self, node: YamlNode, identifier: str) -> tuple[float, bool] | None:
        """`2%` as (0.02, True), `0.001` as (0.001, False)."""
        text = node.value if isinstance(node, YamlText) else ""
        bound = parse_bound(text)
        if bound is None:
            self.error(identifier, node.span, text=text or kind_of(node))
        return bound

    def expected(self, node: YamlNode | None, points: Sequence[Mapping[str, Value]]) -> list[Expected]:
        """Return a list of values and of tables, or one table."""
        if isinstance(node, YamlTable) and "table" in node.entries:
            return self.expected_table(node, points)
        items = self.expect(node, Items, "expected", "a list", KEYS["expected"])
        found: list[Expected] = []
        for item in items.items if items else ():
            if isinstance(item, YamlTable) and "table" in item.entries:
                found += self.expected_table(item, points)
            elif (one := self.expected_one(item, points)) is not None:
                found.append(one)
        return found

    def expected_table(self, table: YamlTable, points: Sequence[Mapping[str, Value]]) -> list[Expected]:
        """Lines below a heading of parameters and measures. What stands beside the table holds for every value."""
        self.known_keys(table, TABLE_KEYS)
        text = self.expect(table.entries["table"], YamlText, "table", "lines of a table", TABLE_KEYS["table"])
        if text is None:
            return []
        tolerance, source, role = self.about_expected(table)
        parameters = {name for point in points for name in point}
        found = []
        for cell in read_table(text, parameters, self.error):
            self.check_somewhere(cell.at, cell.span, points)
            found.append(Expected(cell.measure, cell.value, tolerance, cell.at, source, role))
        return found

    def expected_one(self, node: YamlNode, points: Sequence[Mapping[str, Value]]) -> Expected | None:
        table = self.expect(node, YamlTable, "an expected value", "a mapping", KEYS["expected"])
        if table is None:
            return None
        self.known_keys(table, EXPECTED_KEYS)
        for name in ("measure", "value"):
            if name not in table.entries:
                self.error("experiment-missing", first_line(table.span), name=name, example=EXPECTED_KEYS[name])
        at = self.parameters(table.entries.get("at"), "at", EXPECTED_KEYS["at"])
        tolerance, source, role = self.about_expected(table)
        one = Expected(
            self.text(table.entries.get("measure"), "measure", EXPECTED_KEYS["measure"]),
            self.with_unit(table.entries.get("value"), "value") or 0.0,
            tolerance,
            at,
            source,
            role,
            self.with_unit(table.entries.get("predicted"), "predicted"),
        )
        if at:
            self.check_somewhere(at, table.keys["at"], points)
        return one

    def about_expected(self, table: YamlTable) -> tuple[Tolerance, str, str]:
        """Return how far a value may be off, where it comes from, and its role."""
        within = table.entries.get("within")
        tolerance = None if within is None else self.bound(within, "within-form")
        return (
            Tolerance(0.05) if tolerance is None else Tolerance(*tolerance),
            self.text(table.entries.get("source"), "source", EXPECTED_KEYS["source"]),
            self.one_of(table.entries.get("role"), "role", ROLES) or "",
        )

    def check_somewhere(self, at: Values, span: Span, points: Sequence[Mapping[str, Value]]) -> None:
        """Check that a value that is expected is that of some point."""
        if self.knows_points and not any(all(point.get(name) == at[name] for name in at) for point in points):
            label = " ".join(f"{name}={value}" for name, value in at.items())
            self.error("expected-nowhere", span, point=label)

    def with_unit(self, node: YamlNode | None, name: str) -> str | None:
        text = self.expect(node, YamlText, name, "a number, with its unit", EXPECTED_KEYS[name])
        return text.value if text else None

    # ------------------------------------------------------------ simple values

    def parameters(self, node: YamlNode | None, name: str, example: str) -> dict[str, Value]:
        """Return a mapping of parameters to single values."""
        entries = self.mapping(node, name, "parameters with their values", example)
        texts = {key: self.expect(entry, YamlText, key, "one value", f"{key}: 4") for key, entry in entries.items()}
        return {key: value_of(text) for key, text in texts.items() if text is not None}

    def texts(self, entries: Mapping[str, YamlNode], name: str) -> dict[str, str]:
        """Return a mapping of names to texts."""
        named = self.mapping(entries.get(name), name, "names with texts", KEYS[name])
        return {key: self.text(entry, key, KEYS[name]) for key, entry in named.items()}

    def files(self, entries: Mapping[str, YamlNode], name: str) -> dict[str, str]:
        """Return a mapping of names to files, whose paths are relative to the experiment."""
        nodes = self.mapping(entries.get(name), name, "names with texts", KEYS[name])
        paths = {key: self.file(entry, key, KEYS[name]) for key, entry in nodes.items()}
        return {key: path for key, path in paths.items() if path is not None}

    def file(self, node: YamlNode, name: str, example: str) -> str | None:
        """Return a file whose path is relative to the experiment; None, with an error, if it may not be read."""
        written = self.text(node, name, example)
        path = str(self.path.parent / written)
        return path if self.may_read(path, written, node) else None

    def measures(
        self, node: YamlNode | None, key: str = "measures", example: str = KEYS["measures"]
    ) -> list[str] | None:
        items = self.expect(node, Items, key, "a list of names", example)
        return [self.text(item, "a measure", example) for item in items.items] if items else None

    def text(self, node: YamlNode | None, name: str, example: str) -> str:
        found = self.expect(node, YamlText, name, "a text", example)
        return found.value.strip() if found else ""

    def duration(self, node: YamlNode, name: str, example: str) -> float | str | None:
        """Return a number, or a text that the net parses."""
        text = self.expect(node, YamlText, name, "a time", example)
        if text is None:
            return None
        value = parse_value(text.value)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else text.value.strip()

    def whole(self, node: YamlNode | None, name: str, low: int, high: int = LARGEST_INTEGER) -> int | None:
        if node is None:
            return None
        value = parse_value(node.value) if isinstance(node, YamlText) else None
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        if number is None or not low <= number <= high:
            open_above = high == LARGEST_INTEGER and (number is None or number < low)
            limit = f"a whole number of at least {low}" if open_above else f"between {low} and {high}"
            found = f"`{node.value}`" if isinstance(node, YamlText) else kind_of(node)
            self.error("experiment-number", node.span, name=name, wanted=limit, found=found)
            return None
        return number

    def one_of(self, node: YamlNode | None, name: str, allowed: Sequence[str]) -> str | None:
        if node is None:
            return None
        value = node.value if isinstance(node, YamlText) else ""
        if value not in allowed:
            found = f"`{value}`" if value else kind_of(node)
            self.error("experiment-number", node.span, name=name, wanted=" or ".join(allowed), found=found)
            return None
        return value

    def mapping(self, node: YamlNode | None, name: str, wanted: str, example: str) -> Mapping[str, YamlNode]:
        """Return the entries of a table; none if there is no table."""
        table = self.expect(node, YamlTable, name, wanted, example)
        return table.entries if table else {}

    def expect(self, node: YamlNode | None, kind: type[T], name: str, wanted: str, example: str) -> T | None:
        """Return the node, if it is of this kind; None, with an error, if it is of another."""
        if node is None or isinstance(node, kind):
            return node
        self.wrong_kind(node, name, wanted, example)
        return None

    def wrong_kind(self, node: YamlNode, name: str, wanted: str, example: str) -> None:
        found = f"`{node.value}`" if isinstance(node, YamlText) else kind_of(node)
        span = node.span if isinstance(node, YamlText) else first_line(node.span)
        self.error("experiment-kind", span, name=name, wanted=wanted, found=found, example=example)

    def known_keys(self, table: YamlTable, known: dict[str, str]) -> None:
        for name, span in table.keys.items():
            if name not in known:
                near = did_you_mean(name, known)
                self.error("experiment-key", span, name=name, suggestion=near, known=None if near else list(known))


def kind_of(node: YamlNode) -> str:
    return {YamlText: "a text", Items: "a list", YamlTable: "a mapping"}[type(node)]


def first_line(span: Span) -> Span:
    """Return the start of something that may span many lines."""
    if span.end_line == span.line:
        return span
    return Span(span.file, span.line, span.column, span.line, span.column + 1)


def value_of(text: YamlText) -> Value:
    return parse_value(text.value) if text.plain else text.value
