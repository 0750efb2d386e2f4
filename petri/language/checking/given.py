"""Expressions from outside the net, such as `20 ms` or `tokens(buffer) == 8` on the command line."""

from __future__ import annotations

from petri.diagnostics import Diagnostic, LanguageError
from petri.language.problems import Problems
from petri.language.syntax import tree
from petri.language.syntax.parser import parse
from petri.structs import replace

_PREFIX = "const given = "  # which makes a declaration of it


def parsed(text: str, name: str, called: str, problems: Problems) -> tree.Const:
    """Return the expression, as the value of a declaration.

    name, called: what it is, in messages and as their source. Raises LanguageError.
    """
    file, found = parse(_PREFIX + text, called)
    problems.sources[called] = _PREFIX + text
    only = file.declarations[0] if len(file.declarations) == 1 else None
    if found or not isinstance(only, tree.Const):
        reason = found[0].message if found else "not one expression"
        problems.error("parameter-value", None, name=name, text=text, reason=reason)
        raise wrong(problems)
    return only


def wrong(problems: Problems) -> LanguageError:
    """Return the problems found in such an expression, with their positions in the text that the user gave."""
    sources = {name: text.removeprefix(_PREFIX) for name, text in problems.sources.items()}
    return LanguageError([_without_prefix(one) for one in problems.found], sources)


def _without_prefix(found: Diagnostic) -> Diagnostic:
    at = found.span
    if at is None:
        return found
    shorter = len(_PREFIX) if at.line == 1 else 0
    end = len(_PREFIX) if at.end_line == 1 else 0
    return replace(found, span=replace(at, column=at.column - shorter, end_column=at.end_column - end))
