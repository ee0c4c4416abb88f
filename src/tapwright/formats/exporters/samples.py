"""Makes samples of steps, once for every trainer: what is asked, what is answered, which picture.

Recorded words never stand for anything else: `<image>`, other media marks and a model's control
tokens such as `<|im_end|>` are escaped in what was asked, thought and seen. An action whose own
words hold one is left out, as it would teach another action than the one that was made.
"""

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tapwright.actions import (
    Action,
    ActionAdapter,
    Answer,
    Finish,
    Hotkey,
    OpenApp,
    TypeText,
)
from tapwright.conventions.convention import Convention
from tapwright.episode import Decision, Episode, Step
from tapwright.errors import (
    BadAnswerError,
    TapwrightError,
    UngroundedAnswerError,
    UnsupportedByConventionError,
)
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.training_set import (
    DroppedStep,
    SftSettings,
    Split,
    TrainingSample,
    UnusableStepError,
)
from tapwright.formats.exporters.weights import find_weights
from tapwright.geometry import Size
from tapwright.messages import Message, Picture, Text
from tapwright.screenshot import Screenshot
from tapwright.tasks.errors import BadPatternError

__all__ = ["NO_REASONING", "TrainingEpisode", "make_samples"]

NO_REASONING = "nobody gave it a reason"
"""Why a step is left out whose decision has no reasoning."""

_MARK = re.compile(r"<((?:image|video|audio|bbox|ref-object|cot-process)|\|[^|<>\n]{1,40}\|)>")
_PROMPT_MARKS = ("<image>", "<video>", "<audio>")


@dataclass(frozen=True, slots=True)
class TrainingEpisode:
    """An episode that is to be taught, read when its turn comes.

    `read` also says which of its steps are left out on purpose, with the reason for each.
    """

    id: str
    task_id: str
    read: Callable[[], tuple[Episode, Mapping[int, str]]]

    @classmethod
    def from_episode(cls, episode: Episode) -> "TrainingEpisode":
        """An episode that is in memory, with nothing left out."""
        return cls(episode.id, episode.task_id, lambda: (episode, {}))


@dataclass(slots=True)
class _EpisodeState:
    """A lesson under way; `steps` are those that are done, as later ones are told of them."""

    episode: Episode
    left_out: Mapping[int, str]
    split: Split
    finds_only: bool
    steps: list[Step] = field(default_factory=list)


_PendingStep: TypeAlias = tuple[_EpisodeState, int, Callable[[], Screenshot]]


def make_samples(
    lessons: Iterable[TrainingEpisode],
    held_out: frozenset[str],
    pictures: PictureEncoder,
    settings: SftSettings,
) -> Iterator[TrainingSample | DroppedStep]:
    """The samples of lessons, in order, and what cannot be one.

    An episode that cannot be read is told once and hides no other.

    Raises:
        TapwrightError: one that is `fatal`, such as a full disk.
    """
    waiting: deque[DroppedStep | _PendingStep] = deque()
    for entry in _pending_steps(lessons, held_out, pictures, settings):
        waiting.append(entry)
        if len(waiting) > pictures.ahead:
            yield _make_sample(waiting.popleft(), pictures, settings)
    while waiting:
        yield _make_sample(waiting.popleft(), pictures, settings)


def _pending_steps(
    lessons: Iterable[TrainingEpisode],
    held_out: frozenset[str],
    pictures: PictureEncoder,
    settings: SftSettings,
) -> Iterator[DroppedStep | _PendingStep]:
    finds_only = _is_grounding_only(settings.convention)
    for lesson in lessons:
        try:
            episode, left_out = lesson.read()
        except TapwrightError as error:
            if error.fatal:
                raise
            yield DroppedStep(lesson.id, None, str(error), error.code)
            continue
        split: Split = "val" if lesson.id in held_out else "train"
        class_ = _EpisodeState(episode, left_out, split, finds_only)
        for number, step in enumerate(episode.steps):
            yield class_, number, _request_picture(step, left_out.get(number), pictures)


def _request_picture(
    step: Step, left_out: str | None, pictures: PictureEncoder
) -> Callable[[], Screenshot]:
    reason = left_out
    if reason is None and not step.decision.reasoning.strip():
        reason = NO_REASONING
    if reason is None:
        return pictures.ask(step.observation.screenshot)

    def refuse() -> Screenshot:
        raise UnusableStepError(reason)

    return refuse


def _make_sample(
    entry: DroppedStep | _PendingStep, pictures: PictureEncoder, settings: SftSettings
) -> TrainingSample | DroppedStep:
    if isinstance(entry, DroppedStep):
        return entry
    class_, number, wait = entry
    recorded = class_.episode.steps[number]
    step: Step | None = None
    try:
        picture = wait()
        step = _escape_step(recorded, picture.size)
        return _build_sample(class_, number, step, picture, pictures, settings)
    except UnusableStepError as error:
        return DroppedStep(class_.episode.id, number, str(error), error.code)
    finally:
        class_.steps.append(
            step or _escape_step(recorded, pictures.taught_size(recorded.observation.size))
        )


