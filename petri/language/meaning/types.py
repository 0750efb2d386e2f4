"""Types of the language, and their layout in the slots of a token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeGuard

from petri import net
from petri.catalogue.units import NAMED, PLAIN, Dimension, dimension_name
from petri.language.meaning.nodes import LOCAL, Environment, Node, number
from petri.language.problems import CheckError
from petri.net import Span
from petri.structs import Frozen, Struct

MOST_SLOTS = 256


class Scalar(Struct):
    """A number, a truth value, or a value of an enumeration. `name` is the declared name, if it has one."""

    kind: Literal["int", "real", "bool", "enum"]
    dimension: Dimension = PLAIN
    low: Node | None = None
    high: Node | None = None
    labels: tuple[str, ...] = ()
    name: str = ""
    span: Span | None = None
    colour: net.Colour | None = None

    @property
    def finite(self) -> bool:
        return self.kind in ("bool", "enum") or (self.kind == "int" and self.low is not None)

    @property
    def slot_kind(self) -> Literal["int", "real"]:
        return "real" if self.kind == "real" else "int"


def path_within(name: str, path: str) -> str:
    """Return the path of a slot of a part as one of the whole:

    `pkt.seq`, `s[2]`, `pkt.s[2]`; of the part itself its name.
    """
    return f"{name}.{path}" if path and not path.startswith("[") else name + path


class Record(Struct):
    """Named fields in order. `slots` is the layout: the path of each scalar within the record, and its type."""

    fields: dict[str, Type]
    name: str = ""
    span: Span | None = None
    slots: tuple[tuple[str, Scalar], ...] = ()
    colour: net.Colour | None = None

    def __post_init__(self) -> None:
        self.slots = tuple(self._layout())

    def _layout(self) -> Iterator[tuple[str, Scalar]]:
        for name, kind in self.fields.items():
            for path, scalar in layout(kind):
                yield path_within(name, path), scalar

    def part(self, name: str) -> slice:
        """Return the slots of one field."""
        start = 0
        for field_name, kind in self.fields.items():
            width = len(layout(kind))
            if field_name == name:
                return slice(start, start + width)
            start += width
        raise KeyError(name)

    @property
    def finite(self) -> bool:
        return all(scalar.finite for _, scalar in self.slots)


class Vector(Record, kw_only=True):
    """A fixed number of elements of one type, as a record with the fields `[0]`, `[1]`, … or `[gold]`, `[silver]`, …

    `index` is the type of its indices.
    """

    index: Scalar

    @classmethod
    def of(cls, element: Type, index: Scalar, length: int, name: str, span: Span) -> Vector:
        keys = index.labels or range(length)
        text = index.name or (describe(index) if index.labels else f"{length}")
        return cls({f"[{key}]": element for key in keys}, name or f"{describe(element)}[{text}]", span, index=index)

    @property
    def element(self) -> Type:
        return next(iter(self.fields.values()))

    @property
    def length(self) -> int:
        return len(self.fields)

    def elements(self, nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
        """Return the values of its elements, each with those of its slots."""
        width = len(self.slots) // self.length
        return [tuple(nodes[start : start + width]) for start in range(0, len(self.slots), width)]


def has_fields(kind: Type) -> TypeGuard[Record]:
    """Return whether it is a record whose fields have names, which is no vector."""
    return isinstance(kind, Record) and not isinstance(kind, Vector)


class ListOf(Struct):
    """The type of a list of constants, which an index picks from."""

    element: Scalar
    length: int
    name: str = ""


CALLER, SITE = "caller", "site"


class Request(Record):
    """A request to a service: its fields, those of the reply, and in the field `caller` what its caller must remember.

    `caller` has the number of the place where the caller waits, and the values that any caller goes on with.
    """

    reply: tuple[str, ...] = ()
    answered: bool = False  # some transition replies

    @property
    def site_slot(self) -> int:
        """The slot of the number of the place where the caller waits."""
        start: int = self.part(CALLER).start
        return start

    def remember(self, values: dict[str, Type]) -> dict[str, str]:
        """Return the fields of `caller` for the values of one caller.

        Callers share fields of one type, whatever their names, since a request has one caller.
        """
        caller = self.fields[CALLER]
        assert isinstance(caller, Record)
        known = dict(caller.fields)
        found = {name: name for name, kind in values.items() if name in known and _shareable(known[name], kind)}
        for name, kind in values.items():
            if name in found:
                continue
            free = (field for field in known if field != SITE and field not in found.values())
            field = next((field for field in free if _shareable(known[field], kind)), name)
            while field not in found.values() and not _shareable(known.get(field, kind), kind):
                field += "'"
            known[field] = kind
            found[name] = field
        self.fields[CALLER] = Record(known)
        self.slots = tuple(self._layout())
        return found


def _shareable(left: Type, right: Type) -> bool:
    """Return whether they are the same with their ranges."""
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        return same(left, right) and left.low is right.low and left.high is right.high
    return left is right


class Black(Frozen):
    """The type of tokens without a value."""

    name: str = "token"


class Unknown(Frozen):
    """The type of anything with an error: it fits everything, so that one mistake is reported once."""

    name: str = ""


Type = Scalar | Record | ListOf | Black | Unknown

INT = Scalar("int")
REAL = Scalar("real")
BOOL = Scalar("bool", labels=("false", "true"))
BLACK = Black()
UNKNOWN = Unknown()

DIMENSIONS = {name: Scalar("real", dimension, name=name) for name, dimension in NAMED.items()}
BUILTIN: dict[str, Type] = {"int": INT, "real": REAL, "bool": BOOL, "token": BLACK, **DIMENSIONS}


def quantity(dimension: Dimension) -> Scalar:
    """Return the type of reals of this dimension."""
    return REAL if dimension == PLAIN else Scalar("real", dimension)


def layout(kind: Type) -> tuple[tuple[str, Scalar], ...]:
    """Return the slots of a token: (path, type), with the path "" for a scalar."""
    if isinstance(kind, Scalar):
        return (("", kind),)
    return kind.slots if isinstance(kind, Record) else ()


def same(left: Type, right: Type) -> bool:
    """Return whether values of one type are values of the other, ignoring ranges and names."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return True
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        if left.kind != right.kind:
            return False
        return left.labels == right.labels if left.kind == "enum" else left.dimension == right.dimension
    if isinstance(left, Record) and isinstance(right, Record):
        return list(left.fields) == list(right.fields) and all(
            same(a, b) for a, b in zip(left.fields.values(), right.fields.values(), strict=True)
        )
    return isinstance(left, Black) and isinstance(right, Black)


