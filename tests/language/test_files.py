"""Nets in files: names of the library, imports, tables, and what a net may not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.language import loader

MODULE = "module M()\n  port slot : int\n  transition t: slot(x) -> slot(x)  takes 1\nend\n"
MAIN = 'import "parts/m.net"\nplace p : int = 1\ninstance m = M(slot = p)\n'


def ids(error: pytest.ExceptionInfo[LanguageError]) -> list[str]:
    return [diagnostic.id for diagnostic in error.value.diagnostics]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net" / "parts").mkdir(parents=True)
    (tmp_path / "net" / "parts" / "m.net").write_text(MODULE)
    (tmp_path / "net" / "main.net").write_text(MAIN)
    (tmp_path / "outside.net").write_text(MODULE)
    (tmp_path / "outside.csv").write_text("1,1\n")
    return tmp_path / "net"


def test_import(folder: Path) -> None:
    net, sources = language.load_with_sources(folder / "main.net")
    assert net.name == "main"
    assert [t.name for t in net.transitions] == ["m.t"]
    assert [Path(name).name for name in sources] == ["main.net", "m.net"]
    span = net.transitions[0].span
    assert span is not None
    assert span.file in sources


def test_each_file_is_read_once(folder: Path) -> None:
    (folder / "parts" / "m.net").write_text('import "../main.net"\nimport "m.net"\n' + MODULE)
    (folder / "main.net").write_text('import "parts/../parts/m.net"\n' + MAIN)
    assert len(language.load(folder / "main.net").transitions) == 1


@pytest.mark.parametrize("path", ["../outside.net", "parts/../../outside.net", "/etc/passwd", "..", "parts\\\\m.net"])
def test_nothing_outside_is_imported(folder: Path, path: str) -> None:
    (folder / "main.net").write_text(f'import "{path}"\n' + MAIN)
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert ids(raised) == ["path-outside"]


def test_a_link_does_not_lead_outside(folder: Path) -> None:
    (folder / "link.net").symlink_to(folder.parent / "outside.net")
    (folder / "main.net").write_text('import "link.net"\n' + MAIN)
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert ids(raised) == ["path-outside"]


def test_tables(folder: Path) -> None:
    (folder / "whole.csv").write_text("size,weight\n# comment\n64,7\n\n1518, 1.5\n")
    (folder / "real.csv").write_text("0.5,1\n2,3\n")
    draws = 'draw a ~ table("whole.csv"), b ~ table("real.csv"), c ~ table("whole.csv")'
    (folder / "main.net").write_text(f"place p = token\ntransition t: p -> p\n  {draws}\n  takes a + b + c\n")
    net = language.load(folder / "main.net")
    assert [(table.values, table.weights) for table in net.tables] == [
        ((64, 1518), (7.0, 1.5)),
        ((0.5, 2.0), (1.0, 3.0)),
    ]
    assert [variable.kind for variable in net.transitions[0].variables] == ["int", "real", "int"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", ["größe;weight\n0,5;1\n2;3,0\n", "0,5\t1\n2\t3\n", "0.5;1\n2;3\n"])
def test_tables_as_spreadsheets_write_them(folder: Path, text: str, encoding: str) -> None:
    (folder / "t.csv").write_bytes(text.encode(encoding))
    drawn = 'takes table("t.csv") + list("t.csv")[1]'
    (folder / "main.net").write_text(f"place p = token\ntransition t: p -> p  {drawn}\n")
    (table,) = language.load(folder / "main.net").tables
    assert (table.values, table.weights) == ((0.5, 2.0), (1.0, 3.0))


@pytest.mark.parametrize("row", ["1", "1,2,3", "1,-2", "nan,1", "1,inf", "x,1"])
def test_wrong_rows(folder: Path, row: str) -> None:
    (folder / "t.csv").write_text(f"1,1\n{row}\n")
    (folder / "main.net").write_text('place p = token\ntransition t: p -> p  takes table("t.csv")\n')
    with pytest.raises(LanguageError, match=r"line 2 of `t\.csv`"):
        language.load(folder / "main.net")


@pytest.mark.parametrize("row", ["64,x7", "64 B,7", "1,inf", "1,1e400", "nan,1"])
def test_a_first_row_with_a_number_is_no_line_of_titles(folder: Path, row: str) -> None:
    (folder / "t.csv").write_text(f"{row}\n594,4\n")
    (folder / "main.net").write_text('place p = token\ntransition t: p -> p  takes table("t.csv")\n')
    with pytest.raises(LanguageError, match=r"line 1 of `t\.csv` is not a row of a table"):
        language.load(folder / "main.net")


def test_no_table_outside(folder: Path) -> None:
    (folder / "main.net").write_text('place p = token\ntransition t: p -> p  takes table("../outside.csv")\n')
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert ids(raised) == ["path-outside"]


def test_limits_of_tables_and_imports(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "t.csv").write_text("1,1\n" * 20)
    (folder / "main.net").write_text('place p = token\ntransition t: p -> p  takes table("t.csv")\n')
    monkeypatch.setattr(loader, "MOST_ROWS", 10)
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert ids(raised) == ["table-too-large"]
    monkeypatch.setattr(loader, "LARGEST_TABLE", 10)
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert ids(raised) == ["table-too-large"]
    (folder / "main.net").write_text(MAIN)
    monkeypatch.setattr(loader, "MOST_FILES", 1)
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert "too-many-files" in ids(raised)


def test_a_text_imports_from_the_library_only() -> None:
    with pytest.raises(LanguageError) as raised:
        language.loads(MAIN)
    assert ids(raised) == ["path-without-file"]


def test_names_of_the_library() -> None:
    for name in ("mm1", "patterns/mm1", "ixp2400"):
        assert language.load(name) == language.load(name + ".net")
    with pytest.raises(LanguageError) as raised:
        language.load("no_such_net")
    assert ids(raised) == ["unknown-net"]


def test_paths_of_the_library_are_the_same_everywhere() -> None:
    net, sources = language.load_with_sources("ixp2400")
    assert next(iter(sources)) == "nets/ixp2400.net"
    assert all(name.startswith(("nets/", "models/")) for name in sources)
    assert net.places[0].span is not None


def test_names_of_a_broken_import_are_not_told_again(folder: Path) -> None:
    (folder / "parts" / "m.net").unlink()
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "main.net")
    assert ids(raised) == ["import-missing"]


PORT = """type Packet = { size: Bytes, n: int }
param rate = 1 Gbps in 1 Mbps..10 Gbps
module Source()
  port out wire : Packet
  place idle : int = 0
  transition send: idle(n) -> idle(n + 1), wire(Packet(64 B, n))  takes 64 B / rate
