"""Parquet files: the same rows as text has, instants exact, and what is told of what cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.net import Token
from petri.traffic import Recordings, with_streams

from .files import tokens_read

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.skipif(not available(), reason="recordings are read by the native engine")

NOT_UTF8 = pyarrow.array([b"gold", b"\xff\xfe"], pyarrow.binary()).view(pyarrow.string())


def read(columns: dict[str, Any], fields: str, folder: Path, block: int | None = None, **how: Any) -> list[Token]:
    path = folder / "rows.parquet"
    parquet.write_table(pyarrow.table(columns), path, **{"row_group_size": 3, **how})
    text = f"time us type Class = gold | silver place p : {fields} = stream() transition t: p(_) -> nothing"
    flat = with_streams(language.loads(text), {"p": path})
    return tokens_read(Recordings(flat, block), flat)


@pytest.mark.parametrize("block", [1, 2, 4, 100])
def test_columns_of_every_kind(tmp_path: Path, block: int) -> None:
    start = 1_700_000_000_000_000_000
    columns = {
        "time": pyarrow.array([start, start + 250, start + 10**9, start + 10**9], pyarrow.timestamp("ns")),
        "size [kB]": pyarrow.array([1.5, 2.0, 0.064, 0.0]),
        "flow": pyarrow.array([1, 2, 3, 4], pyarrow.uint8()),
        "class": pyarrow.array(["gold", "silver", "gold", "gold"]).dictionary_encode(),
        "new": pyarrow.array([True, False, False, True]),
        "other": pyarrow.array([None, "x", "y", "z"]),
    }
    fields = "{ time: Time, size: Bytes, flow: 0..7, class: Class, new: bool }"
    assert read(columns, fields, tmp_path, block) == [
        (0.0, 1500.0, 1, 0, 1), (0.25, 2000.0, 2, 1, 0), (1e6, 64.0, 3, 0, 0), (1e6, 0.0, 4, 0, 1),
    ]  # fmt: skip


def test_times_may_be_numbers(tmp_path: Path) -> None:
    assert read({"time [ms]": [5, 7]}, "{ time: Time }", tmp_path) == [(0.0,), (2000.0,)]
    assert read({"time": [5.0, 7.5]}, "{ time: Time }", tmp_path) == [(0.0,), (2.5e6,)]


@pytest.mark.parametrize(
    ("columns", "fields", "identifier"),
    [
        ({"a": [1]}, "{ b: int }", "stream-unknown-column"),
        ({"a": [1, None]}, "{ a: int }", "stream-row"),
        ({"a": [1.0, 2.5]}, "{ a: int }", "stream-row"),
        ({"a": ["x"]}, "{ a: int }", "stream-row"),
        ({"a": ["bronze"]}, "{ a: Class }", "stream-row"),
        ({"a": pyarrow.array([2**64 - 1], pyarrow.uint64())}, "{ a: int }", "stream-row"),
        ({"a": [float("nan")]}, "{ a: real }", "stream-value"),
        ({"a": [9]}, "{ a: 0..7 }", "stream-value"),
        ({"a": NOT_UTF8}, "{ a: Class }", "stream-row"),
        ({"a": NOT_UTF8.dictionary_encode()}, "{ a: Class }", "stream-row"),
        ({"time": [2, 1]}, "{ time: Time }", "stream-time-back"),
        ({"time": pyarrow.array([10**12], pyarrow.timestamp("s"))}, "{ time: Time }", "stream-row"),
        ({"a": [[1]]}, "{ a: int }", "stream-row"),
        ({"a": [b"gold"]}, "{ a: Class }", "stream-row"),
        ({"a": pyarrow.array([], pyarrow.int64())}, "{ a: int }", "stream-empty"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, columns: dict[str, Any], fields: str, identifier: str) -> None:
    with pytest.raises(LanguageError) as error:
        read(columns, fields, tmp_path)
    assert error.value.diagnostics[0].id == identifier
    assert error.value.diagnostics[0].message


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1" + b"\0" * 100)
    flat = with_streams(
        language.loads("place p : { a: int } = stream() transition t: p(_) -> nothing"),
        {"p": tmp_path / "rows.parquet"},
    )
    with pytest.raises(LanguageError) as error:
        Recordings(flat).tokens(0)
    assert error.value.diagnostics[0].id == "stream-unreadable"


LONG = "A" * 2_000_000


@pytest.mark.parametrize(
    ("columns", "how"),
    [
        ({"a": [LONG] * 20}, {}),
        ({"a": [LONG] * 20}, {"use_dictionary": False}),
        ({"a": pyarrow.array([LONG] * 20, pyarrow.large_string())}, {}),
        ({"a": ["gold"] * 100 + [LONG] + ["gold"] * 100}, {}),
        ({"a": ["gold"] * 100 + [LONG] + ["gold"] * 100}, {"use_dictionary": False, "data_page_version": "2.0"}),
        ({"a": ["gold", "A" * 65_537]}, {}),
    ],
)
def test_a_text_is_as_long_as_a_row_of_csv(tmp_path: Path, columns: dict[str, Any], how: dict[str, Any]) -> None:
    with pytest.raises(LanguageError, match="a text in it is longer than 65,536 bytes"):
        read(columns, "{ a: Class }", tmp_path, row_group_size=1000, compression="zstd", **how)


def test_a_text_that_no_field_wants_is_not_read(tmp_path: Path) -> None:
    assert read({"a": [1], "b": [LONG]}, "{ a: int }", tmp_path) == [(1,)]
    with pytest.raises(LanguageError, match="its values have the type string"):
        read({"a": [LONG]}, "{ a: int }", tmp_path)


def test_a_page_is_not_unpacked_if_it_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.traffic.parquet.LARGEST_PAGE", 1000)
    assert len(read({"a": list(range(100))}, "{ a: int }", tmp_path, row_group_size=100)) == 100
    with pytest.raises(LanguageError, match="column `a`: a page of it has 0 MiB, where 0 are read"):
        read({"a": list(range(200))}, "{ a: int }", tmp_path, row_group_size=200)


def test_much_text_is_read_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.traffic.parquet.MUCH_TEXT", 10)
    monkeypatch.setattr("petri.traffic.parquet.FEW", 2)
    columns = {"a": ["gold", "silver", "silver", "gold", "gold"]}
    assert read(columns, "{ a: Class }", tmp_path, row_group_size=5) == [(0,), (1,), (1,), (0,), (0,)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the greatest size of a process is known on Linux")
def test_a_bomb_of_text_costs_little(tmp_path: Path) -> None:
    """It took 3.3 GB."""
    many = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 2000, pyarrow.int32()), ["A" * 50_000_000])
    parquet.write_table(pyarrow.table({"a": many}), tmp_path / "bomb.parquet", compression="zstd")
    del many
    code = f"""if True:
        from pathlib import Path
        from petri import language
        from petri.diagnostics import LanguageError
        from petri.traffic import Recordings, with_streams
        net = language.loads("type C = x | y place p : {{ a: C }} = stream() transition t: p(_) -> nothing")
        try:
            Recordings(with_streams(net, {{"p": {str(tmp_path / "bomb.parquet")!r}}})).tokens(0)
        except LanguageError as error:
            print(error.diagnostics[0].id, Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    identifier, kilobytes = done.stdout.split()
    assert identifier == "stream-row"
    assert int(kilobytes) < 200_000
