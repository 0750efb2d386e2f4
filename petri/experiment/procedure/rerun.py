"""Repeats replications from the data stored with a result, and checks that their trajectories are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from petri.diagnostics import LanguageError
from petri.engine.errors import ModelError
from petri.experiment.design.definition import point_label
from petri.experiment.errors import problem
from petri.experiment.store.database import Store
from petri.experiment.store.reference import Reference, parse_reference, stored_points, stored_result
from petri.model import choose, load
from petri.net import Net
from petri.result.export import Manifest, net_hash
from petri.result.stored import StoredResult
from petri.run.plan import Plan
from petri.run.replications import replicate
from petri.structs import replace
from petri.traffic import moved, verify, with_streams
from petri.traffic.fields import column_of


@dataclass(frozen=True, slots=True)
class Recorded:
    """A replication as recorded in a result."""

    point: str
    net: Net
    plan: Plan
    index: int
    ended: str
    firings: int
    hash: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """A replication run again."""

    recorded: Recorded
    hash: int
    firings: int
    seconds: float

    @property
    def same(self) -> bool:
        return self.hash == self.recorded.hash and self.firings == self.recorded.firings


def recorded(
    reference: str | Reference,
    replications: Sequence[int] | None = None,
    *,
    engine: str = "auto",
    net: str | Path | None = None,
    streams: Mapping[str, str] | None = None,
    tables: Mapping[str, str] | None = None,
) -> list[Recorded]:
    """Return the replications that a result or a store has, or those of these numbers.

    streams: the files of its streams, if they have moved. net: the net of a JSON result, if it has moved. tables: the
    files that were used for its tables. Raises ExperimentError if there is no such replication, or the net is a
    different one; LanguageError if the file of a stream has changed.
    """
    parsed = parse_reference(reference) if isinstance(reference, str) else reference
    found = of_store(parsed, engine, streams) if parsed.is_store else of_result(parsed, engine, net, streams, tables)
    if replications is None:
        return found
    indices = {one.index for one in found}
    for index in replications:
        if index not in indices:
            raise problem("no-such-replication", path=str(parsed.path), index=index, count=len(indices))
    return [one for one in found if one.index in replications]


def repeat(one: Recorded) -> Repeated:
    """Run it again, as far as it went: one that did not reach its end is repeated for the same number of firings.

    Raises ExperimentError if the recorded net cannot be run.
    """
    finished = one.ended in ("until", "dead")
    plan = one.plan if finished else replace(one.plan, firings=one.firings)
    try:
        ran, interrupted = replicate(one.net, plan, [one.index], threads=1)
    except ModelError as error:  # before the first firing: the net that was kept cannot be run
        raise problem(error.id, **{name: str(value) for name, value in error.values.items()}) from error
    if interrupted or not ran:
        raise KeyboardInterrupt
    return Repeated(one, ran[0].hash, ran[0].firings, ran[0].seconds)


def of_store(reference: Reference, engine: str, streams: Mapping[str, str] | None = None) -> list[Recorded]:
    """Make the recorded runs of a store, which contains everything needed."""
    chosen = choose(engine)
    with Store.open(reference.path) as store:
        rows = store.rows()
        found = []
        for point in stored_points(store, reference.parameters):
            net = moved(store.net(point.point), streams or {})
            verify(net)
            warmup = 0.0 if point.warmup is None else point.warmup.length
            plan = Plan(until=point.until, warmup=warmup, seed=point.seed, engine=chosen)
            label = point_label(point.parameters)
            of_point = sorted((row for number, row in rows if number == point.point), key=lambda row: row.index)
            found += [Recorded(label, net, plan, row.index, row.ended, row.firings, row.hash) for row in of_point]
    return found


def of_result(
    reference: Reference,
    engine: str,
    net: str | Path | None,
    streams: Mapping[str, str] | None = None,
    tables: Mapping[str, str] | None = None,
) -> list[Recorded]:
    stored = stored_result(reference.path)
    if stored.manifest.start:
        raise problem("rerun-of-state", path=str(reference.path))
    flat = same_net(stored, net, streams, tables)
    plan = replace(stored.manifest.plan, engine=choose(engine))
    return [
        Recorded(stored.net, flat, plan, replication.index, replication.ended, replication.firings, replication.hash)
        for replication in stored.replications
    ]


def same_net(
    stored: StoredResult,
    given: str | Path | None,
    streams: Mapping[str, str] | None = None,
    tables: Mapping[str, str] | None = None,
) -> Net:
    """Return the flat net of a result, made again. Raises ExperimentError if its hash differs."""
    manifest = stored.manifest
    source = given or manifest.source or stored.net
    try:
        defaults = load(source, tables).net
    except LanguageError as error:
        if given is None and manifest.source is None:
            raise problem("rerun-net", net=stored.net) from error
        raise
    values = manifest.parameters
    changed = {p.name: values[p.name] for p in defaults.parameters if values.get(p.name, p.value) != p.value}
    net = load(source, tables, **changed).net if changed else defaults
    net = with_its_files(replace(net, own_streams=manifest.own_streams), manifest, streams or {})
    if (found := net_hash(net)) != manifest.net_hash:
        raise problem("rerun-net-differs", net=str(source), found=found[:16], wanted=manifest.net_hash[:16])
    return net


def with_its_files(net: Net, manifest: Manifest, elsewhere: Mapping[str, str]) -> Net:
    """Return the net with the files that its streams had. Raises LanguageError if one is missing or has changed."""
    if not (kept := manifest.streams):
        return net
    columns = {
        f"{place}.{column_of(slot)}": column for place, one in kept.items() for slot, column in one.columns.items()
    }
    net = with_streams(net, {place: elsewhere.get(place, one.path) for place, one in kept.items()}, columns)
    digests = {place: one.sha256 for place, one in kept.items()}
    places = [
        p if p.stream is None else replace(p, stream=replace(p.stream, digest=digests.get(p.name, "")))
        for p in net.places
    ]
    verify(net := moved(replace(net, places=tuple(places)), elsewhere))
    return net
