"""From a sample to what came back: build the prompt, preprocess it, let the answer be generated.

Every sample starts from the benchmark's own prompt, so that nothing leaks from one benchmark into
the next, as it does in https://github.com/open-compass/MMBench-GUI/tree/896ddf1. Pictures are sent
as the bytes that their files have, unless a plan scales them down.
"""

import asyncio
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from tapwright.agents.agent import Agent
from tapwright.agents.asking import Query, build_query, shrink_screenshot
from tapwright.benchmarks.benchmark import (
    Benchmark,
    ConventionBenchmark,
    DecisionBenchmark,
    StaticSample,
)
from tapwright.conventions import conventions
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.actions import Answer, DoubleTap, LongPress, Tap, TripleTap, describe
from tapwright.core.episode import Decision
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Part, Picture, Text
from tapwright.core.screenshot import Screenshot
from tapwright.evaluate.hooks import (
    api_messages,
    dataset_name,
    flat_messages,
    load_hook,
    read_flat,
    sample_line,
)
from tapwright.evaluate.plan import BENCHMARK_DEFAULT, MODEL_DEFAULT, RunPlan
from tapwright.models.model import Completion, Model, complete_with

__all__ = ["AgentQueries", "ModelQueries", "ModelReply", "prompt_digest"]

S = TypeVar("S", bound=StaticSample)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What was sent, what came back, and the size of the picture if it was scaled."""

    prompt: Sequence[Message]
    completion: Completion
    sent: tuple[int, int] | None = None


class ModelQueries(Generic[S]):
    """Asks a model about samples, in the way of a plan."""

    def __init__(self, benchmark: Benchmark[S], model: Model, plan: RunPlan) -> None:
        """Load the user's own functions.

        Raises:
            HookError: one cannot be loaded.
            UnknownNameError: there is no such convention as the plan names.
            UsageError: the convention cannot answer what the benchmark wants.
        """
        self._spoken = None
        if plan.convention:
            self._spoken = SpokenConvention.to(model.name, conventions.get(plan.convention))
            if isinstance(benchmark, ConventionBenchmark):
                benchmark = benchmark.in_convention(self._spoken.convention, model=model.name)
        self._benchmark = benchmark
        self._model = model
        self._plan = plan
        self._build = load_hook("build", plan.build)
        self._preprocess = load_hook("preprocess", plan.preprocess)
        self._generate = load_hook("generate", plan.generate)

    def prompt(self, sample: S) -> list[Message]:
        """What the model is sent, but for the scaling of pictures.

        Raises:
            HookError: a function of the user's own failed, or returned no messages.
        """
        plan = self._plan
        messages = self._benchmark.prompt(sample)
        dataset = dataset_name(self._benchmark.name)
        hooked = self._build is not None or self._preprocess is not None
        known = _known_pictures(messages) if hooked else {}
        if self._build is not None:
            found = self._build(sample_line(sample), dataset=dataset)
            messages = read_flat(self._build, found, known)
        else:
            messages = _replace_system(messages, plan.system)
            if plan.user_prompt:
                messages = _replace_text(messages, plan.fill_prompt(sample.instruction))
        if self._preprocess is not None:
            named = self._preprocess.taken({**plan.hook_kwargs, "dataset_name": dataset})
            found = self._preprocess(flat_messages(messages), None, None, **named)
            messages = read_flat(self._preprocess, found, known)
        return messages

    async def ask(self, sample: S) -> ModelReply:
        """One answer.

        Raises:
            ModelError: the query failed.
            HookError: a function of the user's own failed.
        """
        query, sent = await asyncio.to_thread(self._build_query, sample)
        if self._generate is None:
            completion = await complete_with(self._model, query.messages, query.settings)
            return ModelReply(query.messages, completion, sent)
        before = time.perf_counter()
        found = await self._generate.awaited(api_messages(query.messages))
        if not isinstance(found, str):
            raise self._generate.wrong(found, "text")
        completion = Completion(found, latency_s=time.perf_counter() - before)
        return ModelReply(query.messages, completion, sent)

    def _build_query(self, sample: S) -> tuple[Query, tuple[int, int] | None]:
        """The query, and the size of the sample's picture where it was scaled."""
        prompt = self.prompt(sample)
        size = self._largest(sample.size)
        shrunk = [self._shrink(one) for one in prompt] if size != sample.size else prompt
        query = build_query(self._model, shrunk, self._spoken, size)
        is_scaled = shrunk is not prompt or query.messages != prompt
        return query, _last_size(query.messages) if is_scaled else None

    def _largest(self, size: Size) -> Size:
        """The largest size in which the plan lets a picture of this size be sent."""
        return size.shrink(max_side=self._plan.max_side, max_pixels=self._plan.max_pixels)

    def _shrink(self, message: Message) -> Message:
        def shrink(part: Part) -> Part:
            if not isinstance(part, Picture):
                return part
            shot = part.screenshot
            return Picture(shrink_screenshot(shot, self._largest(shot.size)))

        return replace(message, parts=tuple(shrink(part) for part in message.parts))


