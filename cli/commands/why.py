"""`pnsim why`."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from petri.diagnostics import LanguageError
from petri.model import Model
from petri.report.picture.folding import starred
from petri.report.telling.instants import look, transition_of
from petri.report.terminal.why import print_each, print_why

from ..options import nets
from ..options.given import Given
from ..options.net_options import looking_options, net_argument
from ..options.run_options import engine_option, replication_option, seed_option
from ..terminal.console import remark, stdout_console
from ..terminal.exits import Refusal, refusal


def complete_transition(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete in the shell: return the transitions of the net on the line."""

    try:
        net = nets.load(str(context.params.get("net"))).net
    except (LanguageError, Refusal):
        return []
    return [
        CompletionItem(transition.name, help=transition.doc)
        for transition in net.transitions
        if transition.name.startswith(begun)
    ]


@click.command(name="why")
@net_argument
@click.argument("transition", required=False, shell_complete=complete_transition)
@click.option("--at", metavar="TIME", help="The instant: '3 ms', or `dead`.  [default: the end of the run]")
@click.option("--firing", metavar="N", help="Just before firing N, from 1; or TRANSITION: its next firing after --at.")
@looking_options
@seed_option
@replication_option
@engine_option
def command(
    net: str,
    transition: str | None,
    at: str | None,
    firing: str | None,
    given: Given,
    seed: int | None,
    replication: int,
    engine: str,
) -> None:
    """Explain why TRANSITION of NET is enabled at an instant of a run, or why not.

    TRANSITION may also be an array or a module; then there is one line for each transition in it.

    The run is repeated up to the instant. For each condition the tokens there and the verdict are shown, for each
    candidate binding what stands against it, and what would help. Without TRANSITION, one line for each transition.

    `--at` looks when all that happens at an instant has happened; then nothing is enabled that could fire at once.
    `--firing` looks just before a firing, where priorities and chance decide.
    """
    model = nets.load(net, given)
    matching = _named(model, transition)
    found = look(model, at=at, firing=_number(firing), seed=seed, replication=replication, engine=engine)
    if found.stopped is not None:
        remark(found.stopped)
    if transition is not None and len(matching) == 1:
        print_why(found.why(matching[0]), stdout_console())
        return
    print_each(model.net, found.moment, stdout_console(), found.run, matching)


def _named(model: Model, name: str | None) -> list[int]:
    """Return the transitions meant: all, one, the elements of an array, or those of a module. Raises LanguageError."""
    names = [transition.name for transition in model.net.transitions]
    if name is None:
        return list(range(len(names)))
    if name in names:
        return [names.index(name)]
    elements = [n for n, one in enumerate(names) if name in (starred(one), starred(one).removesuffix("[*]"))]
    inside = [n for n, one in enumerate(names) if one.startswith(f"{name}.")]
    if not inside:
        plain = name.replace("[*]", "")
        inside = [n for n, one in enumerate(names) if starred(one).replace("[*]", "").startswith(f"{plain}.")]
    if elements or inside:
        return elements or inside
    suffixed = [n for n, one in enumerate(names) if one.endswith(f".{name}")]
    if len(suffixed) == 1:
        return suffixed
    return [transition_of(model, name)]


def _number(firing: str | None) -> int | str | None:
    """Return the value of `--firing`: a number, or the name of a transition. Raises Refusal for a number below 1."""
    if firing is None or not firing.removeprefix("-").isdecimal():
        return firing
    if int(firing) < 1:
        raise refusal("firing-below-one", number=firing)
    return int(firing)
