"""Joins samples about one picture into conversations, as LLaVA's instruction data are.

All questions and answers about one training picture are merged there
(https://arxiv.org/abs/2310.03744): a trainer then encodes the picture once for all of them.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from tapwright.core.messages import Message, Picture
from tapwright.formats.exporters.training_set import DroppedStep, FollowUp, TrainingSample

__all__ = ["join_follow_ups"]


def join_follow_ups(
    found: Iterable[TrainingSample | DroppedStep], most: int, seed: int
) -> Iterator[TrainingSample | DroppedStep]:
    """Yields samples of up to `most` questions about one picture, each episode's after its drops.

    Samples are joined if they are of one episode and weight, show one picture, the same, and
    differ in their last turn alone. Which of them come together, and in which order, is chance by
    the `seed`. Two with the same answer are in different conversations, as the second could be
    copied from the first.
    """
    for id_, entries in groupby(found, key=_episode):
        samples: list[TrainingSample] = []
        for one in entries:
            if isinstance(one, DroppedStep):
                yield one
            else:
                samples.append(one)
        random.Random(f"{seed}\n{id_}").shuffle(samples)
        for conversation in _deal(samples, most):
            yield _join(conversation)


def _episode(entry: TrainingSample | DroppedStep) -> str:
    return entry.episode if isinstance(entry, DroppedStep) else entry.episode.id


def _deal(samples: Iterable[TrainingSample], most: int) -> list[list[TrainingSample]]:
    """Each sample goes to the first conversation that has room for it."""
    conversations: list[list[TrainingSample]] = []
    for one in samples:
        for talk in conversations:
            if len(talk) < most and all(_may_follow(one, earlier) for earlier in talk):
                talk.append(one)
                break
        else:
            conversations.append([one])
    return conversations


def _may_follow(one: TrainingSample, earlier: TrainingSample) -> bool:
    return (
        one.answer != earlier.answer
        and one.weights == earlier.weights
        and len(one.pictures) == 1
        and one.pictures == earlier.pictures
        and one.prompt[:-1] == earlier.prompt[:-1]
        and one.prompt[-1].role == earlier.prompt[-1].role == "user"
    )


def _join(conversation: list[TrainingSample]) -> TrainingSample:
    first, *others = conversation
    return replace(
        first, follow_ups=tuple(FollowUp(one.number, _ask(one), one.answer) for one in others)
    )


def _ask(sample: TrainingSample) -> Message:
    """The last turn of a prompt without the picture, which the conversation has already."""
    asked = sample.prompt[-1]
    return replace(
        asked, parts=tuple(part for part in asked.parts if not isinstance(part, Picture))
    )
