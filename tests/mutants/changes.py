"""Small changes of a Python source, each of which a test should notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr, ast.BitXor: ast.BitAnd,
}  # fmt: skip
# What does not run, or only refuses what must not happen.
UNSEEN = (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise)
UNSEEN_FIELDS = {"annotation", "returns", "decorator_list", "type_params"}


@dataclass(frozen=True)
class Mutant:
    """A changed source."""

    line: int
    was: str
    becomes: str
    tree: ast.Module


def seen(node: ast.AST) -> Iterator[ast.AST]:
    """A tree without what does not run, in a fixed order."""
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in UNSEEN_FIELDS and not isinstance(child, UNSEEN):
                yield from seen(child)


def positions(source: str) -> list[int]:
    """The nodes of a source that can be changed, by their number."""
    nodes = list(seen(ast.parse(source)))  # all, before the first is changed
    return [number for number, node in enumerate(nodes) if change(node)]


def mutant(source: str, position: int) -> Mutant:
    """The source with one node changed."""
    tree = ast.parse(source)
    node = list(seen(tree))[position]
    was = ast.unparse(node)
    if not change(node):
        raise ValueError(f"node {position} cannot be changed")
    line = getattr(node, "lineno", 0)
    was, becomes = (text.splitlines()[0] for text in (was, ast.unparse(node)))
    return Mutant(line, was, becomes, ast.fix_missing_locations(tree))


def change(node: ast.AST) -> bool:
    """Changes a node where it is. False where there is nothing to change."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            node.ops = [COMPARISONS[type(op)]()]
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in OPERATORS:
            node.op = OPERATORS[type(op)]()
        case ast.BoolOp(op=ast.And()):
            node.op = ast.Or()
        case ast.BoolOp(op=ast.Or()):
            node.op = ast.And()
        case ast.UnaryOp(op=ast.USub()):
            node.op = ast.UAdd()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value) | float(value)):
            node.value = value + 1
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.Return(value=ast.expr()):
            node.value = ast.Constant(None)
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case _:
            return False
    return True
