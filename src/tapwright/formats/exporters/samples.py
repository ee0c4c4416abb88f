"""Makes the training samples of steps, for every trainer: prompt, answer and pictures.

Recorded text is never read as markup: `<image>`, other media marks and a model's control tokens
such as `<|im_end|>` are escaped in instruction, reasoning and app. A step whose action itself holds
such a mark is left out, as the escaped action would not be the recorded one.
"""

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from tapwright import errors
from tapwright.conventions.convention import Convention, ScreenKind
from tapwright.conventions.family import Family
from tapwright.conventions.grounding import BoxConvention, grounding_messages, has_empty_box
from tapwright.conventions.pyautogui import fold_gestures
from tapwright.conventions.screens import kind_of_actions, kind_of_episode, screen_kind
from tapwright.conventions.sent_pictures import is_earlier
from tapwright.core import actions
from tapwright.core.actions import Action, ActionAdapter
from tapwright.core.episode import GROUP, Decision, Episode, Step
from tapwright.core.fit import UNLABELLED, may_be_unseen, why_unfit, why_untaught
from tapwright.core.geometry import Size
from tapwright.core.keys import find_key
from tapwright.core.messages import Message, Part, Picture, Text
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.formats.exporters import training_set
from tapwright.formats.exporters.follow_ups import join_follow_ups
from tapwright.formats.exporters.ground_truth import find_target_box
from tapwright.formats.exporters.pictures import EncodedPicture, PictureEncoder
from tapwright.formats.exporters.weights import find_weights
from tapwright.tasks.errors import BadPatternError

__all__ = ["OTHER_SCREEN", "TrainingEpisode", "is_grounding_only", "make_samples"]

OTHER_SCREEN = "is for another screen"
_NO_INSTRUCTION = "step has no instruction of its own"
_NO_BOX = "no box of its target was recorded, and {} answers with one"

_MARK = re.compile(r"<((?:image|video|audio|bbox|ref-object|cot-process)|\|[^|<>\n]{1,40}\|)>")
_THOUGHT = "a thought that stands nowhere else"
_PROMPT_MARKS = ("<image>", "<video>", "<audio>")
_COARSEST = 0.01
_EXACT = ("text", "app", "key", "keys", "held", "button", "outcome", "tab")


@dataclass(frozen=True, slots=True)
class TrainingEpisode:
    """An episode to make samples of, read when its turn comes.

    `read` also returns the steps that are left out on purpose, by number, with the reason for each.
    Plays of one `group` are all in training or all in validation. `is_claimed` tells that its
    outcome is a claim.
    """

    id: str
    task_id: str
    read: Callable[[], tuple[Episode, Mapping[int, str]]]
    group: str = ""
    is_claimed: bool = False

    @classmethod
    def from_episode(cls, episode: Episode) -> "TrainingEpisode":
        """Returns the training episode of one in memory, with no step left out."""
        group = episode.extra.get(GROUP, "")
        return cls(episode.id, episode.task_id, lambda: (episode, {}), group)


@dataclass(slots=True)
class _EpisodeState:
    """A training episode in progress; `steps` are the past ones as later prompts show them."""

    episode: Episode
    left_out: Mapping[int, str]
    split: training_set.Split
    grounding_only: bool
    steps: list[Step] = field(default_factory=list)


_PendingStep: TypeAlias = tuple[_EpisodeState, int, Callable[[], EncodedPicture]]


def make_samples(
    episodes: Iterable[TrainingEpisode],
    held_out: frozenset[str],
    pictures: PictureEncoder,
    settings: training_set.SftSettings,
    *,
    without_reasoning: bool = False,
) -> Iterator[training_set.TrainingSample | training_set.DroppedStep]:
    """Yields the samples of episodes, in order, and what was dropped.

    Questions about one picture are joined as the settings say. With `without_reasoning` a step
    needs none: what was played counts as it was said. An episode that cannot be read is dropped as
    a whole; other episodes are unaffected.

    Raises:
        TapwrightError: one that is `fatal`, such as a full disk.
    """
    if isinstance(settings.convention, Family):
        settings = replace(settings, convention=settings.convention.as_trained())
    found = _samples(episodes, held_out, pictures, settings, without_reasoning)
    if settings.per_picture > 1:
        return join_follow_ups(found, settings.per_picture, settings.seed)
    return found


