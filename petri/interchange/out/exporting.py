"""Nets for other tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from petri.diagnostics import Diagnostic
from petri.interchange.out import to_chain, to_xml
from petri.interchange.out.plain import Plain, plain
from petri.net import Net

Writer = Callable[[Plain], tuple[str, list[Diagnostic]]]
WRITERS: Final[dict[str, tuple[str, Writer]]] = {
    "pnml": ("PNML", to_xml.pnml),
    "pnpro": ("GreatSPN", to_xml.pnpro),
    "prism": ("PRISM", to_chain.prism),
    "jani": ("JANI", to_chain.jani),
}


def exported(net: Net, format: str, sources: Mapping[str, str] | None = None) -> tuple[str, list[Diagnostic]]:
    """Return the net in a format of `WRITERS`, and what it does not say. Raises LanguageError at what it cannot say."""
    name, write = WRITERS[format]
    variables = format in ("prism", "jani")
    return write(plain(net, sources or {}, name, times=format != "pnml", variables=variables))