class AgentQueries(Generic[S]):
    """Lets an agent decide on the screens of samples."""

    def __init__(self, benchmark: Benchmark[S], agent: Agent) -> None:
        self._benchmark = benchmark
        self._agent = agent

    def prompt(self, sample: S) -> list[Message]:
        """What a model would be sent; an agent gets its last words."""
        return self._benchmark.prompt(sample)

    async def ask(self, sample: S) -> ModelReply:
        """One decision, written as an answer."""
        prompt = await asyncio.to_thread(self.prompt, sample)
        before = time.perf_counter()
        if isinstance(self._benchmark, DecisionBenchmark):
            text = await self._benchmark.decide(sample, self._agent)
        else:
            text = _render_answer(await self._agent.act(prompt[-1].text, (), sample.observe()))
        return ModelReply(prompt, Completion(text, latency_s=time.perf_counter() - before))


def prompt_digest(prompt: Sequence[Message], *, pictures: bool) -> str:
    """The SHA-256 of a prompt's words, and of its pictures on request."""
    made = hashlib.sha256()
    for message in prompt:
        made.update(f"{message.role}\n{message.text}\n".encode("utf-8", "surrogatepass"))
        if pictures:
            for part in message.parts:
                if isinstance(part, Picture):
                    made.update(part.screenshot.sha256.encode())
    return made.hexdigest()


def _known_pictures(messages: Sequence[Message]) -> dict[str, Screenshot]:
    """The pictures of a prompt by their paths, as they stand and absolute."""
    known: dict[str, Screenshot] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, Picture):
                origin = part.screenshot.origin
                known |= dict.fromkeys((origin, str(Path(origin).absolute())), part.screenshot)
    return known


def _last_size(messages: Sequence[Message]) -> tuple[int, int] | None:
    """The size of the last picture, which is that of the sample."""
    for message in reversed(messages):
        for part in reversed(message.parts):
            if isinstance(part, Picture):
                return part.screenshot.size.width, part.screenshot.size.height
    return None


def _replace_system(messages: list[Message], system: str) -> list[Message]:
    # An empty text is no wish of one's own: the original takes it for the default, too.
    if system in ("", BENCHMARK_DEFAULT):
        return messages
    others = [message for message in messages if message.role != "system"]
    if system == MODEL_DEFAULT:
        return others
    return [Message("system", (Text(system),)), *others]


def _replace_text(messages: list[Message], words: str) -> list[Message]:
    """The messages with other words in the last of them; its pictures stay before the words."""
    *before, last = messages
    kept = tuple(part for part in last.parts if not isinstance(part, Text))
    return [*before, replace(last, parts=(*kept, Text(words)))]


def _render_answer(decision: Decision) -> str:
    match decision.first:
        case Answer(text=text):
            return text
        case Tap(at=at) | DoubleTap(at=at) | TripleTap(at=at) | LongPress(at=at):
            return f"({at.x:.6f}, {at.y:.6f})"
        case other:
            return describe(other)
