"""What a release stores, made once and kept, so that later versions can be shown to read it.

Run when a release is made, with its version: python -m tests.release.stored 0.1
"""

import hashlib
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import JsonValue, TypeAdapter

from tapwright.annotate.review import Review, current_reviews, read_review_log, write_review
from tapwright.core.actions import Action
from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation
from tapwright.evaluate.run_log import read_run
from tapwright.store.annotations import list_annotators, read_annotations
from tapwright.store.catalog import Catalog
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.conftest import painted

GOLDEN = Path(__file__).parents[1] / "golden"
PARTS = ("store", "own", "run", "packed", "team.jsonl")

_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


def make(root: Path) -> None:
    """Write what a user of this version may have on disk into the directory `root`."""
    store = EpisodeStore(root / "store")
    for one in painted():
        state: dict[str, JsonValue] = {"clock": "12:30", "mails": [f"Mail {n}" for n in range(40)]}
        steps = tuple(replace(step, state=state, reward=0.5) for step in one.steps)
        store.write(replace(one, steps=steps, outcome="success"))
    frame = store.read("a").steps[0].observation.screenshot.sha256
    _run(root, "annotate run store")
    review = Review(step=0, frame=frame, state="accept", who="ann")
    write_review(store.root / directory_name("a"), "rules", review)
    _run(root, "episodes edit store a rewardize:0:1.5")
    _run(root, "episodes tag store b --add checked")
    _run(root, "eval make store -o own")
    _run(root, "eval run l2 --data own -m tree -o run")
    _run(root, "episodes pack store -o packed")
    for words in ("team add ann --role admin", "team add ben", "team assign --suite phone-l3"):
        _run(root, f"{words} --team sqlite:///team.db")
    _run(root, "team backup team.jsonl --team sqlite:///team.db")
    (root / "expected.json").write_text(
        json.dumps(describe(root), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def describe(root: Path) -> JsonValue:
    """What is read from a directory that `make` wrote: nothing in it is changed."""
    store = EpisodeStore(root / "store")
    run = read_run(root / "run")
    return {
        "episodes": {
            id_: [
                _episode(store.read(id_, number + 1)) for number in range(store.open(id_).version)
            ]
            for id_ in store.ids()
        },
        "tags": {one.id: [*sorted(one.tags)] for one in Catalog(store).read()[0]},
        "annotations": {id_: _annotations(store.root / directory_name(id_)) for id_ in store.ids()},
        "run": [
            {"id": row.id, "score": row.score, "status": row.status, "answer": row.answer}
            for row in run.rows
        ],
    }


def _episode(episode: Episode) -> JsonValue:
    return {
        "task": episode.task_id,
        "instruction": episode.instruction,
        "outcome": episode.outcome,
        "final": None if episode.final is None else _observation(episode.final),
        "steps": [_step(step) for step in episode.steps],
    }


def _step(step: Step) -> JsonValue:
    return {
        "action": _ACTION.dump_python(step.decision.action, mode="json"),
        "reasoning": step.decision.reasoning,
        "target": step.decision.target,
        "reward": step.reward,
        "state": dict(step.state),
        "observation": _observation(step.observation),
    }


def _observation(seen: Observation) -> JsonValue:
    tree = seen.ui_tree.xml if seen.ui_tree is not None else ""
    return {
        "picture": hashlib.sha256(seen.screenshot.data).hexdigest(),
        "tree": hashlib.sha256(tree.encode()).hexdigest(),
        "app": seen.app,
        "size": [seen.size.width, seen.size.height],
        "orientation": seen.orientation,
        "time_s": seen.time_s,
    }


def _annotations(directory: Path) -> JsonValue:
    return {
        name: {
            "reasoning": [one.reasoning for one in read_annotations(directory, name)],
            "reviews": {
                str(step): review.state
                for step, review in current_reviews(read_review_log(directory, name)).items()
            },
        }
        for name in list_annotators(directory)
    }


def _run(root: Path, words: str) -> None:
    run = tapwright(*words.split(), cwd=root)
    assert run.returncode == 0, (words, run.stderr)


if __name__ == "__main__":
    out = GOLDEN / f"release_{sys.argv[1].replace('.', '_')}"
    with TemporaryDirectory() as name:
        make(Path(name))
        out.mkdir()
        for part in (*PARTS, "expected.json"):
            found = Path(name) / part
            if found.is_dir():
                shutil.copytree(found, out / part, ignore=shutil.ignore_patterns(".*"))
            else:
                shutil.copyfile(found, out / part)
