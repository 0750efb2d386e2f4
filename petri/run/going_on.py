"""Where the replications of a run begin that goes on from a saved one."""

from __future__ import annotations

from petri.codec import net_text
from petri.diagnostics import Diagnostic, LanguageError
from petri.engine.random import RandomStream, own_streams
from petri.engine.seeds import seed_words
from petri.net import Net, RunDefaults
from petri.run.checkpoint import SavedReplication
from petri.run.fitting import fitted
from petri.run.saved_run import SavedRun
from petri.structs import Frozen, replace


class Starts(Frozen):
    """replications: where each begins. anew: whether their figures begin there. left_out: see `Fitted`."""

    replications: tuple[SavedReplication, ...]
    anew: bool = False
    left_out: tuple[str, ...] = ()


def starts_of(net: Net, saved: SavedRun, count: int | None, seed: int) -> Starts:
    """Return the replications that were saved, or `count` branches of them with random numbers of their own.

    Raises LanguageError if the net cannot go on from that state, ModelError where a measure has no value for a token.
    """
    if net.tick != saved.net.tick or net.time_unit != saved.net.time_unit:
        raise LanguageError([Diagnostic("state-other-time")])
    replications = saved.replications
    left_out: dict[str, None] = {}
    anew = not same_net(net, saved.net)
    if anew:
        fits = [fitted(replication, saved.net, net) for replication in replications]
        replications = tuple(fit.replication for fit in fits)
        left_out = dict.fromkeys(sentence for fit in fits for sentence in fit.left_out)
    if count is not None:
        replications = tuple(branch(net, replications[i % len(replications)], i, seed) for i in range(count))
    return Starts(replications, anew or count is not None, tuple(left_out))


def same_net(one: Net, other: Net) -> bool:
    """Return whether a run of one goes on as a run of the other would."""
    return _behaviour(one) == _behaviour(other)


def _behaviour(net: Net) -> str:
    return "".join(net_text(replace(net, run_defaults=RunDefaults(), expectations=(), doc=""), spans=False))


def branch(net: Net, saved: SavedReplication, number: int, seed: int) -> SavedReplication:
    """Return the same state with other random numbers, whose figures begin when it goes on."""
    key = saved.branch + 1
    own = tuple(stream.state for stream in own_streams(net, seed_words(seed, number, key)))
    engine = replace(saved.engine, random=RandomStream(seed, number, key).state, own_random=own)
    return replace(saved, index=number, branch=key, engine=engine, warm=False, batches=(), batch=0, series=(), looked=0)
