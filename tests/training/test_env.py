"""Nets as environments of Gymnasium."""

from __future__ import annotations

import re
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.diagnostics import LanguageError, RunError
from tests.engines import ENGINES
from tests.training.nets import ADMISSION, ASSIGNMENT

pytest.importorskip("gymnasium")
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from petri.env import NetEnv, NetVectorEnv

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def episode(env: NetEnv, seed: int | None, chance: np.random.Generator) -> list[Any]:
    """Play with random enabled actions, and return all that is seen."""
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [(observation.tolist(), info["action_mask"].tolist(), info["time"])]
    over = False
    while not over:
        action = int(chance.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, dead, until, info = env.step(action)
        seen.append((observation.tolist(), reward, dead, until, info["action_mask"].tolist(), info["time"]))
        over = dead or until
    return [*seen, env.play.session(0).hash]


@pytest.mark.parametrize("wait", [False, True])
def test_both_engines_play_alike(wait: bool) -> None:
    model, played = petri.loads(ASSIGNMENT), []
    for engine in ("reference", "native"):
        env = NetEnv(model, reward={"done": 10.0, "waiting": -1.0}, until=40, wait=wait, engine=engine)
        played.append([episode(env, seed, np.random.default_rng(1)) for seed in (7, None)])
    assert played[0] == played[1]
    assert played[0][0] != played[0][1]


def test_actions_and_observations_have_names(engine: str) -> None:
    env = NetEnv(petri.loads(ASSIGNMENT), reward="done", wait=True, engine=engine)
    assert env.actions[:4] == [
        "assign(t.kind = quote, t.size = 1, c = ann)", "assign(t.kind = quote, t.size = 1, c = bob)",
        "assign(t.kind = quote, t.size = 1, c = eve)", "assign(t.kind = quote, t.size = 2, c = ann)",
    ]  # fmt: skip
    assert (len(env.actions), env.actions[-1]) == (3 * 2 * 3 + 1, "wait")
    assert env.entries[:5] == ["desk[quote]", "desk[claim]", "desk[appeal]", "queue(kind = quote, size = 1)",
                               "queue(kind = quote, size = 2)"]  # fmt: skip
    assert env.entries[-4:] == ["come[quote]", "come[claim]", "come[appeal]", "assign"]


def test_rewards_of_an_episode_add_up_to_the_measure_of_a_run(engine: str) -> None:
    model = petri.loads(ADMISSION)
    env = NetEnv(model, reward="gain", until=50, engine=engine)
    _, info = env.reset(seed=3)
    total, over = 0.0, False
    while not over:
        _, reward, dead, over, info = env.step(0)
        total += reward
        assert not dead
    assert info["time"] == 50.0
    text = ADMISSION.replace("nothing             decide", "nothing priority -9").replace("decide", "priority -1")
    same = petri.loads(text).run(until=50, seed=3, engine=engine)
    assert same.hash == env.play.session(0).hash
    assert total == pytest.approx(same.measure("gain").value)


def test_an_action_that_is_not_enabled_changes_nothing(engine: str) -> None:
    env = NetEnv(petri.loads(ASSIGNMENT), reward="waiting", engine=engine)
    before, info = env.reset(seed=1)
    for wrong in (int(np.flatnonzero(info["action_mask"] == 0)[0]), -1, 99):
        after, reward, dead, until, again = env.step(wrong)
        assert (after.tolist(), reward, dead, until) == (before.tolist(), 0.0, False, False)
        assert again["refused"]
        assert again["action_mask"].tolist() == info["action_mask"].tolist()
    many = NetVectorEnv(petri.loads(ASSIGNMENT), 2, reward="waiting", engine=engine)
    with pytest.raises(ResetNeeded):
        many.step(np.array([0, 0]))
    many.reset(seed=1)
    assert many.step(np.array([-1, 99]))[-1]["refused"].tolist() == [True, True]


def test_snapshots_and_saved_runs_are_beginnings(engine: str, tmp_path: Path) -> None:
    model = petri.loads(ADMISSION)
    env = NetEnv(model, reward="gain", until=30, engine=engine)
    env.reset(seed=1)
    for _ in range(5):
        observation, *_, info = env.step(0)
    kept = env.snapshot()
    first = [env.step(0)[1] for _ in range(9)]
    for _ in range(2):
        again, other = env.reset(options={"snapshot": kept})
        assert (again.tolist(), other["time"]) == (observation.tolist(), info["time"])
        assert [env.step(0)[1] for _ in range(9)] == first
    if engine == "native":
        saved = model.run(until=25, save_at=25).saved
        late = NetEnv(model, reward="gain", until=30, start=saved)
        assert late.reset(seed=1)[1]["time"] == late.reset(seed=2)[1]["time"] > 25.0  # somebody was on the way
        times = []
        for seed in (1, 2):
            late.reset(seed=seed)
            times.append(late.step(0)[-1]["time"])
        assert times[0] != times[1]


@pytest.mark.parametrize("text", [ADMISSION, ASSIGNMENT])
def test_gymnasium_finds_no_fault(engine: str, text: str) -> None:
    reward = "gain" if text is ADMISSION else "done"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that observations have no greatest value
        check_env(NetEnv(petri.loads(text), reward=reward, engine=engine), skip_render_check=True)


def test_environments_side_by_side_play_as_one_by_one(engine: str) -> None:
    model, count = petri.loads(ADMISSION), 3
    many = NetVectorEnv(model, count, reward="gain", until=10, engine=engine)
    one = [NetEnv(model, reward="gain", until=10, engine=engine) for _ in range(count)]
    observations, info = many.reset(seed=5)
    begun = [env.reset(seed=5 + row) for row, env in enumerate(one)]
    assert observations.tolist() == [observation.tolist() for observation, _ in begun]
    over, ended = np.zeros(count, bool), 0
    for turn in range(40):
        actions = np.array([turn * row % 2 for row in range(count)])
        observations, rewards, dead, until, info = many.step(actions)
        for row, env in enumerate(one):
            expected = (*env.reset()[:1], 0.0, False, False) if over[row] else env.step(int(actions[row]))[:4]
            assert (observations[row].tolist(), rewards[row], dead[row], until[row]) == (
                expected[0].tolist(), *expected[1:],
            )  # fmt: skip
            assert info["action_mask"][row].tolist() == env.action_masks().tolist()
        over = dead | until
        ended += int(over.sum())
    assert ended >= 3


def test_a_dead_net_ends_an_episode(engine: str) -> None:
    text = "place p = 2 * token\ntransition t: p -> nothing  takes 1 decide\nmeasure n = count(t)\nrun until 9"
    env = NetEnv(petri.loads(text), reward="n", engine=engine)
    env.reset(seed=1)
    steps = [env.step(0)[1:4] for _ in range(2)]
    assert steps == [(1.0, False, False), (1.0, True, False)]


def test_what_cannot_be_played_is_refused(engine: str) -> None:
    plain = petri.loads("place p = token\ntransition t: p -> p takes 1\nmeasure n = count(t)")
    with pytest.raises(LanguageError, match=r"no transition of .* waits for a decision"):
        NetEnv(plain, reward="n", engine=engine)
    with pytest.raises(LanguageError, match="has no measure `gian`"):
        NetEnv(petri.loads(ADMISSION), reward="gian", engine=engine)
    text = "place p = token\ntransition t: p -> p takes 2 - 3 * now decide\nmeasure n = count(t)\nrun until 9"
    env = NetEnv(petri.loads(text), reward="n", engine=engine)
    env.reset(seed=1)
    env.step(0)
    with pytest.raises(RunError, match="the firing time is negative"):
        env.step(0)


def optimal_threshold(value: float) -> int:
    """Return how many an M/M/1 queue of load 1 should hold: all numbers are equally likely, the last one refuses."""
    gains = {n: value * n / (n + 1) - n / 2 for n in range(1, 20)}
    return max(gains, key=lambda n: gains[n])


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the net of the page into a folder, and go there."""
    net = re.findall(r"^\$ cat admission.net\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[0]
    (tmp_path / "admission.net").write_text(net, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(kind: str) -> str:
    return str(re.findall(rf"```python {kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0])


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("kind", ["one", "hand"])
def test_the_page_shows_what_it_prints(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(program(kind), "training.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*  # (.*)$", program(kind), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("value", [5, 13])
def test_a_table_learns_the_best_threshold(value: float, capsys: pytest.CaptureFixture[str]) -> None:
    """The agent of the page, of at most 40 lines, with a fixed seed; and for customers of another value."""
    text = program("training").replace("value=5", f"value={value}")
    assert len([line for line in text.splitlines() if line.strip()]) <= 40
    names: dict[str, Any] = {}
    exec(compile(text, "training.md", "exec"), names)
    policy = names["policy"]
    assert policy.index("refuse") == optimal_threshold(value)
    assert policy[policy.index("refuse") :][:2] == ["refuse", "refuse"]  # beyond, it has hardly ever been
    if value == 5:
        assert capsys.readouterr().out == text.rpartition("print(policy)  # ")[2]


@pytest.mark.slow
def test_a_hundred_thousand_decisions_a_second() -> None:
    """Processor time is what counts: other programs may have the cores."""
    model = petri.loads(ASSIGNMENT)
    env = NetVectorEnv(model, 256, reward="waiting", until=1e6)
    _, info = env.reset(seed=1)
    best = 0.0
    for _ in range(3):
        began = time.process_time()
        for _ in range(100):
            _, _, _, _, info = env.step(np.argmax(info["action_mask"], axis=1))
        best = max(best, 100 * 256 / (time.process_time() - began))
    assert best > 100_000
