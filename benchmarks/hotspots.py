"""Where the native engine spends its time on a net: `python -m benchmarks.hotspots NET [name=value …]`.

Builds the engine with debug information into `benchmarks/build`, runs it under `perf`, and adds up samples by the
engine's functions, which the compiler has inlined into one. Needs cargo, perf, addr2line and readelf.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from benchmarks.contenders import BUILD, HERE
from benchmarks.short import use

ROOT = HERE.parent
TARGET = BUILD / "cargo"
LIBRARY = TARGET / "_native.abi3.so"
SECONDS = 4.0
SHOWN = 20
MAPPING = re.compile(r"MMAP2? .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*: r-xp (\S+)")
SEGMENT = re.compile(r"LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+(0x\w+)")


def build() -> None:
    """Build the installed bridge, with line numbers."""
    environment = {**os.environ, "CARGO_PROFILE_RELEASE_DEBUG": "1", "CARGO_TARGET_DIR": str(TARGET)}
    subprocess.run(
        ["cargo", "build", "--release", "--quiet"], cwd=ROOT / "petri" / "native", env=environment, check=True
    )
    built = next(path for path in (TARGET / "release").glob("lib*native.*") if path.suffix in (".so", ".dylib"))
    LIBRARY.unlink(missing_ok=True)
    LIBRARY.hardlink_to(built)


def simulate(net: str, settings: list[str]) -> None:
    """Do the sampled run, in its own process, with the library just built instead of the installed one."""
    import math
    import time

    use(LIBRARY)
    import petri
    from petri.run.session import begin

    session = begin(petri.load(net, **dict(word.split("=", 1) for word in settings)).net, "native", 1, 0)
    started = time.process_time()
    while time.process_time() - started < SECONDS and session.advance(math.inf, 10_000) == "budget":
        pass
    nanoseconds = (time.process_time() - started) / session.firings * 1e9
    print(f"{session.firings:,} firings, {nanoseconds:.0f} ns each (seldom less than without perf)")


def sample(words: list[str]) -> Counter[int]:
    """Return samples by address within the library."""
    record = BUILD / "perf.data"
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", str(record)]
    run = [sys.executable, "-m", "benchmarks.hotspots", "--simulate", *words]
    subprocess.run([*command, *run], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    script = ["perf", "script", "-i", str(record), "--show-mmap-events", "-F", "comm,ip,event"]
    mappings: list[tuple[int, int, int]] = []
    samples: Counter[int] = Counter()
    for line in subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines():
        if mapping := MAPPING.search(line):
            if mapping[4].endswith(LIBRARY.name):
                start, size, offset = (int(mapping[group], 16) for group in (1, 2, 3))
                mappings.append((start, size, offset))
        elif address := re.search(r"\s([0-9a-f]+)\s*$", line):
            for start, size, offset in mappings:
                if start <= (at := int(address[1], 16)) < start + size:
                    samples[at - start + offset] += 1
    return samples


def functions(samples: Counter[int]) -> tuple[Counter[str], Counter[str]]:
    """Return samples by the engine's innermost function, and by source line."""
    headers = subprocess.run(["readelf", "-lW", LIBRARY], capture_output=True, text=True, check=True).stdout
    segments = [(int(a, 16), int(b, 16), int(c, 16)) for a, b, c in SEGMENT.findall(headers)]
    virtual = {
        offset: offset - start + address
        for offset in samples
        for start, address, size in segments
        if start <= offset < start + size
    }
    asked = "\n".join(map(hex, virtual.values()))
    command = ["addr2line", "-a", "-i", "-f", "-C", "-e", str(LIBRARY)]
    told = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    frames: dict[int, list[str]] = {}
    for line in told.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            frame = frames.setdefault(int(line, 16), [])
        else:
            frame.append(line)
    own: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for offset, address in virtual.items():
        frame = frames[address]
        pairs = list(zip(frame[::2], frame[1::2], strict=False))
        name, place = next(((n, p) for n, p in pairs if "/engine/src/" in p), pairs[0])
        own[re.sub(r"::<.*?>", "", name)] += samples[offset]
        lines[re.sub(r" \(disc.*", "", place.rsplit("/src/", 1)[-1])] += samples[offset]
    return own, lines


def main(words: list[str]) -> int:
    if words[:1] == ["--simulate"]:
        simulate(words[1], words[2:])
        return 0
    if not words or words[0] in ("-h", "--help"):
        print(__doc__, file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    BUILD.mkdir(exist_ok=True)
    build()
    samples = sample([str(Path(words[0]).resolve()), *words[1:]])
    total = sum(samples.values())
    for counts in functions(samples):
        print()
        for name, count in counts.most_common(SHOWN):
            print(f"{100 * count / total:5.1f} %  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
