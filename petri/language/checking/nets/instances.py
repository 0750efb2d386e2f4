"""Instances of modules: arguments matched to parameters and ports."""

from __future__ import annotations

from petri.diagnostics import Label
from petri.language.checking.expressions.places import place_use
from petri.language.checking.expressions.ranges import read_condition, read_loops, read_range, read_whole_range
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node
from petri.language.meaning.scope import ConstantSymbol, ModuleSymbol, PlaceSymbol, kind_of
from petri.language.meaning.templates import Body, InstanceTemplate, ParameterTemplate, PortUse
from petri.language.meaning.types import INT, Scalar, describe, same
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.structs import replace


def check_instance(checker: CheckState, body: Body, d: tree.Instance) -> InstanceTemplate:
    """Return the template of an instance. Raises CheckError if it has none."""
    loops, templates = read_loops(checker, body.scope, d.loops)
    reader = Reader(checker, body.scope, "an argument", loops=loops)
    module = body.scope.find(d.module)
    if not isinstance(module, ModuleSymbol):
        raise _no_module(checker, reader, d, module)
    module.used = True
    given = _assign(checker, d, checker.module_body(module))
    inner = checker.module_body(module)
    parameters = tuple(_parameter(checker, reader, d, inner, declared, given) for declared in inner.parameters)
    ports = []
    for port in inner.ports:
        argument = given.get(port.name)
        if argument is None:
            label = Label(port.span, "port-declared-here")
            checker.problems.error("port-unconnected", d.module_span, label, name=port.name, module=d.module)
        elif (use := checker.problems.attempt(_port, checker, reader, port, argument)) is not None:
            ports.append((port, use))
    condition = read_condition(reader, d.condition)
    return InstanceTemplate(d.name, templates, condition, inner, parameters, tuple(ports), d.span)


def _no_module(checker: CheckState, reader: Reader, d: tree.Instance, found: object) -> CheckError:
    if found is not None:
        kind = kind_of(found)  # type: ignore[arg-type]
        return CheckError("not-a-module", d.module_span, name=d.module, kind=kind)
    return checker.unknown("unknown-module", d.module_span, d.module, reader.scope.named(ModuleSymbol))


def _assign(checker: CheckState, d: tree.Instance, inner: Body) -> dict[str, tree.Argument]:
    """Arguments by the name of their parameter or port. Positional ones fill the parameters, then the ports."""
    names = [parameter.name for parameter in inner.parameters] + [port.name for port in inner.ports]
    given: dict[str, tree.Argument] = {}
    named = False
    for position, argument in enumerate(d.arguments):
        name = argument.name
        if name is None:
            if named:
                checker.problems.error("positional-after-named", argument.span)
                continue
            if position >= len(names):
                checker.problems.error(
                    "too-many-arguments", argument.span, module=d.module, given=len(d.arguments), wanted=len(names)
                )
                break
            name = names[position]
        else:
            named = True
        if name not in names:
            checker.problems.error(
                "unknown-argument",
                argument.span,
                name=name,
                module=d.module,
                suggestion=checker.problems.meant(name, names),
                known=names,
            )
        elif name in given:
            label = Label(given[name].span, "first-given")
            checker.problems.error("argument-twice", argument.span, label, name=name)
        else:
            given[name] = argument
    return given


def _parameter(
    checker: CheckState,
    reader: Reader,
    d: tree.Instance,
    inner: Body,
    declared: tree.Param,
    given: dict[str, tree.Argument],
) -> ParameterTemplate:
    symbol = inner.scope.names.get(declared.name)
    assert isinstance(symbol, ConstantSymbol)
    assert symbol.local is not None
    argument = given.get(declared.name)
    node = None
    if argument is not None:
        if isinstance(symbol.type, Scalar):
            node = reader.read_fixed(argument.value, symbol.type)
    elif declared.default is None:
        label = Label(declared.name_span, "parameter-declared-here")
        checker.problems.error("argument-missing", d.module_span, label, name=declared.name, module=d.module)
    return ParameterTemplate(symbol, node, argument.span if argument else d.module_span)


def module_defaults(checker: CheckState, body: Body) -> None:
    """Check each parameter's default and bounds, once for all instances."""
    for declared in body.parameters:
        symbol = body.scope.names.get(declared.name)
        if not isinstance(symbol, ConstantSymbol) or not isinstance(symbol.type, Scalar):
            continue
        reader = Reader(checker, body.scope, "a default")
        if declared.default is not None:
            body.defaults[declared.name] = reader.read_fixed(declared.default, symbol.type)
        if declared.bounds is not None:
            bounds = checker.problems.attempt(read_range, reader, declared.bounds)
            if bounds is not None and (bounds[0] is INT or same(bounds[0], symbol.type) or symbol.type.kind == "int"):
                body.bounds[declared.name] = (bounds[1], bounds[2])
            elif bounds is not None:
                found, wanted = describe(bounds[0]), describe(symbol.type)
                text = checker.problems.text(declared.bounds.span)
                checker.problems.error("type-mismatch", declared.bounds.span, text=text, found=found, wanted=wanted)
        elif symbol.type.low is not None and symbol.type.high is not None:
            body.bounds[declared.name] = (symbol.type.low, symbol.type.high)


# ---------------------------------------------------------------- ports


def _port(checker: CheckState, reader: Reader, port: PlaceSymbol, argument: tree.Argument) -> PortUse:
    """Return the connection of a port: a place, an element, an array or a part of one, `voq[2][0..1]`."""
    e = argument.value
    if isinstance(e, tree.List):
        return _listed_port(checker, reader, port, argument, e)
    part: tuple[Node, Node] | None = None
    if isinstance(e, tree.Index) and isinstance(e.index, tree.Range):
        part = read_whole_range(reader, e.index)
        e = e.base
    use = place_use(reader, e)
    outer = use.symbol
    outer.mentioned = True
    if not use.fixed:
        raise CheckError("index-not-constant", argument.value.span, where="an argument")
    free = len(outer.indices) - len(use.indices)
    if len(port.indices) != free or (part is not None and not free):
        what, got = (_SHAPES[min(number, 2)].format(number) for number in (len(port.indices), free))
        raise CheckError("port-shape", argument.span, name=port.name, wanted=what, found=got)
    if not same(port.type, outer.type):
        label = Label(port.span, "port-declared-here")
        found, wanted = describe(outer.type), describe(port.type)
        raise CheckError(
            "port-type", argument.span, label, name=port.name, place=outer.name, found=found, wanted=wanted
        )
    if outer.direction in ("in", "out") and port.direction != outer.direction:
        checker.problems.error(
            "port-passed-on", argument.span, name=outer.name, direction=outer.direction, inner=port.name
        )
    outer.taken = outer.taken or port.direction != "out"
    outer.given = outer.given or port.direction != "in"
    return PortUse(outer, use.indices, part, argument.span)


def _listed_port(
    checker: CheckState, reader: Reader, port: PlaceSymbol, argument: tree.Argument, e: tree.List
) -> PortUse:
    """Return the connection of a port that is an array: a place for each of its elements, `[a, b[2], c]`."""
    if len(port.indices) != 1:
        wanted = _SHAPES[min(len(port.indices), 2)].format(len(port.indices))
        raise CheckError("port-shape", argument.span, name=port.name, wanted=wanted, found="a list of places")
    one = replace(port, name=f"{port.name}[*]", indices=())
    uses = tuple([_port(checker, reader, one, replace(argument, value=item, span=item.span)) for item in e.items])
    return replace(uses[0], span=argument.span, listed=uses)


_SHAPES = ("one place", "an array of places", "an array of places with {} indices")
