"""Declarations that an editor has not changed are not parsed again: most of the time of a check is parsing."""

from __future__ import annotations

import re
from collections.abc import Hashable
from itertools import accumulate

from petri.language.syntax import tree
from petri.language.syntax.splitting import Statement
from petri.structs import Struct, field

_WITH_BREAK = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
Nodes = tuple[tree.Declaration, ...]


class KnownStatements(Struct):
    """The nodes of the statements of one file, of this parse and of the one before.

    A statement is known by its text, its position and what decides how it is read. Only statements without a problem
    are kept.
    """

    before: dict[Hashable, Nodes] = field(default_factory=dict)
    now: dict[Hashable, Nodes] = field(default_factory=dict)
    text: str = ""
    starts: list[int] = field(default_factory=list)

    def begin(self, text: str) -> None:
        """Begin a parse of this text; what the last one did not use is forgotten."""
        self.before, self.now, self.text = self.now, {}, text
        self.starts = [0, *accumulate(len(line) for line in _WITH_BREAK.findall(text))]

    def key(self, statement: Statement, doc: str, spaces: frozenset[str]) -> Hashable:
        """spaces: the imports with names of their own, which join names."""
        first, last = statement.tokens[0], statement.tokens[-1]
        start = self.starts[first.line - 1] + first.column - 1
        end = self.starts[last.line - 1] + last.end_column - 1
        return (statement.word, first.line, first.column, self.text[start:end], doc, spaces)

    def find(self, key: Hashable) -> Nodes | None:
        """Return the nodes of the statement, if it was parsed before."""
        nodes = self.before.get(key)
        if nodes is not None:
            self.now[key] = nodes
        return nodes

    def keep(self, key: Hashable, nodes: Nodes) -> None:
        self.now[key] = nodes
