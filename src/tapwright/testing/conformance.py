"""What any agent, benchmark and model client must do: the checks of `tapwright.testing`."""

from collections.abc import Sequence
from typing import get_args

from tapwright.agents.agent import Agent, AgentFactory
from tapwright.benchmarks.benchmark import Benchmark, S
from tapwright.benchmarks.checks import check_samples, check_score
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Step
from tapwright.core.messages import Message, Text
from tapwright.environment.environment import Environment
from tapwright.models.model import Completion, Model
from tapwright.testing.errors import ConformanceError

_CHECKED_STEPS = 20


async def check_agent(make: AgentFactory, environment: Environment) -> None:
    """Let an agent play twice with the same seed, until the end or for some steps.

    Raises:
        ConformanceError: it decides on no action, changes the history, or differs between plays.
    """
    task = environment.task
    plays = []
    for _ in range(2):
        agent = make(task, 0)
        must_have(agent, Agent)
        who = f"agent {agent.name}"
        plays.append(await _decisions(agent, environment, who))
    for number, (one, other) in enumerate(zip(*plays, strict=False), start=1):
        must(
            one == other,
            who,
            f"the same seed gives the same decisions; step {number} was {one!r}",
            other,
        )
    must(len(plays[0]) == len(plays[1]), who, "the same seed gives as many decisions")


async def _decisions(agent: Agent, environment: Environment, who: str) -> list[Decision]:
    observation, info = environment.reset(seed=0)
    instruction = info["instruction"]
    steps: list[Step] = []
    for _ in range(_CHECKED_STEPS):
        history = list(steps)
        decision = await agent.act(instruction, history, observation)
        must(isinstance(decision, Decision), who, "it decides on a `Decision`", decision)
        for action in decision.actions:
            must(isinstance(action, get_args(get_args(Action)[0])), who,
                  "its action is one of tapwright's", action)  # fmt: skip
        must(history == steps, who, "it leaves the history as it was")
        after, reward, terminated, truncated, info = environment.step(decision.actions)
        steps.append(Step(observation, decision, reward, info["instructions"]))
        if terminated or truncated:
            break
        observation = after
    return [step.decision for step in steps]


_ANSWERS = ("", "B", "(0.5, 0.5)", "I cannot find it.", '{"a": ' * 50, "\0\ud83d (1e999, -1)")
_SPACES = ("pixel", "fraction", "permille", "percent", "json")


def check_benchmark(benchmark: Benchmark[S]) -> None:
    """Check what every benchmark of samples promises, on its first twenty samples.

    Samples are the same each time and have ids of their own; a prompt has words, and ends with the
    user; a score is from 0 to 1, pure, has one of the statuses, and is given to any answer of a
    model, in any unit. A run is as strict.

    Raises:
        ConformanceError: it breaks a law; the message names which.
    """
    must_have(benchmark, Benchmark)
    try:
        check_samples(benchmark)
    except BadBenchmarkError as error:
        raise ConformanceError(str(error)) from error
    samples = list(benchmark.samples())
    if not samples:
        raise ConformanceError(f"{benchmark.name}: it has no samples")
    must(hasattr(samples[0], "id"), benchmark.name, "a sample is a `StaticSample`", samples[0])
    ids = [sample.id for sample in samples]
    if len(set(ids)) < len(ids):
        twice = next(id_ for id_ in ids if ids.count(id_) > 1)
        raise ConformanceError(f"{benchmark.name}: two samples have the id {twice!r}")
    if ids != [sample.id for sample in benchmark.samples()]:
        raise ConformanceError(f"{benchmark.name}: its samples come in another order each time")
    for sample in samples[:20]:
        _check_sample(benchmark, sample)


def _check_sample(benchmark: Benchmark[S], sample: S) -> None:
    where = f"{benchmark.name}, {sample.id}"
    prompt = benchmark.prompt(sample)
    must_be_messages(prompt, where)
    if not prompt or prompt[-1].role != "user" or not prompt[-1].text.strip():
        raise ConformanceError(f"{where}: the prompt does not end with the user's words")
    for answer in _ANSWERS:
        for space in _SPACES:
            try:
                score = check_score(benchmark.score(sample, answer, space=space), where)
            except BadBenchmarkError as error:
                raise ConformanceError(f"{error}; the answer was {answer[:40]!r}") from error
            if benchmark.score(sample, answer, space=space) != score:
                raise ConformanceError(f"{where}: {answer[:40]!r} scores differently each time")


async def check_model(model: Model) -> None:
    """Request a word from a model client, and close it.

    Raises:
        ConformanceError: what came back is not a completion, or it cannot be closed twice.
        ModelError: the request failed.
    """
    must_have(model, Model)
    who = f"model {model.name}"
    try:
        completion = await model.complete([Message("user", (Text("Say one word."),))])
        must(isinstance(completion, Completion), who, "it gives a `Completion`", completion)
        must(isinstance(completion.text, str), who, "the text is a string", completion.text)
        usage = completion.usage
        must(min(usage.input_tokens, usage.output_tokens) >= 0, who, "tokens are counted", usage)
        must(completion.latency_s >= 0, who, "the latency is a time", completion.latency_s)
        must(completion.attempts >= 1, who, "attempts count the one that succeeded", completion)
    finally:
        await model.close()
    await model.close()


def must_have(one: object, protocol: type) -> None:
    """Go on when a member has all that its family's protocol has; otherwise as `must`."""
    names = [name for name in dir(protocol) if not name.startswith("_")]
    names += [name for name in getattr(protocol, "__annotations__", {}) if name not in names]
    missing = [name for name in names if getattr(one, name, None) is None]
    law = f"it has what `{protocol.__name__}` has"
    must(not isinstance(one, type), repr(one), f"{law}, and is no class but one of it")
    must(not missing, repr(one), f"{law}; missing: {', '.join(missing)}")


def must_be_messages(prompt: object, who: str) -> None:
    """Go on when a prompt is a list of messages; otherwise as `must`."""
    is_list = isinstance(prompt, Sequence) and all(isinstance(one, Message) for one in prompt)
    must(is_list, who, "a prompt is a list of `Message`", prompt)


def must(kept: bool, who: str, law: str, found: object = None) -> None:
    """Go on when a law is kept.

    Raises:
        ConformanceError: it is not; names who broke it, and what was `found` instead.
    """
    if not kept:
        tail = "" if found is None else f"; found {found!r}"
        raise ConformanceError(f"{who}: {law}{tail}")
