"""petri/native/engine/src/net.rs names the fields of petri/net.py that an engine reads: neither may drift."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from petri import net
from petri.catalogue.operations import OPERATIONS
from petri.structs import Frozen, Part, fields
from petri.tokens import Tokens

FOLDER = Path(net.__file__).parent / "native" / "engine" / "src"
SOURCE = (FOLDER / "net.rs").read_text(encoding="utf-8")

NAMES = {"Operation": "Expr"}  # in Rust an `Expr` shares an `Operation`

# What an engine does not need, because it is for people, for analyses, or for those who feed the engine.
FOR_PEOPLE = {"doc", "span", "labels", "dimension", "measured_in"}
NOT_READ: dict[str, set[str]] = {
    "Net": {
        "name", "measures", "expectations", "parameters", "run_defaults", "time_unit", "seconds", "inexact", "units",
        "chances",
    },
    "Colour": {"name"},
    "Transition": {"lets"},
    "Table": {"name"},
}  # fmt: skip
READ_ALL_THE_SAME = {("Expr", "span")}  # where a fault happened


def structs(source: str) -> dict[str, set[str]]:
    """Return the fields of each struct that serde fills, by name; no tuple structs, and none without fields."""
    found = re.findall(r"struct (\w+) \{\n(.*?)^\}", source, re.DOTALL | re.MULTILINE)
    return {
        NAMES.get(name, name): set(re.findall(r"^    (?:pub )?(\w+): ", body, re.MULTILINE)) for name, body in found
    }


def words(name: str) -> set[str]:
    """Return the variants of an enum, in lower case."""
    body = re.search(rf"enum {name} \{{\n(.*?)\}}", SOURCE, re.DOTALL)
    assert body is not None
    return set(re.findall(r"^    (\w+)", body[1].lower(), re.MULTILINE))


STRUCTS = structs(SOURCE)


def test_every_class_is_known() -> None:
    assert {"Net", "Place", "Transition", "Expr", "InputArc", "OutputArc", "Event", "Span"} <= STRUCTS.keys()


@pytest.mark.parametrize("name", STRUCTS)
def test_the_fields_of_both_are_the_same(name: str) -> None:
    kind: type[Frozen] = getattr(net, name)
    ignored = {field for field in FOR_PEOPLE | NOT_READ.get(name, set()) if (name, field) not in READ_ALL_THE_SAME}
    assert STRUCTS[name] == set(fields(kind)) - ignored


def test_what_is_not_read_is_there() -> None:
    for name, ignored in NOT_READ.items():
        assert ignored <= set(fields(getattr(net, name))), name


def test_long_markings_have_the_same_fields() -> None:
    by_columns = structs((FOLDER / "net" / "tokens.rs").read_text(encoding="utf-8"))["ByColumns"]
    assert by_columns == set(Tokens.__slots__)


def test_words_are_the_same() -> None:
    assert words("Kind") == set(get_args(net.Kind))
    assert words("Discipline") == set(get_args(net.Discipline))
    assert words("Probe") == {kind.__name__.lower() for kind in get_args(net.Probe)}


def test_operations_are_the_same() -> None:
    """Their names, how many operands they have, and which draw. (`choice` has two for each value.)"""
    table = (FOLDER / "net" / "op.rs").read_text(encoding="utf-8")
    native = {
        name: (operands, draws == "true")
        for operands, draws, row in re.findall(r"^    (\S+), draws (true|false): ([^;$]*);", table, re.MULTILINE)
        for name in re.findall(r'\w+ "(\w+)"', row)
    }
    assert native.pop("choice") == ("2..", True)
    own = {name: (str(len(one.parameters)), one.draws) for name, one in OPERATIONS.items() if name != "choice"}
    assert native == own


def test_limits_are_the_same() -> None:
    checks = (FOLDER / "net" / "check.rs").read_text(encoding="utf-8")
    limits = {name: int(value.replace("_", "")) for name, value in re.findall(r"const (\w+): u\w+ = ([\d_]+);", checks)}
    assert {name: limits[name] for name in ("MOST_ARCS", "MOST_TOKENS")} == {
        "MOST_ARCS": net.MOST_ARCS,
        "MOST_TOKENS": net.MOST_TOKENS,
    }


def kinds(hint: Any) -> Iterator[Any]:
    """Yield a type and the types of its parts."""
    yield hint
    for one in get_args(hint):
        yield from kinds(one)


def test_every_field_that_holds_expressions_is_listed() -> None:
    """Symmetries, stored nets and the clock of a net see the expressions of listed fields alone."""
    holding = {net.Expr, *net.HOLDING}
    parts = {kind for kind in vars(net).values() if isinstance(kind, type) and issubclass(kind, Part)}
    for kind in parts - {net.Expr, net.Net}:
        hints = get_type_hints(kind)
        found = {name for name, hint in hints.items() if any(one in holding for one in kinds(hint) if one.__hash__)}
        assert found == set(net.HOLDING.get(kind, ())), kind
