"""The tools that an assistant sees: each is one command of pnsim. Their docstrings are what it reads."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from petri import library
from petri.diagnostics import did_you_mean
from petri.structs import Frozen, replace

from ..terminal import exits
from . import pages
from .calls import Answer, Caller, Refused, settings, shortened

Net = Annotated[
    str,
    Field(description="The text of a net; or the name of a net of the library; or a .net file in the server's folder."),
]
Settings = Annotated[
    Mapping[str, str | bool | int | float] | None,
    Field(description='Values of parameters, with units as in the language: {"load": 0.9, "line": "2.5 Gbps"}.'),
]
Line = Annotated[int, Field(ge=1, description="Show the answer from this line on.")]
Count = Annotated[int | None, Field(ge=1, description="Number of independent replications.")]
States = Annotated[int | None, Field(ge=1, description="The most states that are explored.")]
Seed = Annotated[int | None, Field(ge=0, description="Seed of the random numbers.")]
Time = Annotated[
    str | None, Field(description="A time with its unit: `20 ms`; a number alone where the net has no `time`.")
]

MEANINGS: Final = {
    exits.FAILED: "an expectation failed, a figure could not be computed, or the net has errors",
    exits.NOT_STARTED: "could not start",
    exits.STOPPED: "stopped with an error in the model",
    exits.INTERRUPTED: "stopped at the limit of time; what is shown is partial",
    None: "killed at the limit of time",
}


class Tools(Frozen):
    """The public methods are the tools."""

    caller: Caller

    async def _ran(
        self, context: Context, command: str, net: str | None, *options: str, after: str | None = None
    ) -> Answer:
        """Run a command on a net, and tell how long it has taken. after: a second argument. Raises ToolError."""

        async def tell(seconds: float, most: float) -> None:
            await context.report_progress(seconds, most, f"pnsim {command}: {seconds:.0f} s of at most {most:.0f} s")

        try:
            name, text = (None, "") if net is None else self.caller.named(net)
            arguments = [part for part in (name, after) if part is not None]
            return await self.caller.call([command, *options, "--", *arguments], text, tell)
        except Refused as refused:
            raise ToolError(str(refused)) from refused

    def _said(self, answer: Answer, first_line: int = 1) -> str:
        """Return what a command printed, and what its status means. Raises ToolError where it printed no result."""
        text = shortened(answer.text, first_line)
        if answer.status:
            text += f"\n(exit status {answer.status}: {MEANINGS.get(answer.status, 'stopped')})"
        elif answer.status is None:
            text += f"\n({MEANINGS[None]})"
        if answer.status != 0 and not answer.out.strip():
            raise ToolError(text)
        return text

    async def check(self, net: Net, context: Context, parameters: Settings = None, first_line: Line = 1) -> str:
        """Report all errors and warnings of a net, each with its place and what to do."""
        answer = await self._ran(context, "check", net, *settings(parameters))
        return shortened(answer.text, first_line)

    async def format(self, net: Net, context: Context, first_line: Line = 1) -> str:
        """Return a net in the standard layout."""
        return self._said(await self._ran(context, "fmt", net, "--stdout"), first_line)

    async def run(
        self,
        net: Net,
        context: Context,
        parameters: Settings = None,
        until: Time = None,
        warmup: Time = None,
        replications: Count = None,
        seed: Seed = None,
        everything: bool = False,
        first_line: Line = 1,
    ) -> str:
        """Simulate a net: its measures with 95 % intervals, and the figures of places and transitions.

        `until` may be `dead`, `warmup` may be `auto`; both override the net's `run` line. `everything` shows every
        element of arrays.
        """
        options = _options(until=until, warmup=warmup, replications=replications, seed=seed)
        answer = await self._ran(context, "run", net, *settings(parameters), *options, *["--all"] * everything)
        return self._said(answer, first_line)

    async def solve(
        self,
        net: Net,
        context: Context,
        parameters: Settings = None,
        at: Time = None,
        states: States = None,
        first_line: Line = 1,
    ) -> str:
        """Compute the figures of a net exactly from its Markov chain, in the long run or up to the instant `at`.

        The times must be exponential, Erlang or hyperexponential; or all constant or geometric.
        """
        return self._said(
            await self._ran(context, "solve", net, *settings(parameters), *_options(at=at, states=states)), first_line
        )

    async def reach(
        self,
        net: Net,
        context: Context,
        parameters: Settings = None,
        find: str | None = None,
        always: str | None = None,
        untimed: bool = False,
        states: States = None,
        first_line: Line = 1,
    ) -> str:
        """Explore every state of a net: bounds, deadlocks with the shortest way there, transitions that never fire.

        `find` looks for a state, `always` asks whether a condition holds in all: `tokens(buffer) <= 8`.
        """
        options = [*settings(parameters), *_options(find=find, always=always, states=states), *["--untimed"] * untimed]
        return self._said(await self._ran(context, "reach", net, *options), first_line)

    async def bound(self, net: Net, context: Context, parameters: Settings = None, first_line: Line = 1) -> str:
        """Say how large the figures of a net can be at most, and what limits them, without a run."""
        return self._said(await self._ran(context, "bound", net, "--all", *settings(parameters)), first_line)

    async def why(
        self,
        net: Net,
        context: Context,
        transition: str | None = None,
        at: Time = None,
        parameters: Settings = None,
        seed: Seed = None,
        first_line: Line = 1,
    ) -> str:
        """Explain why a transition can fire at an instant of a run, or why not; without a name, all in one line each.

        `at` is the end of the run by default; `dead` is when no transition can fire any more.
        """
        options = [*settings(parameters), *_options(at=at, seed=seed)]
        return self._said(await self._ran(context, "why", net, *options, after=transition), first_line)

    async def sweep(
        self,
        net: Net,
        context: Context,
        grid: Annotated[
            Mapping[str, str],
            Field(description='Values of each parameter: {"load": "0.1..0.9 step 0.1", "threads": "1,2,4,8"}.'),
        ],
        parameters: Settings = None,
        until: Time = None,
        warmup: Time = None,
        replications: Count = None,
        seed: Seed = None,
        measures: Sequence[str] = (),
        first_line: Line = 1,
    ) -> str:
        """Run a net at every point of a grid of parameters: a table of its measures with 95 % intervals."""
        options = [*settings(parameters), *settings(grid, "--grid"), *(f"--measure={name}" for name in measures)]
        options += _options(until=until, warmup=warmup, replications=replications, seed=seed)
        with tempfile.TemporaryDirectory() as folder:
            answer = await self._ran(context, "sweep", net, "--quiet", f"--store={folder}/sweep.db", *options)
        return self._said(replace(answer, out=answer.out.replace(f", store {folder}/sweep.db", "")), first_line)

    async def search(
        self,
        net: Net,
        context: Context,
        find: Annotated[str, Field(description="The parameter that is varied.")],
        between: Annotated[str, Field(description="Its range, from where the condition holds to where not: `0.5..1`.")],
        condition: Annotated[str, Field(description="What must hold: `loss <= 1% and wait < 9`.")],
        resolution: Annotated[str, Field(description="How fine: a share of the greater end, or a length.")] = "1%",
        parameters: Settings = None,
        replications: Count = None,
        seed: Seed = None,
    ) -> str:
        """Find the largest value of a parameter at which a condition on measures holds, and how sure that is."""
        options = [f"--find={find}", f"--in={between}", f"--while={condition}", f"--resolution={resolution}", "--quiet"]
        options += [*settings(parameters), *_options(replications=replications, seed=seed)]
        return self._said(await self._ran(context, "search", net, *options))

    async def sensitivity(
        self,
        net: Net,
        context: Context,
        parameters: Settings = None,
        measures: Sequence[str] = (),
        exact: Annotated[bool, Field(description="From exact solutions instead of runs.")] = False,
        replications: Annotated[int | None, Field(ge=2, description="Replications of each changed net.")] = None,
        seed: Seed = None,
        first_line: Line = 1,
    ) -> str:
        """Say how much each measure changes with each parameter, and if a transition were 10 % faster."""
        options = [*settings(parameters), *(f"--measure={name}" for name in measures), *["--exact"] * exact]
        options += _options(replications=replications, seed=seed)
        return self._said(await self._ran(context, "sensitivity", net, "--quiet", *options), first_line)

    async def info(self, net: Net, context: Context, parameters: Settings = None, first_line: Line = 1) -> str:
        """Show the parameters, places, transitions and measures of a net."""
        return self._said(await self._ran(context, "info", net, *settings(parameters)), first_line)

    async def draw(self, net: Net, context: Context, parameters: Settings = None) -> list[Image | str]:
        """Draw a net: circles are places, boxes transitions."""
        answer = await self._ran(context, "draw", net, *settings(parameters))
        if answer.status != 0:
            raise ToolError(answer.messages.strip() or MEANINGS[None])
        return [Image(data=answer.out.encode(), format="svg+xml"), *([answer.messages.strip()] * bool(answer.messages))]

    async def list_nets(self, context: Context, first_line: Line = 1) -> str:
        """List the nets of the library, with a sentence on each."""
        return self._said(await self._ran(context, "list", None), first_line)

    async def read_net(self, name: str, first_line: Line = 1) -> str:
        """Return the text of a net of the library."""
        path = library.net(name)
        if path is None:
            raise ToolError(f"there is no net `{name}` in the library{_meant(name, library.net_names())}")
        return shortened(Path(path).read_text(encoding="utf-8"), first_line)

    async def list_pages(self) -> str:
        """List the pages of the documentation."""
        return "\n".join(library.pages())

    async def read_page(self, name: str, first_line: Line = 1) -> str:
        """Return a page of the documentation: `skill/SKILL` teaches the language, `card` has it on two pages."""
        path = library.pages().get(name.removesuffix(".md"))
        if path is None:
            raise ToolError(f"there is no page `{name}`{_meant(name, library.pages())}")
        return shortened(Path(path).read_text(encoding="utf-8"), first_line)

    async def search_docs(self, words: str) -> str:
        """Return the sections of the documentation that have most of these words."""
        found = pages.found(words)
        return shortened("\n\n".join(map(pages.shown, found))) if found else "no section has any of these words"


def _options(**values: str | int | None) -> list[str]:
    """Return the options that were given."""
    return [f"--{name}={value}" for name, value in values.items() if value is not None]


def _meant(name: str, known: Sequence[str] | Mapping[str, str]) -> str:
    suggestion = did_you_mean(name, known)
    return f"; did you mean `{suggestion}`?" if suggestion else ""
