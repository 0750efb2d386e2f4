"""GreatSPN's projects."""

from __future__ import annotations

import pytest

from petri.interchange import read_bytes
from tests.interchange.reading import findings, imported, refused
from tests.interchange.samples import PNPRO


def test_times_weights_and_servers() -> None:
    assert imported(PNPRO, "shop.PNPRO") == (
        "## Imported from GreatSPN: shop.PNPRO\n"
        "## Two kinds of work\n"
        "net Shop\n\n"
        "param N        = 5\n"
        "param K        = 2\n"
        "param mu: real = 2\n\n"
        "place out_ = N * token  ## out\n"
        "place queue\n"
        "place busy\n\n"
        "transition arrive: out_ -> queue  after exp(2 / tokens(out_))\n"
        "transition begin:  2 * queue, no busy >= K -> busy  priority 2  weight 3.0 * tokens(queue)\n"
        "transition lose:   N * queue -> N * out_  priority 1\n"
        "transition serve:  busy -> 2 * out_  after exp(1 / mu)  servers all\n"
        "transition check:  busy -> 2 * out_  after uniform(1.0..3.0)\n"
        "transition slow:   busy -> busy  let rate = tokens(queue) - 1  after exp(1 / rate)  servers K  when rate > 0\n"
    )


def test_what_is_told() -> None:
    assert findings(PNPRO, "shop.PNPRO") == ["foreign-first-net", "foreign-unused"]
    assert findings(PNPRO, "shop.PNPRO", "Shop") == ["foreign-unused"]


def test_colours() -> None:
    assert imported(PNPRO, "shop.PNPRO", "Ring") == (
        "## Imported from GreatSPN: shop.PNPRO\n"
        "net Ring\n\n"
        "type P  = 1..3  ## p1, …\n"
        "type C  = red | green | blue\n"
        "type PC = { x1: P, x2: C }\n\n"
        "place at_  : PC = PC(1, red), PC(1, green), 2 * (PC(2, blue))  ## at\n"
        "place free : P = all\n\n"
        "transition move: at_(PC(x, c)), free(if x == 3 then 1 else x + 1)\n"
        "  -> at_(PC(if x == 3 then 1 else x + 1, blue)), if x != 1 then free(1), if x != 2 then free(2), "
        "if x != 3 then free(3)\n"
        "  after exp(0.25)\n"
        "  when x != 3 and (c == red or c == green)\n"
        "transition swap: free(x), free(y), no at_(PC(x, red)) -> 2 * free(x)  when x != y  priority 1\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('type="GEN" delay="Uniform[1, 3]"', 'type="GEN" delay="Odd[1]"', "foreign-distribution"),
        ('delay="mu"', 'delay="nu"', "foreign-expression"),
        ('delay="mu"', 'delay="2 * (mu"', "foreign-expression"),
        ('delay="mu"', f'delay="{"(" * 5000}"', "foreign-expression"),
        ('value="5"', 'value="N + 1"', "foreign-circle"),
        ('kind="INHIBITOR"', 'kind="BENT"', "foreign-arc-kind"),
        ('tail="out" head="arrive"', 'tail="oat" head="arrive"', "foreign-unknown-name"),
        ('<place name="queue"/>', '<place name="out"/>', "foreign-twice"),
        ('<place name="queue"/>', '<place name="queue" type="CONTINUOUS"/>', "foreign-construct"),
    ],
)
def test_errors(before: str, after: str, expected: str) -> None:
    assert refused(PNPRO.replace(before, after, 1), "shop.PNPRO") == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("circular p{1..3}", "circular p{1..K}", "foreign-number"),
        ("circular p{1..3}", "circular p{1..900000}", "foreign-set-size"),
        ("&lt;x, c&gt;", "&lt;x&gt;", "foreign-sort"),
        ("&lt;x, c&gt;", "&lt;c, x&gt;", "foreign-sort"),
        ("&lt;x, c&gt;", "&lt;x, pink&gt;", "foreign-unknown-name"),
        ("&lt;x, c&gt;", "&lt;x, c", "foreign-expression"),
        ("x &lt;&gt; y", "x &lt;&gt; z", "foreign-expression"),
    ],
)
def test_errors_in_colours(before: str, after: str, expected: str) -> None:
    assert refused(PNPRO.replace(before, after, 1), "shop.PNPRO", "Ring") == expected


def test_a_net_that_is_not_there() -> None:
    assert refused(PNPRO, "shop.PNPRO", "Bell") == "foreign-unknown-net"


