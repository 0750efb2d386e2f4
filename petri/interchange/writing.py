"""A foreign net as text of the language, in the standard layout."""

from __future__ import annotations

from petri.interchange.reading.foreign import Constant, Foreign, Place, Transition, Type
from petri.language.layout.formatter import format_source
from petri.language.syntax.foreign import LARGEST_FILE

_SHORT = 90  # characters of a declaration and its comment on one line
_CLAUSES = (
    "draw", "let", "takes", "after", "servers", "memory", "speed", "when", "priority", "weight", "prefer",
)  # fmt: skip


def text_of(net: Foreign) -> str:
    """Return the net as a `.net` file. Raises LanguageError where a name or an expression of a reader is wrong."""
    blocks = (
        [*map(_constant, net.constants), *map(_type, net.types)],
        [_place(place, net) for place in net.places],
        [_transition(transition, net) for transition in net.transitions],
        net.measures,
    )
    head = [*_doc(_heading(net)), f"net {net.name}"]
    text = "\n\n".join("\n".join(block) for block in (head, *blocks) if block) + "\n"
    if len(text) > LARGEST_FILE:
        net.refuse("foreign-net-too-large", limit=f"{LARGEST_FILE // 2**20} MiB")
    return format_source(text, f"<{net.name}>")


def _heading(net: Foreign) -> str:
    return "\n".join([f"Imported from {net.origin}: {net.file.rpartition('/')[2]}", *net.comments])


def _doc(text: str) -> list[str]:
    return [f"## {' '.join(line.split())}".rstrip() for line in text.splitlines()]


def _documented(declaration: str, *docs: str) -> str:
    """Add a comment: at the end of its line if it is short, else before it."""
    doc = "\n".join(filter(None, docs))
    if doc and "\n" not in doc and len(declaration) + len(doc) <= _SHORT:
        return f"{declaration}  ## {doc}"
    return "\n".join([*_doc(doc), declaration])


def _constant(constant: Constant) -> str:
    return _documented(f"{constant.word} {constant.name} = {constant.value}", constant.doc)


def _type(made: Type) -> str:
    return _documented(f"type {made.name} = {made.definition}", made.doc)


def _place(place: Place, net: Foreign) -> str:
    words = [f"place {place.name}", place.type and f": {place.type}", place.discipline]
    words += [place.capacity and f"cap {place.capacity}", place.initial and f"= {place.initial}"]
    return _documented(" ".join(filter(None, words)), net.names.original(place.name), place.doc)


def _transition(transition: Transition, net: Foreign) -> str:
    arcs = [", ".join(transition.inputs), "->", ", ".join(transition.outputs) or "nothing"]
    words = [f"transition {transition.name}:", *filter(None, arcs)]
    for word in _CLAUSES:
        value = transition.clauses.get(word)
        words += [] if value is None else [value if word == "memory" else f"{word} {value}"]
    return _documented(" ".join(words), net.names.original(transition.name), transition.doc)
