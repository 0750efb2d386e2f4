"""Reads source files, and identifies files that are not nets of this language.

The suffix `.net` is shared: TINA, GreatSPN and Pajek use it too, each for its own format.
"""

from __future__ import annotations

import os
import re
from os import PathLike

from petri import library
from petri.diagnostics import Diagnostic, Value, did_you_mean
from petri.net import Span

LARGEST_FILE = 4 * 2**20  # bytes

_STORE = "an SQLite database"
# The first bytes of files that are mistaken for nets.
_SIGNATURES = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive (or an office document)"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", _STORE),
    (b"\x93NUMPY", "a numpy array"),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_source(path: str | PathLike[str], name: str | None = None) -> tuple[str, list[Diagnostic]]:
    """Return the text of a source file, or an empty text and a diagnostic if it cannot be read.

    `name` is the name of the file in diagnostics (default: the path as given). The parser decides whether the text is a
    net.
    """
    path = os.fspath(path)
    shown = name or path
    try:
        if os.path.isdir(path):
            nets = tuple(os.path.join(path, name) for name in library.nets_in(path)[:5])
            return "", [Diagnostic("file-is-folder", values={"path": shown, "names": nets})]
        size = os.stat(path).st_size
        if size > LARGEST_FILE:
            return "", [too_large(shown, size)]
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return "", [Diagnostic("file-missing", values={"path": shown, "suggestion": _near(path)})]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return "", [Diagnostic("file-unreadable", values={"path": shown, "reason": reason})]
    return decode(data, shown)


def decode(data: bytes, name: str) -> tuple[str, list[Diagnostic]]:
    """Return the text of a source file's bytes; if they are not text, the one diagnostic that says what they are."""
    if len(data) > LARGEST_FILE:
        return "", [too_large(name, len(data))]
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            store = name if kind == _STORE else None
            return "", [Diagnostic("file-binary", values={"path": name, "kind": kind, "store": store})]
    if data.startswith(_UTF16) or (b"\0" in data[:64] and data[1::2].count(0) > len(data) // 3):
        return "", [Diagnostic("file-not-utf8", values={"path": name, "encoding": "UTF-16"})]
    if b"\0" in data:
        return "", [Diagnostic("file-binary", values={"path": name})]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        values: dict[str, Value] = {"path": name, "byte": f"0x{data[error.start]:02X}"}
        return "", [Diagnostic("file-not-utf8", Span(name, line, column, line, column + 1), values)]
    return text, []


def unlike(text: str, name: str) -> list[Diagnostic]:
    """Return the diagnostics of a text that declares nothing or belongs to another program; else none."""
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return [Diagnostic("file-empty", values={"path": name})]
    own = _OWN.search(text) is not None
    for identifier, pattern in _OF_THIS_PROGRAM:
        if not own and re.search(pattern, text, re.MULTILINE):
            return [Diagnostic(identifier, values={"path": name})]
    for tool, words, pattern in _FOREIGN:
        possible = (tool in _SIMILAR or not own) and any(word in text for word in words.split())
        found = re.search(pattern, text, re.MULTILINE) if possible else None
        if found:
            line = text.count("\n", 0, found.start("sign")) + 1
            column = found.start("sign") - (text.rfind("\n", 0, found.start("sign")) + 1) + 1
            span = Span(name, line, column, line, column + len(found["sign"]))
            values: dict[str, Value] = {"path": name, "tool": tool, "sign": found["sign"]}
            if tool in _IMPORTED:
                values["readable"] = name
            return [Diagnostic("file-foreign", span, values)]
    return []


# A line that only occurs in this language: enough to treat the text as a net, however broken the rest is.
_OWN = re.compile(r"^[ \t]*(?:place|transition|param|measure|module|instance|import|port)[ \t]+[\w\"]", re.MULTILINE)
# Other files of this program.
_OF_THIS_PROGRAM = (
    ("file-experiment", r"^net[ \t]*:[ \t]+\S"),
    ("file-result", r'\A\s*\{[\s\S]*?"manifest"[ \t]*:'),
    ("file-flat", r'\A\s*\{[\s\S]*?"places"[ \t]*:'),
    ("file-page", r"\A\s*<(?i:!doctype html|html)\b"),
)
_SIMILAR = ("PRISM", "CPN Tools")  # have lines such as `module queue` too, but also lines that no net has
_IMPORTED = ("PNML", "PRISM", "TINA")  # by `pnsim import`, in the form that is recognised here
# Of each tool words of which its texts contain one, and a pattern: few texts do, so few patterns are compiled.
_FOREIGN = (
    ("GreatSPN", "|0|", r"\A\s*(?P<sign>\|0\|)[ \t]*$"),
    ("Pajek", "*", r"^[ \t]*(?P<sign>\*(?i:vertices|network|arcs|edges|arcslist|edgeslist|matrix)\b)"),
    ("TINA", "tr pl", r"^[ \t]*(?P<sign>(?:tr|pl)[ \t]+(?:\{[^}\n]*\}|[\w'?.-]+))(?=[ \t]*(?:$|[\[\]:(]|[^\n]*->|\s))"),
    ("LoLA", "TRANSITION", r"^[ \t]*(?P<sign>PLACE\b)[\s\S]*?^[ \t]*TRANSITION\b"),
    ("Hugin", "node", r"\A\s*(?P<sign>class\s+\w+|net)\s*\{[\s\S]*?^\s*node\s+\w+\s*\{"),
    ("KiCad", "(export", r"\A\s*(?P<sign>\(export\b)"),
    ("PEP", "PEP", r"\A\s*(?P<sign>PEP\b)"),
    ("PRISM", "endmodule", r"^[ \t]*(?P<sign>(?:dtmc|ctmc|mdp|pta|smg)\b)[ \t]*;?[ \t]*$(?=[\s\S]*^[ \t]*endmodule\b)"),
    ("PRISM", "'", r"^[ \t]*\[\w*\][^\n#]*->[^\n#]*(?P<sign>\(\w+'[ \t]*=)"),
    ("CPN Tools", "colset var", r"^[ \t]*(?P<sign>(?:colset[ \t]+\w+[ \t]*=|var[ \t]+\w+[^\n]*:[^\n]*;))"),
    ("PNML", "<pnml", r"\A\s*(?:<\?xml[^>]*>\s*)?(?P<sign><pnml\b)"),
)


def _near(path: str) -> str | None:
    """Return a net with a similar name in the folder of the missing file; or the file itself, without a suffix."""
    folder, name = os.path.split(path)
    near = did_you_mean(name, library.nets_in(folder))
    return os.path.join(folder, near) if near else None


def too_large(name: str, size: int) -> Diagnostic:
    values: dict[str, Value] = {
        "path": name,
        "size": f"{size / 2**20:.2f} MiB",
        "limit": f"{LARGEST_FILE // 2**20} MiB",
    }
    return Diagnostic("file-too-large", values=values)
