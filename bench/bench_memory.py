"""The largest memory of the commands that work through a whole store, for stores of several sizes.

Run: python bench/bench_memory.py [--episodes 2000,10000,40000] [--only pack,make] [--json]
Each command is a process of its own, and the memory that of the largest of its processes. A store
is made of hard links to the files of four episodes, as in bench_catalog; for `make` each step has a
picture and a tree of its own, as it looks at equal ones once.
"""

import argparse
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bench_catalog import Took, load, make_store, run
from tapwright.store.states import compress, decompress

IMPORTED_STEPS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", default="2000,10000,40000")
    parser.add_argument("--only", default=",".join(COMMANDS), help="some of %(default)s")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = []
    for count in map(int, given.episodes.split(",")):
        with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-memory-") as name:
            for command in given.only.split(","):
                took = measure(Path(name), command, count)
                rows.append({"command": command, "episodes": count, "MB": took.peak_mb,
                             "cpu_s": round(took.cpu_s, 1), "load": load()})  # fmt: skip
                if not given.json:
                    print("".join(f"{value:<16}" for value in rows[-1].values()), flush=True)
    if given.json:
        print(json.dumps(rows))


def measure(directory: Path, command: str, count: int) -> Took:
    """A command on a store of so many episodes, which is made when a command first needs it."""
    prepare, words = COMMANDS[command]
    source, out = prepare(directory, count), directory / "out"
    took = run(*(word.format(source=source, out=out) for word in words))
    shutil.rmtree(out, ignore_errors=True)  # `steps` only loads them
    return took


def linked_store(directory: Path, count: int) -> Path:
    """Every episode has the same few pictures."""
    root = directory / "linked" / "store"
    if not root.exists():
        make_store(root, count)
    return root


def distinct_store(directory: Path, count: int) -> Path:
    """Every step has a picture and a tree of its own."""
    root = directory / "distinct" / "store"
    if not root.exists():
        make_store(root, count)
        for home in root.iterdir():
            if (home / "steps.jsonl").exists():
                make_distinct(home)
    return root


def make_distinct(home: Path) -> None:
    """Give the pictures and trees of an episode contents of its own."""
    lines = (home / "steps.jsonl").read_bytes()
    for path in (*(home / "frames").iterdir(), *(home / "ui").iterdir()):
        if path.suffix == ".png":
            data = packed = path.read_bytes() + home.name.encode()  # behind the picture's end
        else:
            data = decompress(path.read_bytes(), str(path)).replace(
                b'text="', b'text="%s ' % home.name.encode()
            )
            packed = compress(data)
        old, _, kind = path.name.partition(".")
        new = hashlib.sha256(data).hexdigest()
        path.unlink()
        path.with_name(f"{new}.{kind}").write_bytes(packed)
        lines = lines.replace(old.encode(), new.encode())
    (home / "steps.jsonl").unlink()
    (home / "steps.jsonl").write_bytes(lines)


def foreign_file(directory: Path, count: int) -> Path:
    """AndroidControl's episodes as JSON lines, with one picture for all."""
    path = directory / "foreign" / "episodes.jsonl"
    if not path.exists():
        frame = next(linked_store(directory, count).glob("e0000000/frames/*.png"))
        path.parent.mkdir()
        shutil.copyfile(frame, path.parent / "screen.png")
        tap = {"action": "click", "coordinate": [50.0, 60.0]}
        step = {"action_content": tap, "screenshot": "screen.png", "step_instruction": "tap it"}
        with path.open("w") as file:
            for number in range(count):
                line = {"episode_id": number, "goal": "Do it", "steps": [step] * IMPORTED_STEPS}
                file.write(json.dumps(line) + "\n")
    return path


TAPWRIGHT = ("-m", "tapwright")
EXPORT = (*TAPWRIGHT, "sft", "export", "{source}", "--convention", "json", "-o", "{out}", "--to")
STEPWISE = "import sys; from tapwright.benchmarks.stepwise import QWEN; QWEN(sys.argv[1])"
COMMANDS: Mapping[str, tuple[Callable[[Path, int], Path], tuple[str, ...]]] = {
    "export": (linked_store, (*EXPORT, "llamafactory")),
    "export-trl": (linked_store, (*EXPORT, "trl")),
    "pack": (linked_store, (*TAPWRIGHT, "episodes", "pack", "{source}", "-o", "{out}")),
    "card": (linked_store, (*TAPWRIGHT, "episodes", "card", "{source}", "-o", "{out}/README.md")),
    "import": (foreign_file, (*TAPWRIGHT, "episodes", "import", "{source}", "-o", "{out}")),
    "make": (distinct_store, (*TAPWRIGHT, "eval", "make", "{source}", "-o", "{out}")),
    "steps": (linked_store, ("-c", STEPWISE, "{source}")),
}


if __name__ == "__main__":
    main()
