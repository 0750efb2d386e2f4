"""Comments of XML files stand in the net at what they are about."""

from __future__ import annotations

import pytest

from tests.interchange import samples
from tests.interchange.cpn_tools import arc, document, place, transition
from tests.interchange.reading import imported

PNML = """<!-- written by hand -->
<pnml><net id="n" type="ptnet"><page id="g">
<!-- the room
     where all wait --><place id="p1"><name><text>room</text></name><graphics><!-- wide --></graphics></place>
<!-- ======== -->
<transition id="t1"><name><!-- once --><text>go</text></name></transition>
<!-- two at once --><arc id="a1" source="p1" target="t1"/>
<!-- no more --></page></net></pnml>
<!-- the end -->"""
GREATSPN = """<project><gspn name="n"><nodes>
<!-- jobs in an hour --><constant name="mu" consttype="REAL" value="0.5"/>
<!-- the room --><place name="room" marking="1"/>
<!-- serves --><transition name="go" type="EXP" delay="mu" nservers="1"/>
</nodes><edges><!-- one by one --><arc kind="INPUT" tail="room" head="go"/></edges></gspn></project>
<!-- the end -->"""
CPN = document(
    (
        "<!-- the room -->",
        place("p1", "room", "COUNT", "1`Most"),
        "<!-- serves -->",
        transition("t1", "go"),
        "<!-- one by one -->",
        arc("p1", "t1", "n"),
    ),
    more="<!-- the end -->",
)
NOTED = samples.ORIS.replace(
    "</tpn-entities>",
    '<note uuid="n2"><properties/>takes long</note><note-connector from="n2" to="t1"/><!-- the end --></tpn-entities>',
)


GO = "## once\n## two at once\ntransition go: room -> nothing  after exp(1)\n"
BOTH = "place room : int = Most  ## the room\n\n## serves\n## one by one\ntransition go: room(n) -> nothing\n"
TYPES = "type  KIND = small | large\ntype  JOB  = { x1: int, x3: KIND }\ntype  NO   = 1..Most\n\n"
MU = "param mu = 0.5  ## jobs in an hour\n\nplace room = token  ## the room\n\n## serves\n## one by one\n"


@pytest.mark.parametrize(
    ("text", "name", "head", "lines"),
    [
        (
            PNML,
            "a.pnml",
            ["written by hand", "the end", "no more"],
            f"## the room\n## where all wait\nplace room\n\n{GO}",
        ),
        (GREATSPN, "a.PNPRO", ["the end"], MU),
        (CPN, "a.cpn", ["the end"], f"param Most = 3  ## of workers\n{TYPES}{BOTH}"),
        (
            NOTED,
            "a.xpn",
            ["served by one", "the end"],
            "transition serve:  wait -> nothing  after exp(1 / (2 * 3))  ## takes long\n",
        ),
    ],
)
def test_comments(text: str, name: str, head: list[str], lines: str) -> None:
    written = imported(text, name)
    assert [line.removeprefix("## ") for line in written.partition("\nnet ")[0].splitlines()[1:]] == head
    assert lines in written
    assert "wide" not in written
