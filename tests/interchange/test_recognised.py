"""Which files are recognised, and what is said of those that cannot be imported."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from petri.diagnostics import LanguageError
from petri.interchange import read_bytes, text_of
from tests.cli.calling import caller
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


@pytest.mark.parametrize(
    ("data", "name", "origin", "advice"),
    [
        (b'{"jani-version": 1, "name": "x"}', "a.jani", "JANI", "modules of PRISM"),
        (b'<?xml version="1.0"?>\n<!-- a -->\n<sbml xmlns="x">', "a.xml", "SBML", "transition"),
        (b"<!DOCTYPE html>\n<html><body>404", "a.pnml", "the web", "download"),
        (gzip.compress(samples.PNML.encode()), "a.pnml.gz", "gzip", "gunzip"),
        (b"PK\x03\x04rest", "a.pnml", "zip", "unzip"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "a.pnml", "Git LFS", "git lfs pull"),
        (b'<?xml version="1.0"?><nta><declaration/></nta>', "a.xml", "UPPAAL", "location"),
        (b"const int k;\nP=? [ F<=k x=1 ]\n", "a.props", "PRISM", "the model"),
    ],
)
def test_what_a_file_is_that_is_not_read(data: bytes, name: str, origin: str, advice: str) -> None:
    with pytest.raises(LanguageError) as error:
        read_bytes(data, name)
    (only,) = error.value.diagnostics
    assert only.id == "foreign-unreadable"
    assert f"is a file of {origin}, which" in only.message
    assert advice in only.hints[0]


@pytest.mark.parametrize("data", [b"", b" \n\n"])
def test_an_empty_file(data: bytes) -> None:
    assert refused(data, "a.pnml") == "foreign-empty"


def test_the_command_run_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.jani"
    file.write_bytes(b'{"jani-version": 1}')
    answer = caller(capsys)("run", str(file), "--until", "1")
    assert (answer.status, "foreign-unreadable" in answer.err) == (2, True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(encoding: str) -> None:
    text = samples.PNML.replace("UTF-8", "UTF-16").replace(">done<", ">größe<")
    assert "place größe" in text_of(read_bytes(text.encode(encoding), "a.pnml"))
    if encoding == "utf-16":
        assert text_of(read_bytes(samples.TINA.encode(encoding), "a.net")) == imported(samples.TINA, "a.net")
