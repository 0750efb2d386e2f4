"""The LALR(1) automaton: turns the tokens of one declaration into its node, or reports where and why it stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from petri.catalogue.words import CLAUSES, NAMES_TOO, SOFT
from petri.language.syntax.builder import Builder
from petri.language.syntax.lexer import Token
from petri.language.syntax.tables import END, ParserTables, Rule, load_tables

# Rules and repetitions that make a list of their children.
_LISTS = frozenset((
    "", "arguments", "draws", "fields", "initials", "inputs", "instance_arguments", "keys", "lets", "loops", "outputs",
    "parameters", "places", "records", "port_size", "request", "size", "stages",
))  # fmt: skip
_STATES_PER_LEVEL = 8  # more than any operation keeps on the stack while it waits for its last operand


class SyntaxFailure(Exception):
    """The token at `position` (the number of tokens, if the declaration ends too early) cannot follow those before it.

    `expected` are the kinds of token that could follow, including END if the declaration could end here.
    """

    def __init__(self, position: int, expected: frozenset[str]) -> None:
        self.position = position
        self.expected = expected
        super().__init__(position)


class TooDeep(Exception):
    """Operations are nested deeper than the limit; `first` and `last` are the tokens of the operation."""

    def __init__(self, first: Token, last: Token) -> None:
        self.first, self.last = first, last
        super().__init__()


def run(builder: Builder, start: str, tokens: Sequence[Token], deepest: int) -> Any:
    """Return the node that the builder makes from the declaration; raises SyntaxFailure or TooDeep."""
    tables = load_tables()
    actions, gotos, rules = tables.actions, tables.gotos, tables.rules
    states = [tables.starts[start]]
    values: list[Any] = []
    firsts: list[int] = []  # of each value: the position of its first token; it ends where the next one begins
    depths: list[int] = []  # of each value: how deep operations are nested in it
    for position in range(len(tokens) + 1):
        token = tokens[position] if position < len(tokens) else None
        kind = token.kind if token else END
        perhaps_name = kind in _EITHER
        while True:
            if perhaps_name and is_name(actions[states[-1]], kind, tokens, position):
                kind, perhaps_name = "NAME", False
            action = actions[states[-1]].get(kind)
            if action is None:
                raise SyntaxFailure(position, expected(start, tokens[:position]))
            if action > 0:
                break
            rule = rules[-action - 1]
            if _renames(rule):
                if perhaps_name:
                    states[-1] = gotos[states[-2]][rule.origin]
                else:
                    states[-1] = _renamed(states[-2], states[-1], kind)
                continue
            size = rule.length
            first, depth = firsts[-size], max(depths[-size:])
            children = _children(rule, values)
            if rule.action is None:
                value = children[0]
            elif rule.action in _LISTS:
                value = children
            else:
                depth += 1
                if depth > deepest:
                    raise TooDeep(tokens[first], tokens[position - 1])
                value = builder.make(rule.action, children, tokens[first], tokens[position - 1])
            del values[-size:], states[-size:], firsts[-size:], depths[-size:]
            values.append(value)
            firsts.append(first)
            depths.append(depth)
            states.append(gotos[states[-1]][rule.origin])
        states.append(action - 1)
        values.append(token)
        firsts.append(position)
        depths.append(0)
        if len(states) > _STATES_PER_LEVEL * deepest:
            raise TooDeep(tokens[position], tokens[position])
    return values[0]


def _renames(rule: Rule) -> bool:
    """Return whether it only gives a value another name: an operand is also a product, a sum, a condition."""
    return rule.action is None and rule.length == 1 and not rule.splice


@cache
def _renamed(below: int, state: int, kind: str) -> int:
    """Return the state after all such steps before a token: most steps are, and they depend on no other state."""
    tables = load_tables()
    while (action := tables.actions[state].get(kind, 1)) < 0 and _renames(rule := tables.rules[-action - 1]):
        state = tables.gotos[below][rule.origin]
    return state


def is_name(actions: Mapping[str, int], kind: str, tokens: Sequence[Token], position: int) -> bool:
    """Return whether a word that is a keyword elsewhere is a name here. actions: of the automaton's state."""
    if kind not in actions and kind in SOFT:
        return True
    if "NAME" not in actions:
        return False
    following = tokens[position + 1].kind if position + 1 < len(tokens) else END
    if kind in actions:
        if following == "when" and tokens[position - 1].kind == "NUMBER":  # `after 5 resume when`: not a unit
            return False
        return following in _AFTER_NAMES.get(kind, ()) and not _begins_an_operand(tokens, position + 1)
    return following not in ("NAME", "NUMBER", "STRING")


def _begins_an_operand(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a bracket or a minus belongs to what follows, as its spaces say:

    `read (p)` reads p, `order -p.seq`.
    """
    before, token = tokens[position - 1 : position + 1]
    if before.end_column == token.column:
        return False
    if token.kind != "-":
        return token.kind in ("(", "[")
    return position + 1 < len(tokens) and token.end_column == tokens[position + 1].column


# What follows a name where the keyword could stand as well: a place in an arc, a value in an enumeration.
_EITHER = SOFT | NAMES_TOO
_BEHIND_NAMES = (",", ")", ".", "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "..", ":", "->")
# `when` follows the place of a set, behind `all`.
_OF_PLACES = (",", "->", "(", "[", "*", ">=", "when")
_AFTER_NAMES = {**dict.fromkeys(CLAUSES, _OF_PLACES), "token": ("|",), "order": (*_BEHIND_NAMES, "[")}


def _children(rule: Rule, values: list[Any]) -> list[Any]:
    """Return the children that matter, of those at the end of the values."""
    size = rule.length
    children: list[Any] = []
    picked = rule.pick
    if rule.action == "" and picked[0] in rule.splice:  # a repetition grows in place: to copy it each time is quadratic
        children, picked = values[picked[0] - size], picked[1:]
    for position in picked:
        if position < 0:
            children.append(None)
        elif position in rule.splice:
            children += values[position - size]
        else:
            children.append(values[position - size])
    return children


def expected(start: str, tokens: Sequence[Token]) -> frozenset[str]:
    """Return the kinds of token that may follow the given ones, which the automaton accepts.

    Each kind is tried separately: LALR rows alone allow too many, and when a token fails, the automaton has already
    reduced the tokens before it.
    """
    tables = load_tables()
    states = [tables.starts[start]]
    for position, token in enumerate(tokens):
        _shift(tables, states, token.kind, tokens, position)
    return frozenset(kind for kind in tables.actions[states[-1]] if _shift(tables, list(states), kind))


def _shift(tables: ParserTables, states: list[int], kind: str, tokens: Sequence[Token] = (), position: int = 0) -> bool:
    """Move the automaton over one token, in place; False, with an invalid stack, if it cannot."""
    while True:
        if tokens and kind in _EITHER and is_name(tables.actions[states[-1]], kind, tokens, position):
            kind = "NAME"
        action = tables.actions[states[-1]].get(kind)
        if action is None:
            return False
        if action > 0:
            states.append(action - 1)
            return True
        rule = tables.rules[-action - 1]
        del states[-rule.length :]
        states.append(tables.gotos[states[-1]][rule.origin])
