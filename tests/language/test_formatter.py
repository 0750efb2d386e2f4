"""The formatter: any layout of a text becomes one, with the same tree and all its comments."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri.diagnostics import LanguageError, render_all
from petri.language import tree
from petri.language.formatter import WIDTH, format_source
from petri.language.lexer import lex
from petri.language.parser import parse
from petri.language.writing import TIE, declaration
from tests.language.programs import NOWHERE, Programs, bare

ROOT = Path(__file__).parents[2]


def plain(declarations: tuple[tree.Declaration, ...]) -> str:
    """A program on one line."""
    shown: list[str] = []
    for node in declarations:
        shown += [piece.gap + piece.text for piece in declaration((node,), NOWHERE)]
        if isinstance(node, tree.Module):
            shown += [plain(node.body), "end"]
    return " ".join(shown).replace(TIE, " ")


def tree_of(text: str) -> tree.File:
    file, diagnostics = parse(text, "test.net")
    assert not diagnostics, f"{text}\n{render_all(diagnostics, {'test.net': text})}"
    return file


def scattered(text: str, chance: random.Random) -> str:
    """The same tokens with other white space, and comments in between."""
    shown = []
    for number, token in enumerate(lex(text, "").tokens):
        shown.append(token.text)
        if chance.random() < 0.1:
            shown.append(f"  {chance.choice(['#', '##', '# '])} note {number}\n")
        if chance.random() < 0.1:
            shown.append(f"\n {chance.choice(['#', '##'])} line {number}\n" + "\n" * chance.randrange(3))
        shown.append(chance.choice([" ", " ", " ", "\n", "\n\n\n", "\t"]))
    return "".join(shown)


def comments(text: str) -> list[str]:
    return sorted(re.sub("^#+ ?", "", comment.text) for comment in lex(text, "").comments)


chances = st.randoms(use_true_random=False)


@given(chances)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_parsing_reads_what_was_written(chance: random.Random) -> None:
    program = Programs(chance).program()
    assert bare(tree_of(plain(program)).declarations) == bare(program)


@given(chances)
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_formatting_keeps_the_tree_and_the_comments_and_is_stable(chance: random.Random) -> None:
    text = scattered(plain(Programs(chance).program()), chance)
    formatted = format_source(text, "test.net")
    assert bare(tree_of(formatted)) == bare(tree_of(text))
    assert comments(formatted) == comments(text)
    assert format_source(formatted, "test.net") == formatted


@pytest.mark.parametrize("path", sorted([*ROOT.glob("models/**/*.net"), *ROOT.glob("nets/**/*.net")]), ids=str)
def test_formatting_a_net_of_the_library_keeps_its_tree(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    formatted = format_source(text, "test.net")
    assert bare(tree_of(formatted)) == bare(tree_of(text))
    assert format_source(formatted, "test.net") == formatted


BEFORE = """\
## A small net.
net   x


param a=3 # three
param longer : real=4.5 in 0 .. 1   ## of all
transition t[i in 0..3]:p[i],2*c->q(x,i+1) weight 3 takes exp(5   ns) when not x==- 3
place q:int fifo cap 3=3,2*(4)
place p[0 .. 3]
module M( ## first
 n:int, ## how many
 m = 2)
  port in a : int,b
  place inside = 3*token for i in 0..2

end
type R={a:int,b:gold|silver}
measure m=rate(t)
expect<3
transition long: aaaaaaaaaaaaaaaaaaaaaaaaaa(x), bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(y),
ccccccccccccccccccccccccc(z) -> d(x + y + z)
run seed 3 until 20
"""

AFTER = """\
## A small net.
net x

param a            = 3            # three
param longer: real = 4.5 in 0..1  ## of all
transition t[i in 0..3]: p[i], 2 * c -> q(x, i + 1)  takes exp(5 ns)  when not x == -3  weight 3
place q       : int fifo cap 3 = 3, 2 * (4)
place p[0..3]
module M(  ## first
  n: int,  ## how many
  m = 2
)
  port in a: int, b
  place inside = 3 * token for i in 0..2
end
type R = { a: int, b: gold | silver }
measure m = rate(t)  expect < 3
transition long: aaaaaaaaaaaaaaaaaaaaaaaaaa(x), bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(y),
    ccccccccccccccccccccccccc(z) -> d(x + y + z)
run until 20  seed 3
"""


def test_the_canonical_layout() -> None:
    assert format_source(BEFORE, "test.net") == AFTER


def test_lines_stay_within_the_width() -> None:
    text = "measure m = " + " + ".join(f"rate(transition_{number})" for number in range(60))
    formatted = format_source(text, "test.net")
    assert max(len(line) for line in formatted.splitlines()) <= WIDTH
    assert bare(tree_of(formatted)) == bare(tree_of(text))


def test_a_text_that_does_not_parse_is_left_alone() -> None:
    with pytest.raises(LanguageError) as error:
        format_source("place p = ", "test.net")
    assert error.value.diagnostics[0].id == "missing-value"


def test_line_ends_of_other_systems_become_line_feeds() -> None:
    assert format_source("place p\r\nplace q\r\n", "test.net") == "place p\nplace q\n"


def test_many_random_programs() -> None:
    """The same as above without shrinking, which is faster: seeds 0 to 399."""
    for seed in range(400):
        chance = random.Random(seed)
        text = scattered(plain(Programs(chance).program()), chance)
        formatted = format_source(text, "test.net")
        assert bare(tree_of(formatted)) == bare(tree_of(text)), seed
        assert comments(formatted) == comments(text), seed
        assert format_source(formatted, "test.net") == formatted, seed
