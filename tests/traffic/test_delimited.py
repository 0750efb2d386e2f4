"""Text with separated columns: what is read, exactly, and what is told of what cannot be."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.net import Net, Token
from petri.traffic import Recordings, with_streams

from .files import tokens_read

pytestmark = pytest.mark.skipif(not available(), reason="recordings are read by the native engine")

LONGEST_RECORD = 65_536


def net(fields: str, clock: str = "time us") -> Net:
    return language.loads(
        f"{clock}\ntype Class = gold | silver\nplace rows : {fields} = stream()\ntransition t: rows(_) -> nothing"
    )


def rows(flat: Net, block: int | None = None) -> list[Token]:
    return tokens_read(Recordings(flat, block), flat)


def read(
    text: str | bytes, fields: str, folder: Path, *, block: int | None = None, clock: str = "time us"
) -> list[Token]:
    path = folder / "rows.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return rows(with_streams(net(fields, clock), {"rows": path}), block)


def told(error: pytest.ExceptionInfo[LanguageError]) -> tuple[str, str]:
    (diagnostic,) = error.value.diagnostics
    return diagnostic.id, str(diagnostic.message)


def test_units_and_order_of_columns(tmp_path: Path) -> None:
    text = (
        "# a comment\nsize [kB];other;time [ms];share;class\n\n1.5;x;10;0.25;gold\n# more\n 2 ;y;10.5; 1e-3 ;silver\n"
    )
    fields = "{ time: Time, size: Bytes, share: real, class: Class }"
    assert read(text, fields, tmp_path) == [(0.0, 1500.0, 0.25, 0), (500.0, 2000.0, 0.001, 1)]


def test_units_are_standard_where_no_column_names_one(tmp_path: Path) -> None:
    text = "time,size,line,clock\n0,3,8e6,2\n1,4,16e6,3\n"
    fields = "{ time: Time, size: Bytes, line: Rate, clock: Freq }"
    found = read(text, fields, tmp_path)
    assert [row[:3] for row in found] == [(0.0, 3.0, 1.0), (1e6, 4.0, 2.0)]
    assert [row[3] for row in found] == pytest.approx([2e-6, 3e-6], rel=1e-15)  # no fraction of a second is a float


def test_a_net_without_a_clock_takes_numbers_as_they_are(tmp_path: Path) -> None:
    assert read("time,n\n5,1\n7.5,2\n", "{ time: Time, n: int }", tmp_path, clock="") == [(0.0, 1), (2.5, 2)]


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_times_since_1970_are_exact(tmp_path: Path, block: int) -> None:
    """A float tells instants of our years apart by a quarter of a microsecond only."""
    text = "time,n\n1700000000.000000001,1\n1700000000.000000052,2\n\n1700000001.500000003,3\n"
    found = read(text, "{ time: Time, n: int }", tmp_path, block=block, clock="time ns")
    assert found == [(0.0, 1), (51.0, 2), (1_500_000_002.0, 3)]


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_cells_that_numpy_does_not_take(tmp_path: Path, block: int) -> None:
    text = 'n,x\r\n3.0,"1.5"\r\n1e3,2\r\n9223372036854775807,3\r\n-9223372036854775808,-0.0\r\n'
    found = read(text, "{ n: int, x: real }", tmp_path, block=block)
    assert found == [(3, 1.5), (1000, 2.0), (2**63 - 1, 3.0), (-(2**63), 0.0)]
    assert str(found[3][1]) == "0.0"


@pytest.mark.parametrize("block", [1, 2, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_quoted_cell_may_have_line_breaks(tmp_path: Path, block: int, end: str) -> None:
    """RFC 4180: also empty lines in it, lines like comments, and quotes, which are doubled."""
    text = 'note,n\nfine,1\n"first\n\n# second, ""quoted""",2\n"a\n",3\n5" disk,4\n"",5\n'.replace("\n", end)
    assert read(text, "{ n: int }", tmp_path, block=block) == [(1,), (2,), (3,), (4,), (5,)]
    named = '"a\nb";n\nx;1\n"y\nz";2\n'.replace("\n", end)
    assert read(named, "{ n: int }", tmp_path, block=block) == [(1,), (2,)]


