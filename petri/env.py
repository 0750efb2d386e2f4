"""Nets as environments of Gymnasium, in which agents learn to decide (docs/training.md). Needs the extra `gym`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from petri.component import deciding
from petri.diagnostics import Diagnostic, LanguageError, RunError, Value, did_you_mean
from petri.engine.episodes import Stepped, episodes, tables_of
from petri.engine.interface import Session
from petri.measure.formula import values as formula_values
from petri.model import Model, choose
from petri.result.figures import run_failure
from petri.run.going_on import branch, starts_of
from petri.run.saved_run import SavedRun
from petri.run.session import begin
from petri.ticks import NEVER

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise ImportError("`petri.env` needs Gymnasium: pip install 'pnsim[gym]'", name=error.name) from error

MOST_ACTIONS: Final = 10_000
MOST_SEED: Final = 2**31
Reward = str | Mapping[str, float]


class Play:
    """Episodes of a net side by side: what actions, observations and rewards mean.

    Episode k of a row with seed s has the random numbers of replication k of a run with this seed (R1).
    """

    def __init__(
        self, model: Model, rows: int, reward: Reward, until: float | str | None, wait: bool, values: int,
        start: SavedRun | None, engine: str,
    ) -> None:  # fmt: skip
        if rows < 1:
            raise ValueError(f"there are 1 environment or more, not {rows}")
        self.net = deciding(model.net)
        if any(place.stream is not None for place in self.net.places):
            raise LanguageError([Diagnostic("component-stream", values={"net": self.net.name})])
        tables = tables_of(self.net, values)
        if not 0 < tables.count <= MOST_ACTIONS:
            identifier = "env-many-actions" if tables.count else "env-no-actions"
            told: dict[str, Value] = {"net": self.net.name, "count": tables.count, "limit": MOST_ACTIONS}
            raise LanguageError([Diagnostic(identifier, values=told)])
        self._rewards = self._terms({reward: 1.0} if isinstance(reward, str) else reward)
        end = model.net.run_defaults.until if until is None else model.duration(until)
        if end is not None and not end >= 0.0:
            raise LanguageError([Diagnostic("run-below-zero", values={"name": "until", "text": str(until)})])
        ticks = NEVER if end is None or math.isinf(end) else self.net.tick.ticks(end)
        self._engine = choose(engine)
        self._starts = None if start is None else starts_of(model.net, start, None, 0).replications
        self.seeds, self._numbers = [0] * rows, [0] * rows
        self._episodes = episodes(self.net, tables, rows, wait, ticks, self._session(0))
        places, transitions = self.net.places, self.net.transitions
        self.actions: list[str] = []
        for row in tables.actions:
            self.actions += row.names(transitions[row.of].name, [one.name for one in transitions[row.of].variables])
        self.actions += ["wait"] if wait else []
        self.entries: list[str] = []
        for row in tables.places:
            self.entries += row.names(places[row.of].name, [slot.name for slot in places[row.of].colour.slots])
        self.entries += [transitions[row.of].name for row in tables.firings]

    def _terms(self, reward: Mapping[str, float]) -> list[tuple[float, Any]]:
        formulas = {measure.name: measure.formula for measure in self.net.measures}
        for name in reward:
            if name not in formulas:
                suggestion = did_you_mean(name, list(formulas))
                told: dict[str, Value] = {"net": self.net.name, "name": name, "suggestion": suggestion}
                raise LanguageError([Diagnostic("env-no-measure", values=told)])
        return [(factor, formulas[name]) for name, factor in reward.items()]

    def _session(self, row: int) -> Session:
        seed, number = self.seeds[row], self._numbers[row]
        if self._starts is None:
            return begin(self.net, self._engine, seed, number)
        saved = branch(self.net, self._starts[number % len(self._starts)], number, seed)
        return begin(self.net, self._engine, seed, number, start=saved.engine)

    def seed(self, row: int, seed: int) -> None:
        """Let the next episode of a row be the first one of this seed."""
        self.seeds[row], self._numbers[row] = seed, -1

    def begin(self, row: int) -> None:
        """Let the next episode of a row begin: as soon as `step` is called, with any action."""
        self._numbers[row] += 1
        self.restore(row, self._session(row))

    def restore(self, row: int, session: Session) -> None:
        """Go on from a state of this net."""
        fresh = session.copied()
        fresh.begin_window()
        self._episodes.begin(row, fresh)

    def session(self, row: int) -> Session:
        """Return the state of an episode."""
        found: Session = self._episodes.session(row)
        return found

    def step(self, actions: list[int]) -> tuple[Stepped, NDArray[np.float64]]:
        """Do an action in each row where it is enabled, and return what comes of it, and the rewards.

        Raises RunError where the model breaks a rule.
        """
        stepped = self._episodes.step(actions)
        for row, reason in enumerate(stepped.reasons):
            if reason == "error":
                fault = self._episodes.session(row).error
                assert fault is not None
                raise RunError(run_failure(self.net, fault))
        rewards = np.zeros(len(actions))
        for factor, formula in self._rewards:
            found = factor * formula_values(formula, stepped.seen)
            rewards += np.where(np.isnan(found), 0.0, found)
        return stepped, rewards


def _need_reset(has_begun: bool) -> None:
    if not has_begun:
        raise gymnasium.error.ResetNeeded("no episode has begun: call `reset` first")


class NetEnv(gymnasium.Env[NDArray[np.float32], int]):
    """A net as one environment. An action is a number of `actions`, an observation has a number for each of `entries`.

    reward: a measure, or several with their factors, in the window since the last decision; the first reward is that
    since the beginning. until: where episodes are truncated (default: the end of the net's run); they are terminated
    where the net is dead. wait: whether one more action lets time go on to the next instant at which something happens.
    values: how many values a variable or a token may have to be told apart by them. start: a saved run, from whose
    state episodes begin, instead of time 0.

    The info has `action_mask`, and `time` in the net's unit. An action that is not enabled changes nothing, and the
    info has `refused`.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self, model: Model, *, reward: Reward, until: float | str | None = None, wait: bool = False, values: int = 32,
        start: SavedRun | None = None, engine: str = "auto",
    ) -> None:  # fmt: skip
        self.play = Play(model, 1, reward, until, wait, values, start, engine)
        self.actions, self.entries = self.play.actions, self.play.entries
        self.observation_space = Box(0.0, np.inf, (len(self.entries),), np.float32)
        self.action_space = Discrete(len(self.actions))  # type: ignore[assignment]
        self._mask = np.zeros(len(self.actions), np.int8)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode at the start, or where `options["snapshot"]` was taken."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.play.seed(0, int(self.np_random.integers(MOST_SEED)) if seed is None else seed)
            self._seeded = True
        if options and "snapshot" in options:
            self.play.restore(0, options["snapshot"])
        else:
            self.play.begin(0)
        stepped, _ = self.play.step([-1])
        return stepped.observations[0], self._info(stepped)

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Decide, and go on to the next decision."""
        _need_reset(self._seeded)
        enabled = 0 <= action < len(self._mask) and bool(self._mask[action])
        stepped, rewards = self.play.step([int(action)])
        info = self._info(stepped) | ({} if enabled else {"refused": True})
        reason, reward = stepped.reasons[0], float(rewards[0]) if enabled else 0.0
        return stepped.observations[0], reward, reason == "dead", reason == "until", info

    def _info(self, stepped: Stepped) -> dict[str, Any]:
        self._mask = stepped.masks[0]
        return {"action_mask": self._mask, "time": self.play.net.tick.time(float(stepped.times[0]))}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are enabled."""
        return self._mask.astype(np.bool_)

    def snapshot(self) -> Session:
        """Return the state, to which `reset(options={"snapshot": …})` returns."""
        return self.play.session(0)


class NetVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """A net as some environments that run on threads, as `NetEnv` is one. An episode that has ended is followed
    by another at the next step, whatever the action.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, model: Model, num_envs: int, *, reward: Reward, until: float | str | None = None, wait: bool = False,
        values: int = 32, start: SavedRun | None = None, engine: str = "auto",
    ) -> None:  # fmt: skip
        self.play = Play(model, num_envs, reward, until, wait, values, start, engine)
        self.actions, self.entries, self.num_envs = self.play.actions, self.play.entries, num_envs
        self.single_observation_space = Box(0.0, np.inf, (len(self.entries),), np.float32)
        self.single_action_space = Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masks = np.zeros((num_envs, len(self.actions)), np.int8)
        self._over, self._seeded = np.zeros(num_envs, np.bool_), False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin all episodes; row i has the seed `seed + i`."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(MOST_SEED))
        seeds = range(seed, seed + self.num_envs) if isinstance(seed, int) else seed or [None] * self.num_envs
        for row, one in enumerate(seeds):
            if one is not None:
                self.play.seed(row, one)
            self.play.begin(row)
        self._seeded = True
        stepped, _ = self.play.step([-1] * self.num_envs)
        self._over[:] = False
        return stepped.observations, self._info(stepped)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Decide in each environment, and go on to the next decisions."""
        _need_reset(self._seeded)
        actions = np.broadcast_to(np.where(self._over, -1, actions), self._over.shape)
        for row in np.flatnonzero(self._over).tolist():
            self.play.begin(row)
        known = (actions >= 0) & (actions < len(self.actions))
        enabled = known & (self._masks[np.arange(self.num_envs), np.where(known, actions, 0)] != 0)
        stepped, rewards = self.play.step(actions.tolist())
        dead, until = (np.array([reason == end for reason in stepped.reasons]) for end in ("dead", "until"))
        info = self._info(stepped)
        if not np.all(enabled | self._over):
            info |= {"refused": ~enabled & ~self._over}
        self._over = dead | until
        return stepped.observations, np.where(enabled, rewards, 0.0), dead, until, info

    def _info(self, stepped: Stepped) -> dict[str, Any]:
        self._masks, every = stepped.masks, np.ones(self.num_envs, np.bool_)
        times = self.play.net.tick.time(stepped.times)
        return {"action_mask": self._masks, "_action_mask": every, "time": times, "_time": every}
