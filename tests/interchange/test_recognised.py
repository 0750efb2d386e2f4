"""Which files are recognised, and what is said of those that cannot be imported."""

from __future__ import annotations

import pytest

from petri.diagnostics import LanguageError
from petri.interchange import read_bytes
from tests.interchange import samples
from tests.interchange.reading import findings, imported, refused

FIG = """module Queue
  q: [0..3] init 0;
  clk: clock;
  [in?] q < 3 -> (q'=q+1) & (clk'=exponential(2));
  [out!] q > 0 @ clk -> (q'=q-1) & (clk'=exponential(2));
endmodule
"""
RIVALS = """<project><gspn name="a"><nodes><color-class name="P" definition="p{1..3}"/><color-var name="x" domain="P"/>
<place name="p" domain="P" marking="&lt;All&gt;"/><place name="q" domain="P"/>
<transition name="left" type="IMM"/><transition name="right" type="IMM"PRIORITY/></nodes><edges>
<arc kind="INPUT" tail="p" head="left" mult="&lt;x&gt;"/><arc kind="INPUT" tail="p" head="right" mult="&lt;x&gt;"/>
<arc kind="OUTPUT" tail="left" head="q" mult="&lt;x&gt;"/></edges></gspn></project>"""


def test_lines_that_end_as_on_windows() -> None:
    assert imported(samples.PRISM.replace("\n", "\r\n"), "p.prism") == imported(samples.PRISM, "p.prism")


@pytest.mark.parametrize(("text", "expected"), [(FIG, "foreign-unreadable"), ("nothing at all", "foreign-unknown")])
def test_a_format_that_is_not_read(text: str, expected: str) -> None:
    assert refused(text, "queue.sa") == expected


def test_every_format_is_named_where_none_is_recognised() -> None:
    with pytest.raises(LanguageError, match="PNML, GreatSPN, ORIS, PRISM, CPN Tools, TINA, gospn, PIPE and TAPAAL"):
        read_bytes(b"nothing at all", "queue.sa")


def test_weights_of_bindings() -> None:
    assert findings(RIVALS.replace("PRIORITY", ""), "a.PNPRO") == ["foreign-weights"]
    assert findings(RIVALS.replace("PRIORITY", ' priority="2"'), "a.PNPRO") == []


def test_a_file_whose_arcs_come_late() -> None:
    """The places of a large net come first, and fill all that is searched for a sign."""
    head, _, rest = samples.GOSPN.partition("place Pbuf")
    places = "".join(f"place Pspare{number:060} (init = 0)\n" for number in range(800))
    assert "place Pspare0" in imported(f"{head}{places}place Pbuf{rest}", "large.spn")