@pytest.mark.parametrize("block", [1, 1000])
def test_a_quote_that_does_not_end_costs_little(tmp_path: Path, block: int) -> None:
    text = 'n,note\n1,fine\n2,"open\n' + "3,x\n" * 100_000
    with pytest.raises(LanguageError) as error:
        read(text, "{ n: int }", tmp_path, block=block)
    assert told(error) == ("stream-long-line", "the row in line 3 of `" + str(tmp_path / "rows.csv") + "` is longer "
                           "than 65,536 characters")  # fmt: skip
    with pytest.raises(LanguageError) as error:
        read('n,note\n1,"open\n2,x', "{ n: int }", tmp_path, block=block)
    assert "line 2: a quoted cell does not end" in told(error)[1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_that_the_first_bytes_tell(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("e") else ""
    text = f"{mark}note;größe\r\né,1\n".replace(",", ";").encode(encoding)
    path = tmp_path / "rows.csv"
    path.write_bytes(text)
    assert rows(with_streams(net("{ n: int }"), {"rows": path}, {"n": "größe"})) == [(1,)]


@pytest.mark.parametrize("data", ["n\n1\n".encode("utf-16-le"), "n\né\n".encode("latin-1"), b"\xff\xfen\0\n"])
def test_other_encodings_are_told_with_a_way_out(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(LanguageError) as error:
        read(data, "{ n: int }", tmp_path)
    assert told(error)[0] == "stream-not-text"
    assert "iconv" in str(error.value)


@pytest.mark.parametrize("block", [1, 1000])
def test_what_gzip_has_packed_is_read(tmp_path: Path, block: int) -> None:
    """The bytes decide, not the name; members follow one another."""
    packed = gzip.compress(b"n;x\n1;0,5\n2") + gzip.compress(b";1\n")
    assert read(packed, "{ n: int, x: real }", tmp_path, block=block) == [(1, 0.5), (2, 1.0)]
    assert read(gzip.compress("\ufeffn\n1\n".encode("utf-16-le")), "{ n: int }", tmp_path, block=block) == [(1,)]
    with pytest.raises(LanguageError) as error:
        read(gzip.compress(b"n\n1\nx\n"), "{ n: int }", tmp_path, block=block)
    assert "line 3, column `n`: `x` is not a whole number" in told(error)[1]


@pytest.mark.parametrize("inner", [b"PAR1" + bytes(20), gzip.compress(b"n\n1\n", mtime=0), b"PK\3\4" + bytes(20)])
def test_what_is_packed_twice_is_refused(tmp_path: Path, inner: bytes) -> None:
    with pytest.raises(LanguageError) as error:
        read(gzip.compress(inner), "{ n: int }", tmp_path)
    assert told(error)[0] == "stream-compressed"
    assert "compressed by gzip" in told(error)[1]
    assert "cannot be unpacked" not in str(error.value)


def test_rows_before_damage_in_gzip_come_first(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"n\n" + b"1\n" * 100_000, 1)[:-12])
    recordings = Recordings(with_streams(net("{ n: int }"), {"rows": path}))
    with pytest.raises(LanguageError, match="it cannot be unpacked") as error:
        list(iter(lambda: recordings.tokens(0), []))
    assert told(error)[0] == "stream-compressed"
    assert recordings.read()[0].rows > 90_000


def test_little_in_gzip_may_be_much(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"n\n" + b"1" * 20_000_000, 1))
    with pytest.raises(LanguageError) as error:
        rows(with_streams(net("{ n: int }"), {"rows": path}))
    assert told(error)[0] == "stream-long-line"


@pytest.mark.parametrize("block", [1, 1000])
def test_an_int_called_time_counts_from_the_first_row(tmp_path: Path, block: int) -> None:
    assert read("time\n5\n7\n7.0\n", "{ time: int }", tmp_path, block=block, clock="") == [(0,), (2,), (2,)]
    with pytest.raises(LanguageError, match="line 3: the time decreases by 2"):
        read("time\n5\n3\n", "{ time: int }", tmp_path, block=block, clock="")


@pytest.mark.parametrize("block", [1, 1000])
def test_text_behind_a_quoted_cell_is_wrong_in_any_column(tmp_path: Path, block: int) -> None:
    with pytest.raises(LanguageError) as error:
        read('n,note\n1,x\n2,"a"b\n', "{ n: int }", tmp_path, block=block)
    assert "line 3: ',' expected after '\"'" in told(error)[1]
    with pytest.raises(LanguageError, match="line 1: ',' expected after"):
        read('c,o1,"n" \nsilver,10.25,4\n', "{ n: int }", tmp_path, block=block)


def test_what_separates_the_cells(tmp_path: Path) -> None:
    for text in (
        'sep=;\nn;x\n1;2\n', 'SEP=|\nn|x\n1|2\n', '"n";"x,y";"x"\n1;3;2\n', "n\tx\n1\t2\n", "n,x,\n1,2,\n",
        "n,x\n1,2,,\n",
    ):  # fmt: skip
        assert read(text, "{ n: int, x: real }", tmp_path) == [(1, 2.0)], text


@pytest.mark.parametrize("block", [1, 1000])
def test_decimal_commas(tmp_path: Path, block: int) -> None:
    fields = "{ time: Time, x: real }"
    for delimiter in ";\t":
        text = "time;x\n0,5;-1,25\n1,5;1,5e3\n2.5;,5\n".replace(";", delimiter)
        assert read(text, fields, tmp_path, block=block) == [(0.0, -1.25), (1e6, 1500.0), (2e6, 0.5)]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("time,x\n0,5,1,5\n", "line 2: it has 4 columns, but the first line names 2"),
        ("time,x\n1,2\n1,2,3\n", "line 3: it has 3 columns, but the first line names 2"),
        ('time,x\n1,"1,234"\n', "`1,234` is not a number; write 1234.5 without marks"),
        ("time;x\n1;1,234,567\n", "`1,234,567` is not a number; write 1234.5 without marks"),
        ("time;x\n1;1.234,5\n", "`1.234,5` is not a number; write 1234.5 without marks"),
        ("time\tx\n1\t1,234\n", "`1,234` is not a number; write 1234.5 without marks"),
    ],
)
def test_commas_that_may_mean_something_else(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(LanguageError) as error:
        read(text, "{ time: Time, x: real }", tmp_path)
    assert part in told(error)[1]


@pytest.mark.parametrize("block", [1, 2, 1000])
@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        ("time", "2023-11-16 18:17:03.979960", "2023-11-16 18:17:04.031960"),
        ("time", "2023-11-16T18:17:03.979960Z", "2023-11-16T18:17:04.031960+00:00"),
        ("time [s]", "2023/11/16 23:17:03.979960+05:00", "2023/11/16 13:47:04.03196 -0430"),
        ("time", "18:17:03.97996", "18:17:04.03196"),
        ("time", "2023-12-31 23:59:59.99", "2024-01-01 0:00:00.042"),
        ("Date;time", "2023-11-16;18:17:03.97996", "2023-11-16;18:17:04.03196"),
        ("time;DATE", "23:59:59.99;2024-02-28", "00:00:00.042;2024-02-29"),
        ("time", "2023-11-16 18:17:03,97996", "2023-11-16 18:17:04,03196"),
        ("time", "1700158623.97996", "1700158624.03196"),
    ],
)
def test_calendar_times(tmp_path: Path, block: int, header: str, first: str, second: str) -> None:
    """As Parquet's time stamps: a field `time` counts from the first row, exactly."""
    text = f"n;{header}\n1;{first}\n2;{second}\n"
    assert read(text, "{ time: Time, n: int }", tmp_path, block=block, clock="time ns") == [(0.0, 1), (52e6, 2)]


