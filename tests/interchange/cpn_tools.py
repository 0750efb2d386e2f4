"""Files of CPN Tools, written for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

COLOURS = """
<color id="c1"><id>INT</id><timed/><int/></color>
<color id="c2"><id>TEXT</id><string/></color>
<color id="c3"><id>KIND</id><timed/><enum><id>small</id><id>large</id></enum></color>
<color id="c4"><id>JOB</id><timed/><product><id>INT</id><id>TEXT</id><id>KIND</id></product></color>
<color id="c5"><id>NO</id><timed/><int><with><ml>1</ml><ml>Most</ml></with></int></color>
<color id="c6"><id>UNIT</id><unit/></color>
<color id="c7"><id>COUNT</id><alias><id>INT</id></alias></color>
<var id="v1"><type><id>INT</id></type><id>n</id><id>m</id></var>
<var id="v2"><type><id>TEXT</id></type><id>text</id></var>
<var id="v3"><type><id>KIND</id></type><id>kind</id></var>
<var id="v4"><type><id>BOOL</id></type><id>well</id></var>
<var id="v5"><type><id>NO</id></type><id>i</id><id>j</id></var>
<ml id="m1">val Most = 3; (* of workers *)</ml>
<ml id="m2">val Wait = 7.5;</ml>
<ml id="m3">fun Twice(x : INT) = let val y = x in y * 2 end;</ml>
<ml id="m4">fun Rest(rate) = exponential(1.0 / rate)</ml>
<ml id="m5">val Jobs = 1`(1, "a", small) ++ 2`(2, "b", small)</ml>
"""


def place(key: str, name: str, colour: str, marking: str = "", more: str = "") -> str:
    return (
        f'<place id="{key}"><posattr x="1"/><text>{name}</text><type><text>{colour}</text></type>'
        f"<initmark><text>{escape(marking)}</text></initmark>{more}</place>"
    )


def transition(key: str, name: str, guard: str = "", time: str = "", more: str = "") -> str:
    return (
        f'<trans id="{key}"><text>{name}</text><cond><text>{escape(guard)}</text></cond>'
        f"<time><text>{escape(time)}</text></time>{more}</trans>"
    )


def arc(source: str, target: str, text: str = "") -> str:
    """`p1` to `t1`, or the other way; `p1` and `=t1` in both ways."""
    way = "BOTHDIR" if target.startswith("=") else "PtoT" if source.startswith("p") else "TtoP"
    step, node = (source, target) if way == "TtoP" else (target.lstrip("="), source)
    ends = f'<transend idref="{step}"/><placeend idref="{node}"/>'
    return f'<arc id="a" orientation="{way}">{ends}<annot><text>{escape(text)}</text></annot></arc>'


def document(*pages: Sequence[str], colours: str = COLOURS, more: str = "") -> str:
    inside = "".join(
        f'<page id="g{number}"><pageattr name="Page {number}"/>{"".join(page)}</page>'
        for number, page in enumerate(pages, 1)
    )
    head = '<?xml version="1.0"?>\n<!DOCTYPE workspaceElements PUBLIC "-//CPN//DTD CPNXML 1.0//EN" "cpn.dtd">\n'
    return f"{head}<workspaceElements><cpnet><globbox>{colours}</globbox>{inside}{more}</cpnet></workspaceElements>\n"


FUSED = '<fusioninfo id="f" name="Spare"/>'
SHOP = document(
    (
        place("p1", "to do", "JOB", "Jobs"),
        place("p2", "done", "INT"),
        place("p3", "free", "NO", "NO.all()"),
        place("p4", "spare", "UNIT", "2`()", FUSED),
        place("p5", "log", "KIND"),
        transition("t1", "work\n here", "[i &lt; 3, n <> 2 orelse i = 1]".replace("&lt;", "<"), "@+Twice(n)"),
        arc("p1", "t1", "(n, text, kind)"),
        arc("p3", "=t1", "i"),
        arc("t1", "p2", "if well then 1`(n + 1)@+Wait else empty"),
        arc("t1", "p5", "if n = 1 then small else kind"),
        transition("t2", "left", more='<subst subpage="g2" portsock="(p8,p2)"/>'),
        transition("t3", "right", more='<subst subpage="g2" portsock="(p8,p2)(p9,p4)"/>'),
        "<Aux><text>A note</text></Aux>",
    ),
    (
        place("p8", "in", "INT", more='<port type="In"/>'),
        place("p9", "used", "UNIT", "1`()"),
        place("p10", "box", "INT", "1`~1 ++ 2`4"),
        place("p11", "again", "UNIT", "", FUSED),
        transition("t4", "store", "", "@+discrete(2, 5)"),
        arc("p8", "t4", "n"),
        arc("p9", "t4"),
        arc("t4", "p10", "n + m"),
        arc("p10", "t4", "m"),
        transition("t5", "rest", "", "", "<priority><text>P_LOW</text></priority>"),
        arc("p10", "t5", "n@+Rest(2.0)".partition("@")[0]),
        arc("p11", "t5", "()"),
        arc("t5", "p8", "n@+Rest(2.0)"),
    ),
)
