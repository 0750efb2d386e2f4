"""The LALR(1) tables of `grammar.lark`: compiled by lark, stored as JSON in the folder of the grammar.

Compiling takes 0.2 s in each `pnsim` command; reading the JSON takes a few milliseconds. The JSON contains the digest
of its grammar. If the grammar has changed, it is compiled again, so a stale file costs time but is never wrong. `python
-m petri.language.syntax.tables` rewrites the file; a test fails if it is stale.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from petri.atomic_file import write_text
from petri.structs import Frozen

GRAMMAR = "grammar.lark"
COMPILED = "tables.json"
END = "$END"
STARTS = (
    "net", "time", "import", "param", "const", "unit", "type_declaration", "dist", "fn", "place", "transition",
    "module", "port", "instance", "measure", "expect", "run", "schedule", "service", "thread",
    "step",
)  # fmt: skip


class Rule(Frozen):
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
    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[int, int], ...]
    starts: dict[str, int]


@cache
def load_tables() -> ParserTables:
    folder = Path(__file__).parent
    grammar = folder.joinpath(GRAMMAR).read_text(encoding="utf-8")
    try:
        data = json.loads(folder.joinpath(COMPILED).read_text(encoding="utf-8"))
        if data["digest"] == digest(grammar):
            return unpack(data)
    except (OSError, ValueError, LookupError, TypeError):
        pass  # missing or damaged: compile instead
    return unpack(compile_grammar(grammar))


def digest(grammar: str) -> str:
    """Detects a changed grammar. It need not resist attacks: whoever can write the tables can write the parser."""
    return f"{zlib.crc32(grammar.encode()):08x}"


def unpack(data: dict[str, Any]) -> ParserTables:
    terminals = data["terminals"]
    rows = [{terminals[number]: action for number, action in row} for row in data["rows"]]
    return ParserTables(
        digest=data["digest"],
        rules=tuple(
            Rule(origin, length, action, tuple(pick), frozenset(splice))
            for origin, length, action, pick, splice in data["rules"]
        ),
        actions=tuple(rows[number] for number in data["actions"]),
        gotos=tuple(dict(goto) for goto in data["gotos"]),
        starts=data["starts"],
    )


def compile_grammar(grammar: str) -> dict[str, Any]:
    """The tables as JSON data; raises lark's GrammarError if the grammar is not LALR(1)."""
    from lark import Lark
    from lark.common import ParserConf
    from lark.lexer import Lexer
    from lark.parsers.lalr_analysis import LALR_Analyzer

    class NoLexer(Lexer):
        """A placeholder for the lexer that lark requires: `lexer.py` makes the tokens."""

        def __init__(self, configuration: object) -> None:
            pass

        def lex(self, *_: Any) -> Iterator[Any]:
            return iter(())

    lark = Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), maybe_placeholders=True)
    analyzer: Any = LALR_Analyzer(ParserConf(lark.rules, {}, list(STARTS)))
    analyzer.compute_lalr()
    table = analyzer.parse_table
    texts = {terminal.name: str(terminal.pattern.value) for terminal in lark.terminals}
    texts |= {name: name for name in ("NAME", "NUMBER", "STRING", END)}
    origins = sorted({rule.origin.name for rule in lark.rules})
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    terminals = sorted(set(texts.values()))
    rows: dict[str, int] = {}
    actions, gotos = [], []
    order = _state_order(table)
    places = {state: number for number, state in enumerate(order)}
    for state in order:
        row, goto = [], []
        for symbol, (_, argument) in sorted(table.states[state].items(), key=lambda entry: str(entry[0])):
            if symbol not in texts:
                goto.append([origins.index(symbol), places[argument]])
            elif isinstance(argument, int):
                row.append([terminals.index(texts[symbol]), places[argument] + 1])
            else:
                row.append([terminals.index(texts[symbol]), -numbers[argument] - 1])
        if state in table.end_states.values():
            row.append([terminals.index(END), places[state] + 1])
        actions.append(rows.setdefault(json.dumps(sorted(row)), len(rows)))
        gotos.append(goto)
    return {
        "digest": digest(grammar),
        "terminals": terminals,
        "rules": [_rule(rule, origins) for rule in lark.rules],
        "starts": {start: places[table.start_states[start]] for start in STARTS},
        "rows": [json.loads(row) for row in rows],
        "actions": actions,
        "gotos": gotos,
    }


def _state_order(table: Any) -> list[int]:
    """All states in the order they are reached from the starts: lark's own numbers differ from run to run."""
    order = [table.start_states[start] for start in STARTS]
    order += [table.end_states[start] for start in STARTS]
    seen = set(order)
    for state in order:
        for _, (_, argument) in sorted(table.states[state].items(), key=lambda entry: str(entry[0])):
            if isinstance(argument, int) and argument not in seen:
                seen.add(argument)
                order.append(argument)
    return order


def _rule(rule: Any, origins: list[str]) -> list[Any]:
    """See `Rule`; lark's own tree builder follows the same conventions."""
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
    action: str | None = rule.alias or rule.origin.name
    if rule.origin.name.startswith("_"):
        action = ""
    elif rule.options.expand1 and not rule.alias and len(pick) == 1 and not splice:
        action = None
    return [origins.index(rule.origin.name), len(names), action, pick, splice]


def main() -> None:
    folder = Path(__file__).parent
    grammar = (folder / GRAMMAR).read_text(encoding="utf-8")
    compiled = json.dumps(compile_grammar(grammar), separators=(",", ":"))
    write_text(folder / COMPILED, compiled + "\n")


if __name__ == "__main__":
    main()
