"""Cubic Bézier curves: cutting them where they leave the shapes at their ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Point = tuple[float, float]
Cubic = tuple[Point, Point, Point, Point]
_STEPS = 24


def cubics(points: Sequence[Point]) -> list[Cubic]:
    """The pieces of a curve that is a start and then triples."""
    return [(points[i], points[i + 1], points[i + 2], points[i + 3]) for i in range(0, len(points) - 3, 3)]


def clipped(
    points: Sequence[Point], in_start: Callable[[Point], bool], in_end: Callable[[Point], bool]
) -> tuple[Point, ...]:
    """The curve from where it last leaves its first shape to where it first enters its last one."""
    pieces = _without_head(cubics(points), in_start)
    turned = [(d, c, b, a) for a, b, c, d in reversed(pieces)]
    pieces = [(d, c, b, a) for a, b, c, d in reversed(_without_head(turned, in_end))]
    if not pieces:
        return ()
    return (pieces[0][0], *(point for piece in pieces for point in piece[1:]))


def _without_head(pieces: list[Cubic], inside: Callable[[Point], bool]) -> list[Cubic]:
    for number, piece in enumerate(pieces):
        for step in range(1, _STEPS + 1):
            if not inside(at(piece, step / _STEPS)):
                low, high = (step - 1) / _STEPS, step / _STEPS
                for _ in range(12):
                    middle = (low + high) / 2
                    low, high = (middle, high) if inside(at(piece, middle)) else (low, middle)
                return [_tail(piece, high), *pieces[number + 1 :]]
    return []


def at(piece: Cubic, t: float) -> Point:
    """The point of the curve at parameter t in 0..1."""
    return _split(piece, t)[3]


def _tail(piece: Cubic, t: float) -> Cubic:
    """The part of the curve after t."""
    a, b, c, d = piece
    ab, bc, cd = _mix(a, b, t), _mix(b, c, t), _mix(c, d, t)
    return _mix(_mix(ab, bc, t), _mix(bc, cd, t), t), _mix(bc, cd, t), cd, d


def _split(piece: Cubic, t: float) -> Cubic:
    a, b, c, d = piece
    ab, bc, cd = _mix(a, b, t), _mix(b, c, t), _mix(c, d, t)
    abc, bcd = _mix(ab, bc, t), _mix(bc, cd, t)
    return a, ab, abc, _mix(abc, bcd, t)


def _mix(p: Point, q: Point, t: float) -> Point:
    return p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t
