"""Learning from play, for TRL: pairs for DPO, labels for KTO, ground truths and groups for GRPO.

    trl-dpo       prompt, chosen, rejected, images: where plays of a task part, one won and one lost
    trl-kto       prompt, completion, label, images: every step, and whether its play won
    trl-grpo      prompt, images, ground_truth: for a reward function (`tapwright.formats.rewards`)
    trl-rollouts  prompt, images, answers, rewards, group: where plays of a group were rewarded
                  differently, for `tapwright.formats.rollouts`

The columns are those of
https://github.com/huggingface/trl/blob/f2cd57710/docs/source/dataset_formats.md. Whether a play won
is the outcome of its episode, as the task's check has judged it. Two steps have one prompt when
words and pictures of both are the same, byte for byte. The reward of an answer is what the task's
check gave from its step on: an event or a milestone counts where it happens, not only at the end.
An answer that no convention could read was recorded as a failure in other words, and is left out.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa
from pydantic import JsonValue

from tapwright.agents.model import UNREADABLE
from tapwright.core.actions import Finish
from tapwright.core.episode import GROUP
from tapwright.errors import NothingFoundError
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet, training_set
from tapwright.formats.exporters.ground_truth import render_ground_truth
from tapwright.formats.exporters.trl import TURN_LIST_TYPE, check_trl_turns
from tapwright.formats.exporters.turns import JsonObject, render_parts
from tapwright.formats.exporters.writers import SplitWriter
from tapwright.formats.temporary_storage import TemporaryStorage

Kind: TypeAlias = Literal["dpo", "kto", "grpo", "rollouts"]
_ANSWERS: dict[Kind, dict[str, pa.DataType]] = {
    "dpo": {"chosen": TURN_LIST_TYPE, "rejected": TURN_LIST_TYPE},
    "kto": {"completion": TURN_LIST_TYPE, "label": pa.bool_()},
    "grpo": {"ground_truth": pa.string()},
    "rollouts": {
        "answers": pa.list_(pa.string()),
        "rewards": pa.list_(pa.float64()),
        "group": pa.string(),
    },
}
_JUDGED = frozenset(("success", "failure", "truncated"))
_PLAYS = (
    "play each task several times, `tapwright eval run l3 -m MODEL --plan epochs=4`, and export "
    "its episodes with --outcome any"
)
_GROUPS = "play them in groups, `tapwright record --agent MODEL --set temperature=1 --plays 8`"


class TrlPlay:
    """Writes and checks what TRL learns from play."""

    writes_image_files = False
    learns_from_play = True
    takes_follow_ups = False

    def __init__(self, kind: Kind) -> None:
        self.name = f"trl-{kind}"
        self._kind: Kind = kind

    def writer(self, directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
        """Start a training set."""
        schema = pa.schema(
            {
                "prompt": TURN_LIST_TYPE,
                "images": parquet.IMAGE_LIST_TYPE,
                **_ANSWERS[self._kind],
                "task": pa.string(),
                "episode": pa.string(),
                "step": pa.int64(),
            }
        )
        sets = _Sets(directory, schema)
        if self._kind == "dpo":
            return _PairWriter(sets)
        if self._kind == "rollouts":
            return _RolloutWriter(sets)
        if self._kind == "kto":
            return _LabelWriter(sets)
        return _TruthWriter(sets, settings.convention.name)

    def check(self, directory: Path) -> int:
        """Check all shards; returns the number of rows.

        Each row's prompt and answers by the rules of `trl`; two answers that differ, a ground truth
        that is not empty, a reward for each answer of a group and not the same for all.
        """
        count = 0
        for where, row in parquet.read_parquet_rows(
            directory, ["prompt", "images", *_ANSWERS[self._kind]]
        ):
            for answer in self._answers(row):
                check_trl_turns(row["prompt"], answer, row["images"], where)
            if self._kind == "dpo" and row["chosen"] == row["rejected"]:
                raise BadTrainingSetError(f"{where}: the chosen answer is the rejected one")
            if self._kind == "grpo" and not row["ground_truth"]:
                raise BadTrainingSetError(f"{where}: has no ground truth for a reward")
            if self._kind == "rollouts":
                _check_rewards(row["answers"], row["rewards"], where)
            count += 1
        return count

    def _answers(self, row: dict[str, Any]) -> Iterator[Any]:
        if self._kind in ("grpo", "rollouts"):
            yield _turn("?")
        for name, kind in _ANSWERS[self._kind].items():
            if kind == TURN_LIST_TYPE:
                yield row[name]


TRL_DPO = TrlPlay("dpo")
TRL_KTO = TrlPlay("kto")
TRL_GRPO = TrlPlay("grpo")
TRL_ROLLOUTS = TrlPlay("rollouts")


def _check_rewards(answers: Sequence[str], rewards: Sequence[float], where: str) -> None:
    if len(answers) != len(rewards):
        raise BadTrainingSetError(f"{where}: {len(answers)} answers, and {len(rewards)} rewards")
    if len(set(rewards)) < 2:
        raise BadTrainingSetError(f"{where}: one reward for all answers teaches nothing")


class _Sets:
    """The shards of a set, with the columns that all three kinds have."""

    def __init__(self, directory: Path, schema: pa.Schema) -> None:
        self._directory = directory
        self._sets = SplitWriter(
            lambda split: parquet.ParquetShardWriter(directory / "data" / split, schema)
        )

    def add(
        self, split: training_set.Split, row: JsonObject, images: Sequence[bytes], **answers: object
    ) -> None:
        """Write one row; `row` is that of `_row`."""
        structs = [{"bytes": data, "path": None} for data in images]
        self._sets.add(split, {**row, "images": structs, **answers})

    def close(self) -> None:
        """Close the shards, and write the card."""
        self._sets.close()
        parquet.write_dataset_card(self._directory, self._sets.writers)


class _TruthWriter:
    def __init__(self, sets: _Sets, convention: str) -> None:
        self._sets = sets
        self._convention = convention

    def add(self, sample: training_set.TrainingSample) -> None:
        outcome = sample.episode.outcome
        if outcome != "success":
            raise training_set.UnusableStepError(
                f"its play has the outcome {outcome!r}, and only what a won play did is a ground "
                "truth"
            )
        truth = render_ground_truth(sample, self._convention)
        self._sets.add(sample.split, _row(sample), _pictures(sample), ground_truth=truth)

    def close(self) -> None:
        self._sets.close()


class _LabelWriter:
    def __init__(self, sets: _Sets) -> None:
        self._sets = sets
        self._labels = set[bool]()

    def add(self, sample: training_set.TrainingSample) -> None:
        label = _has_won(sample)
        answers = {"completion": _turn(sample.answer), "label": label}
        self._sets.add(sample.split, _row(sample), _pictures(sample), **answers)
        self._labels.add(label)

    def close(self) -> None:
        if len(self._labels) == 1:
            what = "won" if True in self._labels else "lost"
            raise NothingFoundError(f"every play {what}: KTO learns from both", hint=_PLAYS)
        self._sets.close()


@dataclass(slots=True)
class _Asked:
    """What was answered to one prompt in several plays, and what each answer is worth."""

    split: training_set.Split
    row: Callable[[], bytes]
    images: Sequence[Callable[[], bytes]]
    group: str
    answers: list[tuple[str, float]] = field(default_factory=list)
    steps: list[tuple[str, int]] = field(default_factory=list)
    is_written: bool = False

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each answer that only won with each that only lost."""
        won = {answer for answer, worth in self.answers if worth}
        lost = {answer for answer, worth in self.answers if not worth}
        for chosen in won - lost:
            for rejected in lost - won:
                yield chosen, rejected


