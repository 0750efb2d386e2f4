"""The formatter: any layout of a text becomes one, with the same tree and all its comments."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri.diagnostics import LanguageError, render_all
from petri.language.layout.formatter import WIDTH, format_source
from petri.language.layout.setting import flat
from petri.language.layout.writing import declaration
from petri.language.syntax import tree
from petri.language.syntax.lexer import lex
from petri.language.syntax.parser import parse
from tests.language.programs import DECLARATIONS, NOWHERE, Programs, bare
from tests.sampling import one_in

ROOT = Path(__file__).parents[2]
LIBRARY = sorted([*ROOT.glob("models/**/*.net"), *ROOT.glob("nets/**/*.net")])


def plain(declarations: tuple[tree.Declaration, ...]) -> str:
    """Return a program on one line."""
    shown: list[str] = []
    for node in declarations:
        shown += [piece.gap + piece.text for piece in declaration((node,), NOWHERE)]
        if isinstance(node, tree.Module):
            shown += [plain(node.body), "end"]
    return flat(" ".join(shown))


def tree_of(text: str) -> tree.File:
    file, diagnostics = parse(text, "test.net")
    assert not diagnostics, f"{text}\n{render_all(diagnostics, {'test.net': text})}"
    return file


def scattered(text: str, chance: random.Random) -> str:
    """Return the same tokens with other white space, and comments in between."""
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
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_parsing_reads_what_was_written(chance: random.Random) -> None:
    program = Programs(chance).program()
    assert bare(tree_of(plain(program)).declarations) == bare(program)


@pytest.mark.parametrize("kind", DECLARATIONS, ids=lambda kind: kind.__name__)
def test_each_declaration_is_read_as_it_was_written(kind: type[tree.Declaration]) -> None:
    for seed in range(12):
        programs = Programs(random.Random(seed), size=12)
        program = (programs.node(kind),)
        assert bare(tree_of(plain(program)).declarations) == bare(program), seed


@pytest.mark.parametrize("path", one_in(12, LIBRARY))
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
place q : int fifo cap 3 = 3, 2 * (4)
place p[0..3]
module M(  ## first
  n: int,  ## how many
  m = 2
)
  port in a: int, b
  place inside = 3 * token for i in 0..2
end
type R = { a: int, b: gold | silver }
measure m = rate(t)
  expect < 3
transition long: aaaaaaaaaaaaaaaaaaaaaaaaaa(x), bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(y), ccccccccccccccccccccccccc(z)
  -> d(x + y + z)
run until 20  seed 3
"""

COLUMNS = """\
param load      = 0.8    in 0..1    ## of the line
param line      = 5 Gbps            ## of the output
param packet    = 64 B   in 1 B..1 KB
unit  cycle     = 1 / clock
dist  long_name = exp(3)

place idle : Packet fifo
place memory
place used = 3 * token

place id = token
place a_much_longer_name = token

transition arrive: idle -> idle, wire(Packet(s, end))  draw s ~ sizes  takes exp(s / line)
transition drop:   wire(p) -> nothing
transition accept: wire(p) -> buffer(p)                priority 1

measure loss  = count(drop) / count(arrive)  expect < 5%
measure delay = now - p.born at send         record mean, p99
measure utilisation = busy(line)  ## of the line
  expect > 0.1
  expect < 0.9  # at most
measure mean = mean(buffer)
"""

COLUMNS_SET = """\
param load      = 0.8  in 0..1  ## of the line
param line      = 5 Gbps        ## of the output
param packet    = 64 B in 1 B..1 KB
unit  cycle     = 1 / clock
dist  long_name = exp(3)

place idle : Packet fifo
place memory
place used = 3 * token

place id = token
place a_much_longer_name = token

transition arrive: idle -> idle, wire(Packet(s, end))  draw s ~ sizes  takes exp(s / line)
transition drop:   wire(p) -> nothing
transition accept: wire(p) -> buffer(p)                priority 1

measure loss        = count(drop) / count(arrive)  expect < 5%
measure delay       = now - p.born at send         record mean, p99
measure utilisation = busy(line)  ## of the line
  expect > 0.1
  expect < 0.9  # at most
measure mean        = mean(buffer)
"""

