"""`pnsim live`."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Mapping
from pathlib import Path

import click

from petri import library
from petri.live.desk import Desk
from petri.live.growing import FIRST, grow
from petri.live.server import LiveServer
from petri.live.site import serve
from petri.live.source import Source
from petri.model import LoadedFrom

from ..options import nets
from ..options.given import Given
from ..options.net_options import looking_options, net_argument
from ..options.ranges import Whole
from ..options.run_options import engine_option, seed_option
from ..terminal.console import remark
from ..terminal.exits import refusal

PAUSE = 0.2  # seconds between two looks whether Ctrl-C was pressed
# Every user of the machine can read the command line of a browser. So it gets the name of a file, which only this user
# can read, and the file redirects to the address.
DOOR = '<!DOCTYPE html><meta charset="utf-8"><title>pnsim live</title><meta http-equiv="refresh" content="0;url={url}">'


@click.command(name="live")
@net_argument
@looking_options
@click.option("--until", metavar="TIME", help="End of each run: '20 ms', or `dead` (when no transition can fire).")
@click.option("--warmup", metavar="TIME", help="Exclude the first TIME from the statistics.")
@seed_option
@engine_option
@click.option("--threads", type=Whole(1, 256), metavar="N", help="Replications run in parallel (default: all cores).")
@click.option(
    "--port", type=Whole(0, 65535), default=0, metavar="N", help="The port of the page (default: a free one)."
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
def command(
    net: str,
    given: Given,
    until: str | None,
    warmup: str | None,
    seed: int | None,
    engine: str,
    threads: int | None,
    port: int,
    no_browser: bool,
) -> None:
    """Serve a page that shows the figures of NET while its parameters are changed. Ctrl-C ends it.

    The page has a slider for each parameter. When one is moved, the first figures are there at once, and replications
    make their intervals narrower for as long as nothing is touched. If NET is a file, the page follows its text as it
    is saved, and the recordings of --stream as they grow; `--stream PLACE=-` reads one from stdin, as CSV or as the
    events of a server. The page can be opened on this machine only, and only with the address that is printed.
    """
    if net == nets.STDIN:
        raise refusal("live-stdin")
    path = nets.find(net)
    with tempfile.TemporaryDirectory(prefix="pnsim-live-") as folder:
        streams = _with_stdin(given.streams, Path(folder, "stdin.csv"))
        origin = LoadedFrom(path, "", given.settings, given.tables, streams, given.columns)
        source = Source(net, origin, {"until": until, "warmup": warmup, "seed": seed, "engine": engine})
        source.load({})  # the terminal shows errors that the text has at the start
        followed = None if library.net(net) == path else Path(path)
        _serve(source, followed, threads or os.cpu_count() or 1, port, no_browser)


def _with_stdin(streams: Mapping[str, str], file: Path) -> dict[str, str]:
    """Return the recordings, with a file that grows for those that stdin brings."""
    if nets.STDIN in streams.values():
        if sys.stdin.isatty():
            raise refusal("live-stream-terminal")
        remark("waiting for the first rows from stdin")
        if grow(sys.stdin.buffer, file) < FIRST:
            raise refusal("live-stream-empty")
    return {name: str(file) if one == nets.STDIN else one for name, one in streams.items()}


def _serve(source: Source, path: Path | None, threads: int, port: int, no_browser: bool) -> None:
    desk = Desk(source, path, threads)
    try:
        server = serve(desk, port)
    except OSError as error:
        raise refusal("live-port", port=port, reason=error.strerror or str(error)) from error
    desk.start()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    remark(f"{source.name}: {server.url}")
    remark("this address is for you alone; Ctrl-C ends it")
    try:
        _wait(server, desk, no_browser)
    finally:
        desk.close()
        server.shutdown()
        server.server_close()


def _wait(server: LiveServer, desk: Desk, no_browser: bool) -> None:
    """Open the page, and wait for Ctrl-C."""
    with tempfile.TemporaryDirectory(prefix="pnsim-live-") as folder:
        if not no_browser and sys.stderr.isatty():
            door = Path(folder, "live.html")
            door.touch(mode=0o600)
            door.write_text(DOOR.format(url=server.url), encoding="utf-8")
            webbrowser.open(door.as_uri())
        try:
            while not desk.closed:
                time.sleep(PAUSE)
        except KeyboardInterrupt:
            remark("ended")
