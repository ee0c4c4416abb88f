"""Reads hostile inputs in this process, under its limits, and prints what went wrong.

    python -m tests.hostile.campaign SEED --count 50 --part 0/2
    python -m tests.hostile.campaign SEED --seconds 600       as `make fuzz` does
    python -m tests.hostile.campaign SEED --case "pack 17"    one input again

Each misdeed is one line of JSON on stdout; the inputs read so far stand in the last line.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from itertools import count
from pathlib import Path
from typing import TextIO

from tapwright.files.temporary import owned_directory
from tests.hostile import guard
from tests.hostile.damage import damage, replace_file
from tests.hostile.readers import READERS, choose_file

_HANGING_S = 120
# In memory where there is some, as importers wait for the disk after every episode.
_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main() -> int:
    """Run the campaign; 1 when something went wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=0, help="inputs of each reader")
    parser.add_argument("--part", default="0/1", help="which readers: the n-th of m shares")
    parser.add_argument("--seconds", type=float, default=0.0, help="go on for so long")
    parser.add_argument("--case", default="", help="a reader and a number")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    share, shares = map(int, given.part.split("/"))
    names = list(READERS)[share::shares]
    bad = done = 0
    tempfile.tempdir = _MEMORY
    with owned_directory("hostile-") as root:
        tempfile.tempdir = str(root)  # what importers unpack to is inside, too
        for name in READERS if given.case else names:
            (root / "good" / name).mkdir(parents=True)
            READERS[name].build(root / "good" / name)
        guard.start()
        for case in _cases(names, given):
            _say(case, sys.stderr)
            signal.setitimer(signal.ITIMER_REAL, _HANGING_S)  # whose signal ends this process
            misdeed = _try(case, given.seed, root)
            done += 1
            if misdeed is not None:
                bad += 1
                _say(json.dumps(asdict(misdeed)))
        signal.setitimer(signal.ITIMER_REAL, 0)
    _say(json.dumps({"inputs": done, "bad": bad}))
    return 1 if bad else 0


def _say(line: str, stream: TextIO = sys.stdout) -> None:
    stream.write(f"{line}\n")
    stream.flush()


def _cases(names: list[str], given: argparse.Namespace) -> Iterator[str]:
    if given.case:
        yield given.case
        return
    end = time.monotonic() + given.seconds
    for number in count() if given.seconds else range(given.count):
        for name in names:
            if given.seconds and time.monotonic() > end:
                return
            yield f"{name} {number}"


def _try(case: str, seed: str, root: Path) -> guard.Misdeed | None:
    name = case.rpartition(" ")[0]
    chance = random.Random(f"{seed} {case}")
    where, out = root / "case", root / "case-out"
    shutil.copytree(root / "good" / name, where)
    try:
        for _ in range(chance.choice((1, 1, 2))):
            file = choose_file(where, READERS[name], chance)
            if chance.random() < 0.04:
                replace_file(file, chance)
                break
            file.write_bytes(damage(file.read_bytes(), chance))
        return guard.run(f"{seed} {case}", root, partial(READERS[name].read, where, out))
    finally:
        shutil.rmtree(where, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