def _build_sample(
    class_: _EpisodeState,
    number: int,
    step: Step,
    picture: Screenshot,
    pictures: PictureEncoder,
    settings: SftSettings,
) -> TrainingSample:
    episode = class_.episode
    if step.decision.action != episode.steps[number].decision.action:
        raise UnusableStepError("its action's words hold a mark that models and trainers read")
    spoken = _escape(_choose_instruction(episode, number, settings))
    weights = _find_step_weights(spoken, step, settings) if class_.split == "train" else {}
    before = tuple(class_.steps)
    history = settings.history
    asked, told = history.asked(spoken, before), tuple(history.told(before))
    if class_.finds_only:
        asked, told = step.decision.target, ()
        if not asked.strip():
            raise UnusableStepError("nobody has said which element it is on")
        messages = settings.convention.prompt(asked, told, step.observation)
    else:
        messages = history.prompt(settings.convention, spoken, before, step.observation)
    prompt = tuple(_encode_message(message, pictures) for message in messages)
    answer = _render_answer(step, settings.convention)
    _check_texts(prompt, answer)
    return TrainingSample(
        split=class_.split,
        episode=episode,
        number=number,
        step=step,
        before=before,
        picture=picture,
        instruction=spoken,
        asked=asked,
        told=told,
        prompt=prompt,
        answer=answer,
        weights=weights,
    )


def _escape_step(step: Step, size: Size) -> Step:
    """The step with words that stand for nothing else, as seen on a picture of `size`."""
    seen, decision = step.observation, step.decision
    if seen.size != size or "<" in seen.app:
        seen = replace(seen, size=size, app=_escape(seen.app))
    words = (decision.reasoning, decision.target, *_free_texts(decision.action))
    if any("<" in text for text in words):
        decision = Decision(
            _escape_action(decision.action), _escape(decision.reasoning), _escape(decision.target)
        )
    told = step.instructions
    if told:
        told = tuple(_escape(words) for words in told)
    if seen is step.observation and decision is step.decision and told == step.instructions:
        return step
    return replace(step, observation=seen, decision=decision, instructions=told)


def _free_texts(action: Action) -> tuple[str, ...]:
    """What in an action are recorded or written words, and not one of our own."""
    match action:
        case TypeText(text=text) | Answer(text=text) | OpenApp(app=text) | Finish(reason=text):
            return (text,)
        case Hotkey(keys=keys):
            return keys
    return ()


def _escape_action(action: Action) -> Action:
    words = {
        name: [_escape(one) for one in value] if isinstance(value, list) else _escape(value)
        for name, value in action.model_dump(mode="json").items()
        if isinstance(value, str) or name == "keys"
    }
    return ActionAdapter.validate_python({**dict(action), **words})


def _escape(text: str) -> str:
    return _MARK.sub(r"&lt;\1&gt;", text) if "<" in text else text


def _choose_instruction(episode: Episode, number: int, settings: SftSettings) -> str:
    own = episode.instruction
    others = settings.paraphrases.get(episode.task_id) or settings.paraphrases.get(own)
    if not others:
        return own
    name = f"{settings.seed}\n{number}\n{episode.id}"
    chance = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    texts = (own, *others)
    return texts[int.from_bytes(chance[:8], "big") % len(texts)]


def _find_step_weights(instruction: str, step: Step, settings: SftSettings) -> Mapping[str, float]:
    if not settings.weights:
        return {}
    action = step.decision.action
    fields = {
        "instruction": instruction,
        "reasoning": step.decision.reasoning,
        "target": step.decision.target,
        "app": step.observation.app,
        **{f"action.{name}": str(value) for name, value in dict(action).items()},
    }
    try:
        found = find_weights(fields, settings.weights)
    except BadPatternError as error:
        raise UnusableStepError(str(error), error.code) from error
    if found and not any(found.values()):
        raise UnusableStepError("its weight is 0")
    return found


def _encode_message(message: Message, pictures: PictureEncoder) -> Message:
    if not any(isinstance(part, Picture) for part in message.parts):
        return message
    parts = tuple(
        Picture(pictures.ask(part.screenshot)()) if isinstance(part, Picture) else part
        for part in message.parts
    )
    return Message(message.role, parts)


def _is_grounding_only(convention: Convention) -> bool:
    """Whether a model only says where an element is: it is asked for that, and not for a task."""
    for action in (Finish(), TypeText(text="a")):
        try:
            convention.render(Decision(action, "a", "a"), Size(1000, 1000))
        except UnsupportedByConventionError:
            continue
        return False
    return True


def _render_answer(step: Step, convention: Convention) -> str:
    decision, size = step.decision, step.observation.size
    try:
        answer = convention.render(decision, size)
        read = convention.parse(answer, size)
    except UnsupportedByConventionError as error:
        raise UnusableStepError(f"its action cannot be said: {error}") from error
    except UngroundedAnswerError:
        return answer  # read as it was said: this family leaves the place to a grounder
    except BadAnswerError as error:
        raise UnusableStepError(f"{convention.name} cannot read it back: {error}") from error
    if read.action.type != decision.action.type:
        raise UnusableStepError(f"{convention.name} reads it back as {read.action.type}")
    return answer


def _check_texts(prompt: tuple[Message, ...], answer: str) -> None:
    words = [answer]
    words += [part.text for one in prompt for part in one.parts if isinstance(part, Text)]
    for text in words:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UnusableStepError(
                "its words hold half an emoji, which no file of text can"
            ) from error
        for mark in _PROMPT_MARKS:
            if mark in text:
                raise UnusableStepError(f"its words hold {mark!r}, which stands for something else")
