"""Comments of a text file, by the line of what they are about."""

from __future__ import annotations

import re
from typing import Final

_RULE: Final = re.compile(r"[\s\-=*/#~_]*")


def is_rule(comment: str) -> bool:
    """Return whether a comment is empty or only draws a line."""
    return _RULE.fullmatch(comment) is not None


class Remarks:
    """The comments that begin with a sign and end with their line. Each is given once."""

    def __init__(self, source: str, sign: str) -> None:
        self._beside: dict[int, str] = {}
        self._alone: dict[int, str] = {}
        self._empty: set[int] = set()
        for number, line in enumerate(source.splitlines(), 1):
            before, found, after = line.partition(sign)
            if not found:
                self._empty |= {number} if not before.strip() else set()
            elif not before.strip():
                self._alone[number] = after.strip()
            elif not is_rule(after):
                self._beside[number] = after.strip()

    def head(self) -> list[str]:
        """Return the lines of comment before anything else."""
        lines, number = [], 1
        while number in self._alone or number in self._empty:
            lines.append(self._alone.pop(number, ""))
            number += 1
        return [line for line in lines if not is_rule(line)]

    def about(self, line: int) -> str:
        """Return the comment on this line, after the lines of comment right above it."""
        above: list[str] = []
        number = line - 1
        while number in self._alone:
            above.insert(0, self._alone.pop(number))
            number -= 1
        said = [*above, self._beside.pop(line, "")]
        return "\n".join(one for one in said if not is_rule(one))
