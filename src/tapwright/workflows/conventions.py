"""Describes conventions: what each requests, in which unit, on which picture, and what it lacks.

What is shown is what the convention itself gives for a sample instruction on a blank screen, so
that nothing here can differ from what a model is sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tapwright.conventions import conventions
from tapwright.conventions.convention import (
    Convention,
    GroundingConvention,
    model_size,
    sent_size,
)
from tapwright.conventions.grounding import grounding_messages
from tapwright.conventions.screens import says, screen_kind
from tapwright.conventions.sent_pictures import PaddingConvention
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UnsupportedByConventionError
from tapwright.workflows.listing import ConventionRow, PictureForm

__all__ = ["ConventionSample", "PromptMessage", "describe_convention", "sample_convention"]

_PROBES = (Size(3840, 2160), Size(1920, 1080), Size(1080, 2400), Size(320, 240))
_AT, _OTHER = Point(0.5, 0.25), Point(0.5, 0.75)
_ACTIONS: tuple[tuple[str, Action], ...] = (
    ("tap", actions.Tap(at=_AT)),
    ("tap with the right button", actions.Tap(at=_AT, button="right")),
    ("tap with the middle button", actions.Tap(at=_AT, button="middle")),
    ("double_tap", actions.DoubleTap(at=_AT)),
    ("triple_tap", actions.TripleTap(at=_AT)),
    ("long_press", actions.LongPress(at=_AT)),
    ("hover", actions.Hover(at=_AT)),
    ("swipe", actions.Swipe(start=_OTHER, end=_AT)),
    ("drag", actions.Drag(start=_AT, end=_OTHER)),
    ("scroll down", actions.Scroll(at=_AT, dy=0.5)),
    ("scroll right", actions.Scroll(at=_AT, dx=0.5)),
    ("type_text", actions.TypeText(text="hello")),
    ("press_key back", actions.PressKey(key="back")),
    ("press_key home", actions.PressKey(key="home")),
    ("press_key recents", actions.PressKey(key="recents")),
    ("press_key forward", actions.PressKey(key="forward")),
    ("press_key enter", actions.PressKey(key="enter")),
    ("hotkey", actions.Hotkey(keys=("control", "c"))),
    ("open_app", actions.OpenApp(app="Settings")),
    ("goto", actions.Goto(url="https://example.org/")),
    ("new_tab", actions.NewTab()),
    ("close_tab", actions.CloseTab()),
    ("switch_tab", actions.SwitchTab(tab=1)),
    ("wait", actions.Wait()),
    ("answer", actions.Answer(text="four")),
    ("finish: success", actions.Finish()),
    ("finish: failure", actions.Finish(outcome="failure")),
    ("finish: infeasible", actions.Finish(outcome="infeasible")),
)


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt; pictures stand in its text as "<picture 1080x2400>"."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ConventionSample:
    """What a convention sends for an instruction on a screen of `size`, and what it lacks.

    `sent` is the size in which a picture goes out, `model` the one in whose pixels the model
    answers. The answers are those of a model that taps, and that types; "" where it cannot.
    """

    row: ConventionRow
    size: Size
    sent: Size
    model: Size
    prompt: Sequence[PromptMessage]
    tap_answer: str
    type_answer: str
    cannot_say: Sequence[str]


def describe_convention(convention: Convention, name: str) -> ConventionRow:
    """The row of a convention that was found by `name`."""
    return ConventionRow(
        name,
        _finds(convention),
        screen_kind(convention),
        convention.space,
        _picture_form(convention),
        convention.source,
    )


def sample_convention(
    name: str, size: Size, instruction: str, *, grounding: bool = False
) -> ConventionSample:
    """A convention at work on a blank screen of `size`.

    With `grounding` the prompt is that for the place of one element, which `instruction` names.

    Raises:
        UnknownNameError: there is no such convention.
        BadImageError: its models take no picture of that size.
    """
    convention = conventions.get(name)
    screen = Observation(Screenshot.stand_in(size), size)
    if grounding:
        messages = grounding_messages(convention, instruction, screen)
    else:
        messages = convention.prompt(instruction, (), screen)
    sent = sent_size(convention, size)
    return ConventionSample(
        describe_convention(convention, name),
        size,
        sent,
        model_size(convention, size),
        [_flatten(message, _canvas(convention, size) or sent) for message in messages],
        _answer(convention, Decision(actions.Tap(at=_AT), "I need it.", "the button"), size),
        _answer(convention, Decision(actions.TypeText(text="hello"), "I write it."), size),
        [words for words, action in _ACTIONS if not says(convention, action, size)],
    )


def _finds(convention: Convention) -> Literal["actions", "an element", "both"]:
    if not says(convention, actions.TypeText(text="hello"), _PROBES[2]):
        return "an element"
    return "both" if isinstance(convention, GroundingConvention) else "actions"


def _picture_form(convention: Convention) -> PictureForm:
    if isinstance(convention, PaddingConvention):
        return "on a canvas"
    if any(sent_size(convention, size) != size for size in _PROBES):
        return "resized before it is sent"
    if any(model_size(convention, size) != size for size in _PROBES):
        return "resized by the server"
    return "as recorded"


def _canvas(convention: Convention, size: Size) -> Size | None:
    return convention.canvas_size(size) if isinstance(convention, PaddingConvention) else None


def _flatten(message: Message, sent: Size) -> PromptMessage:
    pieces = []
    for part in message.parts:
        match part:
            case Text(text=text):
                pieces.append(text)
            case Picture():
                pieces.append(f"<picture {sent}>")
            case Audio():
                pieces.append("<sound>")
            case ToolCall():
                pieces.append(f"<call of {part.name}>")
    return PromptMessage(message.role, "".join(pieces))


def _answer(convention: Convention, decision: Decision, size: Size) -> str:
    try:
        return convention.render(decision, size)
    except UnsupportedByConventionError:
        return ""