LONG = """\
dist sizes = if mix == core then choice(40 B: 40, 576 B: 10, 1500 B: 50) else if mix == own then choice(1 B: 1) else 64 B
const blocked = if ratio == 1 then 1 / (slots + 2) else (1 - ratio) * pow(ratio, slots + 1) / (1 - pow(ratio, slots + 2))
const sum = a_long_name_of_a_constant * another_long_name + a_long_name_of_a_constant / (another_long_name + third_name)
type Packet = { seq: int, flow: 0..1023, source: int, destination: int, size: Bytes, born: Time, class: gold | silver }
instance engine[i in 0..3] = Engine(i, threads = 4, inlet = received, reply = replies, request = requests, outlet = done)
transition emit: left(k), flow({number: f, sent: n}) -> left(k - 1), outlet({flow: f, seq: n, size: packet, born: end})
  takes packet / line
place table : int = 1111111111, 2222222222, 3333333333, 4444444444, 5555555555, 6666666666, 7777777777, 8888888888, 9
"""  # noqa: E501

LONG_SET = """\
dist  sizes = if mix == core then choice(40 B: 40, 576 B: 10, 1500 B: 50)
              else if mix == own then choice(1 B: 1)
              else 64 B
const blocked = if ratio == 1 then 1 / (slots + 2)
                else (1 - ratio) * pow(ratio, slots + 1) / (1 - pow(ratio, slots + 2))
const sum = a_long_name_of_a_constant * another_long_name + a_long_name_of_a_constant / (another_long_name + third_name)
type  Packet = { seq: int, flow: 0..1023, source: int, destination: int, size: Bytes, born: Time, class: gold | silver }
instance engine[i in 0..3] = Engine(i, threads = 4, inlet = received, reply = replies, request = requests,
                                    outlet = done)
transition emit: left(k), flow({number: f, sent: n}) -> left(k - 1), outlet({flow: f, seq: n, size: packet, born: end})
  takes packet / line
place table : int = 1111111111, 2222222222, 3333333333, 4444444444, 5555555555, 6666666666, 7777777777, 8888888888, 9
"""


def test_the_canonical_layout() -> None:
    assert format_source(BEFORE, "test.net") == AFTER


@pytest.mark.parametrize(("before", "after"), [(COLUMNS, COLUMNS_SET), (LONG, LONG_SET)], ids=["columns", "long"])
def test_columns_and_lines_that_are_too_long(before: str, after: str) -> None:
    assert format_source(before, "test.net") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0 .. n - 1", "0..n-1"),
        ("n*j..n*j+n-1", "n * j..n * j + n - 1"),
        ("n - 1 .. 2*n - 1", "n - 1..2 * n - 1"),
        ("f(1)..n-1", "f(1)..n-1"),
        ("0..(n+1)*2", "0..(n + 1) * 2"),
        ("- 1 .. n", "-1..n"),
    ],
)
def test_both_bounds_of_a_range_are_spaced_alike(before: str, after: str) -> None:
    text = "fn f(x: int) = x\nplace a[{0}] : {0}\ntransition t[i in {0}]: a[i](x) -> a[i](x)\n"
    assert format_source(text.format(before), "test.net") == text.format(after)


@pytest.mark.parametrize("path", one_in(3, LIBRARY))
def test_the_library_is_in_this_layout(path: Path) -> None:
    """`pnsim fmt` brings a net into it."""
    text = path.read_text(encoding="utf-8")
    assert format_source(text, path.name) == text


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


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 400), marks=pytest.mark.slow)], ids=str)
def test_formatting_keeps_the_tree_and_the_comments_and_is_stable(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)
        text = scattered(plain(Programs(chance).program()), chance)
        formatted = format_source(text, "test.net")
        assert bare(tree_of(formatted)) == bare(tree_of(text)), seed
        assert comments(formatted) == comments(text), seed
        assert format_source(formatted, "test.net") == formatted, seed


def test_a_long_marking_continues_below_its_first_token() -> None:
    tokens = [f"{{port: {number}, class: 0, size: 64 B}}" for number in range(6)]
    assert format_source(f"place queue : Packet = {', '.join(tokens)}\n", "test.net") == (
        f"place queue : Packet\n  = {', '.join(tokens[:3])},\n    {', '.join(tokens[3:])}\n"
    )
