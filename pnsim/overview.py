"""What `pnsim`, `pnsim --help` and `pnsim --version` print, without click, which takes as long to load as Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from petri.version import VERSION

# title: {name: (module, help)}. The module is imported when the command is called, and provides `command`.
GROUPS = {
    "Simulate": {
        "run": ("run", "Simulate a net and print its measures."),
        "watch": ("watch", "Check and run a net again whenever its file changes."),
        "live": ("live", "Turn a net's parameters in a browser, and see the figures change."),
        "sweep": ("sweep", "Run a net at many points of its parameters, with replications."),
        "search": ("search", "Find the largest value of a parameter at which a condition holds."),
        "rfc2544": ("rfc2544", "Measure what a net forwards, by the tests of RFC 2544."),
    },
    "Nets": {
        "list": ("library", "List the nets of the library."),
        "new": ("new", "Write a net to start from: a copy of a pattern of the library."),
        "check": ("check", "Report all errors and warnings in .net files."),
        "fmt": ("fmt", "Format .net files in the standard layout."),
        "info": ("info", "Show a net's parameters, places, transitions and measures."),
        "draw": ("draw", "Draw a net as SVG or Graphviz DOT."),
    },
    "Results": {
        "report": ("report", "Write an HTML report of a result or of a sweep."),
        "compare": ("compare", "Compare two results, or two points of a sweep."),
        "rerun": ("rerun", "Repeat the replications of a result and compare the trajectories."),
        "validate": ("validate", "Compare the nets with published figures."),
    },
    "What happens in a run": {
        "why": ("why", "Explain why a transition is enabled at an instant, or why not."),
        "step": ("step", "Walk through a run in the terminal, firing by firing, and back."),
        "play": ("play", "Record a run as a token game: one HTML file that steps through it."),
    },
    "Exact answers": {
        "solve": ("solve", "Compute the figures of a net exactly, from its Markov chain."),
        "reach": ("reach", "Explore every state of a net: bounds, dead states, conditions."),
    },
    "Other tools": {
        "import": ("importing", "Print a net of another tool (PNML, …) as text of the language."),
        "export": ("exporting", "Print a net for another tool: PNML, GreatSPN, PRISM, JANI, DOT."),
        "flat": ("flat", "Print the flat net, which the engines read, as JSON."),
        "lsp": ("lsp", "Serve editors over the Language Server Protocol."),
        "help": ("manual", "Describe a command."),
    },
}
COMMANDS = {name: one for commands in GROUPS.values() for name, one in commands.items()}


OPTIONS = {"-V, --version": "Show the version.", "-h, --help": "Show this message and exit."}
ABOUT = "Simulate coloured timed Petri nets written in .net files."
EPILOG = "Start with `pnsim list`, then `pnsim run mm1`. `pnsim COMMAND --help` describes a command."
WIDEST = 100  # columns of a help text


def quick_answer(arguments: Sequence[str]) -> str | None:
    """The text that these arguments ask for; None if they need a command."""
    if "_PNSIM_COMPLETE" in os.environ:  # a shell asks for completions
        return None
    if not arguments or arguments in (["-h"], ["--help"]):
        return overview()
    return version() if arguments in (["-V"], ["--version"]) else None


def version() -> str:
    return f"pnsim {VERSION}\n"


def overview() -> str:
    """The help of `pnsim` itself, as wide as the terminal, in the layout that click gives to that of each command."""
    from shutil import get_terminal_size  # here, as other commands need neither this nor textwrap

    width = max(min(get_terminal_size().columns, WIDEST) - 2, 50)
    first = max(map(len, COMMANDS))
    commands = (
        f"{title}:\n" + _listed([(name, text) for name, (_, text) in group.items()], width, first)
        for title, group in GROUPS.items()
    )
    parts = (
        "Usage: pnsim [OPTIONS] [COMMAND] [ARGS]...",
        _filled(ABOUT, width),
        *commands,
        "Options:\n" + _listed(OPTIONS.items(), width),
        _filled(EPILOG, width),
    )
    return "\n\n".join(parts) + "\n"


def _filled(text: str, width: int) -> str:
    from textwrap import wrap

    return "\n".join(wrap(text, width, initial_indent="  ", subsequent_indent="  "))


def _listed(rows: Iterable[tuple[str, str]], width: int, widest: int = 0) -> str:
    """Two columns: names, of which the `widest` may be elsewhere, and what they mean."""
    from textwrap import wrap

    rows = list(rows)
    first = max(widest, *(len(name) for name, _ in rows)) + 2
    lines = []
    for name, text in rows:
        start, *rest = wrap(text, width - first - 2)
        lines += [f"  {name:<{first}}{start}", *(" " * (first + 2) + line for line in rest)]
    return "\n".join(lines)