def test_calendar_times_of_other_fields_count_from_1970(tmp_path: Path) -> None:
    text = "n,at\n1,1970-01-02 00:00:01.5\n2,1970-01-03\n"
    assert read(text, "{ at: Time, n: int }", tmp_path, clock="time s") == [(86_401.5, 1), (172_800.0, 2)]


@pytest.mark.parametrize(
    ("fields", "text", "part"),
    [
        (
            "{ time: Time }",
            "time\n11/16/2023 6:17 PM\n",
            "is not a time; a calendar time is written `2023-11-16 18:17:03",
        ),
        ("{ time: Time }", "time\n2023-11-31 10:00\n", "is not a time; a calendar time is written"),
        ("{ time: Time }", "time\n25:00:00\n", "is not a time"),
        ("{ time: Time }", "time [ms]\n2023-11-16 10:00\n", "is a calendar time, but its column is in ms"),
        ("{ n: int }", "n\n2023-11-16 10:00\n", "is a calendar time, but the field is not a Time"),
        (
            "{ time: Time }",
            "time\n2023-11-16 10:00\n11:00\n",
            "line 3, column `time`: `11:00` is not written as the first",
        ),
        ("{ time: Time }", "time\n2023-11-16 10:00Z\n2023-11-16 11:00\n", "is not written as the first time is"),
        ("{ time: Time }", "time;date\n10:00;\n", "`10:00` is a time of day, and `` is not its date"),
    ],
)
def test_calendar_times_that_are_none(tmp_path: Path, fields: str, text: str, part: str) -> None:
    with pytest.raises(LanguageError) as error:
        read(text, fields, tmp_path)
    assert told(error)[0] == "stream-row"
    assert part in told(error)[1]


