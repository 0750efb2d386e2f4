"""A run that was saved, as a file: its net, and each of its replications as it stood at an instant.

The file is `MAGIC`, and MessagePack compressed by zlib. It holds data only. Nothing of it is believed: types are those
of the classes (msgspec), what it expands to is limited, and `petri.engine.saved_check` holds states against the net.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from petri.atomic_file import replacing
from petri.codec import net_text
from petri.diagnostics import Diagnostic, LanguageError
from petri.engine.errors import ModelError
from petri.engine.native import available
from petri.engine.saved_check import check
from petri.net import Net
from petri.regular import irregular
from petri.run.checkpoint import SavedReplication
from petri.run.session import begin
from petri.run.stored_net import read_net
from petri.structs import Frozen, as_packed, read_packed

MAGIC: Final = b"pnsim state 2\n"
LARGEST: Final = 1 << 28  # bytes, expanded
GREATEST_INDEX: Final = 1 << 32  # of a replication


class NotSaved(ValueError):
    """A file that is not a saved run, or one too large to be; the text says why."""


class _Contents(Frozen, array_like=True):
    net: str  # as JSON (petri.codec)
    until: float
    warmup: float
    seed: int
    replications: tuple[SavedReplication, ...]


def check_engine(engine: str) -> None:
    """Raise LanguageError unless it is the native engine, which alone saves states, and it is installed."""
    if not available():
        raise LanguageError([Diagnostic("state-needs-native")])
    if engine == "reference":
        raise LanguageError([Diagnostic("state-by-reference")])


class SavedRun(Frozen):
    """The state of each replication of a run at one instant. `until` and `warmup` are those of the run [net's unit]."""

    net: Net
    until: float
    warmup: float
    seed: int
    replications: tuple[SavedReplication, ...]

    @property
    def time(self) -> float:
        """The instant, in the net's unit."""
        return self.net.tick.time(self.replications[0].engine.now)

    def save(self, path: str | Path) -> None:
        """Write it to a file. Raises OSError, and NotSaved where it is too large for one."""
        text = "".join(net_text(self.net))
        contents = _Contents(text, self.until, self.warmup, self.seed, self.replications)
        packed = as_packed(contents)
        if len(packed) > LARGEST:
            raise NotSaved(f"it has {len(packed):,} bytes, where {LARGEST:,} are possible")
        with replacing(path) as file:
            file.write(MAGIC + zlib.compress(packed, 6))

    @classmethod
    def load(cls, path: str | Path) -> SavedRun:
        """Read it from a file. Raises as `check_engine`, OSError, and NotSaved for a file that is something else."""
        check_engine("native")
        if (kind := irregular(Path(path))) is not None:
            raise NotSaved(f"it is {kind}")
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise NotSaved("it does not begin as a saved state of this version of pnsim does")
            packed = file.read(LARGEST + 1)
        try:
            contents = read_packed(_expanded(packed), _Contents)
            run = cls(
                read_net(json.loads(contents.net)),
                contents.until,
                contents.warmup,
                contents.seed,
                contents.replications,
            )
            run._check()
        except (zlib.error, ValueError, KeyError, RecursionError, OverflowError) as error:
            raise NotSaved(str(error)) from error
        return run

    def _check(self) -> None:
        """Raise ValueError where something is not of the net, KeyError where an observation lacks a column."""
        if not self.replications or not 0.0 <= self.warmup < self.until or math.isnan(self.until) or self.seed < 0:
            raise ValueError("it has no replications, or no times")
        if any(replication.engine.now != self.replications[0].engine.now for replication in self.replications):
            raise ValueError("its replications stand at different times")
        indices = [replication.index for replication in self.replications]
        if indices != sorted(set(indices)) or not 0 <= indices[0] <= indices[-1] < GREATEST_INDEX:
            raise ValueError("its replications are not numbered in order")
        for replication in self.replications:
            check(self.net, replication.engine)
            if min(replication.branch, replication.looked, replication.batch_left) < 0 or replication.batch < 1:
                raise ValueError("a replication has no number, or no batches")
            if replication.died < 0.0 or replication.died > self.time:
                raise ValueError("a net is dead before it begins, or later than now")
            self._check_observations(replication)

    def _check_observations(self, one: SavedReplication) -> None:
        """Earlier observations are such that windows can be made of them."""
        earlier = [*one.batches, *(series.last for series in one.series if series.last is not None)]
        if not earlier:
            return
        try:
            now = begin(self.net, "native", 1, 0, start=one.engine).observe()
            for seen in earlier:
                now.minus(seen.observation())
            for seen, later in pairwise(one.batches):
                later.observation().minus(seen.observation())
        except (IndexError, TypeError, ModelError) as error:
            raise ValueError(f"a batch is not one of the run: {error}") from error


def _expanded(packed: bytes) -> bytes:
    expander = zlib.decompressobj()
    plain = expander.decompress(packed, LARGEST)
    if not expander.eof:
        raise ValueError("it is cut off, or larger than a saved state may be")
    return plain


def saved_run(net: Net, until: float, warmup: float, seed: int, saved: Sequence[SavedReplication]) -> SavedRun | None:
    """Make a saved run; None if no replication came to the instant."""
    return SavedRun(net, until, warmup, seed, tuple(saved)) if saved else None
