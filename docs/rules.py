"""Regenerates the index of docs/rules.md: which files obey which rule of semantics.md, and which follow it.

A comment or a docstring that cites a rule in parentheses, as in (E7) or (E4–E6), puts its file into the index. Run it
as `make readme`; a test calls `renewed`.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from petri.atomic_file import write_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rules.md"
RULE = re.compile(r"^\*\*([A-Z]\d+) ([^.*]+)", re.MULTILINE)
PARENTHESES = re.compile(r"\(([^()]*)\)")
CITATION = re.compile(r"\b([A-Z])(\d+)(?:(?:–| to )\1(\d+))?\b")
INDEX = re.compile(r"(?<=<!-- index -->\n).*?(?=<!-- end of the index -->)", re.DOTALL)
COLUMNS = {
    "reference engine": re.compile("petri/engine/(.*)"),
    "interpreter": re.compile("petri/native/engine/src/((?:engine|state|session|observe|base)/.*)"),
    "machine code": re.compile("petri/native/engine/src/(jit/.*)"),
    "followed by": re.compile("petri/(?:native/engine/src/)?(.*)"),
}
"""The columns of the index, and their files, with the part of the path that is shown. Files of the first three obey."""


def main() -> None:
    """Rewrite the index."""
    write_text(PAGE, renewed(PAGE.read_text(encoding="utf-8")))


def renewed(text: str) -> str:
    """Return the page with the index as the sources are now."""
    return INDEX.sub(lambda _: index(), text)


def index() -> str:
    rules = dict(RULE.findall((ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")))
    places: dict[str, dict[str, list[str]]] = {rule: {column: [] for column in COLUMNS} for rule in rules}
    for path in sources():
        column, shown = next((column, found[1]) for column, files in COLUMNS.items() if (found := files.match(path)))
        for rule in cited(comments(ROOT / path)) & set(rules):
            places[rule][column].append(f"`{shown}`")
    lines = [f"| rule | {' | '.join(COLUMNS)} |", "|---" * (1 + len(COLUMNS)) + "|"]
    for rule, name in rules.items():
        lines.append(f"| {rule} {name} | {' | '.join(', '.join(files) for files in places[rule].values())} |")
    return "\n".join(lines) + "\n"


def sources() -> list[str]:
    """Return the sources of `petri/`, from its root, without those of tests and of builds."""
    paths = (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "petri").rglob("*.*")))
    kept = (path for path in paths if path.endswith((".py", ".rs", ".txt", "/play.js")))
    return [path for path in kept if not re.search(r"/native/(target|fuzz|engine/(tests|examples|benches))/", path)]


def cited(text: str) -> set[str]:
    """Return the rules that a text names in parentheses, also as ranges: E4, E5 and E6 for (E4–E6)."""
    return {
        f"{letter}{number}"
        for inner in PARENTHESES.findall(text)
        for letter, first, last in CITATION.findall(inner)
        for number in range(int(first), int(last or first) + 1)
    }


def comments(path: Path) -> str:
    """Return the comments of a file, and its docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return "\n".join(docstrings_and_comments(text)) if CITATION.search(text) else ""
    if path.suffix == ".txt":
        return "\n".join(re.findall("(?m)^#.*", text))
    return "\n".join(re.findall(r"//.*|/\*(?s:.*?)\*/", text))


def docstrings_and_comments(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
            yield token.string


if __name__ == "__main__":
    main()
