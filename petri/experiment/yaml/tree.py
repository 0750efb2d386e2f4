"""YAML with positions: mappings, lists and texts that know their place in the file.

Only the composer of PyYAML's safe loader is used: no tag creates an object, and plain texts are not silently turned
into dates or sexagesimal numbers. Anchors are allowed; the nodes that they multiply are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from petri.diagnostics import Diagnostic, LanguageError
from petri.net import Span

LARGEST_FILE: Final = 1 << 20  # bytes
MOST_ENTRIES: Final = 100_000
DEEPEST: Final = 12
_PLAIN_TAGS: Final = tuple(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge")
)


@dataclass(frozen=True, slots=True)
class YamlText:
    """A scalar; `plain` if written without quotes, so that it may be a number."""

    value: str
    plain: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[YamlNode, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class YamlTable:
    """A mapping; `keys` has the position of each key."""

    entries: Mapping[str, YamlNode]
    keys: Mapping[str, Span]
    span: Span


YamlNode = YamlText | Items | YamlTable


def read(path: Path) -> tuple[YamlNode | None, str, list[Diagnostic]]:
    """Return the tree of a file (None if empty), its text, and its errors.

    Raises LanguageError if no tree can be made.
    """
    text = read_text(path)
    try:
        loader = yaml.SafeLoader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except RecursionError as error:
        raise LanguageError([Diagnostic("yaml-too-deep", Span(str(path), 1, 1, 1, 2))], {str(path): text}) from error
    except yaml.YAMLError as error:
        raise LanguageError([syntax_error(error, path)], {str(path): text}) from error
    reader = _YamlReader(str(path))
    try:
        node = None if root is None else reader.node(root, 0)
    except LanguageError as error:
        raise LanguageError(error.diagnostics, {str(path): text}) from error
    return node, text, reader.problems


def read_text(path: Path) -> str:
    """Return the file's text. Raises LanguageError if it is missing, too large, or not text."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        values = {"path": str(path), "reason": error.strerror or str(error)}
        raise LanguageError([Diagnostic("yaml-missing-file", values=values)]) from error
    if len(data) > LARGEST_FILE:
        raise LanguageError([Diagnostic("yaml-too-large", values={"path": str(path), "limit": LARGEST_FILE})])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LanguageError([Diagnostic("yaml-not-text", values={"path": str(path)})]) from error


def syntax_error(error: yaml.YAMLError, path: Path) -> Diagnostic:
    mark = getattr(error, "problem_mark", None)
    span = None if mark is None else Span(str(path), mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Diagnostic("yaml-syntax", span, {"reason": reason, "context": getattr(error, "context", None)})


class _YamlReader:
    """Turns PyYAML's nodes into ours, up to a limit."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Diagnostic] = []
        self.left = MOST_ENTRIES

    def span(self, node: yaml.Node) -> Span:
        start, end = node.start_mark, node.end_mark
        return Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def node(self, node: yaml.Node, depth: int) -> YamlNode:
        """Raise LanguageError if the tree is too large or too deep."""
        span = self.span(node)
        self.left -= 1
        if depth > DEEPEST:
            raise LanguageError([Diagnostic("yaml-too-deep", span)])
        if self.left < 0:
            raise LanguageError([Diagnostic("yaml-too-many", span, {"limit": MOST_ENTRIES})])
        if node.tag not in _PLAIN_TAGS:
            self.problems.append(Diagnostic("yaml-tag", span, {"tag": node.tag}))
        if isinstance(node, yaml.SequenceNode):
            return Items(tuple(self.node(item, depth + 1) for item in node.value), span)
        if isinstance(node, yaml.MappingNode):
            return self.table(node, span, depth)
        return YamlText(str(node.value), getattr(node, "style", None) is None, span)

    def table(self, node: yaml.MappingNode, span: Span, depth: int) -> YamlTable:
        entries: dict[str, YamlNode] = {}
        keys: dict[str, Span] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            if name in entries:
                self.problems.append(Diagnostic("yaml-duplicate", self.span(key), {"name": name}))
            entries[name] = self.node(value, depth + 1)
            keys[name] = self.span(key)
        return YamlTable(entries, keys, span)
