"""Makes a case smaller for as long as it shows the same fault."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterator

from tests.engine.mutated import part, positions


def smallest(data: bytes, is_json: bool, shows: Callable[[bytes], bool], seconds: float) -> bytes:
    """Return the smallest case found in this time, by leaving out one part after the other."""
    enough = time.process_time() + seconds
    progress = True
    while progress:
        progress = False
        for smaller in with_less_json(data) if is_json else with_less(data):
            if time.process_time() > enough:
                return data
            if shows(smaller):
                data, progress = smaller, True
                break
    return data


def with_less(data: bytes) -> Iterator[bytes]:
    """Leave out a piece: halves first, then ever smaller ones."""
    length = len(data) // 2
    while length:
        for start in range(0, len(data), length):
            yield data[:start] + data[start + length :]
        length //= 2


def with_less_json(data: bytes) -> Iterator[bytes]:
    """Leave out one part of the tree: parts near the root first."""
    tree = json.loads(data)
    for path in sorted(positions(tree), key=len):
        other = copy.deepcopy(tree)
        del part(other, path[:-1])[path[-1]]
        yield json.dumps(other).encode()
