"""What `make fuzz-native` begins with: `python -m tests.fuzz.seeds FOLDER` writes the inputs of each target."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.engine.flat_nets import nets, texts
from tests.fuzz.readers import captures

DRAWN = 100  # nets of each kind


def inputs() -> dict[str, list[bytes]]:
    """Return the inputs by target. Two bytes before a net say how it runs (`fuzz_targets/flat_net.rs`)."""
    flat = [bytes((i * 37 % 256, i % 60)) + text.encode() for i, text in enumerate(texts(nets(DRAWN)))]
    return {"flat_net": flat, "capture": captures()}


def main() -> None:
    for target, seeds in inputs().items():
        folder = Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (folder / f"seed{number}").write_bytes(seed)


if __name__ == "__main__":
    main()
