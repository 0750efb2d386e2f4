"""Whatever the text, it is either a net or told what is wrong with it: never an exception of another kind."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri import codec, language, library
from petri.diagnostics import LanguageError, has_errors, render_all

TOKEN = re.compile(r"##?.*|[A-Za-z_]\w*|\d+(?:\.\d+)?|\.\.|->|[<>=!]=|\s+|.")
CORPUS = (library.net("mm1"), library.net("patterns/token_bucket"), library.module("ixp2400.dram"))
TEXTS = [
    """
type P = { seq: int, size: real, class: gold | silver, ok: bool }
param n = 3 in 1..9
place q : P fifo cap 4 = P(i, 1.5, gold, true) for i in 1..n
place link[0..n] : int = 0
place spare : 0..3 = all
place credit = 2 * token
transition t[i in 0..n-1]: q(p), link[i](x), spare(p.seq - x), n * credit, no q({ok: false}) >= 2
  -> if p.ok then link[i + 1](x + 1) else link[x](p.seq), q(p with {seq: x, size: s}), 2 * credit
  draw s ~ exp(3) takes uniform(1..2) when tokens(q) > 2 or p.class == gold priority i weight n
module M(me: int, k = 2) port in a : int port out b[0..1] : int
  place own : 0..k = all transition w: a(x), own(y) -> b[y mod 2](x + me) takes 1 end
instance m[j in 0..1] = M(j, a = link[j], b = link[2..3])
measure r = rate(t[*], p.size) / count(m[*].w)
measure d = now - x at t[1] record p99 expect < 3 within 1%
run until 100 warmup 1 replications 2
""",
    *(Path(path).read_text(encoding="utf-8") for path in CORPUS if path is not None),
]
PIECES = [[piece for piece in TOKEN.findall(text) if piece] for text in TEXTS]
POOL = sorted({piece for pieces in PIECES for piece in pieces if piece.strip() and not piece.startswith("#")})


@st.composite
def changed(draw: st.DrawFn) -> str:
    """Return a net with a few of its tokens left out, exchanged or added."""
    pieces = list(draw(st.sampled_from(PIECES)))
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.integers(0, len(pieces) - 1))
        pieces[where] = draw(st.just("") | st.sampled_from(POOL).map(lambda piece: f" {piece} "))
    return "".join(pieces)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(changed())
def test_any_text(text: str) -> None:
    found = language.checks(text)
    render_all(found, {language.TEXT: text})
    if not has_errors(found):
        try:
            net = language.loads(text)
        except LanguageError as error:
            assert [diagnostic.id for diagnostic in error.diagnostics] == ["only-modules"]  # noqa: PT017
            return
        assert codec.net_from_dict(codec.net_to_dict(net)) == net
