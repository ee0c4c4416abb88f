"""Published answers of several actions: what is imported does what upstream's own code did."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.actions import (
    Action,
    ButtonDown,
    ButtonUp,
    DoubleTap,
    Drag,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Size, to_pixel
from tapwright.core.keys import find_key
from tapwright.formats.importers.screenagent import SCREENAGENT
from tapwright.formats.osworld.actions import read_osworld_action
from tests.formats.foreign import picture, read_and_listen

GOLDEN = Path(__file__).parents[1] / "golden" / "several"
SCREEN = Size(1024, 768)
PLACED = ("77209b7bb7c04ab4ab47cc8f29fcfb89", "adc971ec65f14fab9da520596676466b")
"""Sessions with a button that goes down and up at places that upstream's controller drops."""

Event = tuple[object, ...]


def lines(name: str) -> list[dict[str, JsonValue]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text("utf-8").splitlines()]


def events(actions: Iterable[Action], size: Size) -> Iterator[Event]:
    """What the actions send to a screen, one event after another."""
    for action in actions:
        match action:
            case Wait(duration_s=duration_s):
                yield "wait", duration_s
            case TypeText(text=text):
                yield "write", text.removesuffix("\n")
                if text.endswith("\n"):
                    yield "press", "enter"
            case PressKey(key=key):
                yield "press", key
            case Hotkey(keys=keys):
                yield "press", "+".join(keys)
            case Hover(at=at):
                yield "move", *to_pixel(at, size)
            case Tap(at=at, button=button):
                yield from (("move", *to_pixel(at, size)), ("click", button))
            case DoubleTap(at=at):
                yield from (("move", *to_pixel(at, size)), *[("click", "left")] * 2)
            case Drag(start=start, end=end):
                yield from (("at", *to_pixel(start, size)), ("down", "left"))
                yield from (("move", *to_pixel(end, size)), ("up", "left"))
            case ButtonDown(button=button):
                yield "down", button
            case ButtonUp(button=button):
                yield "up", button
            case Scroll(dy=dy):
                yield "scroll_down" if dy > 0 else "scroll_up", round(abs(dy) * 10)
            case _:
                yield "?", action.type


def named(recorded: JsonValue) -> list[Event]:
    """Recorded events with keys by our names."""
    assert isinstance(recorded, list)
    found: list[Event] = []
    for event in recorded:
        assert isinstance(event, list)
        what, *more = event
        if what == "press":
            keys = more[0] if isinstance(more[0], list) else str(more[0]).split("+")
            more = ["+".join(find_key(str(key)) or str(key) for key in keys)]
        found.append((what, *more))
    return found


def moved(found: Iterable[Event]) -> list[Event]:
    """The events, where a drag's start goes into a move there, which upstream makes before."""
    return [event for event in found if event[0] != "at"]


def test_what_screenagent_s_controller_did_is_what_is_imported(tmp_path: Path) -> None:
    answers = lines("screenagent.jsonl")
    images = tmp_path / "s" / "images"
    images.mkdir(parents=True)
    (images / "one.jpg").write_bytes(picture(width=SCREEN.width, height=SCREEN.height, kind="JPEG"))
    for number, answer in enumerate(answers):
        record = {
            "task_prompt": "t",
            "send_prompt": "",
            "session_id": "s",
            "video_width": SCREEN.width,
            "video_height": SCREEN.height,
            "saved_image_name": "one.jpg",
            "actions": answer["actions"],
        }
        path = tmp_path / "s" / f"{number:03}_translate.json"
        path.write_text(json.dumps(record), "utf-8")
    (episode,), told = read_and_listen(SCREENAGENT, tmp_path)
    assert told == []
    assert len(episode.steps) == len(answers)
    for step, answer in zip(episode.steps, answers, strict=True):
        if not any(session in str(answer["path"]) for session in PLACED):
            assert len(step.decision.actions) > 1
            assert moved(events(step.decision.actions, SCREEN)) == named(answer["events"])


@pytest.mark.parametrize("answer", lines("code.jsonl"), ids=lambda one: str(one["source"])[:20])
def test_code_that_ran_on_osworld_s_vm_is_read_as_it_ran(answer: dict[str, JsonValue]) -> None:
    size = Size(1920, 1080)
    actions = read_osworld_action(answer["code"], CallPointer(size, "pixel"), "here")
    found = list(events(actions, size))
    began = ["move" if event[0] == "at" else event[0] for event in found]
    assert [(kind, *event[1:]) for kind, event in zip(began, found, strict=True)] == named(
        answer["events"]
    )
