"""Texts of strangers: any text is a net or gets a message, within bounds of time and memory."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri import codec, language, library
from petri.diagnostics import LanguageError, has_errors, render_all
from petri.language.checking import growth

RUN = "place a = token\ntransition t: a -> a  takes {time}\nrun until 3\n"


def errors(text: str) -> list[str]:
    with pytest.raises(LanguageError) as raised:
        language.loads(text)
    return [diagnostic.id for diagnostic in raised.value.diagnostics]


def test_an_element_of_a_list_by_a_constant_is_the_element() -> None:
    """It was an operation on the whole list."""
    text = "const l = [i for i in 0..4095]\n" + RUN.format(time="1.0 + sum(i in 0..999: l[i])")
    net = language.loads(text)
    assert net.tick.time(net.transitions[0].time.value) == 1.0 + sum(range(1000))


def test_an_expression_ends_where_it_becomes_too_large() -> None:
    text = "const l = [i for i in 0..4095]\n" + RUN.format(time="1.0 + count(i in 0..4095: l[i] > 0)")
    assert errors(text) == ["expression-too-large"]


def test_lists_of_long_choices_are_too_much() -> None:
    """Each element would be an operation on 4,096 others."""
    text = "const l = [i for i in 0..4095]\nplace a : 0..9 = 0\n"
    text += "transition t: a(x) -> a(x)  takes sum(v in [l[x + i] for i in 0..4095]: v) * 1.0\n"
    assert errors(text) == ["too-much-to-read"]


def test_the_check_ends_after_many_errors() -> None:
    text = "place p = token\n" + "".join(f"transition t{n}: q{n} -> p  takes 1\n" for n in range(3000))
    found = errors(text)
    assert "too-many-errors" in found
    assert "and-more" in found


def test_a_text_has_a_limit_of_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.language.syntax.parser.MOST_DECLARATIONS", 100)
    language.loads("".join(f"place p{n} = token\n" for n in range(100)))
    assert errors("place p = token\n" * 101) == ["too-many-declarations"]


@pytest.mark.parametrize("index", ["*", "*, i mod 2"])
def test_what_measures_have_in_common_is_there_once(index: str) -> None:
    net = language.loads(
        "place p[0..4, 0..1] = token\ntransition t[i in 0..4]: p[i, 0] -> p[i, 0]  takes 1\n"
        f"measure m[i in 0..5] = count(t[*]) + mean(p[{index}, 1])\n".replace("[*, 1]", "[*, *]").replace("2, 1]", "2]")
        + "measure other = count(t[*])\n"
    )
    first, second, third, *_, other = (measure.formula for measure in net.measures)
    assert first.args[0] is second.args[0] is third.args[0] is other
    assert first.args[1] is third.args[1]


def _modules() -> str:
    text = "module A0\n place p = token\n transition t: p -> p takes 1\nend\n"
    text += "".join(f"module A{n}\n instance a = A{n - 1}\n instance b = A{n - 1}\nend\n" for n in range(1, 19))
    return text + "instance r = A18\n"


HOSTILE: dict[str, Callable[[], str]] = {
    "counts": lambda: "const l = [i for i in 0..4095]\n"
    + RUN.format(time="1.0 + " + " + ".join(f"count(i in 0..4095: l[i] > {n})" for n in range(20))),
    "choices": lambda: "const l = [i for i in 0..4095]\nplace a : 0..9 = 0\ntransition t: a(x) -> a(x)  takes 1.0 * ("
    + " + ".join(f"count(i in 0..4095: l[x + i] > {n})" for n in range(20)) + ")\n",
    "modules": _modules,
    "measures": lambda: "place p[0..9999] = token\ntransition t[i in 0..9999]: p[i] -> p[i]  takes 1\n"
    "measure m[i in 0..9999] = count(t[*]) + mean(p[*])\n",
    "equal": lambda: "place p = token\n" * 200_000,
    "errors": lambda: "place p = token\n" + "".join(f"transition t{n}: q -> p takes 1\n" for n in range(30_000)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the greatest size of a process is known on Linux")
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_refused_costs_little(name: str) -> None:
    """At most four seconds of the processor, of which a busy machine needs more, and 500 MB."""
    code = """if True:
        import sys, time
        from pathlib import Path
        from petri import language
        from petri.diagnostics import LanguageError
        text = sys.stdin.read()
        try:
            language.loads(text)
        except LanguageError:
            print(time.process_time(), Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
    """
    done = subprocess.run(
        [sys.executable, "-c", code], input=HOSTILE[name](), capture_output=True, text=True, check=True
    )
    seconds, kilobytes = map(float, done.stdout.split())
    assert seconds < 4.0
    assert kilobytes < 500_000


def test_places_that_all_feed_each_other_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for tokens that multiply followed each place once for each transition that gives to it."""
    looked_at = 0
    by = growth._Growth._by

    def counted(self: growth._Growth, number: int, place: int, goal: int, depth: int) -> int:
        nonlocal looked_at
        looked_at += 1
        return by(self, number, place, goal, depth)

    monkeypatch.setattr(growth._Growth, "_by", counted)
    count = 12
    places = [f"p{number}" for number in range(count)]
    arcs = f"{', '.join(places)} -> {', '.join(places)}"
    text = "".join(f"place {place} = token\n" for place in places)
    text += "".join(f"transition t{number}: {arcs}  takes 1\n" for number in range(count))
    language.checks(text)
    assert looked_at == count * count
    looked_at = 0
    monkeypatch.setattr(growth, "MOST_STEPS", 20 * count)
    language.checks(text)
    assert looked_at < 4 * count


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
