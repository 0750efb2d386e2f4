"""Names and types of a whole net, its modules included, whether or not they are used.

`Checker.run` collects the declarations of all files, resolves constants and types on demand (in any written order), and
turns the net and each module into a `Body` of templates. One run finds all errors; anything that depends on an error
has the unknown type, which fits everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from petri import net
from petri.catalogue.units import TIME, TIMES, UNITS, Dimension
from petri.language.checking.declarations.gatherer import Gatherer
from petri.language.checking.declarations.imports import OpenSpace, open_spaces, take_settings
from petri.language.checking.declarations.parameters import Overrides
from petri.language.checking.declarations.runs import run_defaults
from petri.language.checking.declarations.schedules import check_schedules, expand_schedules
from petri.language.checking.expressions import functions
from petri.language.checking.expressions.each import list_for, read_vector
from petri.language.checking.expressions.ranges import read_range
from petri.language.checking.expressions.reader import Reader, local
from petri.language.checking.expressions.remedies import refuse_unit_per_time, remedies
from petri.language.checking.expressions.user_functions import read_fn
from petri.language.checking.measures.declared import ExpectationTemplate, MeasureTemplate, check_measures
from petri.language.checking.nets.bodies import check_body, check_places
from petri.language.checking.state import CheckState, Resolved, Sources, Value
from petri.language.checking.threads.expand import expand_threads
from petri.language.checking.threads.live import measured_names
from petri.language.checking.threads.services import check_services, service_type
from petri.language.meaning.nodes import Node, as_float, constant, evaluate
from petri.language.meaning.scope import (
    ConstantSymbol,
    DistSymbol,
    FnSymbol,
    ModuleSymbol,
    Scope,
    TypeSymbol,
    UnitSymbol,
)
from petri.language.meaning.templates import Body
from petri.language.meaning.traced import Recording
from petri.language.meaning.types import (
    BLACK,
    MOST_SLOTS,
    REAL,
    UNKNOWN,
    Black,
    ListOf,
    Record,
    Request,
    Scalar,
    Type,
    Unknown,
    describe,
    layout,
    plainly,
)
from petri.language.meaning.unit_names import declaration_of, suggested_unit
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

DEEPEST_TYPE = 64  # types that are defined by one another
# Names of types in other languages.
_BUILT_IN = ("int", "real", "bool", "token", "Time", "Bytes", "Rate", "Freq")
_OTHER_NAMES = {
    "integer": "int", "float": "real", "double": "real", "number": "real", "boolean": "bool", "time": "Time",
    "duration": "Time", "unit": "token", "black": "token", "void": "token",
}  # fmt: skip
_TEXTS = ("string", "str", "text", "char")
_COLLECTIONS = ("list", "array", "vector", "set", "dict", "map", "tuple", "queue", "sequence", "multiset", "bag")


class Checker(CheckState):
    """The state of one check. Afterwards `body` is the net, and `problems` has the diagnostics."""

    def __init__(
        self,
        sources: Sources,
        parameters: Mapping[str, object],
        clock: str = "",
        recording: Recording | None = None,
    ) -> None:
        """`clock` is the unit of time to assume if no file declares one. recording: of what parameters become."""
        super().__init__(sources)
        self.assumed_clock = clock
        self.gatherer = Gatherer(self)
        self.overrides = Overrides(self, parameters, recording)
        self.spaces: list[OpenSpace] = []
        self.measures: dict[int, list[MeasureTemplate]] = {}  # by the identity of their bodies
        self.expectations: list[ExpectationTemplate] = []
        self.run_defaults = net.RunDefaults()
        self.stop: ExpectationTemplate | None = None
        self._open_types = 0

    def run(self) -> None:
        """Check everything."""
        for opened in open_spaces(self, self.sources.space):
            self.spaces.append(opened)
            self.gatherer.gather(opened)
        if self.gatherer.clash:
            return  # whatever uses such a name would be wrong
        expanded = self._expand_schedules()
        for opened in self.spaces:
            take_settings(self, opened)
        self.overrides.find_all(self.spaces)
        self._set_clock()
        self._set_resolution()
        self.overrides.read()
        for opened in self.spaces:
            self.resolve_all(opened.scope)
        names = [symbol for opened in self.spaces for symbol in opened.scope.names.values()]
        modules = [symbol for symbol in names if isinstance(symbol, ModuleSymbol)]
        for module in modules:
            self.module_head(module)
        found = [self.module_body(module) for module in modules] + [opened.body for opened in self.spaces]
        bodies = [(body, expanded.pop(id(body.scope))) for body in found]
        for body, declarations in bodies:
            check_schedules(self, body.scope, declarations)
            check_places(self, body, declarations)
        if any(isinstance(d, tree.Thread) for _, declarations in bodies for d in declarations):
            self._expand_threads(bodies)
        if not self.keeps_read:
            for opened in self.spaces:
                opened.space.files[:] = [replace(file, declarations=()) for file in opened.space.files]
        for body, declarations in bodies:
            check_body(self, body, declarations)
        if self.called:
            check_services(self, bodies)
        self.overrides.finish()
        self.measures, self.expectations, self.stop = check_measures(self, bodies, self.gatherer.run)
        self.run_defaults = run_defaults(self, self.gatherer.run)

    def _expand_threads(self, bodies: Sequence[tuple[Body, Sequence[tree.Declaration]]]) -> None:
        everything = [d for _, declarations in bodies for d in declarations]
        self.expansions = expand_threads(self, bodies, measured_names(everything))

    def _expand_schedules(self) -> dict[int, list[tree.Declaration]]:
        """Return the declarations of the net and of modules, by the identities of their scopes."""
        expanded = {}
        for opened in self.spaces:
            expanded[id(opened.scope)] = expand_schedules(self.gatherer, opened.scope, opened.declarations())
            for symbol in list(opened.scope.names.values()):
                if isinstance(symbol, ModuleSymbol) and symbol.scope is not None:
                    body = symbol.declaration.body
                    expanded[id(symbol.scope)] = expand_schedules(self.gatherer, symbol.scope, body)
        return expanded

    # ------------------------------------------------------------ the clock

    def _set_clock(self) -> None:
        clock = self.gatherer.clock
        if clock is None:
            assumed = self.assumed_clock or ("ns" if "time" in self.sources.broken else "")
            if assumed:
                self.units.set_clock(assumed, UNITS[assumed].scale)
            return
        unit = UNITS.get(clock.unit)
        if unit is not None and unit.dimension == TIME:
            self.units.set_clock(clock.unit, unit.scale)
            return
        self.units.set_clock(clock.unit, Fraction(1))
        user = self.scope.units.get(clock.unit)
        if user is None:
            declared = declaration_of(clock.unit)
            suggestion = None if declared else suggested_unit(clock.unit, self.scope.units, only_times=True)
            values = {"unit": clock.unit, "units": TIMES, "suggestion": suggestion, "declared": declared}
            self.problems.error("clock-unit", clock.span, **values)
            return
        self._set_user_clock(clock, user)

    def _set_user_clock(self, clock: tree.Time, user: UnitSymbol) -> None:
        """`time cycle`: compute the unit's length in seconds, then discard everything computed with that clock."""
        self.overrides.read()
        self.resolve(user)
        length = user.node.value if user.node is not None else None
        if user.dimension != TIME or not isinstance(length, Fraction) or length <= 0:
            if user.node is not None:
                self.problems.error("clock-unit", clock.span, unit=clock.unit)
            return
        for symbol in (symbol for opened in self.spaces for symbol in opened.scope.names.values()):
            if isinstance(symbol, (ConstantSymbol, TypeSymbol, DistSymbol)) and symbol.declaration is not None:
                symbol.state = "waiting"
            elif isinstance(symbol, FnSymbol):
                symbol.state, symbol.nodes = "waiting", ()
                symbol.parameters.clear()
        for unit in (unit for opened in self.spaces for unit in opened.scope.units.values()):
            unit.state, unit.node = "waiting", None
        self.units.set_clock(clock.unit, length)

    def _set_resolution(self) -> None:
        """`time ns resolution 1 ps`: the tick that the net asks for."""
        clock = self.gatherer.clock
        if clock is None or clock.resolution is None:
            return
        reader = Reader(self, self.scope, "the resolution of the clock")
        node = reader.read_fixed(clock.resolution, self.units.time_type)
        if node is None:
            return
        length = evaluate(node, ())
        if length > 0:
            self.units.resolution = Fraction(length)
        else:
            self.problems.error("resolution-not-positive", clock.resolution.span)

    def units_of_time(self) -> Iterator[tuple[str, float]]:
        """Yield those that the net declares, and their lengths in the net's time unit."""
        for unit in self.scope.units.values():
            if unit.node is not None and unit.dimension == self.units.normal(TIME):
                yield unit.name, as_float(evaluate(unit.node, ()), unit.span)

    # ------------------------------------------------------------ constants

    def find(self, symbol: Resolved) -> None:
        """Find type and value of what a name denotes. Raises CheckError if there is none."""
        scope = self.gatherer.home.get(id(symbol), self.scope)
        match symbol:
            case ConstantSymbol(declaration=tree.Param() as declaration):
                self.overrides.resolve(symbol, declaration)
                self.overrides.trace(symbol, declaration)
            case ConstantSymbol(declaration=tree.Const() as declaration):
                self._find_constant(symbol, declaration.value, scope)
            case UnitSymbol():
                self._find_unit(symbol, scope)
            case TypeSymbol():
                self._find_type(symbol, scope)
            case DistSymbol():
                self._find_dist(symbol, scope)
            case FnSymbol():
                read_fn(self, symbol, scope)

    def _find_constant(self, symbol: ConstantSymbol, written: tree.Expr, scope: Scope) -> None:
        (value,) = Reader(self, scope, "a constant").values(written)
        if not isinstance(value.type, (Scalar, ListOf)):
            raise CheckError("constant-not-scalar", value.span, kind=plainly(value.type))
        element = value.type.element if isinstance(value.type, ListOf) else value.type
        nodes = tuple([self._kept(node, element, scope, symbol.span) for node in value.nodes])
        symbol.type = value.type
        if isinstance(value.type, ListOf):
            symbol.nodes = nodes
        else:
            symbol.node = nodes[0]

    def _kept(self, node: Node, kind: Scalar, scope: Scope, span: Span) -> Node:
        """Return the value of a constant, or the local of a module where instances compute it; raises CheckError."""
        if scope.outer is not None:
            number = scope.new_local()
            self.bodies[id(scope)].constants.append((number, node))
            return local(number, kind, span)
        exact = evaluate(node, ())
        as_float(exact, node.span)
        return constant(exact, node.kind, span, node.power)

    def _find_unit(self, unit: UnitSymbol, scope: Scope) -> None:
        reader = Reader(self, scope, "the value of a unit")
        (value,) = reader.values(unit.declaration.value)
        reader.require_number(value, "unit")
        assert isinstance(value.type, Scalar)
        kind = value.type if value.type.kind == "real" else REAL
        (node,) = needed(reader.fit(value, kind))
        unit.dimension = value.type.dimension
        unit.node = self._kept(node, kind, scope, unit.span)

    def _find_dist(self, symbol: DistSymbol, scope: Scope) -> None:
        reader = Reader(self, scope, "a distribution", frozenset({"draw"}))
        (value,) = reader.values(symbol.declaration.value)
        if not isinstance(value.type, Scalar):
            raise CheckError("constant-not-scalar", value.span, kind=plainly(value.type))
        symbol.type, symbol.node = value.type, value.node

    def call(self, reader: Reader, e: tree.Call) -> Value:
        return functions.call(reader, e)

    def list_for(self, reader: Reader, e: tree.ListFor, expected: Type | None) -> Value:
        return list_for(reader, e, expected)

    def remedies(self, reader: Reader, e: tree.Expr, wanted: Dimension) -> dict[str, str]:
        return remedies(reader, e, wanted)

    def refuse_unit_per_time(self, reader: Reader, e: tree.Binary) -> None:
        refuse_unit_per_time(reader, e)

    # ------------------------------------------------------------ types

    def _find_type(self, symbol: TypeSymbol, scope: Scope) -> None:
        if self._open_types == DEEPEST_TYPE:
            symbol.type = UNKNOWN
            raise CheckError("type-too-deep", symbol.span, limit=DEEPEST_TYPE)
        self._open_types += 1
        try:
            symbol.type = self.read_type(symbol.declaration.type, scope, symbol.name)
        finally:
            self._open_types -= 1

    def read_type(self, e: tree.TypeExpr | None, scope: Scope, name: str = "") -> Type:
        """Return the type of a type expression; without a type expression, that of black tokens."""
        if e is None:
            return BLACK
        if isinstance(e, tree.NamedType):
            return self._named_type(e, scope)
        if isinstance(e, tree.EnumType):
            return Scalar("enum", labels=tuple(label for label, _ in e.names), name=name, span=e.span)
        if isinstance(e, tree.RangeType):
            return self._range_type(e, scope, name)
        if isinstance(e, tree.VectorType):
            return self._vector_type(e, scope, name)
        if isinstance(e, tree.ServiceType):
            return service_type(self, e, scope, name)
        fields: dict[str, Type] = {}
        for field, kind, span in e.fields:
            if field in fields:
                self.problems.error("field-twice", span, name=field)
                continue
            fields[field] = self.read_type(kind, scope)
            if isinstance(fields[field], (Black, Request)):
                identifier = "token-field" if isinstance(fields[field], Black) else "service-field"
                self.problems.error(identifier, span, field=field)
                fields[field] = UNKNOWN
        if any(isinstance(kind, Unknown) for kind in fields.values()):
            return UNKNOWN
        if sum(len(layout(kind)) for kind in fields.values()) > MOST_SLOTS:
            self.problems.error("record-too-large", e.span, limit=MOST_SLOTS)
            return UNKNOWN
        return Record(fields, name, e.span)

    def _vector_type(self, e: tree.VectorType, scope: Scope, name: str) -> Type:
        element = self.read_type(e.element, scope)
        if isinstance(element, (Black, Request)):
            self.problems.error("vector-type", e.span)
            return UNKNOWN
        reader = Reader(self, scope, "the length of a vector")
        found = self.problems.attempt(read_vector, reader, e, element, name)
        return found if found is not None and not isinstance(element, Unknown) else UNKNOWN

    def _named_type(self, e: tree.NamedType, scope: Scope) -> Type:
        builtin = self.units.builtin(e.name)
        if builtin is not None:
            return builtin
        word = e.name.lower()
        more: dict[str, str | None] = {"suggestion": _OTHER_NAMES[word]} if word in _OTHER_NAMES else {}
        if word in (*_TEXTS, *_COLLECTIONS, "enum"):
            more = {"suggestion": None, **({"element": "int"} if word in _COLLECTIONS else {"names": "red | green"})}
        try:
            return self.resolve_type(self.type_named(e.name, e.span, scope, _BUILT_IN, **more))
        except CheckError as fault:
            self.problems.fault(fault)
            return UNKNOWN

    def _range_type(self, e: tree.RangeType, scope: Scope, name: str) -> Type:
        reader = Reader(self, scope, "the bound of a range")
        bounds = self.problems.attempt(read_range, reader, tree.Range(e.low, e.high, e.span))
        if bounds is None:
            return UNKNOWN
        kind, low, high = bounds
        return Scalar(kind.kind, kind.dimension, low, high, name=name, span=e.span)

    # ------------------------------------------------------------ modules

    def module_head(self, symbol: ModuleSymbol) -> None:
        """Parameters and ports of a module, which its instances need."""
        assert symbol.scope is not None
        body = Body(symbol.name, symbol.scope, parameters=list(symbol.declaration.parameters))
        self.bodies[id(symbol.scope)] = body
        for found in list(symbol.scope.names.values()):
            if isinstance(found, ConstantSymbol) and found.role == "module parameter":
                found.local = symbol.scope.new_local()
                found.state = "done"
                self._module_parameter(symbol.scope, found)

    def _module_parameter(self, scope: Scope, symbol: ConstantSymbol) -> None:
        declaration = symbol.declaration
        assert isinstance(declaration, tree.Param)
        kind: Type = UNKNOWN
        if declaration.type is not None:
            kind = self.read_type(declaration.type, scope)
        elif declaration.default is not None:
            kind = Reader(self, scope, "a default").read(declaration.default).type
        else:
            self.problems.error("parameter-untyped", declaration.name_span, name=declaration.name)
        if isinstance(kind, (Record, Black)):
            self.problems.error("constant-not-scalar", declaration.name_span, kind=describe(kind))
            return
        if isinstance(kind, Scalar):
            symbol.type = kind
            assert symbol.local is not None
            symbol.node = local(symbol.local, kind, symbol.span)
