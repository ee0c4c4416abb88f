"""A checker for conventions: what is rendered is parsed back, and prompts show what they must."""

from dataclasses import replace
from itertools import repeat
from typing import get_args

from tapwright.conventions.convention import Convention, Space
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.directions import finger_direction
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError, UngroundedAnswerError, UnsupportedByConventionError
from tapwright.testing.conformance import must, must_be_messages, must_have
from tapwright.testing.errors import ConformanceError

_SAMPLES: tuple[Action, ...] = (
    actions.Tap(at=Point(0.25, 0.75)),
    actions.Tap(at=Point(0.0, 1.0), button="right"),
    actions.DoubleTap(at=Point(0.5, 0.5)),
    actions.TripleTap(at=Point(0.4, 0.6)),
    actions.LongPress(at=Point(0.9, 0.1), duration_s=1.5),
    actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
    # Down in the pixels of a phone, to the right in those of a desktop.
    actions.Swipe(start=Point(0.2, 0.3), end=Point(0.5, 0.5)),
    actions.TypeText(text='two "words"\nand 中文 {"a": 1}'),
    actions.TypeText(text="kettle", at=Point(0.3, 0.6), clear=True),
    actions.PressKey(key="back"),
    actions.OpenApp(app="Settings"),
    actions.Wait(duration_s=2.0),
    actions.Answer(text="it is 12 °C"),
    actions.Finish(),
    actions.Finish(outcome="failure"),
    actions.Finish(outcome="infeasible"),
    actions.Hover(at=Point(0.1, 0.2)),
    actions.Drag(start=Point(0.1, 0.2), end=Point(0.3, 0.4)),
    actions.Scroll(at=Point(0.5, 0.5), dy=1.0),
    actions.Hotkey(keys=("control", "c")),
    actions.PressKey(key="forward"),
    actions.Goto(url="https://example.org/a page?q='1'"),
    actions.NewTab(),
    actions.NewTab(url="https://example.org/"),
    actions.CloseTab(),
    actions.SwitchTab(tab=2),
    actions.Tap(at=Point(0.25, 0.75), held=("control",)),
    actions.Tap(at=Point(0.25, 0.75), button="back"),
    actions.DoubleTap(at=Point(0.5, 0.5), held=("shift", "alt")),
    actions.TripleTap(at=Point(0.5, 0.5), button="middle"),
    actions.LongPress(at=Point(0.9, 0.1), button="right"),
    actions.Hover(at=Point(0.1, 0.2), held=("control",)),
    actions.Scroll(at=Point(0.5, 0.5), dy=1.0, held=("control",)),
    actions.Drag(
        start=Point(0.1, 0.2), end=Point(0.3, 0.4), path=(Point(0.9, 0.8), Point(0.5, 0.1))
    ),
    actions.Drag(start=Point(0.1, 0.2), end=Point(0.3, 0.4), button="right", held=("shift",)),
    actions.Hotkey(keys=("control", "c"), duration_s=2.0),
    actions.Hotkey(keys=("keypad_add",)),
    actions.Hotkey(keys=("control", "+")),
    actions.Hotkey(keys=("'",)),
    actions.ButtonDown(at=Point(0.2, 0.3)),
    actions.ButtonDown(button="middle"),
    actions.ButtonUp(at=Point(0.6, 0.7)),
    actions.ButtonUp(),
    actions.KeyDown(key="shift"),
    actions.KeyUp(key="shift"),
    actions.AskUser(text="Which of the two?"),
)


def check_convention(convention: Convention) -> None:
    """Check a convention: it parses what it renders, rejects noise, and prompts with everything.

    Places may move by its own rounding; durations, amounts of scrolling, the path of a swipe of the
    same direction, and whether typing empties the field and presses Enter, may be lost in the
    grammar: then it renders both in the same words. The direction of a swipe is that of
    `directions`, in pixels of the screen. Every other field is parsed unchanged, or the action is
    refused as unsupported. Of several actions all are parsed, or they are refused. A tap that is
    rendered by its target alone is parsed as `UngroundedAnswerError` with that target.

    Raises:
        ConformanceError: it breaks one of them.
    """
    must_have(convention, Convention)
    who = f"convention {convention.name}"
    must(convention.space in get_args(Space), who, "its unit is a known one", convention.space)
    rendered = 0
    for size in (Size(1080, 2400), Size(1280, 720)):
        for action in _SAMPLES:
            decision = Decision(action, reasoning="It is the next thing.", target="the button")
            try:
                text = convention.render(decision, size)
            except UnsupportedByConventionError:
                continue
            rendered += 1
            try:
                read = convention.parse(text, size)
            except UngroundedAnswerError as error:
                must(error.target == decision.target, who, "it keeps the target", error.target)
                continue
            except BadAnswerError as error:
                raise ConformanceError(
                    f"{who}: it reads what it renders; {text!r} raises: {error}"
                ) from error
            must(isinstance(read, Decision), who, "`parse` returns a `Decision`", read)
            same = convention.render(replace(decision, actions=read.actions), size) == text
            must(
                _alike(
                    action, read.action, _tolerance(convention.space, size), size, same_words=same
                ),
                who,
                f"it reads {action!r} out of its own {text!r}, or `render` refuses it by "
                "UnsupportedByConventionError",
                read.action,
            )
            _check_half_characters(convention, text, size, who)
    must(rendered > 0, who, "it renders some action")
    _check_several(convention, who)
    for noise in ("", "I am sorry, but I cannot help with that.", "{", "[[[", "\x00", "<tap>"):
        try:
            found = convention.parse(noise, Size(1080, 2400))
        except BadAnswerError:
            continue
        raise ConformanceError(f"{who}: {noise!r} is not an answer; found {found!r}")
    _check_prompt(convention, who)


