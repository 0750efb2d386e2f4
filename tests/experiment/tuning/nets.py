"""Nets that are tuned."""

from __future__ import annotations

from pathlib import Path

STAFF = """## Agents cost 3 an hour each, and a call that waits 2 an hour.
net staff
time h
param agents = 7 in 1..200
param load = 6.5
place source = token
place line
place agent = agents * token
transition call: source -> source, line  takes exp(1 h / load)
transition serve: line, agent -> agent  takes exp(1 h)
measure cost = 3 * agents + 2 * mean(line)
measure waiting = mean(line)
run until 2000 h  warmup 100 h
"""

# Demand is Poisson with mean 10 a period, an order costs 64, stock 1 and a backlog 9 a period.
STOCK = """net stock
time h
param least = 6 in 0..100
param full = 40 in 1..200
place shelf : int = full
transition period: shelf(x) -> shelf((if x <= least then full else x) - d)  draw d ~ poisson(10.0)  takes 1 h
const none = 0
measure orders = rate(period, if x <= least then 64 else 0)
measure held = rate(period, max((if x <= least then full else x) - d, none))
measure owed = rate(period, max(d - (if x <= least then full else x), none))
measure cost = orders + held + 9 * owed
run until 2000 h  warmup 100 h
"""

MM1K = """net mm1k
time s
param arrivals = 0.8 in 0.01..10
param work = 1.0 in 0.01..10
place source = token
place door
place seat = 5 * token
place queue
place server = token
transition arrive: source -> source, door  takes exp(1 s / arrivals)
transition enter: door, seat -> queue  priority 1
transition refuse: door -> nothing
transition serve: queue, server -> server, seat  takes exp(work * 1 s)
measure refused = count(refuse) / count(arrive)
measure served = rate(serve)
measure waiting = mean(queue)
run until 5000 s  warmup 100 s
"""


def written(folder: Path, text: str) -> Path:
    path = folder / f"{text.split('net ')[1].split()[0]}.net"
    path.write_text(text, encoding="utf-8")
    return path
