"""From a sample to what came back: build the prompt, preprocess it, let the answer be generated.

Every sample starts from the benchmark's own prompt, so that nothing leaks from one benchmark into
the next, as it does in https://github.com/open-compass/MMBench-GUI/tree/896ddf1. Pictures are sent
as the bytes that their files have, unless a plan scales them down.
"""

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

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
from tapwright.core.messages import Audio, Message, Part, Picture, Text
from tapwright.core.screenshot import Screenshot
from tapwright.evaluate import hooks
from tapwright.evaluate.errors import HookError
from tapwright.evaluate.hook_messages import api_messages, flat_messages, read_messages
from tapwright.evaluate.plan import BENCHMARK_DEFAULT, MODEL_DEFAULT, RunPlan
from tapwright.models.model import Completion, LocalModel, Model, complete_with

__all__ = ["AgentQueries", "ModelQueries", "ModelReply", "prompt_digest"]

S = TypeVar("S", bound=StaticSample)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What was sent, what came back, and the size of the picture if it was scaled.

    `postprocessed` tells that the user's own function made the text of what came back.
    """

    prompt: Sequence[Message]
    completion: Completion
    sent: tuple[int, int] | None = None
    postprocessed: bool = False


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
        self._build = hooks.load_hook("build", plan.build)
        self._preprocess = hooks.load_hook("preprocess", plan.preprocess)
        self._generate = hooks.load_hook("generate", plan.generate)
        handed = (plan.preprocess or plan.postprocess) and not plan.generate
        self._local = model if handed and isinstance(model, LocalModel) else None
        self._postprocess = hooks.load_hook("postprocess", plan.postprocess if self._local else "")
        self._named = {**plan.hook_kwargs, "dataset_name": hooks.dataset_name(benchmark.name)}

    def prompt(self, sample: S) -> list[Message]:
        """What the model is sent, but for the scaling of pictures.

        Of a local model it is what the user's own function is given that prepares the inputs.

        Raises:
            HookError: a function of the user's own failed, or returned no messages.
        """
        plan = self._plan
        messages = self._benchmark.prompt(sample)
        if self._build is not None:
            found = self._build.call(hooks.sample_line(sample), dataset=self._named["dataset_name"])
            messages = read_messages(self._build, found, _known_pictures(messages))
        else:
            messages = _replace_system(messages, plan.system)
            if plan.user_prompt:
                messages = _replace_text(messages, plan.fill_prompt(sample.instruction))
        if self._preprocess is not None and self._local is None:
            found = self._preprocess.call(flat_messages(messages), None, None, **self._named)
            messages = read_messages(self._preprocess, found, _known_pictures(messages))
        return messages

    async def ask(self, sample: S) -> ModelReply:
        """One answer.

        Raises:
            ModelError: the query failed.
            HookError: a function of the user's own failed.
        """
        if self._local is not None and self._generate is None:
            return await self._ask_local(self._local, sample)
        query, sent = await asyncio.to_thread(self._prepared, sample)
        if self._generate is None:
            completion = await complete_with(self._model, query.messages, query.settings)
            return ModelReply(query.messages, completion, sent)
        before = time.perf_counter()
        found = await self._generate.awaited(api_messages(query.messages))
        if not isinstance(found, str):
            raise self._generate.wrong(found, "text")
        completion = Completion(found, latency_s=time.perf_counter() - before)
        return ModelReply(query.messages, completion, sent)

    async def _ask_local(self, asked: LocalModel, sample: S) -> ModelReply:
        """One answer of a local model, which the user's own functions get with its processor."""
        prompt = await asyncio.to_thread(self.prompt, sample)
        sent: list[tuple[int, int] | None] = [None]

        def prepare(model: Any, processor: Any) -> Sequence[Message] | Mapping[str, Any]:
            messages, hook = prompt, self._preprocess
            if hook is not None:
                found = hook.call(flat_messages(prompt), model, processor, **self._named)
                if isinstance(found, Mapping):
                    return self._inputs(hook, found, sample)
                messages = read_messages(hook, found, _known_pictures(prompt))
            query, sent[0] = self._build_query(messages, sample)
            return query.messages

        hook = self._postprocess
        read = None if hook is None else partial(hooks.call_postprocess, hook, named=self._named)
        completion = await asked.complete_by(prepare, read)
        return ModelReply(prompt, completion, sent[0], postprocessed=hook is not None)

    def _inputs(
        self, hook: hooks.PipelineHook, found: Mapping[str, Any], sample: S
    ) -> Mapping[str, Any]:
        if self._largest(sample.size) != sample.size:
            raise HookError(
                f"{hook.stage} {hook.path}: it made the model's inputs, whose pictures "
                "--max-side and --max-pixels cannot scale",
                hint="scale them in the function",
            )
        return found

    def _prepared(self, sample: S) -> tuple[Query, tuple[int, int] | None]:
        return self._build_query(self.prompt(sample), sample)

    def _build_query(
        self, prompt: list[Message], sample: S
    ) -> tuple[Query, tuple[int, int] | None]:
        """The query, and the size of the sample's picture where it was scaled."""
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
                elif isinstance(part, Audio):
                    made.update(part.data)
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
