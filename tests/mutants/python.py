"""The areas that are written in Python, and the changes of a source, each of which a test should notice."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.mutants.change import ROOT, Change, Span, change_of
from tests.mutants.trial import Changed, Outcome, trial

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr, ast.BitXor: ast.BitAnd,
}  # fmt: skip
# What does not run, only refuses what must not happen (`strict` of `zip`, for example), or is text (the parts of which
# Python 3.11 does not locate).
UNSEEN = (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise, ast.JoinedStr)
UNSEEN_FIELDS = {"annotation", "returns", "decorator_list", "type_params"}
Part = ast.expr | ast.stmt


def changes(file: str) -> list[Change]:
    """Return all changes of a file, in a fixed order."""
    source = (ROOT / file).read_text("utf-8")
    found = []
    for node, function in seen(ast.parse(source)):
        if (pair := exchange(node)) is None:
            continue
        old, new = pair
        text = ast.unparse(new)
        if not isinstance(new, ast.stmt | ast.Constant):
            text = f"({text})"  # binds as the whole did
        found.append(change_of(file, source, function, span(source, old), text))
    return found


def seen(node: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes of a tree that run, each with the qualified name of its function or class."""
    yield node, function
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            if isinstance(child, ast.AST) and name not in UNSEEN_FIELDS and not isinstance(child, UNSEEN):
                yield from seen(child, function)


def span(source: str, part: Part) -> Span:
    """Return the position of a part, in characters; that of Python is in bytes."""
    lines = source.split("\n")
    first, last = part.lineno - 1, (part.end_lineno or 0) - 1
    start, end = (
        len(lines[line].encode()[:column].decode())
        for line, column in ((first, part.col_offset), (last, part.end_col_offset or 0))
    )
    return (first, start), (last, end)


def exchange(node: ast.AST) -> tuple[Part, Part] | None:
    """Return a part of a node, and what takes its place."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=right) if type(op) in COMPARISONS:
            return node, ast.Compare(left, [COMPARISONS[type(op)]()], right)
        case ast.BinOp(left=left, op=op, right=other) if type(op) in OPERATORS:
            return node, ast.BinOp(left, OPERATORS[type(op)](), other)
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in OPERATORS:
            return node, ast.AugAssign(target, OPERATORS[type(op)](), value)
        case ast.BoolOp(op=op, values=values):
            return node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return node, operand
        case ast.Constant(value=bool(value)):
            return node, ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            return node, ast.Constant(value + 1)
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test, ast.UnaryOp(ast.Not(), test)
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            return value, ast.Constant(None)
        case ast.Expr(value=ast.Call()):
            return node.value, ast.Constant(None)
        case _:
            return None


TIMES_LONGER = 3  # than the tests without a change: a mutant may run for ever
LONGEST = 3600  # seconds


class PythonArea:
    """Files, and the tests that should notice their changes."""

    def __init__(self, tests: Mapping[str, Sequence[str]], log: Path) -> None:
        self.tests = tests
        self.log = log
        self.needed: dict[Sequence[str], float] = {}  # seconds

    def changes(self) -> list[Change]:
        return [change for file in self.tests for change in changes(file)]

    def try_out(self, change: Change) -> Outcome | None:
        """Run the tests of the file against a change; before the first, against the source as it is."""
        try:
            changed = Changed(change.file, change.changed_source())
        except SyntaxError:  # a pattern, for example
            return None
        tests = self.tests[change.file]
        if tests not in self.needed:
            unchanged = Changed(change.file, change.source)
            result, self.needed[tests] = trial(unchanged, tests, LONGEST, self.log)
            if result != "passed":
                sys.exit(f"the tests fail without any change; see {self.log}")
        seconds = round(TIMES_LONGER * self.needed[tests]) + 5
        return trial(changed, tests, seconds, self.log)[0]
