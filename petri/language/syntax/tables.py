"""The LALR(1) tables of `grammar.lark`: compiled by lark, stored as JSON in the folder of the grammar.

Compiling takes 0.2 s in each `pnsim` command; reading the JSON takes some 3 ms. The JSON contains the digest
of its grammar. If the grammar has changed, it is compiled again, so a stale file costs time but is never wrong. `python
-m petri.language.syntax.tables` rewrites the file; a test fails if it is stale.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from lark import Lark
from lark.common import ParserConf
from lark.lexer import Lexer
from lark.parsers.lalr_analysis import LALR_Analyzer

from petri.atomic_file import write_text
from petri.structs import Frozen, as_json, read_json

GRAMMAR = "grammar.lark"
COMPILED = "tables.json"
END = "$END"
STARTS = (
    "net", "time", "import", "param", "const", "unit", "type_declaration", "dist", "fn", "place", "transition",
    "module", "port", "instance", "measure", "expect", "run", "schedule", "service", "thread",
    "step",
)  # fmt: skip


class Rule(Frozen, array_like=True):
    """How to process the children of a complete rule.

    `pick` lists the relevant children, by position; -1 is a part in `[…]` that was not written. Those in `splice` are
    lists to merge. `action` names the builder's method; "" makes a list (a repetition), and None passes on the only
    child.
    """

    origin: int
    length: int
    action: str | None
    pick: tuple[int, ...]
    splice: frozenset[int]


class ParserTables(Frozen):
    """`actions[state][terminal]` is the next state plus 1 to shift, or minus (rule plus 1) to reduce."""

    digest: str
    rules: tuple[Rule, ...]
    starts: dict[str, int]
    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[int, int], ...]


@cache
def load_tables() -> ParserTables:
    grammar = _read(GRAMMAR).decode()
    try:
        tables = read_json(_read(COMPILED), ParserTables)
        if tables.digest == digest(grammar):
            return tables
    except (OSError, ValueError):
        pass  # missing or damaged: compile instead
    return compile_grammar(grammar)


def _beside(name: str) -> str:
    return os.path.join(os.path.dirname(__file__), name)


def _read(name: str) -> bytes:
    with open(_beside(name), "rb") as file:
        return file.read()


def digest(grammar: str) -> str:
    """Detect a changed grammar. It need not resist attacks: whoever can write the tables can write the parser."""
    return f"{zlib.crc32(grammar.encode()):08x}"


def compile_grammar(grammar: str) -> ParserTables:
    """Raise lark's GrammarError if the grammar is not LALR(1)."""

    lark = read_grammar(grammar)
    analyzer: Any = LALR_Analyzer(ParserConf(lark.rules, {}, list(STARTS)))
    analyzer.compute_lalr()
    table = analyzer.parse_table
    texts = keywords(lark) | {name: name for name in ("NAME", "NUMBER", "STRING", END)}
    origins = sorted({rule.origin.name for rule in lark.rules})
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    actions, gotos = [], []
    order = _state_order(table)
    places = {state: number for number, state in enumerate(order)}
    for state in order:
        row: dict[str, int] = {}
        goto: dict[int, int] = {}
        for symbol, (_, argument) in sorted(table.states[state].items(), key=lambda entry: str(entry[0])):
            if symbol not in texts:
                goto[origins.index(symbol)] = places[argument]
            elif isinstance(argument, int):
                row[texts[symbol]] = places[argument] + 1
            else:
                row[texts[symbol]] = -numbers[argument] - 1
        if state in table.end_states.values():
            row[END] = places[state] + 1
        actions.append(row)
        gotos.append(goto)
    return ParserTables(
        digest=digest(grammar),
        rules=tuple(_rule(rule, origins) for rule in lark.rules),
        starts={start: places[table.start_states[start]] for start in STARTS},
        actions=tuple(actions),
        gotos=tuple(gotos),
    )


def read_grammar(grammar: str) -> Any:
    """Return lark's view of the grammar, whose rules have the numbers of those in the tables."""

    class NoLexer(Lexer):
        """A placeholder for the lexer that lark requires: `lexer.py` makes the tokens."""

        def __init__(self, configuration: object) -> None:
            pass

        def lex(self, *_: Any) -> Iterator[Any]:
            return iter(())

    return Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), maybe_placeholders=True)


def keywords(lark: Any) -> dict[str, str]:
    """Return the text of each terminal by its name, but for those that are patterns."""
    return {terminal.name: str(terminal.pattern.value) for terminal in lark.terminals}


def _state_order(table: Any) -> list[int]:
    """Return all states in the order they are reached from the starts: lark's own numbers differ from run to run."""
    order = [table.start_states[start] for start in STARTS]
    order += [table.end_states[start] for start in STARTS]
    seen = set(order)
    for state in order:
        for _, (_, argument) in sorted(table.states[state].items(), key=lambda entry: str(entry[0])):
            if isinstance(argument, int) and argument not in seen:
                seen.add(argument)
                order.append(argument)
    return order


def _rule(rule: Any, origins: list[str]) -> Rule:
    """Lark's own tree builder follows the same conventions."""
    names = [symbol.name for symbol in rule.expansion]
    absent = "".join(str(int(flag)) for flag in rule.options.empty_indices) or "0" * len(names)
    gaps = [len(ones) for ones in absent.split("0")]
    pick: list[int] = []
    for position, symbol in enumerate(rule.expansion):
        pick += [-1] * gaps[position]
        if not (symbol.is_term and symbol.filter_out):
            pick.append(position)
    pick += [-1] * gaps[len(names)]
    repeated = [not symbol.is_term and symbol.name.startswith("_") for symbol in rule.expansion]
    splice = [position for position in pick if position >= 0 and repeated[position]]
    action: str | None = str(rule.alias or rule.origin.name)
    if rule.origin.name.startswith("_"):
        action = ""
    elif rule.options.expand1 and not rule.alias and len(pick) == 1 and not splice:
        action = None
    return Rule(origins.index(rule.origin.name), len(names), action, tuple(pick), frozenset(splice))


def main() -> None:
    write_text(_beside(COMPILED), as_json(compile_grammar(_read(GRAMMAR).decode())) + "\n")


if __name__ == "__main__":
    main()