def _samples(
    episodes: Iterable[TrainingEpisode],
    held_out: frozenset[str],
    pictures: PictureEncoder,
    settings: training_set.SftSettings,
    without_reasoning: bool,
) -> Iterator[training_set.TrainingSample | training_set.DroppedStep]:
    pending: deque[training_set.DroppedStep | _PendingStep] = deque()
    for entry in _pending_steps(episodes, held_out, pictures, settings, without_reasoning):
        pending.append(entry)
        if len(pending) > pictures.lookahead:
            yield _make_sample(pending.popleft(), pictures, settings)
    while pending:
        yield _make_sample(pending.popleft(), pictures, settings)


def _pending_steps(
    episodes: Iterable[TrainingEpisode],
    held_out: frozenset[str],
    pictures: PictureEncoder,
    settings: training_set.SftSettings,
    without_reasoning: bool,
) -> Iterator[training_set.DroppedStep | _PendingStep]:
    grounding_only = is_grounding_only(settings.convention)
    kind = screen_kind(settings.convention)
    for entry in episodes:
        try:
            episode, left_out = entry.read()
        except errors.TapwrightError as error:
            if error.fatal:
                raise
            yield training_set.DroppedStep(entry.id, None, str(error), error.code)
            continue
        split: training_set.Split = "val" if entry.id in held_out else "train"
        shown = _kind_of_screen(episode, settings)
        misfit = "" if "any" in (kind, shown) or kind == shown else _tell_misfit(settings, shown)
        state = _EpisodeState(episode, left_out, split, grounding_only)
        for number, step in enumerate(episode.steps):
            why = left_out.get(number) or misfit or why_untaught(step)
            if not why and (
                lacks := _find_missing(step, grounding_only, settings, without_reasoning)
            ):
                why = why_unfit(step) or lacks
            yield state, number, _request_picture(step, why, pictures)


def _kind_of_screen(episode: Episode, settings: training_set.SftSettings) -> ScreenKind:
    if settings.level == "high":
        return kind_of_episode(episode)
    # One element or one move is asked for on whatever is shown.
    return kind_of_actions(one for step in episode.steps for one in step.decision.actions)


def _tell_misfit(settings: training_set.SftSettings, shown: ScreenKind) -> str:
    return f"its episode is of a {shown}, and {settings.convention.name} {OTHER_SCREEN}"


def _find_missing(
    step: Step, grounding_only: bool, settings: training_set.SftSettings, without_reasoning: bool
) -> str | None:
    """What the step lacks that is to be taught, or told in the prompt."""
    if settings.level == "low":
        return None if step.step_instruction.strip() else _NO_INSTRUCTION
    if without_reasoning or step.decision.reasoning.strip():
        return None
    if settings.actions_only:
        return _find_empty_place(step, settings.convention)
    untold = grounding_only and not _tells_reasons(settings.convention, step.observation)
    return None if untold else UNLABELLED


def _find_empty_place(step: Step, convention: Convention) -> str | None:
    """What a convention's answer has for a thought, which would be empty without one."""
    decision, size = step.decision, step.observation.size
    try:
        bare = convention.render(decision, size)
        told = convention.render(replace(decision, reasoning=_THOUGHT), size)
    except errors.UnsupportedByConventionError:
        return None  # told when it is rendered
    place = told.partition(_THOUGHT)[0].strip()
    if place and bare.lstrip().startswith(place):
        return f"{UNLABELLED}, and {convention.name} has a place for one"
    return None


def _tells_reasons(convention: Convention, seen: Observation) -> bool:
    """Whether a request for an element says why, as that of MobiAgent's grounders does."""
    one, other = (grounding_messages(convention, "it", seen, why) for why in ("", "why"))
    return one != other


def _request_picture(
    step: Step, left_out: str, pictures: PictureEncoder
) -> Callable[[], EncodedPicture]:
    if not left_out:
        return pictures.request(step.observation.screenshot)

    def refuse() -> EncodedPicture:
        raise training_set.UnusableStepError(left_out)

    return refuse


def _make_sample(
    entry: training_set.DroppedStep | _PendingStep,
    pictures: PictureEncoder,
    settings: training_set.SftSettings,
) -> training_set.TrainingSample | training_set.DroppedStep:
    if isinstance(entry, training_set.DroppedStep):
        return entry
    state, number, wait = entry
    recorded = state.episode.steps[number]
    step: Step | None = None
    try:
        picture, size, unseen = wait()
        if unseen and not may_be_unseen(recorded, unseen):
            raise training_set.UnusableStepError(unseen)
        step = _escape_step(recorded, size)
        return _build_sample(state, number, step, picture, pictures, settings)
    except training_set.UnusableStepError as error:
        return training_set.DroppedStep(state.episode.id, number, str(error), error.code)
    finally:
        state.steps.append(
            step or _escape_step(recorded, pictures.output_size(recorded.observation.size))
        )


