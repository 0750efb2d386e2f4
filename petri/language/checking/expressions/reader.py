"""Expressions: resolves names, infers types and dimensions, splits records into their slots."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, Literal, Protocol

from petri.catalogue.operations import ARITHMETIC, COMPARISONS
from petri.catalogue.units import EXAMPLE_UNITS, PLAIN, TIME, UNITS, Dimension
from petri.diagnostics import Label
from petri.language.checking.expressions.quantities import quantity_of
from petri.language.checking.expressions.scheduled import value_of
from petri.language.checking.expressions.vectors import changed, chosen, element
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import (
    END,
    EULER,
    LOCAL,
    NOW,
    VARIABLE,
    Node,
    constant,
    operation,
    to_real,
    truth,
    with_span,
)
from petri.language.meaning.scope import (
    ConstantSymbol,
    DistSymbol,
    PlaceSymbol,
    ScheduleSymbol,
    Scope,
    TypeSymbol,
    kind_of,
)
from petri.language.meaning.types import (
    BOOL,
    CALLER,
    INT,
    REAL,
    ListOf,
    Record,
    Request,
    Scalar,
    Type,
    Unknown,
    Vector,
    describe,
    has_fields,
    layout,
    plainly,
    quantity,
    same,
)
from petri.language.problems import CheckError, Problems, Reported, needed
from petri.language.syntax import tree
from petri.net import Kind, Span
from petri.structs import Struct, field, replace

Variables = Mapping[str, tuple[Type, tuple[Node, ...]]]
Permission = Literal["tokens", "now", "end", "draw"]
_NOT_PERMITTED: dict[Permission, str] = {
    "tokens": "tokens-not-allowed",
    "now": "instant-not-known",
    "end": "instant-not-known",
    "draw": "draw-not-allowed",
}


# Which hint says how to draw in time, by where the draw is used.
_WHEN_DRAWN = {"a draw": "first", "`after`": "fired"}


class Names(Protocol):
    """Names that stand for expressions."""

    def __contains__(self, name: str) -> bool: ...

    def use(self, name: str, reader: Reader, span: Span) -> Value: ...


class Sets(Protocol):
    """The sets of tokens that the arcs of a transition take."""

    def of(self, e: tree.Expr, reader: Reader) -> Any: ...

    def binds(self, name: str) -> bool: ...

    def fold(self, reader: Reader, name: str, each: tree.Each, of: Any, span: Span) -> Value: ...


class Reader(Struct):
    """Reads the expressions of one declaration.

    `where` names the text being read, for messages ("a guard"); `allowed` lists what may occur in it besides constants
    and variables; `binds`: the variables are those that input arcs bind; `barred`: those of the transition that may not
    be used here; `awaited`: names that get their values later, and where each is declared; `elements`: the names in
    `count(x in v: …)` around what is read, and those of one token of a set; `sets`: what `all` takes.
    Errors go to the checker's problems, and the result then has the unknown type; what reads the parts of an expression
    raises CheckError.
    """

    checker: CheckState
    scope: Scope
    where: str
    allowed: frozenset[Permission] = frozenset()
    variables: Variables = field(default_factory=dict)
    loops: Mapping[str, ConstantSymbol] = field(default_factory=dict)
    binds: bool = False
    barred: Container[str] = ()
    lets: Names | None = None
    awaited: Mapping[str, Span] = field(default_factory=dict)
    counted: Callable[[tree.Call, str], Value] | None = None  # reads `tokens(…)` in a measure of the marking
    elements: Variables = field(default_factory=dict)
    sets: Sets | None = None
    own_problems: Problems | None = None  # instead of the checker's

    @property
    def problems(self) -> Problems:
        return self.own_problems or self.checker.problems

    def allowing(self, where: str, *allowed: Permission) -> Reader:
        """Return a reader with the same names for another part of the text."""
        return replace(self, where=where, allowed=frozenset(allowed), barred=())

    def of_all_bindings(self, where: str, *allowed: Permission) -> Reader:
        """Read what is the same for all bindings of the transition that this one reads."""
        reader = Reader(self.checker, self.scope, where, frozenset(allowed), loops=self.loops)
        reader.barred, reader.lets, reader.awaited = self.variables, self.lets, self.awaited
        return reader

    # ------------------------------------------------------------ entry points

    def read(self, expression: tree.Expr, expected: Type | None = None) -> Value:
        """Return the value of an expression; `expected` is the type of a record written as `{…}`."""
        try:
            return self._dispatch(expression, expected)
        except CheckError as fault:
            self.problems.fault(fault)
        except RecursionError:
            self.problems.error("expression-too-large", expression.span)
        return Value.unknown(expression.span)

    def read_as(self, expression: tree.Expr, wanted: Type) -> tuple[Node, ...] | None:
        """Return the nodes of an expression that must have a type; reports an error and returns None otherwise."""
        return self.fit(self.read(expression, wanted), wanted, expression)

    def read_scalar(self, expression: tree.Expr, wanted: Scalar) -> Node | None:
        nodes = self.read_as(expression, wanted)
        return nodes[0] if nodes else None

    def read_fixed(self, expression: tree.Expr, wanted: Scalar) -> Node | None:
        """Return a constant of a type, where only constants are allowed."""
        node = self.read_scalar(expression, wanted)
        assert node is None or node.fixed
        return node

    def values(self, *expressions: tree.Expr) -> list[Value]:
        """Return the values of several expressions, each with its own errors; raises Reported if one is unknown."""
        return known(*map(self.read, expressions))

    # ------------------------------------------------------------ fitting

    def fit(self, value: Value, wanted: Type, written: tree.Expr | None = None) -> tuple[Node, ...] | None:
        """Return the value's nodes converted to the expected type (an int becomes a real where needed), or None.

        written: the expression, from which the error tells what was probably meant.
        """
        found = value.type
        if isinstance(found, Unknown) or isinstance(wanted, Unknown):
            return None
        if same(found, wanted):
            return value.nodes
        if (number := _as_value_of(value, wanted)) is not None:
            return (number,)
        if isinstance(found, Scalar) and isinstance(wanted, Scalar) and wanted.kind == "real":
            if found.kind == "int" and (value.zero or wanted.dimension == PLAIN):
                return (to_real(value.node),)
            if found.kind == "real" and value.zero:
                return value.nodes
        self.mismatch(value, wanted, written)
        return None

    def mismatch(self, value: Value, wanted: Type, written: tree.Expr | None = None) -> None:
        text = self.problems.text(value.span)
        dimension = wanted.dimension if isinstance(wanted, Scalar) else PLAIN
        is_time = dimension == TIME
        plain = isinstance(value.type, Scalar) and value.type.kind in ("int", "real") and value.type.dimension == PLAIN
        unit = self.checker.units.time_unit if is_time else EXAMPLE_UNITS.get(dimension)
        needs_unit = unit and plain and re.fullmatch(r"([\d._e]+)|exp\(([\d._e]+)\)", text)
        suggestion = re.sub(r"([\d.]\w*)(\)?)$", rf"\1 {unit}\2", text) if needs_unit else _unit_first(text, dimension)
        more = {} if written is None or suggestion else self._remedies(written, wanted)
        self.problems.error(
            "type-mismatch",
            value.span,
            text=text,
            found=plainly(value.type),
            wanted=plainly(wanted),
            suggestion=suggestion,
            **more,
            unit=f"1 {unit}" if is_time and plain and not needs_unit and not more else None,
            compared=f"{text} > 0" if wanted == BOOL and value.type == INT and not text.isdigit() else None,
            division="div" if plain and wanted == INT and "/" in text else None,
            tokens=text[1:-1] if isinstance(written, tree.List) and self.where == "an initial marking" else None,
            chance=text if wanted == BOOL and isinstance(written, tree.Number) and 0 < written.value < 1 else None,
        )

    def _remedies(self, written: tree.Expr, wanted: Type) -> dict[str, str]:
        """Return what was probably meant by a number that is not a real of this type, for hints."""
        if not isinstance(wanted, Scalar) or wanted.kind != "real":
            return {}
        return self.checker.remedies(self, written, wanted.dimension)

    # ------------------------------------------------------------ the kinds of expression

    def _dispatch(self, e: tree.Expr, expected: Type | None) -> Value:
        value: Value
        match e:
            case tree.Name():
                value = self._name(e)
            case tree.Number():
                value = self._number(e)
            case tree.Field():
                value = self._field(e)
            case tree.Call():
                value = self.checker.call(self, e)
            case tree.Binary():
                value = self._binary(e)
            case tree.Unary():
                value = self._unary(e)
            case tree.Paren():
                inner = self._dispatch(e.inner, expected)
                value = Value(inner.type, inner.nodes, e.span, inner.zero, inner.word)
            case tree.If():
                value = self._if(e, expected)
            case tree.Record():
                value = self._record(e, expected)
            case tree.With():
                value = self._with(e)
            case tree.List() | tree.ListFor():
                value = self._listed(e, expected)
            case tree.Index() if e.index is not None:
                value = self._item(e)
            case tree.Least() | tree.Position():
                value = self._of_thread(e, expected)
            case _:
                value = self._misplaced(e)
        if isinstance(value.type, Unknown):
            raise Reported
        if expected is not None and (number := _as_value_of(value, expected)) is not None:
            value = Value(expected, (number,), e.span)
        self.checker.note(e.span, value.type)
        return value

    def _of_thread(self, e: tree.Least | tree.Position, expected: Type | None) -> Value:
        """Return what only threads make."""
        if isinstance(e, tree.Position):
            return self._position(e)
        if not isinstance(expected, (Record, Scalar)):
            raise Reported
        return Value(expected, tuple([_least(kind, e.span) for _, kind in layout(expected)]), e.span)

    def _position(self, e: tree.Position) -> Value:
        symbol = self.scope.find(e.place)
        assert isinstance(symbol, PlaceSymbol)
        number, one = constant(0, "int", e.span), constant(1, "int", e.span)
        for written, own in zip(e.indices, symbol.indices, strict=True):
            index = needed(self.read_scalar(written, own.kind))
            size = operation("add", "int", (operation("sub", "int", (own.high, own.low), e.span), one), e.span)
            offset = operation("sub", "int", (index, own.low), e.span)
            before = operation("mul", "int", (number, size), e.span)
            number = operation("add", "int", (before, offset), e.span)
        return Value(INT, (number,), e.span)

    def _misplaced(self, e: tree.Expr) -> Value:
        kinds = {
            tree.Index: "`[*]`",
            tree.Range: "a range",
            tree.Weighted: "a weighted value",
            tree.Passage: "a passage `a -> b`",
            tree.By: "`by`",
            tree.Ordered: "`order`",
            tree.At: "`at`",
            tree.Asked: "`before` or `within`",
            tree.Splitting: "`splitting on`",
            tree.Each: "`in`",
        }
        text, what = self.problems.text(e.span), kinds.get(type(e), "this")
        if isinstance(e, tree.Text):
            raise self._text_as_value(e, text)
        named = isinstance(e, tree.Weighted) and isinstance(e.value, tree.Name)
        listed = isinstance(e, tree.Range) and self.where == "an initial marking"
        record, each = f"{{{text}}}" if named else None, f"i for i in {text}" if listed else None
        raise CheckError("misplaced-expression", e.span, what=what, where=self.where, record=record, each=each)

    def _text_as_value(self, e: tree.Text, text: str) -> CheckError:
        """Return the error that a text is written where a value is: texts name files, and nothing else."""
        if not text.startswith('"'):
            return Reported()  # as quotation marks of another language
        known = isinstance(self.scope.find(e.value), ConstantSymbol)
        named = {"value" if known else "unknown": e.value} if e.value.isidentifier() else {}
        return CheckError("text-as-value", e.span, where=self.where, **named)

    def _name(self, e: tree.Name) -> Value:
        name = e.name
        if name in self.elements or name in self.variables:
            kind, nodes = self.elements.get(name) or self.variables[name]
            return Value(kind, tuple(with_span(node, e.span) for node in nodes), e.span)
        if self.lets is not None and name in self.lets:
            return self.lets.use(name, self, e.span)
        if name in ("true", "false"):
            return Value(BOOL, (constant(name == "true", "bool", e.span),), e.span)
        if name in ("now", "end"):
            self.permit(name, e.span)  # type: ignore[arg-type]
            clock = self.checker.units.time_type
            node = Node(name, "real", (), None, e.span, NOW if name == "now" else END, power=clock.dimension.time)
            return Value(clock, (node,), e.span)
        if name in ("token", "all", "nothing", "_") and not isinstance(self.scope.find(name), ConstantSymbol):
            instead = "the number in front, `3 * token`" if self.where == "an initial marking" else None
            raise CheckError("word-as-value", e.span, word=name, where=self.where, instead=instead)
        symbol = self.loops.get(name) or self.scope.find(name)
        if isinstance(symbol, ConstantSymbol):
            return self.constant_value(symbol, e.span)
        if isinstance(symbol, ScheduleSymbol):
            return self._scheduled(e, symbol)
        if isinstance(symbol, DistSymbol):
            return self._named_distribution(symbol, e.span)
        if symbol is None and name == "e" and not self._elsewhere(name):
            return Value(REAL, (constant(EULER, "real", e.span),), e.span)
        self.unknown_name(e, symbol)
        raise Reported

    def _elsewhere(self, name: str) -> bool:
        """Return whether the name stands for something that cannot be used here."""
        bound = self.sets is not None and self.sets.binds(name)
        return bound or name in self.barred or name in self.awaited or self.checker.excused(name)

    def _scheduled(self, e: tree.Name, symbol: ScheduleSymbol) -> Value:
        """Return the value that a schedule has now."""
        if self.counted is None and "tokens" not in self.allowed:
            raise CheckError("schedule-not-allowed", e.span, Label(symbol.span, "scheduled-here"), where=self.where)
        value = self._dispatch(value_of(e, len(symbol.declaration.stages)), None)
        return Value(value.type, value.nodes, e.span)

    def constant_value(self, symbol: ConstantSymbol, span: Span) -> Value:
        self.checker.resolve(symbol)
        symbol.used = True
        if symbol.nodes:
            return Value(symbol.type, symbol.nodes, span)
        word = symbol.name if symbol.role == "enumeration value" else ""
        return Value(symbol.type, (with_span(needed(symbol.node), span),), span, word=word)

    def _named_distribution(self, symbol: DistSymbol, span: Span) -> Value:
        self.permit("draw", span)
        self.checker.resolve(symbol)
        symbol.used = True
        return Value(symbol.type, (needed(symbol.node),), span)

    def unknown_name(self, e: tree.Name, symbol: object) -> None:
        """Report that a name is not a value here: what it is instead, or which name was probably meant."""
        if symbol is not None:
            if isinstance(symbol, PlaceSymbol):
                symbol.mentioned = True
                self.problems.error("place-as-value", e.span, name=e.name, where=self.where)
            else:
                self.problems.error("not-a-value", e.span, name=e.name, kind=kind_of(symbol))  # type: ignore[arg-type]
            return
        if self.checker.excused(e.name):
            return
        if e.name in self.barred:
            self.tell_barred(e.name, e.span)
            return
        if e.name in self.awaited:
            self.tell_awaited(e.name, e.span)
            return
        if self.sets is not None and self.sets.binds(e.name):
            self.problems.error("value-of-set", e.span, name=e.name)
            return
        constants = [name for name, found in self.scope.visible() if isinstance(found, ConstantSymbol)]
        if self.where == "an initial marking":
            constants += ["token", "all"]
        self.problems.error(
            "unknown-name",
            e.span,
            name=e.name,
            suggestion=self.problems.meant(e.name, chain(self.variables, self.loops, constants)),
            binding=e.name if self.binds else None,
            field=next((f"{name}.{e.name}" for name, (kind, _) in self.variables.items() if _has(kind, e.name)), None),
            unit=f"1 {e.name}" if self.checker.units.is_unit(e.name, self.scope) else None,
        )

    def tell_barred(self, name: str, span: Span) -> None:
        if not self.where.startswith("a "):
            self.problems.error("condition-of-token", span, name=name)
            return
        clause = self.where.removeprefix("a ")
        key = "exp(1 / w)" if clause == "weight" else None
        self.problems.error("variable-not-allowed", span, name=name, where=self.where, clause=clause, key=key)

    def tell_awaited(self, draw: str, span: Span, name: str | None = None) -> None:
        """`name` is the `let` that uses the draw."""
        label = Label(self.awaited[draw], "drawn-here")
        remedy = {_WHEN_DRAWN.get(self.where, "early"): draw}
        self.problems.error("drawn-later", span, label, name=name, draw=draw, where=self.where, **remedy)

    def _number(self, e: tree.Number) -> Value:
        if e.unit is not None:
            return quantity_of(self.checker, self.scope, e, {*self.variables, *self.loops})
        if e.value.denominator == 1 and not any(mark in e.text for mark in ".%eE"):
            number = e.value.numerator
            if abs(number) >= 2**63:
                raise CheckError("constant-overflow", e.span, reason="integers have 64 bits")
            return Value(INT, (constant(number, "int", e.span),), e.span, zero=number == 0)
        return Value(REAL, (constant(Fraction(e.value), "real", e.span),), e.span, zero=e.value == 0)

    def _field(self, e: tree.Field) -> Value:
        base = self._dispatch(e.base, None)
        if not has_fields(base.type):
            text = self.problems.text(e.base.span)
            raise CheckError("no-fields", e.span, text=text, kind=plainly(base.type), field=e.name)
        if e.name not in base.type.fields:
            self.unknown_field(e.name, e.span, base.type)
            raise Reported
        nodes = base.nodes[base.type.part(e.name)]
        return Value(base.type.fields[e.name], tuple(with_span(node, e.span) for node in nodes), e.span)

    def unknown_field(self, name: str, span: Span, kind: Record) -> None:
        names = [field for field in kind.fields if not (isinstance(kind, Request) and field == CALLER)]
        self.problems.error(
            "unknown-field",
            span,
            field=name,
            kind=kind.name or "the record",
            suggestion=self.problems.meant(name, names),
            fields=names,
        )

    def _unary(self, e: tree.Unary) -> Value:
        operand = self._dispatch(e.operand, None)
        if e.operator == "not":
            nodes = needed(self.fit(operand, BOOL))
            return Value(BOOL, (operation("not", "bool", nodes, e.span),), e.span)
        self.require_number(operand, "-")
        kind = self.bare(operand.type)
        if operand.node.op == "const":
            value = operand.node.value
            negated = constant(-value, operand.node.kind, e.span, operand.node.power)  # type: ignore[operator]
            return Value(kind, (negated,), e.span, operand.zero)
        return Value(kind, (operation("neg", operand.node.kind, operand.nodes, e.span),), e.span)

    def _binary(self, e: tree.Binary) -> Value:
        if e.operator == "/" and isinstance(e.right, tree.Name) and self._denotes_nothing(e.right.name):
            self.checker.refuse_unit_per_time(self, e)
        left = self.read(e.left)
        right = self.read(e.right, left.type if e.operator in COMPARISONS else None)
        known(left, right)
        if e.operator in ("and", "or"):
            sides = [self.fit(side, BOOL) for side in (left, right)]
            nodes = [node for side in sides for node in needed(side)]
            return Value(BOOL, (operation(e.operator, "bool", nodes, e.span),), e.span)
        try:
            if e.operator in COMPARISONS:
                return self.compare(COMPARISONS[e.operator], left, right, e.span)
            for side in (left, right):
                self.require_number(side, e.operator)
            if e.operator in ("div", "mod"):
                return self._whole_division(e, left, right)
            return self.arithmetic(ARITHMETIC[e.operator], left, right, e.span)
        except CheckError as fault:
            if fault.identifier == "dimension-mismatch" and not fault.values.get("suggestion"):
                fault.values.update(self._remedies(e.right, left.type) or self._remedies(e.left, right.type))
            raise

    def _denotes_nothing(self, name: str) -> bool:
        known = name in self.variables or name in self.elements or name in self.loops or name in self.awaited
        return not (known or (self.lets is not None and name in self.lets) or self.scope.find(name) is not None)

    def _whole_division(self, e: tree.Binary, left: Value, right: Value) -> Value:
        for side in (left, right):
            if side.node.kind != "int":
                text = self.problems.text(side.span)
                kind = plainly(side.type)
                raise CheckError("whole-division", side.span, text=text, kind=kind, operator=e.operator)
        return Value(INT, (operation(ARITHMETIC[e.operator], "int", (left.node, right.node), e.span),), e.span)

    def require_number(self, value: Value, operator: str) -> None:
        """Raise CheckError if the value is not a number."""
        if not isinstance(value.type, Scalar) or value.type.kind not in ("int", "real"):
            text = self.problems.text(value.span)
            raise CheckError("not-a-number", value.span, text=text, kind=plainly(value.type), operator=operator)

    @staticmethod
    def bare(kind: Type) -> Scalar:
        """Return the type without its name and range, as arithmetic gives it."""
        assert isinstance(kind, Scalar)
        return INT if kind.kind == "int" else quantity(kind.dimension)

    def arithmetic(self, op: str, left: Value, right: Value, span: Span) -> Value:
        """Sum, difference, product or quotient of two numbers."""
        assert isinstance(left.type, Scalar)
        assert isinstance(right.type, Scalar)
        if op in ("mul", "div"):
            if op == "mul" and left.type.kind == right.type.kind == "int":
                return Value(INT, (operation(op, "int", (left.node, right.node), span),), span)
            a, b = left.type.dimension, right.type.dimension
            kind = quantity(a * b if op == "mul" else a / b)
            sides = [side.node if side.node.kind == "real" else to_real(side.node) for side in (left, right)]
            return Value(kind, (operation(op, "real", sides, span),), span)
        kind, sides = self.common(left, right, span)
        return Value(kind, (operation(op, sides[0].kind, sides, span),), span, left.zero and right.zero)

    def common(self, left: Value, right: Value, span: Span) -> tuple[Scalar, list[Node]]:
        """Return two numbers converted to one type. Raises CheckError if their dimensions differ."""
        assert isinstance(left.type, Scalar)
        assert isinstance(right.type, Scalar)
        if left.type.kind == right.type.kind == "int":
            return INT, [left.node, right.node]
        if left.type.dimension != right.type.dimension and not left.zero and not right.zero:
            raise self.unequal(left, right, span)
        dimension = right.type.dimension if left.zero else left.type.dimension
        nodes = [side.node if side.node.kind == "real" else to_real(side.node) for side in (left, right)]
        return quantity(dimension), nodes

    def common_ends(self, e: tree.Range, operator: str) -> tuple[Scalar, list[Node]]:
        """Return the two ends of a range of numbers, converted to one type."""
        low, high = self.values(e.low, e.high)
        for end in (low, high):
            self.require_number(end, operator)
        return self.common(low, high, e.span)

    def unequal(self, left: Value, right: Value, span: Span) -> CheckError:
        return CheckError(
            "dimension-mismatch",
            span,
            Label(left.span, "left-side"),
            Label(right.span, "right-side"),
            left=self.problems.text(left.span),
            right=self.problems.text(right.span),
            left_type=plainly(left.type),
            right_type=plainly(right.type),
            suggestion=self._with_unit(left, right) or self._with_unit(right, left),
        )

    def _with_unit(self, quantity: Value, number: Value) -> str | None:
        """Return a plain number with the unit that the quantity beside it needs."""
        kinds = (quantity.type, number.type)
        if not all(isinstance(kind, Scalar) for kind in kinds):
            return None
        needed, given = (kind.dimension for kind in kinds if isinstance(kind, Scalar))
        unit = self.checker.units.time_unit if needed == TIME else EXAMPLE_UNITS.get(needed)
        text = self.problems.text(number.span)
        return f"{text} {unit}" if unit and given == PLAIN and re.fullmatch(r"[\d._e]+", text) else None

    def compare(self, op: str, left: Value, right: Value, span: Span) -> Value:
        kind, lefts, rights = self.unify(left, right, span)
        ordered = isinstance(kind, Scalar) and kind.kind in ("int", "real")
        if op not in ("eq", "ne") and not ordered:
            raise CheckError("not-ordered", span, kind=plainly(kind))
        sides = list(zip(lefts, rights, strict=True))
        first, *others = [operation("eq" if len(sides) > 1 else op, "bool", pair, span) for pair in sides]
        for other in others:
            first = operation("and", "bool", (first, other), span)
        if others and op == "ne":
            first = operation("not", "bool", (first,), span)
        return Value(BOOL, (first,), span)

    def unify(self, left: Value, right: Value, span: Span) -> tuple[Type, Sequence[Node], Sequence[Node]]:
        """Return two values converted to one type. Raises CheckError if their types differ."""
        known(left, right)
        if all(isinstance(side.type, Scalar) and side.type.kind in ("int", "real") for side in (left, right)):
            kind, nodes = self.common(left, right, span)
            return kind, nodes[:1], nodes[1:]
        if not same(left.type, right.type):
            if (number := _as_value_of(right, left.type)) is not None:
                return left.type, left.nodes, (number,)
            if (number := _as_value_of(left, right.type)) is not None:
                return right.type, (number,), right.nodes
            raise self.unequal(left, right, span)
        return left.type, left.nodes, right.nodes

    def _if(self, e: tree.If, expected: Type | None) -> Value:
        condition = self.read_as(e.condition, BOOL)
        if e.otherwise is None:
            raise CheckError("misplaced-expression", e.span, what="`if` without `else`", where=self.where)
        then, otherwise = self.read(e.then, expected), self.read(e.otherwise, expected)
        kind, lefts, rights = self.unify(then, otherwise, e.span)
        (asked,) = needed(condition)
        nodes = [operation("if", a.kind, (asked, a, b), e.span) for a, b in zip(lefts, rights, strict=True)]
        return Value(kind, tuple(nodes), e.span)

    def _record(self, e: tree.Record, expected: Type | None) -> Value:
        if expected is None or isinstance(expected, Unknown):
            raise CheckError("record-type-unknown", e.span) if expected is None else Reported
        if not has_fields(expected):
            raise CheckError("record-not-wanted", e.span, wanted=plainly(expected))
        given = self.fields(e, expected)
        missing = [name for name in expected.fields if name not in given]
        if CALLER in missing and isinstance(expected, Request):
            self.problems.error("request-without-caller", e.span)
        elif missing:
            self.problems.error("fields-missing", e.span, kind=expected.name or "the record", names=missing)
        nodes = [node for name in expected.fields for node in given.get(name) or ()]
        if len(nodes) != len(expected.slots):
            raise Reported
        return Value(expected, tuple(nodes), e.span)

    def fields(self, e: tree.Record, kind: Record) -> dict[str, tuple[Node, ...] | None]:
        """Return the fields of a record literal, each converted to its type (None where that failed)."""
        given: dict[str, tuple[Node, ...] | None] = {}
        for name, value, span in e.fields:
            if name in given:
                self.problems.error("field-twice", span, name=name)
            elif name not in kind.fields:
                self.unknown_field(name, span, kind)
            elif isinstance(value, tree.Element):
                self.problems.error("element-alone", value.span, name=name)
                given[name] = None
            else:
                given[name] = self.read_as(value if value is not None else tree.Name(name, span), kind.fields[name])
        return given

    def _listed(self, e: tree.List | tree.ListFor, expected: Type | None) -> Value:
        """Return a vector where one is expected, else a list."""
        if isinstance(e, tree.ListFor):
            return self.checker.list_for(self, e, expected)
        return self._vector(e, expected) if isinstance(expected, Vector) else self._list(e)

    def _vector(self, e: tree.List, kind: Vector) -> Value:
        """`[shared, invalid]` where a vector is expected."""
        if len(e.items) != kind.length:
            raise CheckError("vector-length", e.span, kind=describe(kind), wanted=kind.length, given=len(e.items))
        parts = [self.read_as(item, kind.element) for item in e.items]
        return Value(kind, tuple([node for part in parts for node in needed(part)]), e.span)

    def _list(self, e: tree.List) -> Value:
        values = [self.read(item) for item in e.items]
        kind: Type = values[0].type
        for value in values:
            known(value)
            if not isinstance(value.type, Scalar):
                raise CheckError("list-of-scalars", value.span, kind=plainly(value.type))
        zero = all(value.zero for value in values)
        for value in values[1:]:
            first = values[0]
            kind, _, _ = self.unify(Value(kind, first.nodes, first.span, first.zero, first.word), value, e.span)
        nodes = [node for value in values for node in needed(self.fit(value, kind))]
        assert isinstance(kind, Scalar)
        return Value(ListOf(kind, len(nodes)), tuple(nodes), e.span, zero)

    def _item(self, e: tree.Index) -> Value:
        """`quota[c]`: the element of a list, by its number from 0 or by the value of an enumeration; `l.s[p]`."""
        base = self._dispatch(e.base, None)
        assert e.index is not None
        if isinstance(base.type, Vector):
            index = self._index(e.index, base.type)
            nodes = element(base.type, base.nodes, index.node, index.type, e.span)
            return Value(base.type.element, nodes, e.span)
        if not isinstance(base.type, ListOf):
            text = self.problems.text(e.base.span)
            raise CheckError("index-of-no-list", e.span, text=text, kind=plainly(base.type))
        index = self.read(e.index)
        enumerated = isinstance(index.type, Scalar) and index.type.kind == "enum"
        (number,) = index.nodes if enumerated else needed(self.fit(index, INT))
        return Value(base.type.element, (chosen(base.nodes, number, index.type, e.span),), e.span)

    def _index(self, e: tree.Expr, kind: Vector) -> Value:
        """Return the number of an element of a vector, with the type that it was written with."""
        index = self.read(e)
        return Value(index.type, needed(self.fit(index, kind.index)), e.span)

    def _with(self, e: tree.With) -> Value:
        base = self._dispatch(e.base, None)
        if not has_fields(base.type):
            text = self.problems.text(e.base.span)
            raise CheckError("with-on-scalar", e.span, text=text, kind=plainly(base.type))
        kind, nodes = base.type, list(base.nodes)
        elements = [one for one in e.changes.fields if isinstance(one[1], tree.Element)]
        whole = tuple([one for one in e.changes.fields if not isinstance(one[1], tree.Element)])
        given = self.fields(replace(e.changes, fields=whole), kind)
        for name, value in given.items():
            nodes[kind.part(name)] = needed(value)
        for name, change, span in elements:
            if name in given:
                self.problems.error("field-twice", span, name=name)
            elif name not in kind.fields:
                self.unknown_field(name, span, kind)
            else:
                part = kind.part(name)
                nodes[part] = self._with_element(change, kind.fields[name], tuple(nodes[part]))
        return Value(kind, tuple(nodes), e.span)

    def _with_element(self, e: tree.Expr | None, kind: Type, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return the values of a part of a record; of `s[p]: shared`, those of the vector with another element."""
        assert e is not None
        if not isinstance(e, tree.Element):
            return needed(self.read_as(e, kind))
        if not isinstance(kind, Vector) or e.index is None:
            raise CheckError("element-of-no-vector", e.span, kind=plainly(kind))
        index = self._index(e.index, kind)
        old = element(kind, nodes, index.node, index.type, e.span)
        value = self._with_element(e.value, kind.element, old)
        return changed(kind, nodes, index.node, index.type, value, e.span)

    # ------------------------------------------------------------ what may occur

    def permit(self, what: Permission, span: Span, **meant: str | None) -> None:
        """Raise CheckError where such a thing may not stand; `meant`: values for its hints."""
        if what not in self.allowed:
            guard = self.where == "a guard"
            elsewhere = {"earlier": "draw", "weight": "weight"} if guard else {"here": "draw"}
            raise CheckError(_NOT_PERMITTED[what], span, word=what, where=self.where, **elsewhere, **meant)


