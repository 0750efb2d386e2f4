"""A saved state as the start of another net: what of its marking has the names and types of that net.

Tokens stay in places of the same name whose tokens have the same fields. Firings in progress go on where their
transition still gives tokens to the same places; others end at once. Clocks are set anew, and figures begin.
"""

from __future__ import annotations

import math

from petri.engine.checkpoint import (
    SavedContent,
    SavedEngine,
    SavedFiring,
    SavedGift,
    SavedPlace,
    Stream,
    chunks,
    token_of,
    wide,
    wider,
)
from petri.engine.expression import Context
from petri.engine.interface import Asked, Limits
from petri.engine.native import NativeSession
from petri.engine.probes import Whole
from petri.engine.random import own_streams
from petri.engine.saved_check import arcs_of, gives
from petri.net import Content, Net, Place, Slot, Transition
from petri.run.checkpoint import SavedReplication
from petri.structs import Frozen, replace

NOTHING = wide(0)


class Fitted(Frozen):
    """left_out: sentences on what of the state is not in the net, or of the net not in the state."""

    replication: SavedReplication
    left_out: tuple[str, ...]


def fitted(saved: SavedReplication, before: Net, net: Net) -> Fitted:
    """Return the start of a replication of `net` from a state of the net `before`, which has the same tick.

    Raises ModelError where a measure has no value for a token.
    """
    fitting = _Fitting(saved.engine, before, net)
    engine = fitting.engine()
    return Fitted(
        replace(saved, engine=engine, warm=False, batches=(), batch=0, series=(), looked=0, died=math.nan),
        fitting.left_out,
    )


