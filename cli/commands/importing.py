"""`pnsim import`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from petri import interchange, language

from ..options import nets
from ..terminal.console import tell
from ..terminal.document import check, deliver


@click.command(name="import")
@click.argument("file", metavar="FILE")
@click.option("--output", "-o", metavar="FILE.net", help="Write the net to this file instead of printing it.")
@click.option("--net", "wanted", default="", metavar="NAME", help="Which net, of a file with several.")
@click.option("--quiet", "-q", is_flag=True, help="Show no warnings and notes.")
def command(file: str, output: str | None, wanted: str, quiet: bool) -> None:
    """Print a net of another tool as text of the language: PNML and others (docs/interchange.md).

    The content of FILE decides which format it is; `-` reads stdin. What the language says otherwise is a warning,
    what it cannot say an error, with its place in the file.

    Exit status: 0 done, 1 the file cannot be imported, 2 it cannot be read or written.
    """
    check(output, [file])
    if file == nets.STDIN:
        found = interchange.read_bytes(sys.stdin.buffer.read(), nets.SHOWN_STDIN, wanted)
    else:
        found = interchange.read(Path(file), file, wanted)
    text = interchange.text_of(found)
    for finding in () if quiet else found.findings:
        tell(finding, {found.file: found.source})
    if not any(one.id == "foreign-no-value" for one in found.findings):  # whether it is a net depends on the value
        language.loads(text, name=f"{found.file} (imported)")
    deliver(text, output, f"; try: pnsim run {output}")
