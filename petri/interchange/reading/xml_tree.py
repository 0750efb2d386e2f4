"""XML files as small trees that know their lines, within limits, and what no reader has asked for.

Expat of the standard library reads them. A file may not declare entities, so none can grow; there are no requests for
other files. What is for the eye alone (positions, fonts) is skipped as it is read and takes no memory.

An element knows which of its attributes, texts and children a reader has looked at. `report_unread` warns of the rest:
what a reader does not know is never left out silently.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from petri.diagnostics import LanguageError, Value
from petri.interchange.reading.foreign import LARGEST_NUMBER, Foreign, refused
from petri.interchange.reading.remarks import is_rule
from petri.net import Span

DEEPEST = 200  # elements within elements
MOST_ELEMENTS = 400_000
_MOST_UNREAD: Final = 20  # kinds of attributes and elements that are named
_OF_XML: Final = ("xmlns", "xml:", "xsi:")  # attributes that say how to read XML
_TEXT: Final = ""  # the key of an element's text among what was read of it


@dataclass(slots=True)
class Element:
    """`tag` and the names of attributes are without prefixes.

    remarks: the comments before it, and those at its end.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    nested: list[Element] = field(default_factory=list)
    written: str = ""
    remarks: list[str] = field(default_factory=list)
    seen: bool = False
    read: tuple[str, ...] = ()  # the attributes that a reader has asked for, and `_TEXT`

    def get(self, name: str, default: str = "") -> str:
        if name in self.attributes:
            self._note(name)
            return self.attributes[name]
        return default

    @property
    def text(self) -> str:
        """All that stands directly in the element."""
        self._note(_TEXT)
        return self.written

    def _note(self, name: str) -> None:
        if name not in self.read:
            self.read = (*self.read, name)

    def all(self, *tags: str) -> Iterator[Element]:
        """Yield its direct children of these kinds; without kinds, all."""
        for child in self.nested:
            if not tags or child.tag in tags:
                child.seen = True
                yield child

    def first(self, *path: str) -> Element | None:
        """Return the first descendant on this path of kinds."""
        found: Element | None = self
        for tag in path:
            found = next(found.all(tag), None) if found is not None else None
        return found

    def said(self, *path: str) -> str:
        """Return the stripped text of the first descendant on this path; empty if there is none."""
        found = self.first(*path)
        return found.text.strip() if found is not None else ""

    def label(self, name: str) -> str:
        """Return what the element says under a name: an attribute, or a child's `text`, `value` or own text."""
        if self.attributes.get(name):
            return self.get(name).strip()
        child = self.first(name)
        if child is None:
            return ""
        return child.said("text") or child.said("value") or child.text.strip() or child.get("value").strip()

    def everywhere(self, *tags: str) -> Iterator[Element]:
        """Yield all descendants of these kinds, in the order of the file."""
        pending = [self]
        while pending:
            element = pending.pop()
            if element.tag in tags and element is not self:
                element.seen = True
                yield element
            pending.extend(reversed(element.nested))

    def pass_over(self) -> None:
        """Take all in the element as read: it means nothing to the net, or something else says so."""
        pending = [self]
        while pending:
            element = pending.pop()
            element.seen, element.read = True, (_TEXT, *element.attributes)
            pending.extend(element.nested)

    def comments(self) -> str:
        """Return the comments before the element and in it, a line each or more. Each is given once."""
        found, pending = list[str](), [self]
        while pending:
            element = pending.pop()
            found += element.remarks
            element.remarks = []
            pending.extend(reversed(element.nested))
        return "\n".join(found)

    def span(self, file: str) -> Span:
        return Span(file, self.line, self.column, self.line, self.column + len(self.tag) + 1)


def tree_of(data: bytes, file: str, source: str, skipped: Collection[str] = ()) -> Element:
    """Return the root of a file. skipped: kinds of elements that are left out, with all within.

    Raises LanguageError.
    """
    building = _Building(file, source, frozenset(skipped))
    parser = building.parser
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        span = Span(file, max(error.lineno, 1), error.offset + 1, max(error.lineno, 1), error.offset + 2)
        reason = expat.errors.messages.get(error.code, str(error)) if isinstance(error.code, int) else str(error)
        raise refused(file, source, "foreign-xml", span, {"reason": reason}) from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise refused(file, source, "foreign-xml", None, {"reason": str(error)}) from None
    if building.root is None:
        raise refused(file, source, "foreign-xml", None, {"reason": "it has no element"})
    building.leave(building.root)
    return building.root