class _Fitting:
    def __init__(self, saved: SavedEngine, before: Net, net: Net) -> None:
        self.saved, self.before, self.net = saved, before, net
        self.places = {place.name: number for number, place in enumerate(net.places)}
        self.told: list[str] = []
        self.at_once: dict[int, list[SavedGift]] = {}  # by place of the net: what firings give that end at once
        self.homeless: dict[
            str, int
        ] = {}  # by name: tokens of such firings for a place that is not in the net as it was

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(self.told)

    def engine(self) -> SavedEngine:
        fresh = NativeSession(self.net, 1, 0, Limits(), Asked()).save()
        saved = self.saved
        firings = self.firings()
        places = self.marking(fresh)
        return replace(
            fresh,
            now=saved.now,
            firings=saved.firings,
            window=saved.now,
            random=saved.random,
            places=places,
            in_progress=firings,
            contents=self.contents(places),
            rows=self.rows(),
            settled=False,
            own_random=self.own_random(),
        )

    def own_random(self) -> tuple[Stream, ...]:
        """Return the stream of each transition, if each has one: that of the same name; a new one follows from the
        others.
        """
        names = (transition.name for transition in self.before.transitions)
        known = dict(zip(names, self.saved.own_random, strict=False))
        new = own_streams(self.net, self.saved.random[:3])
        named = zip(self.net.transitions, new, strict=False)
        return tuple(known.get(transition.name, stream.state) for transition, stream in named)

    def marking(self, fresh: SavedEngine) -> tuple[SavedPlace, ...]:
        """Return the tokens of each place of the net; of a new one, its initial ones."""
        places = list(fresh.places)
        known = {place.name for place in self.before.places}
        for place in self.net.places:
            if place.name not in known and place.held:
                self.told.append(f"`{place.name}` is not in the saved state: it begins with its initial tokens")
        for place, of_place in zip(self.before.places, self.saved.places, strict=True):
            number = self.places.get(place.name)
            if number is None:
                self.leave_out(of_place.tokens, f"of `{place.name}`, which is not in the net")
            elif _fields(place) != _fields(self.net.places[number]):
                self.leave_out(of_place.tokens, f"of `{place.name}`, whose tokens have other fields")
            else:
                places[number] = self.tokens(number, of_place)
        return tuple(places)

    def tokens(self, number: int, saved: SavedPlace) -> SavedPlace:
        place, more = self.net.places[number], self.at_once.get(number, ())
        slots = place.colour.slots
        if not slots:
            count = saved.tokens + sum(gift.count for gift in more)
            return SavedPlace(count, (), NOTHING, 0, count, 0)
        tokens = [*chunks(saved.words, len(slots)), *(gift.words for gift in more for _ in range(gift.count))]
        within = [words for words in tokens if _is_of(token_of(words, slots), slots)]
        self.leave_out(len(tokens) - len(within), f"of `{place.name}`, whose values are outside their ranges")
        return SavedPlace(len(within), tuple(w for words in within for w in words), NOTHING, 0, len(within), 0)

    def leave_out(self, count: int, which: str) -> None:
        if count:
            self.told.append(f"{count} {'token' if count == 1 else 'tokens'} {which}")

    def firings(self) -> tuple[SavedFiring, ...]:
        known = {transition.name: number for number, transition in enumerate(self.net.transitions)}
        kept, lost = (
            [],
            dict.fromkeys(((transition.name, way) for transition in self.before.transitions for way in (0, 1)), 0),
        )
        for firing in self.saved.in_progress:
            name = self.before.transitions[firing.transition].name
            number = known.get(name)
            gifts = None if number is None else self.gifts(self.net.transitions[number], firing)
            if number is None or gifts is None:
                lost[name, min(firing.part, 1)] += 1
                self.end_at_once(firing)
            else:
                kept.append(SavedFiring(firing.end, number, firing.part, gifts))
        for name, count in self.homeless.items():
            self.leave_out(count, f"for `{name}`, which is not in the net as it was")
        for (name, way), count in lost.items():
            if count:
                what = "output of `{}` on the way" if way else "firing of `{}` in progress"
                what = what.replace(" of", "s of", count > 1).format(name)
                self.told.append(f"{count} {what}, whose tokens are deposited at once")
        return tuple(kept)

    def end_at_once(self, firing: SavedFiring) -> None:
        for gift in firing.gives:
            place = self.before.places[gift.place]
            number = self.places.get(place.name)
            if number is None or _fields(place) != _fields(self.net.places[number]):
                self.homeless[place.name] = self.homeless.get(place.name, 0) + gift.count
            else:
                self.at_once.setdefault(number, []).append(gift)

    def gifts(self, transition: Transition, firing: SavedFiring) -> tuple[SavedGift, ...] | None:
        """Return what the firing gives, if the transition of the net may give it."""
        arcs = arcs_of(transition, firing.part)
        if arcs is None or len(arcs) != len(firing.gives):
            return None
        found = []
        for gift, arc in zip(firing.gives, arcs, strict=True):
            place = self.before.places[gift.place]
            number = self.places.get(place.name)
            if number is None or _fields(place) != _fields(self.net.places[number]):
                return None
            slots = self.net.places[number].colour.slots
            moved = SavedGift(number, gift.count, gift.words)
            if not gives(arc, moved) or (gift.count and not _is_of(token_of(gift.words, slots), slots)):
                return None
            found.append(moved)
        return tuple(found)

    def contents(self, places: tuple[SavedPlace, ...]) -> tuple[SavedContent, ...]:
        probes = (probe for probe in self.net.probes if isinstance(probe, Content))
        return tuple(self.content(probe, places[probe.place]) for probe in probes)

    def content(self, probe: Content, saved: SavedPlace) -> SavedContent:
        slots, value = self.net.places[probe.place].colour.slots, Whole(probe.value)
        tokens = chunks(saved.words, len(slots)) if slots else [()] * saved.tokens
        total = wider(sum(value.of(Context(token_of(words, slots))) for words in tokens))
        return SavedContent(total, wider(0), total)

    def rows(self) -> tuple[int, ...]:
        """Streams go on where they were."""
        names = [place.name for place in self.before.places if place.stream is not None]
        arrived = dict(zip(names, self.saved.rows, strict=True))
        return tuple(arrived.get(place.name, 0) for place in self.net.places if place.stream is not None)


def _fields(place: Place) -> list[tuple[str, str, str]]:
    return [(slot.name, slot.kind, slot.dimension) for slot in place.colour.slots]


def _is_of(token: tuple[int | float, ...], slots: tuple[Slot, ...]) -> bool:
    pairs = zip(token, slots, strict=True)
    return all((s.low is None or v >= s.low) and (s.high is None or v <= s.high) for v, s in pairs)