class _Prompts:
    """The prompts of many plays, each once; they wait on the disk until all answers are known."""

    def __init__(self, sets: _Sets) -> None:
        self._sets = sets
        self._storage = TemporaryStorage()
        self._asked: dict[tuple[training_set.Split, bytes], _Asked] = {}
        self._images: dict[str, Callable[[], bytes]] = {}

    def __iter__(self) -> Iterator[_Asked]:
        return iter(self._asked.values())

    def add(self, sample: training_set.TrainingSample, worth: float, group: str = "") -> None:
        """Note an answer to a prompt; those of two groups are two."""
        row = _row(sample)
        digest = hashlib.sha256(repr((group, row["prompt"])).encode())
        for picture in sample.pictures:
            digest.update(picture.sha256.encode())
            if picture.sha256 not in self._images:
                self._images[picture.sha256] = self._storage.add(picture.data)
        key = sample.split, digest.digest()
        if key not in self._asked:
            stored = self._storage.add(json.dumps(row).encode())
            images = [self._images[picture.sha256] for picture in sample.pictures]
            self._asked[key] = _Asked(sample.split, stored, images, group)
        self._asked[key].answers.append((sample.answer, worth))
        self._asked[key].steps.append((sample.episode.id, sample.number))

    def write(self, asked: _Asked, **answers: object) -> None:
        """Write one row."""
        asked.is_written = True
        images = [read() for read in asked.images]
        self._sets.add(asked.split, json.loads(asked.row()), images, **answers)

    def close(self, why: str, hint: str) -> list[training_set.DroppedStep]:
        """Close the set; the steps whose prompts have no row, and `why`.

        Raises:
            NothingFoundError: none has a row.
        """
        unused = [one for one in self if not one.is_written]
        if len(unused) == len(self._asked):
            raise NothingFoundError(why, hint=hint)
        self._sets.close()
        return [training_set.DroppedStep(*step, why) for one in unused for step in one.steps]


