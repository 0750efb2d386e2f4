"""Classes of fields, kept in slots: what `dataclass(slots=True)` makes, for the classes that every command loads.

For each class `dataclass` writes up to eight methods as text and compiles them as the module is imported. For the
hundred and fifty classes between a file and its results that was a quarter of the time of a short run. Here all
methods but `__init__` are shared, and `__init__` is compiled when a class gets its first instance, which most never
do. It stores through the descriptors of the slots, which takes a quarter of the time that `object.__setattr__` takes
in what is frozen: a large net has millions of such objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field
from dataclasses import field as field
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Of = TypeVar("Of", bound="Slotted")


class _Layout(type):
    """Makes slots of the names that a class annotates, and defaults of the values that it gives them."""

    __match_args__: tuple[str, ...]
    _defaults: Mapping[str, Any]
    _key: Callable[[Any], object]  # what instances are compared by: their class and fields

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> _Layout:
        if any(base.__match_args__ for base in bases if isinstance(base, _Layout)):
            raise TypeError(f"{name} would inherit fields, which is not foreseen")
        names = tuple(members.get("__annotations__", ()))
        defaults = {name: members.pop(name) for name in names if name in members}
        made = super().__new__(cls, name, bases, members | {"__slots__": names, "__match_args__": names})
        made._defaults, made._key = defaults, attrgetter("__class__", *names)
        return made


class Slotted(metaclass=_Layout):
    """What both kinds have in common."""

    def __init__(self, *values: Any, **named: Any) -> None:
        kind = type(self)
        kind.__init__ = _compiled_init(kind)  # type: ignore[method-assign]
        kind.__init__(self, *values, **named)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in as_dict(self).items())
        return f"{type(self).__qualname__}({shown})"


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Struct(Slotted):
    """Its fields may change, and it equals nothing but itself."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen(Slotted):
    """Its fields never change, and it equals what is of the same class and has equal fields."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed: it is frozen")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        kind = type(self)
        return kind._key(self) == kind._key(other) if type(other) is kind else NotImplemented

    def __hash__(self) -> int:
        return hash(type(self)._key(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(as_dict(self).values())


def fields(kind: type[Slotted]) -> tuple[str, ...]:
    """The names of the fields of such a class, in order."""
    return kind.__match_args__


def defaults(kind: type[Slotted]) -> Mapping[str, Any]:
    """What the fields are that need not be given."""
    return kind._defaults


def replace(struct: Of, **changes: Any) -> Of:
    """A copy in which some fields are others."""
    return type(struct)(**as_dict(struct) | changes)


def as_dict(struct: Slotted) -> dict[str, Any]:
    """The fields by name."""
    return {name: getattr(struct, name) for name in fields(type(struct))}


def _compiled_init(kind: type[Slotted]) -> Any:
    """`__init__` of a class, with its fields as parameters."""
    scope: dict[str, Any] = {}
    lines = [f"def __init__(self, {', '.join(fields(kind))}):", "    pass"]
    for name in fields(kind):
        scope[f"set_{name}"] = vars(kind)[name].__set__
        value = name
        if isinstance(default := defaults(kind).get(name), Field):
            scope[f"default_{name}"], scope[f"make_{name}"] = default, default.default_factory
            value = f"make_{name}() if {name} is default_{name} else {name}"
        lines.append(f"    set_{name}(self, {value})")
    exec("\n".join(lines), scope)
    made = scope["__init__"]
    made.__defaults__ = tuple(defaults(kind).values())
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made
