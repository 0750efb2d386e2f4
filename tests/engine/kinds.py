"""Small nets, one for each kind of transition that machine code is written for."""

from __future__ import annotations

from typing import NamedTuple

from petri import language
from petri.net import Net


class Kind(NamedTuple):
    """A net with a transition."""

    text: str
    transition: str = "t"

    def net(self) -> Net:
        return language.loads(f"net kind\n{self.text}")


KINDS = {
    "immediate": Kind("place a = 3 * token  place b\ntransition t: a -> b"),
    "constant_time": Kind("place a = 3 * token  place b\ntransition t: a -> b  takes 2.0"),
    "exponential": Kind("place a = 3 * token  place b\ntransition t: a -> b  takes exp(2.0)"),
    "fifo_take": Kind("place a : int fifo = i for i in 1..3  place b\ntransition t: a(n) -> b"),
    "lifo_to_fifo": Kind("place a : int lifo = i for i in 1..3  place b : int fifo\ntransition t: a(n) -> b(n + 1)"),
    "bag_choice": Kind("place a : 0..9 = i for i in 1..3  place b\ntransition t: a(n) -> b"),
    "head_that_matches": Kind(
        "place a : { x: 0..9, y: int } fifo = {x: i, y: 2} for i in 0..2  place b\ntransition t: a({x: 2, y}) -> b",
    ),
    "keyed_join": Kind(
        "place a : { k: 0..3, n: int } = {k: i, n: i} for i in 0..3  place b : 0..3 = all  place c\n"
        "transition t: a({k, n}), read b(k) -> c",
    ),
    "keyed_place": Kind("place a : { n: int } by n = {n: i} for i in 1..3  place b\ntransition t: a(p) -> b"),
    "guard": Kind("place a : int fifo = i for i in 1..3  place b\ntransition t: a(n) -> b  when n mod 2 == 1"),
    "inhibitor": Kind("place a = 3 * token  place b\ntransition t: a, no b >= 2 -> b"),
    "capacity": Kind("place a = 3 * token  place b cap 2\ntransition t: a -> b  takes 2.0"),
    "reset": Kind("place a = 3 * token  place b = token  place c : int = 1\ntransition t: a, reset b, reset c -> b"),
    "set": Kind(
        "place a = 3 * token  place b : int = 1, 2, 3  place c : int\n"
        "transition t: a, all b(n) when n > 1 -> each c(n + s)  let s = sum(x in b: x)"
    ),
    "set_of_black_tokens": Kind("place a = 3 * token  place b = token\ntransition t: a, all b when tokens(a) > 1 -> a"),
    "set_that_lasts": Kind(
        "place a = token  place b : int fifo = 1, 2  place c : int\ntransition t: a, all b(n) -> each c(n)  takes 2.0",
    ),
    "draw": Kind("place a = token  place b : 0..9 fifo\ntransition t: a -> a, b(n)  draw n ~ uniform(0..9)  takes 1.0"),
    "stream_place": Kind("place a : int = stream()  place b\ntransition t: a(n) -> b"),
    "batch": Kind("place a = 9 * token  place b : int\ntransition t: 3 * a -> 2 * b(7), 4 * a  takes exp(1)"),
    "conditional": Kind(
        "place a : int fifo = i for i in 1..3  place b : int fifo\ntransition t: a(n) -> if n > 1 then b(n) takes 1.0"
    ),
    "choice_of_places": Kind("place a : 0..1 fifo = 0  place b[0..1] : 0..1 fifo\ntransition t: a(n) -> b[n](n)"),
    "time_of_a_token": Kind("place a : real fifo = 1.5  place b\ntransition t: a(x) -> b  takes 2 * x"),
    "delay": Kind(
        "place a = 3 * token  place s = token  place b : int fifo\n"
        "transition t: a, s -> b(7) in 3.0, s in 1.0, a  takes 2.0",
    ),
    "read_and_priority": Kind(
        "place a = 2 * token  place b = token\ntransition t: a, read b -> a  priority 2  takes 1.0"
    ),
    "first_that_can_go": Kind(
        "place a : 0..9 = i for i in 1..3  place b : 0..9 = 2\nthread t take a(n) take b(n) end",
        "t.take_b",
    ),
    "one_at_a_time": Kind("place a = 2 * token  place s = token\ntransition t: a, s -> a, s  takes 1.0"),
}