end
"""
TWO = """net two
time ns
import "port.net" as fast with rate = 2 * base
import "port.net" as slow
param base = 3 Gbps
place line : fast.Packet
instance a = fast.Source(wire = line)
instance b = slow.Source(wire = line)
transition send: line(slow.Packet(s, _)) -> nothing  takes s / fast.rate
"""


def test_two_imports_of_one_file_have_their_own_parameters(tmp_path: Path) -> None:
    write(tmp_path, "port.net", PORT)
    net = language.load(write(tmp_path, "two.net", TWO), {"slow.rate": "2 Gbps"})
    assert {one.name: one.value for one in net.parameters} == {"base": 0.375, "fast.rate": 0.75, "slow.rate": 0.25}
    assert [t.name for t in net.transitions] == ["send", "a.send", "b.send"]
    times = [float(t.time.value or 0) * net.tick.numerator / net.tick.denominator for t in net.transitions[1:]]
    assert times == pytest.approx([64 / 0.75, 64 / 0.25])


def test_an_import_sets_the_parameters_that_it_shares_with_the_net(tmp_path: Path) -> None:
    write(tmp_path, "port.net", PORT)
    text = 'net one\ntime ns\nimport "port.net" with rate = 2 Gbps\nplace line : Packet\n'
    net = language.load(write(tmp_path, "one.net", text + "instance a = Source(wire = line)"))
    assert [(one.name, one.value, one.text) for one in net.parameters] == [("rate", 0.25, "2 Gbps")]


def test_places_of_a_named_import_are_part_of_the_net(tmp_path: Path) -> None:
    write(
        tmp_path, "port.net", PORT + "place done : Packet\ntransition drain: done(p) -> nothing  takes p.size / rate\n"
    )
    net = language.load(write(tmp_path, "two.net", TWO + "measure d = count(fast.drain) + mean(slow.done)\n"))
    assert [place.name for place in net.places] == ["line", "fast.done", "slow.done", "a.idle", "b.idle"]


@pytest.mark.parametrize(("name", "hint"), [("mm11", "did you mean `patterns/mm1`?"), ("nowhere", "`pnsim list`")])
def test_a_name_that_no_net_has_is_told_with_the_nets_of_the_library(name: str, hint: str) -> None:
    with pytest.raises(LanguageError, match="neither as a file nor in the library") as error:
        language.load(name)
    assert hint in str(error.value)
