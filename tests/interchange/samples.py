"""Small files of other tools, of the page `samples.md`."""

from __future__ import annotations

from pathlib import Path

from tests.documents import sections

PAGE = Path(__file__).with_name("samples.md")
SAMPLES = {section.name: section.blocks for section in sections(PAGE)}
PNML, TIMES, TAPAAL, PNPRO, PNPRO_PLAIN, TINA, PIPE, GOSPN, ORIS, PRISM = (
    SAMPLES[name]["file"]
    for name in (
        "cooks.pnml", "times.pnml", "shop.tapn", "shop.PNPRO", "plain.PNPRO", "tina.net", "pipe.xml", "gospn.spn",
        "oris.xpn", "prism.sm",
    )
)  # fmt: skip