def _check_several(convention: Convention, who: str) -> None:
    """Of several actions it reads all that it wrote, in their order, or it refuses them."""
    several = Decision(
        [actions.Tap(at=Point(0.25, 0.5)), actions.Tap(at=Point(0.75, 0.5))], "Both.", "the first"
    )
    size = Size(1280, 720)
    try:
        text = convention.render(several, size)
    except UnsupportedByConventionError:
        return
    read = convention.parse(text, size).actions
    nearness = _tolerance(convention.space, size)
    alike = len(read) == 2 and all(
        _alike(one, other, nearness, size, same_words=False)
        for one, other in zip(several.actions, read, strict=True)
    )
    must(alike, who, f"it reads both of two actions out of its own {text!r}", read)


def _check_half_characters(convention: Convention, text: str, size: Size, who: str) -> None:
    try:
        read = convention.parse(text.replace("the next", "cut \ud83d"), size)
    except BadAnswerError as error:
        parsed = str(error)
    else:
        parsed = "".join(
            (read.reasoning, read.target, *map(str, read.action.model_dump().values()))
        )
    try:
        parsed.encode()
    except UnicodeEncodeError as error:
        raise ConformanceError(
            f"{who}: half a character is not handed on; found {parsed!r}"
        ) from error


def _check_prompt(convention: Convention, who: str) -> None:
    device = FakeDevice()
    before = device.observe()
    device.perform(actions.Wait())
    history = [Step(before, Decision(actions.Tap(at=Point(0.5, 0.5)), "Because.", "the button"))]
    now = device.observe()
    messages = convention.prompt("Do this one thing", history, now)
    must_be_messages(messages, who)
    must(bool(messages), who, "a prompt has a message")
    words = "".join(message.text for message in messages)
    must("Do this one thing" in words, who, "the prompt has the instruction", words[:200])
    pictures = [
        part.screenshot
        for message in messages
        for part in message.parts
        if hasattr(part, "screenshot")
    ]
    must(now.screenshot in pictures, who, "the prompt has the screen as it is now")
    must(messages[-1].role != "assistant", who, "the last turn is not the assistant's")


def _tolerance(space: Space, size: Size) -> float:
    match space:
        case "permille" | "0-999":
            return 1 / 1000 + 1e-9  # three digits end at 999
        case "percent":
            return 0.5 / 100 + 1e-9
        case "pixel":
            return 1 / min(size.width, size.height)
        case "fraction":
            return 0.5 / 100 + 1e-9


def _alike(one: Action, other: Action, tolerance: float, size: Size, *, same_words: bool) -> bool:
    if one.type != other.type:
        return False
    if same_words and isinstance(one, actions.Swipe) and isinstance(other, actions.Swipe):
        return finger_direction(one, size) == finger_direction(other, size)
    for name, field in type(one).model_fields.items():
        ours, theirs = getattr(one, name), getattr(other, name)
        if isinstance(ours, Point) and isinstance(theirs, Point):
            if not _near(ours, theirs, tolerance):
                return False
        elif name == "path":
            if len(ours) != len(theirs) or not all(map(_near, ours, theirs, repeat(tolerance))):
                return False
        elif name == "duration_s":
            if ours != theirs and theirs != field.default and not same_words:
                return False
        elif name == "clear" or (name == "text" and isinstance(one, actions.TypeText)):
            if ours != theirs and not (same_words and _unended(ours) == _unended(theirs)):
                return False
        elif name in ("dx", "dy"):
            if ours != theirs and not (same_words and ours * theirs > 0):
                return False
        elif ours != theirs:
            return False
    return True


def _near(one: Point, other: Point, tolerance: float) -> bool:
    return max(abs(one.x - other.x), abs(one.y - other.y)) <= tolerance


def _unended(value: str | bool) -> str:
    """A text without the line break that presses Enter."""
    return value.removesuffix("\n") if isinstance(value, str) else ""
