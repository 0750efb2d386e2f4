"""The entry point: finds the subcommand, and sees that no traceback reaches a user."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import NoReturn

import click

from . import exits

# name: (module, what it does). The module is imported when the command is called; it offers `command`.
COMMANDS = {
    "run": ("run", "Simulate a net and print what was measured."),
    "check": ("check", "Report every error and warning in .net files."),
    "fmt": ("fmt", "Bring .net files into the standard layout."),
    "info": ("info", "Show a net's parameters, places, transitions and measures."),
    "draw": ("draw", "Draw a net as SVG or Graphviz DOT."),
    "flat": ("flat", "Print the flat net, as the engines read it, as JSON."),
    "list": ("library", "List the nets of the library."),
}


class Commands(click.Group):
    """A group that imports a subcommand only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{COMMANDS[cmd_name][0]}", __package__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise exits.Refusal(f"there is no command `{args[0]}`", _command_hint(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _command_hint(name: str) -> str:
    close = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    if close:
        return f"did you mean `pnsim {close[0]}`?"
    if name.endswith(".net"):
        return f"to simulate it: pnsim run {name}"
    return "the commands are: " + ", ".join(COMMANDS)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from petri.version import VERSION

        click.echo(f"pnsim {VERSION}")
        ctx.exit()


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with `pnsim list`, then `pnsim run mm1`. `pnsim COMMAND --help` tells more of each.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
def pnsim() -> None:
    """Simulate coloured timed Petri nets that are written in .net files."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with its exit status."""
    try:
        status = pnsim.main(arguments, prog_name="pnsim", standalone_mode=False)
        sys.stdout.flush()
        code = status if isinstance(status, int) else exits.DONE
    except exits.Refusal as refusal:
        code = _tell(refusal.message, refusal.hint, refusal.status)
    except click.UsageError as error:
        usage = error.ctx.get_usage().removeprefix("Usage: ") if error.ctx else ""
        code = _tell(error.format_message().rstrip("."), f"usage: {usage}" if usage else "", exits.NOT_STARTED)
    except click.ClickException as error:
        code = _tell(error.format_message(), "", exits.NOT_STARTED)
    except (click.Abort, KeyboardInterrupt):
        code = _tell("interrupted", "", exits.INTERRUPTED)
    except BrokenPipeError:
        code = _leave_closed_pipe()
    except Exception as error:
        if os.environ.get("PNSIM_DEBUG", "") not in ("", "0"):
            raise
        code = _tell_unexpected(error)
    sys.exit(code)


def _tell(message: str, hint: str, status: int) -> int:
    from .console import tell_error

    tell_error(message, hint)
    return status


def _tell_unexpected(error: Exception) -> int:
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    hint = "this is a fault of pnsim; to report it, run the command again with PNSIM_DEBUG=1 for the traceback"
    if isinstance(error, MemoryError):
        what, hint = "out of memory", "a net whose places fill without bound needs a capacity, or a shorter run"
    elif isinstance(error, RecursionError):
        what, hint = "something in this net is nested too deeply", "PNSIM_DEBUG=1 shows where"
    return _tell(what, hint, exits.STOPPED)


def _leave_closed_pipe() -> int:
    """Whoever read our output has gone (`pnsim … | head`): be silent, and keep the interpreter silent as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return exits.DONE