CLASSES = """<project name="p" version="121"><gspn name="N"><nodes>
<color-class name="C" definition="c{1..4} is C1 + d{1..2} is C2"/><color-class name="E" definition="enum {a, b, c}"/>
<color-var name="x" domain="C"/><color-var name="e" domain="E"/>
<place name="A" domain="C" marking="2&lt;C1&gt;"/><place name="B" domain="C"/><place name="K"/>
<place name="F" domain="E" marking="&lt;All&gt;"/>
<transition name="t" type="EXP" delay="1.0" guard="GUARD"/><transition name="u" type="EXP" delay="1.0"/>
</nodes><edges>
<arc kind="INPUT" tail="A" head="t" mult="&lt;x&gt;"/><arc kind="OUTPUT" tail="t" head="B" mult="GIVEN"/>
<arc kind="INPUT" tail="F" head="u" mult="&lt;e&gt;"/><arc kind="OUTPUT" tail="u" head="K" mult="NUMBER"/>
</edges></gspn></project>"""


def classes(guard: str = "True", given: str = "&lt;x&gt;", number: str = "1") -> str:
    return CLASSES.replace("GUARD", guard).replace("GIVEN", given).replace("NUMBER", number)


@pytest.mark.parametrize(
    ("guard", "condition"),
    [
        ("x in C2", "(x == d1 or x == d2)"),
        ("x !in C2", "not (x == d1 or x == d2)"),
        ("d(x) = C2", "(x == d1 or x == d2)"),
        ("CN[x] &lt; 3", "(rank_C[x] + 1) < 3"),
        ("x++ != c2 &amp;&amp; !(x-- == c1)", "next_C[x] != c2 and previous_C[x] != c1"),
        ("x == c1 -> #K &gt; 2", "(x != c1 or tokens(K) > 2)"),
        ("If[x == c1, Mod[#K, 2], 1] == 0", "(if x == c1 then (tokens(K) mod 2) else 1) == 0"),
    ],
)
def test_conditions_on_colours(guard: str, condition: str) -> None:
    text = " ".join(imported(classes(guard), "a.PNPRO").split())
    assert f" when {condition} transition u" in text


def test_arcs_with_conditions_and_numbers_of_colours() -> None:
    given = "2[CN[x]==1]&lt;x&gt; + [x in C1]&lt;c4&gt;"
    text = " ".join(imported(classes(given=given, number="If[CN[e] == 2, 5/2, CN[e]]"), "a.PNPRO").split())
    assert "-> if (rank_C[x] + 1) == 1 then 2 * B(x), if (x == c1 or x == c2 or x == c3 or x == c4) then B(c4) " in text
    assert "F(e) -> (if (rank_E[e] + 1) == 2 then 5 div 2 else (rank_E[e] + 1)) * K" in text
    assert refused(classes().replace('"&lt;x&gt;"', '"[x in C1]&lt;x&gt;"', 1), "a.PNPRO") == "foreign-construct"
    assert refused(classes(given="[x in C1&lt;x&gt;"), "a.PNPRO") == "foreign-expression"


@pytest.mark.parametrize(
    ("delay", "time"),
    [
        ("0.25*I[2.0]+0.75*I[6.0]", "choice(2.0: 0.25, 6.0: 0.75)"),
        ("Fract[1,4] * I[2] + 0.75 * Uniform[1, 3]", "choice(2: 0.25, uniform(1.0..3.0): 0.75)"),
        ("I[2.0]", "2.0"),
    ],
)
def test_mixtures(delay: str, time: str) -> None:
    text = PNPRO.replace("Uniform[1, 3]", delay)
    assert f"transition check:  busy -> 2 * out_  after {time}\n" in imported(text, "a.PNPRO")


def test_what_is_no_mixture() -> None:
    assert refused(PNPRO.replace("Uniform[1, 3]", "0.5*I[2]+0.75*I[6]"), "a.PNPRO") == "foreign-mixture"
    assert refused(PNPRO.replace("Uniform[1, 3]", "0.5*I[2]+0.5*Odd[6]"), "a.PNPRO") == "foreign-distribution"


def test_numbers_as_older_files_write_them() -> None:
    text = PNPRO.replace('mult="2"', 'multiplicity="2"').replace('marking="N"', 'marking="N / 2"')
    assert "begin:  2 * queue" in imported(text, "a.PNPRO")
    assert "place out_ = (N div 2) * token" in imported(text, "a.PNPRO")


def test_the_name_of_a_constant_without_a_value() -> None:
    """A hint tells how to set it, by the name that the net gives it."""
    text = PNPRO.replace(
        '<template name="K" type="INTEGER" last-binding="2"/>', '<template name="place" type="INTEGER"/>'
    )
    text = text.replace('mult="K"', 'mult="place"').replace('nservers="K"', 'nservers="place"')
    found = read_bytes(text.encode(), "a.PNPRO", "Shop").findings
    assert [hint for one in found for hint in one.hints if one.id == "foreign-no-value"] == ["set it: `--set place_=…`"]