def describe(kind: Type) -> str:
    """Write it as users do: `Packet`, `int`, `Time`, `gold | silver`, `{seq, size}`."""
    if isinstance(kind, Scalar) and not kind.name:
        if kind.kind == "real":
            return dimension_name(kind.dimension) or "real"
        return " | ".join(kind.labels) if kind.kind == "enum" else kind.kind
    if isinstance(kind, ListOf):
        return "a list"
    if isinstance(kind, Record) and not kind.name:
        return "{" + ", ".join(kind.fields) + "}"
    return kind.name or "unknown"


def plainly(kind: Type) -> str:
    """Return the kind of value, for messages about mismatches: a range `Flow` is shown as `int`."""
    if isinstance(kind, Scalar) and kind.kind != "enum":
        return (dimension_name(kind.dimension) or "real") if kind.kind == "real" else kind.kind
    return describe(kind)


def slot(path: str, kind: Scalar, environment: Environment) -> net.Slot:
    """Return one slot of a colour, with its bounds; raises CheckError."""
    low: net.Scalar | None = 0 if kind.labels else None
    high: net.Scalar | None = len(kind.labels) - 1 if kind.labels else None
    if kind.low is not None and kind.high is not None:
        low, high = number(kind.low, environment), number(kind.high, environment)
        if low > high:
            raise CheckError("empty-range", kind.span or kind.low.span, low=low, high=high)
    return net.Slot(path, kind.slot_kind, low, high, kind.labels, dimension_name(kind.dimension))


def colour(kind: Type, environment: Environment) -> net.Colour:
    """Return the colour set of a type; shared when it does not depend on the instance. Raises CheckError."""
    if not isinstance(kind, (Scalar, Record)):
        return BLACK_COLOUR
    if kind.colour is not None:
        return kind.colour
    scalars = layout(kind)
    slots = tuple(slot(path, scalar, environment) for path, scalar in scalars)
    result = net.Colour(_colour_name(kind, slots), slots)
    bounds = [node for _, scalar in scalars for node in (scalar.low, scalar.high) if node is not None]
    if not any(node.flags & LOCAL for node in bounds):
        kind.colour = result
    return result


BLACK_COLOUR = net.Colour()


def _colour_name(kind: Scalar | Record, slots: tuple[net.Slot, ...]) -> str:
    if isinstance(kind, Scalar) and not kind.name and kind.low is not None:
        return f"{slots[0].low}..{slots[0].high}"
    return describe(kind)
