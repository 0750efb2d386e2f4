"""The server for assistants."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from petri.diagnostics import did_you_mean
from petri.version import VERSION

from .calls import Caller
from .tools import Tools

INSTRUCTIONS: Final = """\
pnsim simulates and solves coloured timed Petri nets that are written in a small text language. Before you write a
net, read the page `skill/SKILL` with read_page: it has the language and its pitfalls. Then check the text until it has
no error, run it, and solve it where it has a Markov chain; `why` says why a transition does not fire. A figure is shown
with its 95 % confidence interval; `±?` means that the run is too short to know one. A call may take {seconds:.0f} s.
Hints name options of the command line: `--replications 10` is `replications` here, `--all` is `everything`.
"""


class Server(MCPServer):
    """Refuses arguments that a tool does not have, which the package passes over."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        tool = next((tool for tool in await self.list_tools() if tool.name == name), None)
        known = [] if tool is None else list(tool.input_schema["properties"])
        for argument in arguments if tool else ():
            if argument not in known:
                meant = did_you_mean(argument, known)
                hint = f"did you mean `{meant}`?" if meant else f"it has {', '.join(known)}"
                raise ToolError(f"`{name}` has no argument `{argument}`; {hint}")
        return await super().call_tool(name, arguments, context)


def make_server(caller: Caller) -> Server:
    """Return the server whose tools read only the folder of `caller`, and keep its limits."""
    instructions = INSTRUCTIONS.format(seconds=caller.seconds)
    server = Server("pnsim", version=VERSION, instructions=instructions, log_level="CRITICAL")
    tools = Tools(caller)
    for name in (name for name in vars(Tools) if not name.startswith("_") and callable(getattr(tools, name))):
        server.add_tool(getattr(tools, name), structured_output=False)
    return server
