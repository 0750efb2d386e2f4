"""What happened in a run: tokens and firings in equal windows of time, how long places held how many, how it died."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from petri.analysis.dead import Lack, why_dead
from petri.measure.arrays import Floats
from petri.measure.observation import beyond_doubles
from petri.result.figures import RunFigures
from petri.run.ensemble import Replication
from petri.structs import Frozen

WINDOWS: Final = 60
FEWEST_BATCHES: Final = 8  # with fewer snapshots the development is not shown
LARGEST_NET: Final = 2_000  # places and transitions


class History(Frozen):
    """Averages over replications. `edges` are the windows' ends [net's time unit], one more than there are windows.

    tokens: time average by place and window. rates: by transition and window, firings per time unit.
    """

    edges: Floats
    tokens: Floats
    rates: Floats


@beyond_doubles
def history(replications: Sequence[Replication]) -> History | None:
    """Return the development from the snapshots of the batches; None if there are too few of them, or the net is too
    large.

    A snapshot holds integrals since the warm-up. Between two snapshots they are assumed to grow linearly, so a window's
    average is exact if it starts and ends with one. Replications are followed until the first of them ends.
    """
    ran = [replication for replication in replications if len(replication.batches) >= FEWEST_BATCHES]
    if not ran or len(ran[0].window.integral) + len(ran[0].window.firings) > LARGEST_NET:
        return None
    length = min(one.window.elapsed for one in ran)
    if not length > 0.0:
        return None
    start = ran[0].time - ran[0].window.elapsed
    cuts = np.linspace(0.0, length, WINDOWS + 1)
    seen = [[*one.batches, one.window] for one in ran]
    places = [_windows(cuts, [w.elapsed for w in row], np.array([w.integral for w in row])) for row in seen]
    firings = [_windows(cuts, [w.elapsed for w in row], np.array([w.firings for w in row])) for row in seen]
    return History(*map(significant, (start + cuts, np.mean(places, axis=0), np.mean(firings, axis=0))))


def significant(values: Floats) -> Floats:
    """Return it with 6 significant digits, which is enough for a picture."""
    return np.array([float(f"{value:.6g}") for value in values.flat]).reshape(values.shape)


def _windows(cuts: Floats, times: Sequence[float], sums: Floats) -> Floats:
    """Increase per time of each column of `sums`, known at `times`, between the cuts: [column, window]."""
    at = np.array([0.0, *times])
    rows = [np.diff(np.interp(cuts, at, np.concatenate(([0.0], column)))) for column in sums.T]
    return np.array(rows).reshape(sums.shape[1], len(cuts) - 1) / np.diff(cuts)


def lacks(result: RunFigures) -> Sequence[Lack]:
    """Return what each transition lacked when the net died; nothing if it did not."""
    if not result.died:
        return ()
    dead = result.replications.is_ended("dead").argmax()
    return why_dead(result.net, result.replications[int(dead)].marking.in_ticks())


def occupancy_shares(result: RunFigures) -> list[list[float]] | None:
    """Return for each place, the share of time with 0, 1, 2 … tokens, up to its maximum."""
    if result.counted.levels is None:
        return None
    found = (result.occupancy(place.name) for place in result.net.places)
    return [significant(np.nan_to_num(np.trim_zeros(one.shares, "b"))).tolist() for one in found if one is not None]
