"""Files that are known and not read: what they are, and what to do instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Unreadable:
    """signs: all of them are in the first bytes of such a file. reason: why it is not read; advice: what to do."""

    origin: str
    signs: tuple[re.Pattern[bytes], ...]
    reason: str
    advice: str = ""


def _known(origin: str, signs: bytes | Sequence[bytes], reason: str, advice: str = "") -> Unreadable:
    every = (signs,) if isinstance(signs, bytes) else signs
    return Unreadable(origin, tuple(re.compile(one, re.MULTILINE) for one in every), reason, advice)


_START: Final = rb"\A(?:\xef\xbb\xbf)?\s*"
_XML: Final = _START + rb"(?:<[?!][^>]*>\s*)*"
_FIG: Final = (rb"^[ \t]*module[ \t]+\w", rb":[ \t]*clock[ \t]*;", rb"^[^\[\n]*\[[ \t]*\w*[?!]{0,2}[ \t]*\][^\n]*@")
_PROPERTY: Final = (
    rb"^[ \t]*(?:\"\w+\"[ \t]*:[ \t]*)?(?:[PSR]|R\{\"\w+\"\})(?:min|max)?[ \t]*(?:=\?|[<>]=?[ \t]*[\w.]+)[ \t]*\["
)
_PAGE: Final = _XML + rb"<(?:html|head|body)\b|" + _START + rb"<!(?:DOCTYPE|doctype)\s+(?:html|HTML)\b"
_FIG_REASON: Final = (
    "in its automata a clock is set by a step and may outlast the state in which its end is awaited; "
    "here it runs while its transition is enabled"
)
_PACKED: Final = "it is compressed"
KNOWN: Final = (
    _known("FIG", _FIG, _FIG_REASON),
    _known(
        "JANI", (_START + rb"\{", rb'"jani-version"'), "its automata are not read",
        "import the model from which it was made, or write it as modules of PRISM",
    ),
    _known(
        "SBML", _XML + rb"<(?:\w+:)?sbml\b", "reactions with kinetic laws are not read",
        "write each reaction as a transition; with mass action, its rate is a constant times the numbers of tokens",
    ),
    _known(
        "UPPAAL", _XML + rb"<nta\b", "timed automata are not read",
        "write each location as a place and each edge as a transition",
    ),
    _known("Romeo", _XML + rb"<TPN\b", "it is not read", "save the net for TINA, or as PNML"),
    _known("Snoopy", _XML + rb"<Snoopy\b", "it is not read", "export the net as PNML"),
    _known(
        "BPMN", _XML + rb"<(?:\w+:)?definitions\b[^>]*(?:BPMN|bpmn)", "processes are not read",
        "convert it to a Petri net, with pm4py for example, and save that as PNML",
    ),
    _known(
        "the web", _PAGE, "it is a page and no net",
        "open results in a browser; of a page with a file, download the file itself (of GitHub, with Raw)",
    ),
    _known(
        "Git LFS", rb"\Aversion https://git-lfs\.github\.com/spec/", "it only says where the file is",
        "get the file: `git lfs pull`",
    ),
    _known("gzip", rb"\A\x1f\x8b", _PACKED, "unpack it, and import the file inside: `gunzip FILE.gz`"),
    _known("zip", rb"\APK\x03\x04", _PACKED, "unpack it, and import a file inside: `unzip FILE.zip`"),
    _known("bzip2", rb"\ABZh", _PACKED, "unpack it, and import the file inside: `bunzip2 FILE.bz2`"),
    _known("xz", rb"\A\xfd7zXZ\x00", _PACKED, "unpack it, and import the file inside: `unxz FILE.xz`"),
    _known(
        "tar", rb"\A[^\x00]{1,100}\x00[\s\S]{156,256}ustar", "it contains several files",
        "unpack it, and import one of them: `tar xf FILE.tar`",
    ),
    _known("PDF", rb"\A%PDF", "it is a document and no net"),
    _known(
        "PRISM", _PROPERTY, "it has properties and no model",
        "import the model; `pnsim solve` gives its long-run averages",
    ),
)  # fmt: skip


def known(head: bytes) -> Unreadable | None:
    """Return what a file is, by its first bytes, if that is known."""
    return next((one for one in KNOWN if all(sign.search(head) for sign in one.signs)), None)
