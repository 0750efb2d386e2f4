"""Makes the nodes of the syntax tree from the rules and aliases of `grammar.lark`.

The children of most rules are the fields of a node in their order (`NODES`); the others have a method each. It gets the
rule's children (None for an optional part that was not written) and the rule's first and last token. Errors that the
grammar cannot express (a repeated clause, a number that is too long) are reported here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any, Final

from petri.catalogue.words import CLAUSES, clauses_of
from petri.diagnostics import Diagnostic, Label
from petri.language.syntax import tree
from petri.language.syntax.lexer import Token, span_of
from petri.net import Span
from petri.structs import Frozen, defaults, fields, replace

NAMING = ("draw", "let")  # clauses that a transition may have several of
_TWICE: Final = {"discipline": "two-disciplines", "memory": "two-memories"}  # messages on fields of several clauses
MOST_DIGITS = 400  # of a number, and the limit of its exponent: more than any 64-bit float can hold

NODES: Final[dict[str, type]] = {
    "net": tree.Net, "param": tree.Param, "const": tree.Const, "type_declaration": tree.Type, "dist": tree.Dist,
    "fn": tree.Fn, "thread": tree.Thread, "module": tree.Module, "instance": tree.Instance, "measure": tree.Measure,
    "expect": tree.Expect, "named_argument": tree.Argument, "loop": tree.Loop,
    "draw": tree.Draw, "let": tree.Let, "named_type": tree.NamedType, "range_type": tree.RangeType,
    "service_type": tree.ServiceType, "conditional": tree.If, "unary": tree.Unary, "range": tree.Range,
    "over": tree.Over, "list_for": tree.ListFor, "each": tree.Each, "field": tree.Field, "call": tree.Call,
    "with_record": tree.With, "paren": tree.Paren, "weighted": tree.Weighted,
    "passage": tree.Passage, "by_keys": tree.By, "ordered": tree.Ordered, "at": tree.At, "before": tree.Asked,
    "splitting": tree.Splitting, "delayed": tree.Delayed,
    "for_each": tree.ForEach, "schedule": tree.Schedule, "stage": tree.Stage,
}  # fmt: skip
# Of each kind of step, what its parts are; "" for a sign or word that says nothing more. Clauses follow.
_STEPS: Final = {
    "arcs_step": ("label", "verb", "arcs"),
    "value_step": ("label", "verb", "time"),
    "outputs_step": ("label", "verb", "outputs"),
    "call_step": ("label", "verb", "outputs", "", "value"),
    "named_step": ("verb", "name", "", "value"),
    "draws_step": ("verb", "draws"),
    "value_block": ("verb", "value"),
    "clauses_block": ("verb",),
    "each_block": ("label", "verb", "", "arcs"),
    "arcs_block": ("verb", "arcs"),
}

# The messages on clauses that a step may not have.
_STRANGE: Final = {
    "within": "step-with-limit", "after": "step-with-clock", "for": "step-with-time",
    **{word: "step-with-order" for word, clause in CLAUSES.items() if clause.field == "discipline"},
}  # fmt: skip


class Clause(Frozen):
    """`takes 5 ns`: its keyword, the fields of the node that it sets, and its position."""

    word: str
    values: dict[str, Any]
    span: Span


@lru_cache(4096)
def _fraction(text: str) -> Fraction:
    """Return a number as it is written; the same ones recur in a net."""
    return Fraction(text)


@cache
def _shape(kind: type) -> tuple[tuple[str, str, Any], ...]:
    """Return the fields of a node that its rule gives: its name, that of the part whose position it is, or "" for a
    part, and its value where the part was not written.
    """
    written = [name for name in fields(kind) if name not in defaults(kind)]
    types = {name: kind.__annotations__[name] for name in written}
    lists = {name for name, text in types.items() if text.startswith("tuple") and not text.endswith("None")}
    parts = {name: name.removesuffix("_span") if name.endswith("_span") else "" for name in written}
    own = {"span": "span", "doc": "doc"}
    return tuple((name, own.get(name, parts[name]), () if name in lists else None) for name in written)


def _plain(part: Any) -> Any:
    """Return a child of a rule as the tree has it."""
    if type(part) is Token:
        return part.text if part.kind in ("NAME", "NUMBER", "STRING") else part.kind
    return tuple(part) if type(part) is list else part


class Builder:
    """Builds the nodes of one file. `doc` is set before each declaration; `diagnostics` collects the problems."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.doc = ""
        self.diagnostics: list[Diagnostic] = []

    def make(self, rule: str, parts: list[Any], first: Token, last: Token) -> Any:
        """Return what a rule of the grammar, or an alias of one, makes of its children."""
        kind = NODES.get(rule)
        if kind is not None:
            return self._node(kind, parts, first, last)
        if rule in _STEPS:
            return self._step(_STEPS[rule], parts, first, last)
        return getattr(self, rule)(parts, first, last)

    def _node(self, kind: type, parts: list[Any], first: Token, last: Token, **given: Any) -> Any:
        """Return a node whose fields that are not given are the parts, in order."""
        tokens: dict[str, Token] = {}
        rest = iter(parts)
        for name, role, empty in _shape(kind):
            if name in given:
                continue
            if role == "":
                part = next(rest, None)
                if type(part) is Token:
                    tokens[name] = part
                given[name] = empty if part is None else _plain(part)
            elif role == "span":
                given[name] = span_of(first, last, self.path)
            elif role == "doc":
                given[name] = self.doc
            else:
                token = tokens.get(role)
                given[name] = None if token is None else span_of(token, token, self.path)
        return kind(**given)

    def span(self, first: Token, last: Token) -> Span:
        return span_of(first, last, self.path)

    def _tell(self, identifier: str, span: Span, *labels: Label, **values: str | int) -> None:
        self.diagnostics.append(Diagnostic(identifier, span, values, labels))

    def _clauses(self, declaration: str, clauses: list[Clause]) -> dict[str, Any]:
        """Return the fields that the clauses set; reports repeated ones."""
        found: dict[str, Clause] = {}
        values: dict[str, Any] = {}
        for clause in clauses:
            name = CLAUSES[clause.word].field
            if name not in found:
                found[name] = clause
                values |= clause.values
            elif clause.word in NAMING:
                values[name] += clause.values[name]
            else:
                identifier = _TWICE.get(name, "clause-twice")
                label = Label(found[name].span, "first-here")
                self._tell(identifier, clause.span, label, word=clause.word, declaration=declaration)
        return values

    # ------------------------------------------------------------ declarations

    def time(self, parts: list[Any], first: Token, last: Token) -> tree.Time:
        unit, word, resolution = parts
        if word is not None and word.text != "resolution":
            self._tell("clock-clause", self.span(word, word), word=word.text)
        return tree.Time(unit.text, self.span(first, last), resolution)

    def import_library(self, parts: list[Any], first: Token, last: Token) -> Any:
        return self._node(tree.Import, [parts[0], None, *parts[1:]], first, last)

    def library_path(self, parts: list[Any], first: Token, last: Token) -> str:
        return ".".join(part.text for part in parts)

    def import_file(self, parts: list[Any], first: Token, last: Token) -> Any:
        path = parts[0].text.strip('"')
        return self._node(tree.Import, [path, path, *parts[1:]], first, last)

    def parameter(self, parts: list[Any], first: Token, last: Token) -> Any:
        return self._node(tree.Param, parts, first, last, doc="")

    def unit(self, parts: list[Any], first: Token, last: Token) -> Any:
        return self._node(tree.Const, parts, first, last, unit=True)

    def place(self, parts: list[Any], first: Token, last: Token) -> Any:
        name, size, type_, *clauses = parts
        values = {"discipline": "bag", **self._clauses("place", clauses)}
        return self._node(tree.Place, [name, size, type_], first, last, **values)

    def service(self, parts: list[Any], first: Token, last: Token) -> tree.Place:
        name, size, request, reply, *clauses = parts
        made: tree.Place = self.place([name, size, None, *clauses], first, last)
        kind = tree.ServiceType(request, reply, request.span if request else made.name_span)
        return replace(made, type=kind, service=True)

    def clause(self, parts: list[Any], first: Token, last: Token) -> Clause:
        """Return a keyword and its value; `cap 32 KB of size` has two of each, and `fifo` no value."""
        word = parts[0].kind
        values = {CLAUSES[key.kind].field: _plain(value) for key, value in zip_longest(parts[::2], parts[1::2])}
        span = self.span(first, last)
        if "discipline" in values:
            values = {"discipline": word, "key": values["discipline"]}
        elif "memory" in values:
            values = {"memory": tree.Memory(word, span)}
        elif "decide" in values:
            values = {"decide": tree.Decide(word, span)}
        return Clause(word, values, span)

    def preference(self, parts: list[Any], first: Token, last: Token) -> Clause:
        _, word, key = parts
        span = self.span(first, last)
        if word.text not in ("least", "most"):
            self._tell("preference-word", self.span(word, word), word=word.text)
        return Clause("prefer", {"prefer": tree.Preference(word.text, key, span)}, span)

    def limit(self, parts: list[Any], first: Token, last: Token) -> Clause:
        _, time, _, label = parts
        span = self.span(first, last)
        return Clause("within", {"within": tree.Limit(time, label.text, self.span(label, label), span)}, span)

    def initial(self, parts: list[Any], first: Token, last: Token) -> tree.Initial:
        return tree.Initial(parts[0], tuple(parts[1:]), self.span(first, last))

    def transition(self, parts: list[Any], first: Token, last: Token) -> Any:
        return self._node(tree.Transition, parts[:5], first, last, **self._clauses("transition", parts[5:]))

    def arc(self, parts: list[Any], first: Token, last: Token) -> tree.Arc:
        words = [part.kind for part in parts[:-1]]
        mode: Any = next((word for word in words if word != "any"), "take")
        if mode in ("no", "reset") and "any" in words:
            self._tell("any-with-mode", self.span(parts[1], parts[1]), mode=mode)
        elif words == ["any", "read"]:
            self._tell("any-before-read", self.span(parts[0], parts[1]))
        return tree.Arc(mode, "any" in words, self._counted(parts[-1]), self.span(first, last))

    def all_arc(self, parts: list[Any], first: Token, last: Token) -> tree.Arc:
        """`all cache({p: q}) when q != 0`"""
        return tree.Arc("all", False, parts[1], self.span(first, last), parts[3] if len(parts) > 2 else None)

    def up_to_arc(self, parts: list[Any], first: Token, last: Token) -> tree.Arc:
        """`all up to 8 * queue(x) when x > 3`"""
        up, term = parts[1], self._counted(parts[3])
        if up.text != "up" or not (isinstance(term, tree.Binary) and term.operator == "*"):
            self._tell("up-to-how-many", self.span(up, last))
        return tree.Arc("all", False, term, self.span(first, last), parts[5] if len(parts) > 4 else None)

    def _counted(self, term: Any) -> Any:
        """Return `8 * queue(x)` for `8 queue(x)`, which reads as a number with a unit."""
        if isinstance(term, tree.Range):
            return replace(term, high=self._counted(term.high))
        if not isinstance(term, tree.Call) or not isinstance(term.function, tree.Number) or not term.function.unit:
            return term
        number, unit = term.function, term.function.unit
        at = replace(number.span, column=number.span.end_column - len(unit), line=number.span.end_line)
        end = replace(number.span, end_line=number.span.line, end_column=number.span.column + len(number.text))
        place = replace(term, function=tree.Name(unit, at), span=replace(term.span, line=at.line, column=at.column))
        return tree.Binary("*", replace(number, unit=None, span=end), place, term.span)

    # ------------------------------------------------------------ threads

    def _step(self, names: tuple[str, ...], parts: list[Any], first: Token, last: Token) -> tree.Step:
        """Return a step with its clauses; `for` belongs to `take`, `hold` and `use`, which needs it."""
        given = dict(zip(names, parts, strict=False))
        label, verb = given.pop("label", None), given.pop("verb")
        clauses = [part for part in parts if isinstance(part, Clause)]
        values = self._clauses(verb.kind, clauses)
        strange = [clause for clause in clauses if CLAUSES[clause.word] not in clauses_of(verb.kind)]
        if strange:
            self._tell(_STRANGE[strange[0].word], strange[0].span, verb=verb.kind, word=strange[0].word)
        if (word := values.get("discipline")) is not None:
            span = next(clause.span for clause in clauses if clause.word == word)
            values["discipline"] = tree.Discipline(word, values.pop("key"), span)
        if verb.kind == "use" and "time" not in values:
            self._tell("use-without-time", self.span(verb, last))
        self._refuse_sets(given)
        name = given.get("name") or label or verb
        values |= {name: _plain(value) for name, value in given.items() if name}
        return tree.Step(
            verb=verb.kind,
            span=self.span(first, last),
            name_span=self.span(name, name),
            doc=self.doc,
            label=label.text if label else "",
            **values,
        )

    def _refuse_sets(self, given: dict[str, Any]) -> None:
        """Refuse a number of tokens: a thread takes its tokens one by one."""
        for arc in given.get("arcs", ()):
            if arc.mode == "all" or isinstance(arc.term, tree.Range):
                self._tell("set-in-thread", arc.span, word="all" if arc.mode == "all" else "..")
        for output in given.get("outputs", ()):
            while isinstance(output, tree.If):
                output = output.then
            if isinstance(output, tree.ForEach):
                self._tell("set-in-thread", output.span, word="each")

    # ------------------------------------------------------------ modules, runs

    def port_item(self, parts: list[Any], first: Token, last: Token) -> Any:
        name, size, type_, *clauses = parts
        return self._node(tree.Port, [name, size, type_], first, last, **self._clauses("port", clauses))

    def port(self, parts: list[Any], first: Token, last: Token) -> tuple[tree.Port, ...]:
        direction, *items = parts
        return tuple(replace(item, direction=direction.kind) for item in items) if direction else tuple(items)

    def instance_argument(self, parts: list[Any], first: Token, last: Token) -> tree.Argument:
        return tree.Argument(None, parts[0], self.span(first, last))

    def run(self, parts: list[Any], first: Token, last: Token) -> Any:
        values = self._clauses("run", parts)
        until = values.get("until")
        dead = isinstance(until, tree.Name) and until.name == "dead"
        return self._node(tree.Run, [], first, last, **{**values, "dead": dead, "until": None if dead else until})

    # ------------------------------------------------------------ types

    def token_type(self, parts: list[Any], first: Token, last: Token) -> tree.NamedType:
        return tree.NamedType(first.text, self.span(first, last))

    def enum_type(self, parts: list[Any], first: Token, last: Token) -> tree.EnumType:
        names = tuple((part.text, self.span(part, part)) for part in parts)
        self._once("value-twice", names)
        return tree.EnumType(names, self.span(first, last))

    def record_type(self, parts: list[Any], first: Token, last: Token) -> tree.RecordType:
        self._once("field-twice", tuple((name, span) for name, _, span in parts))
        return tree.RecordType(tuple(parts), self.span(first, last))

    def vector_type(self, parts: list[Any], first: Token, last: Token) -> tree.TypeExpr:
        """`State[2, 3]`: two vectors, of three elements each."""
        span = self.span(first, last)
        base, indices = parts[0], []
        while isinstance(base, tree.Index):
            indices.append(base.index)
            base = base.base
        kind: tree.TypeExpr = tree.NamedType(base.name if isinstance(base, tree.Name) else "int", base.span)
        if not isinstance(base, tree.Name) or None in indices:
            self._tell("vector-type", span)
        for index in indices:
            kind = tree.VectorType(kind, index if index is not None else base, span)
        return kind

    def field_type(self, parts: list[Any], first: Token, last: Token) -> tuple[str, tree.TypeExpr, Span]:
        return (parts[0].text, parts[1], self.span(first, first))

    def _once(self, identifier: str, names: tuple[tuple[str, Span], ...]) -> None:
        found: dict[str, Span] = {}
        for name, span in names:
            if name in found:
                self._tell(identifier, span, Label(found[name], "first-here"), name=name)
            found.setdefault(name, span)

    # ------------------------------------------------------------ expressions

    def binary(self, parts: list[Any], first: Token, last: Token) -> tree.Binary:
        return tree.Binary(parts[1].kind, parts[0], parts[2], self.span(first, last))

    def reached(self, parts: list[Any], first: Token, last: Token) -> tree.Asked:
        hit, within, begin = parts
        return tree.Asked(hit, None, within, begin, self.span(first, last))

    def index(self, parts: list[Any], first: Token, last: Token) -> tree.Index:
        """`a[i, *]` is `a[i][*]`."""
        base, *indices = parts
        for index in indices:
            base = tree.Index(base, index, self.span(first, last))
        return base  # type: ignore[no-any-return]

    def all_indices(self, parts: list[Any], first: Token, last: Token) -> None:
        """`*` in brackets: an index that is None."""

    def list_of(self, parts: list[Any], first: Token, last: Token) -> tree.List:
        return tree.List(tuple(parts), self.span(first, last))

    def several_keys(self, parts: list[Any], first: Token, last: Token) -> tree.Keys:
        return tree.Keys(tuple(parts), self.span(first, last))

    def number(self, parts: list[Any], first: Token, last: Token) -> tree.Number:
        return tree.Number(self._value(first), first.text, None, self.span(first, last))

    def quantity(self, parts: list[Any], first: Token, last: Token) -> tree.Number:
        return tree.Number(self._value(first), first.text, last.text, self.span(first, last))

    def _value(self, token: Token) -> Fraction:
        text = token.text.rstrip("%").replace("_", "")
        mantissa, _, exponent = text.lower().partition("e")
        if len(mantissa) > MOST_DIGITS:
            self._tell("number-too-long", self.span(token, token), digits=MOST_DIGITS)
            return Fraction(1)
        if len(exponent) > 5 or abs(int(exponent or 0)) > MOST_DIGITS:
            self._tell("exponent-range", self.span(token, token), most=MOST_DIGITS)
            return Fraction(1)
        return _fraction(text) / 100 if token.text.endswith("%") else _fraction(text)

    def text(self, parts: list[Any], first: Token, last: Token) -> tree.Text:
        return tree.Text(first.text.strip('"'), self.span(first, last))

    def name(self, parts: list[Any], first: Token, last: Token) -> tree.Name:
        return tree.Name(first.text, self.span(first, last))

    name_word = name

    def record(self, parts: list[Any], first: Token, last: Token) -> tree.Record:
        fields = tuple(part for part in parts if part is not None)
        whole = [(name, span) for name, value, span in fields if not isinstance(value, tree.Element)]
        self._once("field-twice", tuple(whole))
        return tree.Record(fields, self.span(first, last))

    def record_field(self, parts: list[Any], first: Token, last: Token) -> tuple[str, tree.Expr | None, Span]:
        return (parts[0].text, parts[1], self.span(first, first))

    def element_index(self, parts: list[Any], first: Token, last: Token) -> tuple[tree.Expr | None, ...]:
        return tuple(parts)

    def record_element(self, parts: list[Any], first: Token, last: Token) -> tuple[str, tree.Expr, Span]:
        name, *brackets, value = parts
        for index in reversed([index for indices in brackets for index in indices]):
            value = tree.Element(index, value, self.span(first, last))
        return (name.text, value, self.span(first, first))
