"""Makes the nodes of the syntax tree: one method for each rule or alias of `grammar.lark`.

Each method gets the rule's children (None for an optional part that was not written) and the rule's first and last
token. Errors that the grammar cannot express (a repeated clause, a number that is too long) are reported here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from petri.diagnostics import Diagnostic, Label
from petri.language.syntax import tree
from petri.language.syntax.lexer import Token, span_of
from petri.net import Span
from petri.structs import Frozen, replace

NAMING = ("draw", "let")  # clauses that a transition may have several of
MOST_DIGITS = 400  # of a number, and the limit of its exponent: more than any 64-bit float can hold


class Clause(Frozen):
    """`takes 5 ns`: its keyword, the value, and the position of the keyword."""

    word: str
    value: Any
    span: Span


class End(Frozen):
    """The `end` that closes a module."""

    span: Span


class Builder:
    """Builds the nodes of one file. `doc` is set before each declaration; `diagnostics` collects the problems."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.doc = ""
        self.diagnostics: list[Diagnostic] = []

    def span(self, first: Token, last: Token) -> Span:
        return span_of(first, last, self.path)

    def _tell(self, identifier: str, span: Span, *labels: Label, **values: str | int) -> None:
        self.diagnostics.append(Diagnostic(identifier, span, values, labels))

    def _clauses(self, declaration: str, clauses: list[Clause]) -> dict[str, Clause]:
        """The clauses by keyword; reports repeated ones."""
        found: dict[str, Clause] = {}
        for clause in clauses:
            word = "fifo" if clause.word in ("bag", "lifo", "by") else clause.word
            if word not in found:
                found[word] = clause
                continue
            identifier = "two-disciplines" if word == "fifo" else "clause-twice"
            label = Label(found[word].span, "first-here")
            self._tell(identifier, clause.span, label, word=clause.word, declaration=declaration)
        return found

    # ------------------------------------------------------------ declarations

    def net(self, parts: list[Any], first: Token, last: Token) -> tree.Net:
        return tree.Net(parts[0].text, self.doc, self.span(parts[0], parts[0]), self.span(first, last))

    def time(self, parts: list[Any], first: Token, last: Token) -> tree.Time:
        unit, word, resolution = parts
        if word is not None and word.text != "resolution":
            self._tell("clock-clause", self.span(word, word), word=word.text)
        return tree.Time(unit.text, self.span(first, last), resolution)

    def import_library(self, parts: list[Any], first: Token, last: Token) -> tree.Import:
        path, *rest = parts
        return self._import(path, None, rest, self.span(first, last))

    def library_path(self, parts: list[Any], first: Token, last: Token) -> str:
        return ".".join(part.text for part in parts)

    def _import(self, name: str, path: str | None, rest: list[Any], span: Span) -> tree.Import:
        alias, settings = rest
        where = self.span(alias, alias) if alias else None
        return tree.Import(name, path, alias.text if alias else None, where, tuple(settings or ()), span)

    def import_file(self, parts: list[Any], first: Token, last: Token) -> tree.Import:
        path = parts[0].text.strip('"')
        return self._import(path, path, parts[1:], self.span(first, last))

    def param(self, parts: list[Any], first: Token, last: Token) -> tree.Param:
        name, type_, default, bounds = parts
        return tree.Param(name.text, type_, default, bounds, self.doc, self.span(name, name), self.span(first, last))

    def const(self, parts: list[Any], first: Token, last: Token) -> tree.Const:
        name, value = parts
        return tree.Const(name.text, value, False, self.doc, self.span(name, name), self.span(first, last))

    def unit(self, parts: list[Any], first: Token, last: Token) -> tree.Const:
        return replace(self.const(parts, first, last), unit=True)

    def type_declaration(self, parts: list[Any], first: Token, last: Token) -> tree.Type:
        name, type_ = parts
        return tree.Type(name.text, type_, self.doc, self.span(name, name), self.span(first, last))

    def dist(self, parts: list[Any], first: Token, last: Token) -> tree.Dist:
        name, value = parts
        return tree.Dist(name.text, value, self.doc, self.span(name, name), self.span(first, last))

    def fn(self, parts: list[Any], first: Token, last: Token) -> tree.Fn:
        name, parameters, type_, value = parts
        own, whole = self.span(name, name), self.span(first, last)
        return tree.Fn(name.text, tuple(parameters or ()), type_, value, self.doc, own, whole)

    def fields(self, parts: list[Any], first: Token, last: Token) -> list[tuple[str, tree.TypeExpr, Span]]:
        return parts

    def place(self, parts: list[Any], first: Token, last: Token) -> tree.Place:
        name, size, type_, *clauses = parts
        found = self._clauses("place", clauses)
        discipline = found.get("fifo")
        capacity, initial, condition = found.get("cap"), found.get("="), found.get("if")
        return tree.Place(
            name=name.text,
            size=size or (),
            type=type_,
            discipline=discipline.word if discipline else "bag",  # type: ignore[arg-type]
            key=discipline.value if discipline else None,
            capacity=capacity.value[0] if capacity else None,
            weight=capacity.value[1] if capacity else None,
            initial=tuple(initial.value) if initial else (),
            condition=condition.value if condition else None,
            doc=self.doc,
            name_span=self.span(name, name),
            span=self.span(first, last),
        )

    def service(self, parts: list[Any], first: Token, last: Token) -> tree.Place:
        name, size, request, reply, *clauses = parts
        made = self.place([name, size, None, *clauses], first, last)
        kind = tree.ServiceType(request, reply, request.span if request else made.name_span)
        return replace(made, type=kind, service=True)

    def size(self, parts: list[Any], first: Token, last: Token) -> tuple[tree.Range | tree.Name, ...]:
        return tuple(parts)

    def clause(self, parts: list[Any], first: Token, last: Token) -> Clause:
        return Clause(parts[0].kind, parts[1], self.span(first, last))

    def capacity(self, parts: list[Any], first: Token, last: Token) -> Clause:
        return Clause("cap", (parts[1], parts[3] if len(parts) > 2 else None), self.span(first, last))

    def preference(self, parts: list[Any], first: Token, last: Token) -> Clause:
        _, word, key = parts
        span = self.span(first, last)
        if word.text not in ("least", "most"):
            self._tell("preference-word", self.span(word, word), word=word.text)
        return Clause("prefer", tree.Preference(word.text, key, span), span)

    def discipline(self, parts: list[Any], first: Token, last: Token) -> Clause:
        return Clause(parts[0].kind, None, self.span(first, last))

    def initials(self, parts: list[Any], first: Token, last: Token) -> list[tree.Initial]:
        return parts

    def initial(self, parts: list[Any], first: Token, last: Token) -> tree.Initial:
        return tree.Initial(parts[0], tuple(parts[1:]), self.span(first, last))

    def transition(self, parts: list[Any], first: Token, last: Token) -> tree.Transition:
        name, loops, condition, inputs, outputs, *clauses = parts
        found = self._clauses("transition", [clause for clause in clauses if clause.word not in NAMING])
        named = {word: [item for clause in clauses if clause.word == word for item in clause.value] for word in NAMING}
        time, guard = found.get("takes"), found.get("when")
        priority, weight, prefer = found.get("priority"), found.get("weight"), found.get("prefer")
        return tree.Transition(
            name=name.text,
            loops=tuple(loops or ()),
            condition=condition,
            inputs=tuple(inputs or ()),
            outputs=tuple(outputs),
            draws=tuple(named["draw"]),
            lets=tuple(named["let"]),
            time=time.value if time else None,
            guard=guard.value if guard else None,
            priority=priority.value if priority else None,
            weight=weight.value if weight else None,
            prefer=prefer.value if prefer else None,
            doc=self.doc,
            name_span=self.span(name, name),
            span=self.span(first, last),
        )

    def loops(self, parts: list[Any], first: Token, last: Token) -> list[tree.Loop]:
        return parts

    def loop(self, parts: list[Any], first: Token, last: Token) -> tree.Loop:
        return tree.Loop(parts[0].text, parts[1], self.span(first, last))

    def inputs(self, parts: list[Any], first: Token, last: Token) -> list[tree.Arc]:
        return parts

    def arc(self, parts: list[Any], first: Token, last: Token) -> tree.Arc:
        mode: Any = parts[0].kind if len(parts) == 2 else "take"
        return tree.Arc(mode, parts[-1], self.span(first, last))

    def outputs(self, parts: list[Any], first: Token, last: Token) -> list[tree.Expr]:
        return parts

    def draws(self, parts: list[Any], first: Token, last: Token) -> list[tree.Draw]:
        return parts

    def draw(self, parts: list[Any], first: Token, last: Token) -> tree.Draw:
        name, distribution = parts
        return tree.Draw(name.text, distribution, self.span(name, name), self.span(first, last))

    def lets(self, parts: list[Any], first: Token, last: Token) -> list[tree.Let]:
        return parts

    def let(self, parts: list[Any], first: Token, last: Token) -> tree.Let:
        name, value = parts
        return tree.Let(name.text, value, self.span(name, name), self.span(first, last))

    # ------------------------------------------------------------ threads

    def thread(self, parts: list[Any], first: Token, last: Token) -> tree.Thread:
        """The header; the parser adds the steps."""
        name, loops, condition = parts
        span, loops = self.span(first, last), tuple(loops or ())
        return tree.Thread(name.text, loops, condition, (), self.doc, self.span(name, name), span)

    def label(self, parts: list[Any], first: Token, last: Token) -> Token:
        return first

    def places(self, parts: list[Any], first: Token, last: Token) -> list[tree.Expr]:
        return [part for part in parts if not isinstance(part, Token)]

    def _step(self, label: Token | None, verb: Token, last: Token, clauses: list[Clause], **parts: Any) -> tree.Step:
        """A step with its clauses; `for` belongs to `take`, `hold` and `use`, which needs it."""
        found = self._clauses(verb.kind, clauses)
        values = {"guard": "when", "priority": "priority", "weight": "weight", "prefer": "prefer", "time": "for"}
        given = {name: found[word].value for name, word in values.items() if word in found}
        if "time" in given and verb.kind not in ("take", "hold", "use"):
            self._tell("step-with-time", found["for"].span, verb=verb.kind)
        if verb.kind == "use" and "time" not in given:
            self._tell("use-without-time", self.span(verb, last))
        name = label or verb
        return tree.Step(
            verb=verb.kind,
            span=self.span(name, last),
            name_span=self.span(name, name),
            doc=self.doc,
            label=label.text if label else "",
            **{**given, **parts},
        )

    def arcs_step(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        label, verb, arcs, *clauses = parts
        return self._step(label, verb, last, clauses, arcs=tuple(arcs))

    def value_step(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        label, verb, value, *clauses = parts
        return self._step(label, verb, last, clauses, time=value)

    def outputs_step(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        label, verb, outputs = parts
        return self._step(label, verb, last, [], outputs=tuple(outputs))

    def call_step(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        label, verb, request, _, reply = parts
        return self._step(label, verb, last, [], outputs=(request,), value=reply)

    def named_step(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        verb, name, _, value = parts
        return replace(self._step(None, verb, last, [], name=name.text, value=value), name_span=self.span(name, name))

    def draws_step(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        return self._step(None, parts[0], last, [], draws=tuple(parts[1]))

    def value_block(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        return self._step(None, parts[0], last, [], value=parts[1])

    def clauses_block(self, parts: list[Any], first: Token, last: Token) -> tree.Step:
        verb, *clauses = parts
        return self._step(None, verb, last, clauses)

    def module(self, parts: list[Any], first: Token, last: Token) -> tree.Module:
        """The header; the parser adds the body."""
        name, parameters = parts
        return tree.Module(
            name.text, tuple(parameters or ()), (), self.doc, self.span(name, name), self.span(first, last)
        )

    def parameters(self, parts: list[Any], first: Token, last: Token) -> list[tree.Param]:
        return parts

    def parameter(self, parts: list[Any], first: Token, last: Token) -> tree.Param:
        return replace(self.param(parts, first, last), doc="")

    def port(self, parts: list[Any], first: Token, last: Token) -> tuple[tree.Port, ...]:
        direction, *items = parts
        towards = direction.text if direction else ""
        return tuple(replace(item, direction=towards) for item in items)

    def direction(self, parts: list[Any], first: Token, last: Token) -> Token:
        return parts[0]  # type: ignore[no-any-return]

    def port_item(self, parts: list[Any], first: Token, last: Token) -> tree.Port:
        name, size, type_ = parts
        return tree.Port(name.text, "", size or (), type_, self.doc, self.span(name, name), self.span(first, last))

    def instance(self, parts: list[Any], first: Token, last: Token) -> tree.Instance:
        name, loops, module, arguments, condition = parts
        return tree.Instance(
            name=name.text,
            loops=tuple(loops or ()),
            module=module.text,
            arguments=tuple(arguments or ()),
            condition=condition,
            doc=self.doc,
            name_span=self.span(name, name),
            module_span=self.span(module, module),
            span=self.span(first, last),
        )

    def instance_arguments(self, parts: list[Any], first: Token, last: Token) -> list[tree.Argument]:
        return parts

    def instance_argument(self, parts: list[Any], first: Token, last: Token) -> tree.Argument:
        return tree.Argument(None, parts[0], self.span(first, last))

    def named_argument(self, parts: list[Any], first: Token, last: Token) -> tree.Argument:
        return tree.Argument(parts[0].text, parts[1], self.span(first, last))

    def measure(self, parts: list[Any], first: Token, last: Token) -> tree.Measure:
        name, loops, formula, unit, record, condition = parts
        return tree.Measure(
            name=name.text,
            loops=tuple(loops or ()),
            formula=formula,
            unit=None if unit is None else unit.text,
            unit_span=None if unit is None else self.span(unit, unit),
            record=tuple(record or ()),
            condition=condition,
            doc=self.doc,
            name_span=self.span(name, name),
            span=self.span(first, last),
        )

    def at(self, parts: list[Any], first: Token, last: Token) -> tree.At:
        return tree.At(parts[0], parts[1], parts[2], self.span(first, last))

    def records(self, parts: list[Any], first: Token, last: Token) -> list[tree.Expr]:
        return parts

    def expect(self, parts: list[Any], first: Token, last: Token) -> tree.Expect:
        formula, comparison, bound, within, condition = parts
        return tree.Expect(formula, comparison, bound, within, condition, self.span(first, last))

    def comparator(self, parts: list[Any], first: Token, last: Token) -> str:
        return parts[0].kind  # type: ignore[no-any-return]

    def run(self, parts: list[Any], first: Token, last: Token) -> tree.Run:
        found = {word: clause.value for word, clause in self._clauses("run", parts).items()}
        until = found.get("until")
        dead = isinstance(until, tree.Name) and until.name == "dead"
        return tree.Run(
            until=None if dead else until,
            dead=dead,
            warmup=found.get("warmup"),
            replications=found.get("replications"),
            precision=found.get("precision"),
            seed=found.get("seed"),
            span=self.span(first, last),
        )

    # ------------------------------------------------------------ types

    def named_type(self, parts: list[Any], first: Token, last: Token) -> tree.NamedType:
        return tree.NamedType(first.text, self.span(first, last))

    token_type = named_type

    def range_type(self, parts: list[Any], first: Token, last: Token) -> tree.RangeType:
        return tree.RangeType(parts[0], parts[1], self.span(first, last))

    def service_type(self, parts: list[Any], first: Token, last: Token) -> tree.ServiceType:
        request, reply = parts
        return tree.ServiceType(request, reply, self.span(first, last))

    def enum_type(self, parts: list[Any], first: Token, last: Token) -> tree.EnumType:
        names = tuple((part.text, self.span(part, part)) for part in parts)
        self._once("value-twice", names)
        return tree.EnumType(names, self.span(first, last))

    def record_type(self, parts: list[Any], first: Token, last: Token) -> tree.RecordType:
        self._once("field-twice", tuple((name, span) for name, _, span in parts))
        return tree.RecordType(tuple(parts), self.span(first, last))

    def field_type(self, parts: list[Any], first: Token, last: Token) -> tuple[str, tree.TypeExpr, Span]:
        return (parts[0].text, parts[1], self.span(first, first))

    def _once(self, identifier: str, names: tuple[tuple[str, Span], ...]) -> None:
        found: dict[str, Span] = {}
        for name, span in names:
            if name in found:
                self._tell(identifier, span, Label(found[name], "first-here"), name=name)
            found.setdefault(name, span)

    # ------------------------------------------------------------ expressions

    def conditional(self, parts: list[Any], first: Token, last: Token) -> tree.If:
        condition, then, *otherwise = parts
        return tree.If(condition, then, otherwise[0] if otherwise else None, self.span(first, last))

    def binary(self, parts: list[Any], first: Token, last: Token) -> tree.Binary:
        return tree.Binary(parts[1].kind, parts[0], parts[2], self.span(first, last))

    def unary(self, parts: list[Any], first: Token, last: Token) -> tree.Unary:
        return tree.Unary(parts[0].kind, parts[1], self.span(first, last))

    def range(self, parts: list[Any], first: Token, last: Token) -> tree.Range:
        return tree.Range(parts[0], parts[1], self.span(first, last))

    def field(self, parts: list[Any], first: Token, last: Token) -> tree.Field:
        return tree.Field(parts[0], parts[1].text, self.span(first, last))

    def index(self, parts: list[Any], first: Token, last: Token) -> tree.Index:
        """`a[i, *]` is `a[i][*]`."""
        base, *indices = parts
        for index in indices:
            base = tree.Index(base, index, self.span(first, last))
        return base  # type: ignore[no-any-return]

    def all_indices(self, parts: list[Any], first: Token, last: Token) -> None:
        """`*` in brackets: an index that is None."""

    def call(self, parts: list[Any], first: Token, last: Token) -> tree.Call:
        return tree.Call(parts[0], tuple(parts[1] or ()), self.span(first, last))

    def list_of(self, parts: list[Any], first: Token, last: Token) -> tree.List:
        return tree.List(tuple(parts), self.span(first, last))

    def with_record(self, parts: list[Any], first: Token, last: Token) -> tree.With:
        return tree.With(parts[0], parts[1], self.span(first, last))

    def number(self, parts: list[Any], first: Token, last: Token) -> tree.Number:
        return tree.Number(self._value(first), first.text, None, self.span(first, last))

    def quantity(self, parts: list[Any], first: Token, last: Token) -> tree.Number:
        return tree.Number(self._value(first), first.text, last.text, self.span(first, last))

    def _value(self, token: Token) -> Fraction:
        text = token.text.rstrip("%").replace("_", "")
        mantissa, _, exponent = text.lower().partition("e")
        if len(mantissa) > MOST_DIGITS or len(exponent) > 5 or abs(int(exponent or 0)) > MOST_DIGITS:
            self._tell("number-too-long", self.span(token, token), digits=MOST_DIGITS)
            return Fraction(1)
        return Fraction(text) / 100 if token.text.endswith("%") else Fraction(text)

    def text(self, parts: list[Any], first: Token, last: Token) -> tree.Text:
        return tree.Text(first.text.strip('"'), self.span(first, last))

    def paren(self, parts: list[Any], first: Token, last: Token) -> tree.Paren:
        return tree.Paren(parts[0], self.span(first, last))

    def name(self, parts: list[Any], first: Token, last: Token) -> tree.Name:
        return tree.Name(first.text, self.span(first, last))

    name_word = name

    def arguments(self, parts: list[Any], first: Token, last: Token) -> list[tree.Expr]:
        return parts

    def weighted(self, parts: list[Any], first: Token, last: Token) -> tree.Weighted:
        return tree.Weighted(parts[0], parts[1], self.span(first, last))

    def passage(self, parts: list[Any], first: Token, last: Token) -> tree.Passage:
        return tree.Passage(parts[0], parts[1], self.span(first, last))

    def by_keys(self, parts: list[Any], first: Token, last: Token) -> tree.By:
        keys, end_keys = parts
        return tree.By(tuple(keys), None if end_keys is None else tuple(end_keys), self.span(first, last))

    def keys(self, parts: list[Any], first: Token, last: Token) -> list[tree.Expr]:
        return parts

    def ordered(self, parts: list[Any], first: Token, last: Token) -> tree.Ordered:
        return tree.Ordered(parts[0], self.span(first, last))

    def record(self, parts: list[Any], first: Token, last: Token) -> tree.Record:
        fields = tuple(part for part in parts if part is not None)
        self._once("field-twice", tuple((name, span) for name, _, span in fields))
        return tree.Record(fields, self.span(first, last))

    def record_field(self, parts: list[Any], first: Token, last: Token) -> tuple[str, tree.Expr | None, Span]:
        return (parts[0].text, parts[1], self.span(first, first))
