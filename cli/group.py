"""The command `pnsim`: finds the subcommand, and runs it."""

from __future__ import annotations

from importlib import import_module

import click

from petri.diagnostics import did_you_mean
from petri.version import VERSION

from .commands import COMMANDS, GROUPS
from .terminal import exits
from .terminal.console import write
from .terminal.exits import Refusal, refusal
from .terminal.interrupts import ctrl_c_at_once

ABOUT = "Simulate coloured timed Petri nets written in .net files."
EPILOG = "Start with `pnsim list`, then `pnsim run mm1`. `pnsim COMMAND --help` describes a command."
WIDEST = 100  # columns of a help text


class Commands(click.Group):
    """A group that imports a subcommand only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        with ctrl_c_at_once():
            command: click.Command = import_module(f".commands.{COMMANDS[cmd_name][0]}", __package__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise _unknown_command(args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))  # so that the texts of all groups align
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), text) for name, (_, text) in commands.items()])


# What people from other tools try first.
_MEANT = {
    "simulate": "run", "sim": "run", "exec": "run", "start": "run", "trace": "run NET --trace trace.csv",
    "lint": "check", "test": "check", "format": "fmt", "graph": "draw", "plot": "draw", "view": "draw",
    "show": "info", "describe": "info", "version": "-V", "about": "-V", "ls": "list", "examples": "list",
    "models": "list", "nets": "list", "docs": "help", "man": "help", "explain": "why", "debug": "step",
    "animate": "play", "optimize": "search", "optimise": "search", "experiment": "sweep", "init": "new",
    "create": "new", "convert": "import", "serve": "live", "analyse": "solve", "analyze": "solve",
    "markov": "solve", "states": "reach",
}  # fmt: skip


def _unknown_command(name: str) -> Refusal:
    suggestion = _MEANT.get(name) or did_you_mean(name, COMMANDS)
    file = name if name.endswith(".net") else None
    experiment = name if name.endswith((".yaml", ".yml")) else None
    commands = None if suggestion or file or experiment else list(COMMANDS)
    about = {"suggestion": suggestion, "file": file, "experiment": experiment, "commands": commands}
    return refusal("unknown-command", name=name, **about)


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    help=ABOUT,
    epilog=EPILOG,
)
@click.version_option(VERSION, "-V", "--version", prog_name="pnsim", message="%(prog)s %(version)s")
@click.pass_context
def pnsim(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        write(f"{ctx.get_help()}\n")


def call(arguments: list[str]) -> int:
    """Run a command. Returns the exit status, and raises what `failing.told` tells."""
    status = pnsim.main(arguments, prog_name="pnsim", standalone_mode=False, obj=arguments)
    return status if isinstance(status, int) else exits.DONE
