"""The entry point: finds the subcommand, and keeps tracebacks from users."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from petri.diagnostics import Diagnostic, LanguageError, Value, did_you_mean
from petri.experiment.errors import ExperimentError

from . import exits
from .console import tell, tell_all, write
from .exits import Refusal, experiment_status, language_status, refusal
from .streams import ClosedPipe, prepare_streams

# name: (module, help). The module is imported when the command is called, and provides `command`.
COMMANDS = {
    "run": ("run", "Simulate a net and print its measures."),
    "solve": ("solve", "Compute the figures of a net exactly, from its Markov chain."),
    "reach": ("reach", "Explore every state of a net: bounds, dead states, conditions, invariants."),
    "sweep": ("sweep", "Run a net at many points of its parameters, with replications."),
    "search": ("search", "Find the largest value of a parameter at which a condition holds."),
    "rfc2544": ("rfc2544", "Measure what a net forwards: the tests of RFC 2544 over frame sizes."),
    "validate": ("validate", "Compare the nets with published figures."),
    "report": ("report", "Write an HTML report of a result or of a sweep."),
    "compare": ("compare", "Compare two results, or two points of a sweep."),
    "rerun": ("rerun", "Repeat the replications of a result and compare the trajectories."),
    "check": ("check", "Report all errors and warnings in .net files."),
    "fmt": ("fmt", "Format .net files in the standard layout."),
    "info": ("info", "Show a net's parameters, places, transitions and measures."),
    "draw": ("draw", "Draw a net as SVG or Graphviz DOT."),
    "why": ("why", "Explain why a transition is enabled at an instant of a run, or why not."),
    "step": ("step", "Walk through a run in the terminal, firing by firing, and back."),
    "play": ("play", "Record a run as a token game: one HTML file that steps, plays and explains."),
    "flat": ("flat", "Print the flat net, which the engines read, as JSON."),
    "import": ("importing", "Print a net of another tool (PNML, …) as text of the language."),
    "export": ("exporting", "Print a net for another tool: PNML, GreatSPN, PRISM, JANI, DOT."),
    "new": ("new", "Write a net to start from: a copy of a pattern of the library."),
    "lsp": ("lsp", "Serve editors over the Language Server Protocol."),
    "live": ("live", "Change a net's parameters in a browser, and see the figures at once."),
    "watch": ("watch", "Check and run a net again whenever its file changes."),
    "list": ("library", "List the nets of the library."),
    "help": ("manual", "Describe a command."),
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
            raise _unknown_command(args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _unknown_command(name: str) -> Refusal:
    suggestion = did_you_mean(name, COMMANDS)
    file = name if name.endswith(".net") else None
    commands = None if suggestion or file else list(COMMANDS)
    return refusal("unknown-command", name=name, suggestion=suggestion, file=file, commands=commands)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from petri.version import VERSION

        write(f"pnsim {VERSION}\n")
        ctx.exit()


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `pnsim list`, then `pnsim run mm1`. `pnsim COMMAND --help` describes a command.",
)
@click.option(
    "--version", "-V", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
@click.pass_context
def pnsim(ctx: click.Context) -> None:
    """Simulate coloured timed Petri nets written in .net files."""
    if ctx.invoked_subcommand is None:
        write(f"{ctx.get_help()}\n")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    # OpenBLAS would start its threads as numpy is loaded, and nothing here multiplies matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The process ends without a last search for rubbish among all that was imported.
    atexit.register(gc.freeze)
    prepare_streams()
    try:
        status = pnsim.main(arguments, prog_name="pnsim", standalone_mode=False)
        sys.stdout.flush()
        code = status if isinstance(status, int) else exits.DONE
    except Refusal as refused:
        tell(refused.diagnostic)
        code = refused.status
    except LanguageError as error:
        tell_all(error.diagnostics, error.sources)
        code = language_status(error)
    except ExperimentError as error:
        tell(error.diagnostic)
        code = experiment_status(error.diagnostic)
    except click.ClickException as error:
        tell(_usage_diagnostic(error))
        code = exits.NOT_STARTED
    except (click.Abort, KeyboardInterrupt) as error:
        # click raises Abort from what Ctrl-C raised, which may say how far the work had come
        tell(getattr(error.__cause__ or error, "diagnostic", Diagnostic("interrupted")))
        code = exits.INTERRUPTED
    except ClosedPipe:
        code = exits.DONE
    except Exception as error:
        if os.environ.get("PNSIM_DEBUG", "") not in ("", "0"):
            raise
        code = _tell_unexpected(error)
    sys.exit(code)


def _tell_unexpected(error: Exception) -> int:
    """Say what ended the command. Returns the exit status."""
    interrupted = _follows_interrupt(error)
    diagnostic = Diagnostic("interrupted") if interrupted else _unexpected_diagnostic(error)
    if diagnostic.id == "out-of-memory":
        error.__traceback__ = error.__context__ = None  # what the command held is given back
    try:
        tell(diagnostic)
    except (MemoryError, OSError):  # not even for the message
        if diagnostic.id != "out-of-memory":
            raise
        os.write(2, b"error[out-of-memory]: there is not enough memory for this run\n")
    return exits.INTERRUPTED if interrupted else exits.STOPPED


def _follows_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an exception: before 3.12, Python wraps one that occurs while a class is created."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or _follows_interrupt(error.__cause__ or error.__context__)
    )


def _usage_diagnostic(error: click.ClickException) -> Diagnostic:
    context = error.ctx if isinstance(error, click.UsageError) else None
    values: dict[str, Value] = {"message": error.format_message().rstrip(".")}
    if context is not None:
        values["usage"] = " ".join(context.get_usage().removeprefix("Usage: ").split())
        values["help"] = f"{context.command_path} --help"
    if isinstance(error, click.NoSuchOption):
        values["message"] = f"there is no option `{error.option_name}`"
        known = [name for parameter in context.command.params for name in parameter.opts] if context else []
        values["suggestion"] = did_you_mean(error.option_name, known)
        if values["suggestion"]:
            del values["usage"]
    return Diagnostic("usage", values=values)


def _unexpected_diagnostic(error: Exception) -> Diagnostic:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return Diagnostic("out-of-memory")
    if isinstance(error, RecursionError):
        return Diagnostic("nested-too-deeply")
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    return Diagnostic("program-fault", values={"what": what})