def test_without_the_native_engine_there_is_one_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "petri._native", None)
    with pytest.raises(LanguageError) as error:
        read("n\n1\n", "{ n: int }", tmp_path)
    assert told(error)[0] == "stream-needs-native"


def test_all_columns_that_are_missing_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(LanguageError) as error:
        read("sise,x [ms]\n1,2\n", "{ time: Time, size: Bytes, x: int }", tmp_path)
    found = [(one.id, one.values["field"]) for one in error.value.diagnostics]
    wanted = [("stream-unknown-column", "time"), ("stream-unknown-column", "size"), ("stream-column-unit", "x")]
    assert found == wanted
    assert error.value.diagnostics[1].values["suggestion"] == "sise"


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("frame.time_epoch,frame.len,Flow\n100.5,64,1\n101,65,2\n")
    columns = {"time": "frame.time_epoch [s]", "rows.size": "frame.len"}
    flat = with_streams(net("{ time: Time, size: Bytes, flow: 0..7 }"), {"rows": path}, columns)
    assert rows(flat) == [(0.0, 64.0, 1), (500_000.0, 65.0, 2)]
    names = '{pkt: {time: "frame.time_epoch", size: "frame.len"}}'
    inside = f'place rows : {{ pkt: {{ time: Time, size: Bytes }} }} = stream("rows.csv", {names})'
    (tmp_path / "a.net").write_text(f"time us {inside} transition t: rows(_) -> nothing")
    assert rows(language.load(tmp_path / "a.net")) == [(100.5e6, 64.0), (101e6, 65.0)]  # `pkt.time` is not `time`


