"""Groups of plays for TRL's GRPO: the trainer is given what was played, in place of sampling.

`trl.GRPOTrainer(rollout_func=replay_rollouts(data), reward_funcs=reward_rollout, …)` learns from a
set of `sft export --to trl-rollouts`. What a `rollout_func` gives beside tokens goes to the reward
functions (https://github.com/huggingface/trl/blob/v1.16.0/trl/trainer/grpo_trainer.py). Played with
the weights that are trained now it is GRPO over whole episodes, each step with its own prompt and
picture; with older ones it is off the policy.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

from tapwright.errors import NothingFoundError, UsageError

__all__ = ["Replay", "replay_rollouts", "reward_rollout"]

Turns: TypeAlias = Sequence[Mapping[str, Any]]
Replay: TypeAlias = Callable[[Sequence[Turns], Any], dict[str, Any]]
"""TRL's `rollout_func`: prompts, and the trainer."""


def replay_rollouts(data: Iterable[Mapping[str, Any]]) -> Replay:
    """What gives TRL the answers of `data`, whose rows have prompt, images, answers and rewards.

    Let `num_generations` be the number of plays: then each group is whole. With fewer a prompt has
    its best and its worst answer in turn, as equal ones teach nothing, and the others when it is
    asked again; with more it has some twice. Prompts are known by their words and pixels.

    Raises:
        NothingFoundError: there is no row; or later, the trainer asks what `data` does not have.
        UsageError: later, the trainer has several processes: each would replay the first answers.
    """
    known: dict[bytes, list[tuple[str, float]]] = {}
    for row in data:
        given = zip(row["answers"], row["rewards"], strict=True)
        known.setdefault(_digest(row["prompt"], row["images"]), []).extend(given)
    if not known:
        raise NothingFoundError("the set has no rollouts", hint="sft export --to trl-rollouts")

    ordered = {key: _alternate(answers) for key, answers in known.items()}
    asked = Counter[bytes]()

    def replay(prompts: Sequence[Turns], trainer: Any) -> dict[str, Any]:
        if trainer.accelerator.num_processes > 1:
            raise UsageError(
                "rollouts are replayed in one process, and the trainer has "
                f"{trainer.accelerator.num_processes}",
                hint="train on one GPU; a larger batch by gradient_accumulation_steps",
            )
        processor = trainer.processing_class
        tokenizer = getattr(processor, "tokenizer", processor)
        completions: list[list[int]] = []
        rewards: list[float] = []
        for prompt in prompts:
            key = _digest(prompt, _images(prompt))
            if key not in ordered:
                raise NothingFoundError(
                    "the trainer asks a prompt that the replayed set does not have",
                    hint="give `train_dataset` and `replay_rollouts` the same set",
                )
            answer, reward = ordered[key][asked[key] % len(ordered[key])]
            asked[key] += 1
            ids = tokenizer(answer, add_special_tokens=False)["input_ids"]
            completions.append([*ids, tokenizer.eos_token_id])
            rewards.append(reward)
        tokens = processor.apply_chat_template(
            list(prompts), add_generation_prompt=True, tokenize=True, return_dict=True
        )
        return {
            "prompt_ids": tokens["input_ids"],
            "completion_ids": completions,
            "logprobs": None,  # nothing was sampled, and so nothing is corrected for it
            "reward": rewards,
        }

    return replay


def _alternate(answers: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The answer of the highest reward, that of the lowest, of the second highest, and so on."""
    falling = sorted(answers, key=lambda answer: -answer[1])
    half = (len(falling) + 1) // 2
    pairs = zip_longest(falling[:half], reversed(falling[half:]))
    return [answer for pair in pairs for answer in pair if answer is not None]


def reward_rollout(completions: Sequence[Any], reward: Sequence[float], **_: object) -> list[float]:
    """The rewards of the plays that were replayed, each in the units of its task's check."""
    return list(reward)


def _digest(prompt: Turns, images: Sequence[Any]) -> bytes:
    words = [
        (turn["role"], [part.get("text") or "" for part in turn["content"]]) for turn in prompt
    ]
    digest = hashlib.sha256(repr(words).encode())
    for image in images:
        digest.update(repr((image.size, image.mode)).encode() + image.tobytes())
    return digest.digest()


def _images(prompt: Turns) -> list[Any]:
    return [part["image"] for turn in prompt for part in turn["content"] if "image" in part]
