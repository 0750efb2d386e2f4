"""The store of an experiment: one SQLite file with a row for each replication, written when it finishes.

A row is written in one transaction, whatever happens to the writing process. Several processes of one machine may work
on one store: each *claims* replications before it runs them. The claims of a dead process are void.

    meta          the experiment's identity and its definition
    points        parameters, flat net (zlib of JSON), its hash, seed, end and warm-up [net's time unit]
    replications  one row each: measures (JSON), their courses (JSON, see petri/measure/trend.py), what the trials of
                  probabilities have found (JSON), what figures might be that do not vary (JSON, see
                  petri/measure/unvaried.py), trajectory hash, time taken [s], version, engine, machine
    owners, claims  which process runs which replication
    measured      a view: one row for each figure of each replication
"""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from petri.codec import net_text
from petri.experiment.design.preparation import Point
from petri.experiment.design.sampling import Values
from petri.experiment.design.task import PILOT, ReplicationRecord
from petri.experiment.design.warmup import Warmup
from petri.experiment.errors import problem
from petri.file_read import FileRead, furthest, packed, unpacked
from petri.measure.figures import UnknownFigure
from petri.measure.tally import Tally
from petri.measure.trend import COURSE
from petri.measure.unvaried import Ranged
from petri.net import Net
from petri.run.stored_net import read_net
from petri.structs import Frozen, as_json, convert
from petri.version import VERSION

APPLICATION: Final = 0x504E5349  # "PNSI", SQLite's application_id
SCHEMA: Final = 1
BUSY: Final = 60.0  # seconds to wait for another process that writes
BEAT: Final = 5.0  # seconds between heartbeats
SILENCE: Final = 60.0  # seconds without a heartbeat after which a process counts as dead
LARGEST_WORD: Final = 2**64 - 1
LARGEST_COUNT: Final = 2**63 - 1
LARGEST_NET: Final = 1 << 28  # bytes of a flat net as JSON; a longer one in a store is refused

_WORDS: Final = {
    "net": "net",
    "fixed": "fixed parameters",
    "until": "end of the run",
    "warmup": "warm-up",
    "seed": "seed",
    "streams": "random streams",
    "measures": "measures kept",
    "limits": "limits",
}

_TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE points (
    point INTEGER PRIMARY KEY, parameters TEXT NOT NULL UNIQUE, net BLOB NOT NULL, net_hash TEXT NOT NULL,
    seed TEXT NOT NULL, until REAL NOT NULL, warmup REAL, warmup_settled INTEGER, warmup_decided_by TEXT
);
CREATE TABLE replications (
    point INTEGER NOT NULL REFERENCES points, replication INTEGER NOT NULL, seed TEXT NOT NULL, measures TEXT NOT NULL,
    hash TEXT NOT NULL, ended TEXT NOT NULL, time REAL NOT NULL, firings INTEGER NOT NULL, failure TEXT,
    version TEXT NOT NULL, engine TEXT NOT NULL, machine TEXT NOT NULL, python TEXT NOT NULL, net_hash TEXT NOT NULL,
    seconds REAL NOT NULL, finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), courses TEXT,
    tallies TEXT, ranges TEXT, UNIQUE (point, replication)
);
CREATE TABLE owners (
    owner TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, beat REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE claims (
    point INTEGER NOT NULL, replication INTEGER NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (point, replication)
) WITHOUT ROWID;
CREATE VIEW measured AS
    SELECT p.parameters, r.replication, m.key AS measure, m.value AS value
    FROM replications r JOIN points p USING (point), json_each(r.measures) m;
"""


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """A point in the store. `seed` is that of all its replications; `warmup` is None until it is determined."""

    point: int
    parameters: Values
    net_hash: str
    seed: int
    until: float
    warmup: Warmup | None


class Store:
    """An open store. Use `Store.create` (creates the file if it does not exist) or `Store.open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self.owner = secrets.token_hex(8)
        self._beaten = -math.inf
        self._last_row = 0
        self._added: dict[tuple[int, int], ReplicationRecord] = {}  # which need not be read again

    # ------------------------------------------------------------ opening

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """Return an existing store, read-only. Raises ExperimentError if it is not a store, or has another version."""
        path = Path(path)
        if not path.is_file():
            raise problem("store-missing", path=str(path))
        connection = connect_to_read(path)
        try:
            check_format(path, connection)
        except BaseException:
            connection.close()
            raise
        return cls(path, connection)

    @classmethod
    def create(cls, path: str | Path, identity: Mapping[str, Any], about: Mapping[str, Any]) -> Store:
        """Return the store of an experiment, new or to be continued.

        identity: common to all of its rows. Raises ExperimentError if the file is something else, or belongs to another
        experiment. about: the title and other data that may change.
        """
        path = Path(path)
        if not path.parent.is_dir():
            raise problem("store-unwritable", path=str(path), reason="there is no such folder")
        connection = connect(path)
        try:
            with writing(connection, path):
                if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    lay_out(connection, identity)
                check_format(path, connection)
                check_identity(path, connection, identity)
                for name in ADDED - columns_of(connection):
                    connection.execute(f"ALTER TABLE replications ADD COLUMN {name} TEXT")
                write_meta(connection, "about", dict(about))
        except BaseException:
            connection.close()
            raise
        return cls(path, connection)

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Turn errors caused by a damaged file into an ExperimentError."""
        with damage(self.path):
            yield self.connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a transaction: all or nothing."""
        with writing(self.connection, self.path):
            yield self.connection

    # ------------------------------------------------------------ what it is

    def meta(self, name: str) -> dict[str, Any]:
        """Return the file's metadata: "identity", "about" or "created_by"."""
        with self.reading() as connection:
            return dict(read_meta(connection, name))

    # ------------------------------------------------------------ points

    def add_points(self, points: Iterable[Point]) -> list[int]:
        """Their numbers in the store; new points are added. Raises ExperimentError if a net has changed."""
        numbers = []
        with self.writing() as connection:
            rows = connection.execute("SELECT parameters, point, net_hash FROM points").fetchall()
            known = {parameters: (number, net_hash) for parameters, number, net_hash in rows}
            for point in points:
                number, net_hash = known.get(point.key, (None, None))
                if number is None:
                    number = insert_point(connection, point)
                elif net_hash != point.net_hash:
                    raise problem("store-of-other-net", path=str(self.path), net=point.net.name, point=point.label)
                numbers.append(number)
        return numbers

    def points(self) -> list[StoredPoint]:
        """Return all points, in the order in which they were added."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT point, parameters, net_hash, seed, until, warmup, warmup_settled, warmup_decided_by"
                " FROM points ORDER BY point"
            )
            return [
                StoredPoint(
                    whole(number),
                    scalars(parameters),
                    text(net_hash),
                    whole(int(text(seed)), LARGEST_WORD),
                    real(until, 0.0),
                    None if warmup is None else Warmup(before(warmup, until), bool(settled), text(decided_by or "")),
                )
                for number, parameters, net_hash, seed, until, warmup, settled, decided_by in rows
            ]

    def net(self, point: int) -> Net:
        """Return the flat net of a point."""
        with self.reading() as connection:
            packed = connection.execute("SELECT net FROM points WHERE point = ?", (point,)).fetchone()[0]
            return read_net(json.loads(zlib.decompressobj().decompress(packed, LARGEST_NET)))

    def set_warmup(self, point: int, warmup: Warmup) -> None:
        """Store the end of the warm-up of a point, and release the claim on its pilot."""
        with self.writing() as connection:
            connection.execute(
                "UPDATE points SET warmup = ?, warmup_settled = ?, warmup_decided_by = ?"
                " WHERE point = ? AND warmup IS NULL",
                (warmup.length, warmup.settled, warmup.decided_by, point),
            )
            release_claims(connection, [(point, PILOT)])

    # ------------------------------------------------------------ rows

    def add(self, rows: Sequence[tuple[int, ReplicationRecord]]) -> None:
        """Write finished replications as (point, row). Existing ones are not changed."""
        with self.writing() as connection:
            connection.executemany(
                f"INSERT OR IGNORE INTO replications (point, net_hash, {', '.join(COLUMNS)})"
                f" SELECT point, net_hash, {', '.join('?' * len(COLUMNS))} FROM points WHERE point = ?",
                ([*encode_row(row), point] for point, row in rows),
            )
            release_claims(connection, [(point, row.index) for point, row in rows])
            for _, row in rows:
                keep_files(connection, row.files)
        self._added |= {(point, row.index): row for point, row in rows if is_plain(row)}

    def files(self) -> tuple[FileRead, ...]:
        """Return what was read of the recordings, of each by the replication that read most of it."""
        kept = self.meta("recordings")
        with self.reading():
            return unpacked(kept)

    def rows(self, *, new: bool = False) -> list[tuple[int, ReplicationRecord]]:
        """Return all rows as (point, row), or those since the last call, in the order in which they were written."""
        with self.reading() as connection:
            added, self._added = self._added if new else {}, {}
            keys = connection.execute(
                "SELECT rowid, point, replication FROM replications WHERE rowid > ? ORDER BY rowid",
                (self._last_row if new else 0,),
            ).fetchall()
            if not keys:
                return []
            self._last_row = keys[-1][0]
            others = [row for row, *key in keys if tuple(key) not in added]
            lacking = ADDED - columns_of(connection)
            kept = [name for name in COLUMNS if name not in lacking]
            found = connection.execute(
                f"SELECT rowid, {', '.join(kept)} FROM replications WHERE rowid IN (SELECT value FROM json_each(?))",
                (as_json(others),),
            )
            read = {row: decode_row(zip(kept, columns, strict=True)) for row, *columns in found}
            return [(point, added.get((point, index)) or read[row]) for row, point, index in keys]

    # ------------------------------------------------------------ claims

    def claim(self, wanted: Iterable[tuple[int, tuple[int, ...]]]) -> list[tuple[int, int]]:
        """Claim replications of points; returns the (point, replication) that this process now has to run."""
        granted = []
        with self.writing() as connection:
            self._beat(connection, always=True)
            release_dead(connection)
            for point, replications in wanted:
                left = [
                    replication
                    for replication in replications
                    if replication != PILOT or not has_warmup(connection, point)
                ]
                connection.execute(
                    "INSERT OR IGNORE INTO claims SELECT ?, value, ? FROM json_each(?) WHERE NOT EXISTS"
                    " (SELECT 1 FROM replications WHERE point = ? AND replication = value)",
                    (point, self.owner, as_json(left), point),
                )
                query = "SELECT replication FROM claims WHERE point = ? AND owner = ? AND replication BETWEEN ? AND ?"
                found = connection.execute(query, (point, self.owner, min(replications), max(replications)))
                mine = {one for (one,) in found}
                granted += [(point, one) for one in left if one in mine]
        return granted

    def beat(self) -> None:
        """Send a heartbeat now and then."""
        if time.time() - self._beaten > BEAT:
            with self.writing() as connection:
                self._beat(connection)

    def _beat(self, connection: sqlite3.Connection, always: bool = False) -> None:
        now = time.time()
        if always or now - self._beaten > BEAT:
            row = (self.owner, socket.gethostname(), os.getpid(), now)
            connection.execute("INSERT OR REPLACE INTO owners VALUES (?, ?, ?, ?)", row)
            self._beaten = now

    def release(self) -> None:
        """Release all claims of this process."""
        with self.writing() as connection:
            forget_owner(connection, self.owner)


# ---------------------------------------------------------------- the file


def connect(path: Path) -> sqlite3.Connection:
    """Use a write-ahead log: readers never wait, and a killed writer leaves nothing incomplete."""
    with damage(path):
        connection = sqlite3.connect(path, timeout=BUSY, isolation_level=None)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Leave the folder as it is where nothing can be written: a store of a read-only folder has no writer, either."""
    plain = not os.access(path.parent, os.W_OK) and not has_log(path)
    with damage(path):
        address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if plain else ''}"
        connection = sqlite3.connect(address, timeout=BUSY, isolation_level=None, uri=True)
        connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def has_log(path: Path) -> bool:
    """Return whether there are rows beside the file, which SQLite has not taken into it yet."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


@contextmanager
def damage(path: Path) -> Iterator[None]:
    """Turn what a damaged file makes go wrong into an ExperimentError."""
    try:
        yield
    except sqlite3.Error as error:
        raise refused(path, error) from error
    except UnicodeDecodeError as error:
        raise problem("store-damaged", path=str(path), reason="a text in it is not UTF-8") from error
    except KeyError as error:
        raise problem("store-damaged", path=str(path), reason=f"it lacks {error}") from error
    except UnknownFigure as error:
        reason = f"its net has no figure `{error.diagnostic.values['name']}`"
        raise problem("store-damaged", path=str(path), reason=reason) from error
    except (ValueError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError, zlib.error) as error:
        raise problem("store-damaged", path=str(path), reason=str(error)) from error


def refused(path: Path, error: sqlite3.Error) -> Exception:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_NOTADB":
        return problem("not-a-store", path=str(path))
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_CONSTRAINT")) or name in ("", "SQLITE_ERROR", "SQLITE_MISMATCH"):
        return problem("store-damaged", path=str(path), reason=str(error))
    return problem("store-unwritable", path=str(path), reason=str(error))


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    with damage(path):
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("COMMIT")
        except BaseException:
            # Ctrl-C may come at any step, even before the first or after the last has returned.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def columns_of(connection: sqlite3.Connection) -> set[str]:
    """Return the columns of the replications: stores of earlier versions lack those that were `ADDED` since."""
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('replications')")}


def lay_out(connection: sqlite3.Connection, identity: Mapping[str, Any]) -> None:
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    write_meta(connection, "identity", dict(identity))
    write_meta(connection, "created_by", {"version": VERSION})


def read_meta(connection: sqlite3.Connection, name: str) -> Any:
    """Return the value of a name, {} if it has none."""
    found = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return json.loads(found[0]) if found else {}


def write_meta(connection: sqlite3.Connection, name: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value, ensure_ascii=False)))


def check_format(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a file that is not a store, or that a later version wrote."""
    with damage(path):
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        schema = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise problem("not-a-store", path=str(path))
    if schema != SCHEMA:
        raise problem("store-version", path=str(path), found=schema, known=SCHEMA)
    with damage(path):
        identity = read_meta(connection, "identity")
    if not isinstance(identity, dict) or not {"net", "net_hash", *_WORDS} <= identity.keys():
        raise problem("store-damaged", path=str(path), reason="its identity is incomplete")
    measures = identity["measures"]
    if not isinstance(measures, list) or not all(isinstance(name, str) for name in measures):
        raise problem("store-damaged", path=str(path), reason="its measures are not a list of names")


def check_identity(path: Path, connection: sqlite3.Connection, identity: Mapping[str, Any]) -> None:
    """Refuse the store of another experiment, and report the difference. It may keep measures that are not wanted."""
    found = read_meta(connection, "identity")
    wanted = json.loads(json.dumps(dict(identity)))
    lacking = [name for name in wanted["measures"] if name not in found["measures"]]
    for name, word in _WORDS.items():
        if name == "measures" and lacking:
            raise problem("store-without-measure", path=str(path), names=lacking, kept=found["measures"])
        if name != "measures" and found.get(name) != wanted[name]:
            there, here = (brief(value.get(name)) for value in (found, wanted))
            raise problem("store-of-other-experiment", path=str(path), what=word, there=there, here=here)
    if found.get("net_hash") != wanted["net_hash"]:
        raise problem("store-of-other-net", path=str(path), net=wanted["net"])


def brief(value: Any) -> str:
    """Return a part of an identity as text for people."""
    if isinstance(value, dict):
        return " ".join(f"{name}={one}" for name, one in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def insert_point(connection: sqlite3.Connection, point: Point) -> int:
    plain = "".join(net_text(point.net))
    cursor = connection.execute(
        "INSERT INTO points (parameters, net, net_hash, seed, until, warmup, warmup_settled, warmup_decided_by)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            point.key,
            zlib.compress(plain.encode(), 6),
            point.net_hash,
            str(point.plan.seed),
            point.plan.until,
            None if point.pilot else point.plan.warmup,
            None if point.pilot else 1,
            None,
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


# ---------------------------------------------------------------- rows and claims


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of the replications: the field of the record that it holds, and how that is written and read.

    To read raises ValueError or TypeError where the column is damaged.
    """

    field: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any] | None = None  # None: as it is


def finite(value: float) -> float | None:
    """Return a value for JSON; one that is not finite becomes null (no data)."""
    return value if math.isfinite(value) else None


def known(value: Any) -> float:
    return math.nan if value is None else real(value)


def decode_measures(written: str) -> dict[str, float]:
    return {name: known(value) for name, value in json.loads(written).items()}


def encode_courses(courses: Mapping[str, Sequence[float]]) -> str | None:
    return as_json(courses) if courses else None


def decode_courses(written: str | None) -> dict[str, list[float]]:
    found = {} if written is None else dict(json.loads(written))
    courses = {name: list(map(known, course)) for name, course in found.items()}
    if any(len(course) != len(COURSE) for course in courses.values()):
        raise ValueError("the course of a figure is incomplete")
    return courses


def encode_tallies(tallies: Mapping[str, Tally]) -> str | None:
    return as_json(tallies) if tallies else None


def decode_tallies(written: str | None) -> dict[str, Tally]:
    found = {} if written is None else convert(json.loads(written), dict[str, Tally])
    return {name: tally.checked() for name, tally in found.items()}


class StoredRange(Frozen, array_like=True, omit_defaults=True):
    """A `Ranged`, in which what is not finite is None."""

    value: float
    low: float | None
    high: float | None
    looks: float | None
    hits: float | None = None
    rest: bool = False
    heavy: bool = False
    beyond: float | None = None

    @classmethod
    def of(cls, one: Ranged) -> StoredRange:
        low, high, looks, hits, beyond = map(finite, (one.low, one.high, one.looks, one.hits, one.beyond))
        return cls(one.value, low, high, looks, hits, one.rest, one.heavy, beyond)

    @property
    def ranged(self) -> Ranged:
        """Raises ValueError where the range does not contain the figure."""
        pairs = ((self.low, -math.inf), (self.high, math.inf), (self.looks, math.inf), (self.hits, math.nan))
        low, high, looks, hits = (missing if one is None else one for one, missing in pairs)
        beyond = math.inf if self.beyond is None else self.beyond
        found = Ranged(self.value, low, high, looks, hits, self.rest, self.heavy, beyond)
        if not (found.low <= found.value <= found.high and found.looks > 0.0):
            raise ValueError("the range of a figure does not contain it")
        return found


def encode_ranges(ranges: Mapping[str, Ranged] | None) -> str | None:
    if ranges is None:
        return None
    return as_json({name: StoredRange.of(one) for name, one in ranges.items()})


def decode_ranges(written: str | None) -> dict[str, Ranged] | None:
    if written is None:
        return None
    return {name: one.ranged for name, one in convert(json.loads(written), dict[str, StoredRange]).items()}


def decode_ending(ended: Any) -> str:
    if ended not in ("until", "dead", "error", "firings"):
        raise ValueError(f"`{ended}` is no ending of a replication")
    return str(ended)


def decode_row(columns: Iterable[tuple[str, Any]]) -> ReplicationRecord:
    """Return the row of these columns, by name."""
    return ReplicationRecord(**{COLUMNS[name].field: COLUMNS[name].read(value) for name, value in columns})


# SQLite keeps whatever was written into a column, of any type.


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"there is {kind(value)} where a text should be")
    return value


def whole(value: Any, most: int = LARGEST_COUNT) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise TypeError(f"there is {kind(value)} where a count should be")
    return value


def real(value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= float(value) <= most:
        raise TypeError(f"there is {kind(value)} where a number should be")
    return float(value)


def before(warmup: Any, until: Any) -> float:
    """Return the length of a warm-up: a longer one would never end."""
    length = real(warmup, 0.0, real(until))
    if math.isinf(length):
        raise ValueError("it has an endless warm-up")
    return length


def scalars(written: Any) -> Values:
    """Return the parameters of a point."""
    values = dict(json.loads(written))
    for value in values.values():
        if not isinstance(value, int | float | str):
            raise TypeError(f"there is {kind(value)} where the value of a parameter should be")
    return values


def kind(value: Any) -> str:
    return f"`{value}`" if isinstance(value, int | float) else f"a {type(value).__name__}"


COLUMNS: Final = {
    "replication": StoredColumn("index", whole),
    "seed": StoredColumn("seed", lambda value: whole(int(text(value)), LARGEST_WORD), str),
    "measures": StoredColumn("measures", decode_measures, as_json),
    "hash": StoredColumn("hash", lambda value: whole(int(text(value), 16), LARGEST_WORD), "{:016x}".format),
    "ended": StoredColumn("ended", decode_ending),
    "time": StoredColumn("time", lambda value: real(value, 0.0)),
    "firings": StoredColumn("firings", whole),
    "failure": StoredColumn(
        "failure",
        lambda value: None if value is None else dict(json.loads(value)),
        lambda value: None if value is None else as_json(value),
    ),
    "version": StoredColumn("version", text),
    "engine": StoredColumn("engine", text),
    "machine": StoredColumn("machine", text),
    "python": StoredColumn("python", text),
    "seconds": StoredColumn("seconds", lambda value: real(value, 0.0)),
    "courses": StoredColumn("courses", decode_courses, encode_courses),
    "tallies": StoredColumn("tallies", decode_tallies, encode_tallies),
    "ranges": StoredColumn("ranges", decode_ranges, encode_ranges),
}
"""The columns of replications by name, but for those that the store itself fills."""

FIELDS: Final = attrgetter(*(one.field for one in COLUMNS.values()))
WRITERS: Final = [one.write for one in COLUMNS.values()]


def encode_row(row: ReplicationRecord) -> list[Any]:
    """Return its columns."""
    return [value if write is None else write(value) for write, value in zip(WRITERS, FIELDS(row), strict=True)]


def is_plain(row: ReplicationRecord) -> bool:
    """Return whether a row that is written is read as it is."""
    others = row.failure or row.files or row.courses or row.tallies
    return not others and not any(map(math.isinf, row.measures.values()))


ADDED: Final = {"courses", "tallies", "ranges"}


def keep_files(connection: sqlite3.Connection, files: tuple[FileRead, ...]) -> None:
    """Keep what a replication read of the recordings where it is more than others did."""
    if not files:
        return
    known = unpacked(read_meta(connection, "recordings"))
    most = furthest((known, files))
    if most != known:
        write_meta(connection, "recordings", packed(most))


def release_claims(connection: sqlite3.Connection, keys: Iterable[tuple[int, int]]) -> None:
    of_points: dict[int, list[int]] = {}
    for point, replication in keys:
        of_points.setdefault(point, []).append(replication)
    query = "DELETE FROM claims WHERE point = ? AND replication IN (SELECT value FROM json_each(?))"
    connection.executemany(query, ((point, as_json(numbers)) for point, numbers in of_points.items()))


def has_warmup(connection: sqlite3.Connection, point: int) -> bool:
    found = connection.execute("SELECT warmup IS NOT NULL FROM points WHERE point = ?", (point,))
    return bool(found.fetchone()[0])


def release_dead(connection: sqlite3.Connection) -> None:
    """Delete the claims of processes that no longer run, or that have sent no heartbeat for long."""
    now, host = time.time(), socket.gethostname()
    for owner, where, pid, beat in connection.execute("SELECT owner, host, pid, beat FROM owners").fetchall():
        if (where == host and not is_alive(pid)) or abs(now - beat) > SILENCE:
            forget_owner(connection, owner)


def forget_owner(connection: sqlite3.Connection, owner: str) -> None:
    connection.execute("DELETE FROM claims WHERE owner = ?", (owner,))
    connection.execute("DELETE FROM owners WHERE owner = ?", (owner,))


def is_alive(pid: int) -> bool:
    """Return whether a process of this machine is running."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
