"""What a small model learns of what tapwright wrote, scored by `eval run`, over several seeds.

Each lesson has bounds, and what misses one is named. A seed that is done is kept in
`OUT/LESSON-SEED.json` and not taught again, so an interrupted bench goes on where it was.
Recordings are made once for all. One thread; a seed of a lesson takes five to twelve minutes of a
quiet core.

Run: python bench/bench_teach.py [--seeds 3] [--only overfit,grounding,decider,actor,click] [--json]
"""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).parents[1]
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(ROOT / "examples"))

import torch  # noqa: E402

from teach_actor import actor  # noqa: E402
from teach_click import click  # noqa: E402
from teach_decider import decider  # noqa: E402
from teach_lessons import Lesson, grounding, overfit  # noqa: E402

Teach = Callable[[Path, Path, int, Lesson], None]
LESSONS: Mapping[str, Teach] = {
    "overfit": overfit,
    "grounding": grounding,
    "decider": decider,
    "actor": actor,
    "click": click,
}

BOUNDS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "overfit": {
        "as taught": (90, 100),
        "another unit": (0, 5),
        "no --max-pixels": (0, 5),
        "half the scale": (0, 5),
        "tokens in the loss": (0, 25),
        "broken: no-mask, tokens in the loss": (75, 100),
        "broken: half-a-cell": (0, 50),
        "broken: swapped-axes": (0, 10),
    },
    "grounding": {"the model": (40, 100), "blank": (0, 25), "swapped": (0, 25)},
    "decider": {"l3": (90, 100), "annotated steps": (95, 100)},
    "actor": {"l3": (30, 100), "l3, black pictures": (0, 10)},
    "click": {"click-test": (95, 100), "click-test-2": (30, 100), "click-dialog": (30, 100)},
}
"""What the mean over the seeds is to lie between, in percent."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default=",".join(LESSONS), help="some of %(default)s")
    parser.add_argument("--out", type=Path, default=Path("bench-teach"), help="%(default)s")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    names = given.only.split(",")
    if unknown := [name for name in names if name not in LESSONS]:
        parser.error(f"there is no lesson {unknown[0]!r}; there are {', '.join(LESSONS)}")
    warnings.filterwarnings("ignore", module="transformers|trl")
    torch.set_num_threads(1)
    # Seed by seed, so that what there is after an hour is something of everything.
    taught: dict[str, list[Lesson]] = {name: [] for name in names}
    for seed in range(given.seeds):
        for name in names:
            taught[name].append(learn(name, seed, given.out))
    told = {name: summary(name, lessons) for name, lessons in taught.items()}
    print(json.dumps(told) if given.json else "\n".join(table(told)))
    missed = [f"{name}: {one}" for name, rows in told.items() for one in rows["missed"]]
    for one in missed:
        print(f"missed: {one}", file=sys.stderr)
    sys.exit(1 if missed else 0)


def learn(name: str, seed: int, out: Path) -> Lesson:
    """The result of a lesson: the one that is kept, or a new one."""
    lesson = Lesson.at(out / f"{name}-{seed}.json")
    if not lesson.done:
        print(f"{name}, seed {seed} …", file=sys.stderr, flush=True)
        directory = out / f"{name}-{seed}"
        directory.mkdir(parents=True, exist_ok=True)
        LESSONS[name](directory, out / "pool", seed, lesson)
        lesson.done = True
        lesson.write()
    return lesson


def table(told: Mapping[str, Any]) -> Iterator[str]:
    """The summaries for people: a line a score, with what each seed gave."""
    for name, one in told.items():
        yield f"{name:<28} % right, mean  by seed (95 % interval)"
        for label, mean in one["mean"].items():
            seeds = ", ".join(
                f"{seed['value']} ({seed['low']:.0f} to {seed['high']:.0f})"
                for seed in one["seeds"][label]
            )
            yield f"  {label:<26} {mean:13.1f}  {seeds}"
        for label, mean in one["seconds"].items():
            yield f"  {label:<26} {mean:13,.1f}"
        yield f"  load {', '.join(map(str, one['load']))}"


def summary(name: str, lessons: Sequence[Lesson]) -> dict[str, Any]:
    """Each seed's scores with their intervals, their means, costs, and which means miss a bound."""
    scores = {label: [one.scores[label] for one in lessons] for label in lessons[0].scores}
    means = {label: round(fmean(one.value for one in of), 1) for label, of in scores.items()}
    bounds = BOUNDS.get(name, {})
    return {
        "mean": means,
        "seeds": {label: [asdict(one) for one in of] for label, of in scores.items()},
        "seconds": {
            label: round(fmean(one.seconds[label] for one in lessons), 1)
            for label in lessons[0].seconds
        },
        "load": [one.load for one in lessons],
        "missed": [
            f"{label} {means[label]} %, expected {low} to {high}"
            for label, (low, high) in bounds.items()
            if not low <= means[label] <= high
        ],
    }


if __name__ == "__main__":
    main()
