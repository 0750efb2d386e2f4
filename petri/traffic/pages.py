"""The sizes of a Parquet file's pages, before any is unpacked: a page of a few bytes may say that it has gigabytes.

A page begins with a `PageHeader` in the compact protocol of Thrift, which pyarrow reads but does not show.
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final, NamedTuple

LONGEST_HEADER: Final = 1 << 20  # bytes; it may have statistics
_DEEPEST: Final = 8

_SIZE, _PACKED, _OF_KINDS = 2, 3, (5, 7, 8)  # fields of a PageHeader; those of a page of data, of a dictionary, of data
_VALUES: Final = 1  # field of the headers within it


class Page(NamedTuple):
    """Its size when it is unpacked [bytes], and how many values it has."""

    size: int
    values: int


def pages(file: BinaryIO, begin: int, end: int) -> list[Page]:
    """Return the pages of a column in a row group. Raises ValueError where something else is there."""
    found = []
    while begin < end:
        file.seek(begin)
        data = _Bytes(file.read(min(LONGEST_HEADER, end - begin)))
        header = data.struct()
        inner = [header[field] for field in _OF_KINDS if isinstance(header.get(field), dict)]
        numbers = header.get(_SIZE), header.get(_PACKED), inner[0].get(_VALUES, 0) if inner else 0
        size, packed, values = (number if isinstance(number, int) else -1 for number in numbers)
        if min(size, packed, values) < 0:
            raise ValueError("a page has no size")
        found.append(Page(size, values))
        begin += data.position + packed
    return found


class _Bytes:
    """Values in Thrift's compact protocol, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def byte(self) -> int:
        if self.position >= len(self.data):
            raise ValueError("the header of a page does not end")
        self.position += 1
        return self.data[self.position - 1]

    def whole(self) -> int:
        """Return a natural number, seven bits in a byte."""
        value = shift = 0
        while (byte := self.byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def signed(self) -> int:
        value = self.whole()
        return value >> 1 ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return its fields by number."""
        found: dict[int, Any] = {}
        number = 0
        while (head := self.byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self.signed()
            found[number] = self.value(head & 0x0F, depth)
        return found

    def value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("the header of a page is too deep")
        if kind in (1, 2):  # true, false
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):  # ints of 16 to 64 bits
            return self.signed()
        if kind in (7, 8):  # a double; bytes, such as a least value
            length = 8 if kind == 7 else self.whole()
            self.position += length
            return None
        if kind in (9, 10):  # a list, a set
            head = self.byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self.whole()):
                self.value(3 if head & 0x0F in (1, 2) else head & 0x0F, depth + 1)
            return None
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError("the header of a page has a value of no known kind")
