"""Sets that random nets do not reach: looked up by values, with many tokens, held while firings last."""

from __future__ import annotations

import pytest

from petri import language
from petri.engine.interface import Limits
from petri.engine.native import available, speed
from tests.fuzz.modes import Run, compare

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

MANY_TOKENS = Limits(firings_at_an_instant=5000, tokens=2000)
DISCIPLINES = ("", "fifo", "lifo", "by n", "by (k, -n)")

# Sets of 24 tokens, which are looked up by one value, by two, or not; those that the binding takes are not in it.
KEYED = """net keyed
type Copy = { p: 0..3, line: 0..5, s: 0..2 }
place copies : Copy = Copy(p, line, 0) for p in 0..3 for line in 0..5
place writes : { p: 0..3, line: 0..5 }
place idle   : 0..3 = all
place marked : Copy fifo
transition ask: idle(p) -> writes({p, line})  draw line ~ uniform(0..5)  takes exp(3.0)
transition write: writes({p, line: l}), copies({p, line: l, s: own}),
                  all copies({p: q, line: l, s}) when q != p and s < 2
  -> copies({p, line: l, s: 2}), each copies({p: q, line: l, s: (s + lost) mod 3}), idle(p)
  let lost = count(x in copies: x.s != own)
place broom : 0..3 = all
transition sweep: broom(p), all copies({p, line: 3, s}) -> broom(p), each marked({p, line: 3, s})  after exp(20.0)
transition back: marked(c), all marked(d) when d.p == c.p -> copies(c), each copies(d)  takes 2.0
measure lost = lost at write
"""

# Sets of more tokens than are looked for among themselves, of each discipline; some of what they give is on the way.
MANY = """net many
type T = {{ n: 0..99, k: 0..4 }}
place clock = token  place hand = 2 * token
place pile : T {discipline}  place heap : T {discipline}  place late : T fifo
place black = 3 * token  place counted
transition come: clock -> clock, 20 * pile({{n, k}}), black  draw n ~ uniform(0..99), k ~ uniform(0..4)  takes exp(2.0)
transition more: clock -> clock, pile({{n, k: n mod 5}}), pile({{n: 99 - n, k: 0}})
  draw n ~ uniform(0..99)  takes exp(0.3)
transition take: hand, pile({{n: a, k: b}}), all pile({{n, k}}) when n mod 3 != b, all black when tokens(pile) > 9
  -> hand, each heap({{n: (n + a) mod 100, k}}), if total > 100 then each late({{n, k: b}}) in 0.5 * b,
     count(x in black: true) * counted
  let total = sum(x in pile: x.n)  takes 1.0 + k_of / 10
  draw k_of ~ uniform(0..3)
transition drop: heap(x), all heap(y) when y.k == x.k or tokens(late) > 5 -> nothing  after exp(1.0)
transition gone: late(x), all late(y) when y.n > x.n, all counted -> nothing  takes exp(2.0)
measure total = total at take
measure size = mean(heap, n)
"""


@pytest.mark.parametrize("firings", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_sets_that_are_looked_up(firings: int) -> None:
    ran = compare(language.loads(KEYED), Run(1, firings, levels=False))
    assert ran["machine code"] == 2


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_sets_of_many_tokens(discipline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.modes.LIMITS", MANY_TOKENS)
    ran = compare(language.loads(MANY.format(discipline=discipline)), Run(3, 40, levels=True))
    assert ran["machine code"] == 2


def test_transitions_with_sets_are_compiled() -> None:
    for text in (KEYED, *(MANY.format(discipline=one) for one in DISCIPLINES)):
        assert {why for _, _, told in speed(language.loads(text)) for why, _ in told} <= {"clocks"}