class _PairWriter:
    def __init__(self, sets: _Sets) -> None:
        self._prompts = _Prompts(sets)

    def add(self, sample: training_set.TrainingSample) -> None:
        self._prompts.add(sample, float(_has_won(sample)))

    def close(self) -> list[training_set.DroppedStep]:
        for asked in self._prompts:
            for chosen, rejected in sorted(asked.pairs()):
                self._prompts.write(asked, chosen=_turn(chosen), rejected=_turn(rejected))
        return self._prompts.close("no two plays part at one prompt, one won and one lost", _PLAYS)


class _RolloutWriter:
    def __init__(self, sets: _Sets) -> None:
        self._prompts = _Prompts(sets)

    def add(self, sample: training_set.TrainingSample) -> None:
        episode = sample.episode
        group = episode.extra.get(GROUP, "")
        if not group:
            raise training_set.UnusableStepError("its play is none of a group")
        _has_won(sample)  # was judged
        later = sum(step.reward for step in episode.steps[sample.number :])
        self._prompts.add(sample, later, f"{group} {episode.agent}")

    def close(self) -> list[training_set.DroppedStep]:
        for asked in self._prompts:
            answers, rewards = zip(*asked.answers, strict=True)
            if len(set(rewards)) > 1:
                self._prompts.write(asked, answers=answers, rewards=rewards, group=asked.group)
        why = "no two plays of a group answered one prompt and were rewarded differently"
        return self._prompts.close(why, _GROUPS)


def _has_won(sample: training_set.TrainingSample) -> bool:
    action = sample.step.decision.alone
    if isinstance(action, Finish) and action.reason.startswith(UNREADABLE):
        raise training_set.UnusableStepError("its answer could not be read, and was not recorded")
    outcome = sample.episode.outcome
    if outcome not in _JUDGED:
        raise training_set.UnusableStepError(
            f"its play has the outcome {outcome!r}, neither won nor lost"
        )
    return outcome == "success"


def _turn(answer: str) -> list[JsonObject]:
    return [{"role": "assistant", "content": [{"type": "text", "text": answer}]}]


def _row(sample: training_set.TrainingSample) -> JsonObject:
    prompt: list[JsonValue] = [
        {"role": one.role, "content": [*render_parts(one)]} for one in sample.prompt
    ]
    return {
        "prompt": prompt,
        "task": sample.episode.task_id,
        "episode": sample.episode.id,
        "step": sample.number,
    }


def _pictures(sample: training_set.TrainingSample) -> list[bytes]:
    return [picture.data for picture in sample.pictures]