def _as_value_of(value: Value, wanted: Type) -> Node | None:
    """Return the number of a value in another enumeration that has a value of its name; None of anything else."""
    labels = wanted.labels if isinstance(wanted, Scalar) and wanted.kind == "enum" else ()
    return constant(labels.index(value.word), "int", value.span) if value.word in labels else None


def known(*values: Value) -> list[Value]:
    """Return the values; raises Reported if one is unknown."""
    if any(isinstance(value.type, Unknown) for value in values):
        raise Reported
    return list(values)


def other_count(e: tree.Call, wanted: int, usage: str) -> CheckError:
    """Return the error that a function is called with another number of arguments than it has."""
    assert isinstance(e.function, tree.Name)
    name, given = e.function.name, len(e.arguments)
    if any(isinstance(argument, tree.Each) for argument in e.arguments):
        return CheckError("in-of-other", e.span, name=name)
    return CheckError("argument-count", e.span, name=name, wanted=wanted, given=given, usage=usage)


def other_fields(e: tree.Call, symbol: TypeSymbol, kind: Record) -> CheckError:
    """Return the error that `Packet(a, b)` has not as many values as the record has fields."""
    wanted, given = len(kind.fields), len(e.arguments)
    return CheckError("field-count", e.span, kind=symbol.name, wanted=wanted, given=given, fields=list(kind.fields))