def _build_sample(
    state: _EpisodeState,
    number: int,
    step: Step,
    picture: Screenshot,
    pictures: PictureEncoder,
    settings: training_set.SftSettings,
) -> training_set.TrainingSample:
    episode = state.episode
    if step.decision.actions != episode.steps[number].decision.actions:
        raise training_set.UnusableStepError(
            "its action holds a mark that models and trainers interpret"
        )
    low = settings.level == "low"
    told = step.step_instruction if low else _choose_instruction(episode, number, settings)
    instruction = _escape(told)
    weights = _find_step_weights(instruction, step, settings) if state.split == "train" else {}
    before = () if low else tuple(state.steps)
    policy = settings.history
    request, history = policy.extend_instruction(instruction, before), tuple(policy.select(before))
    if state.grounding_only:
        request, history = step.decision.target or step.step_instruction, ()
        if not request.strip():
            raise training_set.UnusableStepError("it has no target element")
        messages = grounding_messages(
            settings.convention, request, step.observation, step.decision.reasoning
        )
    else:
        messages = policy.prompt(settings.convention, instruction, before, step.observation)
    prompt = _encode_messages(messages, pictures, settings.convention)
    answer = _render_answer(
        _first_alone(step) if state.grounding_only else step, settings.convention
    )
    _check_texts(prompt, answer)
    return training_set.TrainingSample(
        split=state.split,
        episode=episode,
        number=number,
        step=step,
        before=before,
        picture=picture,
        instruction=instruction,
        request=request,
        history=history,
        prompt=prompt,
        answer=answer,
        weights=weights,
    )


def _escape_step(step: Step, size: Size) -> Step:
    """Returns the step with its marks escaped, on a picture of `size`."""
    seen, decision = step.observation, step.decision
    if seen.size != size or "<" in seen.app:
        seen = replace(seen, size=size, app=_escape(seen.app))
    free = chain.from_iterable(map(_free_texts, decision.actions))
    texts = (decision.reasoning, decision.target, *free)
    if any("<" in text for text in texts):
        decision = Decision(
            tuple(map(_escape_action, decision.actions)),
            _escape(decision.reasoning),
            _escape(decision.target),
        )
    instructions = step.instructions
    if instructions:
        instructions = tuple(_escape(text) for text in instructions)
    told = _escape(step.step_instruction)
    same = (instructions, told) == (step.instructions, step.step_instruction)
    if seen is step.observation and decision is step.decision and same:
        return step
    return replace(
        step, observation=seen, decision=decision, instructions=instructions, step_instruction=told
    )


def _free_texts(action: Action) -> tuple[str, ...]:
    """Returns the free texts of an action: typed or spoken text, names and keys."""
    match action:
        case (
            actions.TypeText(text=text)
            | actions.Answer(text=text)
            | actions.AskUser(text=text)
            | actions.OpenApp(app=text)
            | actions.Finish(reason=text)
        ):
            return (text,)
        case actions.Goto(url=url) | actions.NewTab(url=url):
            return (url,)
        case actions.Hotkey(keys=keys):
            return keys
    return ()


def _escape_action(action: Action) -> Action:
    texts = {
        name: [_escape(one) for one in value] if isinstance(value, list) else _escape(value)
        for name, value in action.model_dump(mode="json").items()
        if isinstance(value, str) or name == "keys"
    }
    return ActionAdapter.validate_python({**vars(action), **texts})


def _escape(text: str) -> str:
    return _MARK.sub(r"&lt;\1&gt;", text) if "<" in text else text


def _choose_instruction(episode: Episode, number: int, settings: training_set.SftSettings) -> str:
    own = episode.instruction
    others = settings.paraphrases.get(episode.task_id) or settings.paraphrases.get(own)
    if not others:
        return own
    name = f"{settings.seed}\n{number}\n{episode.id}"
    chance = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    texts = (own, *others)
    return texts[int.from_bytes(chance[:8], "big") % len(texts)]


def _find_step_weights(
    instruction: str, step: Step, settings: training_set.SftSettings
) -> Mapping[str, float]:
    if not settings.weights:
        return {}
    action = step.decision.first
    fields = {
        "instruction": instruction,
        "reasoning": step.decision.reasoning,
        "target": step.decision.target,
        "app": step.observation.app,
        **{f"action.{name}": str(value) for name, value in vars(action).items()},
    }
    try:
        found = find_weights(fields, settings.weights)
    except BadPatternError as error:
        raise training_set.UnusableStepError(str(error), error.code) from error
    if found and not any(found.values()):
        raise training_set.UnusableStepError("its weight is 0")
    return found


