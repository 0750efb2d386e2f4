"""What reads files of strangers: each takes any bytes, and says how they were received. Known errors are outcomes."""

from __future__ import annotations

import gzip
import itertools
import sqlite3
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from petri import language
from petri.diagnostics import LanguageError
from petri.experiment import Experiment, sweep
from petri.traffic import Recordings, with_streams
from tests.experiment.nets import write_net
from tests.experiment.test_damaged_stores import KNOWN, used
from tests.fuzz.finding import Finding
from tests.traffic.files import Sent, conversation, pcap, pcapng
from tests.traffic.links import LINKS

CAPTURE = "time: Time, size: Bytes, captured: int, flow: int, protocol: int, number: int"
DELIMITED = "time: Time, size: Bytes, flow: 0..7, share: real"


@cache
def folder() -> Path:
    return Path(mkdtemp(prefix="pnsim-fuzz-"))


def captures() -> list[bytes]:
    packets = conversation(6)
    known = [pcap(packets), pcap(packets, nano=True, big=True), pcapng(packets)]
    frames = {link: [Sent(1000 * n, 100, frame) for n, (frame, _) in enumerate(of)] for link, of in LINKS.items()}
    return [*known, pcapng(packets, resolution=6, big=True), *(pcap(sent, link=link) for link, sent in frames.items())]


def texts() -> list[bytes]:
    rows = "".join(f"{n * 1.5},{60 + n},{n % 8},{n / 7}\n" for n in range(20))
    quoted = rows.replace(",", '","').replace("\n", '"\n"').rstrip('"')
    return [
        f"time [us],size,flow,share\n{rows}".encode(),
        b"# recorded\nflow;share;time;size\n" + b"1;0.5;17;64\n" * 9,
        f'time,size,flow,share\r\n"{quoted}'.encode(),
        f"time\tsize\tflow\tshare\n{rows}".replace(",", "\t").encode(),
        b"\xef\xbb\xbfsize,time,share,flow\n" + b"64,1e-3,-.5,7\n" * 9,
        'note;time;flow;size;share\n"a\n""b""";2023-11-16 18:17:03,97;1;64;0,5\n'.encode("utf-16"),
        b"sep=;\ndate;time;flow;size;share\n" + b"2023-11-16;18:17:03.9;1;64;0,5\n" * 9,
        gzip.compress(f"time [us],size,flow,share\n{rows}".encode(), 0),
    ]


def rows(fields: str, name: str, data: bytes) -> str:
    """Read a stream to its end."""
    path = folder() / name
    path.write_bytes(data)
    flat = language.loads(f"net fuzz time ns place p : {{ {fields} }} = stream() transition t: p(_) -> nothing")
    try:
        recordings = Recordings(with_streams(flat, {"p": path}), 7)
        count = sum(1 for _ in itertools.chain.from_iterable(iter(lambda: recordings.tokens(0), [])))
        recordings.read()
    except LanguageError as error:
        identifier = error.diagnostics[0].id
        if not identifier.startswith(("capture-", "stream-")):
            raise Finding(f"a message that is not of recordings: {identifier}") from error
        return "message"
    return "rows" if count else "no rows"


def capture(data: bytes) -> str:
    return rows(CAPTURE, "packets.pcap", data)


def delimited(data: bytes) -> str:
    return rows(DELIMITED, "packets.csv", data)


@cache
def stores() -> list[bytes]:
    """Return a store of four replications, all in one file."""
    path = folder() / "whole.db"
    points = [{"load": 0.3}, {"load": 0.6}]
    net = write_net(folder())
    sweep(Experiment(net=net, points=points, replications=2, until=40.0), path, workers=1)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return [path.read_bytes()]


def store(data: bytes) -> str:
    path = folder() / "changed.db"
    path.write_bytes(data)
    for beside in folder().glob("changed.db-*"):
        beside.unlink()
    outcome = used(path)
    if outcome not in KNOWN:
        raise Finding(f"a message that is not of stores: {outcome}")
    return "read" if outcome == "ok" else "message"
