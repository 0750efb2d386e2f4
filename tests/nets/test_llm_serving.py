"""The server of a language model of the library against a program of its own, and against limits that queues have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

import petri
from petri.engine.native import available


@dataclass
class Job:
    born: int
    prompt: int
    output: int
    written: int = 0
    computed: int = 0
    held: int = 0
    first: int = 0
    end: int = 0


def serve(jobs: list[Job], memory: int, block: int, batch: int, budget: int, fixed: int, each: int) -> int:
    """Serve all jobs, with times in microseconds; return how often one has lost its memory. Written for this test."""
    waiting, running, free, now, lost, come = [], [], memory, 0, 0, 0  # type: ignore[var-annotated]
    while come < len(jobs) or waiting or running:
        if not waiting and not running:
            now = max(now, jobs[come].born)
        while come < len(jobs) and jobs[come].born <= now:
            waiting.append(jobs[come])
            come += 1
        left, chunks, gone = budget, [], False
        queue = list(running)
        while queue:
            job = queue[0]
            chunk = min(left, job.prompt + job.written - job.computed)
            more = -(-(job.computed + chunk) // block) - job.held if left else 0
            if more <= free:
                chunks.append((queue.pop(0), chunk))
                free, left, job.held = free - more, left - chunk, job.held + more
                continue
            last = queue.pop()
            running.remove(last)
            free, last.held, last.computed, gone, lost = free + last.held, 0, 0, True, lost + 1
            waiting.insert(0, last)
        waiting.sort(key=lambda job: job.born)
        while waiting and left and len(chunks) < batch and not gone:
            job = waiting[0]
            chunk = min(left, job.prompt + job.written)
            job.held = -(-chunk // block)
            if job.held > free:
                job.held = 0
                break
            free, left = free - job.held, left - chunk
            chunks.append((waiting.pop(0), chunk))
        running = [job for job, _ in chunks]
        now += fixed + (budget - left) * each
        for job, chunk in chunks:
            writes = job.computed + chunk == job.prompt + job.written
            job.computed += chunk
            job.written += writes
            if writes and job.written == 1 and not job.first:
                job.first = now
            if job.written == job.output:
                free, job.end = free + job.held, now
                running.remove(job)
    return lost


@pytest.mark.parametrize(("seed", "memory", "batch", "budget", "gap"), [
    (2, 60, 64, 256, 100_000),
    pytest.param(1, 400, 64, 512, 300_000, marks=pytest.mark.slow),
    pytest.param(3, 40, 8, 64, 50_000, marks=pytest.mark.slow),
    (4, 200, 3, 2048, 20_000),
])  # fmt: skip
def test_a_trace_gives_what_a_plain_program_gives(tmp_path: Path, seed: int, memory: int, batch: int, budget: int,
                                                  gap: int) -> None:  # fmt: skip
    random = Random(seed)
    jobs, now = [], 0
    for _ in range(25):
        jobs.append(Job(now, random.randint(1, 300), random.randint(1, 200)))
        now += random.randint(1, gap)
    lost = serve(jobs, memory, 16, batch, budget, 12_000, 40)
    rows = [f"{job.born / 1e6:.6f},{job.prompt},{job.output}" for job in jobs]
    (tmp_path / "trace.csv").write_text("time [s],prompt,output\n" + "\n".join(rows) + "\n", "utf-8")
    model = petri.load("patterns/llm_serving", recorded=True, memory=memory, batch=batch, budget=budget)
    result = model.with_streams({"trace": tmp_path / "trace.csv"}).run(until="dead", warmup=0.0)
    first, latency = result.measure("first").recorded, result.measure("latency").recorded
    assert result.measure("answered").value == len(jobs)
    assert result.measure("preempted").value == lost
    assert first["mean"].mean == pytest.approx(sum(job.first - job.born for job in jobs) / len(jobs) / 1000, rel=1e-9)
    assert latency["mean"].mean == pytest.approx(sum(job.end - job.born for job in jobs) / len(jobs) / 1000, rel=1e-9)
    assert seed not in (2, 3) or lost > 0, "memory runs out in two of the cases"


@pytest.mark.skipif(not available(), reason="takes long on the reference engine")
@pytest.mark.slow
def test_one_request_at_a_time_is_a_queue_with_geometric_service() -> None:
    """Pollaczek and Khinchine: W = λ E[S²] / (2 (1 − ρ)), for S of a geometric number of steps. Five intervals wide."""
    step, mean = 0.012, 40.0  # s, tokens
    rate = 0.7 / (step * mean)
    model = petri.load("patterns/llm_serving", batch=1, memory=1_000_000, budget=1_000_000, rate=rate, prompts=1,
                       outputs=mean, each_token="0 ms")  # fmt: skip
    second = step**2 * (2 - 1 / mean) * mean**2
    waited = rate * second / (2 * (1 - 0.7))
    found = model.run(until="20000 s", warmup="100 s", seed=5).measure("latency").recorded["mean"]
    assert found.mean / 1000 == pytest.approx(waited + step * mean, rel=0.06)


@pytest.mark.skipif(not available(), reason="takes long on the reference engine")
@pytest.mark.slow
def test_with_room_for_all_a_request_waits_for_the_step_under_way_alone() -> None:
    """Steps of one length follow one another: half a step on average until the next, and a step for each token."""
    model = petri.load("patterns/llm_serving", memory=1_000_000, budget=1_000_000, batch=100_000, rate=200.0, prompts=1,
                       outputs=40, each_token="0 ms")  # fmt: skip
    result = model.run(until="20 s", warmup="5 s", seed=3)
    assert result.measure("first").recorded["mean"].mean == pytest.approx(1.5 * 12, rel=0.02)
    written = result.measure("throughput").value  # per ms
    assert written == pytest.approx(200 * 40 / 1000, rel=6 / math.sqrt(200 * 15))