def _encode_messages(
    messages: Sequence[Message], pictures: PictureEncoder, convention: Convention
) -> tuple[Message, ...]:
    count = sum(isinstance(part, Picture) for one in messages for part in one.parts)
    places = iter(range(count))

    def encode(part: Part) -> Part:
        if not isinstance(part, Picture):
            return part
        earlier = is_earlier(convention, next(places), count)
        return Picture(pictures.request(part.screenshot, earlier=earlier)().picture)

    return tuple(
        Message(message.role, tuple(encode(part) for part in message.parts)) for message in messages
    )


def is_grounding_only(convention: Convention) -> bool:
    """Whether a convention only grounds: its model is given an element, not a task."""
    for action in (actions.Finish(), actions.TypeText(text="a")):
        try:
            convention.render(Decision(action, "a", "a"), Size(1000, 1000))
        except errors.UnsupportedByConventionError:
            continue
        return False
    return True


def _first_alone(step: Step) -> Step:
    """The step with its first action alone, whose element its target is."""
    return replace(step, decision=replace(step.decision, actions=step.decision.actions[:1]))


def _render_answer(step: Step, convention: Convention) -> str:
    decision, size = step.decision, step.observation.size
    box = None
    try:
        if hasattr(convention, "render_boxed") and isinstance(convention, BoxConvention):
            box = find_target_box(step)
            answer = convention.render_boxed(decision, size, box)
            if has_empty_box(answer):
                raise training_set.UnusableStepError(_NO_BOX.format(convention.name))
        else:
            answer = convention.render(decision, size)
        parsed = convention.parse(answer, size)
    except errors.UnsupportedByConventionError as error:
        raise training_set.UnusableStepError(
            f"{convention.name} cannot express its action: {error}"
        ) from error
    except errors.UngroundedAnswerError:
        return answer  # as intended: this family leaves the place to a grounder
    except errors.BadAnswerError as error:
        raise training_set.UnusableStepError(
            f"{convention.name} cannot parse it back: {error}"
        ) from error
    # Some families tell one gesture in two calls.
    back, said = ([one.type for one in fold_gestures(each.actions)] for each in (parsed, decision))
    if back != said:
        raise training_set.UnusableStepError(
            f"{convention.name} parses it back as {', '.join(back)}"
        )
    if len(parsed.actions) == len(decision.actions):
        for one, other in zip(decision.actions, parsed.actions, strict=True):
            if name := _find_misread(one, other, 1.0 if box else _rounding(size)):
                raise training_set.UnusableStepError(
                    f"{convention.name} parses its {name} back as {getattr(other, name)!r}"
                )
    return answer


def _rounding(size: Size) -> float:
    """How far a place may move by what any convention rounds to, in fractions of the screen."""
    return max(_COARSEST, 2 / min(size.width, size.height))


def _find_misread(said: Action, read: Action, nearness: float) -> str:
    """The field of an action that an answer was read back with as another; "" for none.

    Times, amounts and strokes have other forms in many a grammar, and an address a browser mends.
    """
    if isinstance(said, actions.PointAction) and isinstance(read, actions.PointAction):
        at, there = said.at, read.at
        if max(abs(at.x - there.x), abs(at.y - there.y)) > nearness:
            return "at"
    ours, theirs = vars(said), vars(read)  # pydantic is slow to say that it has no such field
    for name in _EXACT:
        one, other = ours.get(name), theirs.get(name)
        if one != other and _normalize(one) != _normalize(other):
            return name
    return ""


def _normalize(value: object) -> object:
    """A field as it is compared: keys by one name each; of a text an Enter at its end is lost."""
    if isinstance(value, tuple):
        return tuple(find_key(one) or one for one in value)
    return value.removesuffix("\n") if isinstance(value, str) else value


def _check_texts(prompt: tuple[Message, ...], answer: str) -> None:
    texts = [answer]
    texts += [part.text for one in prompt for part in one.parts if isinstance(part, Text)]
    for text in texts:
        try:
            # Whether it is ASCII is known of a text without reading it.
            text.isascii() or text.encode()
        except UnicodeEncodeError as error:
            raise training_set.UnusableStepError(
                "its text holds half an emoji, which UTF-8 cannot encode"
            ) from error
        for mark in _PROMPT_MARKS if "<" in text else ():
            if mark in text:
                raise training_set.UnusableStepError(
                    f"its text holds {mark!r}, which trainers interpret"
                )
