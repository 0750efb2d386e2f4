"""Classes of fields, like `dataclass(slots=True)`, for the classes that every command loads.

For each class `dataclass` generates up to eight methods as text and compiles them at import, which took a quarter of
the time of a short run. msgspec has these methods in C.
"""

from __future__ import annotations

# msgspec loads datetime from C, and drops a Ctrl-C that comes meanwhile; here it ends the program.
import datetime  # noqa: F401
from _thread import allocate_lock
from collections.abc import Mapping
from typing import Any, Self, TypeVar, dataclass_transform

import msgspec
from msgspec import field as field
from msgspec import to_builtins as to_builtins
from msgspec.structs import asdict as as_dict
from msgspec.structs import astuple as as_tuple
from msgspec.structs import replace as replace

__all__ = [
    "Frozen", "Part", "Struct", "as_dict", "as_json", "as_packed", "as_tuple", "convert", "defaults", "field",
    "fields", "read_json", "read_packed", "replace", "to_builtins",
]  # fmt: skip


Kind = TypeVar("Kind")


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Struct(msgspec.Struct, eq=False):
    """Mutable; compared by identity."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen(msgspec.Struct, frozen=True):
    """Immutable; equal to an object of the same class with equal fields."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Part(Frozen, gc=False):
    """Be `Frozen`, of numbers, texts, and tuples of such objects, and so in no cycle.

    The garbage collector does not know it. A large net has a million: they are smaller, and collections shorter.
    """

    def __deepcopy__(self, memo: object) -> Self:
        return self


def fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the names of the fields of such a class, in order."""
    return kind.__struct_fields__


def defaults(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """Return the default values of the fields that have one."""
    values = kind.__struct_defaults__
    return dict(zip(fields(kind)[len(fields(kind)) - len(values) :], values, strict=True))


_decoders: dict[Any, Any] = {}
_making = allocate_lock()


def _decoder(kind: type[Kind]) -> msgspec.msgpack.Decoder[Kind]:
    """Return the decoder of a type, which is made once.

    msgspec makes a class's table of fields when it first reads one, and runs Python code meanwhile. Another thread that
    reads the class then would find half a table, and end the process.
    """
    with _making:
        known: msgspec.msgpack.Decoder[Kind] | None = _decoders.get(kind)
        if known is None:
            known = _decoders[kind] = msgspec.msgpack.Decoder(kind)
        return known


def convert(value: object, kind: type[Kind]) -> Kind:
    """Return the value as this type. Raises ValueError where it is nothing of the kind."""
    _decoder(kind)
    return msgspec.convert(value, kind)


def _number(value: object) -> float:
    """Return a number of a class of its own, such as a time that remembers its unit."""
    if isinstance(value, float):
        return float(value)
    raise NotImplementedError


def as_packed(value: object) -> bytes:
    """Return it as MessagePack."""
    return msgspec.msgpack.encode(value, enc_hook=_number)


def read_packed(data: bytes, kind: type[Kind]) -> Kind:
    """Raise ValueError where the bytes are not of this class."""
    return _decoder(kind).decode(data)


def as_json(value: object) -> str:
    """Return it as JSON; a number that is not finite becomes null."""
    return msgspec.json.encode(value, enc_hook=_number).decode()


def read_json(text: bytes, kind: type[Kind]) -> Kind:
    """Raise ValueError where the text is not of this class."""
    _decoder(kind)
    return msgspec.json.decode(text, type=kind)
