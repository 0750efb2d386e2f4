"""`--out PORT=FILE`: what leaves through a port, in a table."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from petri.atomic_file import replacing
from petri.diagnostics import Diagnostic, did_you_mean
from petri.engine.interface import Session
from petri.net import Net
from petri.trace.outlets import OutletWriter

from ..terminal.console import tell
from ..terminal.exits import refusal, writing


class Outlets:
    """The files of ports, which are complete when the run has ended: those of its first replication."""

    def __init__(self, net: Net, files: Mapping[str, str], replications: int) -> None:
        self._net, self._files, self._first_only = net, files, replications > 1
        ports = {place.name: index for index, place in enumerate(net.places) if place.port == "out"}
        for name in files:
            if name not in ports:
                near = did_you_mean(name, ports)
                raise refusal("out-unknown-port", name=name, net=net.name, names=list(ports) or None, suggestion=near)
        self._ports = {ports[name]: path for name, path in files.items()}

    def __enter__(self) -> Outlets:
        with ExitStack() as stack:
            self._writers = {}
            for port, path in self._ports.items():
                with writing(path):
                    file = stack.enter_context(replacing(path))
                    self._writers[port] = OutletWriter(self._net, self._net.places[port], file)
                stack.callback(self._writers[port].close)
            self._stack = stack.pop_all()
        if self._first_only:
            tell(Diagnostic("out-first-only", severity="note", values={"names": tuple(self._files)}))
        return self

    def __exit__(self, *error: object) -> None:
        with writing(next(iter(self._files.values()), "")):
            self._stack.__exit__(*error)  # type: ignore[arg-type]

    def __call__(self, replication: int, session: Session) -> None:
        """Write what has left since the last call."""
        for port, writer in self._writers.items():
            rows = session.outputs(port)
            if replication == 0:
                with writing(self._ports[port]):
                    writer(rows)
