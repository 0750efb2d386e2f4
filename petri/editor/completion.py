"""Completion: which words the grammar allows at the cursor, and which names of the net fit there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lsprotocol import types

from petri import library
from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OF_EACH
from petri.catalogue.units import UNITS, dimension_name
from petri.catalogue.words import DECLARATIONS, FORMS
from petri.editor.meant import Meant
from petri.editor.names import Names, inside
from petri.editor.positions import Text
from petri.editor.showing import signature
from petri.editor.workspace import Checked
from petri.language.checking.checker import Checker
from petri.language.checking.measures.figure_templates import SAMPLE_FIELDS
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from petri.language.meaning.scope import (
    ConstantSymbol,
    DistSymbol,
    FnSymbol,
    InstanceSymbol,
    MeasureSymbol,
    ModuleSymbol,
    PlaceSymbol,
    Scope,
    SpaceSymbol,
    Symbol,
    ThreadSymbol,
    TransitionSymbol,
    TypeSymbol,
    kind_of,
)
from petri.language.meaning.types import BUILTIN, CALLER, Record, Type, Vector, describe
from petri.language.syntax import tree
from petri.language.syntax.lexer import Token, lex
from petri.language.syntax.parser import follows
from petri.language.syntax.steps import STEP_WORDS
from petri.language.syntax.tables import END
from petri.measure import reorder

_KIND = types.CompletionItemKind
_WORD = re.compile(r"(?:[^\W\d]\w*)?\Z")
_AFTER_POINT = re.compile(r"((?:[^\W\d]\w*)(?:\.\w+|\[[^\][]*\])*)\.\w*$")
_IMPORT_FILE = re.compile(r"\bimport\s+\"([^\"]*)$")
_IMPORT_MODULE = re.compile(r"\bimport\s+([\w.]*)$")
_TABLE_FILE = re.compile(r"\b(?:table|empirical|average|list|stream)\s*\(\s*\"([^\"]*)$")
_KINDS: dict[type, types.CompletionItemKind] = {
    PlaceSymbol: _KIND.Variable,
    TransitionSymbol: _KIND.Event,
    ThreadSymbol: _KIND.Method,
    InstanceSymbol: _KIND.Module,
    ModuleSymbol: _KIND.Class,
    TypeSymbol: _KIND.Struct,
    DistSymbol: _KIND.Function,
    FnSymbol: _KIND.Function,
    MeasureSymbol: _KIND.Value,
    SpaceSymbol: _KIND.Module,
    ConstantSymbol: _KIND.Constant,
}
MOST_FILES = 500  # of a folder


def complete(checked: Checked, text: Text, line: int, column: int) -> list[types.CompletionItem]:
    """Return what can be written at a position. checked: a check of this text, which may be broken anywhere."""
    here = text.lines[line - 1][: column - 1]
    if lex(here, "").comments:
        return []
    for pattern, suffixes in ((_IMPORT_FILE, (library.SUFFIX,)), (_TABLE_FILE, (".csv",))):
        found = pattern.search(here)
        if found:
            return list(_files(checked.path.parent, found[1], suffixes))
    found = _IMPORT_MODULE.search(here)
    if found:
        return list(_modules(found[1]))
    if here.count('"') % 2:
        return []
    return list(_Completer(checked, text, line, column).items())


class _Completer:
    def __init__(self, checked: Checked, text: Text, line: int, column: int) -> None:
        self.checker: Checker | None = checked.study.checker if checked.study is not None else None
        self.names: Names = checked.names
        before = text.before(line, column)
        word = _WORD.search(before)
        self.before = before[: word.start()] if word else before
        self.starts_line = not self.before.rpartition("\n")[2].strip()
        self.here = text.lines[line - 1][: column - 1]
        self.statement, self.kinds = follows(self.before, checked.name)
        self.scope = self._scope(checked, line)

    def _scope(self, checked: Checked, line: int) -> Scope:
        """Return the scope of the innermost module around a line, else that of the net."""
        scope = self.checker.scope if self.checker is not None else Scope()
        for symbol in list(scope.names.values()):
            if isinstance(symbol, ModuleSymbol) and symbol.scope is not None:
                span = symbol.declaration.span
                if span.file == checked.name and span.line <= line <= span.end_line:
                    return symbol.scope
        return scope

    def items(self) -> Iterator[types.CompletionItem]:
        path = _AFTER_POINT.search(self.here)
        if path:
            yield from self._members(path[1])
            return
        tokens = self.statement.tokens if self.statement else []
        if "NAME" in self.kinds and tokens and tokens[-1].kind == "NUMBER":
            yield from self._units()
            return
        if self.starts_line and END in self.kinds:
            yield from self._starts()
        yield from (_keyword(word) for word in sorted(self.kinds) if word.isalpha() and word.islower())
        if "NAME" in self.kinds:
            yield from self._visible()

    def _starts(self) -> Iterator[types.CompletionItem]:
        """Yield the words with which a declaration or a step starts."""
        word = self.statement.word if self.statement else ""
        words = STEP_WORDS if word in STEP_WORDS or word == "thread" else DECLARATIONS
        yield from (_keyword(start) for start in sorted({*words, "end"}))

    def _units(self) -> Iterator[types.CompletionItem]:
        yield from (_item(name, _KIND.Unit, "1", "a unit of this net") for name in self.scope.unit_names())
        for name, unit in UNITS.items():
            yield _item(name, _KIND.Unit, "2", dimension_name(unit.dimension))

    # ------------------------------------------------------------ names

    def _visible(self) -> Iterator[types.CompletionItem]:
        """Yield the names that fit; the grammar says whether a type, module, arc or value can be written here."""
        tokens = self.statement.tokens if self.statement else []
        if "service" in self.kinds:
            yield from self._symbols(lambda symbol: isinstance(symbol, TypeSymbol))
            yield from (_item(name, _KIND.Struct, "2") for name in BUILTIN)
        elif self.statement and self.statement.word == "instance" and tokens[-1].kind == "=":
            yield from self._symbols(lambda symbol: isinstance(symbol, ModuleSymbol))
        elif "read" in self.kinds:
            yield from self._symbols(lambda symbol: isinstance(symbol, (PlaceSymbol, InstanceSymbol, SpaceSymbol)))
        elif "NUMBER" in self.kinds or "(" in self.kinds:  # an expression can be written; else the name would be new
            yield from self._variables()
            yield from self._symbols(lambda symbol: not isinstance(symbol, ModuleSymbol))
            yield from self._functions()

    def _symbols(self, fits: Callable[[Symbol], bool]) -> Iterator[types.CompletionItem]:
        for name, symbol in self.scope.visible():
            if fits(symbol) and not ("." in name and name in self.scope.names):
                yield self._symbol(name, symbol)

    def _symbol(self, name: str, symbol: Symbol) -> types.CompletionItem:
        kind = _KINDS.get(type(symbol), _KIND.Text)
        doc = getattr(symbol, "doc", "") or getattr(getattr(symbol, "declaration", None), "doc", "")
        own = signature(Meant(name, "", symbol.span, type=getattr(symbol, "type", None), symbol=symbol))
        return _item(name, kind, "2", f"{kind_of(symbol)} {own}".strip(), doc)

    def _variables(self) -> Iterator[types.CompletionItem]:
        for name, kind in self._local().items():
            yield _item(name, _KIND.Variable, "0", describe(kind) if kind is not None else "a variable")

    def _functions(self) -> Iterator[types.CompletionItem]:
        if self.statement and self.statement.word in ("measure", "expect"):
            yield from (_item(name, _KIND.Function, "3", usage) for name, usage in MEASURE_FUNCTIONS.items())
        yield from (_item(name, _KIND.Function, "3", usage) for name, usage in (FUNCTIONS | OF_EACH).items())
        yield from (_item(name, _KIND.Function, "3", usage) for name, usage in DISTRIBUTIONS.items())

    def _local(self) -> dict[str, Type | None]:
        """Return the variables of the statement at the cursor, which may be broken; with known types."""
        tokens = self.statement.tokens if self.statement else []
        found: dict[str, Type | None] = {}
        name = tokens[1] if len(tokens) > 1 else None
        for key, variables in self.names.variables.items():
            if name is not None and key[1:] == (name.line, name.column):
                found.update({variable: meant.type for variable, meant in variables.items()})
        for variable, kind in _bound(tokens, self.scope):
            found[variable] = kind if kind is not None else found.get(variable)
        return found

    # ------------------------------------------------------------ after a point

    def _members(self, path: str) -> Iterator[types.CompletionItem]:
        first, *rest = re.sub(r"\[[^\]]*\]", "[", path).split(".")
        kind = _element(self._local().get(first.rstrip("[")), first)
        first = first.rstrip("[")
        symbol = None if kind is not None else self.scope.find(first)
        for part in rest:
            name = part.rstrip("[")
            kind = _element(kind.fields.get(name) if isinstance(kind, Record) else None, part)
            inner = inside(symbol, self.scope)
            symbol = inner.names.get(name) if inner is not None else None
        if isinstance(kind, Record):
            yield from () if isinstance(kind, Vector) else self._fields(kind)
        elif isinstance(symbol, MeasureSymbol):
            known = (*SAMPLE_FIELDS, *reorder.FIELDS) if _reorders(symbol) else SAMPLE_FIELDS
            yield from (_item(field, _KIND.Field, "1", f"of the measure {symbol.name}") for field in known)
        else:
            inner = inside(symbol, self.scope)
            names = inner.names.items() if inner is not None else ()
            yield from (self._symbol(name, found) for name, found in names if "." not in name)

    def _fields(self, kind: Record) -> Iterator[types.CompletionItem]:
        for name, inner in kind.fields.items():
            if name != CALLER:
                yield _item(name, _KIND.Field, "1", describe(inner))


def _element(kind: Type | None, part: str) -> Type | None:
    """Return the type of `s[` and `s[[`, which stand for elements: of a vector, and of a vector of vectors."""
    for _ in range(part.count("[")):
        kind = kind.element if isinstance(kind, Vector) else None
    return kind


def _reorders(symbol: MeasureSymbol) -> bool:
    formula = symbol.declaration.formula
    function = formula.function if isinstance(formula, tree.Call) else None
    return isinstance(function, tree.Name) and function.name == "reorder"


def _bound(tokens: list[Token], scope: Scope) -> Iterator[tuple[str, Type | None]]:
    """Yield what the patterns, draws and lets of a statement bind, from its tokens: `place(p)`, `s ~ …`, `rest = …`."""
    place: Type | None = None
    for position, token in enumerate(tokens[:-1]):
        after = tokens[position + 1]
        if token.kind == "NAME":
            symbol = scope.find(token.text)
            if isinstance(symbol, PlaceSymbol):
                place = symbol.type
            opened = position > 0 and tokens[position - 1].kind in ("(", "{", ",")
            if opened and after.kind in (")", ",", "}") and not isinstance(symbol, (PlaceSymbol, ConstantSymbol)):
                whole = tokens[position - 1].kind == "(" and after.kind == ")"
                yield token.text, place if whole else None
            elif after.kind == "~" or (after.kind == "=" and position > 1):
                yield token.text, None


def _keyword(word: str) -> types.CompletionItem:
    return _item(word, _KIND.Keyword, "1", FORMS.get(word, "").partition("`")[0])


def _item(
    label: str, kind: types.CompletionItemKind, rank: str, detail: str = "", doc: str = ""
) -> types.CompletionItem:
    """rank: what is likelier comes first."""
    return types.CompletionItem(
        label, kind=kind, detail=detail or None, documentation=doc or None, sort_text=rank + label
    )


def _modules(prefix: str) -> Iterator[types.CompletionItem]:
    """Yield the modules of the library."""
    start = prefix.rpartition(".")[0]
    for path, _ in sorted(library.named(library.models())):
        name = path.replace("/", ".")
        if name.startswith(start):
            # After a point, editors replace the last word only.
            rest = name[len(start) + 1 :] if start else name
            yield types.CompletionItem(rest, kind=_KIND.Module, detail=name, filter_text=rest)


def _files(folder: Path, prefix: str, suffixes: Iterable[str]) -> Iterator[types.CompletionItem]:
    """Yield the files beside a net, and below; a net cannot read others."""
    inner = folder / prefix.rpartition("/")[0]
    if not inner.resolve().is_relative_to(folder.resolve()):
        return
    try:
        entries = sorted(inner.iterdir())[:MOST_FILES]
    except (OSError, ValueError):
        return
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield types.CompletionItem(f"{path.name}/", kind=_KIND.Folder)
        elif path.suffix in suffixes:
            yield types.CompletionItem(path.name, kind=_KIND.File)
