"""A net, declaration by declaration. Each becomes text of the language, which is parsed at once.

The checks and the meaning are those of the text. An error shows the text, and the line of Python that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from petri import language
from petri.builder.expression import Expression, text_of
from petri.builder.origin import Origin, caller, traced
from petri.diagnostics import Diagnostic, LanguageError, has_errors
from petri.language.layout.formatter import format_source
from petri.language.syntax import tree
from petri.language.syntax.parser import parse_text
from petri.model import LoadedFrom, Model
from petri.net import Scalar
from petri.run.arguments import check_text, is_list
from petri.visible import visible

One = str | Expression
Arcs = One | Iterable[One]
Value = One | int | float | bool
Kind = type[Any]


class NetBuilder:
    """Declares a net; `model()` gives the net to run, `to_text()` its text.

    time: the unit of the net's clock, as of `time us`; without it, time is a plain number. Every `str` is text of the
    language. A method that declares something raises LanguageError if its text is not one declaration of this name.
    """

    def __init__(self, name: str, *, time: str | None = None, doc: str = "") -> None:
        self._file = f"<{name}>"
        self._texts: list[str] = []
        self._origins: list[Origin] = []
        self._lines = 0
        self._add(f"net {name}", tree.Net, name, doc)
        self.name = name
        if time is not None:
            self._add(f"time {time}", tree.Time, None)

    def param(
        self, name: str, default: Value, *, type: str | None = None, between: tuple[Value, Value] | None = None,
        doc: str = "",
    ) -> Expression:  # fmt: skip
        """Return a parameter, which `model(name=…)` and experiments set. between: its bounds, both inclusive."""
        kind = f": {type}" if type is not None else ""
        if between is not None and not (is_list(between) and len(between) == 2):
            raise TypeError(f"`between` is the least and the greatest value, such as (0, 2), not {between!r:.60}")
        bounds = f" in {text_of(between[0])}..{text_of(between[1])}" if between is not None else ""
        return self._add(f"param {name}{kind} = {text_of(default)}{bounds}", tree.Param, name, doc)

    def const(self, name: str, value: Value, *, doc: str = "") -> Expression:
        """Return a named constant."""
        return self._add(f"const {name} = {text_of(value)}", tree.Const, name, doc)

    def unit(self, name: str, value: Value, *, doc: str = "") -> Expression:
        """Return a unit: `unit("cycle", "1 / 600 MHz")`."""
        return self._add(f"unit {name} = {text_of(value)}", tree.Const, name, doc)

    def type(self, name: str, definition: str | None = None, *, doc: str = "", **fields: str) -> Expression:
        """Return a type: `type("Class", "gold | silver")`, or a record, `type("Packet", size="Bytes", born="Time")`."""
        if definition is None:
            definition = f"{{ {', '.join(f'{field}: {kind}' for field, kind in fields.items())} }}"
        return self._add(f"type {name} = {definition}", tree.Type, name, doc)

    def dist(self, name: str, value: Value, *, doc: str = "") -> Expression:
        """Return a distribution: each use draws anew."""
        return self._add(f"dist {name} = {text_of(value)}", tree.Dist, name, doc)

    def place(
        self, name: str, type: One | None = None, *, index: str | None = None, fifo: bool = False, lifo: bool = False,
        by: Value | None = None, cap: Value | None = None, tokens: Value | Iterable[Value] | None = None, doc: str = "",
    ) -> Expression:  # fmt: skip
        """Return a place. tokens: of black tokens how many; of others one value, or a list of values. index: `0..3`.

        cap: a number, or `"32 KB of size"`.
        """
        array = f"[{index}]" if index else ""
        words = [f"place {name}{array}", *([] if type is None else [f": {type}"])]
        words += [*(["fifo"] if fifo else []), *(["lifo"] if lifo else []), *clauses(by=by, cap=cap)]
        if isinstance(tokens, int) and not isinstance(tokens, bool) and type is None:
            words += [] if not tokens else ["= token" if tokens == 1 else f"= {tokens} * token"]
        elif tokens is not None:
            words.append(f"= {listed(tokens)}")
        return self._add(" ".join(words), tree.Place, name, doc)

    def transition(
        self, name: str, inputs: Arcs, outputs: Arcs = "nothing", *, index: str | None = None,
        draw: Mapping[str, Value] | None = None, let: Mapping[str, Value] | None = None,
        takes: Value | None = None, after: Value | None = None,
        servers: Value | None = None, memory: Literal["restart", "resume", "repeat"] | None = None,
        speed: Value | None = None, when: Value | None = None, priority: Value | None = None,
        weight: Value | None = None, decide: bool = False, prefer: str | None = None, doc: str = "",
    ) -> Expression:  # fmt: skip
        """Return a transition. inputs, outputs: an arc or a list of arcs; draw: variables with their distributions.

        let: names with their values: `let={"lost": fn.count(over("x", copies, x.s != 0))}`.
        after: a time, instead of takes; servers (a number, or "all"), memory and speed belong to it.
        prefer: `"least p.born"`, or `"most p.class"`.
        """
        array = f"[{index}]" if index else ""
        lines = [f"transition {name}{array}: {listed(inputs)} -> {listed(outputs) or 'nothing'}"]
        drawn = [f"{variable} ~ {text_of(value)}" for variable, value in (draw or {}).items()]
        lines += [f"draw {', '.join(drawn)}"] if drawn else []
        named = [f"{variable} = {text_of(value)}" for variable, value in (let or {}).items()]
        lines += [f"let {', '.join(named)}"] if named else []
        lines += clauses(takes=takes, after=after, servers=servers)
        lines += [memory] if memory else []
        lines += clauses(speed=speed, when=when, priority=priority, weight=weight)
        lines += ["decide"] if decide else []
        lines += [f"prefer {prefer}"] if prefer else []
        return self._add("\n  ".join(lines), tree.Transition, name, doc)

    def measure(
        self, name: str, formula: One, *, record: str | Iterable[str] = (), expect: str | Iterable[str] = (),
        doc: str = "",
    ) -> Expression:  # fmt: skip
        """Return a measure: `measure("loss", fn.count(drop) / fn.count(arrive), expect="< 0.05")`."""
        text = f"measure {name} = {text_of(formula)}"
        text += f"\n  record {listed(record)}" if record else ""
        if not isinstance(expect, Iterable):
            raise TypeError(f"`expect` is an expectation, such as '< 0.05', or a list of them, not {expect!r:.60}")
        expected = [expect] if isinstance(expect, str) and expect else list(expect)
        text += "".join(f"\n  expect {one}" for one in expected)
        return self._add(text, tree.Measure, name, doc)

    def expect(self, claim: One) -> None:
        """Add an expectation of its own: `expect(delay.p99 < "10 us")`."""
        self._add(f"expect {text_of(claim)}", tree.Expect, None)

    def run(
        self, *, until: Value | None = None, warmup: Value | None = None, replications: int | None = None,
        seed: int | None = None,
    ) -> None:  # fmt: skip
        """Set the defaults of a run: `run(until="20 ms", warmup="2 ms")`. The run itself is `model().run()`."""
        written = clauses(until=until, warmup=warmup, replications=replications, seed=seed)
        self._add(" ".join(["run", *written]), tree.Run, None)

    def add(self, text: str) -> None:
        """Add declarations as text: modules, instances, imports of the library, or anything else."""
        self._add(text, None, None)

    # ------------------------------------------------------------ the net

    def to_text(self) -> str:
        """Return the net as a `.net` file in the standard layout; `petri.loads` reads it."""
        return format_source(self._text(), self._file)

    def model(self, **parameters: Scalar | bool | str) -> Model:
        """Return the net with these parameters, as of `petri.load`. Raises LanguageError with all errors."""
        text = self._text()
        try:
            net, sources = language.loads_with_sources(text, parameters, name=self._file)
        except LanguageError as error:
            raise traced(error, self._file, self._origins) from None
        return Model(net, sources, LoadedFrom(None, text, parameters))

    def check(self) -> list[Diagnostic]:
        """Return all errors, warnings and notes about the net, as of `pnsim check`."""
        return language.checks(self._text(), name=self._file)

    def __call__(self, **parameters: Scalar | bool | str) -> Model:
        """Do as `model`, so that a builder can be the net of an experiment."""
        return self.model(**parameters)

    def __repr__(self) -> str:
        return visible(f"NetBuilder {self.name}: {len(self._texts)} declarations")

    def _text(self) -> str:
        return "".join(self._texts)

    def _add(self, text: str, kind: Kind | None, name: str | None, doc: str = "") -> Expression:
        """Keep one declaration. It is parsed alone, so that no text of one runs into the next."""
        check_text("doc", doc)
        comment = "".join(f"## {line}".rstrip() + "\n" for line in doc.splitlines())
        whole = f"{comment}{text}\n"
        where = caller()
        parsed = parse_text(whole, self._file)
        found = list(parsed.diagnostics)
        declared = parsed.file.declarations
        if kind is not None and not has_errors(found) and not is_one(declared, kind, name):
            found = [Diagnostic("not-one-declaration", values={"name": name, "kind": text.split()[0], "text": text})]
        if has_errors(found):
            error = LanguageError([one for one in found if one.severity == "error"], {self._file: whole})
            raise traced(error, self._file, [Origin(1, where)]) from None
        self._origins.append(Origin(self._lines + 1, where))
        self._lines += whole.count("\n")
        self._texts.append(whole)
        return Expression(name or "")


def clauses(**values: Value | None) -> list[str]:
    """Write `takes 3`, `when x > 1`: the word of each value that is given, and the value."""
    return [f"{word} {text_of(value)}" for word, value in values.items() if value is not None]


def is_one(declared: tuple[tree.Declaration, ...], kind: Kind, name: str | None) -> bool:
    """Return whether these are one declaration of this kind and name, with the expectations of a measure."""
    first, *rest = declared or (None,)
    expectations = kind is tree.Measure and all(isinstance(one, tree.Expect) and one.formula is None for one in rest)
    return isinstance(first, kind) and (not rest or expectations) and getattr(first, "name", None) == name


def listed(values: Any) -> str:
    """Return one value, or several with commas between them."""
    several = isinstance(values, Iterable) and not isinstance(values, str | Expression)
    return ", ".join(map(text_of, values)) if several else text_of(values)
