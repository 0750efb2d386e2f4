"""`pnsim help`."""

from __future__ import annotations

import click

from .console import write


@click.command(name="help")
@click.argument("command", required=False, metavar="[COMMAND]")
@click.pass_context
def command(context: click.Context, command: str | None) -> None:
    """Describe COMMAND, or list the commands. The same as `pnsim COMMAND --help`."""
    parent = context.parent
    assert parent is not None
    if command is None:
        write(f"{parent.get_help()}\n")
        return
    group = parent.command
    assert isinstance(group, click.Group)
    _, found, _ = group.resolve_command(parent, [command])
    assert found is not None
    write(f"{found.get_help(click.Context(found, parent, info_name=command))}\n")
