"""The flat net as plain JSON types, and back.

Each part of a net becomes an object of its fields; fields with their default value are left out, so that a net of black
tokens stays short. If a field may have one of several classes (probes), `"is"` names the
class. An expression is an object too: `{"op": "add", "kind": "int", "args": […]}`. A span is the list
`[file, line, column, end line, end column]`, the file as its position in the net's `"files"`. Numbers keep their
type: an int of the net is a JSON integer, a float a number with a point or an exponent, and reading gives the same
bits. The only number that JSON cannot write, infinity (`run until dead`), is the text `"inf"`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from petri import net
from petri.net import MOST_TOKENS, Net, Span
from petri.structs import Frozen, defaults, fields
from petri.tokens import Token, Tokens, compact

VERSION = 1
LARGEST = 1000  # bits of an int: a float can hold it

_CLASSES: dict[str, type] = {
    name: found for name, found in vars(net).items() if isinstance(found, type) and issubclass(found, Frozen)
}


def net_to_dict(flat: Net, *, spans: bool = True) -> dict[str, Any]:
    """Return the net as dicts, lists, texts, numbers and truth values.

    Without `spans`, positions in the source are left out.

    Repeated parts may be one object: copy before changing anything.
    """
    files: list[str] = []
    encoded = _Encoder(files, spans).object(flat)
    return {"version": VERSION, **({"files": files} if files else {}), **encoded}


Texts = dict[int, tuple[object, str]]
"""Elements of nets and their texts, by their identities."""


def net_text(
    flat: Net, *, spans: bool = True, sort_keys: bool = False, indent: int | None = None, known: Texts | None = None
) -> Iterator[str]:
    """`net_to_dict` as JSON, in pieces: no more than one element of the net is in memory as dicts.

    Without `indent` there is no whitespace. Non-ASCII characters are escaped only with `sort_keys`. known: the texts of
    elements that were written in the same way; those of this net are added. Only without spans.
    """
    encoder = _Encoder([], spans)
    colon = ":" if indent is None else ": "
    dump = json.JSONEncoder(sort_keys=sort_keys, indent=indent, separators=(",", colon), ensure_ascii=sort_keys).encode
    line = "" if indent is None else "\n" + " " * indent
    deeper = "" if indent is None else line + " " * indent

    def member(value: Any) -> Iterator[str]:
        if not isinstance(value, (tuple, list)):
            yield dump(encoder.value(value)).replace("\n", line)
            return
        for number, item in enumerate(value):
            encoder.known.clear()
            found = None if known is None else known.get(id(item))
            text = dump(encoder.value(item)).replace("\n", deeper) if found is None else found[1]
            if known is not None:
                known[id(item)] = item, text
            yield f"{',' if number else '['}{deeper}" + text
        yield f"{line}]"

    members: dict[str, Any] = {"version": VERSION, **encoder.fields(flat)}
    if spans:  # the files come first, but are known last
        ready = {name: list(member(value)) for name, value in members.items()}
        files = {"files": list(member(encoder.files))} if encoder.files else {}
        texts: Iterable[tuple[str, Iterable[str]]] = {"version": ready.pop("version"), **files, **ready}.items()
    else:
        texts = ((name, member(value)) for name, value in members.items())
    if sort_keys:
        texts = sorted(texts, key=itemgetter(0))
    opening = "{"
    for name, pieces in texts:
        yield f"{opening}{line}{dump(name)}{colon}"
        yield from pieces
        opening = ","
    yield "}" if indent is None else "\n}"


def net_from_dict(data: Mapping[str, Any]) -> Net:
    """Return the net that `net_to_dict` wrote. Raises ValueError if the data is not a net."""
    if data.get("version") != VERSION:
        raise ValueError(f"a flat net of version {data.get('version')!r}; this version of pnsim reads {VERSION}")
    content = {name: value for name, value in data.items() if name not in ("version", "files")}
    try:
        decoded = _decode_object(Net, content, tuple(data.get("files", ())))
    except (TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a flat net: {error}") from error
    assert isinstance(decoded, Net)
    return decoded


# ---------------------------------------------------------------- writing


class _Encoder:
    def __init__(self, files: list[str], spans: bool) -> None:
        self.files = files
        self.spans = spans
        self.numbers: dict[str, int] = {}
        self.known: dict[int, Any] = {}  # by id: parts shared by instances of a module are encoded once

    def fields(self, value: Any) -> dict[str, Any]:
        """Return the fields that differ from their defaults; 1 differs from 1.0, and False from 0."""
        found: dict[str, Any] = {}
        for name, default in _defaults(type(value)):
            field_value = getattr(value, name)
            if field_value is default or (field_value == default and repr(field_value) == repr(default)):
                continue
            if self.spans or not isinstance(field_value, Span):
                found[name] = field_value
        return found

    def object(self, value: Any) -> dict[str, Any]:
        return {name: self.value(field_value) for name, field_value in self.fields(value).items()}

    def value(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in _PLAIN:
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else repr(value)
        if isinstance(value, (int, str)):
            return value
        known = self.known.get(id(value))
        if known is None:
            known = self.known[id(value)] = self.compound(value, kind)
        return known

    def compound(self, value: Any, kind: type) -> Any:
        if kind is tuple or kind is list:
            return [self.value(item) for item in value]
        if kind is Span:
            return self.span(value)
        if kind is Tokens:  # its items are temporary, so their ids cannot be used
            return [[count, list(token)] for count, token in value]
        encoded = self.object(value)
        return {"is": kind.__name__, **encoded} if kind in _PROBES else encoded

    def span(self, span: Span) -> list[int]:
        if span.file not in self.numbers:
            self.numbers[span.file] = len(self.files)
            self.files.append(span.file)
        return [self.numbers[span.file], span.line, span.column, span.end_line, span.end_column]


_PLAIN = frozenset((int, str, bool))
_PROBES = frozenset(get_args(net.Probe))
_MISSING = object()
_DEFAULTS: dict[type, list[tuple[str, Any]]] = {}


def _defaults(kind: type[Frozen]) -> list[tuple[str, Any]]:
    """Return each field's name and default; `_MISSING`, which equals nothing, if there is none."""
    if kind not in _DEFAULTS:
        known = defaults(kind)
        _DEFAULTS[kind] = [(name, known.get(name, _MISSING)) for name in fields(kind)]
    return _DEFAULTS[kind]


