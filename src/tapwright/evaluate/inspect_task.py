"""A benchmark as a task of inspect_ai, for those who run their evaluations there.

    from tapwright.evaluate.inspect_task import inspect_task   # pip install 'tapwright[inspect]'
    inspect_ai.eval(inspect_task(Grounding.load("bench"), space="permille"), model="openai/gpt-4o")

Follows https://inspect.aisi.org.uk/ (0.3): a sample holds the benchmark's own messages, with
pictures as data URLs of their files' bytes, and the score is the benchmark's own.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from tapwright.benchmarks.benchmark import Benchmark, StaticSample
from tapwright.core.messages import Message, Picture, Text
from tapwright.errors import MissingExtraError
from tapwright.evaluate.hook_messages import data_url

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

__all__ = ["inspect_task"]

S = TypeVar("S", bound=StaticSample)


def inspect_task(
    benchmark: Benchmark[S], *, space: str = "pixel", limit: int | None = None
) -> "Task":
    """The task with the first `limit` samples of a benchmark.

    `space` is the unit of the places in answers, or a convention's name. An answer that cannot be
    read is wrong, and its score's metadata has the status.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    try:
        from inspect_ai import Task
        from inspect_ai.dataset import MemoryDataset
        from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
        from inspect_ai.solver import TaskState, generate
    except ModuleNotFoundError as error:
        raise MissingExtraError("a task of inspect_ai", "inspect") from error

    known = {sample.id: sample for sample in benchmark.samples()[:limit]}

    def by_benchmark() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            answer = state.output.completion
            found = benchmark.score(known[str(state.sample_id)], answer, space=space)
            metadata: dict[str, Any] = {"status": found.status, **found.detail}
            return Score(value=found.value or 0.0, answer=str(found.parsed), metadata=metadata)

        return score

    registered = scorer(metrics=[accuracy(), stderr()], name=f"tapwright_{benchmark.name}")
    return Task(
        dataset=MemoryDataset(list(_samples(benchmark, known)), name=benchmark.name),
        solver=generate(),
        scorer=registered(by_benchmark)(),
        name=f"tapwright_{benchmark.name}",
    )


def _samples(benchmark: Benchmark[S], known: dict[str, S]) -> "Iterator[Sample]":
    from inspect_ai.dataset import Sample

    for sample in known.values():
        yield Sample(
            id=sample.id,
            input=[_chat(message) for message in benchmark.prompt(sample)],
            target=str(sample.truth),
            metadata=dict(sample.labels),
        )


def _chat(message: Message) -> Any:
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        Content,
        ContentImage,
        ContentText,
    )

    if message.role == "system":
        return ChatMessageSystem(content=message.text)
    parts: list[Content] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                parts.append(ContentText(text=text))
            case Picture(screenshot=shot):
                parts.append(ContentImage(image=data_url(shot)))
    return ChatMessageUser(content=parts)