class _Building:
    """What expat calls."""

    def __init__(self, file: str, source: str, skipped: frozenset[str]) -> None:
        self.root: Element | None = None
        self._file, self._source, self._skipped = file, source, skipped
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._remarks: list[str] = []  # of what comes next
        self._within = 0  # how deep within a skipped element
        self._count = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.CommentHandler = self._comment
        self.parser.EntityDeclHandler = self._entity

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if self._within or tag in self._skipped:
            self._within += 1
            return
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise self._refused("foreign-too-large", what="elements", most=MOST_ELEMENTS)
        if len(self._open) >= DEEPEST:
            raise self._refused("foreign-too-deep", most=DEEPEST)
        plain = {name.rpartition(":")[2]: value for name, value in attributes.items() if not name.startswith(_OF_XML)}
        made = Element(tag, plain, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        self.leave(made)
        if self._open:
            self._open[-1].nested.append(made)
        else:
            self.root = made
        self._open.append(made)
        self._texts.append([])

    def _end(self, _: str) -> None:
        if self._within:
            self._within -= 1
            return
        self.leave(self._open[-1])
        self._open.pop().written = "".join(self._texts.pop())

    def _characters(self, text: str) -> None:
        if not self._within and self._texts:
            self._texts[-1].append(text)

    def _comment(self, text: str) -> None:
        if not self._within:
            lines = (line.strip() for line in text.splitlines())
            self._remarks += [line for line in lines if not is_rule(line)]

    def leave(self, element: Element) -> None:
        if self._remarks:
            element.remarks += self._remarks
            self._remarks = []

    def _entity(self, name: str, *_: object) -> None:
        raise self._refused("foreign-entity", name=name)

    def _refused(self, identifier: str, **values: Value) -> LanguageError:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        return refused(self._file, self._source, identifier, Span(self._file, line, column, line, column + 1), values)


def chosen(foreign: Foreign, root: Element, tag: str, name: str) -> Element:
    """Return the net that is wanted, of the elements with this tag, named by an attribute. Raises LanguageError."""
    nets = [root] if root.tag == tag else list(root.everywhere(tag))
    if not nets:
        foreign.refuse("foreign-no-net", root.span(foreign.file))
    found = foreign.choose([(net.get(name), net) for net in nets], nets[0].span(foreign.file))
    for other in nets:
        if other is not found:
            other.pass_over()
    return found


def report_unread(foreign: Foreign, root: Element, eye: str) -> None:
    """Warn of what no reader has asked for. eye: a pattern of attributes that are for the eye alone."""
    quiet, found = re.compile(eye), dict[str, tuple[Element, int]]()
    root.seen = True
    for element, what in _unread(root, quiet):
        first, count = found.get(what, (element, 0))
        found[what] = first, count + 1
    for what, (first, count) in list(found.items())[:_MOST_UNREAD]:
        foreign.warn("foreign-unread", first.span(foreign.file), what=what, count=count if count > 1 else "")
    if len(found) > _MOST_UNREAD:
        foreign.warn("foreign-more-unread", root.span(foreign.file), count=len(found) - _MOST_UNREAD)


def _unread(root: Element, quiet: re.Pattern[str]) -> Iterator[tuple[Element, str]]:
    """Yield each part of a file that no reader has asked for, and its name in a message."""
    pending = [(root, "")]
    while pending:
        element, parent = pending.pop()
        if not element.seen:
            yield element, f"`{element.tag}` in `{parent}`{_by_tool(element)}"
            continue
        for name in element.attributes:
            if name not in element.read and not quiet.fullmatch(name):
                yield element, f"the attribute `{name}` of `{element.tag}`"
        if _TEXT not in element.read and element.written.strip():
            yield element, f"the text of `{element.tag}`"
        pending.extend((one, element.tag) for one in reversed(element.nested))


def _by_tool(element: Element) -> str:
    tool = element.attributes.get("tool")
    return f", by the tool `{tool}`," if tool else ""


def whole(foreign: Foreign, element: Element, text: str) -> int:
    """Return a number of tokens. Raises LanguageError."""
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit()) or len(plain) > 10 or int(plain) > LARGEST_NUMBER:
        foreign.refuse("foreign-number", element.span(foreign.file), text=plain[:40], most=LARGEST_NUMBER)
    return int(plain)
