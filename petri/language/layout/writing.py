"""The syntax tree as text: expressions and types on one line each, declarations as pieces for the formatter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from petri.catalogue.words import CLAUSES, clauses_of
from petri.language.layout.setting import BREAK, CLOSE, OPEN, STOP, flat, group, group_each
from petri.language.syntax import tree
from petri.net import Span

_LEVELS = {"or": 1, "and": 2, "+": 6, "-": 6, "*": 7, "/": 7, "div": 7, "mod": 7}
_COMPARISON, _RANGE, _SUM, _SIGN, _POSTFIX = 4, 5, 6, 8, 9


@dataclass(slots=True)
class Piece:
    """A part of a declaration that stays together.

    On one line, `gap` precedes it. In a declaration of several lines it starts a line, indented by `indent`, unless it
    `fills` the line before. `span` is its position in the source, which locates its comments. Text and gap may contain
    the marks of `setting`; a group may start in one piece and end in another.
    """

    text: str
    span: Span
    gap: str = " "
    indent: int = 2
    fills: bool = False
    joins: bool = False  # starts a line only if the previous line has no room for everything that follows with it
    bracketed: bool = False  # its line is inside the brackets of the declaration
    comments: list[str] = field(default_factory=list)  # on separate lines before it
    behind: str = ""  # the comment at the end of its line


def expression(node: tree.Expr) -> str:
    """Return an expression in canonical spelling, on one line."""
    return flat(_write(node, 0))


def type_text(node: tree.TypeExpr) -> str:
    """Return a type in canonical spelling, on one line."""
    return flat(_type(node))


def _write(node: tree.Expr | tree.Preference, level: int) -> str:
    """Return the text of a node in a position that needs at least `level`: in parentheses if it binds less tightly."""
    text, own = _text_and_level(node)
    return text if own >= level else f"({text})"


def _text_and_level(node: tree.Expr | tree.Preference) -> tuple[str, int]:
    match node:
        case tree.Binary():
            return _binary(node)
        case tree.Unary(operator="not"):
            return f"not {_write(node.operand, 3)}", 3
        case tree.Unary():
            return f"-{_write(node.operand, _SIGN)}", _SIGN
        case tree.Range():
            return _range(node), _RANGE
        case tree.If():
            return _conditional(node), 0
        case tree.Record():
            return _record(node), 0
        case tree.Weighted():
            return f"{_write(node.value, 0)}: {_write(node.weight, 0)}", 0
        case tree.Each():
            return f"{_over(node.over)}: {_write(node.value, 0)}", 0
        case tree.Passage():
            return f"{_write(node.start, _POSTFIX)} -> {_write(node.end, _POSTFIX)}", 0
        case tree.By():
            return f"by {_keys(node.keys)}{'' if node.end_keys is None else ' -> ' + _keys(node.end_keys)}", 0
        case tree.Keys():
            return f"({', '.join(_write(part, 0) for part in node.parts)})", _POSTFIX
        case tree.Preference():
            return f"{node.word} {_write(node.key, 0)}", 0
        case tree.Ordered():
            return f"order {_write(node.value, 0)}", 0
        case tree.ForEach() | tree.Delayed():
            return _given(node)
        case tree.At() | tree.Asked() | tree.Splitting():
            return _measured(node), 0
        case _:
            return _postfix(node), _POSTFIX


def _given(node: tree.ForEach | tree.Delayed) -> tuple[str, int]:
    """Return what only outputs have."""
    if isinstance(node, tree.ForEach):
        return f"each {_write(node.output, _POSTFIX)}", _SUM
    return f"{_write(node.output, _SUM)} in {_write(node.delay, 0)}", 0


def _measured(node: tree.At | tree.Asked | tree.Splitting) -> str:
    """Return what only measures have."""
    match node:
        case tree.At():
            when = "" if node.condition is None else f" when {_write(node.condition, 0)}"
            return f"{_write(node.value, 0)} at {_write(node.event, _POSTFIX)}{when}"
        case tree.Asked():
            parts = (("", node.hit), (" before ", node.stop), (" within ", node.within), (" of ", node.begin))
            return "".join(word + _write(part, 0) for word, part in parts if part is not None)
        case tree.Splitting():
            return f"{_write(node.value, 0)} splitting on {_write(node.importance, 0)}"


def _postfix(node: tree.Expr) -> str:
    match node:
        case tree.Number():
            return node.text if node.unit is None else f"{node.text} {node.unit}"
        case tree.Text():
            return f'"{node.value}"'
        case tree.Name():
            return node.name
        case tree.Field():
            return f"{_write(node.base, _POSTFIX)}.{node.name}"
        case tree.Index():
            return f"{_write(node.base, _POSTFIX)}[{'*' if node.index is None else _write(node.index, 0)}]"
        case tree.Call():
            return f"{_write(node.function, _POSTFIX)}({_listed(_write(part, 0) for part in node.arguments)})"
        case tree.List():
            return f"[{_listed(_write(item, 0) for item in node.items)}]"
        case tree.ListFor():
            return f"[{_write(node.value, 0)} for {_over(node.over)}]"
        case tree.With():
            return f"{_write(node.base, _POSTFIX)} with {_record(node.changes)}"
        case tree.Paren():
            return f"({_write(node.inner, 0)})"
        case _:
            raise TypeError(f"no expression: {node!r}")


def _binary(node: tree.Binary) -> tuple[str, int]:
    level = _LEVELS.get(node.operator, _COMPARISON)
    left, right = (_RANGE, _RANGE) if level == _COMPARISON else (level, level + 1)
    if node.operator == "*" and isinstance(node.right, tree.Record):
        return f"{_write(node.left, left)} * {_record(node.right)}", level
    first = _write(node.left, left)
    if isinstance(node.left, tree.Binary) and _LEVELS.get(node.left.operator, _COMPARISON) == level:
        first = first.removeprefix(OPEN).removesuffix(CLOSE)  # a chain such as `a + b - c` is one group
    return group(f"{first}{BREAK}{node.operator} {_write(node.right, right)}"), level


def _range(node: tree.Range | tree.RangeType) -> str:
    """`0..n-1` without spaces if both bounds are that simple, else `n * j..n * j + n - 1`."""
    low, high = _tight(node.low), _tight(node.high)
    if low is None or high is None:
        low, high = _write(node.low, _SUM), _write(node.high, _SUM)
    return f"{low}..{high}"


def _tight(node: tree.Expr) -> str | None:
    """Return a bound without spaces; None if it is an operation on more than names and plain numbers."""
    if not isinstance(node, tree.Binary):
        return _write(node, _SUM)
    sides = (node.left, node.right)
    simple = all(isinstance(side, tree.Name) or (isinstance(side, tree.Number) and not side.unit) for side in sides)
    if node.operator not in ("+", "-", "*") or not simple:
        return None
    return f"{_write(node.left, _POSTFIX)}{node.operator}{_write(node.right, _POSTFIX)}"


def _conditional(node: tree.If) -> str:
    """Break before `else`, and before `then` if a branch is long."""
    branches = []
    rest: tree.Expr | None = node
    word = "if"
    while isinstance(rest, tree.If):
        branches.append(group_each(f"{word} {_write(rest.condition, 0)}{BREAK}then {_write(rest.then, 0)}"))
        rest, word = rest.otherwise, "else if"
    if rest is not None:
        branches.append(f"else {_write(rest, 0)}")
    return group_each(BREAK.join(branches))


def _record(node: tree.Record) -> str:
    return "{" + _listed(_field(name, value) for name, value, _ in node.fields) + "}"


def _field(name: str, value: tree.Expr | None) -> str:
    while isinstance(value, tree.Element):
        assert value.index is not None
        name, value = f"{name}[{_write(value.index, 0)}]", value.value
    return name if value is None else f"{name}: {_write(value, 0)}"


def _over(node: tree.Over) -> str:
    return f"{node.variable} in {_write(node.source, 0)}"


def _listed(parts: Iterable[str]) -> str:
    return group(f",{BREAK}".join(parts))


def _keys(keys: tuple[tree.Expr, ...]) -> str:
    return _write(keys[0], 0) if len(keys) == 1 else f"({', '.join(_write(key, 0) for key in keys)})"


def _type(node: tree.TypeExpr) -> str:
    match node:
        case tree.NamedType():
            return node.name
        case tree.RangeType():
            return _range(node)
        case tree.EnumType():
            return group(f"{BREAK}| ".join(name for name, _ in node.names))
        case tree.RecordType():
            return "{ " + _listed(f"{name}: {_type(part)}" for name, part, _ in node.fields) + " }"
        case tree.VectorType():
            return _vector(node)
        case tree.ServiceType():
            return f"service {_service(node)}"


def _vector(node: tree.VectorType) -> str:
    """`int[2, 3]`: the element after the indices, the outermost first."""
    indices, inner = [], node
    while True:
        indices.append(_write(inner.index, 0))
        if not isinstance(inner.element, tree.VectorType):
            return f"{_type(inner.element)}[{', '.join(indices)}]"
        inner = inner.element


def _service(node: tree.ServiceType) -> str:
    """Return the request, and what the reply adds."""
    request = "" if node.request is None else _type(node.request)
    return request if node.reply is None else f"{request} -> {_type(node.reply)}"


# ---------------------------------------------------------------- declarations


def declaration(nodes: tuple[tree.Declaration, ...], end: Span) -> list[Piece]:
    """Return the pieces of one declaration, in canonical order; `end` is its last token, at the closing bracket.

    A module gives only its header, and ports that were declared together give one declaration.
    """
    node = nodes[0]
    match node:
        case tree.Place():
            return _place(node)
        case tree.Transition():
            return _transition(node)
        case tree.Thread():
            condition = "" if node.condition is None else f" if {_write(node.condition, 0)}"
            return [Piece(f"thread {node.name}{_loops(node.loops)}{condition}", node.span)]
        case tree.Step():
            return _step(node)
        case tree.Port():
            return _ports([port for port in nodes if isinstance(port, tree.Port)])
        case tree.Module():
            parameters = [(_parameter(parameter), parameter.span) for parameter in node.parameters]
            return _bracketed(f"module {node.name}", node.span, "(", parameters, ")", end)
        case tree.Instance():
            arguments = [(_argument(argument), argument.span) for argument in node.arguments]
            head = f"instance {node.name}{_loops(node.loops)}{STOP} = {node.module}"
            return _bracketed(head, node.span, "(", arguments, ")", end) + _condition(node.condition)
        case tree.Type(type=tree.RecordType() as record):
            fields = [(f"{name}: {_type(part)}", span) for name, part, span in record.fields]
            return _bracketed(f"type{STOP} {node.name}{STOP} =", node.span, " { ", fields, " }", end)
        case tree.Dist(value=tree.Call() as call):
            parts = [(_write(part, 0), part.span) for part in call.arguments]
            head = f"dist{STOP} {node.name}{STOP} = {_write(call.function, _POSTFIX)}"
            return _bracketed(head, node.span, "(", parts, ")", end)
        case tree.Measure():
            return _measure(node)
        case tree.Run():
            return _run(node)
        case _:
            return [Piece(_simple(node), node.span)]


def _simple(node: tree.Declaration) -> str:
    match node:
        case tree.Net():
            return f"net {node.name}"
        case tree.Time():
            return f"time {node.unit}" + (f" resolution {_write(node.resolution, 0)}" if node.resolution else "")
        case tree.Import():
            return _import(node)
        case tree.Param():
            return f"param{STOP} {_parameter(node, STOP)}"
        case tree.Const():
            return f"{'unit' if node.unit else 'const'}{STOP} {node.name}{STOP} = {_write(node.value, 0)}"
        case tree.Type():
            return f"type{STOP} {node.name}{STOP} = {_type(node.type)}"
        case tree.Dist():
            return f"dist{STOP} {node.name}{STOP} = {_write(node.value, 0)}"
        case tree.Schedule():
            stages = _listed(f"{_write(stage.value, _SUM)} from {_write(stage.start, _SUM)}" for stage in node.stages)
            every = "" if node.every is None else f"{BREAK}every {_write(node.every, 0)}"
            return group(f"schedule{STOP} {node.name}{STOP} = {stages}{every}")
        case tree.Fn():
            parameters = _listed(f"{name}: {_type(kind)}" for name, kind, _ in node.parameters)
            kind = "" if node.type is None else f": {_type(node.type)}"
            return f"fn {node.name}({parameters}){kind} = {_write(node.value, 0)}"
        case tree.Expect():
            return expect_text(node)
        case _:
            raise TypeError(f"not a simple declaration: {node!r}")


def _import(node: tree.Import) -> str:
    path = node.name if node.path is None else f'"{node.path}"'
    alias = "" if node.alias is None else f" as {node.alias}"
    settings = _listed(f"{setting.name} = {_write(setting.value, 0)}" for setting in node.settings)
    return f"import {path}{alias}{f' with {settings}' if node.settings else ''}"


def expect_text(node: tree.Expect) -> str:
    """`expect delay.p99 < 10 us`."""
    formula = "" if node.formula is None else f"{_write(node.formula, _SUM)}{BREAK}"
    within = "" if node.within is None else f"{BREAK}within {_write(node.within, _SUM)}"
    condition = "" if node.condition is None else f"{BREAK}if {_write(node.condition, 0)}"
    return "expect " + group(f"{formula}{node.comparison} {_write(node.bound, _SUM)}{within}{condition}")


def _condition(e: tree.Expr | None) -> list[Piece]:
    """Return the `if` at the end of a declaration."""
    return [] if e is None else [Piece(f"if {_write(e, 0)}", e.span, "  ")]


def _covering(first: Span, last: Span) -> Span:
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def _parameter(node: tree.Param, stop: str = "") -> str:
    shown = node.name if node.type is None else f"{node.name}: {_type(node.type)}"
    if node.default is not None:
        shown += f"{stop} = {_write(node.default, 0)}"
    return shown if node.bounds is None else f"{shown}{stop} in {_range(node.bounds)}"


def _argument(node: tree.Argument) -> str:
    return _write(node.value, 0) if node.name is None else f"{node.name} = {_write(node.value, 0)}"


def _loops(loops: tuple[tree.Loop, ...]) -> str:
    return f"[{', '.join(_loop(loop) for loop in loops)}]" if loops else ""


def _loop(loop: tree.Loop) -> str:
    return f"{loop.variable} in {_write(loop.range, 0)}"


def _sized(name: str, size: tuple[tree.Range | tree.Name | tree.Loop, ...]) -> str:
    written = (_loop(index) if isinstance(index, tree.Loop) else _write(index, 0) for index in size)
    return f"{name}[{_listed(written)}]" if size else name


def _bracketed(
    head: str, span: Span, opening: str, parts: list[tuple[str, Span]], closing: str, end: Span
) -> list[Piece]:
    """`head(a, b)`: if it contains comments, one part per line and the closing bracket below."""
    if not parts:
        return [Piece(head if head.startswith("module") else head + opening + closing, span)]
    pieces = [Piece(head + opening.rstrip(), span, bracketed=True)]
    first_gap = " " if opening.endswith(" ") else ""
    for number, (text, where) in enumerate(parts):
        text = f"{text}," if number < len(parts) - 1 else f"{text}{CLOSE}"
        text = text if number else f"{OPEN}{text}"
        pieces.append(Piece(text, where, " " if number else first_gap, bracketed=True))
    pieces.append(Piece(closing.lstrip(), end, " " if closing.startswith(" ") else "", 0, bracketed=True))
    return pieces


def _place(node: tree.Place) -> list[Piece]:
    word, written = "place", "" if node.type is None else _type(node.type)
    if node.service and isinstance(node.type, tree.ServiceType):
        word, written = "service", _service(node.type)
    clauses = (f" : {written}" if written else "") + _order(node)
    if node.capacity is not None:
        clauses += f" cap {_write(node.capacity, _SUM)}"
    if node.weight is not None:
        clauses += f" of {_write(node.weight, _SUM)}"
    pieces = [
        Piece(f"{word} {_sized(node.name, node.size)}{STOP if clauses or node.initial else ''}{clauses}", node.span)
    ]
    if node.initial:
        loops = ("".join(f"{BREAK}for {_loop(loop)}" for loop in item.loops) for item in node.initial)
        texts = (group(_write(item.value, 0) + each) for item, each in zip(node.initial, loops, strict=True))
        pieces += _items(zip(texts, (item.span for item in node.initial), strict=True), "= ")
    return pieces + _condition(node.condition)


def _transition(node: tree.Transition) -> list[Piece]:
    condition = "" if node.condition is None else f" if {_write(node.condition, 0)}"
    head = f"transition {node.name}{_loops(node.loops)}{condition}:{STOP}"
    pieces = [Piece(head, node.span), *_arcs(node.inputs)]
    outputs = _items(((_write(output, 0), output.span) for output in node.outputs), "-> ")
    outputs[0].joins = True
    pieces += outputs
    clauses = _naming(node)
    clauses += [Piece(text, span, "  ") for _, text, span in _values(node, "transition")]
    if clauses:
        clauses[0].gap = f"{STOP}  "
    return pieces + clauses


def _values(node: tree.Transition | tree.Step | tree.Run, whole: str) -> Iterator[tuple[str, str, Span]]:
    """Yield the clauses with one value: word, text and position."""
    for clause in clauses_of(whole):
        value = getattr(node, clause.field)
        if isinstance(value, (tree.Memory, tree.Discipline, tree.Decide)):
            if value.word == clause.word:
                key = value.key if isinstance(value, tree.Discipline) else None
                yield clause.word, clause.word + ("" if key is None else f" {_write(key, _SUM)}"), value.span
        elif isinstance(value, tree.Limit):
            yield clause.word, f"{clause.word} {_write(value.time, 0)} else {value.label}", value.span
        elif value is not None and not isinstance(value, tuple):
            yield clause.word, f"{clause.word} {_write(value, 0)}", value.span


def _naming(node: tree.Transition) -> list[Piece]:
    """Return the `let` and `draw` clauses in the order written; neighbours of one kind are one clause."""
    items = [("draw", f"{draw.name} ~ {_write(draw.distribution, 0)}", draw.span) for draw in node.draws]
    items += [("let", f"{let.name} = {_write(let.value, 0)}", let.span) for let in node.lets]
    items.sort(key=lambda item: (item[2].line, item[2].column))
    pieces = []
    for word, group_of in groupby(items, key=lambda item: item[0]):
        texts, spans = zip(*((text, span) for _, text, span in group_of), strict=True)
        pieces.append(Piece(f"{word} {_listed(texts)}", _covering(spans[0], spans[-1]), "  "))
    return pieces


def _items(texts: Iterable[tuple[str, Span]], head: str = "") -> list[Piece]:
    """Return the items of a list in one group, separated by commas; with a head they begin a line."""
    pieces = [Piece(f"{text},", span, indent=4, fills=True) for text, span in texts]
    pieces[0].text = f"{head}{OPEN}{pieces[0].text}"
    pieces[-1].text = pieces[-1].text.removesuffix(",") + CLOSE
    if head:
        pieces[0].indent, pieces[0].fills = 2, False
    return pieces


def _arcs(arcs: tuple[tree.Arc, ...]) -> list[Piece]:
    """Input arcs, in one group."""
    words = (("" if arc.mode == "take" else f"{arc.mode} ") + _between(arc) for arc in arcs)
    conditions = ("" if arc.condition is None else f" when {_write(arc.condition, 0)}" for arc in arcs)
    parts = zip(words, arcs, conditions, strict=True)
    texts = [(f"{word}{_write(arc.term, _COMPARISON)}{condition}", arc.span) for word, arc, condition in parts]
    return _items(texts) if texts else []


def _between(arc: tree.Arc) -> str:
    """Return what stands between the mode of an arc and its term."""
    return "any " if arc.any else "up to " if arc.mode == "all" and isinstance(arc.term, tree.Binary) else ""


def _step(node: tree.Step) -> list[Piece]:
    """Return one step; a block gives only its head."""
    label = f"{node.label}: " if node.label else ""
    pieces = [Piece(f"{label}{node.verb}", node.span)]
    value = "" if node.value is None else _write(node.value, 0)
    if node.verb in ("if", "elif"):
        pieces[0].text += f" {value} then"
    elif node.verb == "for":
        pieces[0].text += " each"
    elif node.verb in ("while", "repeat"):
        pieces[0].text += f" {value}"
    elif node.verb in ("let", "set"):
        pieces[0].text += f" {node.name} = {value}"
    elif node.verb == "call":
        pieces[0].text += f" {_write(node.outputs[0], _POSTFIX)}" + (f" -> {value}" if value else "")
    elif node.verb == "draw":
        draws = (f"{draw.name} ~ {_write(draw.distribution, 0)}" for draw in node.draws)
        pieces[0].text += f" {_listed(draws)}"
    elif node.verb == "wait" and node.time is not None:
        pieces[0].text += f" {_write(node.time, 0)}"
    pieces += _arcs(node.arcs)
    if node.verb in ("give", "release"):
        pieces += _items((_write(output, 0), output.span) for output in node.outputs)
    for word, text, span in _values(node, node.verb):
        near = (
            word == "for" or CLAUSES[word].field == "discipline" or (node.verb in ("choose", "or") and word != "prefer")
        )
        pieces.append(Piece(text, span, " " if near else "  ", indent=4))
    return pieces


def _order(node: tree.Place | tree.Port) -> str:
    order = "" if node.discipline == "bag" else f" {node.discipline}"
    if node.key is not None:
        order = f" by {_write(node.key, _SUM)}"
    return order if node.per is None else f"{order} per {_write(node.per, _SUM)}"


def _ports(ports: list[tree.Port]) -> list[Piece]:
    types = (("" if port.type is None else f": {_type(port.type)}") + _order(port) for port in ports)
    texts = [(f"{_sized(port.name, port.size)}{type_}", port.span) for port, type_ in zip(ports, types, strict=True)]
    return _items(texts, f"port {ports[0].direction}".rstrip() + " ")


def _measure(node: tree.Measure) -> list[Piece]:
    unit = "" if node.unit is None else f" in {node.unit}"
    head = f"measure {node.name}{_loops(node.loops)}{STOP} = {_write(node.formula, 0)}{unit}"
    pieces = [Piece(head, node.span)]
    if node.record:
        items = _listed(_write(item, 0) for item in node.record)
        pieces.append(Piece(f"record {items}", _covering(node.record[0].span, node.record[-1].span), f"{STOP}  "))
    return pieces + _condition(node.condition)


def _run(node: tree.Run) -> list[Piece]:
    pieces = [Piece("run", node.span)]
    if node.dead:
        pieces[0].text = "run until dead"
    for word, text, span in _values(node, "run"):
        if word == "until":
            pieces[0].text = f"run {text}"
            continue
        gap = "  " if len(pieces[0].text) > 3 or len(pieces) > 1 else " "
        pieces.append(Piece(text, span, gap, indent=4, fills=True))
    return pieces
