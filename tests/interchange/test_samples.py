"""Each sample becomes the net beside it in `samples.md`; PNSIM_UPDATE=1 writes these nets anew."""

from __future__ import annotations

import os

import pytest

from petri import interchange, language
from petri.diagnostics import LanguageError
from tests.documents import renew
from tests.interchange import samples
from tests.interchange.cpn_tools import SHOP
from tests.interchange.reading import findings, refused

SAMPLES = {
    "tina.net": (samples.TINA, ["foreign-untimed", "foreign-intervals"]),
    "pipe.xml": (samples.PIPE, []),
    "oris.xpn": (samples.ORIS, []),
    "prism.sm": (samples.PRISM, ["foreign-rewards", "foreign-no-value"]),
    "shop.cpn": (SHOP, ["foreign-strings"]),
    "gospn.spn": (samples.GOSPN, ["foreign-rewards", "foreign-no-value"]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_net_of_a_sample(name: str) -> None:
    text, told = SAMPLES[name]
    written = interchange.text_of(interchange.read_bytes(text.encode(), name))
    if os.environ.get("PNSIM_UPDATE"):
        renew(samples.PAGE, name, "net", written)
    else:
        assert written == samples.SAMPLES[name]["net"]
    assert findings(text, name) == told
    language.loads(written)


@pytest.mark.parametrize("step", [53, pytest.param(11, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_cut_anywhere(name: str, step: int) -> None:
    """Whatever is read of a file that was cut, nothing but an error with a message comes out."""
    data = SAMPLES[name][0].encode()
    for end in range(0, len(data), step):
        try:
            language.loads(interchange.text_of(interchange.read_bytes(data[:end], name)))
        except LanguageError as error:
            str([one.message for one in error.diagnostics])  # a wording may lack a value


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("tina.net", "(1)", "(99999999999999)", "foreign-number"),
        ("tina.net", "[1,3]", "[3,1]", "foreign-line"),
        ("tina.net", "sent*2", "sent!2", "foreign-arc-kind"),
        ("tina.net", "tr late", "tr lose", "foreign-twice"),
        ("tina.net", "pl idle", "pr idle > sent\npl idle", "foreign-unknown-name"),
        ("tina.net", "pl idle", "pr send > lose\npr lose > send\npl idle", "foreign-circle"),
        ("tina.net", "pl idle", "pr send lose\npl idle", "foreign-line"),
        ("pipe.xml", "0.25", "-1", "foreign-expression"),
        ("pipe.xml", '"inhibitor"', '"bent"', "foreign-arc-kind"),
        ("oris.xpn", 'to="j1"/>', 'to="j2"/>', "foreign-unknown-name"),
        ("oris.xpn", 'from="j1" to="t1"', 'from="j1" to="j1"', "foreign-circle"),
        ("oris.xpn", "wait = 3", "wait = wait + 1", "foreign-construct"),
        ("oris.xpn", "free == 1", "fee == 1", "foreign-expression"),
        ("oris.xpn", "3.type.exponential", "4.type.expolynomial", "foreign-distribution"),
        ("prism.sm", "ctmc", "mdp", "foreign-kind"),
        ("prism.sm", "line1 [", "line9 [", "foreign-unknown-name"),
        ("prism.sm", "full = q1", "full = full & q1", "foreign-circle"),
        ("prism.sm", "(s'=1)", "(q1'=q1+1)", "foreign-construct"),
        ("prism.sm", "(s'=1)", "(t'=1)", "foreign-unknown-name"),
        ("prism.sm", "(s'=1)", "s is 1", "foreign-line"),
        ("prism.sm", "-> mu * s", "-> mu * t", "foreign-expression"),
        ("prism.sm", "s : [0..2]", "s : clock", "foreign-line"),
        ("prism.sm", 'label "idle"', 'system line1 endsystem\nlabel "idle"', "foreign-construct"),
        ("shop.cpn", "(n, text, kind)", "(n, kind)", "foreign-expression"),
        ("shop.cpn", "(n, text, kind)", "(n, text, kind", "foreign-expression"),
        ("shop.cpn", "1`(n + 1)@+Wait", "1`(nn + 1)@+Wait", "foreign-expression"),
        ("shop.cpn", "1`(n + 1)@+Wait", "1`(n + 1)@+n", "foreign-construct"),
        ("shop.cpn", "@+Twice(n)", "@+Twice(n, n)", "foreign-expression"),
        ("shop.cpn", "@+Twice(n)", "@+Twice(m)", "foreign-expression"),
        ("shop.cpn", "y * 2 end", "y * Twice(2) end", "foreign-expression"),
        ("shop.cpn", "[i &lt; 3", "[text = &quot;a&quot;", "foreign-expression"),
        ("shop.cpn", "[i &lt; 3", "[j &lt; 3", "foreign-expression"),
        ("shop.cpn", "P_LOW", "P_DEEP", "foreign-construct"),
        ("shop.cpn", "2`4", "2`4@5", "foreign-expression"),
        ("shop.cpn", "2`4", "2`4 -- 1`4", "foreign-expression"),
        ("shop.cpn", "<unit/>", "<list><id>INT</id></list>", "foreign-construct"),
        ("shop.cpn", "<text>UNIT</text>", "<text>UNITS</text>", "foreign-unknown-name"),
        ("shop.cpn", 'portsock="(p8,p2)"', 'subpage="g2" portsock="(p8,p2)"', "foreign-xml"),
        ("shop.cpn", 'subpage="g2"', 'subpage="g9"', "foreign-unknown-name"),
        ("shop.cpn", 'subpage="g2"', 'subpage="g1"', "foreign-no-net"),
        ("shop.cpn", 'idref="p8"', 'idref="p77"', "foreign-unknown-name"),
        ("shop.cpn", "<annot><text>m</text>", "<annot><text>if m = 1 then 1`m else empty</text>", "foreign-construct"),
        ("gospn.spn", "det(", "odd(", "foreign-distribution"),
        ("gospn.spn", ", policy = prs", ", policy = odd", "foreign-construct"),
        ("gospn.spn", "rate = lambda", "rate = lamda", "foreign-expression"),
        ("gospn.spn", "lambda = 0.1", "lambda = 2 * lambda", "foreign-circle"),
        ("gospn.spn", "full = #Pbuf == K", "full = full || #Pbuf == K", "foreign-circle"),
        ("gospn.spn", "dist = det(2 * hour), ", "", "foreign-no-time"),
        ("gospn.spn", "arc Pup to Tfail", "arc Pup to Tfale", "foreign-unknown-name"),
    ],
)
def test_what_is_wrong(name: str, before: str, after: str, expected: str) -> None:
    text = SAMPLES[name][0]
    assert before in text
    assert refused(text.replace(before, after, 1), name) == expected


def test_bytes_that_are_no_text() -> None:
    assert refused(samples.GOSPN.encode() + b"\xff", "a.spn") == "file-not-utf8"


def test_small_rates_leave_room_for_long_runs() -> None:
    """A rate beside a number of tokens becomes a mean beside it, so that the tick follows from the mean."""
    text = "ctmc\nmodule m\n x : [0..9] init 9;\n [] x>0 -> x * 1/(30*24*3600) : (x'=x-1);\nendmodule\n"
    net = language.loads(interchange.text_of(interchange.read_bytes(text.encode(), "a.prism")))
    assert net.tick.time(2**53) > 10**9
