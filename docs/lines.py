"""Regenerates the table of lines of ARCHITECTURE.md: how much code each room has.

A line of code is not blank, no comment and no docstring. Tests within modules of Rust do not count, nor do the texts
and nets that are data of tests. Run it as `make readme`; a test holds the table to `measured`.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

from petri.atomic_file import write_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
TABLE = re.compile(r"(?<=<!-- lines -->\n).*?(?=<!-- end of the lines -->)", re.DOTALL)
ROOMS = ("petri/native/engine/src", "petri/native", "petri")
"""The folders whose own folders are rooms of the table, the innermost first; others are rooms as a whole."""
PRODUCT = "petri/, cli/"  # together
COMMENT = {".py": "#", ".rs": "//", ".js": "//", ".lark": "//", ".net": "#", ".txt": "#"}


def main() -> None:
    """Rewrite the table."""
    write_text(PAGE, renewed(PAGE.read_text(encoding="utf-8")))


def renewed(text: str) -> str:
    """Return the page with the table as the sources are now."""
    return TABLE.sub(lambda _: table(), text)


def table() -> str:
    files, lines = measured()
    rows = [f"| `{room}` | {files[room]} | {lines[room]:,} |" for room in sorted(lines)]
    return "\n".join(["| room | files | lines |", "|---|---:|---:|", *rows]) + "\n"


def measured() -> tuple[Counter[str], Counter[str]]:
    """Return the number of files and of lines of each room."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in tracked():
        if path.suffix in COMMENT and (path.suffix == ".py" or path.parts[0] != "tests"):
            room = room_of(path)
            lines[room] += code_lines(ROOT / path)
            files[room] += 1
    for count in (files, lines):
        count[PRODUCT] = sum(count[room] for room in count if room.startswith(("petri/", "cli/")))
    return files, lines


def tracked() -> list[Path]:
    """Return the files of the repository, from its root."""
    found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in found.stdout.split("\0") if name and (ROOT / name).is_file()]


def room_of(path: Path) -> str:
    for folder in ROOMS:
        if path.is_relative_to(folder):
            inner = path.relative_to(folder).parts
            return f"{folder}/{inner[0]}/" if len(inner) > 1 else f"{folder}/*{path.suffix}"
    return f"{path.parts[0]}/" if len(path.parts) > 1 else f"*{path.suffix}"


def code_lines(path: Path) -> int:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        text = without_docstrings(text)
    elif path.suffix == ".rs":
        text = re.sub(r"(?m)^#\[cfg\(test\)\]\nmod \w+ \{\n(?s:.*?)^\}\n", "", text)
    mark = COMMENT[path.suffix]
    return sum(bool(line.strip()) and not line.lstrip().startswith(mark) for line in text.splitlines())


def without_docstrings(text: str) -> str:
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(lines)


if __name__ == "__main__":
    main()
