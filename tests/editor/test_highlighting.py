"""Highlighting: the keywords of the grammar are coloured where they are keywords, and nowhere else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from petri import library
from petri.catalogue.words import NAMES_TOO, RESERVED, SOFT
from petri.editor.highlighting import EDITORS, FILES, TEXTMATE, keyword_groups, keywords
from petri.language.syntax.lexer import lex
from petri.language.syntax.splitting import split
from tests.sampling import one_in

NETS = [Path(library.nets()) / f"{name}.net" for name in library.net_names()]
GRAMMAR: dict[str, Any] = json.loads((EDITORS / TEXTMATE).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=str)
def test_the_files_are_those_of_the_grammar(path: Path) -> None:
    """`python -m petri.editor.highlighting` writes them anew."""
    assert (EDITORS / path).read_text(encoding="utf-8") == FILES[path]()


def test_every_keyword_is_in_one_group() -> None:
    groups = keyword_groups()
    assert sorted(word for listed in groups.values() for word in listed) == sorted(keywords())
    assert all(groups.values())


# ---------------------------------------------------------------- TextMate, with Python's regular expressions


def rules(entry: dict[str, Any]) -> Iterator[tuple[re.Pattern[str], dict[str, Any]]]:
    if "include" in entry:
        yield from rules(GRAMMAR["repository"][entry["include"].removeprefix("#")])
    elif "match" in entry:
        yield re.compile(entry["match"]), entry
    else:
        for part in entry["patterns"]:
            yield from rules(part)


RULES = list(rules(GRAMMAR))


def coloured(line: str) -> dict[int, str]:
    """Return the scope of each column of a line that has one: at each place the leftmost match of the first rule."""
    found: dict[int, str] = {}
    place = 0
    while True:
        matches = [
            (match.start(), number, match)
            for number, (rule, _) in enumerate(RULES)
            if (match := rule.search(line, place))
        ]
        if not matches:
            return found
        _, number, match = min(matches, key=lambda one: one[:2])
        entry = RULES[number][1]
        scopes = {0: entry["name"]} if "name" in entry else {}
        scopes |= {int(group): capture["name"] for group, capture in entry.get("captures", {}).items()}
        for group, scope in scopes.items():
            found |= dict.fromkeys(range(*match.span(group)), scope)
        place = max(match.end(), place + 1)


@pytest.mark.parametrize("path", one_in(4, NETS))
def test_keywords_are_coloured_and_names_are_not(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = [coloured(line) for line in text.split("\n")]
    certain = RESERVED - SOFT - NAMES_TOO
    wrong = []
    for token in (token for statement in split(lex(text, "").tokens, "") for token in statement.tokens):
        scope = lines[token.line - 1].get(token.column - 1, "")
        keyword = scope.startswith(("keyword", "constant.language")) and not scope.startswith("keyword.other.unit")
        if token.kind in certain and not keyword and "support.function" not in scope:
            wrong.append((token.line, token.text, scope))
        if token.kind == "NAME" and keyword and token.text not in keywords():
            wrong.append((token.line, token.text, scope))
        if token.kind in ("NUMBER", "STRING") and not scope.startswith(("constant.numeric", "string")):
            wrong.append((token.line, token.text, scope))
    assert wrong == []


def test_a_field_with_the_name_of_a_keyword_is_not_coloured() -> None:
    line = "transition t: p(q) -> p({port: q.port, weight: 3})"
    scopes = coloured(line)
    assert [scopes.get(match.start(), "") for match in re.finditer("port|weight", line)] == ["", "", ""]


# ---------------------------------------------------------------- Vim

_SCRIPT = """
set nocompatible
syntax on
filetype plugin on
edit {net}
redir! > {out}
echo &filetype
for [line, column] in {places}
  echo synIDattr(synID(line, column, 1), 'name')
endfor
redir END
quitall!
"""


@pytest.mark.skipif(shutil.which("vim") is None, reason="Vim is not installed")
def test_vim_colours_a_net(tmp_path: Path) -> None:
    net, script, out = tmp_path / "a.net", tmp_path / "a.vim", tmp_path / "out"
    net.write_text("## doc\nnet a\ntransition t: p(q) -> p(q)  takes q.port / 2.5 Gbps\n", encoding="utf-8")
    places = {
        (1, 1): "pnsimDoc",
        (2, 1): "pnsimDeclaration",
        (3, 12): "",
        (3, 29): "pnsimClause",
        (3, 37): "pnsimField",
    }
    script.write_text(_SCRIPT.format(net=net, out=out, places=[list(place) for place in places]), encoding="utf-8")
    command = ["vim", "-u", "NONE", "-es", "--cmd", f"set runtimepath^={EDITORS / 'vim'}", "-S", str(script)]
    subprocess.run(command, stdin=subprocess.DEVNULL, timeout=30, check=False)
    assert out.read_text(encoding="utf-8").split("\n")[1:] == ["pnsim", *places.values()]
