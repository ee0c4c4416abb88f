"""The frames of an episode in which milestones are looked for, and the reader of their pictures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.core.actions import Action, Answer, Drag, Finish, OpenApp, Scroll, Swipe, TypeText
from tapwright.core.directions import OPPOSITE, finger_direction, scroll_direction
from tapwright.core.episode import Episode
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import MissingExtraError
from tapwright.tasks.events.ocr import TextReader

__all__ = [
    "CheckCost", "FrameLook", "FrameReader", "MilestoneFrame", "ScreenQuestion", "Truth",
    "all_true", "any_true", "make_frame", "make_frames",
]  # fmt: skip

Truth: TypeAlias = bool | None
"""True, False, or None: unknown."""

# MobiAgent's names for actions; those that are missing here have the same name there.
_NAMES: Mapping[str, str] = {
    "tap": "click", "type_text": "input", "finish": "done", "scroll": "swipe", "drag": "swipe",
}  # fmt: skip
_STATUS = {"success": "success", "failure": "failed", "infeasible": "suspended"}


class CheckCost(IntEnum):
    """What a check costs, from comparing words to asking a model."""

    WORDS = 0
    TREE = 1
    ICONS = 2
    READING = 3
    MODEL = 4


@dataclass(frozen=True, eq=False)
class MilestoneFrame:
    """One moment of an episode: the screen, and the action on it.

    `words` are the visible words, where nothing else is known of the screen. `agent_text` is the
    agent's reasoning, the type of its action and the text it typed; `action` has MobiAgent's names,
    `instruction` is the task.
    """

    words: frozenset[str] | None = None
    screen: Observation | None = None
    agent_text: str = ""
    action: Mapping[str, JsonValue] = field(default_factory=dict)
    instruction: str = ""

    @cached_property
    def hierarchy(self) -> UiTree | None:
        """The view hierarchy; None without one, or where it has only boxes and shows no words."""
        tree = self.screen.ui_tree if self.screen else None
        return None if tree is None or tree.boxes_only else tree

    @cached_property
    def app(self) -> str:
        """The app in front; empty where neither the screen nor its hierarchy names it."""
        if self.screen is None or self.screen.app:
            return self.screen.app if self.screen else ""
        nodes = self.hierarchy.nodes if self.hierarchy else ()
        return next((name for node in nodes if (name := node.attributes.get("package"))), "")

    @cached_property
    def tree_texts(self) -> tuple[str, ...] | None:
        """The texts of the view hierarchy; None without one."""
        tree = self.hierarchy
        if tree is None:
            return None
        texts = (text for node in tree.nodes for text in (node.text, node.description))
        return tuple(dict.fromkeys(text for text in texts if text))


@dataclass(frozen=True, slots=True)
class ScreenQuestion:
    """A question to a model: whether a frame shows what `prompt` describes.

    `frames` are the frame and the one after it, or the one before the last and the last; the frame
    in question has the number `target`.
    """

    prompt: str
    instruction: str
    frames: tuple[MilestoneFrame, ...]
    target: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class FrameReader:
    """Reads the pictures of frames: with a text reader, and with a model that answers questions.

    `ask` returns yes, no, or None without an answer. Nothing is read or queried twice.
    """

    reader: TextReader | None = None
    ask: Callable[[ScreenQuestion], Truth] | None = None
    _answers: dict[ScreenQuestion, Truth] = field(default_factory=dict, init=False, repr=False)
    _read: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)

    def answer(self, question: ScreenQuestion) -> Truth:
        """Return the answer to a question; None without `ask`."""
        if self.ask is None:
            return None
        if question not in self._answers:
            self._answers[question] = self.ask(question)
        return self._answers[question]

    def texts(self, frame: MilestoneFrame) -> tuple[str, ...] | None:
        """Return the texts on a frame's picture; None without a picture or a reader."""
        if self.reader is None or frame.screen is None or not frame.screen.screenshot.recorded:
            return None
        shot = frame.screen.screenshot
        if shot.sha256 not in self._read:
            try:
                self._read[shot.sha256] = tuple(one.text for one in self.reader.read(shot))
            except MissingExtraError:
                return None
        return self._read[shot.sha256]


@dataclass(frozen=True, slots=True, eq=False)
class FrameLook:
    """What a check looks at: the frame `number`, and the others before and after it."""

    frames: Sequence[MilestoneFrame]
    number: int
    reader: FrameReader

    @property
    def frame(self) -> MilestoneFrame:
        """The frame itself."""
        return self.frames[self.number]


def make_frames(episode: Episode) -> list[MilestoneFrame]:
    """Makes the frames of an episode: first an empty one, as MobiFlow has it, then one per action.

    Of steps with one action each, frame n is the screen of step n - 1 with its action; the screen
    after the last step has a frame of its own.
    """
    frames = [MilestoneFrame(instruction=episode.instruction)]
    for part in (part for step in episode.steps for part in step.parts):
        decision = part.decision
        frames.append(
            make_frame(
                part.observation,
                decision.action,
                reasoning=decision.reasoning,
                instruction=episode.instruction,
            )
        )
    if episode.final is not None:
        frames.append(MilestoneFrame(screen=episode.final, instruction=episode.instruction))
    return frames


def make_frame(
    screen: Observation, action: Action, *, reasoning: str = "", instruction: str = ""
) -> MilestoneFrame:
    """Makes the frame of a screen and the action chosen on it."""
    fields = _action_fields(action, screen.size)
    text = fields.get("text", "")
    return MilestoneFrame(
        screen=screen,
        agent_text=f"{reasoning} {fields['type']} {text}".strip(),
        action=fields,
        instruction=instruction,
    )


def _action_fields(action: Action, size: Size) -> dict[str, JsonValue]:
    """Returns an action in MobiAgent's names; `name` is our own."""
    fields: dict[str, JsonValue] = {
        "type": _NAMES.get(action.type, action.type),
        "name": action.type,
    }
    match action:
        case TypeText(text=text) | Answer(text=text):
            fields["text"] = text
        case OpenApp(app=app):
            fields["app"] = app
        case Finish(outcome=outcome):
            fields["status"] = _STATUS[outcome]
        case Swipe() | Drag():
            # MobiAgent has a word for every swipe, also for one that stays where it is.
            fields["direction"] = finger_direction(action, size) or "up"
        case Scroll():
            content = scroll_direction(action, size)
            fields["direction"] = OPPOSITE[content] if content else "up"
        case _:
            pass
    return fields


def any_true(found: Iterable[Truth]) -> Truth:
    """Returns True if one is true, else None if one is unknown, else False."""
    unknown = False
    for one in found:
        if one:
            return True
        unknown |= one is None
    return None if unknown else False


def all_true(found: Iterable[Truth]) -> Truth:
    """Returns False if one is false, else None if one is unknown, else True."""
    unknown = False
    for one in found:
        if one is False:
            return False
        unknown |= one is None
    return None if unknown else True
