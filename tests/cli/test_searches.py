"""`pnsim check` and `pnsim info` name the transitions that look through many tokens, and say how each one is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from petri.engine.native import available
from tests.cli.calling import caller

pytestmark = pytest.mark.skipif(not available(), reason="only the native engine counts bindings")

ARRIVALS = """net crowd
place source = token
place other  = token
place left  : 0..99
place right : 0..99
place small : 0..3 = all
place out   : 0..99
measure served = rate(meet)
transition arrive: source -> source, left(n)  draw n ~ uniform(0..99)  takes exp(1.0)
transition come: other -> other, right(n)  draw n ~ uniform(0..99)  takes exp(1.0)
transition meet: {meet} -> out(a)  takes 1.0
transition leave: out(_) -> nothing  takes 1.0
"""
FOUND = {
    "left(a), right(b) -> out(a)  when a * b mod 7 == 1": "all tokens of `left` and `right`",
    "left(a), right(b), left(c) -> out(a)  when a + b < c": "all combinations of tokens of `left` and `right`",
    "left(a), left(b) -> out(a)  when a <= b": "all tokens of `left`",
    "left(a), right(b) -> out(a)  prefer least a - b": "all pairs of tokens of `left` and `right`",
    "left(a) -> out(a)  when a > 3  prefer most a": "all tokens of `left`",
    "left(a), right(b) -> out(a)  prefer most a": "all pairs of tokens of `left` and `right`",
    "left(a) -> out(a)  when a + tokens(right) > 9": "all tokens of `left`",
}
COUNTED = (
    "left(a), right(a) -> out(a)",
    "left(a), right(b) -> out(a)  when a <= b and b != 7",
    "left(a), right(a), right((a + 1) mod 100) -> out(a)",
    "left(a), right(_) -> out(a)",
    "left(a), right(b) -> out(a)  when b == (a + 1) mod 100",
    "left(a), right(b) -> out(a)  when (a - b) mod 7 == 2 and a != 5",
    "left(a), right(b) -> out(a)  when a div 10 == b div 10",
    "left(a), right(b) -> out(a)  when a - 3 <= b and b <= a + 3",
    "left(a) -> out(a)  prefer most a",
    "left(a), source -> source, out(a)  when tokens(right) > 9  prefer most a",
    "small(a), read small(b) -> small(a), out(a)  when a * b mod 7 == 1",  # few tokens, whatever happens
)


def net(tmp_path: Path, meet: str) -> str:
    path = tmp_path / "crowd.net"
    text = ARRIVALS.replace("{meet} -> out(a)  takes 1.0", f"{meet}  takes 1.0")
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("meet", "what"), FOUND.items())
def test_what_is_searched_is_told(meet: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    found = call("check", net(tmp_path, meet))
    assert found.status == 0
    assert f"note[looks-through]: `meet` looks through {what} at nearly every firing" in found.out
    assert found.out.count("looks-through") == 1
    shown = " ".join(call("info", net(tmp_path, meet), "--json").out.split())
    assert f"(looks through {what.replace('`', '')})" in shown


@pytest.mark.parametrize("meet", COUNTED)
def test_what_is_counted_is_not(meet: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    assert "looks-through" not in call("check", net(tmp_path, meet)).out
    assert "looks through" not in call("info", net(tmp_path, meet), "--json").out


ROOM = """net switch
place source = token
place waiting      : 0..3 fifo
place buffer[0..3] : 0..3 fifo cap 4
place pool cap 9
place free         : 0..3 = 4 * all
place queue[0..3]  : 0..3 fifo
measure served = rate(give[*])
transition arrive: source -> source, waiting(n)  draw n ~ uniform(0..3)  takes exp(1.0)
transition give[k in 0..1]: waiting(x), {give}
transition serve[i in 0..3]: buffer[i](_) -> nothing  takes 1.0
transition leave[i in 0..3]: queue[i](_) -> free(i)  takes 1.0
transition drain: pool -> nothing  takes 1.0
"""


def switch(tmp_path: Path, give: str) -> str:
    path = tmp_path / "switch.net"
    path.write_text(ROOM.replace("{give}", give).replace(", ->", " ->"), encoding="utf-8")
    return str(path)


# A transition `t` beside places, how its bindings are found, what of it is interpreted, and why.
RUN = {
    "": ("place p = 9 * token\n", "p -> p  takes 1.0", "only one", "compiled", ""),
    "any": ("place p : 0..9 = all\n", "p(x) -> p(x)  takes 1.0", "any token", "compiled", ""),
    "counted": (
        "place p : 0..9 = all\nplace q : 0..9 = all\n", "p(x), q(x) -> p(x), q(x)  takes 1.0",
        "counted", "compiled", "",
    ),
    "ranked": ("place p : 0..9 = all\n", "p(x) -> p(x)  prefer most x  takes 1.0", "ranked", "compiled", ""),
    "searched": ("place p : 0..9 = all\n", "p(x) -> p(x)  when x > tokens(p)  takes 1.0", "searched", "compiled", ""),
    "weight": (
        "place p : { n: Bytes } cap 9 B of n\nplace s = token\n", "s -> p({n: 2 B}), s  takes 1.0",
        "only one", "compiled", "",
    ),
    "weight that fails": (
        "place p : { n: 0..9 } cap 9 of 12 mod n\nplace s = token\n", "s -> p({n: 2}), s  takes 1.0",
        "only one", "interpreted", "the weight of tokens of p may raise an error",
    ),
    "queue": (
        "place p : 0..9 fifo = all\n", "any p(x) -> p(x)  after 1.0",
        "searched", "look interpreted", "it sees all tokens of p, which has an order",
    ),
    "any of a queue": (
        "place p : 0..9 fifo = all\n", "any p(x) -> p(x)  after exp(1.0)", "any token", "compiled", "",
    ),
    "clocks": (
        "place p : 0..9 = all\n", "p(x) -> p(x)  after 1.0",
        "searched", "look interpreted", "each of its bindings has a clock",
    ),
    "key": (
        "type T = { n: 0..9 }\nplace p : T by 1 / n\nplace s = token\n", "s -> p({n: 3}), s  takes 1.0",
        "only one", "interpreted", "the key that orders p may raise an error",
    ),
    "room": (
        "place p cap 9\nplace s : 0..3 = all\n", "s(x) -> s(x), x * p  takes 1.0",
        "searched", "compiled", "",
    ),
    "loops": (
        "".join(f"place {name} : 0..3 = 0\n" for name in "abcdefg"),
        "a(i), b(j), c(k), d(l), e(m), f(n), g(o) -> a(i)  when i + j + k + l + m + n + o == tokens(a)  takes 1.0",
        "searched", "look interpreted", "it combines tokens of too many places",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RUN)
def test_how_a_transition_is_run_is_told(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places, arcs, bindings, code, why = RUN[case]
    path = tmp_path / "one.net"
    path.write_text(f"net one\n{places}transition t: {arcs}\nrun until 9\n", encoding="utf-8")
    call = caller(capsys)
    [row] = json.loads(call("info", str(path), "--speed", "--json").out)
    assert (row["code"], "; ".join(row["why"]).replace("`", "")) == (code, why)
    shown = " ".join(call("info", str(path), "--speed").out.split())
    assert f"t {code} {bindings}" in shown
    assert ("all compiled" in shown) == (code == "compiled")


def test_elements_that_run_alike_have_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call, path = caller(capsys), switch(tmp_path, "-> buffer[(x + k) mod 4](x)")
    assert "serve[*] ×4" in call("info", path, "--speed").out
    assert "serve[3]" in call("info", path, "--speed", "--all").out


@pytest.mark.skipif(not available(), reason="only the native engine knows")
def test_the_legend_explains_the_words_that_the_table_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    path = tmp_path / "plain.net"
    path.write_text("place p = token\ntransition t: p -> p  takes 1\nrun until 10\n")
    shown = call("info", str(path), "--speed").out
    assert shown.splitlines()[-1] == "all compiled"
    assert "because" not in shown
    assert call("info", "tcp", "--speed").out.count("ranked") == 0
