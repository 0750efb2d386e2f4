"""GreatSPN's projects."""

from __future__ import annotations

import pytest

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
