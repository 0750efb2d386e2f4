"""`pnsim help`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markdown import Markdown

from petri import library

from ..terminal.console import printing, stdout_console, write


@click.command(name="help")
@click.argument("topic", required=False, metavar="[COMMAND|PAGE]")
@click.pass_context
def command(context: click.Context, topic: str | None) -> None:
    """Describe COMMAND, show PAGE of the documentation, or list both.

    `pnsim help run` is the same as `pnsim run --help`. A page may be written with its suffix: `pnsim help language`, or
    `pnsim help report.md` to see the page instead of the command.
    """
    parent = context.parent
    assert parent is not None
    group = parent.command
    assert isinstance(group, click.Group)
    pages = library.pages()
    if topic is None:
        write(f"{parent.get_help()}\n\nPages of the documentation: {', '.join(pages)}\n")
    elif topic.removesuffix(".md") in pages and topic not in group.list_commands(parent):
        show(Path(pages[topic.removesuffix(".md")]))
    else:
        _, found, _ = group.resolve_command(parent, [topic])
        assert found is not None
        write(f"{found.get_help(click.Context(found, parent, info_name=topic))}\n")


def show(page: Path) -> None:
    """Print a page: laid out in a terminal, as its source anywhere else."""
    text = page.read_text(encoding="utf-8")
    with printing():
        console = stdout_console()
        if console.is_terminal:
            console.print(Markdown(text, hyperlinks=False))
        else:
            write(text)