# ---------------------------------------------------------------- reading

Decoder = Callable[[Any, tuple[str, ...]], Any]
_DECODERS: dict[type[Frozen], dict[str, Decoder]] = {}


def _decode_object(kind: type[Frozen], data: Mapping[str, Any], files: tuple[str, ...]) -> Any:
    if kind not in _DECODERS:
        hints = get_type_hints(kind)
        _DECODERS[kind] = {name: _decoder(hints[name]) for name in fields(kind)}
    decoders = _DECODERS[kind]
    return kind(**{name: decoders[name](value, files) for name, value in data.items()})


def _decode_probe(value: Any, files: tuple[str, ...]) -> Any:
    return _decode_object(_CLASSES[value["is"]], {name: item for name, item in value.items() if name != "is"}, files)


def _decoder(hint: Any) -> Decoder:
    """Return the function that reads a value of a type declared in `petri.net`."""
    if hint is Span:
        return _decode_span
    if isinstance(hint, type) and hint.__name__ in _CLASSES:
        return _decode_probe if hint in _PROBES else lambda value, files: _decode_object(hint, value, files)
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        return _tuple_decoder(arguments)
    if get_origin(hint) is Sequence:  # an initial marking
        items = _tuple_decoder((*arguments, Ellipsis))
        return lambda value, files: compact(_counted(items(value, files)))
    classes = [argument for argument in arguments if isinstance(argument, type) and argument.__name__ in _CLASSES]
    if len(classes) > 1:
        return _decode_probe
    if get_origin(hint) in (Union, type(int | str)) and type(None) in arguments and len(arguments) == 2:
        inner = _decoder(next(argument for argument in arguments if argument is not type(None)))
        return lambda value, files: None if value is None else inner(value, files)
    return _scalar_decoder(hint)


def _tuple_decoder(arguments: tuple[Any, ...]) -> Decoder:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        inner = _decoder(arguments[0])
        return lambda value, files: tuple(inner(item, files) for item in value)
    inners = [_decoder(argument) for argument in arguments]
    return lambda value, files: tuple(read(item, files) for read, item in zip(inners, value, strict=True))


def _counted(items: tuple[tuple[int, Token], ...]) -> tuple[tuple[int, Token], ...]:
    """Return an initial marking whose counts are numbers of tokens that an engine has room for."""
    held = 0
    for count, _ in items:
        if not isinstance(count, int) or not 0 <= count <= MOST_TOKENS:
            raise ValueError(f"not a flat net: {count!r} initial tokens, where 0 to {MOST_TOKENS} are possible")
        held += count
    if held > MOST_TOKENS:
        raise ValueError(f"not a flat net: {held} initial tokens of one place, where {MOST_TOKENS} are possible")
    return items


def _scalar_decoder(hint: Any) -> Decoder:
    """Make a converter for a number, a text, a truth value, one of few texts, or one of several such types."""
    if get_origin(hint) is Literal:
        allowed = get_args(hint)

        def literal(value: Any, files: tuple[str, ...]) -> Any:
            if value not in allowed:
                raise ValueError(f"not a flat net: {value!r} is none of {', '.join(allowed)}")
            return value

        return literal
    kinds = {argument for argument in get_args(hint) or (hint,) if isinstance(argument, type)}
    pairs = any(get_origin(argument) is tuple for argument in get_args(hint))
    if float in kinds:
        kinds |= {int, bool} if int in kinds else {int}

    allowed_kinds = tuple(kinds)

    def scalar(value: Any, files: tuple[str, ...]) -> Any:
        if float in kinds and value in ("inf", "-inf", "nan"):
            return float(value)
        if pairs and isinstance(value, list):  # the operand of a term: (probe, field)
            return _pair(value, files)
        fits = isinstance(value, allowed_kinds) and (bool in kinds or not isinstance(value, bool))
        if not fits or (isinstance(value, int) and value.bit_length() > LARGEST):
            raise ValueError(f"not a flat net: {str(value)[:40]!r} is not what its place is for")
        return value

    return scalar


def _pair(value: list[Any], files: tuple[str, ...]) -> tuple[int, str]:
    number, field = value
    return _decode_int(number, files), _decode_text(field, files)


_decode_int, _decode_text = _scalar_decoder(int), _scalar_decoder(str)


def _decode_span(value: Any, files: tuple[str, ...]) -> Span | None:
    if value is None:
        return None
    file, *ends = (_decode_int(number, files) for number in value)
    if min(file + 1, *ends) < 1:
        raise ValueError("not a flat net: a position counts from 1")
    return Span(_decode_text(files[file], files), *ends)
