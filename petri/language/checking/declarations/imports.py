"""Imports with names of their own, and the parameters that imports set.

`import "port.net" as voice with rate = 2 Mbps` brings the declarations of a file into a scope of their own. What the
file declares is part of the net under `voice.`, as if it were an instance.
"""

from __future__ import annotations

from collections.abc import Iterator

from petri.diagnostics import Label
from petri.language.checking.state import CheckState, Space
from petri.language.meaning.scope import ConstantSymbol, Scope, SpaceSymbol, kind_of
from petri.language.meaning.templates import Body, InstanceTemplate
from petri.language.syntax import tree
from petri.structs import Struct


class OpenSpace(Struct):
    """The files that share names, their scope, and what they become. `prefix` is "voice.", of the net itself ""."""

    space: Space
    scope: Scope
    body: Body
    prefix: str = ""

    def declarations(self) -> tuple[tree.Declaration, ...]:
        return tuple(d for file in self.space.files for d in file.declarations)


def open_spaces(checker: CheckState, space: Space) -> Iterator[OpenSpace]:
    """Yield the net, then each import with a name of its own, its scope entered where it can be seen."""
    yield from _opened(checker, OpenSpace(space, checker.scope, checker.body))


def _opened(checker: CheckState, opened: OpenSpace) -> Iterator[OpenSpace]:
    yield opened
    for d, inner in opened.space.inner:
        assert d.alias is not None
        first = opened.scope.names.get(d.alias)
        if first is not None:
            checker.problems.twice(d.alias, d.alias_span or d.span, first.span, kind_of(first))
            continue
        scope = Scope()
        opened.scope.names[d.alias] = SpaceSymbol(d.alias, d.alias_span or d.span, d, scope)
        body = checker.bodies[id(scope)] = Body(d.alias, scope)
        opened.body.instances.append(InstanceTemplate(d.alias, (), None, body, (), (), d.span))
        expected = [
            declaration
            for file in inner.files
            for declaration in file.declarations
            if isinstance(declaration, tree.Expect)
        ]
        if expected:
            checker.problems.error("not-with-as", d.span, path=expected[0].span.file, alias=d.alias)
        yield from _opened(checker, OpenSpace(inner, scope, body, f"{opened.prefix}{d.alias}."))


def take_settings(checker: CheckState, opened: OpenSpace) -> None:
    """Give the parameters that the imports of a space set their expressions."""
    for d in opened.declarations():
        if not isinstance(d, tree.Import):
            continue
        scope = opened.scope
        if d.alias is not None:
            symbol = scope.names.get(d.alias)
            if not isinstance(symbol, SpaceSymbol) or symbol.declaration is not d:
                continue
            scope = symbol.scope
        for setting in d.settings:
            _set(checker, d, setting, scope, opened.scope)


def _set(checker: CheckState, d: tree.Import, setting: tree.Let, scope: Scope, outer: Scope) -> None:
    symbol = scope.names.get(setting.name)
    if not isinstance(symbol, ConstantSymbol) or symbol.role != "parameter" or symbol.span.file == d.span.file:
        if checker.excused(setting.name):
            return
        known = [
            name
            for name, found in scope.names.items()
            if isinstance(found, ConstantSymbol) and found.role == "parameter" and found.span.file != d.span.file
        ]
        constant = setting.name if isinstance(symbol, ConstantSymbol) and symbol.role == "constant" else None
        suggestion = checker.problems.meant(setting.name, known)
        checker.problems.error(
            "unknown-setting", setting.name_span, name=setting.name, path=d.name, suggestion=suggestion,
            known=known[:12], constant=constant,
        )  # fmt: skip
    elif symbol.setting is not None:
        label = Label(symbol.setting[0].span, "first-given")
        checker.problems.error("argument-twice", setting.span, label, name=setting.name)
    else:
        symbol.setting = (setting.value, outer)