@pytest.mark.parametrize(
    ("text", "given", "found"),
    [
        ("0;64;gold\n1;65;silver\n", {"time": "1 [ms]", "size": "2", "class": "3"}, [(0, 64, 0), (1000, 65, 1)]),
        ("gold,7\n", {"class": "1", "size": "2 [kB]"}, [(7000, 0)]),
        ("kind,bytes\ngold,7\n", {"class": "1", "size": "2"}, [(7, 0)]),
        ("kind,size\ngold,7\n", {"class": "1"}, [(7, 0)]),
        ("12:00:01,3\n12:00:03,4\n", {"time": "1", "size": "2"}, [(0, 3), (2_000_000, 4)]),
        ("# no names\n\n5\n6\n", {"value": "1"}, [(5,), (6,)]),
    ],
)
def test_columns_by_position_need_no_names(
    text: str, given: dict[str, str], found: list[Token], tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    kinds = {"time": "Time", "size": "Bytes", "class": "Class"}
    fields = ", ".join(f"{name}: {kind}" for name, kind in kinds.items() if name in given or name == "size")
    flat = with_streams(net("int" if "value" in given else f"{{ {fields} }}"), {"rows": path}, given)
    assert rows(flat) == rows(flat, 1) == found


@pytest.mark.parametrize(
    ("text", "identifier", "part"),
    [
        ("1,x\n4,5\n", "stream-row", "line 1, column `2`: `x` is not a number"),
        ("a,b\n4,x\n", "stream-row", "line 2, column `b`: `x` is not a number"),
        ("1\n4\n", "stream-no-position", "no column number 2"),
        ("1,2\n4\n", "stream-row", "line 2: it has 1 columns"),
        ("", "stream-no-columns", "does not start"),
        ("a,b\n", "stream-empty", "no rows"),
    ],
)
def test_what_cannot_be_read_by_position(text: str, identifier: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    flat = with_streams(net("{ time: Time, size: Bytes }"), {"rows": path}, {"time": "1", "size": "2"})
    with pytest.raises(LanguageError) as error:
        rows(flat)
    assert told(error)[0] == identifier
    assert part in told(error)[1]


@pytest.mark.parametrize(
    ("text", "identifier", "part"),
    [
        ("", "stream-no-columns", "does not start"),
        ("1,2,3\n4,5,6\n", "stream-no-columns", "does not start"),
        ("time,size,flow\n", "stream-empty", "no rows"),
        ("time,size\n1,2\n", "stream-unknown-column", "`flow`"),
        ("time,size,flow,flow\n1,2,3,4\n", "stream-column-twice", "`flow`"),
        ("time [parsec],size,flow\n1,2,3\n", "stream-unknown-unit", "`parsec`"),
        ("time [B],size,flow\n1,2,3\n", "stream-column-unit", "Bytes"),
        ("time,size,flow [s]\n1,2,3\n", "stream-column-unit", "plain"),
        ("time,size,flow\n1,2,3\n1,x,3\n", "stream-row", "line 3, column `size`: `x` is not a number"),
        ("time,size,flow\n1,2,3\n\n#\n1,,3\n", "stream-row", "line 5, column `size`"),
        ("time,size,flow\n1,2\n", "stream-row", "line 2: it has 2 columns"),
        ("time,size,flow\n1,2,3.5\n", "stream-row", "`3.5` is not a 64-bit integer"),
        ("time,size,flow\n1,2,1e30\n", "stream-row", "is not a 64-bit integer"),
        ("time,size,flow\n1,nan,3\n", "stream-row", "`nan` is not a number"),
        ("time,size,flow\n1,2,3\n1,inf,3\n", "stream-row", "line 3, column `size`: `inf`"),
        ("time,size,flow\n1,1e999,3\n", "stream-row", "finite number"),
        ('time,size,flow\n1,"2,3\n', "stream-row", "line 2"),
        ("time,size,flow\n1,2,3\n1,2,9\n", "stream-value", "line 3: `flow` is 9"),
        ("time,size,flow\n1,2,-1\n", "stream-value", "line 2: `flow` is -1"),
        ("time,size,flow\n5,2,3\n6,2,3\n5.5,2,3\n", "stream-time-back", "line 4: the time decreases by 0.5 s"),
        ("time [ms],size,flow\n5,2,3\n3,2,3\n", "stream-time-back", "line 3: the time decreases by 2 ms"),
        (b"time,size,flow\n1,2,3\n\xff\xfe\x00\n", "stream-not-text", "line"),
        ("time,size,flow\n" + "1" * (LONGEST_RECORD + 1) + ",2,3\n", "stream-long-line", "line 2"),
        (b"\x1f\x8b\x08\x00aaaaaaaa", "stream-compressed", "gzip"),
        (b"\x28\xb5\x2f\xfdaaaaaaaa", "stream-compressed", "zstd"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("block", [1, 1000])
def test_what_is_wrong_is_told(tmp_path: Path, text: str | bytes, identifier: str, part: str, block: int) -> None:
    with pytest.raises(LanguageError) as error:
        read(text, "{ time: Time, size: Bytes, flow: 0..7 }", tmp_path, block=block)
    found, message = told(error)
    assert found == identifier
    assert part in message


def test_all_columns_that_are_missing_are_told(tmp_path: Path) -> None:
    with pytest.raises(LanguageError) as error:
        read("tim,siz,flow [s]\n1,2,3\n", "{ time: Time, size: Bytes, flow: int }", tmp_path)
    found = [one.id for one in error.value.diagnostics]
    assert found == ["stream-unknown-column", "stream-unknown-column", "stream-column-unit"]


def test_no_file_and_no_place(tmp_path: Path) -> None:
    flat = net("{ time: Time }")
    with pytest.raises(LanguageError) as error:
        rows(flat)
    assert told(error)[0] == "stream-not-given"
    (tmp_path / "packets.csv").write_text("time\n1\n")
    with pytest.raises(LanguageError) as error:
        rows(with_streams(flat, {"rows": tmp_path / "packet.csv"}))
    assert told(error)[0] == "stream-missing"
    assert error.value.diagnostics[0].values["suggestion"] == str(tmp_path / "packets.csv")
    with pytest.raises(LanguageError) as error:
        rows(with_streams(flat, {"rows": tmp_path}))
    assert told(error)[0] == "stream-not-regular"
    for files, columns, identifier in (
        ({"row": "x"}, {}, "stream-unknown-place"),
        ({}, {"tine": "x"}, "stream-unknown-field"),
    ):
        with pytest.raises(LanguageError) as error:
            with_streams(flat, files, columns)
        assert told(error)[0] == identifier


@pytest.mark.parametrize(
    ("fields", "identifier"), [("{ time: int }", "stream-whole"), ("{ a: Area }", "stream-dimension")]
)
def test_fields_that_no_column_can_fill(tmp_path: Path, fields: str, identifier: str) -> None:
    flat = net(fields.replace("Area", "Bytes"))
    if identifier == "stream-dimension":
        from petri.structs import replace

        slot = replace(flat.places[0].colour.slots[0], dimension="Bytes^2")
        colour = replace(flat.places[0].colour, slots=(slot,))
        flat = replace(flat, places=(replace(flat.places[0], colour=colour),))
    (tmp_path / "rows.csv").write_text("a,time [ms]\n1,2\n")
    with pytest.raises(LanguageError) as error:
        rows(with_streams(flat, {"rows": tmp_path / "rows.csv"}, {"time": "time [ms]"} if "time" in fields else {}))
    assert told(error)[0] in (identifier, "stream-column-unit")
