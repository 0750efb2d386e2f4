"""PNML: place/transition nets."""

from __future__ import annotations

from pathlib import Path

import pytest

from petri import interchange, language
from petri.diagnostics import LanguageError
from tests.cli.calling import caller
from tests.interchange.samples import PNML


def imported(text: str, name: str = "net.pnml") -> str:
    return interchange.text_of(interchange.read_bytes(text.encode(), name))


def refused(text: str | bytes, name: str = "net.pnml") -> str:
    with pytest.raises(LanguageError) as error:
        interchange.text_of(interchange.read_bytes(text if isinstance(text, bytes) else text.encode(), name))
    (only,) = error.value.diagnostics
    assert only.message
    return only.id


def test_a_net_of_pages_and_references() -> None:
    assert imported(PNML) == (
        "## Imported from PNML: net.pnml\n"
        "net two_cooks\n\n"
        "place dishes_to_do = 4 * token\n"
        "place cook         = 2 * token\n"
        "place done\n\n"
        "transition take: 2 * dishes_to_do, cook -> cook, 2 * done  after exp(1)\n"
    )


def test_the_flat_net() -> None:
    net = language.loads(imported(PNML))
    assert [(place.name, place.held) for place in net.places] == [("dishes_to_do", 4), ("cook", 2), ("done", 0)]


def test_a_renamed_node_keeps_its_name_as_a_comment() -> None:
    text = imported(PNML.replace("<text>cook</text>", "<text>token</text>").replace(">done<", ">dishes-to-do<"))
    assert "place token_ " in text
    assert "## token\n" in text
    assert "place dishes_to_do_2" in text


def test_a_number_that_is_none() -> None:
    assert refused(PNML.replace("<text>4</text>", "<text>-4</text>")) == "foreign-number"
    assert refused(PNML.replace("<text>4</text>", "<text>99999999999999999999</text>")) == "foreign-number"
    assert refused(PNML.replace("<text>4</text>", "<text>٤</text>")) == "foreign-number"


def test_a_circle_of_references() -> None:
    assert refused(PNML.replace('ref="p1"', 'ref="r1"')) == "foreign-circle"
    assert refused(PNML.replace('ref="p1"', 'ref="p9"')) == "foreign-unknown-name"


def test_nodes_without_ids_and_twice() -> None:
    assert refused(PNML.replace('id="p3"', 'id="p1"')) == "foreign-twice"
    assert refused(PNML.replace('<place id="p3">', "<place>")) == "foreign-no-id"


def test_arcs_between_places() -> None:
    assert refused(PNML.replace('target="t1"', 'target="p3"')) == "foreign-arc-ends"


def test_files_cut_anywhere() -> None:
    data = PNML.encode()
    for end in range(120, len(data) - 10, 61):
        assert refused(data[:end]) in ("foreign-xml", "foreign-unknown")


def test_entities() -> None:
    bomb = '<!DOCTYPE pnml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    assert refused(PNML.replace("<pnml", f"{bomb}<pnml", 1)) == "foreign-entity"
    outside = '<!DOCTYPE pnml [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    assert refused(PNML.replace("<pnml", f"{outside}<pnml", 1)) == "foreign-entity"


def test_encodings() -> None:
    latin = PNML.replace("UTF-8", "ISO-8859-1").replace(">done<", ">größe<").encode("latin-1")
    assert "place größe" in interchange.text_of(interchange.read_bytes(latin, "net.pnml"))
    assert refused(PNML.replace("UTF-8", "no-such")) == "foreign-xml"
    assert refused(PNML.replace(">done<", ">größe<").encode("latin-1")) == "foreign-xml"


def test_depth() -> None:
    assert refused(PNML.replace("<page id", "<page>" * 300 + "<page id", 1)) == "foreign-too-deep"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    file, written = tmp_path / "cooks.pnml", tmp_path / "cooks.net"
    file.write_text(PNML)
    shown = call("import", str(file))
    assert (shown.status, shown.out) == (0, imported(PNML, "cooks.pnml"))
    assert "note[foreign-untimed]" in shown.err
    assert call("import", str(file), "-q", "-o", str(written)).status == 0
    assert written.read_text() == shown.out
    ran = call("run", str(file), "--until", "dead", "--engine", "reference", "-q")
    assert ran.status == 0
    assert "two_cooks" in ran.out


def test_the_command_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    file = tmp_path / "cooks.pnml"
    file.write_text(PNML.replace('ref="p1"', 'ref="r1"'))
    for arguments in (("import", str(file)), ("run", str(file), "--until", "1")):
        answer = call(*arguments)
        assert answer.status == 1
        assert "error[foreign-circle]" in answer.err
        assert "cooks.pnml:" in answer.err
    assert call("import", str(tmp_path / "none.pnml")).status == 2


def test_the_command_prints_only_nets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "few.prism"
    file.write_text("ctmc\nmodule m\n x : [0..4] init 1.5;\n [] x > 0 -> 1 : (x'=x-1);\nendmodule\n")
    answer = caller(capsys)("import", str(file))
    assert (answer.status, answer.out) == (1, "")
    assert "error[type-mismatch]" in answer.err
    assert "few.prism (imported):" in answer.err
    file.write_text(file.read_text().replace("1.5", "N").replace("ctmc", "ctmc\nconst int N;"))
    assert caller(capsys)("import", str(file)).status == 0
