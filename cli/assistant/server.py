"""The server for assistants."""

from __future__ import annotations

from typing import Final

from mcp.server.mcpserver import MCPServer

from petri.version import VERSION

from .calls import Caller
from .tools import Tools

INSTRUCTIONS: Final = """\
pnsim simulates and solves coloured timed Petri nets that are written in a small text language. Before you write a
net, read the page `skill/SKILL` with read_page: it has the language and ten models. Then check the text until it has no
error, run it, and solve it where it has a Markov chain; `why` says why a transition does not fire. A figure is shown
with its 95 % confidence interval; `±?` means that the run is too short to know one.
"""


def make_server(caller: Caller) -> MCPServer:
    """Return the server whose tools read only the folder of `caller`, and keep its limits."""
    server: MCPServer = MCPServer("pnsim", version=VERSION, instructions=INSTRUCTIONS, log_level="ERROR")
    tools = Tools(caller)
    for name in (name for name in vars(Tools) if not name.startswith("_") and callable(getattr(tools, name))):
        server.add_tool(getattr(tools, name), structured_output=False)
    return server
