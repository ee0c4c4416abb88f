"""The moments of an episode that milestones are looked for in, and who looks at their pictures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.actions import Action, Answer, Drag, Finish, OpenApp, Scroll, Swipe, TypeText
from tapwright.directions import OPPOSITE, finger_direction, scroll_direction
from tapwright.episode import Episode
from tapwright.errors import MissingExtraError
from tapwright.geometry import Size
from tapwright.observation import Observation
from tapwright.tasks.events.ocr import TextReader

__all__ = [
    "Cost",
    "Frame",
    "Question",
    "Truth",
    "Watch",
    "frame_of",
    "frames_of",
]

Truth: TypeAlias = bool | None
"""True, False, or None: it cannot be told."""

# How MobiAgent calls what an agent does; whatever is missing here has the same name there.
_NAMES: Mapping[str, str] = {
    "tap": "click", "type_text": "input", "finish": "done", "scroll": "swipe", "drag": "swipe",
}  # fmt: skip
_STATUS = {"success": "success", "failure": "failed", "infeasible": "suspended"}


class Cost(IntEnum):
    """What a check costs, from a look at words to the question to a model."""

    WORDS = 0
    TREE = 1
    ICONS = 2
    READING = 3
    MODEL = 4


@dataclass(frozen=True, eq=False)
class Frame:
    """One moment of an episode: the screen, and what was done on it.

    `words` are those to be seen, where nothing else is known of the screen. `said` is what the
    agent gave as its reasons, the kind of its action and what it typed; `action` is what it did by
    MobiAgent's names, `instruction` the task.
    """

    words: frozenset[str] | None = None
    screen: Observation | None = None
    said: str = ""
    action: Mapping[str, JsonValue] = field(default_factory=dict)
    instruction: str = ""

    @cached_property
    def shown(self) -> tuple[str, ...] | None:
        """The texts of the view hierarchy; None without one."""
        tree = self.screen.ui_tree if self.screen else None
        if tree is None:
            return None
        texts = (text for node in tree.nodes for text in (node.text, node.description))
        return tuple(dict.fromkeys(text for text in texts if text))


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: whether a frame shows what `prompt` says.

    `frames` are the frame and the one after it, or the one before the last and the last; the one
    that is meant has the number `looked_at`.
    """

    prompt: str
    instruction: str
    frames: tuple[Frame, ...]
    looked_at: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """Who looks where words are not enough: a reader of pictures, and whoever answers questions.

    `ask` says yes, no, or None when it got no answer. Nothing is read or asked twice.
    """

    reader: TextReader | None = None
    ask: Callable[[Question], Truth] | None = None
    _told: dict[Question, Truth] = field(default_factory=dict, init=False, repr=False)
    _read: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)

    def answer(self, question: Question) -> Truth:
        """What `ask` says; None when there is nobody to be asked."""
        if self.ask is None:
            return None
        if question not in self._told:
            self._told[question] = self.ask(question)
        return self._told[question]

    def texts(self, frame: Frame) -> tuple[str, ...] | None:
        """What can be read on a frame's picture; None when there is none, or no reader."""
        if self.reader is None or frame.screen is None or not frame.screen.screenshot.recorded:
            return None
        shot = frame.screen.screenshot
        if shot.sha256 not in self._read:
            try:
                self._read[shot.sha256] = tuple(one.text for one in self.reader.read(shot))
            except MissingExtraError:
                return None
        return self._read[shot.sha256]


def frames_of(episode: Episode) -> list[Frame]:
    """The moments of an episode: an empty one first, as MobiFlow has it, then one for each step.

    Frame n is the screen that step n - 1 was decided on with what was done there; the screen after
    the last step has a frame of its own.
    """
    frames = [Frame(instruction=episode.instruction)]
    for step in episode.steps:
        decision = step.decision
        frames.append(
            frame_of(
                step.observation,
                decision.action,
                reasoning=decision.reasoning,
                instruction=episode.instruction,
            )
        )
    if episode.final is not None:
        frames.append(Frame(screen=episode.final, instruction=episode.instruction))
    return frames


def frame_of(
    screen: Observation, action: Action, *, reasoning: str = "", instruction: str = ""
) -> Frame:
    """The moment at which an action was decided on."""
    told = _told(action, screen.size)
    text = told.get("text", "")
    return Frame(
        screen=screen,
        said=f"{reasoning} {told['type']} {text}".strip(),
        action=told,
        instruction=instruction,
    )


def _told(action: Action, size: Size) -> dict[str, JsonValue]:
    """An action by MobiAgent's names; `name` is our own."""
    told: dict[str, JsonValue] = {
        "type": _NAMES.get(action.type, action.type),
        "name": action.type,
    }
    match action:
        case TypeText(text=text) | Answer(text=text):
            told["text"] = text
        case OpenApp(app=app):
            told["app"] = app
        case Finish(outcome=outcome):
            told["status"] = _STATUS[outcome]
        case Swipe() | Drag():
            # MobiAgent has a word for every swipe, also for one that stays where it is.
            told["direction"] = finger_direction(action, size) or "up"
        case Scroll():
            content = scroll_direction(action, size)
            told["direction"] = OPPOSITE[content] if content else "up"
        case _:
            pass
    return told