def _has(kind: Type, field: str) -> bool:
    return isinstance(kind, Record) and field in kind.fields


def _least(kind: Scalar, span: Span) -> Node:
    """Return the least value of a type, or 0."""
    return kind.low if kind.low is not None else constant(0, numeric_kind(kind), span, kind.dimension.time)


def numeric_kind(kind: Type) -> Kind:
    """Return the kind of the nodes of a scalar type."""
    assert isinstance(kind, Scalar)
    if kind.kind == "real":
        return "real"
    return "bool" if kind.kind == "bool" else "int"


def variable(number: int, kind: Scalar, span: Span | None, flags: int = 0) -> Node:
    """Return a variable of a transition, or a slot of a token, as it is stored."""
    return Node("var", kind.slot_kind, (), number, span, VARIABLE | flags, power=kind.dimension.time)


def stored(number: int, kind: Scalar, span: Span | None, flags: int = 0) -> Node:
    """Return the value of such a variable: a bool, which is kept as 0 or 1, as a bool."""
    node = variable(number, kind, span, flags)
    return truth(node) if kind.kind == "bool" else node


def slots_of(kind: Type, span: Span | None, start: int = 0) -> tuple[Node, ...]:
    """Return the values of the slots of a token, or of a part of it, the first of which has the number `start`."""
    return tuple([stored(start + offset, scalar, span) for offset, (_, scalar) in enumerate(layout(kind))])


def local(number: int, kind: Type, span: Span | None) -> Node:
    assert isinstance(kind, Scalar)
    return Node("local", numeric_kind(kind), (), number, span, LOCAL, power=kind.dimension.time)


def _unit_first(text: str, dimension: Dimension) -> str | None:
    """`20/3 ns` divides by 3 ns. Where a time is expected, 20 ns are to be divided by 3."""
    found = re.fullmatch(r"([\d._]+) ?/ ?([\d._]+) ?([A-Za-z]+)", text)
    if found is None or found[3] not in UNITS or UNITS[found[3]].dimension != dimension:
        return None
    return f"{found[1]} {found[3]} / {found[2]}"
